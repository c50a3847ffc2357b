"""Where what a hypothesis allows ends: the least false negative rate at each false positive rate, rounded down."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.audit.both_counts.two_counts import LEAST_RATE
from neyman.guarantees import Guarantee
from neyman.numerics.rounding import UNIT
from neyman.risk.attacked import membership

__all__ = ["Boundary", "at_advantage", "at_epsilon", "at_mu", "at_tpr", "of_claim"]

_Rates = Callable[[FloatArray], FloatArray]

_ROUNDED = 4e-15  # several roundings of numbers of at most 1
_PROBIT = 1e-14  # of a probit, relative, and of the distribution function at it, times 1 + its square
_LARGEST = 1.0 - UNIT  # the largest rate below 1: at more, 0 is allowed


@dataclass(frozen=True, eq=False)
class Boundary:
    """The edge of a region of pairs (alpha, beta) that is upward closed: larger error rates are allowed too.

    Attributes
    ----------
    beta, above : callable
        From alpha in [0, 1] to bounds from below and from above on the least false negative rate that is allowed there.
    alpha : callable
        From beta to about the least false positive rate that is allowed: says where to look, and nothing rests on it.
    """

    beta: _Rates
    above: _Rates
    alpha: _Rates


def at_mu(mu: float) -> Boundary:
    """All mechanisms with Gaussian privacy ``mu`` >= 0."""

    def known(alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
        score = -special.ndtri(np.clip(alpha, LEAST_RATE, _LARGEST))
        shifted = score - mu
        return np.asarray(special.ndtr(shifted)), _PROBIT * (1.0 + shifted**2 + np.abs(score) * (1.0 + np.abs(shifted)))

    def beta(alpha: FloatArray) -> FloatArray:
        value, blur = known(alpha)
        return np.where(alpha <= _LARGEST, value * np.maximum(1.0 - blur, 0.0), 0.0)

    def above(alpha: FloatArray) -> FloatArray:
        value, blur = known(alpha)
        return np.where(alpha < LEAST_RATE, 1.0, np.minimum(value * (1.0 + blur) + 1e-300, 1.0))

    return Boundary(beta, above, lambda rates: known(rates)[0])


def at_epsilon(epsilon: float, delta: float) -> Boundary:
    """All mechanisms with (``epsilon``, ``delta``)-privacy in both directions, epsilon from 0 to 700."""
    factor = math.exp(epsilon)

    def known(alpha: FloatArray) -> FloatArray:
        return np.maximum(1.0 - delta - factor * alpha, (1.0 - delta - alpha) / factor)

    return _near(known, known)


def at_advantage(advantage: float) -> Boundary:
    """All tests whose true positive rate exceeds their false positive rate by at most ``advantage``."""

    def known(alpha: FloatArray) -> FloatArray:
        return 1.0 - alpha - advantage

    return _near(known, known)


def at_tpr(tpr: float, fpr: float) -> Boundary:
    """All tests that, mixed with a coin, reach at most ``tpr`` < 1 at the false positive rate ``fpr``, in (0, 1)."""
    rest, missed = 1.0 - fpr, 1.0 - tpr

    def known(alpha: FloatArray) -> FloatArray:
        return np.where(alpha < fpr, np.minimum(missed * (1.0 - alpha) / rest, 1.0), 1.0 - tpr * (alpha / fpr))

    def inverse(beta: FloatArray) -> FloatArray:
        return np.clip(np.where(beta > missed, 1.0 - beta * (rest / missed), fpr * (1.0 - beta) / tpr), 0.0, 1.0)

    return _near(known, inverse)


def _near(known: _Rates, inverse: _Rates) -> Boundary:
    """What is known up to roundings of terms that are at most 1 wherever they count."""

    def beta(alpha: FloatArray) -> FloatArray:
        return np.clip(known(alpha) - _ROUNDED, 0.0, 1.0)

    def above(alpha: FloatArray) -> FloatArray:
        return np.clip(known(alpha) + _ROUNDED, 0.0, 1.0)

    return Boundary(beta, above, inverse)


def of_claim(claim: Guarantee, alpha: FloatArray) -> Boundary:
    """What a claim allows, asked at these rates only, which rise, and around which its curve is looked at.

    Between two of them the convex curve lies above the chords of its neighbours, continued; where values are known
    from below and above only, these begin at the lower one and have the slope that makes them lower.
    """
    facing = membership(claim)
    low, high = np.asarray(facing.beta(alpha)), np.asarray(facing.optimistic.beta(alpha))
    width = np.diff(alpha)
    falls = (low[1:] - high[:-1]) / width  # of a chord, steeper than it is: for its continuation to the right
    rises = (high[1:] - low[:-1]) / width  # less steep: to the left
    falls, rises = np.append(-np.inf, falls), np.append(rises, 0.0)

    def beta(rates: FloatArray) -> FloatArray:
        before = np.clip(np.searchsorted(alpha, rates, side="right") - 1, 0, alpha.size - 1)
        after = np.minimum(np.searchsorted(alpha, rates, side="left"), alpha.size - 1)
        known = rates <= alpha[-1]
        least = np.where(known, low[after], 0.0)  # the curve falls
        with np.errstate(invalid="ignore"):
            right = low[before] + falls[before] * (rates - alpha[before])
            left = low[after] + np.minimum(rises[after], 0.0) * (rates - alpha[after])
        right = np.where((rates >= alpha[0]) & np.isfinite(right), right, 0.0)
        lines = np.maximum(right, np.where(known, left, 0.0))
        return np.maximum(np.maximum(least, lines - _ROUNDED * (1.0 + np.abs(lines))), 0.0)

    def inverse(rates: FloatArray) -> FloatArray:
        return np.interp(rates, low[::-1], alpha[::-1])

    def above(rates: FloatArray) -> FloatArray:
        chords = np.interp(rates, alpha, high, left=1.0, right=float(high[-1]))
        return np.minimum(chords + _ROUNDED, 1.0)

    return Boundary(beta, above, inverse)
