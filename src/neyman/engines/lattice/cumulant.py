"""The real cumulant of a composition, and its saddle points, to double precision but not certified: they plan."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neyman.losses.readings.bins import GridLaw, Reach
from neyman.numerics.rounding import TINY
from neyman.profiles.pair import Direction

__all__ = ["Cumulant", "Moments"]


@dataclass(frozen=True, slots=True)
class Moments:
    """K, K' and K'' of a composition at ``c``, per step the stretch that carries the tilted law, and how many steps do
    not lie on multiples of their unit, in the mean.
    """

    c: float
    value: float
    mean: float
    variance: float
    reaches: tuple[Reach, ...]
    loose: float

    @property
    def deviation(self) -> float:
        return math.sqrt(max(self.variance, TINY))


_NOTHING = -5000.0  # log of a bound on delta that no float comes near
_CLOSE, _SPREAD = 0.02, 2.6  # deviations by which a saddle may be missed; sqrt(2 pi), about
_STEEPEST, _LAST = 1e9, 1e-4  # c, and c times the distance of the tilted mean from the end of the law


class Cumulant:
    """K(c) = log E_P e^{cL} for any real ``c``, in one direction."""

    def __init__(self, laws: tuple[tuple[GridLaw, int], ...], direction: Direction) -> None:
        self._laws = laws
        self._remove = direction == "remove"
        self._cache: dict[float, Moments] = {}

    def at(self, c: float) -> Moments:
        """Moments of the tilted law at ``c``."""
        if c not in self._cache:
            if len(self._cache) > 4096:
                self._cache.clear()
            self._cache[c] = self._moments(c)
        return self._cache[c]

    def steepest(self, end: float) -> float:
        """The c from which the tilted law of a composition that ends there is as good as its last atom."""
        if end == math.inf:
            return _STEEPEST
        c = 1.0 / self.at(0.0).deviation
        while c < _STEEPEST and not c * (end - self.at(c).mean) < _LAST:
            c *= 2.0
        return c

    def log_height(self, c: float) -> float:
        """log delta at the eps whose saddle is ``c``, roughly."""
        at = self.at(c)
        return at.value - c * at.mean - math.log1p(c * (c + 1.0) * _SPREAD * at.deviation)

    def at_height(self, log_delta: float, most: float) -> Moments:
        """The moments where delta is about e^``log_delta``, at a c of ``most`` at most."""
        low, high = 0.0, 1.0
        while self.log_height(high) > log_delta and high < most:
            low, high = high, 4.0 * high
        for _ in range(12):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.log_height(middle) > log_delta else (low, middle)
        return self.at(min(high, most))

    def saddle(self, epsilon: float, low: float = 0.0, high: float = _STEEPEST) -> Moments:
        """The moments at the c in [low, high] whose mean is ``epsilon``; an end where there is none, or one on the way
        there, from which on delta is no float.
        """
        left, right = self.at(low), self.at(min(max(1.0, 2.0 * low), high))
        if left.mean >= epsilon:
            return left
        while right.mean < epsilon:
            if right.c >= high or right.value - right.c * right.mean < _NOTHING:
                return right
            left, right = right, self.at(min(4.0 * right.c, high))
        for _ in range(60):
            newton = left.c + (epsilon - left.mean) / max(left.variance, TINY)
            secant = left.c + (epsilon - left.mean) * (right.c - left.c) / (right.mean - left.mean)
            c = newton if left.c < newton < right.c else secant
            if not left.c < c < right.c:
                c = 0.5 * (left.c + right.c)
            middle = self.at(c)
            if abs(middle.mean - epsilon) <= _CLOSE * middle.deviation:
                return middle
            left, right = (middle, right) if middle.mean < epsilon else (left, middle)
            half = self.at(0.5 * (left.c + right.c))
            left, right = (half, right) if half.mean < epsilon else (left, half)
        return left

    def _moments(self, c: float) -> Moments:
        z, sign = (c + 1.0, 1.0) if self._remove else (-c, -1.0)
        value = mean = variance = loose = 0.0
        reaches: list[Reach] = []
        for law, times in self._laws:
            one = law.tilted(z, c, times, self._remove)
            value += times * one.value
            mean += times * sign * one.mean
            variance += times * one.variance
            loose += times * one.loose
            reaches.append(one.reach)
        return Moments(c, value, mean, variance, tuple(reaches), loose)
