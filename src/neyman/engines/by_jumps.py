"""Sampled discrete Gaussians by how many of their outcomes are rare (``jumps``): which engine reads what."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from neyman.engines.atoms import enumerated
from neyman.engines.atoms_profile import AtomsProfile
from neyman.engines.bounded import before
from neyman.engines.chernoff import Chernoff
from neyman.engines.effort import Effort
from neyman.engines.gathered import gathered
from neyman.engines.jumps import JumpsProfile
from neyman.engines.jumps_parted import parting
from neyman.engines.lists import deviation, lists, outcome_by_outcome
from neyman.engines.profile import Profile
from neyman.engines.shifted import ShiftedProfile
from neyman.engines.staged import StagedProfile
from neyman.engines.tabled import SweptLattice, TabledProfile
from neyman.losses.base import Step
from neyman.losses.discrete import DiscreteGaussianStep
from neyman.losses.enclosed import ListedStep
from neyman.losses.outcomes import Outcomes

__all__ = ["by_jumps"]

_FAR = 50.0  # deviations of the whole beyond which a loss is worth its own place
_SEEN, _ALL = -57.0, -104.0  # log of the mass from which an outcome is listed, first and for deltas below the limit
_DEEP = 1e-18  # that limit: e^_SEEN is a millionth of it
_BELOW = 10.0  # e-folds below the mass of one that is not listed, of those that a list of several leaves out
_CUTS = 60  # numbers of outcomes that are taken for a revelation, to see how little is left far out
_SHARES = 0.2, 0.5, 2.0  # tolerances of a lattice for steps without a rare outcome, with one, and with more
_UNSEEN = 1e-14  # delta of what is beside rare outcomes, that solvers do not see
# deviations between which it is tabled, and how far apart its places are times the last of them
_EDGES, _FINE = (0.0, 4.0, 7.5, 12.0, 19.0, 30.0), 1.5e-3
_ANY = 2.0  # no delta is above that

Losses = tuple[tuple[Step, int], ...]
Both = tuple[Profile, Profile]


def by_jumps(
    step: Step, times: int, table: Outcomes, tolerance: float, tail_mu: float, effort: Effort,
    compose: Callable[[Losses], Both], behind: Callable[[], Both],
) -> Both | None:  # fmt: skip
    """Sampled discrete Gaussians some of whose losses are far beyond the others, with another engine ``behind``; None
    where there are none.
    """
    if not isinstance(step, DiscreteGaussianStep) or step.rate == 1.0 or times < 2:
        return None
    seen = np.maximum(table.log_q, table.log_p) > _SEEN
    if float(np.max(np.abs(table.loss[seen]), initial=0.0)) < _FAR * deviation(((step, times),)):
        return None
    stage = partial(_stage, table, times, tolerance, tail_mu, effort, compose)
    first = stage(_SEEN, False)
    if first is None:
        return None
    sharp, deep = (cache(partial(stage, log_least, True)) for log_least in (_SEEN, _ALL))
    cuts = range(0, len(table.loss) - 2, max(1, len(table.loss) // _CUTS))
    remove, add = (
        StagedProfile(
            first[i],
            [
                (_ANY, partial(_one_of, sharp, i)),
                (_DEEP, partial(_one_of, deep, i)),
                (_ANY, partial(_one_of, behind, i)),
            ],
            tolerance,
            Chernoff(table, times, i == 0, cuts),
        )
        for i in (0, 1)
    )
    return remove, add


def _one_of(both: Callable[[], Both | None], i: int) -> Profile | None:
    found = both()
    return None if found is None else found[i]


def _stage(
    table: Outcomes, times: int, tolerance: float, tail_mu: float, effort: Effort, compose: Callable[[Losses], Both],
    log_least: float, sharp: bool,
) -> Both | None:  # fmt: skip
    """Both directions, of outcomes of more than that mass; lattices ``sharp`` beside rare outcomes, too, or not."""
    found = parting(table, times, log_least)
    once = None if found is None else enumerated([(found.rare, 1)])
    if found is None or once is None:
        return None
    common = ListedStep(found.common, False)

    @cache
    def inner(j: int) -> Both | None:
        beside = _beside(common, times, j, sharp, tolerance, tail_mu, effort) if j < times else None
        if j == 0 and beside is not None:
            return before(beside, cache(partial(compose, ((common, times),))), tolerance)
        listed = enumerated([(found.rare, j)])
        if listed is None:
            return None
        atoms = listed.trimmed(log_least - _BELOW - min(max(found.counts[j].log_mass), 0.0))
        if beside is None:
            return AtomsProfile(atoms, True, tail_mu), AtomsProfile(atoms, False, tail_mu)
        remove, add = (ShiftedProfile(atoms, way, *(beside if way else beside[::-1]), tail_mu) for way in (True, False))
        return remove, add

    alone = AtomsProfile(once, True, tail_mu), AtomsProfile(once, False, tail_mu)
    remove, add = (
        JumpsProfile(found.counts, side, inner, alone, (found.rest[side], found.rest[1 - side]), tolerance, tail_mu)
        for side in (0, 1)
    )
    return remove, add


def _beside(common: ListedStep, of: int, j: int, sharp: bool, tolerance: float, tail_mu: float, effort: Effort) -> Both:
    """The common outcomes of all steps but j: listed, or tabled from a lattice."""
    times, share = of - j, _SHARES[0 if sharp else min(j, 2)]
    parts = lists([(common.table(), times)])
    if len(parts) == 1:
        return outcome_by_outcome(parts, ("remove", "add"), tail_mu)
    losses, spread = gathered(common, times), deviation(((common, times),))
    edges, unseen = [one * spread for one in _EDGES], 0.0 if j == 0 else _UNSEEN
    remove, add = (
        TabledProfile(
            SweptLattice(losses, way, share * tolerance, effort, tail_mu), edges, _FINE * spread**2,
            Chernoff(common.table(), times, way == "remove"), unseen,
        )
        for way in ("remove", "add")
    )  # fmt: skip
    return remove, add
