"""Transforms that are a sum of few parts, each e^{w loss} times what does not grow anywhere above the real axis
(docs/proofs/forks.md): a path may fork for them.

    A(w) = sum over k of a_k(w) e^{w (first + k gap)},     |a_k(w)| bounded by what the height of w says
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress

from flint import acb, arb, fmpq

from neyman_check.errors import NotProved
from neyman_check.laws.base import Law, Near, raised
from neyman_check.laws.ends import Ends

__all__ = ["ExchangedParts", "NearParted", "Parted", "SampledParts"]

_ENOUGH = 10  # bits of a moment that is to be a bound


class Parted(ABC):
    """At the precision of whoever made it."""

    first: arb
    gap: arb

    @abstractmethod
    def parts(self, w: acb) -> Sequence[acb]:
        """Each with its e^{w loss}, Im w > 0."""

    @abstractmethod
    def most(self, x: arb, height: arb) -> Sequence[arb]:
        """Bounds of their moduli at real part x, wherever Im w is at least that high."""

    @abstractmethod
    def work(self, w: acb) -> int:
        """Units of work that all parts take."""

    def value(self, w: acb) -> acb:
        """A(w)."""
        return sum(self.parts(w), acb(0))


class SampledParts(Parted):
    """Lemma F1: of a sampled Laplace step, what comes from either end of its losses."""

    def __init__(self, ratio: fmpq, q: arb) -> None:
        self._ends = Ends(ratio, q)
        self.first, self.gap = self._ends.low.log, self._ends.high.log - self._ends.low.log

    def parts(self, w: acb) -> Sequence[acb]:
        one = self._ends.factors(w)
        return one.low * (w * self._ends.low.log).exp(), one.high * (w * self._ends.high.log).exp()

    def most(self, x: arb, height: arb) -> Sequence[arb]:
        high, low = self._ends.most(height)
        return low * (x * self._ends.low.log).exp(), high * (x * self._ends.high.log).exp()

    def work(self, w: acb) -> int:
        return self._ends.work(w)


class ExchangedParts(Parted):
    """Lemma F3: the same where a record is exchanged: losses of either sign, and none."""

    def __init__(self, ratio: fmpq, q: arb) -> None:
        self._ends = Ends(ratio, q)
        low, high = self._ends.low.log, self._ends.high.log
        self.first, self.gap = low - high, high - low
        self._low, self._high = low.exp(), high.exp()

    def parts(self, w: acb) -> Sequence[acb]:
        star = acb(1 - w.real, w.imag)  # the conjugate of 1 - w
        smooth = self._ends.low.value(w) + self._ends.low.value(star).conjugate()
        one, other = self._ends.highest(w), self._ends.highest(star)
        turn = (w * self.gap).exp()
        return self._high * other.conjugate() / turn, self._low * smooth, self._low * one * turn

    def most(self, x: arb, height: arb) -> Sequence[arb]:
        high, _ = self._ends.most(height)
        turn = (x * self.gap).exp()
        return self._high * high / turn, 2 * self._low * self._ends.low.most(height), self._low * high * turn

    def work(self, w: acb) -> int:
        return self._ends.work(w) + self._ends.work(acb(1 - w.real, w.imag))


class NearParted(Near):
    """Such steps near a segment of a path."""

    def __init__(self, law: Law, parted: Parted) -> None:
        self._law, self._parted = law, parted

    def at(self, points: Sequence[acb], ends: tuple[acb, acb]) -> list[acb]:
        return [raised(self._parted.value(w), self._law.times) for w in points]

    def most(self, w: acb, about: arb) -> arb:
        """A at the real part, by the same sum where that has digits enough, or as the law bounds it."""
        found = acb(arb.nan())
        with suppress(NotProved):
            found = raised(self._parted.value(acb(w.real)), self._law.times)
        return found.real.upper() if found.rel_accuracy_bits() > _ENOUGH else self._law.most(w, about)
