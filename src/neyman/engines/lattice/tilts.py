"""The tilts of one law that are kept, asked together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.lattice.sides import Sides
from neyman.engines.lattice.tilt import Tilt
from neyman.profiles.certificate import Certificate
from neyman.profiles.effort import readable

__all__ = ["Tilts"]

_READ = 7e4  # nominal nanoseconds that it takes to ask a tilt
_LAID = 24  # tilts that are asked at each eps, however many there are
_TOGETHER = 1 << 13  # eps at once at which all are read together
_MANY = 32  # eps at once, from which no tilt is asked where another is sharp


class Tilts:
    """Some of them, in the order in which they were made."""

    def __init__(self, kept: list[Tilt]) -> None:
        self._kept = kept
        self._last: tuple[FloatArray, tuple[FloatArray, FloatArray]] | None = None  # solvers ask twice

    def __iter__(self) -> Iterator[Tilt]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def and_also(self, tilt: Tilt, most: int) -> Tilts:
        """With one more; without the oldest when all together have more points than ``most``."""
        kept = [*self._kept, tilt]
        while len(kept) > 1 and sum(one.points for one in kept) > most:
            kept.pop(0)
        return Tilts(kept)

    def final(self, epsilon: FloatArray) -> BoolArray:
        """Where one of them is as good as any."""
        done = np.zeros(len(epsilon), dtype=np.bool_)
        for tilt in self._kept:
            done |= (tilt.final[0] <= epsilon) & (epsilon <= tilt.final[1])
        return done

    def tighten(
        self, epsilon: FloatArray, lower: FloatArray, upper: FloatArray, tolerance: float, floor: float
    ) -> None:
        """Intersect the bounds with those of all; of many eps each only until it is sharp, where delta is above the
        ``floor``.
        """
        if len(epsilon) < _MANY:
            near = self if len(self) <= _LAID else self._nearest(epsilon)
            asked = [tilt for tilt in near if readable(_READ)]
            if not asked:
                return
            below, above = (near if len(asked) == len(near) else Tilts(asked)).deltas(epsilon)
            np.maximum(lower, below.max(axis=0), out=lower)
            np.minimum(upper, above.min(axis=0), out=upper)
            return
        open_ = np.arange(len(epsilon))
        for tilt in reversed(self._kept):
            below, above = lower[open_], upper[open_]
            if not readable(_READ):
                break
            tilt.tighten(epsilon[open_], below, above)
            lower[open_], upper[open_] = below, above
            open_ = open_[above - below > np.where(above >= floor, tolerance, 0.0) * above]
            if not len(open_):
                break

    def deltas(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(lower, upper) bounds on delta, a row for each tilt."""
        if self._last is None or not np.array_equal(self._last[0], epsilon):
            places = np.array([tilt.asked(epsilon, sign) for sign in (-1.0, 1.0) for tilt in self._kept])
            sums, count = self._sides.sums(places), len(self)
            bounds = [tilt.settled(epsilon, sums[i], sums[count + i]) for i, tilt in enumerate(self._kept)]
            below, above = np.array(bounds).transpose(1, 0, 2)
            self._last = epsilon.copy(), (below, above)
        return self._last[1]

    def slope(self, epsilon: FloatArray) -> FloatArray:
        """e^eps Q(L > eps) of the tilt that knows delta best at each eps, roughly; 0 where there are none."""
        if len(epsilon) > _TOGETHER:  # of all tilts at once tables of every eps would not fit
            return np.concatenate([self.slope(part) for part in np.array_split(epsilon, -(-len(epsilon) // _TOGETHER))])
        out = np.zeros(len(epsilon))
        if not self._kept:
            return out
        below, above = self.deltas(epsilon)
        best = np.argmin(above - below, axis=0)
        for i in np.unique(best):
            here = best == i
            out[here] = self._kept[i].slope(epsilon[here])
        return out

    def certificate(self, own: Certificate) -> Certificate:
        """``own`` bounds with the terms of the tilt that gave both; of the upper one, where two did."""
        at = np.array([own.epsilon])
        for tilt in sorted(self._kept, key=lambda tilt: float(np.abs(tilt.delta(at)[0][0] - own.lower))):
            if tilt.delta(at)[1][0] == own.upper:
                return tilt.certificate(own)
        return own

    def _nearest(self, epsilon: FloatArray) -> Tilts:
        """Those made for eps nearest to each of these: others, laid for questions far apart, say next to nothing."""
        low, high = np.array([tilt.final for tilt in self._kept]).T
        distance = np.maximum(low - epsilon[:, None], epsilon[:, None] - high)
        chosen = np.unique(np.argsort(distance, axis=1, kind="stable")[:, :_LAID])
        return Tilts([self._kept[i] for i in chosen])

    @cached_property
    def _sides(self) -> Sides:
        sides = [tilt.sides[below] for below in (0, 1) for tilt in self._kept]
        return Sides(sides, [-1.0] * len(self._kept) + [1.0] * len(self._kept))
