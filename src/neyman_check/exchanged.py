"""Sampled Laplace noise of which a record is exchanged for another: (1 - q) F_0 + q F_1 against (1 - q) F_0 + q F_-1.

Right of 0 the loss is log r(t) - log r(-d), t = (2x - 1) d, with r, and the law of t, as of a record removed
(docs/proofs/laplace.md); left of 0 it is the mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb, fmpq

from neyman_check.errors import NotProved
from neyman_check.laws import Law
from neyman_check.told import Told

__all__ = ["ExchangedLaplace"]


@dataclass(frozen=True)
class ExchangedLaplace(Law):
    """d is what one record moves the query by, beside the scale: both together are 2 d apart."""

    ratio: fmpq  # d
    q: arb
    times: int
    symmetric = True

    @property
    def d(self) -> arb:
        """At the precision of whoever asks."""
        return arb(self.ratio)

    def kept(self, remove: bool) -> arb:
        return arb(1)

    def cost(self, count: int, told: Told) -> int:
        raise NotProved("a line of sampled Laplace steps of which a record is exchanged")

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        raise NotProved("a line of sampled Laplace steps of which a record is exchanged")

    def real(self, w: arb, told: Told) -> arb:
        raise NotProved("a line of sampled Laplace steps of which a record is exchanged")

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        raise NotProved("a line of sampled Laplace steps of which a record is exchanged")

    def largest(self, remove: bool) -> arb | None:
        return self.times * self.end

    @property
    def end(self) -> arb:
        """The largest loss of one step."""
        return (self._r(self.d) / self._r(-self.d)).log()

    def once(self, epsilon: arb) -> arb:
        """delta of one step at any real eps (Lemma L5): that of |eps|, and what a negative one adds."""
        size, down = abs(epsilon), epsilon.min(arb(0))
        grown = (1 - self.q) / self.q * size.expm1() * self.d.exp() + size.exp()
        gap = -(grown.log() / 2 - self.d).expm1()
        return down.exp() * self.q * gap.nonnegative_part() + (-down.expm1()).nonnegative_part()

    def _r(self, t: arb) -> arb:
        return 1 - self.q + self.q * t.exp()
