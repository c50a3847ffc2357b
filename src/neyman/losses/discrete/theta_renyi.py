"""Renyi divergences of the discrete Gaussian, in closed form.

With theta(c) the sum over integers x of e^{-(x - c)^2 / (2 sigma^2)}, centres m apart have

    D_t = t m^2 / (2 sigma^2) + log(theta(t m) / theta(0)) / (t - 1).

theta has period 1 and is largest at 0: D_t <= t m^2 / (2 sigma^2), with equality where t m is whole (Canonne, Kamath
and Steinke 2020, Theorem 4, which is the bound). The ratio is summed directly for small sigma, else through Poisson's
formula, both without cancellation.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import TINY, UNIT

__all__ = ["discrete_gaussian_divergence", "log_theta"]

_TINY = 1e-323  # two of the smallest float: what a product may be off
_LARGEST = float(np.finfo(np.float64).max)
_WIDE = 0.5  # sigma from which Poisson's formula serves
_DIRECT = np.arange(1.0, 9.0)  # integers that count below it
_DUAL = np.arange(1.0, 5.0)  # frequencies that count from it on
_UNITS = 64.0  # certifies: of a sum of theta, for each unit of its size


def log_theta(sigma: float) -> float:
    """Return log theta(0), to a few units in the last place.

    Examples
    --------
    >>> round(log_theta(1.0), 12)
    0.918938538555
    """
    if sigma < _WIDE:
        return math.log1p(2.0 * float(np.exp(-0.5 * (_DIRECT / sigma) ** 2).sum()))
    rest = 2.0 * float(np.exp(-2.0 * (math.pi * sigma * _DUAL) ** 2).sum())
    return math.log(sigma) + 0.5 * math.log(2.0 * math.pi) + math.log1p(rest)


def discrete_gaussian_divergence(sigma: float, shift: int, order: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return bounds on D_t from below and from above, at each ``order`` t > 0.

    Examples
    --------
    >>> lower, upper = discrete_gaussian_divergence(2.0, 1, np.array([0.5, 3.0]))
    >>> upper.round(12)
    array([0.0625, 0.375 ])
    """
    near_one = np.abs(order - 1.0) < 0.5
    part = np.where(order < 0.5, order, order - np.round(order))
    place = shift * np.where(near_one, order - 1.0, part)
    f = np.abs(place - np.round(place))
    ratio, size = _log_ratio(sigma, f)
    with np.errstate(over="ignore"):
        line = order * (0.5 * (shift / sigma) ** 2)
    endless, line = np.isinf(line), np.minimum(line, _LARGEST)
    rest = np.where(order == 1.0, 0.0, ratio / np.where(order == 1.0, 1.0, order - 1.0))
    # f is off by a unit of |place|; log theta falls by f / sigma^2 at most as f grows
    off = UNIT * (np.abs(place) * f / sigma**2 * 4.0 + _UNITS * size)
    error = 8.0 * UNIT * (line + np.abs(rest)) + np.where(
        order == 1.0, 0.0, off / np.maximum(np.abs(order - 1.0), TINY)
    )
    error = error + _TINY
    with np.errstate(over="ignore"):
        upper = line + rest + error
        upper = np.where(order >= 1.0, np.minimum(upper, line * (1.0 + 8.0 * UNIT)), upper)
        return np.maximum(line + rest - error, 0.0), np.where(endless, math.inf, upper)


def _log_ratio(sigma: float, f: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log(theta(f) / theta(0)) <= 0 for 0 <= f <= 1/2, and the size of its terms."""
    with np.errstate(under="ignore"):
        if sigma < _WIDE:
            fall = f * f / (2.0 * sigma**2)
            turn = _DIRECT[:, None] * f / sigma**2
            gained = np.exp(turn - 0.5 * (_DIRECT[:, None] / sigma) ** 2) * np.expm1(-turn) ** 2
            risen = np.log1p(gained.sum(axis=0) / math.exp(log_theta(sigma)))
            return risen - fall, (fall + risen) * (1.0 + 1.0 / sigma**2)
        weight = np.exp(-2.0 * (math.pi * sigma * _DUAL[:, None]) ** 2)
        lost = 4.0 * (weight * np.sin(math.pi * _DUAL[:, None] * f) ** 2).sum(axis=0) / (1.0 + 2.0 * weight.sum())
    ratio = np.log1p(-lost)
    return ratio, np.abs(ratio) * (1.0 + sigma**2)
