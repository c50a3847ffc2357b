"""One step in which a sampled record is exchanged: what the step itself, unsampled, says of it.

P = (1 - q) F_0 + q F_1 against Q = (1 - q) F_0 + q F_-1. delta is convex in the pair, and at eps = 0, where it is the
integral of (P - Q)_+ = q (F_1 - F_-1)_+, it is linear: with d the profile of F_1 against F_-1,

    delta(eps) <= q d(eps),        delta(0) = q d(0).
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.profile import Bracket, Profile
from neyman.numerics.normal import UNIT

__all__ = ["ReplacedProfile"]

_SMALLEST = 5e-324


class ReplacedProfile(Profile):
    """Bounds on delta of one step of that ``rate``, from the profile ``inner`` of F_1 against F_-1: sharp at eps = 0.

    Examples
    --------
    >>> from neyman.engines.closed_form import GaussianProfile
    >>> b = ReplacedProfile(GaussianProfile(2.0), 0.25).bracket(np.zeros(1))  # 0.6826894921 / 4
    >>> round(float(b.lower[0]), 10), round(float(b.upper[0]), 10)
    (0.170672373, 0.170672373)
    """

    def __init__(self, inner: Profile, rate: float) -> None:
        self._inner = inner
        self._rate = rate

    @property
    def method(self) -> str:
        return self._inner.method

    @property
    def end(self) -> float:
        return self._inner.end

    @property
    def tail_mu(self) -> float:
        return self._inner.tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._rate * self._inner.slope(epsilon)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        inner = self._inner.bracket(epsilon)
        q, zero = self._rate, epsilon == 0.0
        with np.errstate(under="ignore"):
            upper = np.where(inner.upper > 0.0, q * inner.upper * (1.0 + 2.0 * UNIT) + _SMALLEST, 0.0)
            lower = np.where(zero, np.maximum(q * inner.lower * (1.0 - 2.0 * UNIT) - _SMALLEST, 0.0), 0.0)
        log_rest, log_q = math.log1p(-q), math.log(q)
        room = 8.0 * UNIT * (1.0 - log_rest - log_q)
        low = np.logaddexp(log_rest, log_q + inner.log_gap_lower)
        high = np.where(zero, np.logaddexp(log_rest, log_q + inner.log_gap_upper), 0.0)
        low, high = low - room - 8.0 * UNIT * np.abs(low), high + room + 8.0 * UNIT * np.abs(high)
        # where delta is small its complement is known from it
        with np.errstate(divide="ignore"):
            low = np.maximum(low, np.log1p(-np.minimum(upper, 1.0)) * (1.0 + 4.0 * UNIT) - _SMALLEST)
            high = np.minimum(np.minimum(high, np.log1p(-np.minimum(lower, 1.0)) * (1.0 - 4.0 * UNIT)), 0.0)
        return Bracket(np.minimum(lower, upper), np.minimum(upper, 1.0), np.minimum(low, high), high)
