"""Compositions whose outcomes can be listed, beside one law that has a closed form (docs/proofs/outcomes.md).

    delta(eps) = sum over outcomes of the finite part of P(outcome) d(eps - L(outcome)) + P(L = inf),

d that of what is in closed form: all Gaussians together, all Laplace steps together, one sampled step, or nothing:
(1 - e^x)_+ at x.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from flint import arb, arb_poly, ctx, fmpz

from neyman_check.deltas.line import Ball
from neyman_check.deltas.twofold import Dealt, DealtGaussian, TwiceSampled
from neyman_check.errors import NotProved
from neyman_check.laws.base import FiniteLaw, Gaussian, Law
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.integers import DiscreteGaussian, exact
from neyman_check.laws.laplace import Laplace, LaplaceSum, SampledLaplace
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian
from neyman_check.work import Work

__all__ = ["Outcomes", "exchanged_once", "gaussian_delta", "normal", "sampled_once"]

_MOST = 100_000  # outcomes
_EACH = 30  # units of work that one takes
_POWER, _WIDEST = 100, 1e9  # of each product in a power of a polynomial, and bits by which its masses differ at most


class _Outcome(NamedTuple):
    loss: arb
    mass: arb


class _Lattice(NamedTuple):
    """Losses base + k unit, with the masses under P."""

    base: Fraction
    unit: Fraction
    mass: arb_poly

    def listed(self) -> list[_Outcome]:
        return [
            _Outcome(exact(self.base + k * self.unit), mass) for k, mass in enumerate(self.mass) if not mass.is_zero()
        ]


class Outcomes:
    """One direction."""

    def __init__(self, laws: Sequence[Law], remove: bool, work: Work) -> None:
        self.remove = remove
        kept, lost = arb(1), arb(0)
        lattices: list[_Lattice] = []
        found, rest = [_Outcome(arb(0), arb(1))], list[Law]()
        for law in laws:
            if isinstance(law, DiscreteGaussian):
                _affordable(2 * law.reach + law.shift, work)
            one = law.listed() if isinstance(law, DiscreteGaussian) else law
            if not isinstance(one, FiniteLaw):
                rest.append(one)
                continue
            kept *= one.kept(remove)
            lost += one.lost * one.times
            own = _lattice(one, remove, work)
            if own is None:
                found = _together(found, _powers(one, remove, work), work)
            elif not (lattices and (both := _merged(lattices[-1], own, work))):
                lattices.append(own)
            else:
                lattices[-1] = both
        for lattice in lattices:
            found = _together(found, lattice.listed(), work)
        self.kept, self.lost, self.outcomes = kept, lost, found
        self._alone, each = _closed(rest, remove, work)
        self.mu = _mu(rest) if rest and all(isinstance(law, Gaussian) for law in rest) else None
        self._sums = None if rest else _Sums(found)
        self.each = 20 * _EACH if self._sums else each * len(found)

    def delta(self, epsilon: arb) -> Ball:
        """At any real eps."""
        if self._sums:
            total = self._sums.delta(epsilon)
        else:
            total = sum((one.mass * self._alone(epsilon - one.loss) for one in self.outcomes), arb(0))
        whole = total + (1 - self.kept)
        return Ball(whole, whole + self.lost)


class _Sums:
    """Nothing beside the outcomes: sums of p and q over all losses above some place."""

    def __init__(self, outcomes: Sequence[_Outcome]) -> None:
        self._all = sorted(outcomes, key=lambda one: float(one.loss.mid()))
        after = list(reversed(self._all))
        self._p = [*accumulate((one.mass for one in after), initial=arb(0))][::-1]
        self._q = [*accumulate((one.mass * (-one.loss).exp() for one in after), initial=arb(0))][::-1]
        # all from the i-th on are above this, all before it below that, in whatever order they are
        self._above = [*accumulate((one.loss.lower() for one in after), _less)][::-1]
        self._below = [*accumulate((one.loss.upper() for one in self._all), _more)]

    def delta(self, epsilon: arb) -> arb:
        """Those that are surely above eps, and each of which it is not sure."""
        start, stop = bisect_left(self._below, epsilon.lower()), _first_above(self._above, epsilon.upper())
        total = self._p[stop] - epsilon.exp() * self._q[stop]
        for loss, mass in self._all[start:stop]:
            total += mass * (1 - (epsilon - loss).exp()).nonnegative_part()
        return total.nonnegative_part()


def _less(a: arb, b: arb) -> arb:
    return a if a <= b else b


def _more(a: arb, b: arb) -> arb:
    return a if a >= b else b


def _first_above(ascending: Sequence[arb], place: arb) -> int:
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if ascending[middle] > place else (middle + 1, high)
    return low


def _closed(rest: Sequence[Law], remove: bool, work: Work) -> tuple[Callable[[arb], arb], int]:
    """delta of all of them together, and the work that it takes."""
    if not rest:
        return (lambda x: (1 - x.exp()).nonnegative_part()), _EACH
    if all(isinstance(law, Gaussian) for law in rest):
        mu = _mu(rest)
        return (lambda x: gaussian_delta(mu, x)), _EACH
    if all(isinstance(law, Laplace) for law in rest):
        laplace = LaplaceSum([law for law in rest if isinstance(law, Laplace)], work)
        return laplace.delta, laplace.each
    if len(rest) == 1 and rest[0].times == 1:
        once = _once(rest[0], remove, work)
        if once is not None:
            return once
    if len(rest) == 1 and isinstance(rest[0], SampledLaplace) and rest[0].times == 2:
        twin = rest[0]
        plain = LaplaceSum([Laplace(twin.ratio, 1)], work)
        twice = TwiceSampled(twin, remove, lambda x: sampled_once(plain.delta, twin.q, x, remove), work)
        return twice.delta, 2 * (_EACH + plain.each)
    if len(rest) == 1 and isinstance(rest[0], DealtGaussian):
        return Dealt(rest[0], remove, work).delta, _EACH
    raise NotProved("laws that have neither outcomes nor a closed form together")


def _once(law: Law, remove: bool, work: Work) -> tuple[Callable[[arb], arb], int] | None:
    """The same of one sampled step, where it has a closed form."""
    if isinstance(law, SampledGaussian):
        return (lambda x: sampled_once(lambda y: gaussian_delta(1 / law.s, y), law.q, x, remove)), 2 * _EACH
    if isinstance(law, ExchangedGaussian):
        return (lambda x: exchanged_once(law, x)), 3 * _EACH
    if isinstance(law, ExchangedLaplace):
        return law.once, 2 * _EACH
    if isinstance(law, SampledLaplace):
        plain = LaplaceSum([Laplace(law.ratio, 1)], work)
        return (lambda x: sampled_once(plain.delta, law.q, x, remove)), _EACH + plain.each
    return None


def _mu(laws: Sequence[Law]) -> arb:
    """Of all Gaussians together."""
    return sum((law.square for law in laws if isinstance(law, Gaussian)), arb(0)).sqrt()


def sampled_once(plain: Callable[[arb], arb], q: arb, epsilon: arb, remove: bool) -> arb:
    """delta of one sampled step, ``plain`` that of the whole one, which is the same in both directions."""
    t = epsilon.exp()
    taken = t - 1 + q if remove else 1 - t + t * q
    if taken <= 0:
        return 1 - t if remove else arb(0)
    if not taken > 0:
        raise NotProved("an eps at the end of a sampled step's losses")
    return q * plain((taken / q).log()) if remove else taken * plain((t * q / taken).log())


def exchanged_once(law: ExchangedGaussian, epsilon: arb) -> arb:
    """delta of one sampled step in which a record is exchanged: above where the loss is eps, a root of a quadratic in
    e^{x / s^2}.
    """
    s, q, e = law.s, law.q, epsilon.exp()
    reach = q * (-1 / (2 * s * s)).exp()
    middle = (1 - q) * epsilon.expm1()
    root = (middle * middle + 4 * e * reach * reach).sqrt()
    grown = (middle + root) / (2 * reach) if epsilon >= 0 else 2 * e * reach / (root - middle)
    at = s * grown.log()  # x / s
    present, without = (normal(sign / s - at) for sign in (1, -1))
    return (1 - q) * normal(-at) * (1 - e) + q * (present - e * without)


def gaussian_delta(mu: arb, epsilon: arb) -> arb:
    """delta of a Gaussian mechanism, mu > 0."""
    return normal(mu / 2 - epsilon / mu) - epsilon.exp() * normal(-mu / 2 - epsilon / mu)


def normal(x: arb) -> arb:
    """The distribution function of the normal law."""
    return (-x / arb(2).sqrt()).erfc() / 2


def _lattice(law: FiniteLaw, remove: bool, work: Work) -> _Lattice | None:
    """All steps of one kind whose losses are whole multiples of a unit apart: a power of a polynomial."""
    if not law.at:
        return None
    at = law.at if remove else tuple(-x for x in law.at)
    masses = [p if remove else q for p, q in law.outcomes if p != 0 and q != 0]
    base = min(at)
    unit = _common([x - base for x in at])
    top = int((max(at) - base) / unit)
    _affordable(top * law.times + 1, work)
    row = [arb(0)] * (top + 1)
    for x, mass in zip(at, masses, strict=True):
        row[int((x - base) / unit)] += mass
    if top == 1:
        return _Lattice(base * law.times, unit, arb_poly(_binomial(row[0], row[1], law.times)))
    work.spend(top * law.times * (_POWER + _apart(row) * law.times // ctx.prec))
    return _Lattice(base * law.times, unit, arb_poly(row) ** law.times)


def _apart(row: Sequence[arb]) -> int:
    """By how many bits masses differ: products of polynomials are done in blocks of like ones."""
    logs = [float(mass.mid().log().mid()) for mass in row if mass > 0]
    span = (max(logs) - min(logs)) / math.log(2.0) if logs else 0.0
    return int(span) if span < _WIDEST else int(_WIDEST)


def _binomial(first: arb, second: arb, times: int) -> list[arb]:
    """The coefficients of (first + second x)^times."""
    found = [first**times]
    for k in range(times):
        found.append(found[-1] * second * (times - k) / (first * (k + 1)))
    return found


def _merged(one: _Lattice, other: _Lattice, work: Work) -> _Lattice | None:
    """Both on the lattice that they have in common, where that has no more points than there are pairs."""
    unit = _common([one.unit, other.unit])
    finer = [int(x.unit / unit) for x in (one, other)]
    size = sum(fine * (len(x.mass) - 1) for fine, x in zip(finer, (one, other), strict=True)) + 1
    if size > min(_MOST, len(one.mass) * len(other.mass)):
        return None
    work.spend(_EACH * size)
    a, b = (_spread(x.mass, fine) for fine, x in zip(finer, (one, other), strict=True))
    return _Lattice(one.base + other.base, unit, a * b)


def _spread(mass: arb_poly, fine: int) -> arb_poly:
    row = [arb(0)] * (fine * (len(mass) - 1) + 1)
    row[::fine] = list(mass)
    return arb_poly(row)


def _common(gaps: Sequence[Fraction]) -> Fraction:
    """The largest number of which all are whole multiples; 1 if all are 0."""
    below = math.lcm(*(x.denominator for x in gaps))
    return Fraction(math.gcd(*(int(x * below) for x in gaps)), below) or Fraction(1)


def _powers(law: FiniteLaw, remove: bool, work: Work) -> list[_Outcome]:
    """How often each outcome came: multinomials. The last count follows from the others."""
    pairs = [(p, q) if remove else (q, p) for p, q in law.outcomes]
    kinds = [((p / q).log(), p) for p, q in pairs if p != 0 and q != 0]
    if not kinds:
        return []
    top, others = law.times + len(kinds) - 1, len(kinds) - 1
    _affordable(int(fmpz.bin_uiui(top, others)) if law.times <= _MOST or not others else _MOST + 1, work)
    found: list[_Outcome] = []
    left_over = [(law.times, _Outcome(arb(0), arb(1)))]
    for own, chance in kinds[:-1]:
        still: list[tuple[int, _Outcome]] = []
        for left, (loss, mass) in left_over:
            term = mass
            for k in range(left):  # term: mass * binomial(left, k) * chance^k
                still.append((left - k, _Outcome(loss + own * k, term)))
                term = term * chance * (left - k) / (k + 1)
            found.append(_Outcome(loss + own * left, term))
        left_over = still
    own, chance = kinds[-1]
    return found + [_Outcome(loss + own * left, mass * chance**left) for left, (loss, mass) in left_over]


def _together(first: list[_Outcome], second: list[_Outcome], work: Work) -> list[_Outcome]:
    _affordable(len(first) * len(second), work)
    return [_Outcome(a.loss + b.loss, a.mass * b.mass) for a in first for b in second]


def _affordable(number: int, work: Work) -> None:
    if number > _MOST:
        raise NotProved(f"more than {_MOST} outcomes")
    work.spend(_EACH * number)
