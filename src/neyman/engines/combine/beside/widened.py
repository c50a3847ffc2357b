"""A list of outcomes beside steps B that tell so little that few of the outcomes are near any eps, for them.

With p and q the masses of an outcome of loss l, delta_A the delta of the list, and B' the reversal of B,

    delta(eps) = delta_A(eps) + sum over l <= eps of p delta_B(eps - l) + e^eps sum over l > eps of q delta_B'(l - eps),

for p delta_B(eps - l) = p - e^eps q + e^eps q delta_B'(l - eps) where l > eps. The terms are positive; those further
than r from eps come to P(l <= eps - r) delta_B(r) + e^eps Q(l >= eps + r) delta_B'(r) at most, and neither factor
before a delta is above 1. Where l is off by ``room`` its term is off by p (or e^eps q) times 2 ``room`` at most, also
if that takes it across eps: delta_B falls by no more than eps rises, and e^-y delta_B'(y) is delta_B(-y) - (1 - e^-y).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.atoms.atoms import Atoms
from neyman.engines.atoms.profile import AtomsProfile
from neyman.numerics.rounding import AMPLE, ROOM, SMALLEST, UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import slope_at

__all__ = ["WidenedProfile"]

_REACHES = np.array([10.0, 14.0, 20.0, 30.0, 60.0, 120.0, 240.0])  # r tried, in deviations of B
_COUNT = 64.0  # outcomes within r, in the mean over the list, up to which it is tried
_BESIDE = 1e-8  # what lies further may be left at, beside delta


class WidenedProfile(Profile):
    """``atoms`` in one direction beside the profiles ``little()`` of B (this direction, the other), whose losses have
    about that ``deviation``.

    Examples
    --------
    >>> from neyman.engines.atoms.enumeration import enumerated
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> from neyman.losses.discrete.steps import RandomizedResponseStep
    >>> atoms = enumerated([(RandomizedResponseStep(1.0, 2).table(), 1)])
    >>> little = GaussianProfile(1e-3)
    >>> b = WidenedProfile(atoms, True, lambda: (little, little), 1e-3, 2.0).bracket(np.array([0.0, 1.0]))
    >>> [f"{x:.7f}" for x in b.upper]
    ['0.4621172', '0.0002917']
    """

    def __init__(
        self,
        atoms: Atoms,
        remove: bool,
        little: Callable[[], Pair],
        deviation: float,
        tail_mu: float,
    ) -> None:
        known = np.isfinite(atoms.log_w)
        loss, log_w = atoms.loss[known], atoms.log_w[known]
        self._loss, self._log_w = (loss, log_w) if remove else (-loss[::-1], log_w[::-1])
        self._list = AtomsProfile(atoms, remove, tail_mu)
        self._slack, self._stretch, self._relative = atoms.slack, atoms.stretch + 4.0 * UNIT, atoms.relative
        self._make, self._tail_mu = little, tail_mu
        self._known: list[float] = []  # what lies further than each r adds at most
        width = float(self._loss[-1] - self._loss[0])
        tried = _REACHES * deviation
        self._reaches = tried[2.0 * tried * len(loss) <= _COUNT * width]

    @property
    def method(self) -> str:
        return f"exact sum over {self._little[0].method}"

    @property
    def end(self) -> float:
        return (self._list.end + self._little[0].end) * (1.0 + 4.0 * UNIT)

    @property
    def knots(self) -> FloatArray:
        return self._list.knots

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        if not len(self._reaches):
            return self._list.slope(epsilon)
        reach = float(self._reaches[0])
        owner, at, away = self._within(epsilon, reach)
        near = slope_at(*self._little, away) * np.exp(self._log_w[at] + 0.5 * self._loss[at])
        beyond = self._list.slope(epsilon + reach) * math.exp(-reach)
        return np.minimum(beyond + np.bincount(owner, near, len(epsilon)), 1.0)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._bounds(epsilon, rough=False)

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._bounds(epsilon, rough=True)

    def _bounds(self, epsilon: FloatArray, rough: bool) -> Bracket:
        own = self._list.bracket(epsilon)
        least, most = np.zeros(len(epsilon)), np.ones(len(epsilon))  # of what B adds
        open_ = np.arange(len(epsilon))
        for i, reach in enumerate(self._reaches.tolist()):
            left = self._left(i)
            below, above = self._near(epsilon[open_], reach, rough)
            least[open_] = np.maximum(least[open_], below)
            most[open_] = np.minimum(most[open_], above + left)
            open_ = open_[~(left <= _BESIDE * np.minimum(own.upper, np.exp(own.log_gap_upper))[open_])]
            if not len(open_):
                break
        upper = np.minimum((own.upper + most) * (1.0 + 4.0 * UNIT), 1.0)
        lower = (own.lower + least) * (1.0 - 4.0 * UNIT)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            low = own.log_gap_lower + np.log1p(-np.minimum(most * np.exp(-own.log_gap_lower) * (1.0 + ROOM), 1.0))
            high = own.log_gap_upper + np.log1p(-np.minimum(least * np.exp(-own.log_gap_upper) * (1.0 - ROOM), 1.0))
        low = np.where(np.isnan(low), -np.inf, low * (1.0 + 8.0 * UNIT) - 4.0 * UNIT)
        # where all of 1 - delta seems to be gone, rounding is what is left
        high = np.where(
            high > -np.inf, high * (1.0 - 8.0 * UNIT) + 4.0 * UNIT * (1.0 + np.abs(high)), own.log_gap_upper
        )
        ended = epsilon >= self.end
        upper, lower = np.where(ended, 0.0, upper), np.where(ended, 0.0, np.minimum(lower, upper))
        low, high = np.where(ended, 0.0, low), np.where(ended, 0.0, np.minimum(high, 0.0))
        return Bracket(lower, upper, np.minimum(low, high), high)

    @cached_property
    def _little(self) -> Pair:
        return self._make()

    def _left(self, i: int) -> float:
        """What lies further from an eps than that r adds at most."""
        while len(self._known) <= i:
            reach = self._reaches[len(self._known)]
            both = [float(one.bracket(np.array([reach])).upper[0]) for one in self._little]
            self._known.append(2.0 * max(both) * (1.0 + 4.0 * UNIT))
        return self._known[i]

    def _near(self, epsilon: FloatArray, reach: float, rough: bool) -> tuple[FloatArray, FloatArray]:
        """Bounds on what the outcomes add that are within ``reach``."""
        owner, at, away = self._within(epsilon, reach)
        if not len(at):
            return np.zeros(len(epsilon)), np.zeros(len(epsilon))
        loss = self._loss[at]
        lower, upper = np.empty(len(at)), np.empty(len(at))
        for profile, part in zip(self._little, (away >= 0.0, away < 0.0), strict=True):
            if part.any():
                found = (profile.rough if rough else profile.bracket)(np.abs(away[part]))
                lower[part], upper[part] = found.lower, found.upper
        room = 2.0 * (self._slack + self._stretch * np.abs(loss) + 4.0 * UNIT * epsilon[owner])
        with np.errstate(under="ignore"):
            mass = np.exp(self._log_w[at] + 0.5 * loss + np.minimum(away, 0.0))  # p, or e^eps q
        off = (
            self._relative
            + 8.0 * UNIT * (8.0 + float(np.abs(loss).max()) + math.log2(len(at) + 1.0))
            + float(room.max())
        )
        count = np.bincount(owner, minlength=len(epsilon))
        off += 4.0 * UNIT * (float(np.abs(self._log_w[at]).max()) + float(count.max()))
        below = np.bincount(owner, mass * np.maximum(lower - room, 0.0), len(epsilon))
        above = np.bincount(owner, mass * (upper + room), len(epsilon))
        return below * (1.0 - off), above * (1.0 + off) + SMALLEST * (1.0 + count)

    def _within(self, epsilon: FloatArray, reach: float) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """Each pair of an eps and an outcome within ``reach``: which eps, which outcome, and how far above it."""
        reach *= 1.0 + AMPLE  # rounding leaves none out
        first = np.searchsorted(self._loss, epsilon - reach - ROOM * epsilon, side="left")
        count = np.searchsorted(self._loss, epsilon + reach + ROOM * epsilon, side="right") - first
        owner = np.repeat(np.arange(len(epsilon)), count)
        at = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count) + first[owner]
        return owner, at, epsilon[owner] - self._loss[at]
