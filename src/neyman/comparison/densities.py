"""Densities on the priors that are known well enough to certify a maximum: bounds on points and on whole intervals.

All are read on the half line eps >= 0, prior 1 / (1 + e^-eps) from 1/2 to 1; the other half is that of the ``turned``
density. An interval's chord, lifted by its ``bend`` (an upper bound on -h^2/8 times the second derivative in the prior,
h the interval's length; 0 where the density is convex), lies above the density.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.numerics.rounding import SMALLEST, UNIT

__all__ = ["BetaDensity", "Density", "Spans", "UQuadratic", "UniformDensity"]

_LARGEST = 1e9  # of a Beta's parameters: above it rounding leaves no digits
_WIDE = 20.0  # an interval of eps too wide for a second derivative to say anything
_ROUND = 1e-12  # relative, on bounds that need no digits


class Spans(NamedTuple):
    """For each interval between neighbouring eps: the density's maximum, and by how much it may exceed its chord."""

    most: FloatArray
    bend: FloatArray


class Density(Protocol):
    """What a certified maximum asks of a density."""

    @property
    def turned(self) -> Density:
        """The density of 1 - prior."""
        ...

    @property
    def knots(self) -> FloatArray:
        """The eps >= 0 that a search must not step over, rising."""
        ...

    def bounds(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Certified bounds on the density at each ``epsilon`` in [0, 600]."""
        ...

    def spans(self, epsilon: FloatArray, upper: FloatArray) -> Spans:
        """Bounds between neighbours of ``epsilon`` (rising, the knots among them), where ``bounds`` gave ``upper``."""
        ...

    def rest(self, epsilon: FloatArray) -> FloatArray:
        """An upper bound on density times (1 - prior) from each ``epsilon`` on."""
        ...


@dataclass(frozen=True, slots=True)
class UQuadratic:
    """The U-quadratic law on [0, 1], density 12 (x - 1/2)^2: an attacker who is sure of something.

    Examples
    --------
    >>> float(UQuadratic().pdf(0.0))
    3.0
    """

    def pdf(self, x: Any) -> FloatArray:
        """The density; 0 outside [0, 1]."""
        at = np.asarray(x, dtype=np.float64)
        return np.where((at >= 0.0) & (at <= 1.0), 12.0 * (at - 0.5) ** 2, np.where(np.isnan(at), np.nan, 0.0))

    def support(self) -> tuple[float, float]:
        """Where it lives."""
        return 0.0, 1.0

    @property
    def turned(self) -> UQuadratic:
        """Itself."""
        return self

    @property
    def knots(self) -> FloatArray:
        """None."""
        return np.zeros(0)

    def bounds(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """3 tanh(eps / 2)^2."""
        with np.errstate(under="ignore"):
            value = 3.0 * np.tanh(0.5 * epsilon) ** 2
        return np.maximum(value * (1.0 - 16.0 * UNIT) - SMALLEST, 0.0), value * (1.0 + 16.0 * UNIT) + SMALLEST

    def spans(self, epsilon: FloatArray, upper: FloatArray) -> Spans:
        """It rises with eps and is convex in the prior."""
        return Spans(np.maximum(upper[:-1], upper[1:]), np.zeros(epsilon.size - 1))

    def rest(self, epsilon: FloatArray) -> FloatArray:
        """It is at most 3."""
        return 3.0 * (1.0 + _ROUND) / (1.0 + np.exp(epsilon))


@dataclass(frozen=True, slots=True)
class UniformDensity:
    """Constant on an interval of priors and 0 elsewhere.

    ``low`` and ``high`` are the eps between which each edge lies, for its prior is a rounded number; ``length`` is the
    interval's, in the prior.
    """

    low: tuple[float, float]
    high: tuple[float, float]
    length: float

    @classmethod
    def on(cls, low: float, high: float) -> UniformDensity:
        """The uniform law on [low, high] within [0, 1]."""
        return cls(_edge(low), _edge(high), high - low)

    @property
    def turned(self) -> UniformDensity:
        """On [1 - high, 1 - low]."""
        return UniformDensity((-self.high[1], -self.high[0]), (-self.low[1], -self.low[0]), self.length)

    @property
    def knots(self) -> FloatArray:
        """Both edges, from outside and from inside."""
        edges = np.array([*self.low, *self.high])
        return np.unique(edges[np.isfinite(edges) & (edges >= 0.0)])

    def bounds(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Constant, up to the rounding of the edges."""
        height = 1.0 / self.length
        room = 0.0 if self.length == 1.0 else 8.0 * UNIT / self.length
        inside = (epsilon >= self.low[1]) & (epsilon <= self.high[0])
        near = (epsilon >= self.low[0]) & (epsilon <= self.high[1])
        return np.where(inside, height * max(1.0 - room, 0.0), 0.0), np.where(near, height * (1.0 + room), 0.0)

    def spans(self, epsilon: FloatArray, upper: FloatArray) -> Spans:
        """The chord itself: no interval has an edge inside it."""
        return Spans(np.maximum(upper[:-1], upper[1:]), np.zeros(epsilon.size - 1))

    def rest(self, epsilon: FloatArray) -> FloatArray:
        """Its height times the largest 1 - prior that is left."""
        height = (1.0 + _ROUND + 8.0 * UNIT / self.length) / self.length
        with np.errstate(over="ignore"):
            left = height / (1.0 + np.exp(np.maximum(epsilon, self.low[0])))
        return np.where(epsilon <= self.high[1], left, 0.0)


@dataclass(frozen=True, slots=True)
class BetaDensity:
    """x^(a-1) (1-x)^(b-1) / B(a, b) on [0, 1].

    Its logarithm has the slope (a-1)/x - (b-1)/(1-x), which vanishes once at most: the density has at most one
    stationary point. As x -> 1 it may grow without end, but density times (1 - x) comes down to 0.

    Raises
    ------
    InvalidParameter
        If ``a`` or ``b`` is not in (0, 1e9].
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            if not 0.0 < getattr(self, name) <= _LARGEST:
                advice = "So narrow a belief is one prior: compare bayes_error(prior) there."
                raise InvalidParameter(f"hyperprior's {name}", getattr(self, name), "in (0, 1e9]", advice)

    @property
    def turned(self) -> BetaDensity:
        """Beta(b, a)."""
        return BetaDensity(self.b, self.a)

    @property
    def knots(self) -> FloatArray:
        """Around the peak, if there is one."""
        peak = self._peak()
        if peak is None:
            return np.zeros(0)
        width = math.sqrt(1.0 / self.a + 1.0 / self.b)  # about the standard deviation of eps
        near = np.concatenate([peak + width * np.linspace(-6.0, 6.0, 13), [peak]])
        return np.unique(near[near >= 0.0])

    def bounds(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """From the logarithms of prior and 1 - prior, with the rounding of each term."""
        value, error = self._log(epsilon, self.b - 1.0)
        with np.errstate(under="ignore"):
            return np.maximum(np.exp(value - error) - SMALLEST, 0.0), np.exp(value + error) + SMALLEST

    def spans(self, epsilon: FloatArray, upper: FloatArray) -> Spans:
        """-density'' is at most density ((a-1)/x^2 + (b-1)/(1-x)^2): the square of the slope is left out."""
        low, high = epsilon[:-1], epsilon[1:]
        most = np.maximum(upper[:-1], upper[1:])
        peak = self._peak()
        if peak is not None and peak >= -_ROUND:
            top = self.bounds(np.array([max(peak, 0.0)]))[1] * (1.0 + _ROUND)
            most = np.where((low <= peak + _ROUND) & (high >= peak - _ROUND), np.maximum(most, top), most)
        step = np.expm1(np.minimum(high - low, _WIDE))
        absent = step * np.exp(-high) / (1.0 + np.exp(-high))  # h / x at the start, x the prior
        present = step / (1.0 + np.exp(-low))  # h / (1 - x) at the stop
        a, b = self.a - 1.0, self.b - 1.0
        with np.errstate(under="ignore"):
            of_a = a * (absent if a > 0.0 else absent / (1.0 + absent)) ** 2
            of_b = b * (present if b > 0.0 else present / (1.0 + present)) ** 2
            room = _ROUND * (np.abs(of_a) + np.abs(of_b))
            lift = 0.125 * most * (np.maximum(of_a + of_b + room, 0.0) * (1.0 + _ROUND)) + SMALLEST
        return Spans(most, np.where(high - low < _WIDE, lift, np.inf))

    def rest(self, epsilon: FloatArray) -> FloatArray:
        """x^(a-1) (1-x)^b / B(a, b) has one peak at most, at (a-1) / (a+b-1)."""
        at = epsilon
        if self.a > 1.0:
            at = np.maximum(epsilon, math.log((self.a - 1.0) / self.b))
        value, error = self._log(np.maximum(at, 0.0), self.b)
        with np.errstate(under="ignore"):
            return np.exp(value + error) * (1.0 + 1e-6) + SMALLEST

    def _peak(self) -> float | None:
        """The eps of the largest density, where that is inside."""
        if self.a <= 1.0 or self.b <= 1.0:
            return None
        return math.log((self.a - 1.0) / (self.b - 1.0))

    def _log(self, epsilon: FloatArray, power: float) -> tuple[FloatArray, FloatArray]:
        """log of x^(a-1) (1-x)^power / B(a, b), and a bound on its error."""
        small = np.log1p(np.exp(-epsilon))
        terms = [math.lgamma(v) for v in (self.a, self.b, self.a + self.b)]
        log_beta = terms[0] + terms[1] - terms[2]
        value = -(self.a - 1.0) * small - power * (epsilon + small) - log_beta
        size = abs(self.a - 1.0) * small + abs(power) * (epsilon + small) + np.abs(value)
        # a + b is rounded, and the slope of log Gamma there is at most log(a + b) + 1 / (a + b) in size
        total = self.a + self.b
        rounded = total * (1.0 + math.log1p(total) + 1.0 / total)
        return value, 16.0 * UNIT * (size + rounded + 4.0 * sum(abs(t) for t in terms) + 4.0)


def _edge(prior: float) -> tuple[float, float]:
    """Two eps with that of ``prior`` between them, even if ``prior`` is wrong in its last places."""
    if prior <= 0.0:
        return -math.inf, -math.inf
    if prior >= 1.0:
        return math.inf, math.inf
    present, absent = math.log1p(-prior), math.log(prior)
    room = 16.0 * UNIT * (1.0 - absent - present + 1.0 / (1.0 - prior))
    return absent - present - room, absent - present + room
