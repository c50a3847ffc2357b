"""The one place that chooses an engine for a composition.

What reveals the record is set aside first, what nobody can tell is left out, and a closed form is taken where there is
one. Then the first of ``RULES`` that has something to say: outcome by outcome where outcomes can be counted; by how
often the record takes part, where that is hardly ever or for all to see; lists that tell next to nothing beside the
rest; a lattice for lists that share one; else contours, with a lattice where they are not sharp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from neyman.engines.closed_form.pairs import BlatantProfile, PerfectProfile
from neyman.engines.closed_form.single import single
from neyman.engines.combine.before import one_of
from neyman.engines.combine.enclosed import enclosed_profiles, unbundled
from neyman.engines.combine.outward import outward_profiles
from neyman.engines.rules.composition import Composition, Losses, Rule, first_of, sure
from neyman.engines.rules.contours import contours_or_lattice, lists_beside
from neyman.engines.rules.discrete import by_rare_outcomes, listed_together, outcomes_one_by_one, too_long_for_lines
from neyman.engines.rules.participation import hardly_ever, loud_beside
from neyman.losses.discrete.steps import DiscreteStep, RandomizedResponseStep
from neyman.losses.enclosed.step import EnclosedStep, ListedStep
from neyman.numerics.rounding import AMPLE, TINY
from neyman.numerics.sums.norm import together
from neyman.profiles.effort import Effort
from neyman.profiles.pair import Pair

if TYPE_CHECKING:
    from neyman.losses.readings.outcomes import Outcomes

__all__ = ["RULES", "profiles"]

_MANY = 10**6  # steps from which an engine may have little to say: of strong compositions, or for rounding

BY_ONE_ENGINE: tuple[Rule, ...] = (listed_together, too_long_for_lines, contours_or_lattice)


def _by_one_engine(c: Composition) -> Pair | None:
    """All steps by one engine."""
    return first_of(BY_ONE_ENGINE, c)


RULES: tuple[Rule, ...] = (
    outcomes_one_by_one,
    hardly_ever,
    by_rare_outcomes,
    loud_beside(_by_one_engine),
    lists_beside(_by_one_engine),
    *BY_ONE_ENGINE,
)


def _by_rules(c: Composition) -> Pair | None:
    return first_of(RULES, c)


def profiles(losses: Losses, tolerance: float, effort: Effort | None = None, enclosing: float | None = None) -> Pair:
    """Certified profiles of a composition in the directions "remove" and "add" (one object twice where they agree).

    ``tolerance`` is the relative width aimed for of the bracket of delta(eps) wherever delta >= 1e-30; ``enclosing``
    that of the laws between which steps are enclosed (the same unless given).
    ``effort`` is what a question may cost (no limit unless given): beyond it brackets are wider.
    """
    effort = Effort() if effort is None else effort
    losses = unbundled(losses)
    if any(isinstance(step, EnclosedStep) for step, _ in losses):
        from neyman.engines.rules.epochs import epochs

        compose = partial(profiles, tolerance=tolerance, effort=effort)
        enclosed = partial(enclosed_profiles, losses, enclosing or tolerance, compose)
        by_lines = partial(epochs, losses, tolerance, effort, enclosed)
        return _long_or_not(losses, lambda: by_lines() or enclosed(), math.inf, tolerance)
    below, above = (tuple((step.ends[side], times) for step, times in losses) for side in (0, 1))
    if below != above:  # parameters were rounded on the way: each side has its own
        return outward_profiles(profiles(below, tolerance, effort), profiles(above, tolerance, effort))
    tables = [(step, step.table(), times) for step, times in losses if isinstance(step, DiscreteStep)]
    if not tables:
        return _finite(losses, {}, tolerance, effort)
    wholes = {step: table.whole() for step, table, _ in tables}
    log_a, log_b = (math.fsum(n * wholes[step].log_whole[side] for step, _, n in tables) for side in (0, 1))
    off = tuple(math.fsum(n * wholes[step].off[side] for step, _, n in tables) for side in (0, 1))
    if log_a == -math.inf or log_b == -math.inf:  # nothing is shown under both
        return Pair.both([BlatantProfile()])
    finite = {step: whole.table for step, whole in wholes.items()}
    silent = {step for step, table in finite.items() if len(table.loss) == 1}
    rest = tuple((step, times) for step, times in losses if step not in silent)
    remove, add = _finite(rest, finite, tolerance, effort) if rest else _unheard(losses, finite, tolerance, effort)
    if log_a == 0.0 and log_b == 0.0:
        return Pair(remove, add)
    from neyman.engines.combine.infinite_mass import InfiniteMassProfile, revealed_mass

    p_revealed, q_revealed = revealed_mass(log_a, off[0], tables, 0), revealed_mass(log_b, off[1], tables, 1)
    whole = InfiniteMassProfile(remove, add, (log_a, log_b), p_revealed, tolerance, max(off))
    if remove is add and log_a == log_b:
        return Pair.both([whole])
    return Pair(whole, InfiniteMassProfile(add, remove, (log_b, log_a), q_revealed, tolerance, max(off)))


def _unheard(losses: Losses, tables: dict[DiscreteStep, Outcomes], tolerance: float, effort: Effort) -> Pair:
    """Steps of one outcome each: they tell nothing, but for what no float holds, which is a pure epsilon."""
    perfect = Pair.both([PerfectProfile()])
    quiet = ((tables[step], times) for step, times in losses if isinstance(step, DiscreteStep))
    off = math.fsum(2.0 * times * (t.slack + (1.0 + t.stretch) * float(abs(t.loss[0]))) for t, times in quiet)
    if not off > 0.0:
        return perfect
    loud = RandomizedResponseStep(max(off * (1.0 + AMPLE), TINY))
    return outward_profiles(perfect, _finite(((loud, 1),), {loud: loud.table()}, tolerance, effort))


def _finite(losses: Losses, tables: dict[DiscreteStep, Outcomes], tolerance: float, effort: Effort) -> Pair:
    """The same of steps that reveal nothing."""
    if not losses:
        return Pair.both([PerfectProfile()])
    alone = single(losses)
    if alone is not None:
        return alone
    tail_mu = together((step.tail_mu, times) for step, times in losses)
    # what is revealed has been set aside
    rest = tuple(
        (ListedStep(tables[step], step.symmetric), times)
        if isinstance(step, DiscreteStep) and max(step.table().infinite) > 0.0
        else (step, times)
        for step, times in losses
    )
    whole = partial(profiles, tolerance=tolerance, effort=effort)
    steps = Composition(losses, tables, tolerance, tail_mu, effort, _finite, whole)
    return _long_or_not(rest, sure(_by_rules, steps), tail_mu, tolerance)


def _long_or_not(losses: Losses, engine: Callable[[], Pair], tail_mu: float, tolerance: float) -> Pair:
    """What the engine says; of very many steps with the elementary bounds beside it."""
    if sum(times for _, times in losses) < _MANY:
        return engine()
    from neyman.engines.combine.many_steps import LongProfile
    from neyman.engines.renyi.elementary import ElementaryProfile

    made = cache(engine)
    found = [
        LongProfile(partial(one_of, made, i), partial(ElementaryProfile, losses, i == 0, tail_mu), tail_mu, tolerance)
        for i in range(2)
    ]
    return Pair.both(found[:1] if all(step.symmetric for step, _ in losses) else found)
