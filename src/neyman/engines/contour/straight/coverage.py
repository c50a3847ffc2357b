"""Which few lines of a walk serve which eps, at little loss and little cost."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.contour.cumulant import DEEPEST, LOST, Walk
from neyman.numerics.functions.few import every, smallest
from neyman.numerics.rounding import TINY

__all__ = ["Chosen", "alias_distances", "choose", "curvature"]

_AIM = 36.0  # e-folds between a line's height and its aliases, as planned
_BLATANT = 3.0  # -log(1 - delta(0)) above which 1 - delta deserves lines of its own, between the poles
_WORTH = 40.0  # e-folds of delta beyond which covering more with one line is not worth its nodes
_DEEP = 90.0  # e-folds of delta below which lines are not chosen with care
_LAID = 40.0  # standard deviations of R: what laying a line costs beside its nodes
_OF_NODES = 3e4  # the same in 2 pi times nodes, of lines that are cut at one frequency, whatever their deviation
_STOPS = 5  # eps up to which a line is tried
_FALLS = np.array([2.0, 5.0, 9.0, 14.0, 20.0, 28.0])  # e-folds of delta to others at which it is, where lines are long
_STEEP, _PARTS = 4.0, 8.0  # e-folds of delta between two eps there, and parts in which what is more is divided at most
_FEW, _MORE = 5, 12  # lines compared for each stretch of eps, and where they are long
# e-folds of accuracy given away at most by serving an eps from a line that is not its own, and where lines are long
_LOSS, _LESS = 4.0, 3.0


_BESIDE = 3.0  # standard deviations: no further from an eps lies the next that a line is chosen for


class Chosen(NamedTuple):
    """Lines of a walk, ascending, the eps from the first to the last that each is chosen for, with some room, and
    heights: an eps is served by the line at which they are least, less c eps.
    """

    lines: IntArray
    first: FloatArray
    last: FloatArray
    heights: FloatArray


def choose(walk: Walk, turned: float = 0.0) -> Chosen:
    """Few lines that serve every eps >= 0 at a loss of at most ``_LOSS`` e-folds against the best line of the walk;
    but for those eps > 0 at which 1 - delta is no float. ``turned``: of few steps, about the frequency at which lines
    are cut, so that they are long.
    """
    # between the poles depth is no limit: there 1 - delta is found, in its logarithm
    able = (walk.useful() | ((walk.c > -1.0) & (walk.c < 0.0))).nonzero()[0]
    c = walk.c[able]
    h = walk.k[able] - np.log(np.abs(c) * (c + 1.0))
    right = int(c.searchsorted(0.0))
    if right and smallest(h[:right]) > -_BLATANT:
        able, c, h = able[right:], c[right:], h[right:]
    reach, room = _reached(walk.mean[able], walk.variance[able], (h > -DEEPEST) | (c > 0.0))
    # the eps at which each line of the walk is best: the lower envelope of h - c eps
    height, best = _heights(c, h, reach)
    if turned > 0.0:
        more = np.unique(np.append(reach, _between(reach, best)))
        reach, room = more, np.interp(more, reach, room)
        height, best = _heights(c, h, reach)
    height -= best
    serves = height <= (_LOSS if turned == 0.0 else _LESS)
    # what is lost by a line is convex in eps: each serves one stretch; the first eps beyond it
    count = len(reach)
    until = count - serves[:, ::-1].argmax(axis=1)
    chosen: dict[int, tuple[float, float]] = {}
    stretches: list[tuple[int, float, float]] = []
    first = 0
    while first < count:
        good = serves[:, first].nonzero()[0]
        runs = until[good] - first
        if best[first] > -_DEEP:
            pick, last = _longest(walk, able[good], runs, reach[first:], best[first:], turned)
        else:  # hardly ever asked for: the longest run will do
            pick = int(runs.argmax())
            last = int(runs[pick]) - 1
        line, end = int(able[good[pick]]), first + last
        low, high = chosen.get(line, (math.inf, -math.inf))
        chosen[line] = min(low, float(reach[first] - room[first])), max(high, float(reach[end] + room[end]))
        stretches.append((line, float(reach[first]), float(reach[end])))
        first = end + 1
    lines = np.array(sorted(chosen), dtype=np.int64)
    heights = h[able.searchsorted(lines)]
    if turned > 0.0 and [line for line, _, _ in stretches] == lines.tolist():
        heights = _meeting(walk.c[lines], heights, np.array(stretches))
    starts, ends = np.array([chosen[int(i)] for i in lines]).T
    return Chosen(lines, starts, ends, heights)


def _heights(c: FloatArray, h: FloatArray, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    """That of each line (a row) at each ``epsilon``, and the least there."""
    height = h[:, None] - np.multiply.outer(c, epsilon)
    return height, np.minimum.reduce(height, axis=0)


def _reached(mean: FloatArray, variance: FloatArray, shown: BoolArray) -> tuple[FloatArray, FloatArray]:
    """0 and the eps > 0 at which lines stand that are ``shown``, ascending; and the room that each leaves beside it."""
    visible = (mean > 0.0) & shown
    reach = np.concatenate([[0.0], mean[visible]])
    spread = np.concatenate([variance[np.abs(mean).argmin()][None], variance[visible]])
    if not every(reach[1:] > reach[:-1]):
        reach, place = np.unique(reach, return_index=True)
        spread = spread[place]
    return reach, _BESIDE * np.sqrt(spread)


def _meeting(c: FloatArray, heights: FloatArray, stretches: FloatArray) -> FloatArray:
    """Heights by which neighbours change places between their stretches, (line, first eps, last eps) each: a line that
    is long need not serve what a short one was chosen for, only because it is a little better there.
    """
    apart = np.diff(c)
    meet = np.clip(np.diff(heights) / apart, stretches[:-1, 2], stretches[1:, 1])
    return heights[0] + np.append(0.0, np.cumsum(meet * apart))


def _longest(
    walk: Walk, lines: IntArray, runs: IntArray, reach: FloatArray, best: FloatArray, turned: float
) -> tuple[int, int]:
    """Of the lines that serve the first eps, and so many in all, the one (and how far) that covers most decades of
    delta per node, and what any costs.
    """
    ends = _among(int(runs[runs.argmax()]) - 1, _STOPS)
    if turned > 0.0:
        fallen = np.maximum.accumulate(best[0] - best[: ends[-1] + 1])
        ends = np.unique(np.append(ends, np.maximum(np.searchsorted(fallen, _FALLS, side="right") - 1, 0)))
    many = _FEW if turned == 0.0 else _MORE
    place = _among(len(lines) - 1, many)
    few, covered = lines[place], np.minimum(best[0] - best[ends], _WORTH) + 6.0
    aim = walk.k[few, None] - np.multiply.outer(walk.c[few], reach[ends]) - _AIM
    distance = alias_distances(walk, few, reach[ends], aim)
    laid = _OF_NODES / turned if turned > 0.0 else _LAID * np.sqrt(walk.variance[few])[:, None]
    dearest = (np.maximum(distance, distance[:, :1]) + laid + TINY).T
    score = np.where(ends[:, None] < runs[place], covered[:, None] / dearest, -math.inf)
    last, pick = divmod(int(score.argmax()), len(place))
    return int(place[pick]), int(ends[last])


def _between(reach: FloatArray, best: FloatArray) -> FloatArray:
    """More eps, evenly apart, where delta falls steeply from one to the next."""
    parts = np.clip(np.ceil(np.abs(np.diff(best)) / _STEEP), 1.0, _PARTS)
    wide = (parts > 1.0) & (best[:-1] > -_DEEP)
    each = zip(reach[:-1][wide].tolist(), reach[1:][wide].tolist(), parts[wide].astype(np.int64).tolist(), strict=True)
    return np.concatenate([reach[:0], *(np.linspace(a, b, n + 1)[1:-1] for a, b, n in each)])


def _among(last: int, count: int) -> IntArray:
    """About so many places from 0 to the ``last``, as far apart."""
    return np.arange(last + 1) if last < count else np.array([last * i // (count - 1) for i in range(count)])


def alias_distances(
    walk: Walk, lines: IntArray, epsilon: FloatArray, target: FloatArray, limit: float = LOST
) -> FloatArray:
    """Least R for which Chernoff bounds the aliases of each of ``lines`` (rows) on either side below e^target, for each
    eps (columns).
    """
    need = (walk.k - np.multiply.outer(epsilon, walk.c)) - target[:, :, None]
    size = np.abs(walk.c - walk.c[lines, None])
    none = size == 0.0  # on neither side
    size[none] = 1.0
    need /= size[:, None, :]
    if not walk.uncut:
        none |= ~np.array([walk.whole(int(index), limit) for index in lines])
    row, at = none.nonzero()
    need[row, :, at] = math.inf
    # of each row what lies left of its line, and from it on: before the first there is the line alone, which is inf
    starts = np.arange(0, need.size, len(walk.c)).reshape(need.shape[:2])
    sides = np.stack([starts, starts + lines[:, None]], axis=-1)
    left, right = np.minimum.reduceat(need.ravel(), sides.ravel()).reshape(-1, 2).T
    distance = np.maximum(left, right).reshape(starts.shape)
    return np.maximum(distance, 0.0, out=distance)


def curvature(x: FloatArray, y: FloatArray, at: int) -> float:
    """Second derivative of y(x) near index ``at``, from three neighbours; 0 where it is not positive."""
    i = min(max(at, 1), len(x) - 2)
    if i < 1:
        return 0.0
    left, right = (y[i] - y[i - 1]) / (x[i] - x[i - 1]), (y[i + 1] - y[i]) / (x[i + 1] - x[i])
    return max(0.0, float(2.0 * (right - left) / (x[i + 1] - x[i - 1])))
