"""How far the transform of a sampled Laplace step has fallen: a bound that never grows again.

Its smooth piece is the integral of e^{-(t + d)/2} r(t)^{a + i omega} over (-d, d), r(t) = 1 - q + q e^t, with a = w (or
1 - w, of the mirrored piece, whose conjugate this is). r has no zero for |Im t| < pi, so the way from -d to d is free
there, and along any way above the real axis

    |e^{-(t + d)/2} r^{a + i omega}| = e^{-(Re t + d)/2} |r|^a e^{-omega arg r},        arg r >= 0,

falls with omega: what is found at one omega holds for every larger one. With x = Re t and 0 <= y = Im t <= pi/2, |r|
rises with x and falls with y, and arg r rises with both: along each small stretch of a way that never descends, the
corners bound all three factors. Two ways are tried, down to d at the end:

- y = min(pi/2, omega (m'(x) - m'(-d))), m = log r, which turns the integrand where it oscillates and leaves it alone
  where it does not: of a sampled record's few large losses;
- y = pi/2, up from -d first: where all of the piece oscillates.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.sampling import slope
from neyman.numerics.rounding import ROOM, UNIT

__all__ = ["labour", "log_shifted"]

_STRETCH, _STRETCHES = 0.02, (64, 3000)  # of a way; how many there are
_CALL, _STEP = 6e5, 400.0  # nominal nanoseconds of a bound, and of each stretch
_LARGEST = 300.0  # d up to which r is a float, squared
_TOP = 0.5 * math.pi * (1.0 - 1e-15)  # an angle below the quarter turn, rounding and all
_OCTAVES, _EACH = 50, 6  # of the way down from the top: the rest of it is one stretch more
_ROUNDED = 64.0 * UNIT  # of log r, relative to |r - 1| or to log |r|


def labour(d: float) -> float:
    """Nominal nanoseconds that ``log_shifted`` takes."""
    return _CALL + _STEP * _count(d)


def _count(d: float) -> int:
    """Of stretches between the ends of a way."""
    return int(min(max(math.ceil(2.0 * d / _STRETCH), _STRETCHES[0]), _STRETCHES[1]))


def log_shifted(d: float, rate: float, a: float, omega: float) -> float:
    """Return the log of a bound on that integral, for this ``omega`` and every larger one; inf where none is known.

    Examples
    --------
    >>> print(f"{log_shifted(2.0, 0.1, 1.0, 0.0):.2f} {log_shifted(2.0, 0.1, 1.0, 1e3):.2f}")  # of 0.5477 and -2.805
    0.55 -2.72
    """
    if not d <= _LARGEST or not omega < math.inf:
        return math.inf
    x = np.linspace(-d, d, 1 + _count(d))
    steep = slope(x, rate)
    rising = np.minimum(_TOP, omega * np.maximum(np.maximum.accumulate(steep) - steep[0], 0.0))
    flat = np.full(len(x), _TOP)
    ways = [[_along(x, y, d), _up(-d, float(y[0]), d), _up(d, float(y[-1]), d)] for y in (rising, flat)]
    parts = _parts([one for way in ways for one in way], rate, a, omega)
    each = [float(np.logaddexp.reduce(np.concatenate(parts[i : i + 3]))) for i in (0, 3)]
    return min(each) + ROOM


_Stretches = tuple[FloatArray, FloatArray, FloatArray]  # log of what stretches of a way weigh; x and y of their ends


def _along(x: FloatArray, y: FloatArray, d: float) -> _Stretches:
    log_mass = math.log(2.0) - 0.5 * (x[:-1] + d) + np.log(-np.expm1(-0.5 * np.diff(x)))
    return log_mass + 0.5 * np.log1p((np.diff(y) / np.diff(x)) ** 2), x, y


def _up(end: float, top: float, d: float) -> _Stretches:
    """The parts of the way straight up from the real axis, or down to it; nothing where there are none."""
    if not top > 0.0:
        return np.full(1, -math.inf), np.full(2, end), np.zeros(2)
    y = np.append(0.0, top * 2.0 ** (np.arange(-_OCTAVES * _EACH, 1) / _EACH))
    return np.log(np.diff(y)) - 0.5 * (end + d), np.full(len(y), end), y


def _parts(some: list[_Stretches], rate: float, a: float, omega: float) -> list[FloatArray]:
    """Of each, the weights with the largest of |r|^a e^{-omega arg r} on each stretch."""
    left, low = (np.concatenate([one[k][:-1] for one in some]) for k in (1, 2))
    right, high = (np.concatenate([one[k][1:] for one in some]) for k in (1, 2))
    n = len(left)
    x, y = (right, low) if a >= 0.0 else (left, high)
    size, turned, off = _log_r(np.concatenate([x, left]), np.concatenate([y, low]), rate)
    weight = np.concatenate([one[0] for one in some])
    found = weight + a * size[:n] - omega * turned[n:] + abs(a) * off[:n] + omega * off[n:]
    return np.split(found, np.cumsum([len(one[0]) for one in some[:-1]]))


def _log_r(x: FloatArray, y: FloatArray, rate: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """log |r| and arg r, and what both may be off."""
    with np.errstate(under="ignore"):
        grown, turn = rate * np.exp(x), np.sin(y)
        real = rate * (np.expm1(x) * np.cos(y) - 2.0 * np.sin(0.5 * y) ** 2)
        imag = grown * turn
        level = (1.0 - rate) + grown * np.cos(y)
        square = real * (2.0 + real) + imag * imag
        near = square > -0.5
        size = 0.5 * np.where(near, np.log1p(np.where(near, square, 0.0)), np.log(level * level + imag * imag))
    far = rate * (np.abs(np.expm1(x)) + np.sin(0.5 * y))
    return size, np.arctan2(imag, level), _ROUNDED * np.where(near, np.minimum(far, 1.0 + np.abs(size)), np.abs(size))
