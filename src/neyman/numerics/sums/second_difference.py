"""The second divided difference of exp: what is left of a Renyi divergence once its two vanishing terms are taken out.

    exp[0, a, b] = (e^b - 1) / (b (b - a)) - (e^a - 1) / (a (b - a))      (limits where points coincide)

is positive, so that r^t - 1 - t (r - 1) = t (t - 1) L^2 exp[0, L, t L] with L = log r keeps its relative accuracy
however small L is and however close t comes to 0 or 1.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray

__all__ = ["DIFFERENCE_ERROR", "second_difference"]

DIFFERENCE_ERROR = 2.0**-47  # relative, given the points; measured: 1e-15
_NEAR = 0.5  # spread of the points below which the series serves
_TERMS = 15  # of it: the rest is below 0.5^15 16 / 17! = 1.4e-18


def second_difference(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ``top`` = max(0, a, b) and v in (0, 1/2] with exp[0, a, b] = e^top v, to relative ``DIFFERENCE_ERROR``.

    Examples
    --------
    >>> top, value = second_difference(np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    >>> (np.exp(top) * value).round(6)
    array([0.5     , 1.476246])
    """
    low, high = np.minimum(a, b), np.maximum(a, b)
    top, bottom = np.maximum(high, 0.0), np.minimum(low, 0.0)
    middle = np.maximum(low, np.minimum(high, 0.0))
    v, s = top - middle, top - bottom
    with np.errstate(under="ignore"):
        value = (_mean(v) - np.exp(-v) * _mean(s - v)) / np.maximum(s, _NEAR)
        near = s < _NEAR
        if np.any(near):
            value[near] = _series(s[near] - v[near], s[near])
    return top, value


def _mean(v: FloatArray) -> FloatArray:
    """(1 - e^-v) / v."""
    return np.where(v > 0.0, -np.expm1(-v) / np.where(v > 0.0, v, 1.0), 1.0)


def _series(p: FloatArray, s: FloatArray) -> FloatArray:
    """e^-s times the sum over k of h_k(p, s) / (k + 2)!, h_k the complete homogeneous polynomial, 0 <= p <= s."""
    power, complete, factor = np.ones_like(s), np.ones_like(s), 0.5
    total = np.full_like(s, factor)
    for k in range(1, _TERMS):
        power = power * p
        complete = complete * s + power
        factor /= k + 2
        total += factor * complete
    return np.exp(-s) * total
