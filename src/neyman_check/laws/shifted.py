"""A(w) of a sampled Gaussian step at any complex w, on a polyline of x above the real axis (docs/proofs/paths.md).

A(w) is the integral of phi(x) e^{other(x) + w loss(x)}. Lemma 8: Gauss's rule on each segment, and what is beyond both
ends. Lemma 9: the integral of the modulus along the polyline, a bound whose logarithm is convex in w and falls in Im w.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from flint import acb, arb

from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Near, demand, raised
from neyman_check.laws.gauss import ARCS, ROOT, Segment
from neyman_check.laws.left import TERMS, Left, above
from neyman_check.laws.told import Polyline, Told

__all__ = ["Shiftable", "Shifted", "above", "polyline", "shifting"]


class Shiftable(Protocol):
    """What is asked of a kind of step."""

    @property
    def s(self) -> arb:
        """The noise, in units of how far a record moves the query."""
        ...

    @property
    def times(self) -> int:
        """How many steps."""
        ...

    @abstractmethod
    def on_polyline(self, x: acb) -> tuple[acb, acb]:
        """Loss and other, continued to a ball of complex numbers."""

    @abstractmethod
    def before(self, first: arb, w: acb) -> arb:
        """The integral of the modulus from minus infinity to ``first``, at most."""

    @abstractmethod
    def left(self, first: arb) -> Left | None:
        """That integral itself, where it has a series."""

    @abstractmethod
    def after(self, last: acb, w: acb, rising: bool) -> arb:
        """That along a ray from ``last`` to infinity."""


class _Node(NamedTuple):
    loss: acb
    weight: acb
    size: arb


class _Arc(NamedTuple):
    """log |phi e^{other}| and the loss on a piece of an ellipse."""

    rest: arb
    real: arb
    imag: arb


class Shifted(Near):
    """Near one segment of a path."""

    def __init__(self, law: Shiftable, line: Polyline, mirrored: bool) -> None:
        self._law, self._mirrored = law, mirrored
        self._first, self._last = _ends(line)
        self._left = law.left(self._first)
        self._rising = bool(line.points[-1].imag > line.points[-2].imag)  # as its last segment, so its ray
        self._nodes: list[_Node] = []
        self._pieces: list[tuple[arb, list[_Arc]]] = []
        scale = 1 / (law.s * (2 * arb.pi()).sqrt())
        rows = zip(pairwise(line.points), line.counts, line.ellipses, strict=True)
        for segment in (Segment(*ends, count, rho) for ends, count, rho in rows):
            for x, weight in segment.nodes():
                loss, rest = self._logs(x)
                whole = weight * scale * rest.exp()
                self._nodes.append(_Node(loss, whole, abs(whole)))
            logs = [self._logs(x) for x in segment.arcs()]
            demand(all(a.is_finite() and b.is_finite() for a, b in logs), "an ellipse of x that meets a branch point")
            self._pieces.append((segment.error * scale, [_Arc(b.real, a.real, a.imag) for a, b in logs]))

    def _logs(self, x: acb) -> tuple[acb, acb]:
        loss, other = self._law.on_polyline(x)
        return loss, other - x * x / (2 * self._law.s * self._law.s)

    def at(self, points: Sequence[acb], ends: tuple[acb, acb]) -> list[acb]:
        """Lemma 8; what the rule errs by is convex along a segment: no more than at one of its ends."""
        start, end = (self._turned(one) for one in ends)
        off, terms = self._outside(start).max(self._outside(end)), 0
        if self._left is None:
            off += self._law.before(self._first, start).max(self._law.before(self._first, end))
        else:
            terms = self._left.terms((start, end))
            off += self._left.off((start, end), terms)
        radius = arb(0, off.upper())
        error, found = acb(radius, radius), list[acb]()
        for w in map(self._turned, points):
            total = sum((node.weight * (w * node.loss).exp() for node in self._nodes), acb(0))
            if self._left is not None:
                total += self._left.value(w, terms)
            value = raised(total + error, self._law.times)
            found.append(value.conjugate() if self._mirrored else value)
        return found

    def most(self, w: acb, about: arb) -> arb:
        """Lemma 9."""
        w = self._turned(w)
        x, y = w.real, w.imag
        sizes = (node.size * (x * node.loss.real - y * node.loss.imag).exp() for node in self._nodes)
        return raised(acb(sum(sizes, arb(0)) + self._before(w) + self._outside(w)), self._law.times).real.upper()

    def _turned(self, w: acb) -> acb:
        """A(w) is the conjugate of A there, where records are exchanged."""
        return acb(1 - w.real, w.imag) if self._mirrored else w

    def off(self, w: acb) -> arb:
        """What a value errs by, in all."""
        if self._left is None:
            return self._outside(w) + self._law.before(self._first, w)
        return self._outside(w) + self._left.off([w], self._left.terms([w]))

    def _before(self, w: acb) -> arb:
        """The integral of the modulus left of the polyline, at most."""
        if self._left is None:
            return self._law.before(self._first, w)
        x = acb(w.real)
        terms = self._left.terms([x])
        return self._left.value(x, terms).real + self._left.off([x], terms)

    def _outside(self, w: acb) -> arb:
        """What the rule errs by, with what is beyond its last corner."""
        x, y = w.real, w.imag
        total = self._law.after(self._last, w, self._rising)
        for error, arcs in self._pieces:
            top = (arcs[0].rest + x * arcs[0].real - y * arcs[0].imag).upper()
            for rest, real, imag in arcs[1:]:
                top = top.max((rest + x * real - y * imag).upper())
            total += error * top.exp()
        return total


def _ends(line: Polyline) -> tuple[arb, acb]:
    """From the real axis to the right, never below it."""
    points = line.points
    if not (len(points) >= 2 and len(line.counts) == len(line.ellipses) == len(points) - 1):
        raise NotProved("a polyline that is none")
    demand(points[0].imag == 0, "a polyline that does not begin on the real axis")
    for one, next_ in pairwise(points):
        demand(next_.real > one.real and next_.imag >= 0, "a polyline that goes back, or below the real axis")
    return points[0].real, points[-1]


def polyline(told: Told, segment: int) -> Polyline:
    """What a path was told of one of its segments."""
    if not (isinstance(told, tuple) and segment < len(told)):
        raise NotProved("a path says nothing of a sampled step")
    line = told[segment]
    if not isinstance(line, Polyline):
        raise NotProved("a line's grids on a path")
    return line


def shifting(line: Polyline) -> tuple[int, int]:
    """Units of work of a polyline, and of each value on it."""
    nodes, arcs = sum(line.counts), ARCS * len(line.counts)
    return (ROOT + 4 * EXP) * nodes + 4 * EXP * (arcs + TERMS), EXP * (nodes + 3 * TERMS) + arcs
