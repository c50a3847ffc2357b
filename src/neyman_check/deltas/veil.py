"""Laws whose transforms come back to full size, behind a veil of normal noise (docs/proofs/veil.md).

    h(s) - e^{s / 2} (h(4 s) - h(s)) <= delta <= h(s),      h(s) the delta of everything beside a Gaussian of mu^2 = s

A veil makes the transform die, however late; until then it is looked at only where all laws come back together. Of a
stretch of nodes that is left out every law's largest modulus is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import acb, acb_poly, arb

from neyman_check.deltas.line import Ball, Line, Plan
from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Gaussian, Law
from neyman_check.laws.integers import DiscreteGaussian
from neyman_check.work import Work

__all__ = ["Behind", "Veil", "VeilPlan"]

_FAR = 4  # times the square of the thin veil: that of the other
_LOOK = 30  # units of work that a law takes on a stretch
_PIECE = 32  # nodes whose powers are products
_MOST_KEPT = 20_000  # nodes that are looked at


class VeilPlan(NamedTuple):
    """What somebody chose: ``line`` with no step told anything, the veil's square, the runs of nodes that count, and
    how many e-folds below the first node a stretch may be left out.
    """

    line: Plan
    square: arb
    runs: tuple[tuple[int, int], ...]
    depth: arb


class Veil:
    """Two lines on the same nodes."""

    def __init__(self, laws: Sequence[Law], plan: VeilPlan, work: Work) -> None:
        line, square = plan.line, plan.square
        self.remove = line.remove
        if not (line.c > 0 and line.far > line.c and line.period > 0 and line.nodes >= 2 and square > 0):
            raise NotProved("a veil that is none")
        self._demand_runs(plan)
        nodes = [k for first, last in plan.runs for k in range(first, last + 1)]
        self.each = 8 * len(nodes) + 8 * EXP * (len(nodes) // _PIECE + len(plan.runs))
        work.spend(2 * self.each + sum(law.toll(None, 0)[1] * (len(nodes) + 4) for law in laws))
        w = line.c + 1 if self.remove else -line.c
        h = 2 * arb.pi() / line.period
        points = [acb(w, h * k) for k in nodes]
        values = [acb(1)] * len(nodes)
        for law in laws:
            values = [u * v for u, v in zip(values, law.values(points), strict=True)]
        rest = _Stretches(laws, plan, h, work).left_out()
        self._near, self._far = (
            Behind(laws, line, Gaussian(s), nodes, values, points, rest) for s in (square, _FAR * square)
        )
        self._room = (square / 2).exp()

    def _demand_runs(self, plan: VeilPlan) -> None:
        count = sum(b - a + 1 for a, b in plan.runs)
        ends = [k for run in plan.runs for k in run]
        rising = all(a <= b for a, b in plan.runs) and all(
            a[1] < b[0] for a, b in zip(plan.runs, plan.runs[1:], strict=False)
        )
        if not (ends and ends[0] == 0 and ends[-1] < plan.line.nodes and rising and count <= _MOST_KEPT):
            raise NotProved("runs of nodes that do not ascend from the first one, or too many of them")

    @property
    def lines(self) -> tuple[Behind, Behind]:
        """That of the thin veil, and the other."""
        return self._near, self._far

    @property
    def room(self) -> arb:
        """What the difference of both is multiplied by."""
        return self._room

    def delta(self, epsilon: arb) -> Ball:
        """Lemma V1."""
        near, far = self._near.delta(epsilon), self._far.delta(epsilon)
        return Ball(near.lower - self._room * (far.upper - near.lower).max(arb(0)), near.upper)


class Behind(Line):
    """One of both lines: Lemma 1 with what is left out of the sum."""

    def __init__(
        self, laws: Sequence[Law], plan: Plan, veil: Gaussian, nodes: Sequence[int], values: Sequence[acb],
        points: Sequence[acb], rest: arb,
    ) -> None:  # fmt: skip
        self.plan, self.remove = plan, plan.remove
        self.c, self.far, self.period, n = plan.c, plan.far, plan.period, plan.nodes
        self.h = 2 * arb.pi() / self.period
        w, w2 = (self.c + 1, self.far + 1) if self.remove else (-self.c, -self.far)
        largest = veil.real(w, None)
        self.top, self.kept = veil.real(w2, None), arb(1)
        for law in laws:
            largest *= law.real(w, None)
            self.top *= law.real(w2, None)
            self.kept *= law.kept(self.remove)
        self.rest = largest * (-veil.square * (self.h * n) ** 2 / 2).exp()
        self._left_out = largest * rest
        veiled = zip(nodes, values, veil.values(points), strict=True)
        terms = [self._term(k, v * dying) for k, v, dying in veiled]
        self.terms = [(k, v.mid()) for k, v in zip(nodes, terms, strict=True)]
        self._runs = _runs(nodes, [v for _, v in self.terms])  # turning blows balls up, which midpoints are spared
        self.off = sum((v.real.rad() + v.imag.rad() for v in terms), arb(0)).upper()

    def _term(self, k: int, value: acb) -> acb:
        z = acb(self.c, self.h * k)
        turned = value if self.remove else value.conjugate()
        return turned / (z * (z + 1)) / (1 if k else 2)

    def _turned(self, by: acb) -> acb:
        q = by.exp()
        return sum(((by * first).exp() * values(q) for first, values in self._runs), acb(0))

    def cut(self, epsilon: arb) -> arb:
        """Beyond the last node, and what is left out before."""
        return super().cut(epsilon) + self._left_out * (-self.c * epsilon).exp() / (arb.pi() * self.h)


def _runs(nodes: Sequence[int], values: Sequence[acb]) -> list[tuple[int, acb_poly]]:
    """The first node of each piece of a run, and the others as a polynomial."""
    starts = [i for i, k in enumerate(nodes) if not i or nodes[i - 1] != k - 1]
    ends = [*starts[1:], len(nodes)]
    pieces = [(i, min(i + _PIECE, b)) for a, b in zip(starts, ends, strict=True) for i in range(a, b, _PIECE)]
    return [(nodes[i], acb_poly(list(values[i:j]))) for i, j in pieces]


class _Stretches:
    """What all nodes that are left out weigh, as a share of the moment: sum of |A(w + i omega) / A(w)| / k^2."""

    def __init__(self, laws: Sequence[Law], plan: VeilPlan, h: arb, work: Work) -> None:
        self._work, self._plan = work, plan
        turn = h / (2 * arb.pi())
        self._laws = [_Return(law, turn) for law in laws if isinstance(law, DiscreteGaussian)]
        self._fall = plan.square * h * h / 2
        self._cost = _LOOK * (len(self._laws) + 1)

    def left_out(self) -> arb:
        """Between the runs, and from the last of them to the end."""
        runs = self._plan.runs
        starts = [last + 1 for _, last in runs]
        ends = [first - 1 for first, _ in runs[1:]] + [self._plan.line.nodes - 1]
        return sum((self._bound(a, b) for a, b in zip(starts, ends, strict=True) if a <= b), arb(0)).upper()

    def _bound(self, first: int, last: int) -> arb:
        total, open_ = arb(0), [(first, last)]
        while open_:
            a, b = open_.pop()
            self._work.spend(self._cost)
            height = self._height(a, b)
            if a < b and not height <= -self._plan.depth:
                middle = (a + b) // 2
                open_ += [(middle + 1, b), (a, middle)]
            else:
                total += height.exp() * (1 / arb(a * a) + 1 / arb(a) - 1 / arb(b))  # sum of k^-2 from a to b
        return total

    def _height(self, a: int, b: int) -> arb:
        height = -self._fall * a * a
        for law in self._laws:
            height += law.log_share(a, b)
        return height


class _Return:
    """Lemma V2: how near a discrete Gaussian comes to its moment between two nodes."""

    def __init__(self, law: DiscreteGaussian, turn: arb) -> None:
        square = arb(law.square.numerator) / law.square.denominator
        self._turns = turn * law.shift / square  # of the angle, from node to node
        self._curve = law.times * square * (2 * arb.pi()) ** 2 / 2
        y = (-2 * arb.pi() ** 2 * square).exp()
        others = 2 * y / (1 - y)
        beside = (-2 * arb.pi() ** 2 * square * (1 - 2 * _FURTHEST)).exp()
        self._more = law.times * ((1 + beside + others) / (1 - others)).log() if others < 1 else None

    def log_share(self, a: int, b: int) -> arb:
        """At most, from the a-th to the b-th node."""
        first, last = (self._turns * a).lower(), (self._turns * b).upper()
        if self._more is None or not last < _MOST_TURNS:
            return arb(0)
        whole = int(float(first) // 1.0)
        if not (first > whole and last < whole + 1):
            return arb(0)
        away = (first - whole).min(whole + 1 - last).min(_FURTHEST)
        return (self._more - self._curve * away * away).min(arb(0))


_MOST_TURNS = 10**15
"""Beyond, floats do not tell one from the next."""
_FURTHEST = arb("0.45")
"""Turns from the nearest return, from which on nothing more is used of it."""
