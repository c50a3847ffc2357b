"""Discrete losses on a lattice: exactly where it holds them, else divided between the points on either side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.grid import BinSplit, GridLaw, Reach, Tilted
from neyman.losses.outcomes import Outcomes

__all__ = ["DiscreteGrid"]

_UNIT = 2.0**-53
_SAME = 1e-12  # relative distance at which an outcome is moved onto a point, and the distance remembered


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
        if self.table.dropped > 0.0:
            return math.inf
        last = float(self.table.loss[-1] if remove else -self.table.loss[0])
        return last + self.table.slack + self.table.stretch * abs(last)

    @cached_property
    def _width(self) -> float:
        return float(self.table.loss[-1] - self.table.loss[0])

    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        """Plain sums; the reach is always the whole law."""
        log_weight = self.table.log_q + z * self.table.loss
        peak = float(np.max(log_weight))
        weight = np.exp(log_weight - peak)
        total = float(np.sum(weight))
        mean = float(weight @ self.table.loss) / total
        spread = float(weight @ (self.table.loss - mean) ** 2) / total
        return Tilted(peak + math.log(total), mean, spread, (0.0, self._width))

    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        return 0, math.ceil(self._width / h * (1.0 + 1e-12)) + 1

    def span(self, reach: Reach) -> float:
        return self._width

    def strain(self, z: float) -> float:
        """A list that was cut off shows no tilt that leaves it."""
        if self.table.dropped == 0.0:
            return 0.0
        last = float(self.table.loss[-1] if z > 0.0 else -self.table.loss[0])
        deviations = 38.0  # of the law, as far as it is listed
        return max(abs(z - 0.5) - 0.5, 0.0) * last / deviations / 0.9

    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        t = self.table
        height, count = t.loss - self.base, last - first
        node = np.rint(height / h).astype(np.int64)
        near = np.abs(height - node * h) <= _SAME * (1.0 + height)
        off = float(np.max(np.abs(height - node * h), where=near, initial=0.0))
        far = float(np.abs(t.loss[[0, -1]]).max())
        lost = -math.inf if t.dropped == 0.0 else math.log(t.dropped)
        slack = t.slack + off + (t.stretch + 8.0 * _UNIT) * far
        lower, upper, log_scale = _divided(height[~near], t.log_q[~near], h, count)
        return BinSplit(
            self.base, first, h, lower, upper, log_scale, np.full(count, math.inf),
            t.relative + 16.0 * _UNIT * (1.0 + far), slack, (lost, lost), (lost, lost), (node[near], t.log_q[near]),
        )  # fmt: skip


def _divided(height: FloatArray, log_q: FloatArray, h: float, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Outcomes between edges: per bin what goes to its two ends, and the log of their scale.

    Both masses of an outcome are kept: b = q expm1(x) / expm1(h) at the upper end, x its height in the bin.
    """
    index = np.clip(np.floor(height / h).astype(np.int64), 0, count - 1)
    share = np.clip(np.expm1(np.clip(height - index * h, 0.0, h)) / math.expm1(h), 0.0, 1.0)
    scale = np.full(count, -math.inf)
    np.maximum.at(scale, index, log_q)
    scale[scale == -math.inf] = 0.0
    mass = np.exp(log_q - scale[index])
    lower, upper = np.zeros(count), np.zeros(count)
    np.add.at(lower, index, mass * (1.0 - share))
    np.add.at(upper, index, mass * share)
    return lower, upper, scale
