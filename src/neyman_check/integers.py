"""Noise on the integers (docs/proofs/integers.md): integer by integer, with what is left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from neyman_check.laws import EXP, FiniteLaw, Law, demand, raised
from neyman_check.told import Told

__all__ = ["DiscreteGaussian", "discrete_laplace"]

_MOST = 20_000  # integers
_THETA = 3 * EXP  # units of work that a theta function takes


def exact(x: Fraction) -> arb:
    """A ball of a rational number."""
    return arb(fmpq(x.numerator, x.denominator))


@dataclass(frozen=True)
class DiscreteGaussian(Law):
    """Masses proportional to e^{-(x - m)^2 / (2 sigma^2)}, m = shift against m = 0; ``square`` is sigma^2.

    A(w) = e^{-w shift^2 / (2 sigma^2)} theta_3(z, tau) / theta_3(0, tau), tau = i / (2 pi sigma^2), z = -w shift tau.
    """

    square: Fraction
    shift: int
    times: int
    symmetric = True

    def kept(self, remove: bool) -> arb:
        return arb(1)

    def cost(self, count: int, told: Told) -> int:
        return (2 * _THETA + EXP) * count

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        return self.values([acb(w, spacing * k) for k in range(count)])

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        return 0, 2 * _THETA + EXP

    def value(self, w: acb) -> acb:
        return self.values([w])[0]

    def values(self, points: Sequence[acb]) -> list[acb]:
        tau = acb(0, 1) / (2 * arb.pi() * exact(self.square))
        whole, half = acb.modular_theta(acb(0), tau)[2], exact(self.shift**2 / (2 * self.square))
        found = ((-w * half).exp() * acb.modular_theta(-w * self.shift * tau, tau)[2] / whole for w in points)
        return [raised(one, self.times) for one in found]

    def real(self, w: arb, told: Told) -> arb:
        return self.along(w, arb(0), 1, told)[0].real

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
        reach = self.reach
        step = exact(1 / (2 * self.square))
        mass = [(-x * x * step).exp() for x in range(reach + self.shift + 1)]
        rest = beyond(self.square, reach)
        total = mass[0] + 2 * sum(mass[1 : reach + 1], arb(0)) + 2 * rest * arb(0.5, 0.5)
        pairs = [(mass[abs(x - self.shift)] / total, mass[abs(x)] / total) for x in self._window(reach)]
        at = tuple((2 * x - self.shift) * self.shift / (2 * self.square) for x in self._window(reach))
        return FiniteLaw(tuple(pairs), self.times, at, (2 * rest / total).upper(), symmetric=True)

    def _window(self, reach: int) -> range:
        return range(-reach, reach + self.shift + 1)


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
