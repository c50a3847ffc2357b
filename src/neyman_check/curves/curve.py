"""A trade-off curve f between two polygons that follow from finitely many proved deltas (docs/proofs/curve.md).

With t = e^eps, delta is convex and falls in t, is 1 at t = 0 and >= 1 - t, and f(a) = sup over t of 1 - delta - t a.

    f from below   each proved delta <= u at t gives the line 1 - u - t a
    delta from below   between two places it lies above the chords of its neighbours, drawn on:
                       l_i + (l_i - u_{i-1}) / (t_i - t_{i-1}) (t - t_i), and the same from the right
    f from above   the largest 1 - l(t) - t a, l that polygon: at one of its corners
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from flint import arb

from neyman_check.errors import NotProved

__all__ = ["Curve", "Place", "Reference", "hull", "largest"]


_STRAIGHT, _LOWERED = arb(2) ** -90, arb(2) ** -70
"""How far a corner must stick out to count, and by how much all are lowered so that the others lie above: any choice
is sound, and checked."""


class Place(NamedTuple):
    """eps, t = e^eps, and bounds on delta there."""

    epsilon: arb
    t: arb
    lower: arb
    upper: arb


class Reference(NamedTuple):
    """A profile known in closed form: delta at t, and (value at t, slope) of a line that lies nowhere above it; its mu
    if it is a Gaussian's.
    """

    delta: Callable[[arb], arb]
    line: Callable[[arb], tuple[arb, arb]]
    mu: arb | None = None


class _Cell(NamedTuple):
    """Between two neighbours, delta is at least either line (value at ``at``, slope)."""

    left: Place
    right: Place
    after: tuple[arb, arb]  # through the left place and the one before it: value at left.t, slope
    before: tuple[arb, arb]  # through the right place and the one after it: value at right.t, slope
    split: arb


class Curve:
    """``places`` by ascending t > 0, all of one curve."""

    def __init__(self, places: Sequence[Place]) -> None:
        if not places:
            raise NotProved("no delta was proved")
        start = Place(arb.neg_inf(), arb(0), arb(1), arb(1))
        self.places = [start, *_falling(places)]
        for p, q in pairwise(self.places):
            if not p.t < q.t:
                raise NotProved("places that do not ascend")
        self._cells = [self._cell(i) for i in range(len(self.places) - 1)]

    def _cell(self, i: int) -> _Cell:
        left, right = self.places[i], self.places[i + 1]
        after = left.lower, arb(-1)  # from t = 0 on
        if i:
            before_left = self.places[i - 1]
            slope = (left.lower - before_left.upper) / (left.t - before_left.t)
            after = left.lower, slope.lower().max(arb(-1))  # convex, and delta(0) = 1
        before = right.lower, arb(0)  # delta falls
        if i + 2 < len(self.places):
            beyond = self.places[i + 2]
            slope = (beyond.upper - right.lower) / (beyond.t - right.t)
            before = (right.lower, slope) if slope < 0 else before
        return _Cell(left, right, after, before, _meeting(after, left.t, before, right.t))

    def delta_at_most(self, epsilon: arb) -> arb:
        """delta falls: a place before says what is most."""
        most = arb(1)
        for p in self.places:
            if p.epsilon <= epsilon and p.upper < most:
                most = p.upper.upper()
        return most

    def delta_at_least(self, epsilon: arb) -> arb:
        """And one after it what is least."""
        least = arb(0)
        for p in self.places:
            if p.epsilon >= epsilon and p.lower > least:
                least = p.lower.lower()
        return least

    def at_least(self, alpha: arb) -> arb:
        """f(alpha) is no less."""
        best = arb(0)
        for place in self.places:
            best = best.max((1 - place.upper - place.t * alpha).lower())
        return best

    def at_most(self, alpha: arb) -> arb:
        """f(alpha) is no more."""
        most = arb(0)
        for _, one in self.rises(alpha):
            most = most.max(one)
        return most.min(1 - alpha)

    def rises(self, alpha: arb, enough: arb | None = None) -> Iterator[tuple[tuple[arb, arb], arb]]:
        """Cell by cell, by its ends, 1 - delta - t alpha is no more; no closer than ``enough``."""
        for left, right, after, before, split in self._cells:
            if enough is not None:  # delta falls
                most = (1 - right.lower - left.t * alpha).max(arb(0))
                if most <= enough:
                    yield (left.epsilon, right.epsilon), most
                    continue
            most = arb(0)
            # on each side of the split the objective is straight: its largest value is at an end
            for t in (left.t, split):
                most = most.max(1 - after[0] - after[1] * (t - left.t) - t * alpha)
            for t in (split, right.t):
                most = most.max(1 - before[0] - before[1] * (t - right.t) - t * alpha)
            yield (left.epsilon, right.epsilon), most
        last = self.places[-1]
        yield (last.epsilon, arb.pos_inf()), 1 - last.t * alpha  # beyond the last place delta is at least 0

    def falls_short(self, other: Reference) -> list[arb]:
        """At most, cell by cell and beyond the last: (delta_other - delta) / (1 + t), how much more ``other`` tells."""
        found: list[arb] = []
        told = [other.delta(p.t) for p in self.places]
        for (left, right, after, before, split), high, low in zip(self._cells, told, told[1:], strict=False):
            # the other lies below its chord
            rise = (low - high) / (right.t - left.t)
            ends = [(t, after, left.t) for t in (left.t, split)] + [(t, before, right.t) for t in (split, right.t)]
            found.append(
                largest([(high + rise * (t - left.t) - v - slope * (t - at)) / (1 + t) for t, (v, slope), at in ends])
            )
        last = self.places[-1]
        return [*found, told[-1] / (1 + last.t)]

    def surpasses(self, other: Reference) -> list[arb]:
        """At most, cell by cell and beyond the last: (delta - delta_other) / (1 + t), how much less ``other`` tells."""
        found: list[arb] = []
        told = [other.line(p.t) for p in self.places]
        for (left, right, *_), first, second in zip(self._cells, told, told[1:], strict=False):
            rise = (right.upper - left.upper) / (right.t - left.t)  # delta lies below its chord
            split = _meeting(first, left.t, second, right.t)
            ends = [(t, first, left.t) for t in (left.t, split)] + [(t, second, right.t) for t in (split, right.t)]
            found.append(
                largest(
                    [(left.upper + rise * (t - left.t) - v - slope * (t - at)) / (1 + t) for t, (v, slope), at in ends]
                )
            )
        last = self.places[-1]
        return [*found, last.upper / (1 + last.t)]

    def area(self) -> tuple[arb, arb]:
        """Bounds on the area below f, from 0 to 1."""
        less = sum(
            ((b - a) * (1 - p.upper - p.t * (a + b) / 2).max(arb(0)) for a, b, p in self.lines(arb(0), arb(1))),
            arb(0),
        )
        return less, self._area_above()

    def _area_above(self) -> arb:
        """f is at most the largest 1 - l(t) - t a, l a convex polygon that delta is nowhere below: straight in a
        between its slopes.
        """
        corners = self._corners()
        kept, slopes = _surely_convex(hull([(t.mid(), y.mid()) for t, y in corners]), corners)
        chosen = [(corners[i][0], corners[i][1] - _LOWERED) for i in kept]
        for (t0, y0), slope, i, j in zip(chosen, slopes, kept, kept[1:], strict=False):
            if not all(y >= y0 + slope * (t - t0) for t, y in corners[i + 1 : j]):
                raise NotProved("a corner below the polygon of the others")
        total, at = arb(0), arb(1)
        for (t, y), stop in zip(chosen, [*(-slope for slope in slopes), arb(0)], strict=True):
            stop = stop.max(arb(0)).min(at)
            total += (at - stop) * (1 - y - t * (at + stop) / 2)
            at = stop
        return total

    def _corners(self) -> list[tuple[arb, arb]]:
        """A polygon that delta is nowhere below: between neighbours both lines, beyond the last place one, then 0."""
        corners = [(self.places[0].t, self.places[0].lower)]
        for left, right, (v, fall), (w, rise), split in self._cells:
            if not (split > left.t and split < right.t):
                split = (left.t + right.t) / 2
            meeting = (v + fall * (split - left.t)).min(w + rise * (split - right.t))
            inside, slope = split > left.t and split < right.t, (right.lower - left.lower) / (right.t - left.t)
            if inside or not (slope <= fall or slope >= rise):  # else one of both lines is nowhere below their chord
                corners.append((split, meeting))
            corners.append((right.t, right.lower))
        last, before = self.places[-1], self.places[-2]
        slope = (last.lower - before.upper) / (last.t - before.t)
        if last.lower > 0 and slope < 0:
            return [*corners, (last.t - last.lower / slope, arb(0))]
        return [*corners[:-1], (last.t, arb(0))]

    def lines(self, first: arb, last: arb) -> list[tuple[arb, arb, Place]]:
        """[first, last] in pieces, each with the place whose line is about the largest there."""
        chosen: list[tuple[float, Place]] = []  # by falling steepness: from where on each is the largest
        for place in reversed(self.places):
            start = 0.0
            while chosen:
                _, other = chosen[-1]
                start = float(((place.upper - other.upper) / (other.t - place.t)).mid())
                if start > chosen[-1][0]:
                    break
                chosen.pop()
                start = 0.0
            chosen.append((start if chosen else 0.0, place))
        pieces: list[tuple[arb, arb, Place]] = []
        at = first
        for i, (_, place) in enumerate(chosen):
            stop = arb(chosen[i + 1][0]) if i + 1 < len(chosen) else last
            if stop > at:
                stop = stop.min(last)
                pieces.append((at, stop, place))
                at = stop
            if not at < last:
                break
        return pieces


def _falling(places: Sequence[Place]) -> list[Place]:
    """Within what is true of any delta, and no larger than before, nor smaller than after."""
    most, least = arb(1), arb(0)
    uppers, lowers = list[arb](), list[arb]()
    for p in places:
        most = most if p.upper >= most else p.upper.upper().min(most)
        uppers.append(most)
    for p in reversed(places):
        least = least if p.lower <= least else p.lower.lower().max(least)
        lowers.append(least)
    return [
        Place(p.epsilon, p.t, low.max(1 - p.t), high)
        for p, low, high in zip(places, reversed(lowers), uppers, strict=True)
    ]


def largest(values: Sequence[arb]) -> arb:
    """Of all, as a ball."""
    first, *others = values
    for other in others:
        first = first.max(other)
    return first


def _meeting(first: tuple[arb, arb], t0: arb, second: tuple[arb, arb], t1: arb) -> arb:
    """About where two lines (value, slope) through t0 and t1 meet: any place from t0 to t1 will do."""
    gap = second[1] - first[1]
    if not gap > 0:
        return t1
    meet = ((first[0] - second[0] + second[1] * t1 - first[1] * t0) / gap).mid()
    return t0 if meet <= t0 else meet if meet <= t1 else t1


def _surely_convex(about: Sequence[int], corners: Sequence[tuple[arb, arb]]) -> tuple[list[int], list[arb]]:
    """Of a hull, those corners between which slopes surely ascend, and the slopes."""
    kept, slopes = [about[0]], list[arb]()
    for i in about[1:]:
        t, y = corners[i]
        while True:
            before = corners[kept[-1]]
            slope = (y - before[1]) / (t - before[0])
            if not slopes or slopes[-1] <= slope:
                break
            kept.pop()
            slopes.pop()
        kept.append(i)
        slopes.append(slope)
    return kept, slopes


def hull(points: Sequence[tuple[arb, arb]]) -> list[int]:
    """The numbers of those on the lower convex hull, about."""
    kept: list[int] = []
    for i, (x, y) in enumerate(points):
        while len(kept) > 1:
            (x0, y0), (x1, y1) = points[kept[-2]], points[kept[-1]]
            if (y - y0) * (x1 - x0) - (y1 - y0) * (x - x0) > _STRAIGHT * (x - x0):
                break
            kept.pop()
        kept.append(i)
    return kept
