"""How far a line must go when its transforms never die: looked at, cell by cell, instead of bounded once for all.

The transform of a law with atoms does not fall to nothing, and a bound for every omega beyond W is poor until W is
large. But between, the product of many such transforms is tiny almost everywhere, and that can be seen: over a cell
[a, b]

    |A(w + i omega)|^2 <= max(|A(w + i a)|^2, |A(w + i b)|^2) + ((b - a) / 2)^2 A(w)^2 sd(w)^2,

because |A(w + i omega)|^2 = A(w)^2 E[cos(omega (L - L'))], with L and L' independent from the tilted law, bends down by
A(w)^2 E[(L - L')^2] = 2 A(w)^2 sd(w)^2 at most: it lies above its chord by an eighth of that times (b - a)^2 at most.
A shorter line leaves out nodes of the trapezoid rule, not a stretch of an integral, and between two nodes the product
may be as good as nothing: what a cell [a, b] weighs is the number of its nodes k h times the largest term there,

    (h / pi) #{k: a <= k h <= b} max |e^K| / a^2,

and all nodes from W on, where |e^K| <= B, weigh at most (B / pi) (h / W^2 + 1 / W): the first, and an integral.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.contour.cumulant import WALKED
from neyman.engines.contour.parts import Parts
from neyman.numerics.rounding import AMPLE, UNIT
from neyman.profiles.effort import ignored

__all__ = ["SPARE", "shortened"]

_WORTH = 150.0  # nodes from which a look pays
_LOOKS, _CELLS = 1 << 23, 1 << 21  # cells times laws that are looked at, and cells, of a dozen numbers each
_AT_LEAST = 3e5  # of these where a line is too long without a look
_PER_NODE = 100.0  # cells for each node that a line may have
_CELL, _LOOKED = 350.0, 300.0  # nominal nanoseconds for each cell, and for each law that is looked at there
_ENOUGH, _KINDS = 200, 16  # steps looked at where each alone has fallen; kinds that are all looked at
_FEW = 32.0  # terms of a transform that cost no more than one
_TERMS = 512.0  # of a transform that is worth a look; the others count in full
_PRICE = 0.5  # of the line's own work that a look at it may take
_WIDTH = 0.15  # of a cell, in standard deviations of one step
_EVENLY = 8.0  # places that are turned for the price of one where they are evenly apart
_BITS = 24  # of what most cells are wide
# cells that widen: of 1e11 steps there are as many (fewer shorten fewer lines: no bound rests on it)
_WIDENING = 1 << 18
_ROUNDS, _PARTS, _MORE = 4, 8, 1 << 18  # heavy cells are divided so often, in so many, up to so many at a time
SPARE, _FURTHER = 5.0, 1.3  # e-folds beyond the goal that are welcome, where a cut need not lie further than that
_SHARE, _STRETCHES = 0.5, 2.0  # of the nodes up to a cut that stretches may have; nodes that one wastes
_HIGHEST = 600.0  # e-folds above its goal from which a sum is too large
_SAME = 8.0 * UNIT  # how far rounding moves a node, relatively
_ROUNDED = 16.0 * UNIT  # relative rounding of K, beside ``WALKED``, as of the aliases of ``line``
_FIRST = 5.0  # deviations at which cells begin
# certifies: share of a cell's width squared that rounding of its ends, and of its deviation, may come to
_STRETCHED = 1e-3
_UNDERFLOWN = 1e-200  # certifies: more than all cells that are no float beside the goal, 2^21 times 5e-324


def shortened(
    parts: Parts, cuts: FloatArray, c: float, sd: float, spread: float, end: tuple[float, float], goal: float,
    most: float = math.inf, spend: Callable[[float], None] = ignored,
) -> tuple[float, float, FloatArray | None]:  # fmt: skip
    """Return a cut before ``end``, and the log of the bound on all beyond it; ``end`` itself where a look does not pay.
    Where the transforms return here and there, far apart: the stretches before the cut that count, and the bound on all
    else.

    ``end`` is a cut with the log of the bound beyond it, ``goal`` what the bound may be; ``spread`` the distance of the
    aliases. What a line of so many nodes as ``most`` may save bounds the look, which tells ``spend`` its work.
    """
    last, log_tail = end
    spacing = 2.0 * math.pi / spread
    if not math.isfinite(last) or last / spacing < _WORTH:
        return *end, None
    w = np.array([parts.argument(c)])
    looks = [law.moments(w) for law, _ in parts.steps]
    deviation = np.sqrt([float(look.variance[0]) for look in looks])
    # where one step alone has fallen, a few of many show enough
    every = min(max(1, int(parts.count) // _ENOUGH), max(1, len(parts.steps) // _KINDS))
    terms = np.array([max(law.looked_terms(float(w[0]), last) / _FEW, 1.0) for law, _ in parts.steps])
    own = sum(max(law.terms(float(w[0]), last) / _FEW, 1.0) for law, _ in parts.steps)
    work = min(float(_LOOKS), _PRICE * last / spacing * own)
    if last / spacing > most:  # there is no line but for what a look saves
        work = max(work, _AT_LEAST)
    for dear in (_TERMS / _FEW, 1.0):  # where they cost more than they save, the long transforms count in full
        looked_at = max(1.0, float(terms[terms <= dear].sum()) / every)
        edge = _edges(_FIRST / sd, last, float(deviation.max()), int(min(work / looked_at, _CELLS, _PER_NODE * most)))
        if edge is not None:
            break
    else:
        return *end, None
    look = _Look(parts, cuts, float(w[0]), deviation, every, terms <= dear)
    # the Gaussian beside them is known everywhere, and falls
    top = 0.5 * parts.mu**2 * c * (c + 1.0) + sum(
        times * float(one.log_a[0]) for (_, times), one in zip(parts.steps, looks, strict=True)
    )
    uneven = max(1.0, _EVENLY * looked_at)  # each cell that is divided costs as much more
    low, high, fallen = look.cells(edge, spacing, sd, goal - top, min(float(_MORE), work) / uneven)
    spend(len(low) * (_CELL + _LOOKED * looked_at))
    log_part = top + fallen + _log_nodes(low, high, spacing) - 2.0 * np.log(low)
    log_rest = log_tail + math.log1p(spacing / last)
    rounded = WALKED + _ROUNDED * (abs(top) + float(np.abs(fallen).max()))
    beyond = np.logaddexp(_log_sums(log_part[::-1], goal)[::-1], log_rest) + rounded
    enough = np.flatnonzero(beyond <= goal)
    spare = np.flatnonzero(beyond <= goal - SPARE)
    if len(spare) and low[spare[0]] < _FURTHER * low[enough[0]]:
        enough = spare
    cut = (float(low[enough[0]]), float(beyond[enough[0]]), None) if len(enough) else (*end, None)
    if not log_rest + rounded <= goal:
        return cut
    order = np.argsort(log_part)
    left = np.logaddexp(_log_sums(log_part[order], goal), log_rest) + rounded
    without = int(np.searchsorted(left, goal, side="right"))
    kept = np.sort(order[without:])
    if not _STRETCHES * len(kept) * spacing + float(np.sum((high - low)[kept])) < _SHARE * cut[0]:
        return cut
    return last, float(left[without - 1]) if without else log_rest + rounded, _runs(low, high, kept)


def _runs(low: FloatArray, high: FloatArray, kept: IntArray) -> FloatArray:
    """The stretch up to the first cell, and those of the cells that are ``kept``, neighbours together."""
    if not len(kept):  # all that is beyond weighs too little
        return np.array([[0.0], [low[0]]])
    first = np.flatnonzero(np.append(True, low[kept[1:]] > high[kept[:-1]]))
    last = np.append(first[1:], len(kept)) - 1
    return np.array([np.append(0.0, low[kept[first]]), np.append(low[0], high[kept[last]])])


class _Look(NamedTuple):
    """What a composition's transforms have fallen to, cell by cell."""

    parts: Parts
    cuts: FloatArray
    w: float
    deviation: FloatArray
    every: int
    seen: BoolArray  # the steps that are looked at

    def cells(
        self, edge: FloatArray, spacing: float, sd: float, goal: float, most: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Lower and upper ends of cells between these edges, and what has fallen there: those that weigh too much to be
        left out, all of them, within the ``goal`` are divided, up to ``most`` at a time, while they are wide beside the
        whole law's own scale.
        """
        low, high = edge[:-1], edge[1:]
        fallen = self.fallen(low, high)
        for _ in range(_ROUNDS):
            weight = fallen + _log_nodes(low, high, spacing) - 2.0 * np.log(low)
            light = np.sort(weight)  # what may be left out as it is
            left_out = int(np.searchsorted(_log_sums(light, goal), goal, side="right"))
            heavy = np.flatnonzero((weight > light[max(left_out - 1, 0)]) & (high - low > _WIDTH / sd))
            if not len(heavy) or _PARTS * len(heavy) > most:
                break
            inner = low[heavy, None] + (high - low)[heavy, None] * (np.arange(1, _PARTS) / _PARTS)
            starts = np.column_stack([low[heavy], inner]).ravel()
            ends = np.column_stack([inner, high[heavy]]).ravel()
            rest = np.delete(np.arange(len(low)), heavy)
            order = np.argsort(np.concatenate([low[rest], starts]), kind="stable")
            fallen = np.concatenate([fallen[rest], self.fallen(starts, ends)])[order]
            low, high = np.concatenate([low[rest], starts])[order], np.concatenate([high[rest], ends])[order]
        return low, high, fallen

    def fallen(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """log of a bound on |e^K| over each cell, less what it is on the real axis; both ends ascend."""
        shared = np.append(low[1:] == high[:-1], False)  # the end of one, and the beginning of the next
        first = np.arange(len(low)) + np.append(0, np.cumsum(~shared[:-1]))
        last = first + 1
        edge = np.empty(int(last[-1]) + 1)
        edge[last], edge[first] = high, low
        typical = float(np.median(self.deviation))  # nothing where a tilt leaves but one outcome of most
        far = int(np.searchsorted(0.5 * (low + high), 1.0 / typical)) if typical > 0.0 else len(low)
        found = -0.5 * (self.parts.mu * low) ** 2
        for i, ((law, times), cut) in enumerate(zip(self.parts.steps, self.cuts, strict=True)):
            count = len(low) if i % self.every == 0 else far
            if not count or not self.seen[i]:
                continue
            square = law.looked(self.w, edge[: last[count - 1] + 1], float(cut)) ** 2
            room = (0.5 * (high - low)[:count] * self.deviation[i]) ** 2 * (1.0 + _STRETCHED)
            square = np.maximum(square[first[:count]], square[last[:count]]) + room
            found[:count] += 0.5 * times * np.log(np.minimum(square, 1.0))
        return found


def _log_sums(log_part: FloatArray, goal: float) -> FloatArray:
    """log of the sums of all e^log_part so far, from above: as good as exact where they are about e^goal."""
    with np.errstate(under="ignore"):
        sums = np.cumsum(np.exp(np.minimum(log_part - goal, _HIGHEST)))
    # far above a sum is only known to lie there, and next to nothing is left where it underflows
    return np.where(sums < math.exp(_HIGHEST), np.log(sums * (1.0 + AMPLE) + _UNDERFLOWN) + goal, math.inf)


def _log_nodes(low: FloatArray, high: FloatArray, spacing: float) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(_nodes(low, high, spacing) * (spacing / math.pi))


def _nodes(low: FloatArray, high: FloatArray, spacing: float) -> FloatArray:
    """How many multiples of ``spacing`` lie in each closed cell; one on an edge counts in both."""
    first, last = np.ceil(low / spacing * (1.0 - _SAME)), np.floor(high / spacing * (1.0 + _SAME))
    return np.maximum(last - first + 1.0, 0.0)


def _edges(first: float, last: float, deviation: float, most: int) -> FloatArray | None:
    """Cells that widen with the square of omega, up to a share of 1 / deviation; None where they are too many."""
    if 1.0 / (first * deviation * _WIDTH) > _WIDENING:  # about as many, since 1 / edge falls evenly
        return None
    widest, edges = _WIDTH / deviation, [first]
    while edges[-1] < last and _WIDTH * edges[-1] ** 2 * deviation < widest:
        edges.append(edges[-1] + _WIDTH * edges[-1] ** 2 * deviation)
    if len(edges) + (last - edges[-1]) / widest > most:
        return None
    # of so few digits that all multiples are floats: sums at places evenly apart are quicker
    step = math.ldexp(math.floor(math.ldexp(math.frexp(widest)[0], _BITS)), math.frexp(widest)[1] - _BITS)
    rest = step * np.arange(math.floor(edges[-1] / step) + 1.0, math.ceil(last / step)) if edges[-1] < last else []
    return np.unique(np.append(np.minimum(np.concatenate([edges, rest]), last), last)) if first < last else None
