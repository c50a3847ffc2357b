"""Which few lines of a walk serve which eps, at little loss and little cost."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.contour.cumulant import DEEPEST, LOST, Walk
from neyman.numerics.rounding import TINY

__all__ = ["Chosen", "alias_distances", "choose", "curvature"]

_AIM = 36.0  # e-folds between a line's height and its aliases, as planned
_BLATANT = 3.0  # -log(1 - delta(0)) above which 1 - delta deserves lines of its own, between the poles
_WORTH = 40.0  # e-folds of delta beyond which covering more with one line is not worth its nodes
_DEEP = 90.0  # e-folds of delta below which lines are not chosen with care
_FEW = 5  # lines compared for each stretch of eps
_LOSS = 4.0  # e-folds of accuracy given away at most by serving an eps from a line that is not its own


_BESIDE = 3.0  # standard deviations: no further from an eps lies the next that a line is chosen for


class Chosen(NamedTuple):
    """Lines of a walk, ascending, and the eps from the first to the last that each is chosen for, with some room."""

    lines: IntArray
    first: FloatArray
    last: FloatArray


def choose(walk: Walk) -> Chosen:
    """Few lines that serve every eps >= 0 at a loss of at most ``_LOSS`` e-folds against the best line of the walk;
    but for those eps > 0 at which 1 - delta is no float.
    """
    # between the poles depth is no limit: there 1 - delta is found, in its logarithm
    able = np.flatnonzero(walk.useful() | ((walk.c > -1.0) & (walk.c < 0.0)))
    h = walk.k[able] - np.log(np.abs(walk.c[able]) * (walk.c[able] + 1.0))
    if np.min(h, where=walk.c[able] < 0.0, initial=math.inf) > -_BLATANT:
        able, h = able[walk.c[able] > 0.0], h[walk.c[able] > 0.0]
    c = walk.c[able]
    # the eps at which each line of the walk is best: the lower envelope of h - c eps
    visible = (walk.mean[able] > 0.0) & ((h > -DEEPEST) | (c > 0.0))
    reach, place = np.unique(np.concatenate([[0.0], walk.mean[able][visible]]), return_index=True)
    room = (
        _BESIDE
        * np.sqrt(np.append(walk.variance[able][np.argmin(np.abs(walk.mean[able]))], walk.variance[able][visible]))[
            place
        ]
    )
    height = h - np.multiply.outer(reach, c)
    best = height.min(axis=1)
    loss = height - best[:, None]
    chosen: dict[int, tuple[float, float]] = {}
    first = 0
    while first < len(reach):
        good = np.flatnonzero(loss[first] <= _LOSS)
        serves = loss[first:, good] <= _LOSS
        if best[first] > -_DEEP:
            pick, last = _longest(walk, able[good], serves, reach[first:], best[first:])
        else:  # hardly ever asked for: the longest run will do
            runs = np.minimum.accumulate(serves, axis=0).sum(axis=0)
            pick, last = int(np.argmax(runs)), int(runs.max()) - 1
        line, end = int(able[good[pick]]), first + last
        low, high = chosen.get(line, (math.inf, -math.inf))
        chosen[line] = min(low, float(reach[first] - room[first])), max(high, float(reach[end] + room[end]))
        first = end + 1
    lines = np.array(sorted(chosen), dtype=np.int64)
    return Chosen(lines, *np.array([chosen[int(i)] for i in lines]).T)


def _longest(walk: Walk, lines: IntArray, serves: BoolArray, reach: FloatArray, best: FloatArray) -> tuple[int, int]:
    """Of the lines that serve the first eps, the one (and how far) that covers most decades of delta per node."""
    spans = np.minimum.accumulate(serves, axis=0)
    furthest = int(spans.sum(axis=0).max()) - 1
    ends = np.unique(np.linspace(0, furthest, 8).astype(np.int64))
    few = lines if len(lines) <= _FEW else lines[np.unique(np.linspace(0, len(lines) - 1, _FEW).astype(np.int64))]
    covered = np.minimum(best[0] - best[ends], _WORTH) + 6.0
    aim = walk.k[few, None] - np.multiply.outer(walk.c[few], reach[ends]) - _AIM
    distance = alias_distances(walk, few, reach[ends], aim)
    dearest = np.maximum(np.maximum(distance, distance[:, :1]), TINY).T
    score = np.full((len(ends), len(lines)), -math.inf)
    place = np.searchsorted(lines, few)
    score[:, place] = np.where(spans[np.ix_(ends, place)], covered[:, None] / dearest, -math.inf)
    last, pick = np.unravel_index(int(np.argmax(score)), score.shape)
    return int(pick), int(ends[last])


def alias_distances(
    walk: Walk, lines: IntArray, epsilon: FloatArray, target: FloatArray, limit: float = LOST
) -> FloatArray:
    """Least R for which Chernoff bounds the aliases of each of ``lines`` (rows) on either side below e^target, for each
    eps (columns).
    """
    need = (walk.k - np.multiply.outer(epsilon, walk.c)) - target[:, :, None]
    apart = walk.c - walk.c[lines, None]
    whole = np.array([walk.whole(int(index), limit) for index in lines])
    out = np.zeros(target.shape)
    for side in (apart > 0.0, apart < 0.0):
        usable = side & whole
        distance = need / np.where(usable, np.abs(apart), 1.0)[:, None, :]
        out = np.maximum(out, distance.min(axis=2, where=usable[:, None, :], initial=math.inf))
    return out


def curvature(x: FloatArray, y: FloatArray, at: int) -> float:
    """Second derivative of y(x) near index ``at``, from three neighbours; 0 where it is not positive."""
    i = min(max(at, 1), len(x) - 2)
    if i < 1:
        return 0.0
    left, right = (y[i] - y[i - 1]) / (x[i] - x[i - 1]), (y[i + 1] - y[i]) / (x[i + 1] - x[i])
    return max(0.0, float(2.0 * (right - left) / (x[i + 1] - x[i - 1])))
