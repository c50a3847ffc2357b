"""The central limit of Gaussian DP, with its Berry-Esseen error: an approximation, never a guarantee.

Of a step with symmetric trade-off curve f, under the null and with L = log|f'| the privacy loss,

    v1 = -E L (the Kullback-Leibler divergence),   v2 = E L^2,   v3 = E |L + v1|^3,   eta = v1 / sqrt(v2 - v1^2).

N such steps together tend to G_mu with mu = 2 eta sqrt(N); different steps to mu = 2 sum v1 / sqrt(sum (v2 - v1^2)).
With g = 0.56 sum v3 / (sum (v2 - v1^2))^(3/2), for finitely many steps and every alpha,

    G_mu(alpha + g) - g <= f(alpha) <= G_mu(alpha - g) + g,

because the sum of the losses is within g of the normal law under either hypothesis; 0.56 is the constant for summands
of different laws (Shevtsova 2010; for equal laws a smaller one is known, so it covers both).
"""

from __future__ import annotations

import math

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, count, not_negative, reals
from neyman.conversions.arguments import Numbers
from neyman.conversions.asymptotic import Asymptotic
from neyman.numerics.rounding import UNIT

__all__ = ["gdp_limit", "gdp_limit_of"]

_BERRY_ESSEEN = 0.56  # the constant of the theorem above
_MOMENTS = 1e-9  # relative room for moments that were computed
_SOURCE = "central limit: Dong, Roth and Su 2022"


def gdp_limit(v1: float, v2: float, v3: float, steps: int) -> Asymptotic:
    """Return the limit of ``steps`` equal steps, mu = 2 eta sqrt(N), with its error: asymptotic; may under-report.

    Parameters
    ----------
    v1, v2, v3 : float
        Moments of the loss of one step, as above: v1 >= 0, v2 > v1^2, v3 >= (v2 - v1^2)^(3/2). The trade-off curve must
        be symmetric and without mass at infinity.
    steps : int
        N, a whole number >= 1.

    Raises
    ------
    InvalidParameter
        If these are moments of no loss, or ``steps`` is not such a number.

    References
    ----------
    Dong, Roth and Su, Gaussian differential privacy, 2022, Theorem 5; Kaissis et al., Beyond the calibration point,
    2024, Theorem 3.

    Examples
    --------
    >>> limit = gdp_limit(0.005, 0.010025, 0.0016, 100)  # Gaussian steps of mu = 0.1
    >>> round(limit.mu, 9), round(limit.error, 4)
    (1.0, 0.0896)
    """
    n = count("steps", steps)
    if n < 1:
        raise InvalidParameter("steps", steps, "a whole number >= 1")
    return _limit(_moment("v1", v1, True), _moment("v2", v2, True), _moment("v3", v3, True), n)


def gdp_limit_of(v1: Numbers, v2: Numbers, v3: Numbers) -> Asymptotic:
    """Return the limit of steps that differ (one row of a triangular array), with its error; may under-report.

    Parameters
    ----------
    v1, v2, v3 : array of shape (N,)
        Moments of the loss of each step, as above; of each v1 >= 0, v2 >= v1^2, v3 >= (v2 - v1^2)^(3/2). The trade-off
        curves must be symmetric and without mass at infinity.

    Raises
    ------
    InvalidParameter
        If these are moments of no loss, or the three lists differ in length.

    References
    ----------
    Dong, Roth and Su, Gaussian differential privacy, 2022, Theorems 5 and 6.

    Examples
    --------
    >>> limit = gdp_limit_of([0.005] * 100, [0.010025] * 100, [0.0016] * 100)
    >>> round(limit.mu, 9), round(limit.error, 4)
    (1.0, 0.0896)
    """
    kl, square, cube = _moment("v1", v1), _moment("v2", v2), _moment("v3", v3)
    for name, array in (("v1", kl), ("v2", square), ("v3", cube)):
        if array.shape != (kl.size,):
            raise InvalidParameter(name, array.shape, f"a one-dimensional array of {kl.size} numbers, as v1")
    return _limit(kl, square, cube, 1)


def _limit(kl: FloatArray, square: FloatArray, cube: FloatArray, copies: int) -> Asymptotic:
    variance = square - kl * kl
    room = _MOMENTS * square
    if not bool(np.all(variance >= -room)):
        raise InvalidParameter("v2", float(square[~(variance >= -room)].flat[0]), "at least v1^2", "It is E L^2.")
    least = np.maximum(variance - room, 0.0) ** 1.5 * (1.0 - _MOMENTS)
    if not bool(np.all(cube >= least)):
        raise InvalidParameter("v3", float(cube[~(cube >= least)].flat[0]), "at least (v2 - v1^2)^(3/2)")
    spread = float(np.sum(np.maximum(variance, 0.0)))
    lost = 64.0 * UNIT * float(np.sum(square))  # what the subtraction may have cost
    if not spread > 2.0 * lost:
        raise InvalidParameter("v2", float(square.flat[0]), "larger than v1^2", "A loss without variance has no limit.")
    mu = 2.0 * float(np.sum(kl)) * math.sqrt(copies / spread)
    error = _BERRY_ESSEEN * float(np.sum(cube)) / ((spread - lost) ** 1.5 * math.sqrt(copies)) * (1.0 + 128.0 * UNIT)
    return Asymptotic(mu, _SOURCE, error)


def _moment(name: str, value: object, alone: bool = False) -> FloatArray:
    array = np.atleast_1d(reals(name, not_negative(name, value) if alone else value))
    if not bool(np.all(array >= 0.0)):
        raise InvalidParameter(name, float(array[~(array >= 0.0)].flat[0]), "a finite number >= 0")
    return array
