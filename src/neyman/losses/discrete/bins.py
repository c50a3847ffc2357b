"""Discrete losses on a lattice: exactly where it holds them, else divided between the points on either side."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.readings.bins import BinSplit, GridLaw, Reach, Tilted
from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.rounding import ROOM, UNIT
from neyman.numerics.sums.inner import inner

__all__ = ["DiscreteGrid"]

_DEPTH = 44.0  # -log of the tilted mass that a step may leave outside its reach
_SAME = 1e-14  # relative distance at which an outcome is moved onto a point, and the distance remembered
_DEVIATIONS, _CLEAR = 38.0, 0.9  # of a law, as far as it is listed; share of the tilt with its mean there that is seen


@dataclass(frozen=True, eq=False)
class DiscreteGrid(GridLaw):
    """The outcomes of a law that is never infinite."""

    table: Outcomes

    @property
    def base(self) -> float:
        """The least loss."""
        return float(self.table.loss[0])

    @property
    def unit(self) -> float | None:
        return self.table.unit

    @property
    def exact_end(self) -> Fraction | None:
        return self.table.end

    def end(self, remove: bool) -> float:
        """Past the last outcome; inf where some were left out."""
        return math.inf if self.table.dropped > 0.0 else self.listed(remove)[0]

    def listed(self, remove: bool) -> tuple[float, float]:
        """Past the last outcome that is listed, and what was left out."""
        last = float(self.table.loss[-1] if remove else -self.table.loss[0])
        return last + self.table.slack + self.table.stretch * abs(last), self.table.dropped

    @cached_property
    def _width(self) -> float:
        return float(self.table.loss[-1] - self.table.loss[0])

    @cached_property
    def _below(self) -> tuple[FloatArray, FloatArray]:
        """log of the masses of Q and of P up to each outcome."""
        return np.logaddexp.accumulate(self.table.log_q), np.logaddexp.accumulate(self.table.log_p)

    @cached_property
    def _above(self) -> tuple[FloatArray, FloatArray]:
        """The same from each outcome on."""
        q, p = self.table.log_q, self.table.log_p
        return np.logaddexp.accumulate(q[::-1])[::-1], np.logaddexp.accumulate(p[::-1])[::-1]

    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        """Plain sums."""
        loss = self.table.loss
        log_weight = self.table.log_q + z * loss
        peak = float(np.max(log_weight))
        weight = np.exp(log_weight - peak)
        total = float(np.sum(weight))
        value = peak + math.log(total)
        mean = inner(weight, loss) / total
        spread = inner(weight, (loss - mean) ** 2) / total
        if self.unit is not None:
            return Tilted(value, mean, spread, (0.0, self._width), 0.0)
        least = value - _DEPTH - math.log(times)
        carried = log_weight >= min(least, peak)  # of steep tilts the peak alone, where floats end
        # what lies below the range is moved up to its end: even there it must not count
        moved = self._below[1] if remove else self._above[0]
        inside = carried | (c * (loss if remove else -loss) + moved > least)
        (first, last), (low, high) = _ends(carried), _ends(inside)
        first, last = (low, last) if remove else (first, high)
        return Tilted(value, mean, spread, (float(loss[first]) - self.base, float(loss[last]) - self.base))

    def extended(self, reach: Reach, depth: float, remove: bool) -> Reach:
        if self.unit is not None:
            return reach
        height = self.table.loss - self.base
        if remove:
            return reach[0], max(reach[1], float(height[_ends(self._above[1] > -depth)[1]]))
        return min(reach[0], float(height[_ends(self._below[0] > -depth)[0]])), reach[1]

    def within(self, reach: Reach) -> DiscreteGrid:
        height = self.table.loss - self.base
        seen = (height >= reach[0]) & (height <= reach[1])
        if self.unit is not None or bool(seen.all()) or not seen.any():
            return self
        return DiscreteGrid(replace(self.table, loss=self.table.loss[seen], log_q=self.table.log_q[seen]))

    def common(self, log_least: float) -> DiscreteGrid:
        t = self.table
        log_most = t.log_q + np.maximum(t.loss, 0.0)
        kept = log_most >= log_least
        if bool(kept.all()) or not kept.any():
            return self
        # log p is off by as much as the loss is
        room = 1.0 + 2.0 * (t.relative + t.slack + t.stretch * float(np.abs(t.loss).max())) + ROOM * len(kept)
        dropped = (t.dropped + float(np.sum(np.exp(log_most[~kept])))) * room
        place = None if t.place is None else t.place[kept]
        return DiscreteGrid(replace(t, loss=t.loss[kept], log_q=t.log_q[kept], dropped=dropped, place=place, end=None))

    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        first = math.floor(reach[0] / h * (1.0 - _SAME))
        return first, max(math.ceil(min(reach[1], self._width) / h * (1.0 + _SAME)), first) + 1

    def span(self, reach: Reach) -> float:
        return reach[1] - reach[0]

    def strain(self, z: float) -> float:
        """A list that was cut off shows no tilt that leaves it."""
        if self.table.dropped == 0.0:
            return 0.0
        last = float(self.table.loss[-1] if z > 0.0 else -self.table.loss[0])
        return max(abs(z - 0.5) - 0.5, 0.0) * last / _DEVIATIONS / _CLEAR

    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        t, count = self.table, last - first
        height = t.loss - self.base
        node = np.rint(height / h).astype(np.int64)
        near = np.abs(height - node * h) <= _SAME * (1.0 + height)
        off = float(np.max(np.abs(height - node * h), where=near, initial=0.0))
        place = np.where(near, node, np.floor(height / h)).astype(np.int64)
        seen = (place >= first) & (place < last + near)
        low = int(np.count_nonzero(place < first))
        high = low + int(np.count_nonzero(seen))
        node, inner = seen & near, seen & ~near
        far = float(np.abs(t.loss[[0, -1]]).max())
        relative = t.relative + 16.0 * UNIT * (1.0 + far)
        lower, upper, log_scale = _divided(
            height[inner] - place[inner] * h, place[inner] - first, t.log_q[inner], h, count
        )
        return BinSplit(
            self.base, first, h, lower, upper, log_scale, np.full(count, math.inf), relative,
            t.slack + off + (t.stretch + 8.0 * UNIT) * far, self._lost(self._below, low - 1),
            self._lost(self._above, high), (place[node] - first, t.log_q[node]), lone=True,
            uneven=t.uneven,
        )  # fmt: skip

    def _lost(self, sums: tuple[FloatArray, FloatArray], at: int) -> tuple[float, float]:
        """Logs of the masses (without, with the record) beyond an outcome, those left out of the list among them."""
        dropped = -math.inf if self.table.dropped == 0.0 else math.log(self.table.dropped)
        if not 0 <= at < len(self.table.loss):
            return dropped, dropped
        # what adding up so many logarithms may round away, and what the masses themselves may be off
        largest = 1.0 + max(float(np.abs(sum_[at])) for sum_ in sums)
        raised = self.table.relative + 4.0 * UNIT * (16.0 + len(self.table.loss)) * largest
        return float(np.logaddexp(sums[0][at], dropped)) + raised, float(np.logaddexp(sums[1][at], dropped)) + raised


def _ends(chosen: NDArray[np.bool_]) -> tuple[int, int]:
    """First and last of those chosen."""
    found = np.flatnonzero(chosen)
    return int(found[0]), int(found[-1])


def _divided(
    height: FloatArray, index: NDArray[np.int64], log_q: FloatArray, h: float, count: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Outcomes between edges, at some ``height`` in their bin: per bin what goes to its two ends, and the log of their
    scale.

    Both masses of an outcome are kept: b = q expm1(x) / expm1(h) at the upper end, x its height.
    """
    share = np.clip(np.expm1(np.clip(height, 0.0, h)) / math.expm1(h), 0.0, 1.0)
    scale = np.full(count, -math.inf)
    np.maximum.at(scale, index, log_q)
    scale[scale == -math.inf] = 0.0
    mass = np.exp(log_q - scale[index])
    lower, upper = np.zeros(count), np.zeros(count)
    np.add.at(lower, index, mass * (1.0 - share))
    np.add.at(upper, index, mass * share)
    return lower, upper, scale
