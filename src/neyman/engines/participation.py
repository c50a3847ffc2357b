"""Sampled Gaussian steps with so little noise that the output tells which steps the record took part in.

A step is (1 - q) N(0, 1) + q N(m, 1) against N(0, 1), m = 1 / sigma. Of T steps the law with the record is the sum
over the sets K of steps it took part in of w_K n_K, w_K = q^k (1 - q)^{T - k}, n_K normal, k = |K|. With e_k = eps -
log w_K, delta_k the profile of the Gaussian mechanism of mu_k^2 = k m^2 (and whatever Gaussian is composed besides),

    S(eps) = sum over k of p_k delta_k(e_k),        p_k = Binomial(T, q)(k),

direction "remove" (P is the mixture): since min(a + b, c) <= min(a, c) + min(b, c),

    1 - delta(eps) = int min(sum of w_K n_K, e^eps n_0) <= sum of int min(w_K n_K, e^eps n_0) = 1 - S(eps),

hence delta >= S. A threshold t on every step divides the outputs into cells, one for each K: above t in the steps of
K, below in the others. On the cell of K the sum is at least w_K n_K, and n_K has no more than tau_k = k P_1(x <= t) +
(T - k) P_0(x > t) outside of it. So

    1 - delta(eps) >= sum over k of p_k max(0, 1 - delta_k(e_k) - tau_k),

and delta <= S + T eta, with eta = q P_1(x <= t) + (1 - q) P_0(x > t) the sum of the p_k tau_k.

In the direction "add" (Q is the mixture), since the mixture is nowhere below (1 - q) n_0, and by the test that looks
at whether all x <= t,

    delta(eps) <= delta_0(eps + T log(1 - q)),
    delta(eps) >= P_0(x <= t)^T delta_0(eps + T log((1 - q) + q P_1(x <= t) / P_0(x <= t))).

All of it holds for any noise; it is sharp where eta is nothing beside q. Steps of several kinds: every combination of
their k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.engines.closed_form import GaussianProfile, gaussian_side
from neyman.engines.profile import Bracket, Profile
from neyman.engines.real_line import bracket_at, slope_at
from neyman.losses.subsampled_gaussian import SubsampledGaussianStep
from neyman.numerics.binomial import log_binomial
from neyman.numerics.normal import UNIT

__all__ = [
    "LARGEST_MU", "AddedParticipation", "Counts", "RemovedParticipation", "Steps", "counts", "log_overlap", "log_tails",
    "threshold",
]  # fmt: skip

_MOST = 1 << 16  # combinations of k that are listed
_LOW = 1 << 6  # the k below which none is left out: 1 - delta hangs on them where delta is all but 1
_WHOLE = 1 << 13  # the number of k up to which all are listed from 0
_WORK = 1 << 20  # combinations times eps at a time
_DEEP = 60.0  # e-folds below the largest term at which a term is passed over, and counted as an error
_CERTAIN = 40.0  # e-folds that delta_k may be below 1 and counts as 1
LARGEST_MU = 1e100  # beyond it delta_k is 1 from above, that of this mu from below
_NEGLIGIBLE = -760.0  # log of a probability that is no float
_TAILS = 1e-12  # relative error of a normal tail as SciPy gives it, with room
_SMALLEST = 5e-324

Steps = Sequence[tuple[SubsampledGaussianStep, int]]


def log_overlap(step: SubsampledGaussianStep) -> float:
    """log eta at the best threshold: an upper bound."""
    took, not_ = log_tails(step)
    return float(np.logaddexp(math.log(step.rate) + took, math.log1p(-step.rate) + not_)) + 1e-12


def log_tails(step: SubsampledGaussianStep) -> tuple[float, float]:
    """Return upper bounds on log P_1(x <= t) and log P_0(x > t) at the ``threshold``, which makes eta least."""
    mu, q = min(1.0 / step.sigma, LARGEST_MU), step.rate
    t = threshold(mu, q)
    # rounding moves t a little: any t will do
    took, not_ = (max(float(log_ndtr(x)) * (1.0 - _TAILS), -1e300) for x in (t - mu, -t))
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


def counts(steps: Steps, mu: float, exchanged: bool = False) -> Counts | None:
    """Every combination of k that counts; None where they are too many. ``exchanged``: log w less that of k = 0.

    Beyond 40 standard deviations and 800 from the mean lies a mass of 2 e^-800 at most (Bernstein's inequality).
    """
    columns = np.zeros((4, 1))
    columns[3] = mu * mu
    log_tau = np.full(1, -math.inf)
    slack, dropped, rest = np.zeros(1), -math.inf, -math.inf
    for step, times in steps:
        q, mean = step.rate, times * step.rate
        far = 40.0 * math.sqrt(mean * (1.0 - q)) + 800.0
        low, high = max(0, math.floor(mean - far)), min(times, math.ceil(mean + far))
        if (high - low + _LOW) * columns.shape[1] > _MOST:
            return None
        low = 0 if high < _WHOLE else low
        k = np.concatenate([np.arange(min(low, _LOW)), np.arange(low, high + 1)]).astype(np.float64)
        log_p, error = log_binomial(k, times, q)
        shift = (times - k) * math.log1p(-q) + k * math.log(q)
        seen = (log_p > _NEGLIGIBLE) | (k < min(low, _LOW))
        seen[: int(np.argmax(seen))] = True  # from 0 on, where they begin there
        high = min(high, int(k[seen][-1]))
        k, log_p, error, shift = (part[seen] for part in (k, log_p, error, shift))
        if low > 0 or high < times:
            dropped = float(np.logaddexp(dropped, -690.0))
            last = min(low, _LOW) - 1 if low > 0 else len(k) - 1
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
    rest += math.fsum(max(times * _half(step), 0.0) for step, times in steps) * (1.0 + 1e-9)
    return Counts(columns[0], columns[1], columns[2], np.sqrt(columns[3]), log_tau + 1e-12, slack, dropped, rest)


def _beyond(step: SubsampledGaussianStep, times: int, last: float, log_size: float) -> float:
    """log of e^{-eps / 2} times what all k > ``last`` add to 1 - delta; ``log_size`` is log p_k - shift_k / 2 there.

    1 - delta_k(e) <= E[e^{(e - L) / 2}] = e^{e / 2 - k m^2 / 8}, and of p_k e^{-shift_k / 2 - k m^2 / 8} each is less
    than half of the one before.
    """
    fall = _fall(step)
    ratio = math.log(times / max(last, 0.5)) + 0.5 * (math.log(step.rate) - math.log1p(-step.rate)) - fall
    if not ratio < -0.7:
        return math.inf
    value = log_size - last * fall + ratio
    return value + 1e-9 * abs(value) + 2.0


def _fall(step: SubsampledGaussianStep) -> float:
    """m^2 / 8, or less."""
    return 0.125 / max(step.sigma, 1e-100) ** 2


def _half(step: SubsampledGaussianStep) -> float:
    """log of the sum over all k of p_k e^{-shift_k / 2 - k m^2 / 8}, for one step."""
    with np.errstate(under="ignore"):
        jump = math.sqrt(step.rate) * float(np.exp(-_fall(step)))
    return 0.5 * math.log1p(-step.rate) + math.log1p(jump / math.sqrt(1.0 - step.rate))


class RemovedParticipation(Profile):
    """Direction "remove" of ``steps`` and an unsampled Gaussian of parameter ``mu`` besides.

    ``listed`` is what ``counts`` made of the same steps.
    """

    def __init__(self, steps: Steps, tail_mu: float, listed: Counts) -> None:
        self._tail_mu = tail_mu
        self._counts = listed
        each = [math.log(times) + log_overlap(step) for step, times in steps]
        self._error = math.exp(min(float(np.logaddexp.reduce(each)), 0.0)) * (1.0 + 1e-12) + _SMALLEST

    @property
    def method(self) -> str:
        return "sum over participations"

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._sums(epsilon, 1.0)[2]

    def bracket(self, epsilon: FloatArray) -> Bracket:
        above, gap_below, _ = self._sums(epsilon, 1.0)
        below, gap_above, _ = self._sums(epsilon, -1.0)
        upper = np.minimum(above + self._error, 1.0)
        lower = np.minimum(below, upper)
        with np.errstate(divide="ignore"):
            low = np.maximum(gap_below, np.log1p(-upper) * (1.0 + 4.0 * UNIT) - UNIT)
        high = np.minimum(gap_above, 0.0)
        return Bracket(lower, upper, np.minimum(low, high), high)

    def _sums(self, epsilon: FloatArray, sign: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """S, a bound on log(1 - delta), and the slope of S; rounded so that delta moves by ``sign``."""
        parts = np.empty((3, len(epsilon)))
        rows = max(1, _WORK // len(self._counts.log_p))
        for i in range(0, len(epsilon), rows):
            parts[:, i : i + rows] = self._block(epsilon[i : i + rows, None], sign)
        return parts[0], parts[1], parts[2]

    def _block(self, epsilon: FloatArray, sign: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        listed, count = self._counts, len(self._counts.log_p)
        at = epsilon - listed.shift
        at = at - sign * (listed.slack + 4.0 * UNIT * (np.abs(at) + epsilon))
        vast = listed.mu > LARGEST_MU
        mu = np.minimum(listed.mu * (1.0 + sign * 8.0 * UNIT), LARGEST_MU)
        with np.errstate(divide="ignore", over="ignore"):
            x = np.where(mu > 0.0, at / np.where(mu > 0.0, mu, 1.0) - 0.5 * mu, np.inf)
            fall = 0.5 * x * x
        # delta_k <= e^{-x^2 / 2} for x >= 0; 1 - delta_k <= e^{-x^2 / 2} for -mu <= x <= 0, <= e^{e_k} before
        away = np.where(x < 0.0, np.where(x + mu > 0.0, fall, np.abs(at)), 0.0)
        log_small, log_rest = listed.log_p - np.where(x > 0.0, fall, 0.0), listed.log_p - away
        top, top_rest = log_small.max(axis=1, keepdims=True), log_rest.max(axis=1, keepdims=True)
        with np.errstate(under="ignore"):
            large = np.exp(log_small).sum(axis=1) > 0.1  # delta may be near 1
        chosen = (log_small > top - _DEEP) & (away < _CERTAIN)
        chosen[large] |= log_rest[large] > top_rest[large] - _DEEP
        sure = ~chosen & (away >= _CERTAIN)
        row, column = np.nonzero(chosen)
        delta, log_gap, slope = _read(at[row, column], mu[column], sign)
        if sign > 0.0:
            delta, log_gap = np.where(vast[column], 1.0, delta), np.where(vast[column], -math.inf, log_gap)
            with np.errstate(divide="ignore", under="ignore"):
                outside = np.exp(np.minimum(listed.log_tau[column] - log_gap, 0.0))
                log_gap = log_gap + np.log1p(-outside)
        low, high = listed.log_p - listed.error, listed.log_p + listed.error
        error = count * UNIT * 4.0 + 1e-15
        with np.errstate(under="ignore", divide="ignore"):
            p = np.exp(high if sign > 0.0 else low)
            total = np.bincount(row, delta * p[column], len(at)) + sure @ p
            slopes = np.bincount(row, slope * p[column], len(at)).astype(np.float64)
            gaps = np.full(at.shape, -math.inf)
            gaps[row, column] = log_gap + (low if sign > 0.0 else high)[column]
            gap = np.logaddexp.reduce(gaps, axis=1)
            if sign > 0.0:  # what was passed over
                total = total * (1.0 + error) + count * np.exp(top[:, 0] - _DEEP) + math.exp(listed.log_dropped)
                gap = gap - error * (1.0 + np.abs(gap))
            else:
                total = total * (1.0 - error - 2.0 * math.exp(-_CERTAIN))
                beyond = np.minimum(listed.log_dropped, listed.log_rest + 0.5 * epsilon[:, 0])
                more = np.logaddexp(top_rest[:, 0] - _DEEP + math.log(count), beyond)
                gap = np.logaddexp(gap, more) + error * (1.0 + np.abs(gap))
        if not large.all():
            small = np.log1p(-np.minimum(total + (self._error if sign > 0.0 else 0.0), 0.9))
            gap = np.where(large, gap, small * (1.0 + sign * 4.0 * UNIT))
        return total, gap, slopes


def _read(at: FloatArray, mu: FloatArray, sign: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """delta, log(1 - delta) and slope of Gaussians of ``mu`` at any real eps, on the side of ``sign``; no mu: no loss
    at all, which is only read at eps >= 0.
    """
    away, some = np.abs(at), mu > 0.0
    delta, log_gap, slope = (np.where(some, part, 0.0) for part in gaussian_side(away, np.where(some, mu, 1.0), sign))
    with np.errstate(under="ignore", over="ignore"):
        weight, rest = np.exp(-away), -np.expm1(-away)
        turned = np.minimum((rest + weight * delta) * (1.0 + sign * 8.0 * UNIT), 1.0)
        turned_gap = (log_gap - away) * (1.0 + sign * 2.0 * UNIT)
        turned_slope = weight * np.clip(1.0 - delta - slope, 0.0, 1.0)
    back = at < 0.0
    return np.where(back, turned, delta), np.where(back, turned_gap, log_gap), np.where(back, turned_slope, slope)


class AddedParticipation(Profile):
    """Direction "add" of ``steps`` and an unsampled Gaussian of parameter ``mu`` besides."""

    def __init__(self, steps: Steps, mu: float, tail_mu: float) -> None:
        self._tail_mu = tail_mu
        self._inner = GaussianProfile(mu)
        most = math.fsum(times * math.log1p(-step.rate) for step, times in steps)
        self._most = most - 4.0 * UNIT * abs(most)
        each = np.array([_thresholds(step, times) for step, times in steps])
        self._least = np.array([each[:, 0].sum(axis=0), np.logaddexp.reduce(each[:, 1], axis=0)])
        self._end = math.inf if mu > 0.0 else -self._most

    @property
    def method(self) -> str:
        return "sum over participations"

    @property
    def end(self) -> float:
        return self._end

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return slope_at(self._inner, self._inner, epsilon + self._most)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        above = self._at(epsilon, self._most, 1.0)
        upper, low = above.upper, above.log_gap_lower
        lower, high = np.zeros(len(epsilon)), np.zeros(len(epsilon))
        for log_ratio, log_lost in self._least.T:
            below = self._at(epsilon, log_ratio, -1.0)
            with np.errstate(under="ignore"):
                kept = max(-math.expm1(log_lost), 0.0) if log_lost > -700.0 else 1.0 - UNIT
            lower = np.maximum(lower, kept * below.lower * (1.0 - 8.0 * UNIT))
            high = np.minimum(high, np.logaddexp(below.log_gap_upper, log_lost) * (1.0 - 8.0 * UNIT))
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)

    def _at(self, epsilon: FloatArray, shift: float, sign: float) -> Bracket:
        at = epsilon + shift
        at = at - sign * 4.0 * UNIT * (np.abs(at) + epsilon)
        return bracket_at(self._inner, self._inner, at)


def _thresholds(step: SubsampledGaussianStep, times: int) -> FloatArray:
    """At each of a few thresholds: ``times`` the log of the likelihood ratio of "x <= t", and log of the probability
    without the record that any of the steps is not; both rounded up.
    """
    mu, q = min(1.0 / step.sigma, LARGEST_MU), step.rate
    t = mu * np.linspace(0.35, 0.9, 8)
    with np.errstate(under="ignore", over="ignore"):
        more = np.exp(np.minimum(log_ndtr(t - mu) - log_ndtr(t), 0.0) * (1.0 - _TAILS))
        # (1 - q) + q more
        few = math.log1p(-q) + np.log1p(q / (1.0 - q) * np.minimum(more, 0.5))
        log_ratio = np.where(more < 0.5, few, np.log1p(-q * (1.0 - more)))
        lost = np.maximum(math.log(times) + log_ndtr(-t) * (1.0 - _TAILS), -1e300)
    return np.array([times * (log_ratio * (1.0 - 16.0 * UNIT)), lost + 4.0 * UNIT * np.abs(lost)])
