"""How far two counts lie below what a hypothesis allows: the order in which outcomes speak against it.

The distance of counts (x, y) from a boundary is the least, over its points (a, b), of

    n KL+(x / n || a) + m KL+(y / m || b),        KL+ = 0 where more was seen than expected,

half the deviance from the nearest rates that are allowed. It falls as x or y grows, so that the outcomes at least as
far as those seen lie below a staircase; and it needs no choice of a tangent in advance, since it finds its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.audit.both_counts.boundaries import Boundary
from neyman.audit.both_counts.two_counts import LEAST_RATE, Cells
from neyman.audit.rates.binomials import Counts
from neyman.numerics.functions.binomial import binomial_deviance
from neyman.numerics.rounding import UNIT

__all__ = ["Window", "distance", "evenly", "staircase"]

_FINE, _COARSE = 0.005, 0.2  # standard deviations apart, where a distance is taken and where a staircase is laid
_BLUR = 1e-7  # of a distance, times 1 + itself: counts up to 10^12 lie within 10^8 of what is expected
_LARGEST = 1.0 - UNIT  # the largest rate below 1
_ALL = 40_000  # points of a boundary at most


@dataclass(frozen=True)
class Window:
    """A range of each of the two rates."""

    alpha: tuple[float, float]
    beta: tuple[float, float]

    def along(self, boundary: Boundary, n_out: int, n_in: int, apart: float) -> FloatArray:
        """False positive rates that rise, whose points on the boundary are about so many deviations apart at most."""
        first = _spaced(*self.alpha, n_out, apart)
        second = boundary.alpha(_spaced(*self.beta, n_in, apart))
        low, high = self.alpha
        return np.unique(np.concatenate([first, second[(second > low) & (second < high)]]))


def distance(boundary: Boundary, window: Window, counts: tuple[int, int], sizes: tuple[int, int]) -> float:
    """Return the distance of ``counts`` from the boundary, rounded down; both say first what is out, then what is in.

    All of the boundary counts; inside the window it is looked at closely, beyond it only its ends bound the distance.
    """
    alpha = window.along(boundary, *sizes, _FINE)
    beta = boundary.beta(alpha)
    first, second = _one_sided(counts[0], sizes[0], alpha), _one_sided(counts[1], sizes[1], beta)
    # between two points alpha is that of the first at least, beta that of the second
    least = min(float(np.min(first[:-1] + second[1:], initial=math.inf)), float(second[0]), float(first[-1]))
    return max(least - _BLUR * (1.0 + least), 0.0)


def staircase(boundary: Boundary, window: Window, cells: tuple[Cells, Cells], least: float) -> Counts:
    """Return steps, as ``both_small`` asks for them, that leave no outcome out whose distance is at least ``least``.

    Only some points of the boundary are held against each outcome; more would take outcomes away.
    """
    first, second = cells
    alpha = window.along(boundary, first.n, second.n, _COARSE)
    beta = boundary.above(alpha)
    within = least - _BLUR * (1.0 + least)
    steps = np.full(first.starts.size, second.starts.size)
    kept = (alpha <= _LARGEST) & (beta <= _LARGEST)
    for a, b in zip(alpha[kept], beta[kept], strict=True):
        needed = within - _one_sided(first.starts, first.n, np.array(a))
        reached = _one_sided(second.starts, second.n, np.array(b))  # falls
        found = np.searchsorted(-reached, -needed, side="right")
        steps = np.minimum(steps, np.where(needed <= 0.0, second.starts.size, found))
    return np.minimum.accumulate(steps)


def evenly(low: float, high: float, number: int) -> FloatArray:
    """Return rates from ``low`` to ``high``, evenly in standard deviations: by the arc sine of the root."""
    found = np.sin(np.linspace(_angle(low), _angle(high), number)) ** 2
    found[0], found[-1] = low, high
    return found


def _spaced(low: float, high: float, n: int, apart: float) -> FloatArray:
    return evenly(low, high, min(int(2.0 * math.sqrt(n) * (_angle(high) - _angle(low)) / apart) + 2, _ALL))


def _angle(rate: float) -> float:
    return math.asin(math.sqrt(min(max(rate, 0.0), 1.0)))


def _one_sided(counts: FloatArray | int, n: int, rates: FloatArray) -> FloatArray:
    seen = np.asarray(counts, dtype=np.float64)
    rates = np.clip(rates, LEAST_RATE, _LARGEST)
    return np.where(seen < n * rates, binomial_deviance(seen, n, rates), 0.0)
