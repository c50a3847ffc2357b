"""A curve beside a Gaussian: whether the Gaussian lies below it as far as eps goes, and how far at most.

Between knots the quotient q lies as near to its chord as its second derivative allows (``contrast``). The knots where
that says too little are found, and more are put beside them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.batch.answering.contrast import Contrast, Knots
from neyman.engines.batch.laying.rows import rows_of
from neyman.numerics.rounding import SLIGHT

__all__ = ["compared"]

_MIDDLE = 0.5  # of the last eps: where the lines change
_SHALLOW = np.linspace(0.0, 1.0, 21)  # shares of the first half
# shares of the second half: closer towards the last eps
_STEEP = np.concatenate([np.linspace(0.0, 0.92, 16), 1.0 - 0.08 * 0.5 ** np.arange(1.0, 12.0), [1.0]])
_SIDE = 4e-5 * 1.7 ** np.arange(15)  # of the last eps
_FAN = np.concatenate([-_SIDE[::-1], [0.0], _SIDE])  # about the peak of q
_AFTER = np.linspace(
    0.0, 1.0, 17
)  # shares of what lies beyond the last eps, where the Gaussian's delta is not yet small
_LITTLE = 0.125  # of the width: what may be left beyond all knots
_WORST, _SECTIONS = (4, 12, 40, 80, 80, 80), 8  # how many intervals are divided round by round, and by how much
_SHARES = np.arange(1.0, _SECTIONS) / _SECTIONS  # of an interval that is divided

_Pair = tuple[Contrast, Contrast]


def compared(pair: _Pair, last: FloatArray, wide: float) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Of each setting, whether q >= 0 is certain up to the ``last`` eps in both directions; the largest q of the two
    together (the lesser one counts) at a knot, from below; and over all eps >= 0, from above, ``wide`` apart where that
    can be had.
    """
    middle = _MIDDLE * last[:, None]
    alone = pair[1].beyond(last)
    furthest = np.where(alone > _LITTLE * wide, np.maximum(last, -np.log(_LITTLE * wide)), last)
    pair = (replace(pair[0], last=furthest * (1.0 + SLIGHT)), replace(pair[1], last=furthest * (1.0 + SLIGHT)))
    # the last of these knots lies at the last eps, or beyond
    start = pair[0].read(middle * _SHALLOW, False)
    knots = start.merged(pair[1].read(middle + (last[:, None] - middle) * _STEEP * (1.0 + SLIGHT), True))
    # what lies beyond is told by the Gaussian's delta alone, unless that is more than q is elsewhere
    lacking = alone > np.maximum(knots.at_least().min(axis=1).max(axis=1), _LITTLE * wide)
    end = np.where(lacking, furthest, last)
    if np.any(lacking):
        knots = knots.merged(pair[1].read(last[:, None] + (end - last)[:, None] * _AFTER, True))
    rest = pair[1].beyond(end)
    knots = knots.merged(_read(pair, *_about_peak(knots, last)))
    below, best, most = _judged(knots, last)
    rows, some = np.arange(len(last)), pair
    for worst in _WORST:
        again = np.flatnonzero(~below[rows] | (most[rows] - best[rows] > wide))
        if not len(again):
            break
        rows, some, knots = rows[again], rows_of(some, again), rows_of(knots, again)
        knots = knots.merged(_read(some, *_worst(knots, last[rows], worst)))
        below[rows], best[rows], most[rows] = _judged(knots, last[rows])
    return below, best, np.maximum(most, rest)


def _lacking(knots: Knots, last: FloatArray) -> FloatArray:
    """How much each interval that begins before the last eps lacks to q >= 0."""
    lacking = np.maximum(-knots.least(), 0.0).max(axis=1)
    return np.where(knots.epsilon[:, :-1] < last[:, None], lacking, 0.0)


def _judged(knots: Knots, last: FloatArray) -> tuple[BoolArray, FloatArray, FloatArray]:
    """The same, up to the last knot."""
    below: BoolArray = np.all(_lacking(knots, last) == 0.0, axis=1)
    best = knots.at_least().min(axis=1).max(axis=1)
    return below, best, knots.most().min(axis=1).max(axis=1)


def _about_peak(knots: Knots, last: FloatArray) -> tuple[FloatArray, BoolArray]:
    """A fan about the peak of q, as a parabola through three knots has it; and on which line."""
    here = np.arange(len(last))
    q, e = knots.at_least().min(axis=1), knots.epsilon
    top = np.argmax(q, axis=1)
    i = np.clip(top, 1, q.shape[1] - 2)
    a, b, c = (e[here, i + k] for k in (-1, 0, 1))
    left, right = (q[here, i] - q[here, i - 1]) / (b - a), (q[here, i + 1] - q[here, i]) / (c - b)
    bend = (right - left) / (c - a)
    peak = 0.5 * (a + b) - 0.5 * left / bend
    peak = np.where((bend < 0.0) & (peak > a) & (peak < c), peak, e[here, top])
    return _within(knots, peak[:, None] + last[:, None] * _FAN, knots.steep[here, top])


def _worst(knots: Knots, last: FloatArray, count: int) -> tuple[FloatArray, BoolArray]:
    """Places in the intervals of one line that are farthest from being settled."""
    here = np.arange(len(knots.epsilon))
    lacking = _lacking(knots, last)
    q = knots.at_least().min(axis=1).max(axis=1)[:, None]
    loose = np.where(lacking.max(axis=1)[:, None] > 0.0, lacking, np.maximum(knots.most().min(axis=1) - q, 0.0))
    steep = knots.steep[here, np.argmax(loose, axis=1)]
    loose = np.where(knots.steep[:, 1:] == steep[:, None], loose, -1.0)
    worst: IntArray = np.argsort(loose, axis=1)[:, -count:]
    low, high = (np.take_along_axis(knots.epsilon, worst + k, 1)[..., None] for k in (0, 1))
    return _within(knots, (low + (high - low) * _SHARES).reshape(len(here), -1), steep)


def _within(knots: Knots, epsilon: FloatArray, steep: BoolArray) -> tuple[FloatArray, BoolArray]:
    """The same places, none of them outside the stretch of the line."""
    own = knots.steep == steep[:, None]
    low = np.where(own, knots.epsilon, np.inf).min(axis=1)[:, None]
    high = np.where(own, knots.epsilon, -np.inf).max(axis=1)[:, None]
    return np.sort(np.clip(epsilon, low, high), axis=1), steep


def _read(pair: _Pair, epsilon: FloatArray, steep: BoolArray) -> Knots:
    """Knots of each setting on one of its lines."""
    rows = [np.flatnonzero(~steep), np.flatnonzero(steep)]
    read = [rows_of(pair[i], rows[i]).read(epsilon[rows[i]], i == 1) for i in (0, 1)]
    order = np.argsort(np.concatenate(rows), kind="stable")
    return Knots(*(np.concatenate(columns)[order] for columns in zip(*read, strict=True)))
