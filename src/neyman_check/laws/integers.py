"""Noise on the integers (docs/proofs/integers.md): integer by integer, with what is left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from neyman_check.laws.base import EXP, FiniteLaw, Noise, demand, raised
from neyman_check.laws.told import Told

__all__ = ["DiscreteGaussian", "SampledDiscreteGaussian", "discrete_laplace", "exchanged_discrete_laplace"]

_MOST = 20_000  # integers
_THETA = 3 * EXP  # units of work that a theta function takes


def exact(x: Fraction) -> arb:
    """A ball of a rational number."""
    return arb(fmpq(x.numerator, x.denominator))


@dataclass(frozen=True)
class DiscreteGaussian(Noise):
    """Masses proportional to e^{-(x - m)^2 / (2 sigma^2)}, m = shift against m = 0; ``square`` is sigma^2.

    A(w) = e^{-w shift^2 / (2 sigma^2)} theta_3(z, tau) / theta_3(0, tau), tau = i / (2 pi sigma^2), z = -w shift tau.
    """

    square: Fraction
    shift: int
    times: int
    symmetric = True

    def cost(self, count: int, told: Told) -> int:
        return (2 * _THETA + EXP) * count

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        return 0, 2 * _THETA + EXP

    def value(self, w: acb) -> acb:
        return self.values([w])[0]

    def values(self, points: Sequence[acb]) -> list[acb]:
        tau = acb(0, 1) / (2 * arb.pi() * exact(self.square))
        whole, half = acb.modular_theta(acb(0), tau)[2], exact(self.shift**2 / (2 * self.square))
        found = ((-w * half).exp() * acb.modular_theta(-w * self.shift * tau, tau)[2] / whole for w in points)
        return [raised(one, self.times) for one in found]

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        return self.real(w, told)

    @property
    def reach(self) -> int:
        """How far from a center integers are listed."""
        demand(self.square < _MOST**2, f"more than {_MOST} integers")
        found = math.ceil(math.sqrt(self.square) * math.sqrt(2.0 * math.log(2.0) * (ctx.prec + 10)))
        demand(2 * found + self.shift < _MOST, f"more than {_MOST} integers")
        return found

    def listed(self) -> FiniteLaw:
        """All integers that count, to the precision of whoever asks."""
        mass, lost = self._masses(self.reach + self.shift)
        window = range(-self.reach, self.reach + self.shift + 1)
        pairs = [(mass[abs(x - self.shift)], mass[abs(x)]) for x in window]
        at = tuple((2 * x - self.shift) * self.shift / (2 * self.square) for x in window)
        return FiniteLaw(tuple(pairs), self.times, at, lost, symmetric=True)

    def sampled(self, q: arb) -> SampledDiscreteGaussian:
        """The same where only a sample of rate q takes part."""
        listed = self.listed()
        pairs = tuple(((1 - q) * b + q * a, b) for a, b in listed.outcomes)
        return SampledDiscreteGaussian(pairs, self.times, (), listed.lost, whole=self, rate=q)

    def exchanged(self, q: arb) -> SampledDiscreteGaussian:
        """The same in which a record is exchanged: m = shift and m = -shift, each beside 0."""
        reach, shift = self.reach, self.shift
        demand(2 * (reach + shift) < _MOST, f"more than {_MOST} integers")
        mass, lost = self._masses(reach + 2 * shift)
        window = range(-reach - shift, reach + shift + 1)
        present, other = ([(1 - q) * mass[abs(x)] + q * mass[abs(x - m)] for x in window] for m in (shift, -shift))
        whole = replace(self, shift=2 * shift)
        pairs = tuple(zip(present, other, strict=True))
        return SampledDiscreteGaussian(pairs, self.times, (), lost, symmetric=True, whole=whole, rate=q)

    def _masses(self, last: int) -> tuple[list[arb], arb]:
        """Those of 0 to ``last``, m = 0, and what is beyond the reach of either law on both sides, at most."""
        step, reach = exact(1 / (2 * self.square)), self.reach
        found = [(-x * x * step).exp() for x in range(last + 1)]
        rest = beyond(self.square, reach)
        total = found[0] + 2 * sum(found[1 : reach + 1], arb(0)) + 2 * rest * arb(0.5, 0.5)
        return [one / total for one in found], (2 * rest / total).upper()


@dataclass(frozen=True)
class SampledDiscreteGaussian(FiniteLaw):
    """Listed as far as it counts; it tells no more than ``whole``. ``symmetric`` is a record exchanged."""

    whole: DiscreteGaussian | None = None
    rate: arb = field(default_factory=lambda: arb(1))

    def largest(self, remove: bool) -> arb | None:
        """P >= (1 - q) Q."""
        none = remove or self.symmetric or not self.rate < 1
        return None if none else -self.times * (1 - self.rate).log()

    def falling(self, w: arb) -> arb:
        """A(w) at w < 0, of a record added or removed: what is not listed has (p / q)^w <= (1 - rate)^w."""
        demand(w < 0 and not self.symmetric and self.rate < 1, "a moment of what is not listed")
        listed = replace(self, times=1).real(w, None)
        off = (self.lost * (1 - self.rate) ** w).upper()
        return listed.union(listed + off) ** self.times


def beyond(square: Fraction, reach: int) -> arb:
    """The sum of e^{-x^2 / (2 sigma^2)} over x > reach, at most: neighbours fall by e^{-first/sigma^2} or more."""
    first = reach + 1
    return (-exact(first * first / (2 * square))).exp() / (1 - (-exact(first / square)).exp())


def discrete_laplace(scale: Fraction, shift: int, times: int) -> FiniteLaw:
    """Masses proportional to e^{-|x - m| / scale}: all x <= 0 are one outcome, all x >= shift another."""
    demand(shift < _MOST, f"more than {_MOST} integers")
    step = exact(1 / scale)
    both, one = 1 + (-step).exp(), -(-step).expm1()
    mass = [(-step * x).exp() * (1 if x in (0, shift) else one) / both for x in range(shift + 1)]
    pairs = tuple((mass[shift - x], mass[x]) for x in range(shift + 1))
    return FiniteLaw(pairs, times, tuple((2 * x - shift) / scale for x in range(shift + 1)), symmetric=True)


def exchanged_discrete_laplace(scale: Fraction, shift: int, q: arb, times: int) -> FiniteLaw:
    """The same of a sample of rate q in which a record is exchanged: all x <= -shift are one outcome, all x >= shift
    another.
    """
    demand(2 * shift < _MOST, f"more than {_MOST} integers")
    step = exact(1 / scale)
    both, one = 1 + (-step).exp(), -(-step).expm1()
    power = [(-step * x).exp() / both for x in range(2 * shift + 1)]

    def mixed(x: int, m: int) -> arb:
        return ((1 - q) * power[abs(x)] + q * power[abs(x - m)]) * (1 if abs(x) == shift else one)

    pairs = tuple((mixed(x, shift), mixed(x, -shift)) for x in range(-shift, shift + 1))
    return FiniteLaw(pairs, times, (), symmetric=True)
