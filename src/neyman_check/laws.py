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
from neyman_check.told import Grid, Told, Witness

__all__ = ["EXP", "FiniteLaw", "Gaussian", "Law", "SampledGaussian", "demand", "largest_loss", "turned",
           "turning"]  # fmt: skip


_WHOLE = 1000  # the largest order whose neighbours' moments are summed
EXP = 10  # units of work that an exponential or a logarithm takes


class Law(ABC):
    """``times`` steps of one kind."""

    times: int

    @abstractmethod
    def kept(self, remove: bool) -> arb:
        """P(L < inf) of all of them; with P and Q exchanged for "add"."""

    @abstractmethod
    def cost(self, count: int, told: Told) -> int:
        """Units of work that a line of so many nodes takes."""

    @abstractmethod
    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        """A(w + i k spacing)^times, k < count."""

    @abstractmethod
    def real(self, w: arb, told: Told) -> arb:
        """A(w)^times at real w."""

    @abstractmethod
    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """A bound of |A(w + i omega')|^times for every omega' >= omega > 0."""

    def largest(self, remove: bool) -> arb | None:
        """What no finite loss of all of them exceeds; None where there is no such number."""
        return None


@dataclass(frozen=True)
class Gaussian(Law):
    """Normal noise: A(w) = e^{mu^2 (w^2 - w) / 2}; ``square`` is mu^2 of all steps together."""

    square: arb
    times = 1

    def kept(self, remove: bool) -> arb:
        return arb(1)

    def cost(self, count: int, told: Told) -> int:
        return EXP * count

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        points = (acb(w, spacing * k) for k in range(count))
        return [((z * z - z) * self.square / 2).exp() for z in points]

    def real(self, w: arb, told: Told) -> arb:
        return ((w * w - w) * self.square / 2).exp()

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

    def __post_init__(self) -> None:
        sure = all(x == 0 or (x > 0 and x.is_finite()) for pair in self.outcomes for x in pair)
        demand(sure, "probabilities that are neither 0 nor surely above it")

    def kept(self, remove: bool) -> arb:
        mass = [(p, q) if remove else (q, p) for p, q in self.outcomes]
        if all(p == 0 or q != 0 for p, q in mass):
            return arb(1)
        return sum((p for p, q in mass if q != 0), arb(0)) ** self.times

    def cost(self, count: int, told: Told) -> int:
        demand(self.lost == 0, "a line of a law with more outcomes than are listed")
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


@dataclass(frozen=True)
class SampledGaussian(Law):
    """A Poisson-sampled Gaussian step: A(w) = E over x ~ N(0, s^2) of G(x)^w, G(x) = 1 - q + q e^{(2x - 1) / (2 s^2)}.

    Lemmas 2 (strip), 3 (moments), 4 (ends) and 5 (the bound that never grows again) of docs/proofs/lines.md.
    """

    s: arb
    q: arb
    times: int

    def kept(self, remove: bool) -> arb:
        return arb(1)

    def cost(self, count: int, told: Told) -> int:
        here, far, cut = _gridded(told)
        return turning(here.number, count) + 4 * EXP * (here.number + far.number + 2 * cut.number) + 40 * _WHOLE

    def along(self, w: arb, spacing: arb, count: int, told: Told) -> list[acb]:
        return self._summed(w, spacing, count, _gridded(told).here)

    def real(self, w: arb, told: Told) -> arb:
        return self._summed(w, arb(0), 1, _gridded(told).far)[0].real

    def beyond(self, w: arb, omega: arb, told: Told) -> arb:
        """Lemma 5."""
        low, step, count, angle, strip = _gridded(told).cut
        square, spread = self.s * self.s, strip / (self.s * self.s)
        demand(angle > 0 and strip > 0 and angle + spread < arb.pi() / 2, "the strip of a cut reaches too far")
        x = self._nodes(low, step, count, w)
        total = arb(0)
        for node in x:
            g = 1 - self.q + self.q * (acb(2 * node - 1, 2 * angle * square) / (2 * square)).exp()
            total += (w * abs(g).log() - omega * g.arg() - node * node / (2 * square)).exp()
        total *= step / (self.s * (2 * arb.pi()).sqrt())
        most = self._moment(w) * (strip * strip / (2 * square)).exp() * _widened(w, angle + spread)
        total += 2 * most / ((2 * arb.pi() * strip / step).exp() - 1)
        total += self._ends(x[0], x[-1], w) * _widened(w, angle)
        return ((angle * angle * square / 2).exp() * total).upper() ** self.times

    def largest(self, remove: bool) -> arb | None:
        """G > 1 - q."""
        return None if remove or not self.q < 1 else -self.times * (1 - self.q).log()

    def _summed(self, w: arb, spacing: arb, count: int, grid: Grid) -> list[acb]:
        """The trapezoid rule on the line Im x = angle s^2, with what it errs by in the radii (Lemmas 2 and 4)."""
        low, step, number, angle = grid
        demand(angle > 0 and angle < arb.pi() / 2, "the strip of a grid reaches a branch point")
        x, square = self._nodes(low, step, number, w), self.s * self.s
        line = [acb(node, angle * square) for node in x]
        logs = [(1 - self.q + self.q * ((2 * node - 1) / (2 * square)).exp()).log() for node in line]
        scale = step / (self.s * (2 * arb.pi()).sqrt())
        start = [(w * g - node * node / (2 * square)).exp() * scale for node, g in zip(line, logs, strict=True)]
        ends = self._ends(x[0], x[-1], w) * (angle * angle * square / 2).exp() * _widened(w, angle)
        error = (self._strip(w, angle, step) + ends).upper()
        off = acb(arb(0, error), arb(0, error))
        return [(value + off) ** self.times for value in turned(start, logs, spacing, count)]

    def _strip(self, w: arb, angle: arb, step: arb) -> arb:
        """Lemma 2."""
        square = self.s * self.s
        most = self._moment(w) * (2 * angle * angle * square).exp() * _widened(w, 2 * angle)
        fall = (2 * arb.pi() * angle * square / step).exp() - 1
        demand(fall > 0, "the nodes of a step are too far apart")
        return 2 * most / fall

    def _nodes(self, low: arb, step: arb, count: int, w: arb) -> list[arb]:
        demand(count > 0 and step > 0, "a grid without nodes")
        x = [low + step * k for k in range(count)]
        demand(x[0] < 0 and x[-1] > arb("0.5") and x[-1] > w, "the ends of a grid lie where its terms still rise")
        return x

    def _moment(self, w: arb) -> arb:
        """Lemma 3: E G^w at most."""
        if w > 1:
            most = 1 + self.q * (((w * w - w) / (2 * self.s * self.s)).exp() - 1)
            n = int(float(w.mid()))
            if not (n <= _WHOLE and w >= n and w <= n + 1):
                return most
            return most.min(self._whole(n) ** (n + 1 - w) * self._whole(n + 1) ** (w - n))
        if w >= 0 and w <= 1:
            return arb(1)
        demand(w < 0, "a tilt that is neither above nor below 1")
        return (1 - self.q) ** w

    def _whole(self, n: int) -> arb:
        """E G^n, by the binomial theorem."""
        total = term = rise = arb(1)
        grown = (1 / (self.s * self.s)).exp()
        for k in range(1, n + 1):
            term = term * self.q * rise * (n - k + 1) / k
            rise = rise * grown
            total = total * (1 - self.q) + term
        return total

    def _ends(self, first: arb, last: arb, w: arb) -> arb:
        """Lemma 4: all terms before the first node and beyond the last."""
        s, q = self.s, self.q
        if not w > 0:
            return _above(-first / s) * ((1 - q) ** w if w < 0 else arb(1)) + _above(last / s)
        tilted = q**w * ((w * w - w) / (2 * s * s)).exp() * _above((last - w) / s)
        return _above(-first / s) + arb(2) ** w * (_above(last / s) + tilted)


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
        return [sum(start, acb(0))]
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


def _widened(w: arb, angle: arb) -> arb:
    """What the modulus of G to a negative power grows by at most on a line of that angle."""
    return (angle / 2).cos() ** w if w < 0 else arb(1)


def _above(u: arb) -> arb:
    """P(Z > u) of a normal Z."""
    return (u / arb(2).sqrt()).erfc() / 2


def _gridded(told: Told) -> Witness:
    if not isinstance(told, Witness):
        raise NotProved("a line says nothing of a sampled step")
    return told


def demand(true: bool, otherwise: str) -> None:
    """Or nothing is proved."""
    if not true:
        raise NotProved(otherwise)
