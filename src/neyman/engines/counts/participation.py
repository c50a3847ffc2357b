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

Where delta is deep T eta is far more than what is missed. On the cell of K the mixture exceeds w_K n_K by those of
other sets, which counts where L > eps alone: delta - S <= P(some step is mistaken, and L > eps). A step that is
mistaken has x <= t and took part, or x > t and did not; unless then x > t + y its own loss is at most log(1 - q) +
log(1 + e^{m y}), and the other steps are independent of it. As no step loses more than -log(1 - q), and P(L > e) is at
most delta(e - 1) / (1 - 1 / e),

    delta(eps) <= S(eps) + T eta min(1, 1.6 delta(eps - c)) + T P_0(x > t + y),        c = log(1 + e^{m y}) + 1,
which, delta being bounded in the same way at eps - c, at eps - 2 c, ..., leaves powers of T eta.

In the direction "add" (Q is the mixture), since the mixture is nowhere below (1 - q) n_0, and by the test that looks
at whether all x <= t,

    delta(eps) <= delta_0(eps + T log(1 - q)),
    delta(eps) >= P_0(x <= t)^T delta_0(eps + T log((1 - q) + q P_1(x <= t) / P_0(x <= t))).

All of it holds for any noise; it is sharp where eta is nothing beside q. Steps of several kinds: every combination of
their k. Of one kind, with x_k = E / (m sqrt k) - A sqrt k, E = eps - T log(1 - q) and A = m / 2 - log((1 - q) / q) / m,
delta_k <= e^{-x^2 / 2} where x_k >= 0 and 1 - delta_k <= e^{-x^2 / 2} where -sqrt k m <= x_k <= 0; where A > 0 x_k
falls as k grows, so that of very many k only those with |x_k| < 39 are looked at one by one.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray, IntArray
from neyman.engines.closed_form.pairs import gaussian_side
from neyman.engines.counts.combinations import (
    AWAY,
    LARGEST_MU,
    LEAST_NOISE,
    TAILS,
    Counts,
    Steps,
    log_overlap,
    orderly,
    root,
    slope,
    threshold,
)  # fmt: skip
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.numerics.rounding import AMPLE, HUGE, LARGEST_EXPONENT, ROOM, SCANT, SMALLEST, TINY, UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import bracket_at, slope_at

__all__ = ["AddedParticipation", "RemovedParticipation", "read"]

_ALONE = 1 << 13  # how many of those are not worth a choice
_WORK = 1 << 20  # combinations times eps at a time
_DEEP = 60.0  # e-folds below the largest term at which a term is passed over, and counted as an error
_CERTAIN = 40.0  # e-folds that delta_k may be below 1 and counts as 1
_BESIDE = 1e12  # times an error that is nothing beside a delta
_NOTHING, _DEEPEST = 23.0, 1e-31  # -log of the share of delta that an error may be, and the least delta that counts
_TIMES = 6  # how often it is multiplied for that
_LOOKED, _SAME = np.linspace(0.35, 0.9, 8), 1e-13  # of mu: thresholds; of a log of their ratios, by which two are one
_UNSEEN = 1e-300  # more than e^{-38^2 / 2}, what a delta_k may be from 0 or 1 that is not looked at
_LARGE, _FALLING = 0.1, 1e-3  # probability from which its powers do not pay; how fast a series must fall to be summed
_TILTED = 1.6  # certifies: 1 / (1 - 1 / e) = 1.582
_BLURRED, _ROUNDED = 1e-6, 64.0 * UNIT  # certify, relative: of logs of what is summed; of e_k and mu^2


class _Outside(NamedTuple):
    """Of the k below and above those that are looked at one by one: log of their probability, rounded outward; log of
    the largest tau below; and log of what those above add to 1 - delta at most.
    """

    log_below: float = -math.inf
    log_above: float = -math.inf
    log_tau: float = -math.inf
    log_left: float = -math.inf


class RemovedParticipation(Profile):
    """Direction "remove" of ``steps`` and an unsampled Gaussian of parameter ``mu`` besides.

    ``listed`` is what ``counts`` made of the same steps.
    """

    def __init__(self, steps: Steps, tail_mu: float, listed: Counts) -> None:
        self._tail_mu = tail_mu
        self._steps = steps
        self._counts = listed
        each = [math.log(times) + log_overlap(step) for step, times in steps]
        self._error = math.exp(min(float(np.logaddexp.reduce(each)), 0.0)) * (1.0 + ROOM) + SMALLEST
        self._single = steps[0] if len(listed.ks) and steps[0][0].sigma > LEAST_NOISE else None
        self._alone = steps[0] if len(listed.ks) > _ALONE and orderly(steps[0][0]) else None

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
        high = np.minimum(gap_above, 0.0)
        upper = np.minimum(above + self._overlap(epsilon, above), -np.expm1(gap_below) * (1.0 + 4.0 * UNIT))
        upper = np.clip(upper, 0.0, 1.0)
        lower = np.minimum(np.maximum(below, -np.expm1(high) * (1.0 - 4.0 * UNIT)), upper) + 0.0
        with np.errstate(divide="ignore"):
            low = np.maximum(gap_below, np.log1p(-upper) * (1.0 + 4.0 * UNIT) - UNIT)
        return Bracket(lower, upper, np.minimum(low, high), high)

    def _overlap(self, epsilon: FloatArray, above: FloatArray) -> FloatArray:
        """What delta is more than S at most; ``above`` is S."""
        out = np.full(len(epsilon), self._error)
        shift, beyond = self._mistaken
        some = np.flatnonzero((above < _BESIDE * self._error) & (epsilon > shift))
        if not len(some):
            return out
        if not self._error < _LARGE:
            return out
        # powers of the error, until it is nothing beside S
        wanted = _NOTHING - math.log(max(float(above[some].min()), _DEEPEST))
        times = min(math.ceil(wanted / -math.log(_TILTED * self._error)), _TIMES + 1) - 1
        for i in range(times, 0, -1):  # from the earliest eps on
            early = epsilon[some] * (1.0 - 4.0 * UNIT) - i * shift
            known = np.minimum(self._sums(np.maximum(early, 0.0), 1.0)[0] + out[some], 1.0)
            known = np.where(early >= 0.0, known, 1.0)
            out[some] = np.minimum(self._error, (self._error * _TILTED * known + beyond) * (1.0 + ROOM))
        return out

    @cached_property
    def _mistaken(self) -> tuple[float, float]:
        """c, and the last term, with y = m / 2."""
        shift, log_beyond = 0.0, -math.inf
        for step, times in self._steps:
            m = min(1.0 / step.sigma, LARGEST_MU)
            t = threshold(m, step.rate)
            shift = max(shift, (0.5 * m * m + 2.0) * (1.0 + AMPLE))  # e^{m t} is known to that
            log_beyond = float(np.logaddexp(log_beyond, math.log(times) + log_ndtr(-t - 0.5 * m) * (1.0 - TAILS)))
        return shift, math.exp(min(log_beyond, 0.0)) * (1.0 + AMPLE) + SMALLEST

    def _sums(self, epsilon: FloatArray, sign: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """S, a bound on log(1 - delta), and the slope of S; rounded so that delta moves by ``sign``."""
        parts = np.empty((3, len(epsilon)))
        rows = 1 if self._alone else max(1, _WORK // len(self._counts.log_p))
        for i in range(0, len(epsilon), rows):
            listed, outside = self._counts, _Outside()
            if self._alone:
                listed, outside = self._near(float(epsilon[i]), *self._alone, sign)
            parts[:, i : i + rows] = self._block(epsilon[i : i + rows, None], sign, listed, outside)
        return parts[0], parts[1], parts[2]

    def _near(self, epsilon: float, step: SubsampledGaussianStep, times: int, sign: float) -> tuple[Counts, _Outside]:
        """The k with |x| up to 39, and what is known of the others."""
        listed = self._counts
        fall, height = slope(step), (epsilon - times * math.log1p(-step.rate)) * step.sigma
        first, last = (root(fall, height, x) for x in (AWAY, -AWAY))
        low = min(int(np.searchsorted(listed.ks, first * (1.0 - AMPLE) - 1.0)), len(listed.ks) - 1)
        high = max(int(np.searchsorted(listed.ks, last * (1.0 + AMPLE) + 1.0)), low + 1)
        high = max(high, self._further(height, fall, high))  # before the others are added up: none counts twice
        below = float(self._masses[0][low - 1]) if low > 0 else -math.inf
        above = float(self._masses[1][high]) if high < len(listed.ks) else -math.inf
        # each sum of logarithms is off by two units of itself, the smaller ones before it by nothing beside
        own = float(listed.error.max())
        rooms = [own + 4.0 * UNIT * len(listed.ks) * (1.0 + abs(max(mass, -HUGE))) for mass in (below, above)]
        # of p_k e^{-x^2 / 2}: d(x^2 / 2) / dk = (A^2 - (E / m k)^2) / 2 rises, p_{k + 1} / p_k falls
        k = float(listed.ks[high - 1])
        ratio = math.log(times / max(k, 0.5)) + math.log(step.rate) - math.log1p(-step.rate)
        x = height / math.sqrt(k + 1.0) - fall * math.sqrt(k + 1.0)
        left, rest = above - LARGEST_EXPONENT, listed.log_rest
        step_down = ratio - 0.5 * (fall * fall - (height / max(k, 0.5)) ** 2) * (1.0 - AMPLE)
        if k > 0.0 and x < 0.0 and step_down < -_FALLING:  # a geometric series, and less
            left = float(listed.log_p[high - 1]) + ratio - 0.5 * x * x * (1.0 - _BLURRED) + own + 1.0
            left -= math.log(-math.expm1(step_down * (1.0 - _BLURRED)))
            rest = -math.inf if k == high - 1 else rest  # all up to there are listed: that is all there is
        # what moves delta up moves 1 - delta down
        log_tau = float(listed.log_tau[:low].max(initial=-math.inf))
        part = slice(low, high)
        near = listed._replace(
            log_p=listed.log_p[part], error=listed.error[part], shift=listed.shift[part], mu=listed.mu[part],
            log_tau=listed.log_tau[part], slack=listed.slack[part], log_rest=rest, ks=listed.ks[part],
        )  # fmt: skip
        return near, _Outside(below - sign * rooms[0], above + sign * rooms[1], log_tau, left)

    def _further(self, height: float, fall: float, high: int) -> int:
        """Up to where p_k e^{-x^2 / 2} counts beside its largest, of k that are listed one after the other: where many
        more participations are expected it rises beyond |x| = 39, and 1 - delta hangs on them.
        """
        k, log_p = self._consecutive
        if not high < len(k):
            return high
        x = height / np.sqrt(k[high:]) - fall * np.sqrt(k[high:])
        terms = log_p[high:] - 0.5 * x * x
        return high + 1 + int(np.flatnonzero(terms >= float(terms.max()) - _DEEP)[-1])

    @cached_property
    def _consecutive(self) -> tuple[FloatArray, FloatArray]:
        """The k from 0 on of which none is missing, and log of their probabilities."""
        ks = self._counts.ks
        some = len(ks) if ks[-1] == len(ks) - 1 else int(np.argmax(ks != np.arange(len(ks))))
        return ks[:some], self._counts.log_p[:some]

    def _log_outside(self, listed: Counts, at: FloatArray, mu: FloatArray, column: IntArray) -> FloatArray:
        """log of a bound on int min(n_K, e^{e_k} n_0) outside of the cell of K, for each e_k = ``at``: with s in (0, 1]
        that is below e^{(1 - s) e_k - s (1 - s) mu_k^2 / 2} times the probability under means of s m instead of m.
        """
        if self._single is None:
            return np.zeros(len(at))
        step, times = self._single
        m, k = 1.0 / step.sigma, listed.ks[column]
        with np.errstate(divide="ignore", invalid="ignore"):
            s = np.clip(at / (mu * mu) + 0.5, 0.0, 1.0)
        s = np.where(mu > 0.0, s, 1.0)
        height = (1.0 - s) * at - 0.5 * s * (1.0 - s) * mu * mu
        # ``at`` was moved down by as much
        height = height + 2.0 * listed.slack[column] + _ROUNDED * (np.abs(at) + mu * mu + 1.0)
        t = threshold(m, step.rate)
        with np.errstate(divide="ignore"):
            took = np.log(k) + log_ndtr(t - s * m) * (1.0 - TAILS)
            not_ = np.log(times - k) + log_ndtr(-t) * (1.0 - TAILS)
        return height + np.logaddexp(took, not_) + AMPLE

    @cached_property
    def _masses(self) -> tuple[FloatArray, FloatArray]:
        """log of the probability of all k up to each, and from each on."""
        log_p = self._counts.log_p
        return np.logaddexp.accumulate(log_p), np.logaddexp.accumulate(log_p[::-1])[::-1]

    def _block(
        self, epsilon: FloatArray, sign: float, listed: Counts, outside: _Outside
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same of some eps, from what is ``listed`` and what is ``outside``."""
        count = len(listed.log_p)
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
            surely = math.exp(min(outside.log_above, 0.0))
            large = np.exp(log_small).sum(axis=1) + surely > _LARGE  # delta may be near 1
        chosen = (log_small > top - _DEEP) & (away < _CERTAIN)
        chosen[large] |= log_rest[large] > top_rest[large] - _DEEP
        sure = ~chosen & (away >= _CERTAIN)
        row, column = np.nonzero(chosen)
        delta, log_gap, slope = read(at[row, column], mu[column], sign)
        if sign > 0.0:
            delta, log_gap = np.where(vast[column], 1.0, delta), np.where(vast[column], -math.inf, log_gap)
            log_tau = listed.log_tau[column]
            if self._single is not None:
                log_tau = np.minimum(log_tau, self._log_outside(listed, at[row, column], mu[column], column))
            with np.errstate(divide="ignore", under="ignore"):
                away_from = np.exp(np.minimum(log_tau - log_gap, 0.0))
                log_gap = log_gap + np.log1p(-away_from)
        low, high = listed.log_p - listed.error, listed.log_p + listed.error
        error = count * UNIT * 4.0 + SCANT
        with np.errstate(under="ignore", divide="ignore"):
            p = np.exp(high if sign > 0.0 else low)
            total = np.bincount(row, delta * p[column], len(at)) + sure @ p + surely
            slopes = np.bincount(row, slope * p[column], len(at)).astype(np.float64)
            gaps = np.full(at.shape, -math.inf)
            gaps[row, column] = log_gap + (low if sign > 0.0 else high)[column]
            gap = np.logaddexp.reduce(gaps, axis=1)
            if sign > 0.0:  # what was passed over
                total = total * (1.0 + error) + count * np.exp(top[:, 0] - _DEEP) + math.exp(listed.log_dropped)
                total = total + (_UNSEEN if outside.log_below > -math.inf else 0.0)
                kept = -math.expm1(min(outside.log_tau, -TINY)) * (1.0 - _UNSEEN)
                gap = np.logaddexp(gap, outside.log_below + math.log(kept)) if kept > 0.0 else gap
                gap = gap - error * (1.0 + np.abs(gap))
            else:
                total = total * (1.0 - error - 2.0 * math.exp(-_CERTAIN))
                unlisted = np.minimum(listed.log_dropped, listed.log_rest + 0.5 * epsilon[:, 0])
                more = np.logaddexp(top_rest[:, 0] - _DEEP + math.log(count), unlisted)
                more = np.logaddexp(more, np.logaddexp(outside.log_below, outside.log_left))
                gap = np.logaddexp(gap, more) + error * (1.0 + np.abs(gap))
        if not large.all():
            with np.errstate(divide="ignore"):  # a bound on delta beyond 1 tells nothing of 1 - delta
                small = np.log1p(-np.minimum(total + (self._error if sign > 0.0 else 0.0), 1.0))
            gap = np.where(large, gap, small * (1.0 + sign * 4.0 * UNIT))
        return total, gap, slopes


def read(at: FloatArray, mu: FloatArray, sign: float) -> tuple[FloatArray, FloatArray, FloatArray]:
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
    """Direction "add" of ``steps`` and of others besides, whose profiles are ``beside`` ("add", "remove")."""

    def __init__(self, steps: Steps, beside: Pair, tail_mu: float) -> None:
        self._tail_mu = tail_mu
        self._beside = beside
        most = math.fsum(times * math.log1p(-step.rate) for step, times in steps)
        self._most = most - 4.0 * UNIT * abs(most)
        each = np.array([_thresholds(step, times) for step, times in steps])
        self._least = _undominated(each[:, 0].sum(axis=0), np.logaddexp.reduce(each[:, 1], axis=0))
        besides = 0.0 if beside[0].tail_mu == 0.0 else beside[0].end  # of what tells nothing there is no loss
        self._end = (besides - self._most) * (1.0 + 4.0 * UNIT)

    @property
    def method(self) -> str:
        return "sum over participations"

    @property
    def end(self) -> float:
        return self._end

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def knots(self) -> FloatArray:
        moved = np.concatenate([-self._beside[1].knots[::-1], self._beside[0].knots]) - self._most
        return moved[moved >= 0.0]

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return slope_at(*self._beside, epsilon + self._most)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        above = self._at(epsilon, self._most, 1.0)
        upper, low = above.upper, above.log_gap_lower
        lower, high = np.zeros(len(epsilon)), np.zeros(len(epsilon))
        for log_ratio, log_lost in self._least.T:
            below = self._at(epsilon, log_ratio, -1.0)
            with np.errstate(under="ignore"):
                kept = max(-math.expm1(log_lost), 0.0) if log_lost > -LARGEST_EXPONENT else 1.0 - UNIT
            lower = np.maximum(lower, kept * below.lower * (1.0 - 8.0 * UNIT))
            high = np.minimum(high, np.logaddexp(below.log_gap_upper, log_lost) * (1.0 - 8.0 * UNIT))
        return Bracket(np.minimum(lower, upper), upper, np.minimum(low, high), high)

    def _at(self, epsilon: FloatArray, shift: float, sign: float) -> Bracket:
        at = epsilon + shift
        at = at - sign * 4.0 * UNIT * (np.abs(at) + epsilon)
        return bracket_at(*self._beside, at)


def _undominated(log_ratio: FloatArray, log_lost: FloatArray) -> FloatArray:
    """Of thresholds, a row for each thing they say, those than which no other says more: each will be asked."""
    kept: list[int] = []
    for i in np.argsort(log_lost):
        if all(log_ratio[i] < log_ratio[j] - _SAME * abs(log_ratio[j]) for j in kept):
            kept.append(int(i))
    return np.array([log_ratio[kept], log_lost[kept]])


def _thresholds(step: SubsampledGaussianStep, times: int) -> FloatArray:
    """At each of a few thresholds: ``times`` the log of the likelihood ratio of "x <= t", and log of the probability
    without the record that any of the steps is not; both rounded up.
    """
    mu, q = min(1.0 / step.sigma, LARGEST_MU), step.rate
    t = mu * _LOOKED
    with np.errstate(under="ignore", over="ignore"):
        more = np.exp(np.minimum(log_ndtr(t - mu) - log_ndtr(t), 0.0) * (1.0 - TAILS))
        # (1 - q) + q more
        few = math.log1p(-q) + np.log1p(q / (1.0 - q) * np.minimum(more, 0.5))
        log_ratio = np.where(more < 0.5, few, np.log1p(-q * (1.0 - more)))
        lost = np.maximum(math.log(times) + log_ndtr(-t) * (1.0 - TAILS), -HUGE)
    return np.array([times * (log_ratio * (1.0 - 16.0 * UNIT)), lost + 4.0 * UNIT * np.abs(lost)])
