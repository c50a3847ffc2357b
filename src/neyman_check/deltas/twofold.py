"""Two draws, of which one is integrated over (docs/proofs/twofold.md): two sampled Laplace steps, and a record that is
dealt into one of two batches of normal noise.

``acb.integral`` encloses each integral: it asks its integrand on balls, and whether it is analytic there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from flint import acb, arb, ctx

from neyman_check.errors import NotProved
from neyman_check.laws.base import EXP, Noise
from neyman_check.laws.laplace import SampledLaplace
from neyman_check.laws.told import Told
from neyman_check.work import Work

__all__ = ["Dealt", "DealtGaussian", "TwiceSampled"]

_NO_LINE = "a line of random allocation"
_VALUES = 5000  # of an integrand, at most
_LEAST_NOISE, _MOST_NOISE, _LONGEST = 1e-6, 1e12, 10**9
_STRIPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.2, 1.4)  # half widths of strips that are tried


@dataclass(frozen=True)
class DealtGaussian(Noise):
    """Half N((1, 0), s^2) and half N((0, 1), s^2) against N(0, s^2), in two dimensions."""

    s: arb
    times: int = 1

    def cost(self, count: int, told: Told) -> int:
        """No line is laid for it."""
        raise NotProved(_NO_LINE)

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """No line is laid for it."""
        raise NotProved(_NO_LINE)


def _integral(of: Callable[[acb, bool], acb], first: arb, last: arb, work: Work) -> arb:
    asked = 0

    def value(t: acb, analytic: bool) -> acb:
        nonlocal asked
        asked += 1
        return of(t, analytic)

    found = acb.integral(value, acb(first), acb(last), eval_limit=_VALUES)
    work.spend(2 * EXP * asked)
    return found.real


class TwiceSampled:
    """delta of two sampled Laplace steps, at any real eps (Lemma T1); ``once`` is that of one of them."""

    def __init__(self, law: SampledLaplace, remove: bool, once: Callable[[arb], arb], work: Work) -> None:
        self._work = work
        self._d, self._q, self._remove, self._once = law.d, law.q, remove, once
        self._low, self._high = (self._r(t) for t in (-self._d, self._d))

    def delta(self, epsilon: arb) -> arb:
        """What the first shows for certain, and where it does not."""
        half, e = (-self._d / 2).exp(), epsilon.exp()
        total = arb(0)
        for mass, r in ((arb("0.5"), self._low), (half * half / 2, self._high)):
            if self._remove:
                total += mass * r * self._once(epsilon - r.log())
            else:
                total += mass * self._once(epsilon + r.log())
        return total + (self._with if self._remove else self._without)(e)

    def _with(self, e: arb) -> arb:
        """Between the ends of the second loss r is between e / high and e / low; from there on 1 - e / r is left."""
        first, last = self._place(e / self._high), self._place(e / self._low)
        plain, grown = self._between(last, self._d)
        total = grown - e * plain
        _, grown = self._between(first, last)
        return total + self._q * grown - self._q.sqrt() * self._root(first, last, e, 1 - self._q)

    def _without(self, e: arb) -> arb:
        """With P and Q exchanged r is between 1 / (e high) and 1 / (e low); up to there 1 - e r is left."""
        first, last = self._place(1 / (e * self._high)), self._place(1 / (e * self._low))
        plain, grown = self._between(-self._d, first)
        total = plain - e * grown
        plain, grown = self._between(first, last)
        total += plain - e * (1 - self._q) * grown
        return total - (e * self._q).sqrt() * self._root(first, last, arb(1), (1 - self._q) * e)

    def _r(self, t: arb) -> arb:
        return 1 - self._q + self._q * t.exp()

    def _place(self, r: arb) -> arb:
        """Where r(t) is that, from -d to d."""
        taken = (r - 1 + self._q) / self._q
        if taken <= 0:
            return -self._d
        if not taken > 0:
            raise NotProved("an eps at the end of a sampled step's losses")
        return taken.log().max(-self._d).min(self._d)

    def _between(self, first: arb, last: arb) -> tuple[arb, arb]:
        """The integrals of the density of t without the record, and of that times r."""
        plain = ((-(first + self._d) / 2).exp() - (-(last + self._d) / 2).exp()) / 2
        rising = (((last - self._d) / 2).exp() - ((first - self._d) / 2).exp()) / 2
        return plain, (1 - self._q) * plain + self._q * rising

    def _root(self, first: arb, last: arb, a: arb, b: arb) -> arb:
        """The integral of the density times e^{-d/2} sqrt(r (a - b r))."""
        d, q = self._d, self._q

        def value(t: acb, analytic: bool) -> acb:
            r = 1 - q + q * t.exp()
            return (-t / 2 - d).exp() / 4 * (r * (a - b * r)).sqrt(analytic=analytic)

        return _integral(value, first, last, self._work)


class Dealt:
    """delta of a record that is dealt into one of two batches, at any real eps (Lemma T2)."""

    def __init__(self, law: DealtGaussian, remove: bool, work: Work) -> None:
        self._s, self._remove = law.s, remove
        self._reach = arb(math.sqrt(2.0 * ctx.prec)) + 1 / (2 * law.s)
        s, goal = float(law.s.mid()), ctx.prec * math.log(2.0)
        if not _LEAST_NOISE <= s <= _MOST_NOISE:
            raise NotProved("a batch of noise out of reach")
        strips = [*_STRIPS, min(math.sqrt(goal) / s, _STRIPS[-1])]
        self._strip = max(strips, key=lambda eta: eta / (goal + (s * eta) ** 2))
        self._step = arb(2.0 * math.pi * self._strip / (goal + (s * self._strip) ** 2 + 10.0))
        self._work = work

    def delta(self, epsilon: arb) -> arb:
        """P(L > eps) - e^eps Q(L > eps); with P and Q exchanged from below."""
        e = epsilon.exp()
        without, present = self._below(epsilon if self._remove else -epsilon)
        return 1 - present - e * (1 - without) if self._remove else without - e * present

    def _below(self, loss: arb) -> tuple[arb, arb]:
        """Q and P of all x with e^{u_1} + e^{u_2} <= 2 e^loss, u = (2 x - 1) / (2 s^2), along the border
        e^{u_1} = 2 e^loss / (1 + e^{-p}).
        """
        s, step, top = self._s, self._step, loss + arb(2).log()
        end = (abs(top) + self._reach / s).mid()
        length = (2 * end / step).upper()
        if not length < _LONGEST:
            raise NotProved("a border that is too long")
        count = math.ceil(float(length))
        self._work.spend(8 * EXP * count)
        without, present = arb(0), arb(0)
        for k in range(count + 1):
            p = step * k - end
            grown = p.exp()
            x, y = (s * (top - one.log1p()) + 1 / (2 * s) for one in (1 / grown, grown))
            weight = (-y / arb(2).sqrt()).erfc() / (1 + grown)
            without += (-x * x / 2).exp() * weight
            present += (-((x - 1 / s) ** 2) / 2).exp() * weight
        scale = step * s / (2 * (2 * arb.pi()).sqrt())
        error = self._error(top, end)
        return without * scale + error, present * scale + error

    def _error(self, top: arb, end: arb) -> arb:
        """Of the rule, and of what it leaves out."""
        s, eta = self._s, arb(self._strip)
        rule = 2 * (s * s * eta * eta).exp() / eta.cos() / ((2 * arb.pi() * eta / self._step).exp() - 1)
        beyond = ((end - top) * s - 1 / (2 * s)) / arb(2).sqrt()
        return arb(0, (rule + (1 + s / 5) * beyond.erfc()).upper())
