"""Binomial probabilities, in logarithms, without the cancellation of log-gamma functions (Loader 2000).

With D(x, m) = x log(x / m) + m - x and s(n) = log n! - log(sqrt(2 pi n) (n / e)^n), for 0 < k < n,

    log P(k) = s(n) - s(k) - s(n - k) - D(k, n p) - D(n - k, n (1 - p)) + log(n / (2 pi k (n - k))) / 2.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT

__all__ = ["binomial_deviance", "log_binomial"]

_SERIES = 0.1  # |u| below which (1 + u) log(1 + u) - u is summed up as a series
_TERMS = 20  # 0.1^20 / 400 of the first term is far below rounding
_SMALL = 16  # whole numbers below which s is taken from the exact factorial
# s(n), n from 0 on
_EXACT = np.array([0.0] + [
    math.log(math.factorial(n)) - 0.5 * math.log(2.0 * math.pi * n) - n * math.log(n) + n for n in range(1, _SMALL)
])  # fmt: skip


def log_binomial(k: FloatArray, n: int, p: float) -> tuple[FloatArray, FloatArray]:
    """Return log P(k) of Binomial(``n``, ``p``) at whole numbers 0 <= ``k`` <= n < 2^63, 0 < p < 1, and bounds on the
    absolute errors.

    Notes
    -----
    The errors are a few units times 1 + |log P| and times the distance from the mean: n p is rounded, and D moves by
    1 - x / m for each unit of m. Above 2^53 n - k is rounded as n (1 - p) is: each of their D is 0 but for about n u^2,
    u = 2^-53, and what was said.

    Examples
    --------
    >>> log_p, error = log_binomial(np.array([3.0]), 10, 0.5)
    >>> bool(abs(log_p[0] - math.log(120 / 1024)) <= error[0] < 1e-13)
    True
    """
    rest = n - k
    inner = (k > 0.0) & (rest > 0.0)
    x, y = np.where(inner, k, 1.0), np.where(inner, rest, 1.0)
    log_n = math.log(n)
    first = _deviance(x, n * p, log_n + math.log(p))
    second = _deviance(y, n * (1.0 - p), log_n + math.log1p(-p))
    middle = 0.5 * (log_n - math.log(2.0 * math.pi) - np.log(x) - np.log(y))
    s_n = float(_stirling(np.array([float(n)]))[0])
    value = s_n - _stirling(x) - _stirling(y) - first - second + middle
    value = np.where(inner, value, np.where(rest > 0.0, n * math.log1p(-p), n * math.log(p)))
    size = 64.0 * (np.where(inner, first + second + np.abs(middle), 0.0) + np.abs(value) + 1.0)
    return value, UNIT * (size + 8.0 * np.abs(k - n * p))


def binomial_deviance(k: FloatArray, n: int, p: FloatArray) -> FloatArray:
    """Return D(k, n p) + D(n - k, n (1 - p)), n times the divergence of Bernoulli(``k`` / n) from Bernoulli(``p``).

    Parameters
    ----------
    k : array
        From 0 to n < 2^53.
    n : int
        At least 1.
    p : array
        In [1e-200, 1).

    Notes
    -----
    The error is at most 2e-14 times the result and 1e-15 |k - n p|: n p is rounded, and D moves by 1 - k / (n p) for
    each unit of it.

    Examples
    --------
    >>> round(float(binomial_deviance(np.array(3.0), 10, np.array(0.5))), 6)  # 3 log(3 / 5) + 7 log(7 / 5)
    0.822829
    """
    return _far_or_near(k, n * p) + _far_or_near(n - k, n * (1.0 - p))


def _far_or_near(x: FloatArray, mean: FloatArray) -> FloatArray:
    """D(x, mean) for x >= 0 and arrays of means."""
    ratio = x / mean
    u = (x - mean) / mean
    found = np.asarray(special.xlogy(ratio, ratio) - u)
    near = np.abs(u) < _SERIES
    found[near] = _excess(np.asarray(u)[near])
    return mean * found


def _excess(u: FloatArray) -> FloatArray:
    """(1 + u) log(1 + u) - u by its series, |u| at most _SERIES."""
    series = np.zeros_like(u)
    for j in range(_TERMS, 1, -1):
        series = (-1.0) ** j / (j * (j - 1.0)) + u * series
    return u * u * series


def _stirling(n: FloatArray) -> FloatArray:
    """s(n) for whole n >= 1; beyond the table the series errs by less than its next term, 0.0019 / n^11 < 2e-16."""
    far = np.maximum(n, float(_SMALL))
    square = far * far
    series = np.zeros_like(far)
    for coefficient in (1188.0, -1680.0, 1260.0, -360.0, 12.0):
        series = 1.0 / coefficient + series / square
    return np.where(n < _SMALL, _EXACT[np.minimum(n, _SMALL - 1.0).astype(np.int64)], series / far)


def _deviance(x: FloatArray, mean: float, log_mean: float) -> FloatArray:
    """D(x, mean) for x > 0: no cancellation where they are near each other, no overflow where the mean is tiny."""
    if mean < 1e-200:
        return x * (np.log(x) - log_mean - 1.0) + mean
    u = (x - mean) / mean
    near = np.abs(u) < _SERIES
    series = _excess(np.where(near, u, 0.0))
    far = u < -0.9  # 1 + u has lost its digits, or all of itself
    away = np.where(near | far, 1.0, u)
    with np.errstate(over="ignore"):
        direct = np.where(
            away < 1e8, (1.0 + away) * np.log1p(away) - away, (1.0 + away) * (np.log(x) - log_mean - 1.0) + 1.0
        )
        direct = np.where(far, x / mean * (np.log(x) - log_mean) - u, direct)
    return mean * np.where(near, series, direct)
