"""A path through the upper half plane: delta of a composition in one direction, from both sides (docs/proofs/paths.md).

    delta(eps) = 1 - p + (1 / pi) Im of the integral of e^{K(z) - z eps} / (z (z + 1)) dz

along a polyline from a real c > 0 upward (Lemma 7), K and p as on a line. Each segment by Gauss's rule, whose error is
bounded on a rectangle about an ellipse; what is above the last point is bounded by its modulus.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from flint import acb, arb

from neyman_check.deltas.line import Ball
from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Law, Near, demand
from neyman_check.laws.gauss import ROOT, Segment
from neyman_check.laws.told import Polyline, Told
from neyman_check.work import Work

__all__ = ["Bound", "Path", "Route", "Sum"]


class Route(NamedTuple):
    """What somebody chose: whether it is good, the path finds out."""

    remove: bool
    points: Polyline
    told: tuple[Told, ...]


class Bound(NamedTuple):
    """At one eps size e^{-rate eps}."""

    size: arb
    rate: arb

    def at(self, epsilon: arb) -> arb:
        """There."""
        return self.size * (-self.rate * epsilon).exp()


class Sum(NamedTuple):
    """Im of a sum of value e^{-z eps} over (z, value), which errs by no more than the largest bound of each group."""

    terms: Sequence[tuple[acb, acb]]
    bounds: Sequence[Sequence[Bound]]


class Path:
    """The values at the nodes are found once, and serve every eps."""

    def __init__(self, laws: Sequence[Law], route: Route, work: Work) -> None:
        self.remove, line, told = route
        self.c = line.points[0].real
        demand(len(told) == len(laws), "a path of other steps than the mechanism's")
        _upward(line)
        self.each = 3 * EXP * (sum(line.counts) + 4 * len(line.counts) + 1)
        work.spend(self.each + ROOT * sum(line.counts))
        self._terms: list[tuple[acb, acb]] = []
        self._errors: list[list[Bound]] = []
        self.kept, near = arb(1), list[Near]()
        for law in laws:
            self.kept *= law.kept(self.remove)
        for j, count in enumerate(line.counts):
            for law, one in zip(laws, told, strict=True):
                once, each = law.toll(one, j)
                work.spend(once + (count + 5) * (each + 4 * EXP))
            near = [law.near(one, j, self.remove) for law, one in zip(laws, told, strict=True)]
            segment = Segment(line.points[j], line.points[j + 1], count, line.ellipses[j])
            self._terms += self._along(segment, (line.points[j], line.points[j + 1]), near)
            self._errors.append(self._about(segment, near))
        self._last = self._above(line.points[-1], near)

    def delta(self, epsilon: arb) -> Ball:
        """Lemma 7."""
        whole = self.along(epsilon) + (1 - self.kept)
        off = self.error(epsilon) + self.above(epsilon)
        return Ball(whole - off, whole + off)

    @property
    def sum(self) -> Sum:
        """All that depends on eps, what is above the last point left out."""
        return Sum([(z, value / arb.pi()) for z, value in self._terms], self._errors)

    @property
    def last(self) -> Bound:
        """Of what is above the last point."""
        return self._last

    def along(self, epsilon: arb) -> arb:
        """The integral by the rules."""
        return sum((term * (-z * epsilon).exp() for z, term in self._terms), acb(0)).imag / arb.pi()

    def error(self, epsilon: arb) -> arb:
        """What the rules err by: convex on each rectangle, so that its corners tell."""
        total = arb(0)
        for bounds in self._errors:
            most = bounds[0].at(epsilon)
            for bound in bounds[1:]:
                most = most.max(bound.at(epsilon))
            total += most
        return total

    def above(self, epsilon: arb) -> arb:
        """What is above the last point."""
        return self._last.at(epsilon)

    def turned(self, z: acb) -> acb:
        """w, or the number to which it is conjugate, above the real axis."""
        return z + 1 if self.remove else acb(-z.real, z.imag)

    def _along(self, segment: Segment, ends: tuple[acb, acb], near: Sequence[Near]) -> list[tuple[acb, acb]]:
        nodes = segment.nodes()
        points, (start, end) = [self.turned(z) for z, _ in nodes], ends
        values = [acb(1)] * len(nodes)
        for one in near:
            found = one.at(points, (self.turned(start), self.turned(end)))
            values = [u * v for u, v in zip(values, found, strict=True)]
        if not self.remove:
            values = [v.conjugate() for v in values]
        return [(z, weight * v / (z * (z + 1))) for (z, weight), v in zip(nodes, values, strict=True)]

    def _most(self, z: acb, about: arb, near: Sequence[Near]) -> arb:
        """|e^{K(z)}| at most."""
        most, w = arb(1), self.turned(z)
        for one in near:
            most *= one.most(w, about)
        return most

    def _about(self, segment: Segment, near: Sequence[Near]) -> list[Bound]:
        apart = segment.apart(arb(0)) * segment.apart(arb(-1))
        demand(apart > 0, "an ellipse that reaches a pole")
        scale, about = segment.error / (apart * arb.pi()), abs(segment.middle.imag)
        return [Bound(scale * self._most(z, about, near), z.real) for z in segment.corners()]

    def _above(self, last: acb, near: Sequence[Near]) -> Bound:
        """|z (z + 1)| >= omega^2."""
        return Bound(self._most(last, last.imag, near) / (arb.pi() * last.imag), last.real)


def _upward(line: Polyline) -> None:
    points = line.points
    if not (len(points) >= 2 and len(line.counts) == len(line.ellipses) == len(points) - 1):
        raise NotProved("a path that is none")
    demand(points[0].imag == 0 and points[0].real > 0, "a path that does not begin on the real axis, above 0")
    for one, next_ in pairwise(points):
        demand(next_.imag > one.imag, "a path that does not go up")
