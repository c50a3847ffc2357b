"""A path that forks: delta of sampled Laplace steps in one direction, from both sides (docs/proofs/forks.md).

A step is a sum of parts, each of its own loss (Lemmas F1, F3), and e^{K(z)} one over how often each of them came. Above
a trunk sums of losses below eps are led to the right and the others to the left, where e^{K(z) - z eps} falls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import acb, acb_poly, arb, arb_poly, ctx, fmpz

from neyman_check.deltas.line import Ball
from neyman_check.deltas.path import Bound, Path, Route, Sum
from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Law, demand
from neyman_check.laws.ends import work_of_ends
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.gauss import ROOT, Segment
from neyman_check.laws.laplace import SampledLaplace
from neyman_check.laws.parted import Parted
from neyman_check.laws.told import Polyline
from neyman_check.work import Work

__all__ = ["Fork", "ForkPlan"]

_MOST_STEPS = 5000
_MOST_BITS = 1024  # of an arm
_SPARE = 16  # bits
_POWER, _MOST_KEPT = 60, 60_000  # units of work of a coefficient of a power, and how many an arm keeps
_MOST_KNOWN = 12  # choices of outcomes of which an arm keeps the sums
_LITTLE = 0.01  # of what the trunk errs by: a segment whose nodes come to less is left out


class ForkPlan(NamedTuple):
    """What somebody chose: whether it is good, the fork finds out. Both arms begin where the trunk ends."""

    remove: bool
    trunk: Polyline
    left: Polyline
    right: Polyline


class Fork:
    """The values at the nodes are found once, and serve every eps."""

    def __init__(self, laws: Sequence[Law], plan: ForkPlan, work: Work) -> None:
        if not (len(laws) == 1 and isinstance(laws[0], (SampledLaplace, ExchangedLaplace))):
            raise NotProved("a fork of anything but sampled Laplace steps of one kind")
        self._law, self.remove = laws[0], plan.remove
        if self.times > _MOST_STEPS:
            raise NotProved(f"a fork of more than {_MOST_STEPS} steps")
        start = plan.trunk.points[-1]
        for arm in (plan.left, plan.right):
            demand(bool(arm.points[0] == start), "an arm that does not begin where the trunk ends")
        self._trunk = Path(laws, Route(plan.remove, plan.trunk, (None,)), work)
        self.turned = self._trunk.turned
        work.spend(work_of_ends())
        self._bits = self._more(start)
        with ctx.workprec(ctx.prec + self._bits):
            work.spend(work_of_ends() + self.times**2 // 4)
            self.binomials = _binomials(self.times)
            parted = self._law.parted()
            self._first, self._gap = self.times * parted.first, parted.gap
            self._left, self._right = (_Arm(parted, self, arm, work) for arm in (plan.left, plan.right))
        self.each = self._trunk.each + self.dearer * EXP * (len(plan.left.counts) + len(plan.right.counts))

    @property
    def times(self) -> int:
        """T."""
        return self._law.times

    @property
    def outcomes(self) -> int:
        """How many sums of losses of all steps there are."""
        return self.times * (2 if isinstance(self._law, ExchangedLaplace) else 1) + 1

    @property
    def dearer(self) -> int:
        """How many times more a unit of work takes at the bits that the arms have."""
        return 1 + self._bits // 128

    def delta(self, epsilon: arb) -> Ball:
        """Lemma F2."""
        whole, off = self._trunk.along(epsilon), self._trunk.error(epsilon)
        with ctx.workprec(ctx.prec + self._bits):
            for arm, chosen in self._chosen(epsilon):
                total, error = arm.sums(epsilon, chosen, off)
                whole, off = whole + total, off + error
            low, high = whole - off, whole + off
        return Ball(+low, +high)

    @property
    def c(self) -> arb:
        """Where the trunk begins, above 0."""
        return self._trunk.c

    @property
    def bits(self) -> int:
        """More of them that the arms have."""
        return self._bits

    def sum(self, epsilon: arb) -> Sum:
        """The same of every eps, as outcomes are led at one; asked for at the precision of the arms."""
        trunk = self._trunk.sum
        terms, bounds = list(trunk.terms), list(trunk.bounds)
        for arm, chosen in self._chosen(epsilon):
            if chosen:
                one = arm.sum(chosen)
                terms += one.terms
                bounds += one.bounds
        return Sum(terms, bounds)

    @property
    def nodes(self) -> int:
        """Of trunk and arms."""
        return len(self._trunk.sum.terms) + sum(arm.nodes for arm in (self._left, self._right))

    def _chosen(self, epsilon: arb) -> list[tuple[_Arm, range]]:
        number = self._before(epsilon)
        before, after = range(number), range(number, self.outcomes)
        if not self.remove:  # losses are exchanged for their opposites
            before, after = after, before
        return [(self._right, before), (self._left, after)]

    def _before(self, epsilon: arb) -> int:
        """How many of the losses, in order, are below eps, or with P and Q exchanged below -eps; about."""
        place = (epsilon if self.remove else -epsilon) - self._first
        share = float((place / self._gap).mid())
        demand(not math.isnan(share), "ends of losses that are not told apart")
        return int(min(max(share + 1.0, 0.0), float(self.outcomes)))

    def _more(self, start: acb) -> int:
        """The bits that the sum over outcomes loses where it begins."""
        parts = self._law.parted().parts(self.turned(start))
        lost = self.times * (sum((abs(one) for one in parts), arb(0)) / abs(sum(parts, acb(0)))).log()
        bits = float((lost / arb(2).log()).upper())
        if not ctx.prec + bits < _MOST_BITS:
            raise NotProved("outcomes that cancel")
        return int(bits) + _SPARE


class _Edge(NamedTuple):
    """At one real part bounds of the same, and what their sums are multiplied by."""

    scale: arb
    real: arb
    parts: Sequence[arb]


class _Segment(NamedTuple):
    """Of some outcomes: nodes with what they are worth, bounds of the error at both sides, and how many times that the
    sum over the nodes may be.
    """

    terms: list[tuple[acb, acb]]
    left: Bound
    right: Bound
    more: arb


class _Sums(NamedTuple):
    """Of some outcomes: every segment, and a bound of what is above."""

    segments: list[_Segment]
    above: Bound


class _Node(NamedTuple):
    """z, its weight, and the two parts of a step there, or all outcomes of all steps."""

    z: acb
    weight: acb
    parts: Sequence[acb]


class _Laid(NamedTuple):
    """A segment: nodes, and both edges of a rectangle about its ellipse."""

    nodes: list[_Node]
    left: _Edge
    right: _Edge
    more: arb


class _Arm:
    """To one side."""

    def __init__(self, parted: Parted, fork: Fork, line: Polyline, work: Work) -> None:
        self._parted, self._fork, self._work, self._turned = parted, fork, work, fork.turned
        self._known: dict[tuple[int, int], _Sums] = {}
        self._laid, self._room = list[_Laid](), _MOST_KEPT
        for j, count in enumerate(line.counts):
            work.spend(ROOT * fork.dearer * count)
            self._laid.append(self._along(Segment(line.points[j], line.points[j + 1], count, line.ellipses[j])))
        last = line.points[-1]
        demand(last.imag > 0, "an arm that comes down to the real axis")
        self._last = self._edge(1 / (arb.pi() * last.imag), last.real, last.imag)

    def _along(self, segment: Segment) -> _Laid:
        nodes: list[_Node] = []
        for z, weight in segment.nodes():
            w = self._turned(z)
            self._work.spend(self._parted.work(w))
            nodes.append(_Node(z, weight / (z * (z + 1) * arb.pi()), self._listed(self._parted.parts(w))))
        left, right = self._about(segment)
        return _Laid(nodes, left, right, 2 * abs(segment.half) / segment.error)

    def sums(self, epsilon: arb, chosen: range, off: arb) -> tuple[arb, arb]:
        """Over outcomes of which so many steps are at the high end: the integral, and what it errs by."""
        if not chosen:
            return arb(0), arb(0)
        own, total = self._of(chosen), acb(0)
        little, error = off * _LITTLE, own.above.at(epsilon)
        for one in own.segments:
            rule = one.left.at(epsilon).max(one.right.at(epsilon))
            error += rule
            nodes = rule * one.more
            if nodes < little:
                error += nodes
                continue
            self._work.spend(self._fork.dearer * 3 * EXP * len(one.terms))
            total += sum((value * (-z * epsilon).exp() for z, value in one.terms), acb(0))
        return total.imag, error

    @property
    def nodes(self) -> int:
        """Of all its segments."""
        return sum(len(one.nodes) for one in self._laid)

    def sum(self, chosen: range) -> Sum:
        """The same of every eps."""
        own = self._of(chosen)
        terms = [one for segment in own.segments for one in segment.terms]
        return Sum(terms, [*((one.left, one.right) for one in own.segments), (own.above,)])

    def _of(self, chosen: range) -> _Sums:
        key = chosen.start, chosen.stop
        if key not in self._known:
            times, outcomes = self._fork.times, self._fork.outcomes
            values = sum(len(one.nodes) + 2 for one in self._laid) + 1
            self._work.spend(self._fork.dearer * (2 * outcomes + EXP) * values)
            self._work.spend(outcomes * (EXP + outcomes // 64))
            weights = [one if j in chosen else fmpz(0) for j, one in enumerate(self._fork.binomials)]
            many, most = acb_poly(weights), arb_poly(weights)

            def bound(edge: _Edge) -> Bound:
                return Bound(edge.scale * _share(edge.parts, times, chosen, most), edge.real)

            def segment(one: _Laid) -> _Segment:
                terms = [(z, weight * self._told(_share(parts, times, chosen, many))) for z, weight, parts in one.nodes]
                return _Segment(terms, bound(one.left), bound(one.right), one.more)

            if len(self._known) >= _MOST_KNOWN:
                self._known.pop(next(iter(self._known)))
            self._known[key] = _Sums([segment(one) for one in self._laid], bound(self._last))
        return self._known[key]

    def _told(self, value: acb) -> acb:
        return value if self._fork.remove else value.conjugate()

    def _edge(self, scale: arb, real: arb, height: arb) -> _Edge:
        """Wherever the height is no less."""
        x = self._turned(acb(real)).real
        return _Edge(scale, real, self._listed(self._parted.most(x, height)))

    def _listed(self, parts: Sequence[Any]) -> Sequence[Any]:
        """Of more than two parts of a step all outcomes of all steps, the coefficients of a power."""
        if len(parts) == 2:
            return parts
        outcomes, times = self._fork.outcomes, self._fork.times
        self._room -= outcomes
        demand(self._room > 0, "more outcomes at more nodes than are kept")
        self._work.spend(self._fork.dearer * (_POWER + outcomes) * outcomes)
        make = acb_poly if isinstance(parts[0], acb) else arb_poly
        found = (make(list(parts)) ** times).coeffs()
        return found + [parts[0] * 0] * (outcomes - len(found))

    def _about(self, segment: Segment) -> tuple[_Edge, _Edge]:
        """Both sides of a rectangle that holds its ellipse."""
        apart, corners = segment.apart(arb(0)) * segment.apart(arb(-1)), segment.corners()
        demand(apart > 0, "an ellipse that reaches a pole")
        reals, heights = [z.real for z in corners], [z.imag for z in corners]
        left, right, height = reals[0], reals[0], heights[0]
        for x, y in zip(reals[1:], heights[1:], strict=True):
            left, right, height = left.min(x), right.max(x), height.min(y)
        demand(height > 0, "an ellipse that comes down to the real axis")
        scale = segment.error / (apart * arb.pi())
        return self._edge(scale, left, height), self._edge(scale, right, height)


def _share(parts: Sequence[Any], times: int, chosen: range, many: Any) -> Any:
    """What the outcomes that are chosen come to: of two parts by binomials, else as they are listed."""
    if len(parts) > 2:
        return sum(parts[chosen.start : chosen.stop], parts[0] * 0)
    low, high = parts
    return many(high / low) * low**times


def _binomials(times: int) -> list[fmpz]:
    found = [fmpz(1)]
    for j in range(times):
        found.append(found[-1] * (times - j) // (j + 1))
    return found
