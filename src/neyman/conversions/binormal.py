"""ROC curve and its area for two normal laws that may differ in variance."""

from __future__ import annotations

import math
from typing import overload

import numpy as np
from scipy import special

from neyman._validate import FloatArray, not_negative, positive, unit_interval
from neyman.conversions.arguments import SLACK, Numbers, shaped
from neyman.numerics.rounding import LOG_NDTR, NDTR, NDTRI, SMALLEST, UNIT

__all__ = ["binormal_auc", "binormal_roc", "normal_power"]

_FARTHEST = 39.0  # Phi(-39) underflows
_UNDERFLOWS = -37.0  # below it ndtr has no subnormal numbers


@overload
def binormal_roc(fpr: float, shift: float, sigma0: float, sigma1: float) -> float: ...
@overload
def binormal_roc(fpr: Numbers, shift: float, sigma0: float, sigma1: float) -> FloatArray: ...
def binormal_roc(fpr: float | Numbers, shift: float, sigma0: float, sigma1: float) -> float | FloatArray:
    """Return R(x) = Phi(a + b Phi^-1(x)) with a = shift / sigma1 and b = sigma0 / sigma1.

    The ROC of the tests that reject above a threshold, for N(m0, sigma0^2) against N(m1, sigma1^2). Unless the two
    variances are equal these are NOT the best tests, and the curve bounds no adversary (it may even dip below the
    diagonal): it describes, it does not promise.

    Parameters
    ----------
    fpr : float or array
        x, in [0, 1].
    shift : float
        abs(m1 - m0); finite, >= 0.
    sigma0, sigma1 : float
        Standard deviations under H0 and H1; finite, > 0.

    Returns
    -------
    float or ndarray of the shape of ``fpr``
        Rounded up: the argument of Phi by at most 1e-14 of its larger term.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    Kaissis et al., A unified interpretation of the Gaussian mechanism, 2024, Corollary 2.

    Examples
    --------
    >>> round(binormal_roc(0.1, 1.0, 1.0, 2.0), 6)
    0.444024
    """
    x = unit_interval("fpr", fpr)
    d, s0, s1 = not_negative("shift", shift), positive("sigma0", sigma0), positive("sigma1", sigma1)
    return shaped(normal_power(x.ravel(), min(d / s1, 1e300), min(s0 / s1, 1e300)), x)


def binormal_auc(shift: float, sigma0: float, sigma1: float) -> float:
    """Return the area under `binormal_roc`, Phi(shift / sqrt(sigma0^2 + sigma1^2)).

    Parameters
    ----------
    shift : float
        abs(m1 - m0); finite, >= 0.
    sigma0, sigma1 : float
        Standard deviations under H0 and H1; finite, > 0.

    Returns
    -------
    float
        In [0.5, 1], rounded up by at most 1e-14.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    Kaissis et al., A unified interpretation of the Gaussian mechanism, 2024, Corollary 3.

    Examples
    --------
    >>> round(binormal_auc(1.0, 1.0, 2.0), 6)
    0.67264
    """
    d, s0, s1 = not_negative("shift", shift), positive("sigma0", sigma0), positive("sigma1", sigma1)
    if d == 0.0:
        return 0.5
    unit = max(s0, s1)  # so that no square over- or underflows
    score = d / unit / math.hypot(s0 / unit, s1 / unit)
    return min(1.0, float(special.ndtr(score * (1.0 + SLACK))) * (1.0 + (NDTR + 2.0) * UNIT))


def normal_power(fpr: FloatArray, a: float, b: float) -> FloatArray:
    """Return Phi(a + b Phi^-1(fpr)) rounded up, 0 and 1 at the ends.

    What ndtri, ndtr and log_ndtr err by was measured (``numerics.rounding``).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        moved = b * special.ndtri(fpr)
        t = a + moved + (NDTRI + 8.0) * UNIT * (a + np.maximum(np.abs(moved), b))
    ends = (fpr == 0.0) | (fpr == 1.0)
    t = np.clip(np.where(ends, 0.0, t), -_FARTHEST, _FARTHEST)
    log_power = special.log_ndtr(np.minimum(t, _UNDERFLOWS)) * (1.0 - (LOG_NDTR + 2.0) * UNIT)  # negative: up
    with np.errstate(under="ignore"):
        direct = special.ndtr(t) * (1.0 + (NDTR + 4.0) * UNIT * (1.0 + t * t))
        power = np.minimum(np.where(t < _UNDERFLOWS, np.exp(log_power) * (1.0 + SLACK) + SMALLEST, direct), 1.0)
    return np.where(ends, fpr, power)
