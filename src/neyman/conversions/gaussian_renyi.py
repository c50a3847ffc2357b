"""Renyi divergence of two normal laws whose variances may differ."""

from __future__ import annotations

import math
from typing import overload

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, count, not_negative, positive
from neyman.conversions.arguments import SLACK, Numbers, orders_above, shaped
from neyman.numerics.rounding import SMALLEST

__all__ = ["gaussian_renyi"]

_WIDEST = 1e100  # of the ratio of the two standard deviations


@overload
def gaussian_renyi(order: float, shift: float, sigma0: float, sigma1: float, dimension: int = 1) -> float: ...
@overload
def gaussian_renyi(order: Numbers, shift: float, sigma0: float, sigma1: float, dimension: int = 1) -> FloatArray: ...
def gaussian_renyi(
    order: float | Numbers, shift: float, sigma0: float, sigma1: float, dimension: int = 1
) -> float | FloatArray:
    """Return D_a(N(m0, sigma0^2 I) || N(m1, sigma1^2 I)), the Renyi divergence of order a; inf where there is none.

    With v = a sigma1^2 + (1-a) sigma0^2 and n dimensions, for v > 0,

        n log(sigma1 / sigma0) + n log(sigma1^2 / v) / (2 (a-1)) + a shift^2 / (2 v),

    a = 1 being the limit, the Kullback-Leibler divergence. For equal variances it is a shift^2 / (2 sigma^2).

    Parameters
    ----------
    order : float or array
        a, finite, > 0.
    shift : float
        The distance of the means; finite, >= 0.
    sigma0, sigma1 : float
        Standard deviations, finite, > 0, their ratio from 1e-100 to 1e100.
    dimension : int
        n >= 1. (The source prints the formula without n, which is the case n = 1.)

    Returns
    -------
    float or ndarray of the shape of ``order``
        Rounded up, by at most 1e-13 times the largest term (at an order up to 1e-14 further from 1, which tells only
        next to where the divergence ceases to exist).

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    van Erven and Harremoes, Renyi divergence and Kullback-Leibler divergence, 2014; Kaissis et al., A unified
    interpretation of the Gaussian mechanism, 2024, Corollary 10.

    Examples
    --------
    >>> round(gaussian_renyi(2.0, 1.0, 1.0, 1.0), 12), gaussian_renyi(2.0, 1.0, 2.0, 1.0)
    (1.0, inf)
    """
    a = orders_above("order", order, 0.0)
    d, s0, s1 = not_negative("shift", shift), positive("sigma0", sigma0), positive("sigma1", sigma1)
    n = count("dimension", dimension)
    if n < 1:
        raise InvalidParameter("dimension", dimension, "a whole number >= 1")
    if not 1.0 / _WIDEST <= s0 / s1 <= _WIDEST:
        raise InvalidParameter("sigma0", sigma0, f"between {1 / _WIDEST:g} and {_WIDEST:g} times sigma1 {s1!r}")
    apart = max(d / s1, SMALLEST) if d else 0.0
    return shaped(_divergence(a.ravel(), apart, s0 / s1, (s0 - s1) / s1, n), a)


def _divergence(a: FloatArray, shift: float, ratio: float, excess: float, n: int) -> FloatArray:
    """The divergence in units of sigma1; y = ratio^2 - 1 and x = -(a-1) y, so v = 1 + x.

        n/2 (y log(1+x)/x - log(1+y)) + a shift^2 / (2 (1+x)),

    where x = 0 is no exception. x is moved to the side that raises both terms.
    """
    y = excess * (ratio + 1.0)  # to a few units of the last place, however close the two are
    with np.errstate(over="ignore", invalid="ignore"):
        x = -(a - 1.0) * y * (1.0 + SLACK * np.sign(a - 1.0))
        v = np.where(a < 1.0, a + (1.0 - a) * ratio * ratio, 1.0 + x)
        square = a * (shift * shift) if shift > 1.0 else (a * shift) * shift
    finite = v > 0.0
    v, x = np.where(finite, v, 1.0), np.where(finite, x, 0.0)
    some = np.where(x == 0.0, 1.0, x)
    with np.errstate(over="ignore", invalid="ignore"):
        log_v = np.where(np.abs(x) < 0.5, np.log1p(np.maximum(x, -0.5)), np.log(v))
        slope = np.where(x == 0.0, 1.0, log_v / some)
        gain, loss = y * slope, 2.0 * math.log(ratio) if abs(excess) > 0.5 else 2.0 * math.log1p(excess)
        middle = 0.5 * square / v * (1.0 + 2.0 * SLACK)  # v may have been moved up
        value = 0.5 * n * (gain - loss) + middle
        value = value + SLACK * (0.5 * n * (np.abs(gain) + abs(loss)) + middle)
    value = np.maximum(value, 0.0) + (SMALLEST if shift > 0.0 or y != 0.0 else 0.0)
    return np.where(finite, value, np.inf)
