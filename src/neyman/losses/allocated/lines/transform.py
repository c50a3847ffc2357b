"""The Laplace transform of one likelihood ratio: phi(s) = E e^{-sY}, Y = exp(z / sigma - 1 / (2 sigma^2)), z normal.

Y is the density of N(1, sigma^2) over N(0, sigma^2), seen under the latter. With n the normal density and any b >= 0
for which | |arg s| - b / sigma | <= pi / 2 the line of integration may be shifted down (up, where Im s < 0) by b:

    phi(s) = int n(x - ib) exp(-w(x)) dx,     w(x) = s e^{-ib / sigma} exp(x / sigma - 1 / (2 sigma^2)).

**Sum.** By the trapezoid rule, spacing h. On every line of the strip b - a <= -Im z <= b + a on which Re w >= 0 the
modulus of the integrand integrates to at most e^{(Im z)^2 / 2}, so the sum errs by at most
(e^{(b + a)^2 / 2} + e^{(b - a)^2 / 2}) / (e^{2 pi a / h} - 1) (Trefethen and Weideman 2014, Theorem 5.1, either half of
the strip by itself). The sum of the weights alone, which is 1, errs by no more: phi = 1 + sum of weights times
expm1(-w). What is left out beyond the ends x_0 < 0 < x_1 is at most e^{b^2 / 2} (|s| N(x_0 - 1 / sigma) + 2 N(-x_1))
and one term of the same size each, since |e^{-w} - 1| <= min(|w|, 2).

**Octaves.** h = sigma log(2) / M, so that w doubles after M nodes, and expm1(-2w) = E (2 + E) with E = expm1(-w):
only the first M nodes need an exponential, of an argument that is halved until it is small. The error of E is carried
along: it becomes at most e (2 |1 + E| + e) and the rounding of that step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import lambertw, ndtr

from neyman._validate import FloatArray
from neyman.numerics.exact.double_double import TWICE, Complex, Twofold, expm1_small, from_decimals, turned
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, ROOM, SLIGHT, TINY, UNIT

__all__ = ["RealTable", "Transform", "Transformed", "real_table"]

Points = NDArray[np.complex128]

_DIGITS = Context(prec=60)  # decimals: pairs of floats hold 32
_LN2 = _DIGITS.ln(Decimal(2))  # to all of them
_SQRT_TAU = _DIGITS.sqrt(Decimal("6.28318530717958647692528676655900576839433879875021164194989"))
_NATS = 76.0  # -log of what a trapezoid sum and its ends may leave, each: 1e-33
_ROUGH_NATS = 34.0  # the same in float64
_SHIFT = 3.0  # deviations up to which a line is shifted for its own sake: weights grow by e^{b^2 / 2}
_WIDE = 4.0  # deviations of a strip that are worth having
_LEAST_OCTAVE, _LAST_OCTAVE, _PER_OCTAVE = -80, 60, 8  # log2 of the ends of the table of phi, and its fineness
_DEEPEST, _HIGHEST = 38.0, 9.0  # deviations of its sums to the left, where Y is small, and to the right
_TURNED = 24.0  # deviations by which a line is turned at most, far out: weights grow by e^{288}
_FIRST_COST, _LEVEL_COST, _LEVEL_BASE = 5e3, 5e2, 5e5  # nanoseconds: of a first node, of another, of an octave
_FIRST = 2.0**-7  # the largest |w| of which expm1 is a polynomial
# certify, units of 2^-104: of the first expm1, a turn, its angle (``summed``)
_SMALL, _TURN, _ANGLE = 160.0, 24.0, 28.0
_SPLIT = np.geomspace(0.1, 700.0, 60)[:, None]  # s y: where P(Y <= y) + e^{-sy} is looked at


class Transformed(NamedTuple):
    """phi at some points, and bounds on its absolute errors."""

    value: Complex
    error: FloatArray


@dataclass(frozen=True)
class Grid:
    """Nodes x_j = (j - before) h for j < octave * levels, h = sigma log(2) / octave."""

    sigma: float
    octave: int
    before: int
    levels: int

    @property
    def h(self) -> float:
        """The spacing."""
        return self.sigma * math.log(2.0) / self.octave

    @property
    def ends(self) -> tuple[float, float]:
        """The first node and the last."""
        return -self.before * self.h, (self.octave * self.levels - 1 - self.before) * self.h

    @cached_property
    def doubling(self) -> Decimal:
        """An octave: sigma log(2)."""
        return _DIGITS.multiply(Decimal(self.sigma), _LN2)

    @cached_property
    def exact(self) -> list[Decimal]:
        """The nodes."""
        h = _DIGITS.divide(self.doubling, Decimal(self.octave))
        return [_DIGITS.multiply(Decimal(j - self.before), h) for j in range(self.octave * self.levels)]

    @cached_property
    def density(self) -> Twofold:
        """h n(x_j)."""
        head = _DIGITS.divide(_DIGITS.divide(self.doubling, Decimal(self.octave)), _SQRT_TAU)
        return from_decimals([_DIGITS.divide(head, _exp_half_square(x)) for x in self.exact])

    @cached_property
    def first(self) -> Twofold:
        """Y at the first octave."""
        sigma = Decimal(self.sigma)
        drift = _DIGITS.divide(Decimal("0.5"), _DIGITS.multiply(sigma, sigma))
        powers = [_DIGITS.subtract(_DIGITS.divide(x, sigma), drift) for x in self.exact[: self.octave]]
        return from_decimals([_DIGITS.exp(power) for power in powers])


def _exp_half_square(x: Decimal) -> Decimal:
    """Return e^{x^2 / 2}."""
    return _DIGITS.exp(_DIGITS.multiply(Decimal("0.5"), _DIGITS.multiply(x, x)))


def _saddle(s: Points, sigma: float) -> FloatArray:
    """By which angle the line through the saddle point of the integrand turns: -z / sigma there is this W."""
    w: Any = lambertw  # its stub knows no arrays
    return np.asarray(w(s * (math.exp(-0.5 / sigma**2) / sigma**2)).imag, dtype=np.float64)


@lru_cache(maxsize=64)
def _grid(sigma: float, octave: int, before: int, levels: int) -> Grid:
    return Grid(sigma, octave, before, levels)


@dataclass(frozen=True)
class Transform:
    """phi for one ``sigma``, at points off the cut (-inf, 0]."""

    sigma: float

    def shift(self, s: Points) -> FloatArray:
        """The b of each point: that of the saddle point, or more where it widens the strip for little."""
        angle = np.abs(np.angle(s))
        saddle = self.sigma * np.abs(_saddle(s, self.sigma))
        least = self.sigma * (angle - 0.5 * math.pi) + min(0.5 * math.pi * self.sigma, 0.5 * _SHIFT)
        wanted = np.maximum(np.clip(saddle, _SHIFT, _TURNED), least)
        return np.where(angle > 0.0, np.minimum(wanted, self.sigma * angle), 0.0)

    def strip(self, s: Points, b: FloatArray) -> FloatArray:
        """A half-width a of the strip about the line on which Re w >= 0."""
        angle = np.abs(np.angle(s)) * (1.0 + 4.0 * UNIT)
        either = np.minimum(self.sigma * (0.5 * math.pi - angle) + b, self.sigma * (0.5 * math.pi + angle) - b)
        return np.minimum(either * (1.0 - ROOM), _WIDE)

    @property
    def work(self) -> int:
        """About how many nodes a point takes."""
        return self._usual.octave * self._usual.levels

    def cost(self, many: int) -> float:
        """About how many nanoseconds so many points take."""
        grid = self._usual
        return many * grid.octave * (_FIRST_COST + _LEVEL_COST * grid.levels) + _LEVEL_BASE * grid.levels

    @property
    def _usual(self) -> Grid:
        wide = min(0.5 * math.pi * self.sigma, _SHIFT)
        return self._grid(wide, wide, 1.0, _NATS)

    def at(self, s: Complex) -> Transformed:
        """phi to 106 bits, where Im s >= 0."""
        rough = s.rounded()
        b = self.shift(rough)
        a = self.strip(rough, b)
        grid = self._grid(float(np.min(a)), float(np.max(b)), float(np.max(np.abs(rough))), _NATS)
        with np.errstate(over="ignore", invalid="ignore"):  # what is no float has no finite error
            found = _Ladder(grid, s, b).summed()
        return Transformed(found.value, found.error + self._left(rough, a, b, grid))

    def rough(self, s: Points) -> tuple[Points, FloatArray]:
        """phi in float64, and a bound on its absolute error."""
        found, error = self.excess(s, self.shift(s), _ROUGH_NATS)
        return 1.0 + found, error + 4.0 * UNIT

    def excess(self, s: Points, b: FloatArray, nats: float) -> tuple[Points, FloatArray]:
        """phi - 1 in float64 with these shifts, and a bound on its absolute error."""
        way = np.where(s.imag >= 0.0, 1.0, -1.0)  # the cut belongs to its upper side
        a = self.strip(s, b)
        grid = self._grid(float(np.min(a)), float(np.max(b)), float(np.max(np.abs(s))), nats)
        x = np.arange(grid.octave * grid.levels)[:, None] - float(grid.before)
        x = x * grid.h
        w = (s * np.exp(-1j * way * b / self.sigma)) * np.exp(x / self.sigma - 0.5 / self.sigma**2)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            weight = (grid.h / math.sqrt(2.0 * math.pi)) * np.exp(0.5 * (b * b - x * x))
            minus = np.expm1(-w)
            found = np.sum(weight * np.exp(1j * way * b * x) * minus, axis=0)
            size = np.minimum(np.abs(minus), 2.0)
            turned_by = 64.0 + len(x) + 2.0 * x * x + b * b + np.abs(b * x)
            moved = (
                np.abs(w) * np.exp(-np.maximum(w.real, 0.0)) * (24.0 + 4.0 * (np.abs(x) / self.sigma + self.sigma**-2))
            )
            error = UNIT * np.sum(weight * np.minimum(size * turned_by + moved, 4.0 / UNIT), axis=0)
        return found, error + self._left(s, a, b, grid)

    def _grid(self, a: float, b: float, most: float, nats: float) -> Grid:
        """Nodes for strips of at least ``a``, shifts up to ``b``, points up to ``most`` in modulus."""
        h = 2.0 * math.pi * a / (nats + 0.5 * (a + b) ** 2)
        octave = max(math.ceil(self.sigma * math.log(2.0) / h), 1)
        h = self.sigma * math.log(2.0) / octave
        right = math.sqrt(2.0 * nats + b * b)
        far = math.sqrt(2.0 * (nats + max(math.log(max(most, 1e-290)), -nats)) + b * b)
        left = max(far - 1.0 / self.sigma, 1.0)
        return _grid(self.sigma, octave, math.ceil(left / h), math.ceil((left + right) / (h * octave)) + 1)

    def _left(self, s: Points, a: FloatArray, b: FloatArray, grid: Grid) -> FloatArray:
        """What trapezoid sums err by: discretised, of the function and of the weights, and cut off at both ends."""
        (left, right), h = grid.ends, grid.h
        near = left - 1.0 / self.sigma
        spread = np.exp(0.5 * (b + a) ** 2) + np.exp(0.5 * (b - a) ** 2)
        aliased = 2.0 * spread / np.expm1(2.0 * math.pi * a / h)
        cut = np.abs(s) * (ndtr(near) + h * np.exp(-0.5 * near**2)) + 2.0 * (ndtr(-right) + h * np.exp(-0.5 * right**2))
        return (aliased + np.exp(0.5 * b * b) * cut) * (1.0 + AMPLE)


class RealTable:
    """log phi on the positive real line from above: there it is convex, so that chords lie above it.

    Every term is positive, so that the sum of weights times e^{-w} is as sharp where phi is tiny. On the line Im z = a
    the integrand is at most n(x) e^{a^2 / 2} e^{-s cos(a / sigma) Y}: the sum errs by 2 e^{a^2 / 2} phi(s cos(a /
    sigma)) / (e^{2 pi a / h} - 1), and phi(s) <= P(Y <= y) + e^{-sy} for any y. What lies beyond the ends is lost.
    """

    def __init__(self, transform: Transform) -> None:
        self.transform, sigma = transform, transform.sigma
        octaves = np.arange(_LEAST_OCTAVE * _PER_OCTAVE, _LAST_OCTAVE * _PER_OCTAVE + 1)
        few: FloatArray = (2.0 ** (octaves / _PER_OCTAVE)).astype(np.float32).astype(np.float64)
        self.s = few  # of few digits: their multiples are floats
        a = min(0.5 * sigma, _WIDE)
        apart = math.ceil(sigma * math.log(2.0) / _PER_OCTAVE / (2.0 * math.pi * a / (2.0 * _ROUGH_NATS)))
        h = sigma * math.log(2.0) / (_PER_OCTAVE * apart)  # from one place to the next Y moves by so many nodes
        x = np.arange(-math.ceil(_DEEPEST / h), math.ceil(_HIGHEST / h) + 1.0) * h
        shrunk = self.s * math.cos(a / sigma)
        split = _SPLIT
        with np.errstate(under="ignore", over="ignore"):
            weight = (h / math.sqrt(2.0 * math.pi)) * np.exp(-0.5 * x * x)
            steps = np.arange(len(x) + apart * (len(few) - 1.0)) * (h / sigma)
            first = math.log(2.0) * _LEAST_OCTAVE + x[0] / sigma - 0.5 / sigma**2
            every = np.exp(-np.exp(first + steps) * (1.0 - 2.0**-22))  # s are rounded to 24 digits
            found = np.lib.stride_tricks.sliding_window_view(every, len(x))[::apart] @ weight
            least = np.min(ndtr(sigma * np.log(split / shrunk) + 0.5 / sigma) + np.exp(-split), axis=0)
            lost = ndtr(-_DEEPEST + h) + ndtr(-_HIGHEST + h) * np.exp(
                -self.s * math.exp(_HIGHEST / sigma - 0.5 / sigma**2)
            )
        aliased = 2.1 * math.exp(0.5 * a * a) * least / math.expm1(min(2.0 * math.pi * a / h, LARGEST_EXPONENT))
        spread = UNIT * (900.0 + len(x) + 8.0 * (_DEEPEST / sigma + sigma**-2 + 64.0) * 700.0)
        best = found * (1.0 + spread) + aliased + lost
        near = int(np.searchsorted(self.s, math.exp(min(0.5 / sigma**2, 100.0)))) + 1  # what is missing from 1 counts
        value, error = transform.rough(np.asarray(self.s[:near], dtype=np.complex128))
        best[:near] = np.minimum(best[:near], np.maximum(value.real, 0.0) + error)
        self.log_phi = np.minimum(np.log(best + TINY) + 2.0 * UNIT, 0.0)

    def every(self, octaves: float) -> tuple[FloatArray, FloatArray]:
        """Places of the table that many octaves apart, and log phi there."""
        step = round(octaves * _PER_OCTAVE)
        return self.s[::step], self.log_phi[::step]

    @cached_property
    def beside(self) -> FloatArray:
        """At least log |phi(iy)| for every y from each place of the table on."""
        right = np.full_like(self.s, 0.5 * math.pi)
        return np.minimum(self.modulus(self.s, right * (1.0 - SLIGHT), right), 0.0)

    def saddle(self, c: float, t: int) -> float:
        """The K that has its saddle point at ``c``, about."""
        near = np.array([c * (1.0 - 2.0**-6), c * (1.0 + 2.0**-6)])
        return float(2.0 / c - t * np.diff(self.above(near))[0] / (near[1] - near[0]))

    def above(self, s: FloatArray) -> FloatArray:
        """At least log phi(s), at any s > 0."""
        inside = np.interp(s, self.s, self.log_phi) * (1.0 - SLIGHT)
        return np.where(s < self.s[0], 0.0, inside)

    def modulus(self, size: FloatArray, least: FloatArray, most: FloatArray) -> FloatArray:
        """At least log |phi(s)| wherever |s| >= ``size`` and ``least`` <= arg s <= ``most`` < pi.

        The caller's ends are wider than what it means by 1e-14 of themselves, or more.

        Turned by any angle beta from which arg s is no further than pi / 2, the line of phi shows that |phi(s)| is at
        most e^{sigma^2 beta^2 / 2} phi(|s| cos(arg s - beta)). The best is near that of the saddle point.
        """
        sigma = self.transform.sigma
        saddle = np.clip(
            np.nan_to_num(_saddle(np.asarray(size * np.exp(1j * most), dtype=np.complex128), sigma)),
            np.maximum(most - 0.5 * math.pi, 0.0),
            most,
        )
        found = np.where(most <= 0.5 * math.pi, 0.0, math.inf)
        far = np.minimum(saddle, _TURNED / sigma)  # where phi on the real line is below what floats hold
        for beta in (saddle, far, most, np.maximum(most - 0.5 * math.pi, 0.0)):
            shrunk = np.minimum(np.cos(least - beta), np.cos(most - beta)) * (1.0 - SLIGHT)
            usable = (most - beta <= 0.5 * math.pi * (1.0 + 4.0 * UNIT)) & (beta - least <= 0.5 * math.pi)
            bound = 0.5 * sigma**2 * beta**2 + np.where(shrunk > 0.0, self.above(size * np.maximum(shrunk, 0.0)), 0.0)
            found = np.where(usable, np.minimum(found, bound * (1.0 + np.sign(bound) * SLIGHT)), found)
        return found


@lru_cache(maxsize=16)
def real_table(sigma: float) -> RealTable:
    """One for all who ask."""
    return RealTable(Transform(sigma))


class _Ladder:
    """The sum over a grid, for points s with shifts b: an octave of nodes after the other."""

    def __init__(self, grid: Grid, s: Complex, b: FloatArray) -> None:
        sigma = from_decimals([_DIGITS.divide(Decimal(1), Decimal(grid.sigma)), grid.doubling])
        shift = Twofold(b, np.zeros_like(b))
        start = from_decimals(grid.exact[: grid.octave])
        first = grid.first
        down = s * turned(-(shift * sigma.at(slice(0, 1))))
        self._grid, self._b = grid, b
        self._w = down.at((slice(None), None)).times(Twofold(first.hi[None], first.lo[None]))
        self._turn = turned(shift.at((slice(None), None)) * Twofold(start.hi[None], start.lo[None]))
        self._rotation = turned(shift * sigma.at(slice(1, 2))).at((slice(None), None))

    def _first(self) -> tuple[Complex, FloatArray]:
        """expm1(-w) at the first octave: that of a small part of it, doubled until it is all."""
        doublings = max(math.ceil(math.log2(float(np.max(self._w.modulus)) / _FIRST)), 0)
        small = expm1_small((-self._w).scaled(2.0**-doublings))
        error = _SMALL * TWICE * small.modulus
        for _ in range(doublings):
            small, error = _doubled(small, error)
        return small, error

    def summed(self) -> Transformed:
        """1 + the sum of weights times expm1(-w), and what rounding does to it in units of ``TWICE``.

        w errs by 150 of itself (its angle is at most pi), the first expm1 by 8 more. A turn by the angle A errs by
        24 (1 + A) + 4 A at first, and by as much of b sigma log(2), and 4, with each octave.
        """
        grid, turn, b = self._grid, self._turn, self._b
        small, error = self._first()
        size = small.modulus
        total = Complex(*(Twofold(np.zeros_like(size), np.zeros_like(size)) for _ in range(2)))
        off = np.zeros(len(size))
        farthest = max(-grid.ends[0], grid.octave * grid.h + grid.ends[0])
        first, each = _TURN + _ANGLE * b * farthest, _ANGLE + _ANGLE * b * grid.octave * grid.h
        for level in range(grid.levels):
            place = slice(level * grid.octave, (level + 1) * grid.octave)
            weight = Twofold(grid.density.hi[None, place], grid.density.lo[None, place])
            total = total + (small * turn).times(weight)
            lost = (first + each * level + 2.0 * (grid.levels + grid.octave) + 16.0) * TWICE
            off += error @ weight.hi[0] + lost * (size @ weight.hi[0])
            turn = turn * self._rotation
            small, error = _doubled(small, error)
            size = small.modulus
        phi = total.summed().times(from_decimals([_exp_half_square(Decimal(v)) for v in b.tolist()])).plus(1.0)
        return Transformed(phi, np.exp(0.5 * b * b) * off * (1.0 + AMPLE) + 8.0 * TWICE * (1.0 + phi.modulus))


def _doubled(small: Complex, error: FloatArray) -> tuple[Complex, FloatArray]:
    """expm1(-2w) from expm1(-w), and the error of it."""
    one, size = small.plus(1.0), small.modulus
    error = error * (2.0 * one.modulus + error) + 16.0 * TWICE * size * (2.0 + size)
    return small * one.plus(1.0), error * (1.0 + ROOM)
