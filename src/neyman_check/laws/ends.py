"""A(w) of a sampled Laplace step as what comes from either end of its losses (Lemma F1 of docs/proofs/forks.md).

    A(w) = low^w (1/2 + e(low)) + high^w (e^-d / 2 - e(high)),     low = r(-d), high = r(d), y = 1 - q
    x^w e(x) = C times the integral of r^w (r - y)^{-3/2} along the circle r = x e^{i t}, t from 0 on

for Im w > 0. Nothing of either factor grows where the real part of w does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from flint import acb, arb, arb_series, ctx, fmpq

from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP

__all__ = ["Ends", "Pair", "work_of_ends", "work_of_value"]

_SERIES = 5_000  # units of work that derivatives at one end take at few bits
_VALUE = 30 * EXP  # units of work that a value at few bits takes, about
_LONGER = 200.0  # |w| log(x / y), of which each so much makes it longer
_MOST_BESIDE = 256.0  # bits by which a place may be nearer to the singular one than to 0
_MOST_EXTRA = 4000  # bits
_LOST = 2.2  # bits that a hypergeometric sum loses for each unit of |w| log(x / y), or twice or three times that
_FURTHEST, _FURTHEST_REAL = 1e300, 50.0  # |w| log(x / y)
_LEAST_APART = 1e-12  # log(x / y) at a real w: its singular end is not far enough for a sum from there down
_LARGEST = 1e14  # |w| of a hypergeometric function: it is found in no time
_APART, _MOST_TERMS = 1.0, 4  # from which log(x / y) on a sum is short, and its terms for each bit
_SHORT = 24  # bits of the precision that a value may be short of
_NEAR = 0.8  # of the distance of the branch point: the radius on which derivatives are bounded
_SPARE = 30


def work_of_value(wide: float = math.inf, beside: float = _MOST_BESIDE - 1.0) -> int:
    """Units of work, at the precision of whoever asks: hypergeometric sums take more bits where ``wide``, the larger
    |w| log(x / y), is large (from as much as there are bits on they are not taken), and ``beside`` more at the low end.
    """
    wide = wide if wide >= 0.0 else math.inf
    if ctx.prec < wide < math.inf:  # the asymptotic sum, of fewer terms than bits
        wide = 0.0
    bits = ctx.prec + (beside if beside < _MOST_BESIDE else 0.0)
    return int(2 * _VALUE * (1 + bits / 128) ** 2 * (1 + min(wide, float(ctx.prec)) / _LONGER))


def work_of_ends() -> int:
    """Units of work that both ends take before any value."""
    return int(2 * _SERIES * (1 + ctx.prec / 128) ** 3)


class Pair(NamedTuple):
    """The factors of both ends, or bounds of their moduli."""

    high: acb
    low: acb


class _End:
    """e(x) at one of both ends, x = 1 - q + q e^t."""

    def __init__(self, ratio: fmpq, q: arb, scale: arb) -> None:
        t, y = arb(ratio), 1 - q
        self._taken = q * t.exp()  # x - y
        x = y + self._taken
        self._log = x.log()
        self._ratio, self._q = ratio, q
        self._scale, self._x, self._y = scale, x, y
        self.apart = (self._taken / y).log1p()
        self._reach = self.apart * arb(_NEAR)
        self._terms: list[arb] = []

    @property
    def beside(self) -> float:
        """Bits by which the place of a hypergeometric function is near the singular one."""
        found = float(-self.apart.log().lower()) / math.log(2.0)
        return found if found >= 0.0 else 0.0

    @property
    def log(self) -> arb:
        """log x, a loss."""
        return self._log

    def most(self, height: arb) -> arb:
        """|e| at most, wherever Im w is at least ``height`` > 0."""
        smooth = self._scale * self._x * self._taken ** arb(-1.5) / height
        root = self._scale * self._taken.rsqrt() * (self._x / self._y).sqrt()
        near = root * arb.pi() * 3 / 2 / (1 - (-arb.pi() * height).exp())
        return smooth.min(near) if near.is_finite() else smooth

    def value(self, w: acb) -> acb:
        """At the middle, and by how much that may differ: a disc about each point lies in the upper half plane."""
        middle, off = w.mid(), abs(w - w.mid())
        if not w.imag > 0:
            return self._middle(w)
        height = arb(w.imag.lower()) / 2
        error = (self.most(height) / height * off).upper()
        return self._middle(middle) + acb(arb(0, error), arb(0, error))

    def _middle(self, w: acb) -> acb:
        """By a sum that converges fast, by a hypergeometric function, or by its asymptotic sum where that is longer."""
        if w.imag > 0 and self.apart > _APART:
            return self._summed(w)
        wide = float((abs(w) * self.apart).upper())
        if not wide < (_FURTHEST if w.imag > 0 else _FURTHEST_REAL):
            raise NotProved("a sampled Laplace step too far up the real axis")
        large = not abs(w) < _LARGEST
        if w.imag > 0 and (large or wide > ctx.prec):
            return self._far(w)
        if large or (not w.imag > 0 and not self.apart > _LEAST_APART):
            raise NotProved("a sampled Laplace step too far up the real axis, or too rare there")
        found, goal = acb(arb.nan()), ctx.prec - _SHORT
        beside = self.beside if self.beside < _MOST_BESIDE else 0.0
        for often in (1, 2, 3):
            extra = int(often * (_LOST * wide + beside)) + _SPARE
            if extra > _MOST_EXTRA:
                break
            with ctx.workprec(ctx.prec + extra):
                b, x = arb("0.5") - w, 1 - self._q + self._q * arb(self._ratio).exp()
                found = acb((1 - self._q) / x).hypgeom_2f1(acb("1.5"), b, b + 1) / (b * x.sqrt())
            if found.rel_accuracy_bits() >= goal:
                return found * self._scale
        other = self._far(w) if w.imag > 0 else found  # sums of large parameters may fail
        found *= self._scale
        return other if other.rel_accuracy_bits() > found.rel_accuracy_bits() else found

    def _summed(self, w: acb) -> acb:
        """x far above y: the binomial series, of which (n + 1) (y / x)^n / Im w bounds the terms."""
        ratio, b = self._y / self._x, arb("0.5") - w
        total, term, n, goal = acb(0), arb(1), 0, w.imag * arb(2) ** -ctx.prec
        left = self._left(ratio, 0)
        while n < _MOST_TERMS * ctx.prec and not left < goal:
            total += term / (b + n)
            n += 1
            term *= ratio * (2 * n + 1) / (2 * n)
            left = self._left(ratio, n)
        off = (left / w.imag).upper()
        return (total + acb(arb(0, off), arb(0, off))) * self._scale / self._x.sqrt()

    @staticmethod
    def _left(ratio: arb, n: int) -> arb:
        """The sum of (k + 1) ratio^k over k >= n."""
        return ratio**n * ((n + 1) / (1 - ratio) + ratio / (1 - ratio) ** 2)

    def _far(self, w: acb) -> acb:
        """By parts, as often as it takes."""
        terms = self._derivatives()
        back = 1 / w
        total, step = acb(0), (abs(w) * self._reach).lower()
        error = self._bound() / w.imag
        n, goal = 0, arb(2) ** -ctx.prec * abs(self._scale)
        power = -back
        while n < len(terms) - 1 and not error < goal and n < step:
            total += terms[n] * power
            power *= -back
            n += 1
            error *= n / step
        off = error.upper()
        return total + acb(arb(0, off), arb(0, off))

    def _bound(self) -> arb:
        """Of |f| within that reach of the circle."""
        grown = self._reach.exp()
        inner = self._x / grown - self._y
        return self._scale * self._x * grown * inner ** arb(-1.5)

    def _derivatives(self) -> list[arb]:
        """f^{(n)} at log x, f = C e^u (e^u - y)^{-3/2}: a series in units of (x - y) / x."""
        if not self._terms:
            count, cap = int(ctx.prec * 0.9) + 10, ctx.cap
            try:
                ctx.cap = count
                unit = self._taken / self._x
                grown = arb_series([0, unit]).exp()
                root = ((grown - 1) / unit + 1).rsqrt()
                found = (grown * root * root * root * (self._scale * self._x * self._taken ** arb(-1.5))).coeffs()
            except ValueError:  # a series that does not surely begin
                raise NotProved("ends of losses that are not told apart") from None
            finally:
                ctx.cap = cap
            factor = arb(1)
            for n, one in enumerate(found):
                factor *= n / unit if n else 1
                self._terms.append(one * factor)
        return self._terms


class Ends:
    """Both of them, at the precision of whoever made it."""

    def __init__(self, ratio: fmpq, q: arb) -> None:
        d = arb(ratio)
        scale = (-d / 2).exp() * q.sqrt() / 4
        self.high, self.low = _End(ratio, q, scale), _End(-ratio, q, scale)
        self._lone = Pair(acb((-d).exp() / 2), acb(arb("0.5")))

    def work(self, w: acb) -> int:
        """Units of work that both factors take."""
        return work_of_value(float((abs(w) * self.high.apart).upper()), self.low.beside)

    def factors(self, w: acb) -> Pair:
        """Of high^w and of low^w, Im w > 0."""
        return Pair(self.highest(w), self._lone.low + self.low.value(w))

    def highest(self, w: acb) -> acb:
        """Of high^w alone."""
        return self._lone.high - self.high.value(w)

    def most(self, height: arb) -> tuple[arb, arb]:
        """Bounds of both, wherever Im w is at least that."""
        return self._lone.high.real + self.high.most(height), self._lone.low.real + self.low.most(height)
