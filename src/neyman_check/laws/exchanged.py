"""Sampled Laplace noise of which a record is exchanged for another: (1 - q) F_0 + q F_1 against (1 - q) F_0 + q F_-1.

Right of 0 the loss is log r(t) - log r(-d), t = (2x - 1) d, with r, and the law of t, as of a record removed
(docs/proofs/laplace.md); left of 0 it is the mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb

from neyman_check.laws.base import EXP, Near, raised
from neyman_check.laws.laplace import LaplaceNoise, SampledLaplace
from neyman_check.laws.parted import ExchangedParts, NearParted, Parted
from neyman_check.laws.told import Told

__all__ = ["ExchangedLaplace"]


@dataclass(frozen=True)
class ExchangedLaplace(LaplaceNoise):
    """d is what one record moves the query by, beside the scale: both together are 2 d apart."""

    q: arb
    times: int
    symmetric = True

    def cost(self, count: int, told: Told) -> int:
        return 2 * self._half.cost(count, told) + 4 * EXP * count

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        """Lemma L6: both halves, the left one at 1 - w."""
        low = self._half.r(-self.d).log()
        rows = (self._half.along(one, spacing, count, told) for one in (w, 1 - w))
        found: list[acb] = []
        for k, (right, left) in enumerate(zip(*rows, strict=True)):
            at = acb(w, spacing * k)
            value = ((1 - at) * low).exp() * right + (at * low).exp() * left.conjugate() - low.exp()
            found.append(raised(value, self.times))
        return found

    def real(self, w: arb, told: Told) -> arb:
        low = self._half.r(-self.d).log()
        right, left = (self._half.real(one, told) for one in (w, 1 - w))
        return (((1 - w) * low).exp() * right + (w * low).exp() * left - low.exp()) ** self.times

    def near(self, told: Told, segment: int, remove: bool) -> Near:
        return NearParted(self, self.parted())

    def parted(self) -> Parted:
        """Lemma F3."""
        return ExchangedParts(self.ratio, self.q)

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        once, each = self._half.toll(told, segment)
        return 2 * once, 4 * each

    def most(self, w: acb, about: arb) -> arb:
        """Both halves at the real part."""
        low, total = self._half.r(-self.d).log(), arb(0)
        for x in (w.real, 1 - w.real):
            total += ((1 - x) * low).exp() * self._half.most(acb(x), about)
        return (total - low.exp()).upper() ** self.times

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """Lemma L4 of both halves, each with one of its atoms."""
        low, high = (self._half.r(t).log() for t in (-self.d, self.d))
        total = arb(0)
        for one in (w, 1 - w):
            atom = (one * high - self.d).exp() / 2
            total += ((1 - one) * low).exp() * (atom + self._half.turns(one) / omega)
        return total.upper() ** self.times

    @property
    def _half(self) -> SampledLaplace:
        """Of a record removed, whose losses those of a half are but for a constant."""
        return SampledLaplace(self.ratio, self.q, 1)

    def largest(self, remove: bool) -> arb | None:
        return self.times * self.end

    @property
    def end(self) -> arb:
        """The largest loss of one step."""
        return (self._half.r(self.d) / self._half.r(-self.d)).log()

    def once(self, epsilon: arb) -> arb:
        """delta of one step at any real eps (Lemma L5): that of |eps|, and what a negative one adds."""
        size, down = abs(epsilon), epsilon.min(arb(0))
        grown = (1 - self.q) / self.q * size.expm1() * self.d.exp() + size.exp()
        gap = -(grown.log() / 2 - self.d).expm1()
        return down.exp() * self.q * gap.nonnegative_part() + (-down.expm1()).nonnegative_part()
