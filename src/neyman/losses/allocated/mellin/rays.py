"""phi(s) = E e^{-sY} and its derivatives along rays s = e^{v - i theta}, on one lattice of v, in float64.

Y = exp(z / sigma - 1 / (2 sigma^2)). Weighing by Y^k moves z: E Y^k e^{-sY} = e^{k (k - 1) / (2 sigma^2)} phi(s e^{k /
sigma^2}), the same ray again. The lattice has 1 / sigma^2 among its multiples: v_j = j d, d = 1 / (m sigma^2), and

    (-d/ds)^k phi (s_j) = e^{k (k - 1) / (2 sigma^2)} phi(s_{j + k m}).

**phi** is the sum of ``transform``: the line of z turned by an angle b / sigma <= theta, constant along a ray, the
trapezoid rule of spacing h = p sigma d. Then s Y depends on v + x / sigma alone, so that every exponential is met
again: one table of e^{-w}, w = e^{v + i (b / sigma - theta)}, serves all s. On the lines of the strip of half-width a
the angle that is left is at most theta - b / sigma + a / sigma <= pi / 2, and as in ``transform`` the sum errs by

    (e^{(b + a)^2 / 2} + e^{(b - a)^2 / 2}) / (e^{2 pi a / h} - 1),

twice that where the weights stand for 1; times phi(|s| cos kappa), kappa the largest angle that is left, where they do
not: on such a line the integrand is at most n(x) e^{-|s| Y cos kappa} besides. What is left out beyond the ends -x_0 <
0 < x_1 is at most e^{b^2 / 2} (N(-x_0) + N(-x_1) e^{-|s| Y(x_1) cos(theta - b / sigma)}), of 1 - phi e^{b^2 / 2} (|s|
N(-x_0 - 1 / sigma) + 2 N(-x_1)), and a term of the same size each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.special import ndtr

from neyman._validate import FloatArray
from neyman.numerics.rounding import AMPLE, COMPLEX, ELEMENTARY, LARGEST_EXPONENT, ROOM, UNIT

__all__ = ["Lattice", "Phi", "Ray", "coefficients"]

_NATS = 75.0  # -log of what a trapezoid sum may leave
_SHIFT = 1.6  # deviations by which a line is turned where the angle asks for no more: weights grow by e^{b^2 / 2}
_OF_ANGLE = 0.75  # of the angle that is left, what a strip takes
_ALIASED = 84.0  # twice the e-folds by which a transform has fallen where the lattice repeats it
_SMALL = 0.3  # |s| up to which 1 - phi is summed
_RIGHT, _LEFT = 12.0, 10.0  # deviations at which sums end
_FAINT = 1e-14  # phi below which what its sum repeats is not bounded as if it were 1
_CHUNK = 1 << 15  # entries of a table of products
_SUM = 40.0  # units: numpy's sums in pairs, of complex numbers (32) and the products
_VAGUE = 0.1  # relative error of phi from which a ray ends
_LOG = 1.2  # certifies: |log(1 + x)| <= 1.2 |x| for |x| <= 0.1
_GONE = 800.0  # of w: from there on e^-w is 0
_SPLIT = np.geomspace(0.1, 700.0, 48)[:, None]  # s y: where P(Y <= y) + e^{-sy} is looked at

_DIGITS = Context(prec=60)  # digits, of which a float keeps 17

Points = NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class Lattice:
    """v_j = j / (each sigma^2), for sums of ``t`` ratios at noise ``sigma``."""

    sigma: float
    t: int

    @cached_property
    def each(self) -> int:
        """How many of its steps 1 / sigma^2 is."""
        wanted = 2.0 * math.pi / math.sqrt(_ALIASED * self.t * self.sigma**2)
        return math.ceil(1.0 / (self.sigma**2 * min(wanted, self._widest)))

    @property
    def step(self) -> float:
        """d."""
        return 1.0 / (self.each * self.sigma**2)

    @property
    def _widest(self) -> float:
        """A step that the sums for phi can do with on every ray."""
        return min(Ray(self, theta).h_at_most for theta in (0.0, 0.25 * math.pi, 0.5 * math.pi)) / self.sigma


@dataclass(frozen=True)
class Ray:
    """arg s = -``theta``, 0 <= theta < pi / 2."""

    lattice: Lattice
    theta: float

    @property
    def turn(self) -> float:
        """b."""
        sigma = self.lattice.sigma
        return min(sigma * self.theta, _SHIFT)

    @property
    def strip(self) -> float:
        """a."""
        sigma = self.lattice.sigma
        return min(_OF_ANGLE * (sigma * (0.5 * math.pi - self.theta) + self.turn), 4.0) * (1.0 - ROOM)

    @property
    def h_at_most(self) -> float:
        """A spacing that is fine enough."""
        a, b = self.strip, self.turn
        return 2.0 * math.pi * a / (_NATS + 0.5 * (a + b) ** 2)

    def phi(self, first: int, last: int, far: float) -> Phi:
        """phi at v_j, ``first`` <= j <= ``last``; ``far`` is how many deviations below 0 count."""
        lattice = self.lattice
        sigma, d = lattice.sigma, lattice.step
        stride = max(math.floor(self.h_at_most / (sigma * d)), 1)
        h = stride * sigma * d
        a, b = self.strip, self.turn
        before, after = math.ceil((_LEFT + far) / h), math.ceil((_RIGHT + b) / h)
        x = h * np.arange(-before, after + 1.0)
        weight = (h / math.sqrt(2.0 * math.pi)) * np.exp(0.5 * (b * b - x * x) - 1j * b * x)
        off = UNIT * (16.0 + 4.0 * x * x + 2.0 * b * b + 4.0 * np.abs(b * x) + _SUM)
        # w at j and x is that at the place j + stride i
        places = np.arange(first - stride * before, last + stride * after + 1)
        power = places * d - 0.5 / sigma**2
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            w: Points = np.exp(power + 1j * (b / sigma - self.theta))
            w = np.where(w.real < _GONE, w, _GONE)
            grown = np.exp(-w)
            moved = (
                np.abs(w) * np.abs(grown) * UNIT * (ELEMENTARY + COMPLEX + 8.0 + 4.0 * (np.abs(places * d) + sigma**-2))
            )
        small = int(np.clip(math.floor(math.log(_SMALL) / d) - first + 1, 0, last - first + 1))
        s = np.exp(d * np.arange(first, last + 1.0))
        ends = math.exp(0.5 * b * b) * (1.0 + AMPLE)
        alias = math.exp(0.5 * (b + a) ** 2) + math.exp(0.5 * (b - a) ** 2)
        alias /= math.expm1(min(2.0 * math.pi * a / h, LARGEST_EXPONENT))
        near, right = -before * h, after * h
        spill = ends * (ndtr(-right) + h * math.exp(-0.5 * right**2))
        left = ndtr(near - 1.0 / sigma) + h * math.exp(-0.5 * (near - 1.0 / sigma) ** 2)
        missing, rounded = self._sums(-np.expm1(-w), moved, weight, off, stride, 0, small)
        missing_off = rounded + 2.0 * alias + 2.0 * spill + ends * s[:small] * left
        rest, off_rest = self._sums(grown, moved, weight, off, stride, small, last - first + 1)
        far_s, bare = s[small:], self.theta - b / sigma
        tall = math.exp(min(right / sigma - 0.5 / sigma**2, LARGEST_EXPONENT)) * math.cos(bare) * (1.0 - ROOM)
        with np.errstate(under="ignore"):
            faint = np.abs(rest) < _FAINT
            repeated = np.full(len(rest), alias)
            repeated[faint] *= _phi_at_most(sigma, far_s[faint] * math.cos(bare + a / sigma))
            off_rest = off_rest + repeated
            off_rest = off_rest + spill * np.exp(-far_s * tall) + ends * (ndtr(near) + h * math.exp(-0.5 * near**2))
        return Phi.of(first, missing, missing_off, rest, off_rest)

    def _sums(
        self, table: Any, moved: FloatArray, weight: Any, off: FloatArray, stride: int, low: int, high: int
    ) -> tuple[Points, FloatArray]:
        """Sums of weights times entries of the table, for the points from ``low`` to ``high``; their rounding."""
        size = np.abs(weight)
        length = stride * (len(weight) - 1) + 1
        value, error = np.empty(high - low, dtype=np.complex128), np.empty(high - low)
        rows = max(1, _CHUNK // len(weight))
        spread = np.abs(table)
        for i in range(low, high, rows):
            end = min(i + rows, high)
            part = slice(i, end - 1 + length)
            seen = [sliding_window_view(one[part], length)[:, ::stride] for one in (table, moved, spread)]
            value[i - low : end - low] = np.sum(seen[0] * weight, axis=1)
            error[i - low : end - low] = np.sum(seen[1] * size + seen[2] * (size * (off + COMPLEX * UNIT)), axis=1)
        return value, error * (1.0 + AMPLE)


def _phi_at_most(sigma: float, s: FloatArray) -> FloatArray:
    """No less than phi(s) on the real axis: P(Y <= y) + e^{-sy}, the least of some y."""
    sy = _SPLIT
    below = ndtr(sigma * np.log(sy / s) + 0.5 / sigma) * (1.0 + AMPLE)
    return np.asarray(np.min(below + np.exp(-sy) * (1.0 + ROOM), axis=0), dtype=np.float64)


@dataclass(frozen=True)
class Phi:
    """phi at v_j from j = ``first`` on, its absolute error; its logarithm and the error of that."""

    first: int
    value: Points
    error: FloatArray
    log: Points
    log_error: FloatArray

    @classmethod
    def of(cls, first: int, missing: Points, off: FloatArray, rest: Points, off_rest: FloatArray) -> Phi:
        """From 1 - phi where s is small, and phi beyond."""
        re, im = missing.real, missing.imag
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # log |1 - x|, whose argument errs by a few units of |x|
            log = 0.5 * np.log1p(re * re + im * im - 2.0 * re) - 1j * np.arctan2(im, 1.0 - re)
            relative = off / np.maximum(1.0 - np.abs(missing) - off, 0.5)
            log_error = 1.1 * relative + (2.0 * ELEMENTARY + 8.0) * UNIT * np.abs(missing) * 2.0
            modulus = np.abs(rest)
            log_rest = np.log(modulus) + 1j * np.angle(rest)
            share = off_rest / modulus
            # |log(1 + x)| <= 1.2 |x| up to 0.1
            off_log = np.where(share < _VAGUE, _LOG * share, np.inf) + UNIT * (ELEMENTARY * (np.abs(log_rest) + 2.0))
        value = np.concatenate([1.0 - missing, rest])
        error = np.concatenate([off + 2.0 * UNIT, off_rest])
        return cls(first, value, error, np.concatenate([log, log_rest]), np.concatenate([log_error, off_log]))


@lru_cache(maxsize=1024)
def _factor(sigma: float, t: int, k: int) -> float:
    """e^{k (k - 1) / (2 sigma^2)} / (t^k k!), the nearest float."""
    square = _DIGITS.multiply(Decimal(sigma), Decimal(sigma))
    grown = _DIGITS.exp(_DIGITS.divide(Decimal(k * (k - 1)), _DIGITS.multiply(Decimal(2), square)))
    return float(_DIGITS.divide(grown, Decimal(t**k * math.factorial(k))))


def coefficients(lattice: Lattice, phi: Phi, start: int, many: int, n: int) -> tuple[Points, FloatArray]:
    """p_n at ``many`` points from ``start`` on, and its error: E (S / t)^n e^{-s S / t} is n! phi(s / t)^t p_n.

    sum p_k y^k = (1 + sum c_k y^k)^t, c_k = E Y^k e^{-sY} / (t^k k! phi); hence p_0 = 1 and
    p_m = (1 / m) sum over k from 1 to m of (k t - m + k) c_k p_{m - k} (J. C. P. Miller).
    """
    sigma, t, each = lattice.sigma, lattice.t, lattice.each
    base = phi.value[start : start + many]
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        share = phi.error[start : start + many] / np.abs(base)
        share = np.where(share < _VAGUE, share, np.inf)
        c = np.empty((n + 1, many), dtype=np.complex128)
        off, size = np.empty((n + 1, many)), np.empty((n + 1, many))
        for k in range(1, n + 1):
            place = slice(start + k * each, start + k * each + many)
            factor = _factor(sigma, t, k)
            c[k] = factor * phi.value[place] / base
            size[k] = np.abs(c[k])
            off[k] = factor * phi.error[place] / np.abs(base) * (1.0 + _LOG * share) + size[k] * (
                _LOG * share + 16.0 * UNIT
            )
        p, error = np.empty((n + 1, many), dtype=np.complex128), np.zeros((n + 1, many))
        p[0] = 1.0
        modulus = np.ones((n + 1, many))
        for m in range(1, n + 1):
            value, grown = np.zeros(many, dtype=np.complex128), np.zeros(many)
            for k in range(1, m + 1):
                factor = (k * t - m + k) / m
                value += factor * (c[k] * p[m - k])
                known = modulus[m - k] + error[m - k]
                grown += abs(factor) * (size[k] * (error[m - k] + (m + 8.0) * UNIT * known) + off[k] * known)
            p[m], error[m], modulus[m] = value, grown * (1.0 + AMPLE), np.abs(value)
    return p[n], error[n]
