"""Rules for steps of which it counts how often the record takes part: hardly ever, or for all to see."""

from __future__ import annotations

from functools import cache, partial

from neyman.engines.closed_form.single import single
from neyman.engines.combine.before import before, one_of
from neyman.engines.counts.combinations import told_apart
from neyman.engines.counts.faint import FaintProfile, Sampled, is_faint, magnified
from neyman.engines.rules.composition import Composition, Rule, sure
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.profiles.pair import DIRECTIONS, Pair

__all__ = ["hardly_ever", "loud_beside"]


def hardly_ever(c: Composition) -> Pair | None:
    """Steps in which the record hardly ever takes part, by what each shows alone; the others by their engine."""
    if not any(is_faint(step) for step, _ in c.losses):
        return None
    faint = tuple((step, times) for step, times in c.losses if is_faint(step))
    rest = tuple((step, times) for step, times in c.losses if not is_faint(step))
    others = c.compose(rest) if rest else (None, None)
    larger = None if rest else magnified(faint)
    large = None if larger is None else cache(partial(c.compose_smooth, larger[0]))
    singles = [
        (single(((step, 1),)) or _one_listed(step, c), step.rate, times)
        for step, times in faint
        if isinstance(step, Sampled)
    ]
    return Pair.both([
        FaintProfile(
            [(None if pair is None else pair[i], rate, times) for pair, rate, times in singles], others[i], c.tail_mu,
            None if large is None else partial(one_of, large, i), 0 if larger is None else larger[1],
        )
        for i in range(2)
    ])  # fmt: skip


def _one_listed(step: Step, c: Composition) -> Pair | None:
    """One discrete step, outcome by outcome."""
    if not isinstance(step, DiscreteStep):
        return None
    from neyman.engines.combine.listed import lists, outcome_by_outcome

    parts = lists([(c.tables[step], 1)])
    return outcome_by_outcome(parts, DIRECTIONS, step.tail_mu) if parts else None


def loud_beside(rest: Rule) -> Rule:
    """Sampled Gaussian steps of hardly any noise beside others: by how often the record takes part, with ``rest``
    behind where that is not sharp.
    """

    def rule(c: Composition) -> Pair | None:
        if not any(isinstance(step, SubsampledGaussianStep) and told_apart([(step, n)]) for step, n in c.losses):
            return None
        from neyman.engines.counts.beside import beside_loud

        found = beside_loud(c.losses, c.tolerance, c.tail_mu, c.compose)
        if found is None:
            return None
        return before(found.both, None if found.sharp else cache(sure(rest, c)), c.tolerance)

    return rule
