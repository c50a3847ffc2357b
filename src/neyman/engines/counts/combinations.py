"""How often the record takes part (``participation``): every combination of counts that matters, and how likely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.numerics.rounding import AMPLE, HUGE, ROOM, UNIT

__all__ = [
    "AWAY", "LARGEST_MU", "TAILS", "Counts", "Steps", "counts", "log_overlap", "log_tails", "orderly",
    "root", "slope",
    "threshold", "told_apart",
]  # fmt: skip

_MOST = 1 << 16  # combinations of k that are listed
_MOST_ALONE = 1 << 21  # the same of one kind of steps, of which few are looked at
_LOW = 1 << 6  # the k below which none is left out: 1 - delta hangs on them where delta is all but 1
_STEPS = 20  # towards that of them that counts most
_WHOLE = 1 << 13  # the number of k up to which all are listed from 0
AWAY = 39.0  # standard deviations beyond which delta_k is 0 or 1 to all its digits, and more: e^{-39^2 / 2} = e^-760
LARGEST_MU = 1e100  # beyond it delta_k is 1 from above, that of this mu from below
_NEAR = 0.2  # noise multiplier below which it is worth asking whether the output tells which steps took part
_APART = 7.0  # -log of the share of the steps that took part in which it does not
_NEGLIGIBLE = -760.0  # log of a probability that is no float
TAILS = 1e-12  # relative error of a normal tail as SciPy gives it, with room
LEAST_NOISE = 1e-50  # noise multiplier whose inverse has a square, and that a square, among floats
_DEVIATIONS, _AND = 40.0, 800.0  # how far from its mean a binomial is listed: so many deviations, and so many more
# certifies: log of what is further off on both sides; by Bernstein log 2 - f^2 / (2 s^2 + 2 f / 3), f = 40 s + 800
_DROPPED = -690.0
# least share of a square; times where something is, up to which k are listed
_FLATTEST, _PAST, _PAST_PEAK = 0.01, 1.1, 1.02
_HALVED = -0.7  # certifies: less than log(1 / 2), so that a series of such ratios sums to less than its first term

Steps = Sequence[tuple[SubsampledGaussianStep, int]]


def log_overlap(step: SubsampledGaussianStep) -> float:
    """log eta at the best threshold: an upper bound."""
    took, not_ = log_tails(step)
    return float(np.logaddexp(math.log(step.rate) + took, math.log1p(-step.rate) + not_)) + ROOM


def told_apart(steps: Steps) -> bool:
    """Whether the output nearly always tells which of the steps the record took part in."""
    return all(step.sigma < _NEAR and log_overlap(step) < math.log(step.rate) - _APART for step, _ in steps)


def log_tails(step: SubsampledGaussianStep) -> tuple[float, float]:
    """Return upper bounds on log P_1(x <= t) and log P_0(x > t) at the ``threshold``, which makes eta least."""
    from scipy.special import log_ndtr

    mu, q = min(1.0 / step.sigma, LARGEST_MU), step.rate
    t = threshold(mu, q)
    # rounding moves t a little: any t will do
    took, not_ = (max(float(log_ndtr(x)) * (1.0 - TAILS), -HUGE) for x in (t - mu, -t))
    return took, not_


def threshold(mu: float, rate: float) -> float:
    """Return the t at which both densities, weighed, are equal."""
    return 0.5 * mu + (math.log1p(-rate) - math.log(rate)) / mu


class Counts(NamedTuple):
    """How often the record took part: log of the probability and its error, log w, mu, log tau, the error of log w;
    logs of the probability of what is not listed, and of what it adds to 1 - delta, but for e^{eps / 2}.
    """

    log_p: FloatArray
    error: FloatArray
    shift: FloatArray
    mu: FloatArray
    log_tau: FloatArray
    slack: FloatArray
    log_dropped: float
    log_rest: float
    ks: FloatArray  # k itself where there is one kind of steps and nothing else; else empty


def counts(steps: Steps, mu: float, exchanged: bool = False) -> Counts | None:
    """Every combination of k that counts; None where they are too many. ``exchanged``: log w less that of k = 0.

    Beyond 40 standard deviations and 800 from the mean lies a mass of 2 e^-800 at most (Bernstein's inequality).
    """
    from neyman.numerics.functions.binomial import log_binomial

    columns = np.zeros((4, 1))
    columns[3] = mu * mu
    log_tau = np.full(1, -math.inf)
    slack, dropped, rest, ks = np.zeros(1), -math.inf, -math.inf, np.zeros(0)
    for step, times in steps:
        q, mean = step.rate, times * step.rate
        far = _DEVIATIONS * math.sqrt(mean * (1.0 - q)) + _AND
        low, high = max(0, math.floor(mean - far)), min(times, math.ceil(mean + far))
        alone = len(steps) == 1 and mu == 0.0 and not exchanged
        few = _few(step, times) if alone else _LOW
        if (high - low + few) * columns.shape[1] > (_MOST_ALONE if alone else _MOST):
            return None
        low = 0 if high < _WHOLE else low
        k = np.concatenate([np.arange(min(low, few)), np.arange(low, high + 1)]).astype(np.float64)
        log_p, error = log_binomial(k, times, q)
        shift = (times - k) * math.log1p(-q) + k * math.log(q)
        seen = (log_p > _NEGLIGIBLE) | (k < min(low, few))
        seen[: int(np.argmax(seen))] = True  # from 0 on, where they begin there
        high = min(high, int(k[seen][-1]))
        k, log_p, error, shift = (part[seen] for part in (k, log_p, error, shift))
        ks = k if alone else ks
        if low > 0 or high < times:
            dropped = float(np.logaddexp(dropped, _DROPPED))
            last = min(low, few) - 1 if low > 0 else len(k) - 1
            size = float(log_p[last] - 0.5 * shift[last])
            rest = float(np.logaddexp(rest, _beyond(step, times, float(k[last]), size)))
        if exchanged:  # larger than of the whole w, so that ``rest`` is more than enough
            shift = k * (math.log(q) - math.log1p(-q))
        own_slack = 8.0 * UNIT * (np.abs(shift) if exchanged else np.full(len(k), float(np.abs(shift).max()) + 1.0))
        slack = (slack[:, None] + own_slack).ravel()
        with np.errstate(over="ignore", divide="ignore"):
            own = np.array([log_p, error, shift, k / step.sigma / step.sigma])
            tails = log_tails(step)
            log_own = np.logaddexp(np.log(k) + tails[0], np.log(times - k) + tails[1])
        columns = (columns[:, :, None] + own[:, None, :]).reshape(4, -1)
        log_tau = np.logaddexp.outer(log_tau, log_own).ravel()
    # beside what one kind leaves out stand all k of the others
    rest += math.fsum(max(times * _half(step), 0.0) for step, times in steps) * (1.0 + AMPLE)
    mus = np.sqrt(columns[3])
    return Counts(columns[0], columns[1], columns[2], mus, log_tau + ROOM, slack, dropped, rest, ks)


def slope(step: SubsampledGaussianStep) -> float:
    """A, of x_k = E / (m sqrt k) - A sqrt k with E = eps - T log(1 - q), m = 1 / sigma: where A > 0, x falls as k
    grows.
    """
    mu = min(1.0 / step.sigma, LARGEST_MU)
    return 0.5 * mu - (math.log1p(-step.rate) - math.log(step.rate)) / mu


def orderly(step: SubsampledGaussianStep) -> bool:
    """Whether A > 0, and x_k + sqrt k m > 0 for all k, so that 1 - delta_k <= e^{-x^2 / 2} where x_k <= 0."""
    odds = math.log(step.rate) - math.log1p(-step.rate)
    return step.sigma > LEAST_NOISE and slope(step) > 0.0 and odds < 0.5 / step.sigma**2


def _few(step: SubsampledGaussianStep, times: int) -> int:
    """How many k from 0 on count at eps = 0, where 1 - delta hangs on them."""
    fall, mu = slope(step), min(1.0 / step.sigma, LARGEST_MU)
    if not fall > 0.0:
        return _LOW
    height = -times * math.log1p(-step.rate) / mu
    most = peak = root(fall, height, -AWAY)
    for _ in range(
        _STEPS
    ):  # to where p_k e^{-x^2 / 2} is largest: it rises by log(T q / k (1 - q)), falls by d(x^2 / 2)
        rise = math.log(times / peak) + math.log(step.rate) - math.log1p(-step.rate)
        peak = height / math.sqrt(max(fall * fall - 2.0 * rise, _FLATTEST * fall * fall))
    return int(min(max(_PAST * most, _PAST_PEAK * peak + _LOW, _LOW), _MOST))


def root(fall: float, height: float, x: float) -> float:
    """About the k at which height / sqrt k - fall sqrt k = x."""
    return ((math.sqrt(x * x + 4.0 * fall * height) - x) / (2.0 * fall)) ** 2


def _beyond(step: SubsampledGaussianStep, times: int, last: float, log_size: float) -> float:
    """log of e^{-eps / 2} times what all k > ``last`` add to 1 - delta; ``log_size`` is log p_k - shift_k / 2 there.

    1 - delta_k(e) <= E[e^{(e - L) / 2}] = e^{e / 2 - k m^2 / 8}, and of p_k e^{-shift_k / 2 - k m^2 / 8} each is less
    than half of the one before.
    """
    fall = _fall(step)
    ratio = math.log(times / max(last, 0.5)) + 0.5 * (math.log(step.rate) - math.log1p(-step.rate)) - fall
    if not ratio < _HALVED:
        return math.inf
    value = log_size - last * fall + ratio
    return value + AMPLE * abs(value) + 2.0


def _fall(step: SubsampledGaussianStep) -> float:
    """m^2 / 8, or less."""
    return 0.125 / max(step.sigma, 1.0 / LARGEST_MU) ** 2


def _half(step: SubsampledGaussianStep) -> float:
    """log of the sum over all k of p_k e^{-shift_k / 2 - k m^2 / 8}, for one step."""
    with np.errstate(under="ignore"):
        jump = math.sqrt(step.rate) * float(np.exp(-_fall(step)))
    return 0.5 * math.log1p(-step.rate) + math.log1p(jump / math.sqrt(1.0 - step.rate))
