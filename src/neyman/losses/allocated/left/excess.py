"""phi - 1 to the left of 0, in float64: how it grows there, and what it is at most.

With p = -s, any x_0, y_0 = Y(x_0) and W = |p| y_0, the part of phi on the real line up to x_0 (jump.py) differs from
its power series, the sum over k < n of p^k E Y^k / k! with E Y^k = e^{k (k - 1) / (2 sigma^2)}, by at most

    e^W y_0^{-n} E Y^n N(x_0 - n / sigma)  +  sum over k < n of |p|^k / k! E Y^k N(k / sigma - x_0),

since sum over k >= n of X^k / k! is at most (X / W)^n e^W where X <= W, and E Y^k over z > x_0 is E Y^k N(k / sigma -
x_0). The part beyond x_0 is at most twice what bounds the jump. Where that is too much the line of transform.py is
summed, with no more shift than it needs: rounding grows by e^{b^2 / 2}.

**From above**: A = E e^{rho Y} over z <= x_0 is at most 1 + sum over 0 < k < n of rho^k E Y^k / k! + e^W y_0^{-n} E Y^n
N(x_0 - n / sigma), rho = Re p, and |phi| at most A and what is beyond x_0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr, ndtr

from neyman._validate import FloatArray
from neyman.losses.allocated.left.corner import STEEPEST, round_the_corner
from neyman.losses.allocated.left.jump import foot, log_jump_above
from neyman.losses.allocated.lines.transform import Transform
from neyman.numerics.rounding import AMPLE, POWER, ROOM, SLIGHT, TINY, UNIT

__all__ = ["Above", "Excess", "above", "excess", "series"]

Points = NDArray[np.complex128]

_MOST_TERMS = 240  # of a power series
_ENOUGH = 1e-15  # an error of phi - 1, relatively, with which no other way is tried
_STRIP, _NARROW = 0.9, 1.4  # deviations of the strip of a line, and times sigma
_LOUD = 1e-11  # the same with which a path of pieces is tried
_DULL = 5.0  # sigma from which lines round away what they sum
_ROOM = 1e-11  # of logarithms
_NATS = 34.0  # -log of what a line may leave beside what it is to know
_TERM, _PART = 48.0, 12.0  # certify, units: of a term, and of each part of its exponent
_PARTS = 1e12  # of an exponent that knows nothing any more


class Excess(NamedTuple):
    """phi - 1 at some points, and bounds on its absolute errors."""

    value: Points
    error: FloatArray


class Above(NamedTuple):
    """log A from above at either rho, and from below; log of what bounds |q|: all for one x_0."""

    grown: tuple[FloatArray, FloatArray]
    least: FloatArray
    jump: FloatArray


def excess(sigma: float, p: Points, precision: float) -> Excess:
    """phi(-p) - 1 on the upper side of the cut, where Re p > 0 >= Im p; ``precision`` is what lines aim at."""
    found = series(sigma, p)
    poor = np.flatnonzero(~(found.error <= _ENOUGH * np.abs(p)))
    if len(poor) and sigma < _DULL:
        other = _line(sigma, p[poor], precision)
        better = other.error < found.error[poor]
        found.value[poor[better]], found.error[poor[better]] = other.value[better], other.error[better]
    loud = np.flatnonzero((found.error > _LOUD * np.abs(p)) & (np.angle(p) >= -STEEPEST))
    if len(loud):
        other = Excess(*round_the_corner(sigma, p[loud]))
        better = other.error < found.error[loud]
        found.value[loud[better]], found.error[loud[better]] = other.value[better], other.error[better]
    return found


def _line(sigma: float, p: Points, precision: float) -> Excess:
    angle = math.pi - np.abs(np.angle(p))
    b = np.clip(
        sigma * (angle - 0.5 * math.pi) + min(0.5 * math.pi * sigma, _STRIP, _NARROW / sigma), 0.0, sigma * angle
    )
    return Excess(*Transform(sigma).excess(-p, b, _NATS - math.log(precision)))


class _Terms(NamedTuple):
    """Of a power series, a row for each k > 0: k; log of |p|^k E Y^k / k!, and a room for it; whether k < n; n."""

    k: FloatArray
    log: FloatArray
    parts: FloatArray
    used: NDArray[np.bool_]
    n: FloatArray

    @staticmethod
    def about(sigma: float, size: FloatArray, w: FloatArray) -> _Terms:
        """As many as W."""
        n = np.clip(np.ceil(w), 1.0, _MOST_TERMS)
        k = np.arange(1.0, max(float(np.max(n)), 2.0))[:, None]
        squared, factorial = k * (k - 1.0) / (2.0 * sigma**2), np.asarray(gammaln(k + 1.0), dtype=np.float64)
        with np.errstate(divide="ignore"):
            rising = k * np.log(size)
        return _Terms(k, rising + squared - factorial, np.abs(rising) + squared + factorial, k < n, n)


def _rest(sigma: float, x: FloatArray, w: FloatArray, n: FloatArray) -> FloatArray:
    """log of e^W y_0^{-n} E Y^n N(x_0 - n / sigma), from above."""
    power = n * (n - 1.0) / (2.0 * sigma**2) - n * (x / sigma - 0.5 / sigma**2)
    room = _ROOM * (1.0 + w + n * n / sigma**2 + n * np.abs(x) / sigma)
    return np.asarray(w + power + log_ndtr(x - n / sigma) + room, dtype=np.float64)


def series(sigma: float, p: Points) -> Excess:
    """phi(-p) - 1 by its power series."""
    size = np.abs(p)
    x = foot(sigma, size)
    w = size * np.exp(x / sigma - 0.5 / sigma**2) * (1.0 + ROOM * (1.0 + x / sigma + sigma**-2))
    terms = _Terms.about(sigma, size, w)
    k = terms.k
    with np.errstate(under="ignore", over="ignore"):
        modulus = np.where(terms.used, np.exp(terms.log), 0.0)
        value = np.sum(modulus * np.exp(1j * k * np.angle(p)), axis=0)
        rounded = UNIT * (_TERM + 8.0 * k + len(k) + _PART * terms.parts)
        error = np.sum(modulus * (rounded + np.exp(log_ndtr(k / sigma - x)) * (1.0 + AMPLE)), axis=0)
        zero = np.zeros_like(size)
        beyond = 2.0 * np.exp(log_jump_above(sigma, x, np.maximum(p.real, 0.0), size, zero))
        error = (error + beyond + np.exp(_rest(sigma, x, w, terms.n)) + np.exp(log_ndtr(-x))) * (1.0 + AMPLE)
    return Excess(value, np.where(np.isnan(error), np.inf, error))


def above(
    sigma: float, rho: tuple[FloatArray, FloatArray], size: tuple[FloatArray, FloatArray], theta: FloatArray
) -> Above:
    """What is true where Re p is one of both ``rho``, ``size`` bounds |p| from either side and ``theta`` |arg p|."""
    x = foot(sigma, size[1])
    w = np.maximum(*rho) * np.exp(x / sigma - 0.5 / sigma**2) * (1.0 + ROOM * (1.0 + x / sigma + sigma**-2))

    def grown(one: FloatArray) -> FloatArray:
        terms = _Terms.about(sigma, one, w)
        room = _ROOM + SLIGHT * np.minimum(terms.parts, _PARTS)
        with np.errstate(under="ignore", over="ignore"):
            inside = np.sum(np.where(terms.used, np.exp(terms.log + room), 0.0), axis=0)
            return np.log1p(inside + np.exp(_rest(sigma, x, w, terms.n))) * (1.0 + POWER)

    least = log_ndtr(x) * (1.0 + ROOM) - TINY + np.minimum(*rho) * ndtr(x - 1.0 / sigma) * (1.0 - ROOM)
    return Above((grown(rho[0]), grown(rho[1])), least, log_jump_above(sigma, x, *size, theta))
