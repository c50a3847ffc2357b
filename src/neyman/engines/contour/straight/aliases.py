"""How far apart the aliases of a line have to lie: which c of the walk bounds them at the least distance."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.contour.cumulant import Walk

__all__ = ["beside"]


def beside(
    walk: Walk, index: int, epsilon: FloatArray, target: FloatArray, limit: float, subtracted: float
) -> list[tuple[float, int]]:
    """Right and left of the line at ``index`` the one c that bounds the aliases on that side below e^``target`` at the
    least distance for all ``epsilon``, with that distance; e^``target`` times e^``subtracted`` is what a pole between
    may leave to be subtracted.
    """
    needs, whole = _needs(walk, index, epsilon, target), None if walk.uncut else walk.whole(index, limit)
    of_pole = target + subtracted
    return [_best(walk, index, zones, whole, epsilon, of_pole, needs) for zones in _zones(walk, index)]


def _zones(walk: Walk, index: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where the c to the right and to the left of ``index`` begin and end at which e^{K(c) - c eps} bounds the aliases
    of its line, of those whose law is whole.

    Each side is split at the poles 0 and -1, since moving the line across a pole picks up that pole's own aliases.
    """
    right: list[tuple[int, int]] = []
    left: list[tuple[int, int]] = []
    for low, high in pairwise((0, *walk.poles, len(walk.c))):
        if max(low, index + 1) < high:
            right.append((max(low, index + 1), high))
        if low < min(high, index):
            left.append((low, min(high, index)))
    return right, left


def _best(
    walk: Walk, index: int, zones: list[tuple[int, int]], whole: BoolArray | None, epsilon: FloatArray,
    target: FloatArray, needs: FloatArray,
) -> tuple[float, int]:  # fmt: skip
    """That of one side, whose ``zones`` lie between the poles, among the ``whole`` laws."""
    best, c = (math.inf, index), float(walk.c[index])
    for first, last in zones:
        places = None if whole is None else whole[first:last].nonzero()[0]
        worst = needs[first:last] if places is None else needs[first:last][places]
        if not len(worst):
            continue
        place = int(worst.argmin())
        place = first + (place if places is None else int(places[place]))
        pole = _pole_apart(c, float(walk.c[place]), epsilon, target)
        best = min(best, (max(float(needs[place]), pole), place))
    return best


def _pole_apart(c: float, other: float, epsilon: FloatArray, target: FloatArray) -> float:
    """For -1 < c < 0 the least R at which the aliases of a pole between c and the ``other`` are below e^target, e^-R|c|
    or e^{eps - R (c + 1)}: they are subtracted, and where 1 - delta is far smaller nothing would be left of it.
    """
    if c > 0.0 or -1.0 < other < 0.0:
        return 0.0
    return max(0.0, float(np.max(target / c if other > 0.0 else (epsilon - target) / (c + 1.0))))


def _needs(walk: Walk, index: int, epsilon: FloatArray, target: FloatArray) -> FloatArray:
    """Least R for which Chernoff at each c of the walk bounds the aliases below e^target at every eps; of the line's
    own, which nobody asks for, anything.
    """
    need = walk.k - np.multiply.outer(epsilon, walk.c) - target[:, None]
    apart = np.abs(walk.c - walk.c[index])
    apart[index] = 1.0
    if np.count_nonzero(apart) < len(apart):  # the same c, met once more, bounds aliases at any distance or at none
        same = (apart == 0.0).nonzero()[0]
        need[:, same], apart[same] = np.where(need[:, same] > 0.0, math.inf, 0.0), 1.0
    with np.errstate(over="ignore"):
        need /= apart
    return np.maximum.reduce(need, axis=0)
