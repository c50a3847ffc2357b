"""A curve beside a Gaussian: whether the Gaussian lies below it as far as eps goes, and how far at most.

Between knots the quotient q lies as near to its chord as its second derivative allows (``contrast``). The knots where
that says too little are found, and more are put beside them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.batch.answering.contrast import Contrast, Knots
from neyman.engines.batch.laying.rows import rows_of
from neyman.numerics.rounding import SLIGHT, TINY

__all__ = ["Compared", "compared"]

_MIDDLE = 0.5  # of the last eps: where the lines change
_SHALLOW = np.linspace(0.0, 1.0, 21)  # shares of the first half
# shares of the second half: closer towards its first eps, where its line bends most, and towards the last
_GROWN = np.expm1(np.linspace(0.0, 1.0, 28)) / math.expm1(1.0)
_STEEP = np.concatenate([0.92 * _GROWN, 1.0 - 0.08 * 0.5 ** np.arange(1.0, 12.0), [1.0]])  # halved towards the last
_SIDE = 4e-5 * 1.7 ** np.arange(15)  # of the last eps
# about the peak of q, and where that is eps = 0
_FAN = np.concatenate([-_SIDE[::-1], [0.0], _SIDE]), np.append(0.0, 4e-5 * 1.35 ** np.arange(30))
_PEAK = np.zeros(1), np.zeros(1)  # the peak as three knots of that fan have it
# shares of what lies beyond the last eps, where the Gaussian's delta is not yet small
_AFTER = np.linspace(0.0, 1.0, 17)
_FARTHER = (0.01, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0)  # of it, where that may end
_NEARLY, _NOTHING = 1e-3, 1e-15  # of q, how far apart ``best`` and ``most`` may be, and how little is not told apart
_LITTLE = 0.125  # of the width: what may be left beyond all knots
_PLACES, _SECTIONS = (32, 96, 320, 640, 640, 640), 8  # knots of a round at most; how many an interval is divided in
_MISSED = 1.1  # times the sections that are wanted

_Pair = tuple[Contrast, Contrast]


class Compared(NamedTuple):
    """Of each setting, whether q >= 0 is certain up to the last eps in both directions; the largest q of the two
    together (the lesser one counts) at a knot, from below, and the eps of that knot; and over all eps >= 0, from above.
    """

    below: BoolArray
    best: FloatArray
    at: FloatArray
    most: FloatArray


def compared(pair: _Pair, last: FloatArray, wide: float) -> Compared:
    """Compare up to the ``last`` eps, ``best`` and ``most`` no more than ``wide`` apart where that can be had, and less
    where q is small itself.
    """
    middle = _MIDDLE * last[:, None]
    alone = pair[1].beyond(last)
    furthest = np.where(alone > _LITTLE * wide, np.maximum(last, -np.log(_LITTLE * wide)), last)
    pair = (replace(pair[0], last=furthest * (1.0 + SLIGHT)), replace(pair[1], last=furthest * (1.0 + SLIGHT)))
    # the last of these knots lies at the last eps, or beyond
    start = pair[0].read(middle * _SHALLOW, False)
    knots = start.merged(pair[1].read(middle + (last[:, None] - middle) * _STEEP * (1.0 + SLIGHT), True))
    # what lies beyond is told by the Gaussian's delta alone, unless that is more than q is elsewhere
    goal = np.maximum(knots.of_both().max(axis=1), _LITTLE * wide)
    end = _down_to(pair[1], goal, last, furthest)
    if np.any(end > last):
        knots = knots.merged(pair[1].read(last[:, None] + (end - last)[:, None] * _AFTER, True))
    rest = pair[1].beyond(end)
    rows = np.arange(len(last))
    knots = knots.merged(_read(pair, rows, *_about_peak(knots, last, _FAN)))
    if np.any(knots.epsilon[rows, np.argmax(knots.of_both(), axis=1)] > 0.0):
        knots = knots.merged(_read(pair, rows, *_about_peak(knots, last, _PEAK)))
    below, best, at, most = _judged(knots, last)
    for most_places in _PLACES:
        near = np.clip(_NEARLY * best[rows], _NOTHING, wide)
        again = np.flatnonzero(~below[rows] | (most[rows] - best[rows] > near))
        if not len(again):
            break
        rows, knots, near = rows[again], rows_of(knots, again), near[again]
        knots = knots.merged(_read(pair, rows, *_between(knots, last[rows], near[:, None], most_places)))
        below[rows], best[rows], at[rows], most[rows] = _judged(knots, last[rows])
    return Compared(below, best, at, np.maximum(most, rest))


def _down_to(steep: Contrast, goal: FloatArray, last: FloatArray, furthest: FloatArray) -> FloatArray:
    """The first of some eps from the ``last`` on from where q is certainly no more than the goal; else the furthest."""
    end = last
    for share in _FARTHER:
        lacking: BoolArray = ~(steep.beyond(end) <= goal)
        if not np.any(lacking):
            break
        end = np.where(lacking, last + share * (furthest - last), end)
    return end


def _lacking(knots: Knots, last: FloatArray) -> FloatArray:
    """How much each interval that begins before the last eps lacks to q >= 0."""
    lacking = np.maximum(-knots.least(), 0.0).max(axis=1)
    return np.where(knots.epsilon[:, :-1] < last[:, None], lacking, 0.0)


def _judged(knots: Knots, last: FloatArray) -> Compared:
    """The same, up to the last knot."""
    below: BoolArray = np.all(_lacking(knots, last) == 0.0, axis=1)
    q, here = knots.of_both(), np.arange(len(last))
    top = np.argmax(q, axis=1)
    return Compared(below, q[here, top], knots.epsilon[here, top], knots.most().min(axis=1).max(axis=1))


def _about_peak(knots: Knots, last: FloatArray, fan: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, BoolArray]:
    """A fan about the peak of q, as a parabola through three knots has it, the second fan where that is eps = 0; and on
    which line.
    """
    here = np.arange(len(last))
    q, e = knots.of_both(), knots.epsilon
    top = np.argmax(q, axis=1)
    i = np.clip(top, 1, q.shape[1] - 2)
    a, b, c = (e[here, i + k] for k in (-1, 0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):  # knots that stand on both lines tell no slope
        left, right = (q[here, i] - q[here, i - 1]) / (b - a), (q[here, i + 1] - q[here, i]) / (c - b)
        bend = (right - left) / (c - a)
        peak = 0.5 * (a + b) - 0.5 * left / bend
    peak = np.where((bend < 0.0) & (peak > a) & (peak < c), peak, e[here, top])
    places = peak[:, None] + last[:, None] * np.where((peak > 0.0)[:, None], *fan)
    return _within(knots, places, knots.steep[here, top])


def _between(knots: Knots, last: FloatArray, wide: FloatArray, places: int) -> tuple[FloatArray, BoolArray]:
    """Places in the intervals of one line that are not settled, as many as what bends in them wants, but no more than
    some: a row is filled up with its last.
    """
    here = np.arange(len(knots.epsilon))
    lacking = _lacking(knots, last)
    best = knots.of_both().max(axis=1)[:, None]
    beyond = np.maximum(knots.most().min(axis=1) - best - wide, 0.0)
    low = np.minimum(knots.value[..., :-1], knots.value[..., 1:]) - knots.open
    high = (best + wide)[:, None, :] - np.maximum(knots.value[..., :-1], knots.value[..., 1:]) - knots.open
    wanted = np.where(lacking > 0.0, _sections(knots.bend, low).max(axis=1), 0.0)
    wanted = np.where(beyond > 0.0, np.maximum(wanted, _sections(knots.bend, high).min(axis=1)), wanted)
    loose = np.where(lacking.max(axis=1)[:, None] > 0.0, lacking, beyond)
    steep = knots.steep[here, np.argmax(loose, axis=1)]
    inner = np.where((knots.steep[:, 1:] == steep[:, None]) & (wanted > 0.0), wanted - 1.0, 0.0).astype(np.int64)
    ends = np.cumsum(inner, axis=1)
    count = int(min(places, max(ends[:, -1].max(), 1)))
    place = np.minimum(np.arange(count), np.maximum(ends[:, -1:] - 1, 0))
    which = np.minimum((ends[:, None, :] <= place[..., None]).sum(axis=2), inner.shape[1] - 1)
    before = np.take_along_axis(ends - inner, which, 1)
    share = (1.0 + place - before) / (1.0 + np.take_along_axis(inner, which, 1))
    start, stop = (np.take_along_axis(knots.epsilon, which + k, 1) for k in (0, 1))
    return _within(knots, start + (stop - start) * share, steep)


def _sections(bend: FloatArray, room: FloatArray) -> FloatArray:
    """In how many an interval is divided for its bend to be less than there is room for: two at least."""
    wanted = _MISSED * np.sqrt(bend / np.where(room > 0.0, room, TINY))
    return np.clip(np.ceil(np.where(np.isfinite(wanted), wanted, _SECTIONS)), 2.0, _SECTIONS)


def _within(knots: Knots, epsilon: FloatArray, steep: BoolArray) -> tuple[FloatArray, BoolArray]:
    """The same places, none of them outside the stretch of the line."""
    own = knots.steep == steep[:, None]
    low = np.where(own, knots.epsilon, np.inf).min(axis=1)[:, None]
    high = np.where(own, knots.epsilon, -np.inf).max(axis=1)[:, None]
    return np.sort(np.clip(epsilon, low, high), axis=1), steep


def _read(pair: _Pair, rows: IntArray, epsilon: FloatArray, steep: BoolArray) -> Knots:
    """Knots of some settings, each on one of its lines."""
    parts = [part for part in (np.flatnonzero(~steep), np.flatnonzero(steep)) if len(part)]
    lines = [pair[int(steep[part[0]])] for part in parts]
    read = [rows_of(line, rows[p]).read(epsilon[p], bool(steep[p[0]])) for line, p in zip(lines, parts, strict=True)]
    if len(read) == 1:
        return read[0]
    order = np.argsort(np.concatenate(parts), kind="stable")
    return Knots(*(np.concatenate(columns)[order] for columns in zip(*read, strict=True)))
