"""One exact test of two independent binomial counts against what a hypothesis allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.audit.both_counts.boundaries import Boundary
from neyman.audit.both_counts.nearest import Window, distance, evenly, staircase
from neyman.audit.both_counts.two_counts import Cells, both_small
from neyman.audit.rates.binomials import Counts, upper_limit
from neyman.guarantees import Guarantee

__all__ = ["ELSEWHERE", "TwoSampleTest", "last_kept", "window"]

ELSEWHERE = 0.01  # of the level: that the rates lie outside the window in which the worst ones are sought
SHARP = 4e-3  # standard deviations, by which a bound may be too small
_APART = 0.01  # standard deviations between the rates of a window
_PORTION = 400_000  # cells times rates at a time
_BEYOND = 16.0  # e^-16 of the level may lie beyond the cells
_ASKED = 64  # points of a claim's curve: between them the curve bends by a hundredth of a standard deviation at most
_STEPS = 24  # evaluations at most: the place that is told was tried, wherever they end


@dataclass(frozen=True)
class TwoSampleTest:
    """Two counts, where their rates may lie, and the outcomes that count."""

    counts: tuple[int, int]
    sizes: tuple[int, int]
    window: Window
    cells: tuple[Cells, Cells]

    @classmethod
    def at(cls, counts: tuple[int, int], sizes: tuple[int, int], log_level: float) -> TwoSampleTest:
        """Of false positives and false negatives, of so many; for p-values of e^``log_level`` or so."""
        likely = window(counts, sizes, log_level)
        reach = math.sqrt(2.0 * (_BEYOND - log_level))
        cells = (
            Cells.around(sizes[0], *likely.alpha, reach),
            Cells.around(sizes[1], *likely.beta, reach),
        )
        return cls(counts, sizes, likely, cells)

    @property
    def wide(self) -> Window:
        """The rates that the cells span."""
        first, second = ((float(c.edges[0]) / c.n, min(float(c.edges[-1]) / c.n, 1.0)) for c in self.cells)
        return Window(first, second)

    def asked(self, facing: Guarantee) -> FloatArray:
        """Where a claim's curve is looked at."""
        (low, high), (least, most) = self.wide.alpha, self.wide.beta
        second = np.asarray(facing.inverse().beta(evenly(least, most, _ASKED // 2)))
        return np.unique(np.concatenate([evenly(low, high, _ASKED // 2), second[(second > low) & (second < high)]]))

    def distance(self, boundary: Boundary) -> float:
        """How far below the boundary the counts are, rounded down."""
        return distance(boundary, self.wide, self.counts, self.sizes)

    def staircase(self, boundary: Boundary, least: float) -> Counts:
        """Below which all outcomes lie whose distance is at least ``least``."""
        return staircase(boundary, self.wide, self.cells, least)

    def worst(self, boundary: Boundary, steps: Counts) -> float:
        """The largest probability of the staircase at rates in the window that the hypothesis allows."""
        alpha = self.window.along(boundary, *self.sizes, _APART)
        beta = boundary.beta(alpha)
        low, high = self.window.beta
        # outside are pieces whose beta is too large; of those where it is too small, the first piece is the worst
        left_out = (beta[1:] > high) | (boundary.above(alpha[:-1]) < low)
        left_out[0] = beta[1] > high
        first, second = alpha[:-1][~left_out], np.maximum(beta[1:], low)[~left_out]
        portion = max(1, _PORTION // (self.cells[0].edges.size + self.cells[1].edges.size))
        worst = 0.0
        for start in range(0, first.size, portion):
            rates = first[start : start + portion], second[start : start + portion]
            worst = max(worst, float(np.max(both_small(*self.cells, steps, rates))))
        return worst


def window(counts: tuple[int, int], sizes: tuple[int, int], log_level: float) -> Window:
    """Rates that contain both true ones but for ELSEWHERE of the level: four limits of Clopper and Pearson."""
    share = log_level + math.log(0.25 * ELSEWHERE)
    limits = []
    for count, n in zip(counts, sizes, strict=True):
        high, rest = upper_limit(np.array([count, n - count]), n, share).tolist()
        limits.append((max(1.0 - rest, 0.0), high))
    return Window(limits[0], limits[1])


_Point = tuple[float, float]


def last_kept(function: Callable[[float], float], low: _Point, high: _Point) -> float:
    """Return about the last place at which a falling function, nearly straight, is not negative; there it is not.

    ``low`` and ``high`` are places with values, the first of at least 0, the second below (Illinois' false position).
    """
    weight = 1.0  # of the end that was not moved
    for _ in range(_STEPS):
        if low[1] <= SHARP:
            break
        left, right = (low[1] - 0.5 * SHARP) * max(weight, 1.0), (0.5 * SHARP - high[1]) / min(weight, 1.0)
        at = low[0] + min(max(left / (left + right), 0.02), 0.98) * (high[0] - low[0])
        value = function(at)
        if value >= 0.0:
            low, weight = (at, value), 2.0 * max(weight, 0.5)
        else:
            high, weight = (at, value), 0.5 * min(weight, 2.0)
    return low[0]
