"""One line of the contour: delta of a composition in one direction, from both sides (Lemma 1 of docs/proofs/lines.md).

With K(z) = log E_P[e^{z L}; L < inf], c > 0, z_k = c + i k h and h = 2 pi / R, Poisson summation says

    S := (h / 2 pi) sum over k of Re(e^{K(z_k) - z_k eps} / (z_k (z_k + 1))) = sum over m of e^{c m R} d(eps + m R)

over all whole k and m, d(eps) = E_P[(1 - e^{eps - L})_+; L < inf] and delta = d + P(L = inf). Every term on the right
is >= 0, so that delta <= S + P(L = inf) needs no bound of them at all. The rest is cut, and bounded from above:

    |k| >= n:   (1 / pi) B / ((n - 1) h) e^{-c eps},     B >= |e^{K(c + i omega)}| for every omega >= n h
    m > 0:      e^{K(c') - c' eps} sum of e^{-(c' - c) m R},     any c' > c                      (Chernoff)
    m < 0:      p / (e^{c R} - 1) from above, and less than that by e^eps / (e^{(c + 1) R} - 1) at most, p = P(L < inf)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from flint import acb, acb_mat, arb

from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Law
from neyman_check.laws.told import Told
from neyman_check.work import Work

__all__ = ["Ball", "Line", "Plan"]


_LONGEST = 5_000_000  # units of work of one kind of step on one line: what is held in memory grows with it


class Ball(NamedTuple):
    """Bounds on a delta."""

    lower: arb
    upper: arb


class Plan(NamedTuple):
    """What somebody chose: whether it is good, the line finds out."""

    remove: bool
    c: arb
    far: arb
    period: arb
    nodes: int
    told: tuple[Told, ...]


class Line:
    """The values at the nodes are found once, and serve every eps."""

    def __init__(self, laws: Sequence[Law], plan: Plan, work: Work) -> None:
        self.plan = plan
        self.remove, self.c, self.far, self.period, n, told = plan
        if not (self.c > 0 and self.far > self.c and self.period > 0 and n >= 2 and len(told) == len(laws)):
            raise NotProved("a line that is none, or of other steps than the mechanism's")
        self.each = 2 * n + 2 * EXP * (math.isqrt(n) + 2)  # units of work at each eps
        work.spend(self.each)
        self.h = 2 * arb.pi() / self.period
        w, w2 = (self.c + 1, self.far + 1) if self.remove else (-self.c, -self.far)
        values = [acb(1)] * n
        self.top, self.rest, self.kept = arb(1), arb(1), arb(1)
        for law, one in zip(laws, told, strict=True):
            cost = law.cost(n, one) + law.tilting(w) + law.tilting(w2)
            if cost > _LONGEST:
                raise NotProved("a line that takes too many products")
            work.spend(cost)
            values = [u * v for u, v in zip(values, law.along(w, self.h, n, one), strict=True)]
            self.top *= law.real(w2, one)
            self.rest *= law.beyond(w, self.h * n, one)
            self.kept *= law.kept(self.remove)
        if not self.remove:  # A(-z) at z = c + i k h is the conjugate of A(-c + i k h)
            values = [v.conjugate() for v in values]
        z = [acb(self.c, self.h * k) for k in range(n)]
        values = [v / (p * (p + 1)) for v, p in zip(values, z, strict=True)]
        values[0] = values[0] / 2
        self.rows = _square([v.mid() for v in values])  # turning blows balls up, which midpoints are spared
        self.off = sum((v.real.rad() + v.imag.rad() for v in values), arb(0)).upper()

    def delta(self, epsilon: arb) -> Ball:
        """Lemma 1."""
        turned = self._turned(acb(0, -self.h * epsilon)).real + arb(0, self.off)
        whole = turned * self.h / arb.pi() * (-self.c * epsilon).exp() + (1 - self.kept)
        cut, (most, least) = self.cut(epsilon), self.before(epsilon)
        return Ball(whole - cut - most - self.beyond(epsilon), whole + cut - least)

    def _turned(self, by: acb) -> acb:
        """sum over k = a m + b of e^{k by} times value k: no power is a product of powers, whose balls would grow."""
        m = self.rows.ncols()
        inner = self.rows * acb_mat([[(by * b).exp()] for b in range(m)])
        return sum(((by * (a * m)).exp() * row for a, row in enumerate(inner.entries())), acb(0))

    def cut(self, epsilon: arb) -> arb:
        """The terms beyond the last node."""
        return self.rest * (-self.c * epsilon).exp() / (arb.pi() * self.h * (self.plan.nodes - 1))

    def beyond(self, epsilon: arb) -> arb:
        """Those of m > 0, at most."""
        gap = (self.far - self.c) * self.period
        return self.top * (-self.far * epsilon - gap).exp() / (1 - (-gap).exp())

    def before(self, epsilon: arb) -> tuple[arb, arb]:
        """Those of m < 0, at most and at least."""
        most = self.kept / ((self.c * self.period).exp() - 1)
        return most, most - epsilon.exp() / (((self.c + 1) * self.period).exp() - 1)


def _square(values: list[acb]) -> acb_mat:
    """Row by row, as nearly square as may be."""
    m = math.isqrt(len(values) - 1) + 1
    padded = values + [acb(0)] * (-len(values) % m)
    return acb_mat([padded[i : i + m] for i in range(0, len(padded), m)])
