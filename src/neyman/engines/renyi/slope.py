"""rho, the least with D_t <= rho t for all t > 1, searched for and certified.

The orders are covered by cells [a, b], on each of which D_t / t is below

    D_b / a                              (D_t is non-decreasing),
    the largest of chord(t) / (t (t - 1))   ((t - 1) D_t is convex in t: the chord of its bounds at a and b),
    limit + max(offset, 0) / a           (a line limit t + offset above D_t, for a >= since),

and cells are halved until that is no more than a relative 1e-9 above what was seen. The line closes the last cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import ROOM, SLIGHT

__all__ = ["Above", "Divergence", "largest_slope"]

_WIDTH = 1e-9  # relative width at which the search stops
_ROUNDS = 40  # of orders put between others
_MOST = 4000  # orders
_FIRST = 1.0 + np.geomspace(1e-9, 1e9, 73)  # orders looked at first
# times the largest order, where one beyond it is put; the largest whose square is a float
_AHEAD, _LARGEST = 1e3, 1e150

Divergence = Callable[[FloatArray, bool], FloatArray]


class Above(NamedTuple):
    """D_t <= ``limit`` t + ``offset`` for t >= ``since``, where D_t / t tends to ``reached`` at least."""

    limit: float
    offset: float
    since: float
    reached: float


def largest_slope(divergence: Divergence, above: Above, upper: bool, width: float = _WIDTH) -> float:
    """Return a bound on sup D_t / t over t > 1; ``divergence`` bounds D_t from above (True) or below."""
    if not math.isfinite(above.limit):
        return math.inf if upper else max(above.reached, _seen(divergence, _FIRST, False))
    if not upper:
        return max(above.reached, _seen(divergence, _searched(divergence, above, width)[0], False))
    _, bound = _searched(divergence, above, width)
    return max(above.limit, float(np.max(bound))) * (1.0 + SLIGHT)


def _seen(divergence: Divergence, order: FloatArray, upper: bool) -> float:
    value = divergence(order, upper) / order
    return float(np.max(value)) * (1.0 + (SLIGHT if upper else -SLIGHT))


def _searched(divergence: Divergence, above: Above, width: float) -> tuple[FloatArray, FloatArray]:
    """The orders, ascending, and a bound on D_t / t of each cell between them, beyond the last and before the first."""
    order, value = _FIRST, divergence(_FIRST, True)
    bound = _bounds(order, value, above)
    for _ in range(_ROUNDS):
        best = max(float(np.max(value / order)), above.limit)
        open_ = np.flatnonzero(bound[:-1] > best * (1.0 + width))
        if not len(open_) or len(order) > _MOST:
            break
        last = np.append(order, min(_AHEAD * order[-1], _LARGEST))
        middle = 1.0 + np.sqrt((last[open_] - 1.0) * (last[open_ + 1] - 1.0))
        middle = middle[~np.isin(middle, order)]
        if not len(middle):
            break
        place = np.argsort(np.append(order, middle), kind="stable")
        order, value = np.append(order, middle)[place], np.append(value, divergence(middle, True))[place]
        bound = _bounds(order, value, above)
    return order, bound


def _bounds(order: FloatArray, value: FloatArray, above: Above) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        line = np.where(order >= above.since, above.limit + max(above.offset, 0.0) / order, math.inf)
        cells = np.minimum(np.minimum(value[1:] / order[:-1], _chord(order, value)), line[:-1])
    return np.concatenate([np.where(np.isnan(cells), math.inf, cells), line[-1:], value[:1]])


def _chord(order: FloatArray, value: FloatArray) -> FloatArray:
    """The largest of chord(t) / (t (t - 1)) on each cell: of c0 + c1 t at t = (-c0 -+ root(c0 (c0 + c1))) / c1."""
    k = (order - 1.0) * value
    a, b = order[:-1], order[1:]
    slope = (k[1:] - k[:-1]) / (b - a)
    start = k[:-1] - slope * a
    root = np.sqrt(np.maximum(start * (start + slope), 0.0))
    safe = np.where(slope > 0.0, slope, 1.0)
    most = np.maximum(value[:-1] / a, value[1:] / b)
    for sign in (-1.0, 1.0):
        t = np.clip((-start + sign * root) / safe, a, b)
        at = (k[:-1] * (b - t) + k[1:] * (t - a)) / (b - a)
        most = np.maximum(most, at / (t * (t - 1.0)))
    return most * (1.0 + ROOM)
