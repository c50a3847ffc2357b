"""The real cumulant of a composition, to double precision but not certified: it plans lattices, it decides nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.bins import Shape

__all__ = ["Cumulant", "Moments"]

_REACH = 13.0  # standard deviations of u kept on either side
_DEPTH = 44.0  # -log of the tilted mass a step may leave outside its range
_MANY = 4000  # points of the quadrature at most


@dataclass(frozen=True, slots=True)
class Moments:
    """K, K' and K'' of a composition at ``c``, and per step the range of u that carries the tilted law."""

    c: float
    value: float
    mean: float
    variance: float
    ranges: tuple[tuple[float, float], ...]

    @property
    def deviation(self) -> float:
        return math.sqrt(max(self.variance, 1e-300))


class Cumulant:
    """K(c) = log E_P e^{cL} for any real ``c``, in one direction."""

    def __init__(self, shapes: tuple[tuple[Shape, int], ...], direction: str) -> None:
        self._shapes = shapes
        self._remove = direction == "remove"
        self._cache: dict[float, Moments] = {}

    def at(self, c: float) -> Moments:
        """Moments of the tilted law at ``c``."""
        if c not in self._cache:
            if len(self._cache) > 4096:
                self._cache.clear()
            self._cache[c] = self._moments(c)
        return self._cache[c]

    def saddle(self, epsilon: float, low: float = 0.0, high: float = 1e9) -> Moments:
        """The moments at the c in [low, high] whose mean is ``epsilon`` (an end where there is none)."""
        left, right = self.at(low), self.at(min(max(1.0, 2.0 * low), high))
        if left.mean >= epsilon:
            return left
        while right.mean < epsilon:
            if right.c >= high:
                return right
            left, right = right, self.at(min(4.0 * right.c, high))
        for _ in range(60):
            newton = left.c + (epsilon - left.mean) / max(left.variance, 1e-300)
            secant = left.c + (epsilon - left.mean) * (right.c - left.c) / (right.mean - left.mean)
            c = newton if left.c < newton < right.c else secant
            if not left.c < c < right.c:
                c = 0.5 * (left.c + right.c)
            middle = self.at(c)
            if abs(middle.mean - epsilon) <= 0.02 * middle.deviation:
                return middle
            left, right = (middle, right) if middle.mean < epsilon else (left, middle)
            half = self.at(0.5 * (left.c + right.c))
            left, right = (half, right) if half.mean < epsilon else (left, half)
        return left

    def _moments(self, c: float) -> Moments:
        z, sign = (c + 1.0, 1.0) if self._remove else (-c, -1.0)
        value = mean = variance = 0.0
        ranges: list[tuple[float, float]] = []
        for shape, times in self._shapes:
            u = _grid(shape, z)
            loss = shape.loss(u)
            log_weight = z * loss - 0.5 * u * u
            peak = float(np.max(log_weight))
            weight = np.exp(log_weight - peak)
            total = float(np.sum(weight))
            average = float(weight @ loss) / total
            spread = float(weight @ (loss - average) ** 2) / total
            step = float(u[1] - u[0])
            value += times * (peak + math.log(total * step / math.sqrt(2.0 * math.pi)))
            mean += times * sign * average
            variance += times * spread
            here = peak + math.log(total * step / math.sqrt(2.0 * math.pi))
            inside = log_weight > peak - _DEPTH - math.log(times)
            # what lies below the range is moved up to its end: even there it must not count
            inside |= c * sign * loss + log_ndtr(sign * u) > here - _DEPTH - math.log(times)
            carried, reached = _ends(log_weight > peak - _DEPTH - math.log(times)), _ends(inside)
            first, last = (reached[0], carried[1]) if self._remove else (carried[0], reached[1])
            ranges.append((float(u[first]) - step, float(u[last]) + step))
        return Moments(c, value, mean, variance, tuple(ranges))


def _grid(shape: Shape, z: float) -> FloatArray:
    right = max(z, 0.0) / shape.sigma
    left = max(-z, 0.0) / shape.sigma
    if shape.rate < 1.0 and left > 0.0:
        odds = shape.rate / (1.0 - shape.rate)
        left = min(left, shape.sigma * math.log1p(left * odds / shape.sigma))
    low, high = -_REACH - left, _REACH + right
    step = min(0.1, shape.sigma / 8.0)
    return np.linspace(low, high, int(min(_MANY, max(200.0, (high - low) / step))))


def _ends(chosen: NDArray[np.bool_]) -> tuple[int, int]:
    at = np.flatnonzero(chosen)
    return int(at[0]), int(at[-1])
