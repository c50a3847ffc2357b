"""E (K - S)_+ from nodes and weights on a contour: f(K) = factor * sum of Re [weight * e^{sK}] over half of it.

Many K near each other share the nodes: about a centre K_0 the sum is a power series, f(K_0 + x) = sum of c_j x^j,
whose coefficients are sums over the nodes of weight * e^{s K_0} s^j / j!. After n terms what is left is at most the sum
of |sx|^n / n! e^{|sx|} times the moduli of the weights. How far x may go follows from these moduli.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from decimal import Context, Decimal
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.allocated.lines.transform import Transform
from neyman.numerics.exact.double_double import LOST, TWICE, Complex, Twofold, from_decimals, to_decimal
from neyman.numerics.rounding import AMPLE, UNIT

__all__ = ["TERMS", "Contour", "Nodes", "Points", "Series", "few_bits", "relative"]

TERMS = 64  # of a power series
_LEFT = 3e-31  # what it may leave, and what rounding does to it, of the moduli of its line
_LOOSER = 4.0  # by how much more its nodes, and what it errs by without them, may be off at the ends
_TRIED = 80  # widths, from 0.4 K down, each the last over the root of 2
_FAINT = Decimal("1e-20")  # phi(c) below which its error, up to 1e-28, is too much of it
_PLAIN_NATS = 42.0  # -log of what a sum for phi may leave in float64
_AT_ONCE = 1_500_000  # nodes times those of their transforms that are held at a time
_DIGITS = Context(prec=60)  # decimals: pairs of floats hold 32

Points = NDArray[np.complex128]


class Series(NamedTuple):
    """Coefficients about each centre, of powers of x / width, and a bound on the error of the sum within the width."""

    coefficients: list[Twofold]
    error: FloatArray


class Nodes(NamedTuple):
    """What a contour sums: places, weights (both halves in one) over phi(c)^t with bounds on their errors, phi(c)."""

    s: Complex
    weight: Complex
    error: FloatArray
    first: Decimal


class _Plain(NamedTuple):
    """In float64: nodes, weights, log phi, a bound on its error, |phi - 1| / |phi|."""

    s: Points
    weight: Points
    log: Points
    off: FloatArray
    size: FloatArray


class Contour(ABC):
    """A line that is laid."""

    kind: ClassVar[str]
    t: int
    nodes: int
    transform: Transform
    head: Decimal
    """The factor of the sum, but for phi(c)^t e^{cK}"""

    @property
    @abstractmethod
    def laid(self) -> Nodes:
        """Places and weights."""

    @abstractmethod
    def grown(self, k: list[Decimal]) -> tuple[Complex, FloatArray]:
        """e^{(s - c)K}, a row for each K, and how many units of their modulus they err by."""

    @abstractmethod
    def terms(self, k: FloatArray) -> dict[str, FloatArray]:
        """What the whole sum errs by at each K, by the names of certificates: discretised, and cut."""

    @property
    @abstractmethod
    def places(self) -> tuple[Points, Points]:
        """The nodes and what stands before e^{sK} phi^t, in float64."""

    @cached_property
    def _plain(self) -> _Plain:
        s, weight = self.places
        transform = self.transform
        many = max(_AT_ONCE // transform.work, 1)
        pieces = [s[i : i + many] for i in range(0, len(s), many)]
        parts = [transform.excess(one, transform.shift(one), _PLAIN_NATS) for one in pieces]
        value = np.asarray(np.concatenate([part[0] for part in parts]), dtype=np.complex128)
        error = np.concatenate([part[1] for part in parts])
        x, y, modulus = value.real, value.imag, np.abs(1.0 + value)
        with np.errstate(divide="ignore", invalid="ignore"):
            log = 0.5 * np.log1p(np.maximum(2.0 * x + x * x + y * y, -1.0)) + 1j * np.arctan2(y, 1.0 + x)
            log = np.where(2.0 * np.abs(x) < 1.0, log, np.log(1.0 + value))
            off = np.where(modulus > 2.0 * error, 3.0 * error / (modulus - error), np.inf)  # nodes are off, too
        return _Plain(s, weight, log, off, np.abs(value) / np.maximum(modulus, UNIT))

    def summed(self, k: float) -> tuple[float, float]:
        """f(K) in float64, and a bound on its error."""
        s, weight, log, off, size = self._plain
        head = float(self.head)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            term = weight * np.exp(s * k + self.t * log)
            units = 128.0 + len(s) + 48.0 * np.abs(s) * k + 16.0 * self.t * (np.abs(log) + size)
            lost = float(np.sum(np.abs(term) * np.expm1(self.t * off + UNIT * units)))
            value = head * float(np.sum(term.real))
        error = (head * lost + float(self.outside(np.array([k]))[0])) * (1.0 + AMPLE)
        return (value, error) if math.isfinite(value) and error < math.inf else (0.0, math.inf)

    def outside(self, k: FloatArray) -> FloatArray:
        """All of these together."""
        return np.asarray(sum(self.terms(k).values()), dtype=np.float64)

    @property
    def resolved(self) -> bool:
        """Whether phi on the real axis is above its error."""
        return self.laid.first > _FAINT

    def room(self, k: float) -> float:
        """How far from a K near ``k`` a power series is good, about."""
        s, weight, error, _ = self.laid
        real, size = s.re.hi, s.modulus
        with np.errstate(divide="ignore", under="ignore", over="ignore", invalid="ignore"):
            log = (real - real[0]) * k + np.log(weight.modulus)
            x = 0.4 * k * 2.0 ** (-0.5 * np.arange(_TRIED))[:, None]
            moved = size * x
            left = np.sum(np.exp(log + moved) * (moved**TERMS / math.factorial(TERMS) + 0.1 * _LEFT), axis=1)
            off, whole = np.exp((real - real[0]) * k) * error, float(np.sum(np.exp(log)))
            left = np.maximum(left, np.sum(off * np.exp(moved), axis=1) - _LOOSER * np.sum(off))
        x = x[:, 0]
        ends, here = np.maximum(self.outside(k + x), self.outside(k - x)), self.outside(np.array([k]))
        most = np.maximum(_LEFT * whole * self._factor([Decimal(k)]).hi, _LOOSER * here)
        good = np.flatnonzero((left <= _LEFT * whole) & (ends <= most))
        return float(x[good[0]]) if len(good) else float(x[-1])

    def series(self, k: list[Decimal], few: FloatArray, width: FloatArray) -> Series:
        """The power series of f about each K > 0 in x over ``width`` < K / 2, good where that is at most 1 in modulus.

        What the sum errs by without them is largest at the ends: that of a straight line rises with K, that of a
        hyperbola is a sum of exponentials of multiples of K, over K at most: convex.
        """
        s, weight, error, _ = self.laid
        grown, units = self.grown(k)
        term, factor, size = grown * _row(weight), self._factor(k), s.modulus * width[:, None]
        found = [term.re.summed() * factor]
        steps = _row(s).times(Twofold(width[:, None], np.zeros((len(k), 1))))
        for j in range(1, TERMS):
            term = term * steps
            whole = from_decimals([_DIGITS.divide(Decimal(1), Decimal(math.factorial(j)))])
            found.append(term.re.summed() * factor * whole)
        units = (units + 16.0 * TERMS + 2.0 * math.log2(self.nodes + 1.0)) * TWICE
        with np.errstate(over="ignore", under="ignore"):
            spread = np.exp(size)
            left = size**TERMS / math.factorial(TERMS)
            most = grown.modulus * ((error + units * weight.modulus) + weight.modulus * left) * spread
        ends = np.maximum(self.outside(few + width), self.outside(np.maximum(few - width, 0.5 * few)))
        return Series(
            found, factor.hi * (np.sum(most, axis=1) + self.nodes * LOST) * (1.0 + AMPLE) + TERMS * LOST + ends
        )

    def _factor(self, k: list[Decimal]) -> Twofold:
        s, first = self.laid.s, self.laid.first
        c, log = to_decimal(float(s.re.hi[0]), float(s.re.lo[0])), _DIGITS.multiply(self.t, _DIGITS.ln(first))
        powers = [_DIGITS.exp(_DIGITS.add(_DIGITS.multiply(c, x), log)) for x in k]
        return from_decimals([_DIGITS.multiply(self.head, power) for power in powers])


def relative(transform: Transform, t: int, s: Complex) -> tuple[Complex, FloatArray, Decimal]:
    """phi^t at points over phi^t at the first, which is real; bounds on the errors of these quotients; phi there."""
    phi, off = transform.at(s)
    first = to_decimal(float(phi.re.hi[0]), float(phi.re.lo[0]))
    if not (first > _FAINT and bool(np.isfinite(off).all() and np.isfinite(phi.modulus).all())):
        return phi, np.full_like(off, math.inf), Decimal(0)
    ratio = phi.times(from_decimals([_DIGITS.divide(Decimal(1), first)]))
    error = (off + 8.0 * TWICE * phi.modulus) / float(first) * (1.0 + AMPLE)
    power, size = ratio.to_the(t), ratio.modulus
    # |r~^t - r^t| <= t e (|r| + e)^{t - 1}, and what t products err by
    with np.errstate(under="ignore", over="ignore"):
        moved = t * error * (size + error) ** (t - 1) + 12.0 * t * TWICE * size**t + LOST
    return power, moved * (1.0 + AMPLE + 8.0 * UNIT * t), first  # a float to the t errs by t units and more


def few_bits(value: float) -> float:
    """No more than ``value``, with so few digits that its multiples are floats."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(math.floor(mantissa * 2**20) / 2**20, exponent)


def _row(z: Complex) -> Complex:
    return z.at((None, slice(None)))
