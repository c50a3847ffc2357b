"""The law of a step's privacy loss, as far as lines of the contour ask for it.

A(w) = E_Q[e^{w L}; 0 < dP/dQ < inf], L = log dP/dQ, P with the record and Q without. A composition of T steps has
A(w)^T, and K(z) = log E_P[e^{z L}; L < inf] is log A(z + 1) for "remove"; with P and Q exchanged, for "add", log A(-z).
Every number below is a ball that holds the true one, every bound is rounded outward by Arb.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import acb, acb_mat, arb

from neyman_check.errors import NotProved
from neyman_check.laws.told import Told

__all__ = ["EXP", "FiniteLaw", "Gaussian", "Law", "Near", "Noise", "demand", "largest_loss", "raised",
           "turned", "turning"]  # fmt: skip


_UNLISTED = "a line of a law with more outcomes than are listed"
EXP = 10  # units of work that an exponential or a logarithm takes
_BY_PRODUCTS = 16  # a power of less


class Near(ABC):
    """A(w)^times near one segment of a path."""

    @abstractmethod
    def at(self, points: Sequence[acb], ends: tuple[acb, acb]) -> list[acb]:
        """Its values at points of the segment between two ends."""

    @abstractmethod
    def most(self, w: acb, about: arb) -> arb:
        """A bound of its modulus at w, whose logarithm is convex or above what is; right above ``about`` at most."""


class Law(ABC):
    """``times`` steps of one kind."""

    times: int
    symmetric: bool = False
    """Whether P and Q exchanged make the same law of the loss."""

    @abstractmethod
    def kept(self, remove: bool) -> arb:
        """P(L < inf) of all of them; with P and Q exchanged for "add"."""

    @abstractmethod
    def cost(self, count: int, told: Told) -> int:
        """Units of work that a line of so many nodes takes."""

    def tilting(self, w: arb) -> int:
        """Units of work that a tilt takes beside that."""
        return 0

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        """A(w + i k spacing)^times, k < count."""
        return self.values([acb(w, spacing * k) for k in range(count)])

    def real(self, w: arb, told: Told) -> arb:
        """A(w)^times at real w."""
        return self.along(w, arb(0), 1, told)[0].real

    @abstractmethod
    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """A bound of |A(w + i omega')|^times for every omega' >= omega > 0."""

    def largest(self, remove: bool) -> arb | None:
        """What no finite loss of all of them exceeds; None where there is no such number."""
        return None

    def near(self, told: Told, segment: int, remove: bool) -> Near:
        """As a segment of a path asks for it."""
        return _Closed(self)

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        """Units of work that it takes to be near a segment, and those of each value or bound there."""
        return 0, 0

    def value(self, w: acb) -> acb:
        """A(w)^times where it has a closed form."""
        raise NotProved("steps that have no closed form")

    def values(self, points: Sequence[acb]) -> list[acb]:
        """At each of several points."""
        return [self.value(w) for w in points]

    def most(self, w: acb, about: arb) -> arb:
        """|A(w + i omega)| <= A(w), whose logarithm is convex."""
        return self.value(acb(w.real)).real


class Noise(Law):
    """Of which no outcome gives anything away for certain."""

    def kept(self, remove: bool) -> arb:
        return arb(1)


class _Closed(Near):
    """A law in closed form."""

    def __init__(self, law: Law) -> None:
        self._law = law

    def at(self, points: Sequence[acb], ends: tuple[acb, acb]) -> list[acb]:
        return [self._law.value(w) for w in points]

    def most(self, w: acb, about: arb) -> arb:
        return self._law.most(w, about).upper()


@dataclass(frozen=True)
class Gaussian(Noise):
    """Normal noise: A(w) = e^{mu^2 (w^2 - w) / 2}; ``square`` is mu^2 of all steps together."""

    square: arb
    times = 1
    symmetric = True

    def cost(self, count: int, told: Told) -> int:
        return EXP * count

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        return 0, EXP

    def value(self, w: acb) -> acb:
        return ((w * w - w) * self.square / 2).exp()

    def most(self, w: acb, about: arb) -> arb:
        """-omega^2 lies below its tangent."""
        x, y = w.real, w.imag
        return ((x * x - x + about * about - 2 * about * y) * self.square / 2).exp()

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        return ((w * w - w - omega * omega) * self.square / 2).exp()


@dataclass(frozen=True)
class FiniteLaw(Law):
    """Finitely many outcomes, with their probabilities (P, Q): A(w) = sum of p^w q^{1 - w}.

    ``at`` are the losses of those that both laws may show, where they are rational numbers; ``lost`` is the mass of
    either law that is not listed, at most.
    """

    outcomes: tuple[tuple[arb, arb], ...]
    times: int
    at: tuple[Fraction, ...] = ()
    lost: arb = field(default_factory=lambda: arb(0))
    symmetric: bool = False

    def __post_init__(self) -> None:
        sure = all(x == 0 or (x > 0 and x.is_finite()) for pair in self.outcomes for x in pair)
        demand(sure, "probabilities that are neither 0 nor surely above it")

    def kept(self, remove: bool) -> arb:
        mass = [(p, q) if remove else (q, p) for p, q in self.outcomes]
        if all(p == 0 or q != 0 for p, q in mass):
            return arb(1)
        return sum((p for p, q in mass if q != 0), arb(0)) ** self.times

    def cost(self, count: int, told: Told) -> int:
        demand(self.lost == 0, _UNLISTED)
        return turning(len(self.outcomes), count)

    @property
    def losses(self) -> list[tuple[arb, arb]]:
        """log(p / q) and q of those that reveal nothing for certain."""
        return [((p / q).log(), q) for p, q in self.outcomes if p != 0 and q != 0]

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        logs = self.losses
        start = [q * (w * loss).exp() for loss, q in logs]
        return [value**self.times for value in turned(start, [loss for loss, _ in logs], spacing, count)]

    def real(self, w: arb, told: Told) -> arb:
        return sum((q * (w * loss).exp() for loss, q in self.losses), arb(0)) ** self.times

    def toll(self, told: Told, segment: int) -> tuple[int, int]:
        demand(self.lost == 0, _UNLISTED)
        return 0, 3 * EXP * (len(self.outcomes) + 1)

    def value(self, w: acb) -> acb:
        demand(self.lost == 0, _UNLISTED)
        return raised(sum((q * (w * loss).exp() for loss, q in self.losses), acb(0)), self.times)

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        return self.real(w, told)

    def largest(self, remove: bool) -> arb | None:
        losses = [loss if remove else -loss for loss, _ in self.losses]
        if self.lost != 0 or not losses:
            return None
        most = losses[0]
        for loss in losses[1:]:
            most = most.max(loss)
        return most * self.times


def largest_loss(laws: Sequence[Law], remove: bool) -> arb:
    """What no finite loss of a composition exceeds."""
    total = arb(0)
    for law in laws:
        one = law.largest(remove)
        if one is None:
            raise NotProved("losses without end")
        total += one
    return total


def turned(start: Sequence[arb | acb], logs: Sequence[arb | acb], spacing: arb, count: int) -> list[acb]:
    """sum over j of start_j e^{i k spacing logs_j}, k = a m + b < count: a matrix over (a, j) times one over (j, b)."""
    if not start:  # nothing that both laws may show
        return [acb(0)] * count
    if count == 1:
        return [acb(sum(start, acb(0)))]
    m = math.isqrt(count - 1) + 1
    rates = [acb(0, spacing) * g for g in logs]
    rows = acb_mat(
        [[u * (r * (a * m)).exp() for u, r in zip(start, rates, strict=True)] for a in range((count - 1) // m + 1)]
    )
    columns = acb_mat([[(r * b).exp() for b in range(m)] for r in rates])
    return (rows * columns).entries()[:count]


def turning(terms: int, count: int) -> int:
    """The work of ``turned``, and of a power of each sum."""
    return terms * count + 2 * EXP * (terms * (math.isqrt(count) + 2) + count)


def raised(value: acb, times: int) -> acb:
    """A power: that of the midpoint, and that of what is next to 1, whose balls hardly grow."""
    middle = value.mid()
    if times < _BY_PRODUCTS or middle == 0 or not value.is_finite():
        return value**times
    beside = value / middle
    if not (beside - 1).abs_upper() < arb("0.5"):
        return value**times
    return (middle.log() * times).exp() * (beside.log() * times).exp()


def demand(true: bool, otherwise: str) -> None:
    """Or nothing is proved."""
    if not true:
        raise NotProved(otherwise)
