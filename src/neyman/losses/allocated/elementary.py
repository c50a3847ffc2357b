"""What one line of argument says of random allocation at any setting: one bound from above, two from below.

Whoever is shown the single output of the record learns all: the Gaussian mechanism of one step is nowhere below. Who
adds all outputs up sees the Gaussian mechanism of mu = 1 / (sigma t^{1/2}): it is nowhere above. "Is any output above
x" is a test.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.numerics.rounding import LOG_NDTR, SMALLEST, UNDERFLOW, UNIT
from neyman.profiles.profile import Bracket

__all__ = ["FAR", "FLOOR", "tested", "told_alone"]

FAR = 600.0  # the largest eps that anything is computed at
FLOOR = 1e-290  # probabilities below which floats have no digits
_THRESHOLDS, _TESTS = 160, 1 << 18  # tests that are tried, at one eps and at all


def told_alone(sigma: float, epsilon: FloatArray) -> Bracket:
    """The Gaussian mechanism, from above: delta <= N(-x) - e^eps N(-y), x and y = eps sigma -+ 1 / (2 sigma)."""
    room = 4.0 * UNIT * (epsilon * sigma + 0.5 / sigma)
    x, y = epsilon * sigma - 0.5 / sigma - room, epsilon * sigma + 0.5 / sigma + room
    with np.errstate(under="ignore"):
        off = (LOG_NDTR + 4.0) * UNIT * (1.0 + np.maximum(-x, 0.0) ** 2)
        first = np.exp(np.minimum(log_ndtr(-x) * (1.0 - off), 0.0)) * (1.0 + 8.0 * UNIT)
        log = log_ndtr(-y) * (1.0 + (LOG_NDTR + 4.0) * UNIT)
        second = epsilon + log - 4.0 * UNIT * (epsilon - log)
        upper = np.maximum(first - np.exp(second) * (1.0 - 8.0 * UNIT), 0.0) + 2.0 * UNIT * first
        upper = np.minimum(upper + SMALLEST, 1.0)
        gap = log_ndtr(x)
        gap = gap * (1.0 + (LOG_NDTR + 4.0) * UNIT * (1.0 + np.maximum(x, 0.0) ** 2)) - UNDERFLOW
        both = np.logaddexp(gap, second)
    gap = np.maximum(gap, both * (1.0 + 8.0 * UNIT) - 16.0 * UNIT)
    return Bracket(np.zeros_like(upper), upper, np.minimum(gap, 0.0), np.zeros_like(upper))


def tested(sigma: float, t: int, epsilon: FloatArray, remove: bool) -> Bracket:
    """What "is any output above x" shows, or "is none", the better of many x."""
    many = max(min(_TESTS // len(epsilon), _THRESHOLDS), 8)
    likely = sigma * (math.log(t) + np.minimum(epsilon, FAR)) + 0.5 / sigma
    x = np.linspace(-8.0, 1.0, many)[:, None] * np.where(likely > 8.0, likely / 8.0, 1.0)
    x = np.concatenate([x, likely + np.linspace(-8.0, 8.0, many)[:, None]])
    none_q, with_p = t * log_ndtr(x), log_ndtr(x - 1.0 / sigma) + (t - 1.0) * log_ndtr(x)
    off = UNIT * (64.0 + LOG_NDTR * (1.0 + np.maximum(x, 0.0) ** 2) * 2.0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if remove:
            p, q = -np.expm1(with_p), -np.expm1(none_q)
            q = np.where(q > FLOOR, q, np.inf)  # what floats do not resolve is not subtracted
            shown = p * (1.0 - 2.0 * off) - np.exp(epsilon) * q * (1.0 + 2.0 * off)
        else:
            wide = 2.0 * off * (1.0 + np.abs(none_q) + np.abs(with_p))
            shown = np.exp(none_q) * (1.0 - wide) - np.exp(with_p + epsilon) * (1.0 + wide) - FLOOR
    lower = np.maximum(np.max(np.nan_to_num(shown, nan=0.0), axis=0), 0.0) * (1.0 - 16.0 * UNIT)
    high = np.log1p(-np.minimum(lower, 1.0 - UNIT)) * (1.0 - 4.0 * UNIT)
    return Bracket(lower, np.ones_like(lower), np.full_like(lower, -math.inf), np.minimum(high, 0.0))
