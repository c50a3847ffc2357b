"""What a part of a rare step's law is at most on the pieces of a bent path (``losses/gaussian/paths/rare.py``).

A piece is a triangle of w: its corners, and the largest |w| among them, which no w between exceeds. Every Re(wS) is
largest at a corner. Where none is above 0, as everywhere but near the real axis, only sums up to a length are needed.

**Rounding.** A node of modulus m errs by its units, and by as many more as there are terms to be added and factors to
be multiplied (``_ADDED``): sums of moduli are of m with all of it, others are beside the sum of its moduli. While |wS|
<= 2 all powers of it together are at most (e^2 - 1) / 2 = 3.2 times the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.losses.gaussian.paths.rare import RarePart, moduli
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import AMPLE, SCANT, TINY, UNIT

__all__ = ["Bound", "PartBounds"]

_SMALL = 2.0  # |wS| up to which e^{wS} - 1 counts as wS, but for |wS|^2 / 2
_ADDED = 64.0  # units of rounding of the factors of a term, and of what is made of a sum
_POWERS = 4.0  # times that of the first, for all powers, and for products of corners
_ROWS = 1 << 15  # entries of a table that stays in the cache
_FAR = 0.01  # |X| from which |1 + X| is bounded by what is left of all e^{wS}, too
_TOGETHER, _DEAD = 4, 36.0  # pieces at a time, and -log of an e^{wS} that counts no more
_WINDOW = 120  # nodes beyond that length which are looked at one by one
_ORDER = 4  # up to which e^{wS} is summed term by term where |wS| is small
_GROWN = 8e3  # certifies: units of an e^{wS} that is a float: its exponent is below 710, and errs by some


class _Sums(NamedTuple):
    """|S|, and up to each node int S, int S^k / k!, int |S|, int |S|^{n + 1} / (n + 1)!; from it on the mass of the
    moduli, and Re of that of the law.
    """

    length: FloatArray
    first: ComplexArray
    powers: list[ComplexArray]
    once: FloatArray
    late: FloatArray
    rest: FloatArray
    mass: FloatArray
    rough_once: FloatArray  # rounding of int S up to each node, and from it on of the mass
    rough_rest: FloatArray


class Bound(NamedTuple):
    """Of each piece: log|1 + X| at most, at each corner (linear between them), and |X|."""

    log_one: FloatArray
    size: FloatArray


@dataclass(frozen=True)
class PartBounds:
    """Of one part: its law along the bent path, and along the real axis."""

    bent: RarePart
    straight: RarePart

    def on(self, corners: ComplexArray) -> Bound:
        """For pieces of three corners each."""
        bound = self._bent(corners)
        near = np.flatnonzero(~self.calm(corners))
        if len(near):
            other = self._straight(corners[near])
            better = other.log_one.max(axis=1) < bound.log_one[near].max(axis=1)
            bound.log_one[near[better]] = other.log_one[better]
            bound.size[near] = np.minimum(bound.size[near], other.size)
        return bound

    def closer(self, corners: ComplexArray) -> Bound:
        """The same for pieces where no e^{wS} grows, by Taylor's series about their middles.

            Re X(w) <= Re[X(m) + (w - m) X'(m)] + |w - m|^2 / 2 int |S|^2 max |e^{wS}|,

        of which the middle ones are sums over all nodes: dear, but hardly more than what is true.
        """
        s, weight, _, _ = self.bent.grid
        modulus, rough = self._moduli
        length = self._sums.length
        size = np.abs(corners).max(axis=1)
        fall = self._fall(corners, size)
        middle = corners.mean(axis=1)
        away = corners - middle[:, None]
        value, slope = np.empty(len(middle), complex), np.empty(len(middle), complex)
        moments = np.empty((len(middle), 3))  # of |S| and |S|^2, with what is left of each, and of the rounding of S
        terms = np.stack([modulus * length, modulus * length**2, rough * length], axis=1)
        rows = max(1, _ROWS // len(s))
        for i in range(0, len(middle), rows):
            with np.errstate(under="ignore"):
                grown = np.exp(np.multiply.outer(middle[i : i + rows], s))
                value[i : i + rows] = (grown - 1.0) @ weight
                slope[i : i + rows] = grown @ (weight * s)
                moments[i : i + rows] = np.exp(np.multiply.outer(fall[i : i + rows], length)) @ terms
        radius = np.abs(away).max(axis=1)
        once, twice, rounded = moments.T
        # of weights, of exponents, and the same of the slope
        rounded = 2.0 * float(rough.sum()) + radius * rounded + 8.0 * UNIT * size * (once + radius * twice)
        rest = 0.5 * radius**2 * twice + rounded + self._alias(corners, size)
        most = (np.abs(value) + radius * np.abs(slope) + rest) * (1.0 + _ADDED * UNIT)
        linear = (value[:, None] + away * slope[:, None]).real
        beside = (rest + 0.5 * most**2) * (1.0 + _ADDED * UNIT) + _ADDED * UNIT * most
        return Bound(linear + beside[:, None], most)

    @cached_property
    def _moduli(self) -> tuple[FloatArray, FloatArray]:
        """Those of all nodes, with their rounding, and that alone."""
        return _rounded(self.bent)

    def _fall(self, corners: ComplexArray, size: FloatArray) -> FloatArray:
        """Re(wS) / |S| at most."""
        return (corners * np.exp(1j * self.bent.law.chi)).real.max(axis=1) + 8.0 * UNIT * size

    @cached_property
    def most(self) -> float:
        """A bound on |X| wherever no e^{wS} grows."""
        alias = sum(float(2.0 * modulus.sum()) for _, modulus in self.bent.sides)
        missing = float(self.bent.missing_within(np.zeros((1, 1), complex), np.full(1, math.inf))[0])
        return (2.0 * float(self._moduli[0].sum()) + alias + missing) * (1.0 + _ADDED * UNIT)

    def calm(self, corners: ComplexArray, tilt: float = 0.0) -> BoolArray:
        """Where no e^{wS} grows along the path, or along those by which it is moved to either side."""
        return np.angle(corners).min(axis=1) + self.bent.law.chi - tilt >= 0.5 * math.pi + AMPLE

    @cached_property
    def _cells(self) -> tuple[FloatArray, FloatArray]:
        """S along the real axis and its moduli, raised for what cells may hide."""
        return self.straight.cells

    @cached_property
    def _sums(self) -> _Sums:
        s, weight, _, _ = self.bent.grid
        modulus, rough = self._moduli
        length = np.abs(s)
        rest = np.append(np.cumsum(modulus[::-1])[::-1], 0.0)
        mass = np.append(np.cumsum(weight.real[::-1])[::-1], 0.0)
        powers = [_turned(weight * s**k / math.factorial(k)) for k in range(2, _ORDER + 1)]
        late = _upto(modulus * length ** (_ORDER + 1) / math.factorial(_ORDER + 1))
        once, off = _upto(modulus * length), _upto(rough * length)
        rough_rest = np.append(np.cumsum(rough[::-1])[::-1], 0.0)
        return _Sums(length, _turned(weight * s), powers, once, late, rest, mass, off, rough_rest)

    def _bent(self, corners: ComplexArray) -> Bound:
        size = np.abs(corners).max(axis=1)
        length, first, powers, once, late, rest, mass, rough_once, rough_rest = self._sums
        split = np.searchsorted(length, _SMALL / size)
        linear = (corners * first[split][:, None]).real
        # a power of a mean of corners is a mean of the products of as many of them
        near = np.zeros(len(size))
        most = size * once[split] + 2.0 * rest[split]
        fall = self._fall(corners, size)
        with np.errstate(over="ignore", invalid="ignore"):  # of corners whose powers are no floats: no bound below
            for order, moment in enumerate(powers, 2):
                chosen = np.array(list(combinations_with_replacement(range(3), order)))
                near += (corners[:, chosen].prod(axis=2) * moment[split][:, None]).real.max(axis=1)
            beside = near + size ** (_ORDER + 1) * late[split] - mass[split] + self._left(split, fall)
        wild = np.flatnonzero(~self.calm(corners))
        if len(wild):
            most[wild], beside[wild] = self._grown(corners[wild], size[wild], split[wild])
        alias = self._alias(corners, size)
        rounded = _POWERS * (size * rough_once[split] + rough_rest[split])
        most = (most + alias + rounded) * (1.0 + _ADDED * UNIT)
        with np.errstate(over="ignore", invalid="ignore"):
            beside = beside + (0.5 * most**2 + alias + rounded) * (1.0 + _ADDED * UNIT) + _ADDED * UNIT * most
            log_one = np.where(np.isfinite(beside)[:, None], linear + beside[:, None], math.inf)
        far = np.flatnonzero(self.calm(corners) & (most > _FAR))
        if len(far):
            left = abs(1.0 - complex(self.bent.grid[1].sum())) + float(rough_rest[0]) + 4.0 * UNIT
            whole = np.log(left + self._died(fall[far]) + alias[far])
            whole += _ADDED * UNIT * (1.0 + np.abs(whole))
            better = whole < log_one[far].max(axis=1)
            log_one[far[better]] = whole[better, None]
        return Bound(log_one, most)

    def _alias(self, corners: ComplexArray, size: FloatArray) -> FloatArray:
        """What the quadrature may err by, and what lies beyond its ends."""
        alias = np.zeros(len(size))
        for far, upto, beyond in self.bent.side_sums:
            at = np.searchsorted(far, _SMALL / size)
            alias += size * upto[at] + 2.0 * beyond[at]
        wild = np.flatnonzero(~self.calm(corners, self.bent.law.tilt))
        if len(wild):
            alias[wild] = sum(
                (moduli(corners[wild], size[wild], *side, self.bent.bent) for side in self.bent.sides), np.zeros(1)
            )
        return alias + self.bent.missing_within(corners, size)

    def _died(self, fall: FloatArray) -> FloatArray:
        """The sum of all |e^{wS}|, where Re(wS) <= ``fall`` |S|."""
        length, modulus, rest = self._sums.length, self._moduli[0], self._sums.rest
        out = np.empty(len(fall))
        start = 0
        while start < len(fall):
            stop = min(start + _TOGETHER, len(fall))
            far = int(np.searchsorted(length, _DEAD / -float(fall[start:stop].max())))
            with np.errstate(under="ignore"):
                out[start:stop] = np.exp(np.multiply.outer(fall[start:stop], length[:far])) @ modulus[:far]
            out[start:stop] += math.exp(-_DEAD) * rest[far]
            start = stop
        return out

    def _left(self, split: IntArray, fall: FloatArray) -> FloatArray:
        """The sum of |e^{wS}| from each of the nodes ``split`` on, where Re(wS) <= ``fall`` |S|."""
        length, rest = self._sums.length, self._sums.rest
        modulus = self._moduli[0]
        stop = np.minimum(split + _WINDOW, len(length))
        at = np.minimum(split[:, None] + np.arange(_WINDOW), len(length) - 1)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            inside = split[:, None] + np.arange(_WINDOW) < len(length)
            part = np.where(inside, np.exp(fall[:, None] * length[at]) * modulus[at], 0.0)
            beyond = rest[stop] * np.exp(fall * length[np.minimum(stop, len(length) - 1)])
        return part.sum(axis=1) + beyond

    def _grown(self, corners: ComplexArray, size: FloatArray, split: IntArray) -> tuple[FloatArray, FloatArray]:
        """The same where some e^{wS} grow: |X|, and what Re X has besides its linear part."""
        s, modulus = self.bent.grid[0], self._moduli[0]
        length, place = np.abs(s), np.arange(len(s))
        most, beside = np.empty(len(size)), np.empty(len(size))
        for i, row in enumerate(corners):
            with np.errstate(over="ignore", under="ignore"):
                y = size[i] * length
                grown = np.exp(np.maximum((row[:, None] * s).real.max(axis=0) + 8.0 * UNIT * y, 0.0)) * modulus
                most[i] = np.minimum(y, 2.0) @ grown
                beside[i] = np.where(place < split[i], 0.5 * y * y, 2.0) @ grown
        return most, beside

    def _straight(self, corners: ComplexArray) -> Bound:
        """|1 + X(w)| <= 1 + X(Re w), the law being one of real losses, and log(1 + X) is convex: at most its chord.

        |X(w)| is at most the integral of |e^{wS} - 1|, a sum over cells as along the sides of a path (``RarePart``).
        """
        left, right = corners.real.min(axis=1), corners.real.max(axis=1)
        places, back = np.unique(np.append(left, right), return_inverse=True)
        order = np.argsort(np.abs(places))
        value, error = np.empty(len(places)), np.empty(len(places))
        found, off = self.straight.excess(places[order] + 0j)
        value[order], error[order] = found.real, off
        with np.errstate(invalid="ignore", divide="ignore"):
            height = np.log1p(np.maximum(value + error, -1.0))
            height = np.where(np.isfinite(height), height + SCANT * np.abs(height), math.inf)
            low, high = height[back[: len(left)]], height[back[len(left) :]]
            share = (corners.real - left[:, None]) / np.maximum(right - left, TINY)[:, None]
            chord = low[:, None] + share * (high - low)[:, None]
        largest = np.maximum(np.abs(low), np.abs(high))[:, None]
        log_one = np.where(np.isfinite(chord), chord + 4.0 * UNIT * largest, math.inf)
        s, modulus = self._cells
        size = np.empty(len(right))
        rows = max(1, _ROWS // len(s))
        radius = np.abs(corners).max(axis=1)
        for i in range(0, len(right), rows):
            with np.errstate(over="ignore", under="ignore"):
                grown = np.exp(np.multiply.outer(np.maximum(right[i : i + rows], 0.0), s.real))
                small = np.minimum(np.multiply.outer(radius[i : i + rows], s.real), 2.0)
                size[i : i + rows] = (grown * small) @ modulus
        size *= 1.0 + UNIT * (len(s) + _GROWN)
        size += self.straight.missing_within(np.maximum(right, 0.0)[:, None] + 0j, radius)
        known = np.isfinite(size)
        return Bound(np.where(known[:, None], log_one, math.inf), np.where(known, size, math.inf))


def _rounded(part: RarePart) -> tuple[FloatArray, FloatArray]:
    _, _, modulus, units = part.grid
    rough = UNIT * modulus * (units + len(modulus) + _ADDED)
    return modulus + rough, rough


def _upto(terms: FloatArray) -> FloatArray:
    return np.append(0.0, np.cumsum(terms))


def _turned(terms: ComplexArray) -> ComplexArray:
    return np.append(0.0 + 0.0j, np.cumsum(terms))
