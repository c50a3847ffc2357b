"""The standard normal law where double precision is scarce: Mills ratios, densities and probits of tiny tails.

    phi(t) density,   Phi(t) distribution function,   M(t) = (1 - Phi(t)) / phi(t) the Mills ratio.

Everything small is computed from the small quantity itself, never from 1 - (nearly 1). Stated errors are relative and
measured against 60-digit arithmetic over the stated range, with a margin of at least three.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.functions.few import some
from neyman.numerics.functions.gauss import gauss
from neyman.numerics.rounding import ERFCX, NDTRI_EXP, UNIT

__all__ = [
    "MILLS_ERROR",
    "PROBIT_ERROR",
    "density",
    "log_density",
    "mills",
    "mills_drop",
    "probit",
    "probit_gap",
    "probit_near",
    "ratio_twofold",
    "special_functions",
    "sum_twofold",
]

# M by erfcx of an argument that is rounded twice. Up to _FRACTION_FROM, 1 - t M(t) amplifies that by t M / (1 - t M) =
# 10.6; a difference of which one side is at most half the other, by 3 (and erfcx errs by twice as much at t = -1)
MILLS_ERROR = (11.0 * (ERFCX + 3.0) + 20.0) * UNIT
# certifies, relative: of ``probit``, and 16 units for what is done with it
PROBIT_ERROR = (NDTRI_EXP + 16.0) * UNIT

_NEAR = 16.0  # certifies: units of 2 + |z| that ``probit_near`` errs by: 12 of the logarithm, and its own rounding
_HALF_LOG_TWO_PI = 0.5 * float(np.log(2.0 * np.pi))  # of the log of the density
_SPLITTER = 134217729.0  # 2^27 + 1 (Dekker 1971)
_LEGENDRE = gauss(12)  # certifies: 12 nodes on [-1, 1], for integrals of -M' and of slopes of probits
_NODES = 0.5 * (_LEGENDRE[0] + 1.0)  # the same on [0, 1]
_WEIGHTS = 0.5 * _LEGENDRE[1]  # that add up to 1
_FRACTION_FROM = 3.0  # above it 1 - t M(t) cancels, and the continued fraction converges fast
_FRACTION_DEPTH = 48  # certifies: levels of the fraction of -M', measured from 3 on
_LEVELS = [np.array(float(n)) for n in range(_FRACTION_DEPTH, 0, -1)]  # which NumPy need not convert each time
# of Mills ratios and densities
_ROOT_TWO, _ROOT_HALF_PI, _ROOT_TWO_PI = math.sqrt(2.0), math.sqrt(0.5 * math.pi), math.sqrt(2.0 * math.pi)


@cache
def special_functions() -> Any:
    """Those of SciPy, whose import takes a sixth of a second that a first epsilon has no use for."""
    from scipy import special

    return special


def mills(t: FloatArray) -> FloatArray:
    """Return M(t) for t > -37."""
    return _ROOT_HALF_PI * special_functions().erfcx(t / _ROOT_TWO)


def mills_drop(t: FloatArray, width: FloatArray | float, after: FloatArray | None = None) -> FloatArray:
    """Return M(t) - M(t + width) for t >= -1 and width >= 0, to relative ``MILLS_ERROR``; ``after`` is M(t + width),
    where that is known.

    Where the two ratios nearly agree, the integral of -M'(s) = 1 - s M(s) (positive, entire) by Gauss-Legendre takes
    the place of the difference.
    """
    start = np.asarray(t, dtype=np.float64)
    near, far = mills(start), mills(start + width) if after is None else after
    drop = np.asarray(near - far)
    close = np.asarray(far > 0.5 * near)
    if some(close):
        length = np.broadcast_to(np.asarray(width, dtype=np.float64), start.shape)[close]
        s = start[close][..., None] + length[..., None] * _NODES
        drop[close] = length * (_mills_decrease(s) @ _WEIGHTS)
    return drop


def _mills_decrease(t: FloatArray) -> FloatArray:
    """-M'(t) = 1 - t M(t) = K / (t + K) with K = 1/(t + 2/(t + 3/(t + ...))): all terms positive for t > 0."""
    value = 1.0 - t * mills(t)
    far = t > _FRACTION_FROM
    if some(far):
        s = t[far]
        tail = np.full_like(s, math.sqrt(_FRACTION_DEPTH))
        for level in _LEVELS:  # level / (s + tail), in place
            np.add(tail, s, tail)
            np.divide(level, tail, tail)
        value[far] = tail / (s + tail)
    return value


def ratio_twofold(epsilon: FloatArray, mu: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return epsilon / mu - mu / 2 as an unevaluated sum high + low, to about twice working precision."""
    quotient = epsilon / mu
    product, error = _product_twofold(quotient, mu)
    correction = ((epsilon - product) - error) / mu
    rough, error = sum_twofold(quotient, -0.5 * mu)
    return sum_twofold(rough, error + correction)


def sum_twofold(a: FloatArray, b: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sum and its exact error (Knuth)."""
    total = np.asarray(a + b)
    moved = total - a
    return total, np.asarray((a - (total - moved)) + (b - moved))


def log_density(high: FloatArray, low: FloatArray) -> FloatArray:
    """Return log phi(high + low)."""
    return -0.5 * high * high - high * low - _HALF_LOG_TWO_PI


def density(high: FloatArray, low: FloatArray) -> FloatArray:
    """Return phi(high + low) for |high| < 1e100, to a few units of the last place down to where it underflows."""
    square, error = _product_twofold(high, high)
    with np.errstate(under="ignore"):
        peak = np.exp(-0.5 * square) * (1.0 - (0.5 * error + high * low))
        return np.asarray(peak / _ROOT_TWO_PI)


def probit(log_p: FloatArray) -> FloatArray:
    """Return Phi^-1(p) from log p (-inf gives -inf, 0 gives inf)."""
    return np.asarray(special_functions().ndtri_exp(log_p), dtype=np.float64)


def probit_near(log_p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Phi^-1(p), p <= 1/2, from log p >= -690, and a bound on what it errs by: a thousandth of what ``probit``
    does, by a step of Newton's from there.

    ``log_ndtr`` errs by ``LOG_NDTR`` of log p, and |log p| Phi / phi <= 0.9 + |z| / 2.

    Examples
    --------
    >>> z, error = probit_near(np.log([0.025]))
    >>> round(float(z[0]), 12), float(error[0]) < 1e-14
    (-1.95996398454, True)
    """
    z = probit(log_p)
    log_tail = np.asarray(special_functions().log_ndtr(z))
    z = z + (log_p - log_tail) * np.exp(log_tail + 0.5 * z * z + _HALF_LOG_TWO_PI)
    return z, _NEAR * UNIT * (2.0 + np.abs(z))


def probit_gap(log_alpha: FloatArray, log_excess: FloatArray, log_beta: FloatArray) -> FloatArray:
    """Return Phi^-1(1 - alpha) - Phi^-1(beta), the Gaussian mu through one point of a trade-off curve.

    Parameters
    ----------
    log_alpha, log_excess, log_beta : ndarray, same shape
        Logarithms of alpha, of the excess power 1 - beta - alpha >= 0 and of beta; alpha may lie far below 1e-308.

    Returns
    -------
    ndarray
        mu to relative ``PROBIT_ERROR`` for mu >= 1e-300; 0 where the excess is 0, inf where beta is 0.

    Notes
    -----
    Where the excess is below both alpha and beta, mu is the integral of dp / phi(Phi^-1(p)) from alpha to
    alpha + excess: a sum of positive terms, accurate however small mu is.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.log([0.3]), np.log([0.7 - 1e-12])
    >>> np.allclose(probit_gap(a, np.log([1e-12]), b), 2.8760e-12, rtol=1e-4)
    True
    """
    ratio = np.exp(np.minimum(log_excess - log_alpha, 1.0))
    small = (ratio <= 1.0) & (log_excess < log_beta)
    if not some(small):
        return _gap_of_probits(log_alpha, log_excess, log_beta)
    mu = np.empty(np.shape(log_alpha))
    mu[small] = _gap_integral(log_alpha[small], ratio[small])
    rest = ~small
    if some(rest):
        mu[rest] = _gap_of_probits(log_alpha[rest], log_excess[rest], log_beta[rest])
    return mu


def _gap_of_probits(log_alpha: FloatArray, log_excess: FloatArray, log_beta: FloatArray) -> FloatArray:
    power = np.logaddexp(log_alpha, log_excess)
    low = power < -0.7
    end = probit(np.where(low, power, log_beta))  # of whichever of the power and beta is small
    return np.where(low, end, -end) - probit(log_alpha)


def _gap_integral(log_alpha: FloatArray, ratio: FloatArray) -> FloatArray:
    log_p = np.minimum(log_alpha[..., None] + np.log1p(ratio[..., None] * _NODES), 0.0)
    z = probit(log_p)
    scale = np.exp(log_alpha[..., None] + 0.5 * z * z + _HALF_LOG_TWO_PI)
    return ratio * (scale @ _WEIGHTS)


def _product_twofold(a: FloatArray, b: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return the rounded product and its exact error (Dekker's split; exact unless something under- or overflows)."""
    product = np.asarray(a * b)
    a_high, a_low = _halves(a)
    b_high, b_low = (a_high, a_low) if b is a else _halves(b)
    return product, np.asarray(((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)


def _halves(a: FloatArray | float) -> tuple[FloatArray | float, FloatArray | float]:
    moved = a * _SPLITTER
    high = moved - (moved - a)
    return high, a - high
