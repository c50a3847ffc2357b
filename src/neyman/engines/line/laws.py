"""A law on the real line, as far as a trade-off asks for it: how much lies on either side of a place, and its density.

What is certified of a trade-off rests on the errors that a law states of itself: its masses are right to within
``relative`` times themselves and an absolute error, its density to within ``relative`` times itself.
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, unmasked
from neyman.numerics.rounding import UNIT

__all__ = ["LEAST", "LineLaw", "Sides", "StatsLaw", "answered", "around", "quietly"]

LEAST = math.log(1e-290)  # of a density: below it floats lose its digits, and so do logs that are taken of them
_UNDERFLOW = 1e-300  # masses below it are no more than that
_APART = 1e-6  # by which cdf and sf may contradict each other before they are refused
_OVER = 1e-9  # by which a mass may exceed 1 before it is refused
_DEEPEST, _SHALLOW = -300.0, -3.0  # powers of ten: levels whose quantiles are looked at
_DEEP, _EVEN = 260, 120  # how many of them, below the shallow one and from there to one half


@dataclass(frozen=True, slots=True)
class Sides:
    """What lies below places and above them, and bounds on how far off either is."""

    place: FloatArray
    below: FloatArray
    above: FloatArray
    below_error: FloatArray
    above_error: FloatArray

    def at(self, rows: Any) -> Sides:
        """The same at some of the places."""
        return Sides(
            self.place[rows], self.below[rows], self.above[rows], self.below_error[rows], self.above_error[rows]
        )

    def until(self, other: Sides) -> tuple[FloatArray, FloatArray]:
        """The mass from these places to ``other`` ones, nowhere before them, and its error: from the side on which less
        is subtracted.
        """
        right = self.above - other.above
        left = other.below - self.below
        right_error = self.above_error + other.above_error + 2.0 * UNIT * self.above
        left_error = self.below_error + other.below_error + 2.0 * UNIT * other.below
        mass = np.where(left_error <= right_error, left, right)
        error = np.where(self.place == other.place, 0.0, np.minimum(left_error, right_error) + _UNDERFLOW)
        return np.maximum(mass, 0.0), error


class LineLaw(ABC):
    """A law with a density on the real line, between ``low`` and ``high``."""

    name: str
    low: float
    high: float
    relative: float
    least: float = -np.inf
    """The log of a density below which nothing is known of it but that it is small."""

    @abstractmethod
    def log_density(self, x: FloatArray) -> FloatArray:
        """The log of the density at each ``x``: -inf outside the support, NaN nowhere."""

    @abstractmethod
    def sides(self, x: FloatArray) -> Sides:
        """What lies on either side of each ``x``, infinite ones too."""

    @abstractmethod
    def places(self) -> FloatArray:
        """Where it is worth looking: places through which its mass is spread, far into its tails."""


class StatsLaw(LineLaw):
    """A continuous distribution of ``scipy.stats``, frozen or of the new kind, taken at its word.

    Examples
    --------
    >>> from scipy import stats
    >>> law = StatsLaw("p", stats.norm(), 1e-12, 0.0)
    >>> law.low, law.sides(np.array([-40.0, 0.0])).below.round(3).tolist()
    (-inf, [0.0, 0.5])
    """

    def __init__(self, name: str, distribution: Any, relative: float, absolute: float) -> None:
        self.name = name
        self.relative, self.least = relative, -np.inf if _own_logs(distribution) else LEAST
        self._absolute = absolute
        new = hasattr(distribution, "ccdf")
        self._below, self._log_density = distribution.cdf, distribution.logpdf
        self._above = distribution.ccdf if new else distribution.sf
        self._quantile, self._from_above = (
            (distribution.icdf, distribution.iccdf) if new else (distribution.ppf, distribution.isf)
        )
        ends = np.asarray(quietly(distribution.support), dtype=np.float64)
        if ends.shape != (2,) or not ends[0] < ends[1]:
            raise InvalidParameter(name, distribution, "one distribution with fixed numbers for its parameters")
        self.low, self.high = float(ends[0]), float(ends[1])
        self._bins = _bins(distribution, self.low, self.high)

    def log_density(self, x: FloatArray) -> FloatArray:
        return np.nan_to_num(answered(self.name, self._log_density, x), nan=-np.inf, posinf=np.inf, neginf=-np.inf)

    def sides(self, x: FloatArray) -> Sides:
        below, above = (self._masses(verb, x) for verb in (self._below, self._above))
        inside = (x > self.low) & (x < self.high)
        apart = np.where(inside, np.abs(below + above - 1.0), 0.0)
        if not bool(np.all(apart <= _APART + 2.0 * (self.relative + self._absolute))):
            at = int(np.argmax(apart))
            raise InvalidParameter(
                self.name, float(apart[at]), f"a distribution whose cdf and sf add up to 1 at {float(x[at])!r}",
                "The value is by how much they do not.",
            )  # fmt: skip
        # where they contradict each other by more than they may err, one of them errs by as much
        more = np.where(apart > 2.0 * (self.relative + self._absolute) + 8.0 * UNIT, apart, 0.0)
        # the smaller one has the digits of both
        left = below <= 0.5
        small = np.where(left, below, above)
        more, small = np.maximum(more, -small), np.clip(small, 0.0, 1.0)
        below, above = np.clip(below, 0.0, 1.0), np.clip(above, 0.0, 1.0)
        error = self.relative * small + self._absolute + more + np.where(small < _UNDERFLOW, _UNDERFLOW, 0.0)
        below = np.where(x <= self.low, 0.0, np.where(x >= self.high, 1.0, np.where(left, below, 1.0 - above)))
        above = np.where(x >= self.high, 0.0, np.where(x <= self.low, 1.0, np.where(left, 1.0 - below, above)))
        rounded = error + UNIT
        return Sides(
            x, below, above,
            np.where(inside, np.where(left, error, rounded), 0.0),
            np.where(inside, np.where(left, rounded, error), 0.0),
        )  # fmt: skip

    def _masses(self, verb: Callable[[FloatArray], object], x: FloatArray) -> FloatArray:
        values = answered(self.name, verb, x)
        fine = (values >= -_OVER) & (values <= 1.0 + _OVER)
        if not bool(np.all(fine)):
            at = int(np.argmin(fine))
            allowed = f"a distribution whose cdf and sf are in [0, 1] at {float(x[at])!r}"
            raise InvalidParameter(self.name, float(values[at]), allowed)
        return values

    def places(self) -> FloatArray:
        deep = np.logspace(_DEEPEST, _SHALLOW, _DEEP, endpoint=False)
        level = np.append(deep, np.linspace(10.0**_SHALLOW, 0.5, _EVEN))
        with warnings.catch_warnings():  # solvers that find no quantile say so, and nothing rests on them
            warnings.simplefilter("ignore", RuntimeWarning)
            found = [np.asarray(quietly(verb, level), dtype=np.float64) for verb in (self._quantile, self._from_above)]
        return np.concatenate([[self.low, self.high], self._bins, *found])


def _own_logs(distribution: Any) -> bool:
    """Whether its log density is a formula of its own, and not the log of a density that underflows."""
    kind = type(getattr(distribution, "dist", distribution))
    return "_logpdf" in vars(kind) or "_logpdf_formula" in vars(kind)


def _bins(distribution: Any, low: float, high: float) -> FloatArray:
    """Either side of every edge of a histogram, whose density leaps there, however narrow a bin is."""
    edges = getattr(getattr(distribution, "dist", distribution), "_hbins", None)
    if edges is None:
        return np.zeros(0)
    edge = np.asarray(edges, dtype=np.float64)
    edge = low + (edge - edge[0]) * ((high - low) / (edge[-1] - edge[0]))  # where it is moved or stretched
    return np.concatenate([edge, np.nextafter(edge, -np.inf), np.nextafter(edge, np.inf)])


def around(points: FloatArray, width: float) -> FloatArray:
    """Places beside each point, ever nearer to it: what is narrow there is seen.

    Examples
    --------
    >>> around(np.array([1.0]), 1.0).size
    31
    """
    steps = width * 10.0 ** -np.arange(1.0, 16.0)
    return np.concatenate([points, *(points[:, None] + way * steps for way in (-1.0, 1.0))], axis=None)


def quietly(verb: Callable[..., object], *arguments: object) -> object:
    """What a function of somebody else says, without its warnings of overflow and the like."""
    with np.errstate(all="ignore"):
        return verb(*arguments)


def answered(name: str, verb: Callable[[FloatArray], object], x: FloatArray) -> FloatArray:
    """What a function of somebody else says of an array: as many numbers, else it is refused."""
    raw = unmasked(name, quietly(verb, x.copy()))
    if raw is None or raw.dtype.kind not in "fiu" or raw.shape != x.shape:
        shown = "something else" if raw is None else f"shape {raw.shape}, {raw.dtype}"
        raise InvalidParameter(name, shown, f"a law that answers an array of {len(x)} places with as many numbers")
    return raw.astype(np.float64)
