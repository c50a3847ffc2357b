"""Sampled discrete Gaussians by how many of their outcomes are rare (``rare_outcomes``): which engine reads what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from neyman.engines.atoms.atoms import Atoms
from neyman.engines.atoms.enumeration import enumerated
from neyman.engines.atoms.gathered import gathered
from neyman.engines.atoms.profile import AtomsProfile
from neyman.engines.combine.before import before
from neyman.engines.combine.listed import deviation, lists, outcome_by_outcome
from neyman.engines.combine.mixture import MixtureProfile
from neyman.engines.combine.staged import StagedProfile
from neyman.engines.combine.tabled import SweptLattice, TabledProfile
from neyman.engines.counts.chernoff import Chernoff
from neyman.engines.counts.listed import listed
from neyman.engines.counts.parting import Parting, parting
from neyman.engines.counts.rare_outcomes import JumpsProfile
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteGaussianStep
from neyman.losses.enclosed.step import ListedStep
from neyman.losses.readings.outcomes import Outcomes
from neyman.profiles.effort import Effort
from neyman.profiles.pair import DIRECTIONS, Pair
from neyman.profiles.profile import Profile

__all__ = ["by_jumps"]

# deviations of the whole beyond which a loss is worth its own place, and where few steps are one list
_FAR, _NEARER, _FEW = 50.0, 12.0, 24
_SEEN, _ALL = -57.0, -104.0  # log of the mass from which an outcome is listed, first and for deltas below the limit
_DEEP = 1e-18  # that limit: e^_SEEN is a millionth of it
_BELOW = 10.0  # e-folds below the mass of one that is not listed, of those that a list of several leaves out
_CUT = -14.0, -24.0, -36.0  # the same of shorter lists, for deltas that show no more
_CUTS = 60  # numbers of outcomes that are taken for a revelation, to see how little is left far out
# tolerances of a lattice for steps without a rare outcome, with one, and with more; of many steps, which take long
_SHARES, _MANY, _OF_MANY = (0.2, 0.5, 2.0), 1000, (0.2, 2.0, 5.0)
_SHARP = 0.1  # the same where that was too wide
_UNSEEN = 1e-14  # delta of what is beside rare outcomes, that solvers do not see
# deviations between which it is tabled, and how far apart its places are times the last of them
_EDGES, _FINE = (0.0, 4.0, 7.5, 12.0, 19.0, 30.0), 1.5e-3
_ANY = 2.0  # no delta is above that

Losses = tuple[tuple[Step, int], ...]


def by_jumps(
    step: Step, times: int, table: Outcomes, tolerance: float, tail_mu: float, effort: Effort,
    compose: Callable[[Losses], Pair], behind: Callable[[], Pair],
) -> Pair | None:  # fmt: skip
    """Sampled discrete Gaussians some of whose losses are far beyond the others, with another engine ``behind``; None
    where there are none.
    """
    if not isinstance(step, DiscreteGaussianStep) or step.rate == 1.0 or times < 2:
        return None
    seen = np.maximum(table.log_q, table.log_p) > _SEEN
    far = float(np.max(np.abs(table.loss[seen]), initial=0.0)) / deviation(((step, times),))
    if far < (_FAR if times > _FEW else _NEARER):
        return None
    level = partial(_level, table, times, tolerance, tail_mu, effort, compose)
    usual = level(_SEEN)
    if usual is None or (far < _FAR and not usual.few):
        return None
    first, sharp = usual.profiles(False), cache(partial(usual.profiles, True))
    deep = cache(partial(_profiles, partial(level, _ALL)))
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
    return Pair(remove, add)


def _one_of(both: Callable[[], Pair | None], i: int) -> Profile | None:
    found = both()
    return None if found is None else found[i]


def _level(
    table: Outcomes, times: int, tolerance: float, tail_mu: float, effort: Effort, compose: Callable[[Losses], Pair],
    log_least: float,
) -> Level | None:  # fmt: skip
    """All outcomes of more than that mass, parted; None where that separates nothing."""
    found = parting(table, times, log_least)
    once = None if found is None else enumerated([(found.rare, 1)])
    if found is None or once is None:
        return None
    alone = Pair(AtomsProfile(once, True, tail_mu), AtomsProfile(once, False, tail_mu))
    return Level(found, alone, log_least, times, tolerance, tail_mu, effort, compose)


def _profiles(level: Callable[[], Level | None]) -> Pair | None:
    found = level()
    return None if found is None else found.profiles(True)


@dataclass(frozen=True, eq=False)
class Level:
    """A parting and what it is read by, each made when it is asked for."""

    parting: Parting
    alone: Pair
    log_least: float
    times: int
    tolerance: float
    tail_mu: float
    effort: Effort
    compose: Callable[[Losses], Pair]

    @property
    def few(self) -> bool:
        """Whether one list holds all of it."""
        return self._whole_list is not None

    def profiles(self, sharp: bool) -> Pair:
        """Both directions; lattices ``sharp`` beside rare outcomes, too, or not."""
        found, rest = self.parting, self.parting.rest
        if self._whole_list is not None:
            lists_ = [AtomsProfile(self._whole_list, way, self.tail_mu) for way in (True, False)]
            return Pair.both(lists_)
        inner = partial(self._given, sharp)
        remove, add = (
            JumpsProfile(found.counts, i, inner, self.alone, (rest[i], rest[1 - i]), self.tolerance, self.tail_mu)
            for i in (0, 1)
        )
        return Pair(remove, add)

    @cached_property
    def _whole_list(self) -> Atoms | None:
        """All that can happen, where it is not much."""
        return listed(self.parting, lambda j: self._lists(j)[-1], self._few, self.log_least - _BELOW)

    def _few(self, j: int) -> Atoms | None:
        """The common outcomes of all steps but j."""
        parts = lists([(self.parting.common, self.times - j)])
        return parts[0] if len(parts) == 1 else None

    def _given(self, sharp: bool, j: int, least: float) -> Pair | None:
        """The profiles given j rare outcomes, where nobody cares for a mass of ``least``; None where these are too
        many.
        """
        shares = _SHARES if self.times < _MANY else _OF_MANY
        share = _SHARP if sharp else shares[min(j, 2)]
        cut = 0 if j == 0 else self._cut(j, least)
        key = j, share, cut
        if key not in self._made:
            self._made[key] = self._whole(share) if j == 0 else self._beside(j, share, cut)
        return self._made[key]

    @cached_property
    def _made(self) -> dict[tuple[int, float, int], Pair | None]:
        return {}

    def _whole(self, share: float) -> Pair:
        """No rare outcome at all."""
        behind = cache(partial(self.compose, ((self._common, self.times),)))
        return before(self._told(0, share)[0], behind, self.tolerance)

    def _beside(self, j: int, share: float, cut: int) -> Pair | None:
        listed = self._lists(j)[cut]
        if listed is None or j == self.times:
            whole = None if listed is None else [AtomsProfile(listed, way, self.tail_mu) for way in (True, False)]
            return None if whole is None else Pair.both(whole)
        both, spread = self._told(j, share)
        ways = (True, both), (False, (both[1], both[0]))
        remove, add = (MixtureProfile(listed, way, *pair, self.tail_mu, spread) for way, pair in ways)
        return Pair(remove, add)

    def _cut(self, j: int, least: float) -> int:
        """Which of the lists is the shortest that leaves out no more than that."""
        lists_ = self._lists(j)
        fits = (i for i, one in enumerate(lists_) if one is not None and one.dropped <= least)
        return next(fits, len(lists_) - 1)

    def _lists(self, j: int) -> tuple[Atoms | None, ...]:
        """The rare outcomes of j steps: those that weigh much, and more and more of the others."""
        if j not in self._listed:
            found = enumerated([(self.parting.rare, j)])
            least = self.log_least - _BELOW - min(max(self.parting.counts[j].log_mass), 0.0)
            cuts = [*(cut for cut in _CUT if cut > least), least]
            self._listed[j] = tuple(None if found is None else found.trimmed(cut) for cut in cuts)
        return self._listed[j]

    @cached_property
    def _listed(self) -> dict[int, tuple[Atoms | None, ...]]:
        return {}

    @cached_property
    def _common(self) -> ListedStep:
        return ListedStep(self.parting.common, False)

    def _told(self, j: int, share: float) -> tuple[Pair, float]:
        if (j, share) not in self._tables:
            self._tables[j, share] = self._tabled(j, share)
        return self._tables[j, share]

    @cached_property
    def _tables(self) -> dict[tuple[int, float], tuple[Pair, float]]:
        return {}

    def _tabled(self, j: int, share: float) -> tuple[Pair, float]:
        """The common outcomes of all steps but j, listed, and their deviation; or tabled from a lattice, and 0."""
        common, times = self._common, self.times - j
        spread = deviation(((common, times),))
        parts = lists([(common.table(), times)])
        if len(parts) == 1:
            return outcome_by_outcome(parts, DIRECTIONS, self.tail_mu), spread
        edges, unseen = [one * spread for one in _EDGES], 0.0 if j == 0 else _UNSEEN
        losses = gathered(common, times)
        remove, add = (
            TabledProfile(
                SweptLattice(losses, way, share * self.tolerance, self.effort, self.tail_mu), edges, _FINE * spread**2,
                Chernoff(common.table(), times, way == "remove"), unseen,
            )
            for way in DIRECTIONS
        )  # fmt: skip
        return Pair(remove, add), 0.0
