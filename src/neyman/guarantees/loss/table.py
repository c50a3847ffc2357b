"""Places of a law between which little happens, and draws from the law that runs straight between them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.region.profile import RegionProfile
from neyman.guarantees.loss.jumps import places
from neyman.guarantees.loss.quantiles import quantiles
from neyman.guarantees.loss.tails import tails
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import Effort, allowance
from neyman.profiles.pair import HeldTogether, Pair

__all__ = ["DrawError", "Table"]

_ENDS, _DEAR_ENDS = 1e-9, 1e-3  # of the mass, that may lie beyond either end
_NARROW = 1e-6  # of the spread: what happens in so little is a jump
# of the first look; places in all, of profiles that are dear, and of those that are dearest
_CELLS, _MOST, _FEW, _FEWEST = 256, 1 << 12, 1 << 10, 1 << 8
_UNSURE = 1e-6  # of the cdf: places in a jump, where it is known less well, are left out
_SHARE = 5e-4  # of the mass: cells with more are parted
_SPENT = 0.1  # of the effort of a question, that all places together take: then there are fewer, and more is left open
_ROUNDS = 30  # of parting at most: steers
_SECTIONS = 4  # in which a cell is parted


class DrawError(NamedTuple):
    """How far the law that is drawn from, G, may be from the law of the loss, F, certified.

    F(x - shift) - probability <= G(x) <= F(x + shift) + probability at every x. With shift = probability that is Levy's
    distance; with shift = 0 it would be Kolmogorov's, which no bracket can bound at a jump.
    """

    shift: float
    probability: float


class Table:
    """The law of L under P at rising places: cells with much of the mass are parted until they are narrow."""

    def __init__(self, pair: Pair, effort: Effort) -> None:
        self._pair, self._effort = pair, effort  # of each round: what one took is not missed in the next
        self._used = 0.0  # by all rounds, nominal seconds
        unit = spread(pair.forward)
        self.narrow = _NARROW * unit
        start = pair.forward.bracket(np.zeros(1))
        if float(start.upper[0]) == 0.0 or pair.forward.revealed == 1.0:  # L is 0, or infinite
            self.place, self._ends = np.zeros(1), 0.0
            self.cdf = self.lower = self.upper = np.full(1, 1.0 - pair.forward.revealed)
            return
        self.place, self.cdf, self.lower, self.upper = (np.zeros(0) for _ in range(4))
        most = _FEW if any(isinstance(one, RegionProfile) for one in pair) else _MOST
        dear = any(isinstance(one, HeldTogether) for one in pair)  # each question, and those far out more than others
        most, self._ends = (_FEWEST, _DEAR_ENDS) if dear else (most, _ENDS)
        low, high = self._reach(unit)
        knots = places(pair)
        knots = knots[(knots > low) & (knots < high)]
        beside = (knots[:, None] + 0.49 * self.narrow * np.array([-1.0, 1.0])).ravel()
        edges = [low - 0.4 * self.narrow, low + 0.4 * self.narrow, high - 0.4 * self.narrow, high + 0.4 * self.narrow]
        self._read(np.unique(np.concatenate([np.linspace(low, high, min(_CELLS, most // 2) + 1), beside, edges])))
        for _ in range(_ROUNDS):
            mass, width = np.diff(self.cdf), np.diff(self.place)
            loose = np.flatnonzero((mass > _SHARE) & (width > self.narrow))
            room = min(most - len(self.place), self._affordable) // (_SECTIONS - 1)
            # the largest first, and half of what is left: jumps go on being parted when all else is fine
            loose = loose[np.argsort(mass[loose])[::-1][: (room + 1) // 2]]
            if not loose.size:
                break
            part = np.arange(1, _SECTIONS) / _SECTIONS
            inner = (self.place[loose, None] + width[loose, None] * part).ravel()
            inner = np.setdiff1d(inner, self.place)
            if not inner.size:
                break
            self._read(inner)
        self._thin()

    @property
    def _affordable(self) -> int:
        """How many more places may be read, at what those so far took each."""
        rest = _SPENT * self._effort.seconds - self._used
        if not self._used * _MOST > rest * len(self.place):
            return _MOST
        return max(int(rest / self._used * len(self.place)), 0)

    def _thin(self) -> None:
        """Leave out places in jumps: between those beside them, no farther apart than ``narrow``, all is one jump."""
        unsure = np.maximum(self.upper - self.cdf, self.cdf - self.lower) > _UNSURE
        self.narrow *= 2.0
        kept, last = np.ones(len(self.place), dtype=np.bool_), 0
        for i in range(1, len(self.place) - 1):
            kept[i] = not (unsure[i] and self.place[i + 1] - self.place[last] <= self.narrow)
            last = i if kept[i] else last
        self.place, self.cdf, self.lower, self.upper = (
            one[kept] for one in (self.place, self.cdf, self.lower, self.upper)
        )

    def _reach(self, unit: float) -> tuple[float, float]:
        """Where nearly all of the finite losses lie."""
        finite = 1.0 - self._pair.forward.revealed
        with self._effort:
            low, high = quantiles(self._pair, np.array([self._ends, max(finite - self._ends, 0.5 * finite)]))
        first, last = float(low[0]), float(high[1])
        if not np.isfinite(last):  # the mass that may be infinite is not known well: where delta no longer falls
            last = float(low[1]) if np.isfinite(low[1]) else 0.0
        if not np.isfinite(first):
            first = 0.0
        return min(first, last), max(first, last, min(first, last) + unit * 1e-6)

    def _read(self, more: FloatArray) -> None:
        """Add these places."""
        with self._effort:
            before = allowance().left
            found = tails(self._pair, more)
            self._used += (before - allowance().left) * 1e-9 if math.isfinite(before) else 0.0
        order = np.argsort(np.concatenate([self.place, more]), kind="stable")
        self.place = np.concatenate([self.place, more])[order]
        lower, upper = np.concatenate([self.lower, found.below_lower]), np.concatenate([self.upper, found.below_upper])
        self.lower = np.maximum.accumulate(lower[order])
        self.upper = np.minimum.accumulate(upper[order][::-1])[::-1]
        self.cdf = np.clip(np.maximum.accumulate(0.5 * (self.lower + self.upper)), 0.0, 1.0)

    @property
    def finite(self) -> float:
        """The mass that is drawn as finite losses."""
        most, seen = 1.0 - self._pair.forward.revealed, float(self.cdf[-1])
        return most if most - seen <= 2.0 * self._ends else seen

    @property
    def error(self) -> DrawError:
        """How far the law that is drawn from may be from the truth.

        Within a cell both laws are somewhere between their values at its ends; from within a narrow one its ends are no
        farther than its width. Before the first place nothing is drawn, beyond the last nothing but infinite losses.
        """
        if len(self.place) == 1:
            return DrawError(0.0, 0.0)
        at_places = np.maximum(self.upper - self.cdf, self.cdf - self.lower)
        narrow = np.diff(self.place) <= self.narrow
        across = np.maximum(self.upper[1:] - self.cdf[:-1], self.cdf[1:] - self.lower[:-1])
        beyond = max(self.finite - float(self.lower[-1]), 1.0 - self._pair.forward.revealed - self.finite)
        worst = max(float(np.max(at_places)), float(np.max(across[~narrow], initial=0.0)), float(self.upper[0]), beyond)
        shift = float(np.max(np.diff(self.place)[narrow], initial=0.0))
        return DrawError(shift * (1.0 + 4.0 * UNIT), min(worst + 4.0 * UNIT, 1.0))

    def drawn(self, uniform: FloatArray) -> FloatArray:
        """Losses by inversion; inf for the mass that is infinite."""
        return np.where(uniform >= self.finite, np.inf, np.interp(uniform, self.cdf, self.place))
