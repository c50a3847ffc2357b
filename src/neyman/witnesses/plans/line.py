"""Where to lay a line so that it serves the eps about one: saddle, distance of aliases, cut. Floats only choose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from neyman.witnesses.steps.base import Step

__all__ = ["Laid", "TooDear", "laid", "line", "saddle", "turned"]

_NODES = 30_000  # of a line
_LOOKS, _FURTHEST = 160, 1e25  # tilts among which the saddle is looked for, from 1e-3 on
_BESIDE = 0.01  # of a tilt: how far on either side of it curvature is looked at
_LEAST = 1e-3  # of the width that a tilt resolves: a deviation below that of rounding
_SPARE = 6.0  # e-folds by which the grids of steps are finer than the line
_BESIDE_ONE = 45.0  # e-folds of deltas that are told by 1 - delta
_NEARER, _FARTHER = 3, 2.0  # halvings of a tilt, and how far right of it moments are known at least
_OTHERS = 40  # tilts beside it, whose Chernoff bounds are tried


class TooDear(Exception):
    """No line that is short enough."""


class Laid(NamedTuple):
    """Where a line lies, how wide the loss is there, the log of the moment on it, and of what its errors may be."""

    c: float
    far: float
    period: float
    deviation: float
    cumulant: float
    goal: float


def laid(
    steps: Sequence[Step], remove: bool, epsilon: float, reach: float, nats: float, log_most: float = math.inf
) -> Laid:
    """For ``epsilon`` and those within ``reach`` standard deviations of it, good to ``nats`` e-folds; delta is known to
    be no more than e^``log_most``.
    """

    def cumulant(c: float) -> float:
        return sum(step.log_moment(c + 1.0 if remove else -c) for step in steps)

    c, lowest = saddle(cumulant, epsilon)
    for _ in range(_NEARER):
        if math.isfinite(cumulant(c * _FARTHER)):  # else moments end there, and none would be left for ``far``
            break
        c *= 0.5
    k = [cumulant(c * (1.0 + x)) for x in (-_BESIDE, 0.0, _BESIDE)]
    if not all(map(math.isfinite, k)):
        raise TooDear
    deviation = math.sqrt(max((k[0] - 2.0 * k[1] + k[2]) / (_BESIDE * c) ** 2, (_LEAST / c) ** 2))
    most = epsilon + reach * deviation
    log_delta = min(lowest - math.log(max(deviation * 2.6, 1.0)) - 2.0, log_most)
    log_delta -= c * (most - epsilon) + 0.5 * reach**2
    others = [(other, cumulant(other)) for other in c * (1.0 + np.geomspace(0.02, 60.0, _OTHERS))]
    least = epsilon - reach * deviation if epsilon < 0.0 else max(epsilon - reach * deviation, 0.0)
    right = [((value - other * least - log_delta - c * (most - least) + nats) / (other - c), other) for other, value in
             others if math.isfinite(value)]  # fmt: skip
    if not right:
        raise TooDear
    distance, far = min(right)
    period = max(distance, (most - log_delta + nats) / (c + 1.0), 2.0 * deviation, most * 1.001)
    return Laid(c, float(far), float(period), deviation, k[1], log_delta - nats + c * most)


def line(
    steps: Sequence[Step], remove: bool, epsilon: float, reach: float, nats: float, log_most: float = math.inf
) -> dict[str, Any]:
    """One for ``epsilon`` and those about it, all of it looked at."""
    at = laid(steps, remove, epsilon, reach, nats, log_most)
    w, w2 = (at.c + 1.0, at.far + 1.0) if remove else (-at.c, -at.far)

    def left(omega: float) -> float:
        return sum(step.log_modulus(w, omega) for step in steps) - math.log(omega) - at.goal

    most = 2.0 * math.pi * _NODES / at.period
    omega = _crossing(left, min(3.0 / at.deviation, 0.5 * most), most)
    nodes = int(omega * at.period / (2.0 * math.pi)) + 2
    omega = 2.0 * math.pi * nodes / at.period
    room = _SPARE + max(at.cumulant - at.goal, 0.0)
    return {
        "direction": "remove" if remove else "add", "c": at.c, "far": at.far, "period": at.period, "nodes": nodes,
        "steps": [step.witness(w, w2, omega, room) for step in steps],
    }  # fmt: skip


def turned(
    steps: Sequence[Step], remove: bool, epsilon: float, reach: float, nats: float, log_most: float = math.inf
) -> dict[str, Any]:
    """One of the other direction at -epsilon, which tells small deltas by what is next to 1: for more e-folds."""
    return line(steps, not remove, -epsilon, reach, nats + _BESIDE_ONE)


def saddle(cumulant: Callable[[float], float], epsilon: float) -> tuple[float, float]:
    """Where Chernoff's bound over z (z + 1) is least, about, and its logarithm."""
    grid = np.geomspace(1e-3, _FURTHEST, _LOOKS)
    at, heights = 0, np.zeros(0)
    for _ in range(3):
        heights = np.array([cumulant(c) - c * epsilon - math.log(c) - math.log1p(c) for c in grid.tolist()])
        if not np.isfinite(heights).any():
            raise TooDear
        at = int(np.nanargmin(np.where(np.isfinite(heights), heights, np.inf)))
        grid = np.geomspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], 16)
    return float(grid[len(grid) // 2]), float(heights[at])


def _crossing(left: Callable[[float], float], start: float, most: float) -> float:
    low = high = start
    while left(high) > 0.0:
        low, high = high, high * 1.7
        if high > most:
            raise TooDear
    for _ in range(12):
        if high < 1.03 * low:
            break
        middle = math.sqrt(low * high)
        low, high = (middle, high) if left(middle) > 0.0 else (low, middle)
    return high
