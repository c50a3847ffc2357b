"""What a line of argument each says of random allocation at any setting.

Whoever is shown the single output of the record learns all: the Gaussian mechanism of one step is nowhere below. "Is
any output above x" is a test.

**One output alone.** With D the profile of that mechanism, E (Y - e^x)_+, M the largest Y and R = S - M the others,

    sum of (Y_i - K)_+  <=  (S - K)_+  <=  sum of (Y_i - (1 - lambda) K)_+  +  (R - lambda K)_+,      0 < lambda < 1.

R is at most t - 1 times the second largest. Where it is above lambda K two Y are above q = lambda K / (t - 1), so that
its mean there is at most (t - 1) times that of the lesser of two, summed over the pairs: with K = t e^eps, "remove" is

    D(eps + log t)  <=  delta(eps)  <=  D(eps + log t + log(1 - lambda)) + (t - 1)^2 / 2 P_1(q) P_0(q),

P_1(q) = E Y over Y > q = N(1 / (2 sigma) - sigma log q), P_0(q) = N(-1 / (2 sigma) - sigma log q).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.allocated.two import gaussian_delta
from neyman.numerics.rounding import AMPLE, LOG_NDTR, SCANT, SLIGHT, SMALLEST, UNDERFLOW, UNIT
from neyman.profiles.profile import Bracket

__all__ = ["FAR", "FLOOR", "by_a_test", "one_alone", "told_alone"]

FAR = 600.0  # the largest eps that anything is computed at
FLOOR = 1e-290  # probabilities below which floats have no digits
_SHARES = np.geomspace(1e-15, 0.1, 43)  # lambda
_MOST = 0.1  # a relative error from which nothing is known
_TERM = 64.0  # certifies, units: of an exponential and few products, beside a tail
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


def one_alone(sigma: float, t: int, epsilon: FloatArray) -> Bracket:
    """Of "remove": a single output that is far above the others decides."""
    log_k = epsilon + math.log(t)
    off = UNIT * (4.0 * epsilon + 8.0 * math.log(t) + 8.0)
    low, high = _alone(sigma, log_k, off)[0], np.ones_like(epsilon)
    for share in _SHARES.tolist():
        one = _alone(sigma, log_k + math.log1p(-share), off)[1]
        x = sigma * (log_k + math.log(share / (t - 1.0)))
        with np.errstate(under="ignore", over="ignore"):
            power = log_ndtr(0.5 / sigma - x) + log_ndtr(-0.5 / sigma - x)
            room = AMPLE * (1.0 + np.abs(power))
            rest = np.exp(np.minimum(power + 2.0 * math.log(t - 1.0) - math.log(2.0) + room, 0.0))
        high = np.minimum(high, (one + rest) * (1.0 + SCANT))
    return Bracket.of_delta(np.clip(low, 0.0, 1.0), high)


def _alone(sigma: float, x: FloatArray, off: FloatArray) -> tuple[FloatArray, FloatArray]:
    """D(x) from below and from above."""
    found = gaussian_delta(x, off, 1.0 / sigma)
    with np.errstate(under="ignore"):
        value = np.exp(found.log) * found.size
    good = found.off < _MOST
    room = found.off + SLIGHT
    return np.where(good, value * (1.0 - room) - SMALLEST, 0.0), np.where(good, value * (1.0 + room) + SMALLEST, 1.0)


def by_a_test(sigma: float, t: int, epsilon: FloatArray, remove: bool) -> Bracket:
    """What "is any output above x" shows, or "is none", the better of many x."""
    many = max(min(_TESTS // len(epsilon), _THRESHOLDS), 8)
    likely = sigma * (math.log(t) + np.minimum(epsilon, FAR)) + 0.5 / sigma
    x = np.linspace(-8.0, 1.0, many)[:, None] * np.where(likely > 8.0, likely / 8.0, 1.0)
    x = np.concatenate([x, likely + np.linspace(-8.0, 8.0, many)[:, None]])
    none_q, with_p = t * log_ndtr(x), log_ndtr(x - 1.0 / sigma) + (t - 1.0) * log_ndtr(x)
    off = UNIT * (_TERM + LOG_NDTR * (1.0 + np.maximum(x, 0.0) ** 2) * 2.0)
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
