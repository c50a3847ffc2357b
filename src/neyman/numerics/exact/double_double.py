"""Numbers of 106 bits: pairs of float64, element by element, and complex numbers made of them.

A number is the exact sum of ``hi`` and ``lo``, |lo| at most half a unit of hi (Dekker 1971; Joldes, Muller and Popescu
2017). One operation on normal numbers errs by at most ``TWICE`` = 2^-102, relative to the result, or to the sum of the
moduli of the two where they are subtracted: more than twice what is proved for each of them there. Moduli lie between
1e-150 and 1e150, or are 0: what is smaller is lost, which is ``LOST`` at most.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray

__all__ = [
    "LOST",
    "TWICE",
    "Complex",
    "Twofold",
    "expm1_small",
    "exponential",
    "from_decimals",
    "growth",
    "to_decimal",
    "turned",
]

TWICE = 2.0**-102  # relative error of one operation
LOST = 1e-290  # what underflow takes from one operation on numbers as above, at most
_SPLIT = 134217729.0  # 2^27 + 1
_TAYLOR = 14  # terms of expm1 where the argument is at most 2^-6 in modulus: the next is below 2^-106 of the first
_HALVED = 8  # how often an angle of at most pi is halved: to 0.0123, less than 2^-6
_DIGITS = Context(prec=60)  # digits; 2^-106 of a number is its 32nd


class Twofold(NamedTuple):
    """Real numbers."""

    hi: FloatArray
    lo: FloatArray

    def __add__(self, other: Twofold) -> Twofold:  # type: ignore[override]
        s = self.hi + other.hi
        v = s - self.hi
        e = (self.hi - (s - v)) + (other.hi - v)
        t = self.lo + other.lo
        w = t - self.lo
        f = (self.lo - (t - w)) + (other.lo - w)
        e = e + t
        high = s + e
        e = e - (high - s) + f
        s = high + e
        return Twofold(s, e - (s - high))

    def __mul__(self, other: Twofold) -> Twofold:  # type: ignore[override]
        a, b = self.hi, other.hi
        p = a * b
        big, large = _SPLIT * a, _SPLIT * b
        a_hi, b_hi = big - (big - a), large - (large - b)
        a_lo, b_lo = a - a_hi, b - b_hi
        e = ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo
        e = e + (a * other.lo + self.lo * b)
        s = p + e
        return Twofold(s, e - (s - p))

    def __neg__(self) -> Twofold:
        return Twofold(-self.hi, -self.lo)

    def __sub__(self, other: Twofold) -> Twofold:
        return self + -other

    def inverse(self) -> Twofold:
        """1 over: errs by 4 units."""
        rough = 1.0 / self.hi
        near = Twofold(rough, np.zeros_like(rough))
        left = self * near
        return near + near * (Twofold(np.ones_like(rough), np.zeros_like(rough)) - left)

    def at(self, place: object) -> Twofold:
        """The numbers at this index of both."""
        return Twofold(self.hi[place], self.lo[place])  # type: ignore[index]

    def scaled(self, power: float | FloatArray) -> Twofold:
        """Times powers of 2: exact."""
        return Twofold(self.hi * power, self.lo * power)

    def joined(self, other: Twofold) -> Twofold:
        """These and then the ``other``s, along the last axis."""
        return Twofold(*(np.concatenate(pair, axis=-1) for pair in zip(self, other, strict=True)))

    def powers(self, many: int) -> Twofold:
        """The powers 0 to ``many`` - 1 along a new last axis: the j-th errs by j units."""
        ones, base = np.ones((*self.hi.shape, 1)), self.at((..., None))
        found = Twofold(ones, np.zeros_like(ones))
        while (known := found.hi.shape[-1]) < many:
            found = found.joined(found.at((..., slice(0, many - known))) * base)
            base = base * base
        return found

    def summed(self) -> Twofold:
        """The sums along the last axis: in pairs, so that a term goes through one addition for each halving."""
        left = self
        while (many := left.hi.shape[-1]) > 1:
            half = many // 2
            paired = left.at((..., slice(0, half))) + left.at((..., slice(half, 2 * half)))
            left = paired.joined(left.at((..., slice(2 * half, many)))) if many % 2 else paired
        return left.at((..., 0))


class Complex(NamedTuple):
    """Complex numbers. A product errs by ``TWICE`` of its modulus at most, a sum by half of that of its terms.

    With u = 2^-53 a product of real numbers errs by 7 u^2 and a sum by 3 u^2 (Joldes, Muller and Popescu 2017): each
    part of a product by 10 u^2 (|a| + |b|) of its two terms, both by 15 u^2 of the modulus; ``TWICE`` is 16 u^2.
    """

    re: Twofold
    im: Twofold

    def __add__(self, other: Complex) -> Complex:  # type: ignore[override]
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other: Complex) -> Complex:  # type: ignore[override]
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def times(self, real: Twofold) -> Complex:
        """Times real numbers."""
        return Complex(self.re * real, self.im * real)

    def at(self, place: object) -> Complex:
        """The numbers at this index."""
        return Complex(self.re.at(place), self.im.at(place))

    def scaled(self, power: float | FloatArray) -> Complex:
        """Times powers of 2: exact."""
        return Complex(self.re.scaled(power), self.im.scaled(power))

    def plus(self, real: float) -> Complex:
        """Plus a real number."""
        return Complex(self.re + Twofold(np.full_like(self.re.hi, real), np.zeros_like(self.re.hi)), self.im)

    def to_the(self, power: int) -> Complex:
        """To a whole ``power`` >= 1: errs by 4 ``power`` units of its modulus."""
        base: Complex = self
        while not power & 1:
            base, power = base * base, power >> 1
        found = base
        while power := power >> 1:
            base = base * base
            found = found * base if power & 1 else found
        return found

    def inverse(self) -> Complex:
        """1 over: errs by 16 units of its modulus."""
        square = self.re * self.re + self.im * self.im
        over = square.inverse()
        return Complex(self.re * over, -(self.im * over))

    def summed(self) -> Complex:
        """The sums along the last axis."""
        return Complex(self.re.summed(), self.im.summed())

    def joined(self, other: Complex) -> Complex:
        """These and then the ``other``s, along the last axis."""
        return Complex(self.re.joined(other.re), self.im.joined(other.im))

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def rounded(self) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
        """The nearest complex128."""
        return self.re.hi + 1j * self.im.hi

    @property
    def modulus(self) -> FloatArray:
        """About the modulus: within 4 units."""
        return np.hypot(self.re.hi, self.im.hi)


def expm1_small(z: Complex) -> Complex:
    """e^z - 1 where |z| <= 2^-6: errs by 8 ``TWICE`` of the modulus at most."""
    shape = z.re.hi.shape
    total = _const(1.0 + 0.0 * z.re.hi)
    for n in range(_TAYLOR, 1, -1):
        inverse = _inverse(n)
        total = _one(shape) + (total * z).times(Twofold(np.full(shape, inverse.hi), np.full(shape, inverse.lo)))
    return total * z


def turned(angle: Twofold) -> Complex:
    """e^{i angle}, |angle| at most 2^40: errs by 24 (1 + |angle|) units.

    The angle is brought into [-pi, pi], which moves it by a unit of itself; each of 8 squarings then doubles the error
    and adds 1.5 units of what is left.
    """
    turns = np.rint(angle.hi / _TAU.hi)
    left = angle - _times(turns, _TAU)
    zero = np.zeros_like(left.hi)
    small = expm1_small(Complex(Twofold(zero, zero), left.scaled(2.0**-_HALVED)))
    two = _const(2.0 + zero)
    for _ in range(_HALVED):
        small = small * (two + small)
    return _const(1.0 + zero) + small


def growth(z: Twofold) -> Twofold:
    """e^z - 1 of real numbers up to 0.36 in modulus: errs by 16 units."""
    return (z.powers(_GROWTH_TERMS + 1).at((..., slice(1, None))) * _FACTORIALS).summed()


def from_decimals(values: list[Decimal]) -> Twofold:
    """Exact decimals, to 2^-106 of each."""
    hi = np.array([float(value) for value in values])
    lo = np.array([float(_DIGITS.subtract(value, Decimal(h))) for value, h in zip(values, hi.tolist(), strict=True)])
    return Twofold(hi, lo)


def to_decimal(hi: float, lo: float) -> Decimal:
    """The sum of two floats, to 60 digits."""
    return _DIGITS.add(Decimal(hi), Decimal(lo))


def _const(value: FloatArray) -> Complex:
    zero = np.zeros_like(value)
    return Complex(Twofold(value, zero), Twofold(zero, zero))


def _one(shape: tuple[int, ...]) -> Complex:
    return _const(np.ones(shape))


def _inverse(n: int) -> Twofold:
    hi = 1.0 / n
    lo = float(_DIGITS.subtract(_DIGITS.divide(Decimal(1), Decimal(n)), Decimal(hi)))
    return Twofold(np.float64(hi), np.float64(lo))  # type: ignore[arg-type]


def exponential(z: Complex) -> Complex:
    """e^z, |Re z| at most 600 and |Im z| at most 2^40: errs by 200 + 8 |z| units of its modulus."""
    halvings = np.rint(z.re.hi / _LN2.hi)
    rest = z.re - _times(halvings, _LN2)
    small = expm1_small(Complex(rest.scaled(2.0**-6), Twofold(np.zeros_like(halvings), np.zeros_like(halvings)))).re
    for _ in range(6):
        small = small * (small + Twofold(np.full_like(small.hi, 2.0), np.zeros_like(small.hi)))
    size = small + Twofold(np.ones_like(small.hi), np.zeros_like(small.hi))
    power = np.ldexp(1.0, halvings.astype(np.int64))
    return turned(z.im).times(Twofold(size.hi * power, size.lo * power))


def _times(whole: FloatArray, constant: Twofold) -> Twofold:
    return Twofold(whole, np.zeros_like(whole)) * Twofold(*(np.broadcast_to(part, whole.shape) for part in constant))


_GROWTH_TERMS = 26  # of e^z: the next is below 2^-106 of the first
# 1 / (n + 1)!, of the series of e^z - 1
_FACTORIALS = from_decimals([_DIGITS.divide(Decimal(1), Decimal(math.factorial(n + 1))) for n in range(_GROWTH_TERMS)])
# certifies: to 2^-106 of itself
_LN2 = Twofold(np.float64(0.6931471805599453), np.float64(2.3190468138462996e-17))  # type: ignore[arg-type]
# certifies: to 2^-106 of itself
_TAU = Twofold(np.float64(6.283185307179586), np.float64(2.4492935982947064e-16))  # type: ignore[arg-type]
