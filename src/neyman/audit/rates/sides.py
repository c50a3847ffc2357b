"""Upper confidence bounds on an error rate: at one threshold, or at every threshold at once.

A ``Side`` knows the scores of one side by their number n alone. At a threshold that ``count`` of them get wrong, it
bounds the probability of getting one wrong. Every side has a dial: at 0 its bounds fail with probability ``share`` at
most; each turn multiplies the levels behind them by e^0.001, so that bounds are nested, and ``error`` says with which
probability they then fail. That gives p-values, and bounds that never tighten as the confidence grows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import lru_cache

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.audit.rates.binomials import Counts, upper_limit
from neyman.audit.rates.crossing import crossing_probability

__all__ = ["TURN", "Dkw", "Everywhere", "OneThreshold", "Side", "spread_counts"]

TURN = 1e-3  # of the log of a level, by one turn: how finely levels and p-values are told
_EXACT_UP_TO = 100_000  # scores a side: beyond, a union bound beside a constant band is as good as anyone needs
_LEAST_LOG = -700.0  # of levels: e^-700 is still a float
_DENSE = 20_000  # steps of a constant band
_FEWER = 8_192  # of one beside a grid


class Side(ABC):
    """Bounds on the error rate of one side, from ``n`` scores, that fail with probability at most ``share``."""

    def __init__(self, n: int, share: float) -> None:
        self.n = n
        self.share = share

    @property
    @abstractmethod
    def steps(self) -> Counts:
        """The counts, increasing and below n, at which the bound changes: other counts have the bound of the next."""

    @abstractmethod
    def upper(self, counts: Counts, dial: int = 0) -> FloatArray:
        """Bounds from above at thresholds with these ``counts``."""

    @abstractmethod
    def planned(self, rates: FloatArray, n: float) -> FloatArray:
        """About the bounds of ``n`` scores that err at exactly these ``rates``."""

    def error(self, dial: int) -> float:
        """With which probability the bounds fail at most, when the dial is turned."""
        return min(1.0, self.share * math.exp(min(TURN * dial, 700.0)))

    def lower(self, counts: Counts) -> FloatArray:
        """Bounds from below: those of the scores on the other side of the threshold, from above."""
        return np.maximum(1.0 - self.upper(self.n - counts), 0.0)


class OneThreshold(Side):
    """Clopper-Pearson, at a threshold that was chosen without looking at these scores."""

    @property
    def steps(self) -> Counts:
        """All of them."""
        return np.arange(self.n)

    def upper(self, counts: Counts, dial: int = 0) -> FloatArray:
        """The exact binomial bound."""
        return upper_limit(counts, self.n, max(math.log(self.share) + TURN * min(dial, self._loosest), _LEAST_LOG))

    @property
    def _loosest(self) -> int:
        return int(-math.log(self.share) / TURN)

    def planned(self, rates: FloatArray, n: float) -> FloatArray:
        """The bound at the expected count."""
        return _expected(rates, n, math.log(self.share))


class Dkw(Side):
    """One width at every threshold (Dvoretzky, Kiefer and Wolfowitz 1956, with the constant of Massart 1990)."""

    def __init__(self, n: int, share: float, most: int = _DENSE) -> None:
        super().__init__(n, share)
        self._apart = -(-n // most)

    @property
    def steps(self) -> Counts:
        """All of them, or at most as many as were asked for."""
        return np.arange(0, self.n, self._apart)

    def upper(self, counts: Counts, dial: int = 0) -> FloatArray:
        """The observed rate plus the width."""
        filled = -(-counts // self._apart) * self._apart
        log_level = min(math.log(self.share) + TURN * dial, -math.log(2.0))  # Massart's constant needs 1/2 at most
        return np.minimum(filled / self.n + _width(log_level, self.n), 1.0)

    def error(self, dial: int) -> float:
        """The level; above 1/2 nothing is said."""
        level = super().error(dial)
        return level if level <= 0.5 else 1.0

    def planned(self, rates: FloatArray, n: float) -> FloatArray:
        """The rate plus the width."""
        return np.minimum(rates + _width(math.log(self.share), n), 1.0)


class Everywhere(Side):
    """Binomial bounds at every threshold at once, wide in the middle by little and in the tails by what they need.

    At the counts of a grid the bound is the Beta quantile of a local level; other counts have the bound of the next on
    the grid. Local levels are larger in the middle, by the weights of Duembgen and Wellner (2023), A new approach to
    tests and confidence bands for distribution functions: 1 / (c (1 + log(1 + ...)^2)) of the iterated logarithm.
    Their common factor is the largest of a fine scale at which the exact crossing probability is at most ``share``.
    Above 10^5 scores half of ``share`` goes to a constant band and half, by a union bound, to the grid.
    """

    def __init__(self, n: int, share: float) -> None:
        super().__init__(n, share)
        self.exact = n <= _EXACT_UP_TO
        self._constant = None if self.exact else Dkw(n, 0.5 * share, _FEWER)
        self._start = _calibrated(n, share) if self.exact else _by_union(n, 0.5 * share)

    @property
    def steps(self) -> Counts:
        """The grid, and where there is a constant band its steps too."""
        grid = _grid(self.n)
        return grid if self._constant is None else np.union1d(grid, self._constant.steps)

    def upper(self, counts: Counts, dial: int = 0) -> FloatArray:
        """The bound of the next count on the grid."""
        bounds = np.append(_bounds(self.n, self._start + dial), 1.0)
        found = bounds[np.searchsorted(_grid(self.n), counts)]
        return found if self._constant is None else np.minimum(found, self._constant.upper(counts, dial))

    def error(self, dial: int) -> float:
        """The crossing probability, or the sum of all levels where that is less."""
        union = float(np.sum(np.exp(_log_levels(self.n, self._start + dial)))) * (1.0 + 1e-9)
        if self._constant is not None:
            return min(1.0, union + self._constant.error(dial))
        return min(_crossing(self.n, self._start + dial), union)

    def planned(self, rates: FloatArray, n: float) -> FloatArray:
        """The Beta quantile at the local level that these scores have: levels change slowly with their number."""
        found = _expected(rates, n, TURN * self._start + _log_weights(rates * self.n, self.n))
        if self._constant is not None:
            found = np.minimum(found, self._constant.planned(rates, n))
        return found


def _width(log_level: float, n: float) -> float:
    return math.sqrt(-log_level / (2.0 * n)) * (1.0 + 1e-12) + 1e-15


def _expected(rates: FloatArray, n: float, log_level: FloatArray | float) -> FloatArray:
    """Beta quantiles between whole counts: no bound, a plan."""
    count = np.minimum(rates * n, n - 1e-9)
    return np.asarray(special.betainccinv(count + 1.0, np.maximum(n - count, 1e-9), np.exp(log_level)))


@lru_cache(maxsize=256)
def _grid(n: int) -> Counts:
    apart = 0.25 if n <= _EXACT_UP_TO else max(0.4, math.pi * math.sqrt(n) / 2000.0)
    grid = _apart(n, apart)
    grid.flags.writeable = False
    return grid


def spread_counts(n: int, most: int = 256) -> Counts:
    """Return about ``most`` counts from 0 to n - 1, as many standard deviations apart in the tails as in the middle."""
    return _apart(n, math.pi * math.sqrt(n) / most)


def _apart(n: int, deviations: float) -> Counts:
    """Counts from 0 to n - 1, one after the other where they are few, then so many standard deviations apart."""
    found, count = [0], 0
    while True:
        rate = (count + 1.0) / (n + 1.0)
        count += max(1, int(deviations * math.sqrt(n * rate * (1.0 - rate))))
        if count >= n:
            break
        found.append(count)
    return np.array(found)


def _log_weights(counts: FloatArray | Counts, n: int) -> FloatArray:
    rate = (np.clip(counts, 0.0, n - 1.0) + 1.0) / (n + 1.0)
    iterated = np.log1p(-np.log(4.0 * rate * (1.0 - rate)))
    return -(iterated + np.log1p(iterated * iterated))


def _log_levels(n: int, factor: int) -> FloatArray:
    return np.clip(TURN * factor + _log_weights(_grid(n), n), _LEAST_LOG, math.log(0.5))


@lru_cache(maxsize=1024)
def _bounds(n: int, factor: int) -> FloatArray:
    """At the counts of the grid; not decreasing, since the bound of a larger count holds for a smaller one too."""
    quantiles = upper_limit(_grid(n), n, _log_levels(n, factor))
    bounds = np.minimum.accumulate(quantiles[::-1])[::-1]
    bounds.flags.writeable = False
    return bounds


@lru_cache(maxsize=4096)
def _crossing(n: int, factor: int) -> float:
    return crossing_probability(n, _grid(n), _bounds(n, factor))


def _by_union(n: int, share: float) -> int:
    """The factor, as a number of turns, at which all levels add up to ``share`` at most."""
    total = float(np.sum(np.exp(_log_weights(_grid(n), n))))
    return math.floor(math.log(share / total) / TURN - 1e-5)


@lru_cache(maxsize=1024)
def _calibrated(n: int, share: float) -> int:
    """The largest factor, as a number of turns, whose crossing probability is at most ``share``."""
    low, high = _by_union(n, share), 0
    log_low, log_high = math.log(max(min(_crossing(n, low), share), 1e-300)), 0.0
    wanted = math.log(share)
    guess = low + round((wanted - log_low) / TURN)
    while high - low > 1:
        at = min(max(guess, low + 1), high - 1)
        found = _crossing(n, at)
        if found <= share:
            low, log_low = at, math.log(max(found, 1e-300))
        else:
            high, log_high = at, math.log(found)
        slope = (log_high - log_low) / (high - low)
        guess = low + int((wanted - log_low) / slope) if slope > 0.0 else (low + high) // 2
    return low
