"""How often each of a few outcomes may come in many trials, but for what is too rare under all laws to be listed.

Outcome by outcome, given those before it, its number is binomial. Under each law it is further than
x = d / 3 + sqrt(d^2 / 9 + 2 v d) from its mean, v its variance, with probability e^-d at most on each side (Bernstein's
inequality); listed are the numbers that are nearer under any law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import AMPLE, ROOM, UNIT

__all__ = ["counted", "summed", "ways"]

_DEPTHS = (700.0, 300.0, 150.0, 90.0)  # d: the first that leaves few enough; e^-90 = 8e-40

IntArray = NDArray[np.int64]


def counted(log_masses: Sequence[FloatArray], times: int, most: int) -> tuple[IntArray, float] | None:
    """Return the numbers of each outcome, a row for each way to share ``times``, and a bound on the mass that is left
    out under any of the laws; None where there are more than ``most`` rows.

    Examples
    --------
    >>> fair = np.log([0.5, 0.5])
    >>> counted((fair, fair), 2, 10)[0].tolist()
    [[0, 2], [1, 1], [2, 0]]
    >>> counted((fair, fair), 10**6, 100) is None
    True
    """
    outcomes = len(log_masses[0])
    for depth in (math.inf, *_DEPTHS):
        if depth == math.inf and math.comb(times + outcomes - 1, outcomes - 1) > most:
            continue
        rows = _rows(log_masses, times, depth, most)
        if rows is not None:
            return rows, 2.0 * (outcomes - 1) * math.exp(-depth) * (1.0 + AMPLE)
    return None


def _rows(log_masses: Sequence[FloatArray], times: int, depth: float, most: int) -> IntArray | None:
    """The ways within ``depth``."""
    # the chance of each outcome, given that none before it came
    chances = [np.exp(mass - np.logaddexp.accumulate(mass[::-1])[::-1]) for mass in log_masses]
    rows, left = np.empty((1, 0), dtype=np.int64), np.array([times], dtype=np.int64)
    for i in range(len(log_masses[0]) - 1):
        low, high = _nearest([float(chance[i]) for chance in chances], left, depth)
        ways = high - low + 1
        if int(ways.sum()) > most:
            return None
        owner = np.repeat(np.arange(len(ways)), ways)
        taken = np.arange(len(owner)) - np.repeat(np.cumsum(ways) - ways, ways) + low[owner]
        rows = np.column_stack([rows[owner], taken])
        left = left[owner] - taken
    return np.column_stack([rows, left])


def _nearest(chances: list[float], times: IntArray, depth: float) -> tuple[IntArray, IntArray]:
    """The least and the largest number of an outcome that need be listed."""
    if depth == math.inf:
        return np.zeros_like(times), times
    low, high = times.astype(np.float64), np.zeros(len(times))
    for chance in chances:
        mean = times * chance
        # a unit, and a share of the mean, for rounding
        reach = depth / 3.0 + np.sqrt(depth * depth / 9.0 + 2.0 * depth * mean * (1.0 - chance)) + 1.0 + ROOM * mean
        low, high = np.minimum(low, mean - reach), np.maximum(high, mean + reach)
    return np.floor(np.maximum(low, 0.0)).astype(np.int64), np.minimum(np.ceil(high), times).astype(np.int64)


def ways(times: int, kinds: int) -> float:
    """In how many ways ``times`` are shared among so many; inf where they are not to be counted."""
    return math.comb(times + kinds - 1, kinds - 1) if min(times, kinds - 1) < 64 or times + kinds < 5000 else math.inf


def summed(loss: FloatArray, times: int, slack: float, stretch: float) -> tuple[float, float]:
    """How far sums of ``times`` of these losses, ascending, each known within ``slack`` + ``stretch`` |loss|, may be
    off, in the same way: a sum in which signs differ is off by more than in proportion to itself.

    Examples
    --------
    >>> slack, stretch = summed(np.array([-0.5, 2.0]), 3, 0.0, 0.01)
    >>> round(slack, 12), round(stretch, 12)
    (0.03, 0.01)
    """
    stretch += UNIT * (4.0 + len(loss))  # what rounding does to as many terms as there are kinds
    turned = 2.0 * times * min(max(float(loss[-1]), 0.0), max(-float(loss[0]), 0.0))
    return times * slack + stretch * turned, stretch
