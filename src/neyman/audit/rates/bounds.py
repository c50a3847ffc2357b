"""What upper bounds on both error rates prove of a mechanism: each formula once, on arrays, rounded down.

A test with false positive rate a and false negative rate b refutes a trade-off function f if b < f(a). All formulas
fall as a or b grows, so that upper bounds of both may be put in.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT

__all__ = ["advantage_bounds", "best_tpr", "epsilon_bounds", "margins", "mu_bounds", "tpr_bounds"]

_PROBIT = 1e-12  # relative, above the error of scipy's probit
_UNIT = 4.5e-16  # two roundings of numbers below 1
_COIN = 1e-15  # several


def mu_bounds(alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """Phi^-1(1 - alpha) - Phi^-1(beta), at least 0: the least mu that the test does not refute."""
    first, second = -special.ndtri(alpha), -special.ndtri(beta)
    with np.errstate(invalid="ignore"):  # only certainty about both errors gives inf - inf, and upper bounds exclude it
        found = first + second - _PROBIT * (np.abs(first) + np.abs(second))
    return np.where(found > 0.0, found, 0.0)


def advantage_bounds(alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """TPR - FPR, at least 0."""
    return np.maximum(1.0 - alpha - beta - _UNIT, 0.0)


def epsilon_bounds(alpha: FloatArray, beta: FloatArray, delta: float) -> FloatArray:
    """The larger of log((1 - delta - beta) / alpha) and log((1 - delta - alpha) / beta), at least 0."""
    return np.maximum(_log_ratio(alpha, beta, delta), _log_ratio(beta, alpha, delta))


def _log_ratio(alpha: FloatArray, beta: FloatArray, delta: float) -> FloatArray:
    power = 1.0 - delta - beta - 2.0 * _UNIT
    found = np.log(np.maximum(power, 1e-300)) - np.log(alpha)
    return np.where(power > 0.0, np.maximum(found - 1e-13 * (1.0 + np.abs(found)), 0.0), 0.0)


def tpr_bounds(alpha: FloatArray, beta: FloatArray, fpr: float) -> FloatArray:
    """The true positive rate at ``fpr`` of the test, mixed with a coin that always says no or always says yes."""
    with np.errstate(divide="ignore"):
        weaker = (1.0 - beta) * np.minimum(fpr / alpha, 1.0)
        stronger = 1.0 - (1.0 - fpr) * np.minimum(beta / (1.0 - alpha), 1.0)
    found = np.where(alpha < fpr, stronger, weaker)
    return np.minimum(np.maximum(found - _COIN, fpr), 1.0)


def best_tpr(alpha: FloatArray, beta: FloatArray, fpr: FloatArray) -> FloatArray:
    """The largest of ``tpr_bounds`` over all tests, at each ``fpr``."""
    order = np.argsort(alpha)
    a, b = alpha[order], beta[order]
    with np.errstate(divide="ignore"):
        gain = np.append(np.maximum.accumulate(((1.0 - b) / a)[::-1])[::-1], 0.0)  # of tests with at least this alpha
        loss = np.append(1.0, np.minimum.accumulate(np.minimum(b / (1.0 - a), 1.0)))  # of those with less
    at = np.searchsorted(a, fpr)
    found = np.maximum(fpr * gain[at], 1.0 - (1.0 - fpr) * loss[at])
    return np.minimum(np.maximum(found - _COIN, fpr), 1.0)


def margins(alpha: FloatArray, beta: FloatArray, allowed: FloatArray) -> FloatArray:
    """By how many standard deviations of the normal law ``beta`` is below what a claim allows: > 0 where it refutes."""
    found = special.ndtri(np.minimum(allowed, 1.0 - UNIT)) - special.ndtri(beta)
    # of probits that agree to the last digits the rates themselves decide
    return np.where(beta < allowed, np.maximum(found, 5e-324), np.minimum(found, 0.0))
