"""Renyi divergences of random allocation at whole orders, "remove": sums of positive terms.

With Y = e^{x / sigma - 1 / (2 sigma^2)} of a standard normal x, S the sum of t such, and v = e^{1 / sigma^2} - 1,

    E Y^k = (1 + v)^{k (k - 1) / 2},    which counts the graphs on k vertices by their edges,
    E (Y - 1)^k = I_k,                  those of them without an isolated vertex (inclusion and exclusion).

Take the last vertex away: u of the others are left isolated, each of them its neighbour, and the rest is as free as

    I_k = ((1 + v)^{k-1} - 1) I_{k-1} + sum_{u >= 1} binom(k - 1, u) v^u (1 + v)^{k-1-u} I_{k-1-u}

says. E (S - t)^m / m! is the coefficient of x^m in (sum_k I_k x^k / k!)^t, and

    E (S / t)^n = 1 + sum_{m >= 2} binom(n, m) E (S / t - 1)^m = e^{(n - 1) D_n}.

No term is negative, so that logarithms of all are kept, and D_n is known however small it is. log E (S / t)^n is convex
in n, with zeros at 0 and 1: between whole orders lie chords from above, and chords prolonged from below.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import SMALLEST, UNIT

__all__ = ["LARGEST_ORDER", "divergences"]

LARGEST_ORDER = 1024  # its table takes about a second
_FEW = 16  # orders of the smallest table
_LEAST, _MOST = 1e-280, 1e9  # of 1 / sigma^2: what is beyond is left to others


def divergences(sigma: float, steps: int, order: FloatArray, upper: bool) -> FloatArray:
    """Return bounds on D_t at each ``order`` (1-d, > 0) of ``steps`` >= 2, from above (``upper``; inf where none is
    known) or from below (0 there).

    Examples
    --------
    >>> bounds = [float(divergences(1.0, 100, np.array([2.0]), upper)[0]) for upper in (False, True)]
    >>> bounds[0] <= math.log1p(math.expm1(1.0) / 100) <= bounds[1] <= bounds[0] * (1.0 + 1e-10)
    True
    """
    out = np.full_like(order, math.inf if upper else 0.0)
    at = np.flatnonzero((order > 1.0) & (order <= LARGEST_ORDER))
    s = (1.0 / sigma) / sigma * (1.0 + (4.0 if upper else -4.0) * UNIT)
    if not len(at) or not _LEAST <= s <= _MOST:
        return out
    t = order[at]
    size = max(_FEW, 1 << math.ceil(math.log2(float(t.max()))))
    low, high = _log_moments(s, steps, size)
    n = np.floor(t).astype(np.int64)
    beyond = t - n
    if upper:
        found = (1.0 - beyond) * high[n] + beyond * high[np.minimum(n + 1, size)]
    else:
        ahead = low[n] + beyond * (low[n] - high[n - 1])
        inside = n + 2 <= size
        n = np.where(inside, n, 0)
        behind = low[n + 1] - (1.0 - beyond) * (high[n + 2] - low[n + 1])
        found = np.where(inside, np.maximum(ahead, behind), ahead)
    room = 16.0 * UNIT if upper else -16.0 * UNIT
    out[at] = found * (1.0 + room) / (t - 1.0)
    return out + SMALLEST if upper else np.maximum(out - SMALLEST, 0.0)


@lru_cache(maxsize=32)
def _log_moments(s: float, steps: int, most: int) -> tuple[FloatArray, FloatArray]:
    """Bounds on log E (S / t)^n from below and above for n = 0 .. ``most``, where 1 / sigma^2 is ``s``.

    Of each sum of logarithms, none beyond ``size``, ``unit`` is the error: that of ``most`` terms, their logarithms,
    and eight roundings of what these are made of. I_k passes k of them, each product of the power one more, and
    coefficient m is a sum of products of at most m / 2 of the I_k: m times what one has.
    """
    log_factorial = np.array([math.log(x) for x in accumulate(range(1, most + 1), lambda a, b: a * b, initial=1)])
    p = _connected(s, most, log_factorial)
    coefficients, products = _power(p, steps)
    m = np.arange(most + 1.0)
    central = coefficients - m * math.log(steps)
    size = float(np.max(np.abs(p), where=np.isfinite(p), initial=0.0))
    size = max(size, float(np.max(np.abs(central), where=np.isfinite(central), initial=0.0)))
    size += most * (abs(_log_expm1(s)) + s + math.log(steps) + 1.0) + 2.0 * float(log_factorial[-1])
    unit = UNIT * (most + 16.0 + 16.0 * size)
    grown = np.full(most + 1, -math.inf)
    for n in range(2, most + 1):
        inner = slice(2, n + 1)
        grown[n] = _log_sum((log_factorial[n] - log_factorial[n - m[inner].astype(int)] + central[inner])[None, :])[0]
    error = (m + 2.0) * unit * (products + 2.0)
    low, high = (np.logaddexp(0.0, grown + sign * error) * (1.0 + 4.0 * sign * UNIT) for sign in (-1.0, 1.0))
    low[:2] = high[:2] = 0.0
    return low, high


def _connected(s: float, most: int, log_factorial: FloatArray) -> FloatArray:
    """log(I_k / k!) for k = 0 .. ``most``."""
    p = np.full(most + 1, -math.inf)
    p[0] = 0.0
    log_v = _log_expm1(s)
    for k in range(2, most + 1):
        u = np.arange(1, k)
        terms = u * log_v - log_factorial[u] + (k - 1 - u) * s + p[k - 1 - u]
        p[k] = _log_sum(np.append(terms, _log_expm1((k - 1) * s) + p[k - 1])[None, :])[0] - math.log(k)
    return p


def _power(p: FloatArray, times: int) -> tuple[FloatArray, int]:
    """log of the coefficients of (sum_k e^{p_k} x^k)^``times``, and how many products it took."""
    out, square, products = None, p, 0
    while True:
        if times & 1:
            out, products = (square, products) if out is None else (_product(out, square), products + 1)
        times >>= 1
        if not times:
            return (p if out is None else out), products
        square, products = _product(square, square), products + 1


def _product(a: FloatArray, b: FloatArray) -> FloatArray:
    """log of the coefficients of the product, up to the same power."""
    count = len(a)
    apart = np.arange(count)[:, None] - np.arange(count)
    return _log_sum(np.where(apart >= 0, a + b[np.maximum(apart, 0)], -math.inf))


def _log_sum(terms: FloatArray) -> FloatArray:
    """log of the sum of e^terms in each row."""
    top = terms.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", under="ignore"):
        return safe + np.log(np.exp(terms - safe[:, None]).sum(axis=1))


def _log_expm1(x: float) -> float:
    return math.log(math.expm1(x)) if x < 1.0 else x + math.log1p(-math.exp(-x))
