"""Rules for lists of outcomes: summed one by one where they can be counted, on a lattice where they share one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from neyman.engines.combine.before import before
from neyman.engines.rules.composition import Composition
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import ListedStep
from neyman.numerics.sums.norm import together
from neyman.profiles.pair import Pair

if TYPE_CHECKING:
    from neyman.engines.lattice.profile import LatticeProfile

__all__ = ["POINTS", "by_rare_outcomes", "listed_together", "on_lattice", "outcomes_one_by_one", "too_long_for_lines"]

_OUTER = 1 << 12  # outcomes of the shorter of two lists from which short lines, where there are any, come first
_HANDFUL = 32  # outcomes up to which a list comes before contours of the whole
POINTS = 1 << 20  # budget of a lattice
_BEHIND = 0.3, 0.4  # shares of all effort that what is behind short sums is worth


def outcomes_one_by_one(c: Composition) -> Pair | None:
    """Lists whose sums can be counted, one or two."""
    if not c.discrete:
        return None
    from neyman.engines.combine.listed import lists, outcome_by_outcome

    parts = lists([(c.tables[step], times) for step, times in c.lists])
    if len(parts) == 2 and len(parts[0].loss) > _OUTER:
        from neyman.engines.combine.discrete_lines import behind_smoothing

        lines = behind_smoothing(c.losses, c.directions, c.tolerance, c.tail_mu, c.effort)
        if lines is not None:
            return before(lines, cache(partial(outcome_by_outcome, parts, c.directions, c.tail_mu)), c.tolerance)
    return outcome_by_outcome(parts, c.directions, c.tail_mu) if parts else None


def by_rare_outcomes(c: Composition) -> Pair | None:
    """One kind of list, most outcomes of which are rare: by how many rare ones there are."""
    (step, times), *others = c.losses
    if others or not isinstance(step, DiscreteStep):
        return None
    from neyman.engines.counts.levels import by_jumps

    behind = cache(partial(_by_one_engine, replace(c, effort=c.effort.part(*_BEHIND))))
    return by_jumps(step, times, c.tables[step], c.tolerance, c.tail_mu, c.effort, c.whole, behind)


def listed_together(c: Composition) -> Pair | None:
    """Lists, all by one engine."""
    return _by_one_engine(c) if c.discrete else None


def _by_one_engine(c: Composition) -> Pair:
    from neyman.engines.combine.beside.narrow import beside_discrete
    from neyman.engines.combine.discrete_lines import behind_smoothing, whole_period
    from neyman.engines.combine.listed import few_beside, widened

    lattice = cache(partial(on_lattice, c))
    together_ = cache(lambda: (
        whole_period(c.losses, c.tolerance, c.tail_mu, c.effort)
        or few_beside(c.losses, c.tables, c.directions, c.tolerance, c.tail_mu, c.compose, lattice, _HANDFUL)
        or behind_smoothing(c.losses, c.directions, c.tolerance, c.tail_mu, c.effort)
        or few_beside(c.losses, c.tables, c.directions, c.tolerance, c.tail_mu, c.compose, lattice)
        or Pair.both(lattice())
    ))  # fmt: skip
    little = partial(c.finite, tables=c.tables, effort=c.effort)
    return (
        widened(c.losses, c.tables, c.directions, c.tolerance, c.tail_mu, little, together_)
        or beside_discrete(c.losses, c.tolerance, c.tail_mu, c.compose, together_)
        or together_()
    )


def too_long_for_lines(c: Composition) -> Pair | None:
    """Long lists beside anything: on a lattice."""
    return Pair.both(on_lattice(c)) if any(isinstance(step, ListedStep) for step, _ in c.losses) else None


def on_lattice(c: Composition) -> tuple[LatticeProfile, LatticeProfile]:
    """All steps on a lattice, those on none divided between its points."""
    from neyman.engines.atoms.gathered import gathered_laws, gathers
    from neyman.engines.lattice.profile import LatticeProfile
    from neyman.numerics.exact.common_unit import common_unit

    losses, tolerance = c.losses, c.tolerance
    tail_mu = together((step.tail_mu, times) for step, times in losses)
    if any(gathers(step, times) for step, times in losses):
        tolerance *= 0.5  # cheap enough for epsilon, too, of which delta may know less than of itself
    discrete = [(step.table().unit, times) for step, times in c.lists]
    units = [unit for unit, _ in discrete if unit is not None]
    loose = sum(times for unit, times in discrete if unit is None or common_unit(units) is None)
    # outcomes that no lattice holds are divided between two points of one, each time they are counted
    points = 2 * POINTS if loose else POINTS
    found = [
        LatticeProfile(losses, way, tolerance, points, c.effort, tail_mu, gather=gathered_laws) for way in c.directions
    ]
    return found[0], found[-1]
