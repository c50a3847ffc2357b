"""Where the bulk of each step ends and its rare jumps begin, tilt by tilt.

Tilted by e^{cS}, the density of a rare step has a crest, then a valley, and then explodes: it is parted in the valley.
All of this only steers; what the parted law is worth is certified by the lines laid through its parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.contour.parts import Parts
from neyman.losses.gaussian.transform import log_ratio
from neyman.numerics.rounding import HUGE, TINY

__all__ = ["Place", "Valleys"]

_TILTS = np.geomspace(0.3, 1e9, 120)  # c at which it is looked for: it steers
_POINTS = 400  # of the noise, where the law under a tilt is looked at
_LOWEST = -745.0  # log of the smallest delta
_TAMER = 6.0  # e-folds by which the jumps stay below the bulk's line where the law may be parted anywhere
_FEW = -2.0  # log of the number of jumps up to which they are called rare
_HALVINGS = 16  # of the logarithm of 1e304: to within 1 per cent
_SHARPER = 8.0  # e-folds by which rounding hurts the bulk more than the jumps
_BEHIND, _AHEAD = 10.0, 20.0  # deviations of the noise, on either side
_RANGE = 1e-300, 1e4  # eps among which one is looked for


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bulk's line stands, and the x at which each step is parted."""

    c: float
    ends: FloatArray


@dataclass(frozen=True)
class Valleys:
    """Cumulant, mean and deviation of the bulk at rising tilts c, and the x at which each step is parted there."""

    c: FloatArray
    k: FloatArray
    mean: FloatArray
    deviation: FloatArray
    ends: FloatArray  # one row per step; inf: no valley
    x: FloatArray  # one row per step
    losses: FloatArray  # one row per step
    log_mass: FloatArray  # one row per step, counted as often as it is applied

    @classmethod
    def of(cls, parts: Parts) -> Valleys:
        """The valleys of a composition in direction "remove"."""
        c = _TILTS
        k = 0.5 * parts.mu**2 * c * (c + 1.0)
        mean, variance = parts.mu**2 * (c + 0.5), np.full(len(c), parts.mu**2)
        ends, places, losses, masses = [], [], [], []
        for law, times in parts.gaussians:
            x = np.linspace(-_BEHIND * law.sigma, _AHEAD * law.sigma, _POINTS)
            loss = log_ratio(x, law.sigma, law.rate)
            density = law.log_density(x) + math.log(x[1] - x[0])
            steepness = -np.expm1(math.log1p(-law.rate) - loss)  # sigma^2 dS/dx
            falling = np.multiply.outer(c, steepness) < x
            crest = np.argmax(falling, axis=1)
            rising = ~falling & (np.arange(_POINTS) > crest[:, None])
            valley = np.where(rising.any(axis=1), np.argmax(rising, axis=1), _POINTS - 1)
            ends.append(np.where(rising.any(axis=1) & falling.any(axis=1), x[valley], math.inf))
            tilted = np.multiply.outer(c + 1.0, loss) + density
            tilted = np.where(np.arange(_POINTS) <= valley[:, None], tilted, -math.inf)
            top = tilted.max(axis=1)
            weight = np.exp(tilted - top[:, None])
            total = weight.sum(axis=1)
            first = weight @ loss / total
            k = k + times * (top + np.log(total))
            mean = mean + times * first
            variance = variance + times * (weight * (loss - first[:, None]) ** 2).sum(axis=1) / total
            places.append(x)
            losses.append(loss)
            masses.append(density + math.log(times))
        return cls(c, k, mean, np.sqrt(variance), np.array(ends), np.array(places), np.array(losses), np.array(masses))

    def log_delta(self, epsilon: float) -> float:
        """A guess at log delta: the bulk's saddle, or one jump beyond ``epsilon``."""
        jump = np.log(-np.expm1(-np.maximum(self.losses - epsilon, TINY))) + self.losses + self.log_mass
        one = float(np.logaddexp.reduce(np.where(self.losses > epsilon, jump, -math.inf), axis=None))
        saddle = np.flatnonzero((self.mean >= epsilon) & self._parted)
        if len(saddle):
            one = max(one, float(self._height(epsilon)[saddle[0]]))
        return min(max(one, _LOWEST), 0.0)

    def least(self, log_delta: float) -> float:
        """About the least eps > 0 with a log delta as small as that."""
        low, high = _RANGE
        for _ in range(_HALVINGS):
            middle = math.sqrt(low) * math.sqrt(high)
            low, high = (middle, high) if self.log_delta(middle) > log_delta else (low, middle)
        return high

    def place(self, epsilon: float) -> Place | None:
        """Such that neither the bulk's line nor the jumps stand high above the answer; None where no step has a
        valley.
        """
        height = self._height(epsilon) + _SHARPER
        score = np.where(self._parted, np.maximum(height, self._log_jumps), math.inf)
        line = int(np.argmin(score))
        if not math.isfinite(score[line]):
            return None
        # more jumps and a tamer bulk, as long as it costs nothing
        tamer = np.flatnonzero(self._parted & (self._log_jumps <= max(score[line] - _TAMER, self._log_jumps[line])))
        return Place(float(self.c[line]), self.ends[:, int(tamer[-1])])

    def parted_at(self, level: float, c: float) -> Place:
        """Every step parted where its loss is ``level``, the bulk's line at c."""
        ends = [float(np.interp(level, loss, x)) for x, loss in zip(self.x, self.losses, strict=True)]
        return Place(c, np.array(ends))

    def bulk(self, c: float) -> tuple[float, float]:
        """About the mean and the deviation of the bulk at c, one of ``self.c``."""
        index = int(np.argmin(np.abs(self.c - c)))
        return float(self.mean[index]), float(self.deviation[index])

    def log_jumps(self, ends: FloatArray, w: FloatArray, cuts: FloatArray) -> FloatArray:
        """log of sum T A_j(w) at each real w, parted at ``ends``, for laws that end at ``cuts`` (one row per step)."""
        total = np.full(len(w), -math.inf)
        for x, loss, mass, end, cut in zip(self.x, self.losses, self.log_mass, ends, cuts, strict=True):
            inside = (x > end) & (x <= cut[:, None])
            tilted = np.where(inside, np.multiply.outer(w, loss) + mass, -math.inf)
            total = np.logaddexp(total, np.logaddexp.reduce(tilted, axis=1))
        return total

    def _height(self, epsilon: float) -> FloatArray:
        """log of about what the bulk's line at each c integrates."""
        return self.k - self.c * epsilon - np.log(self.c * (self.c + 1.0) * (self.deviation + 1.0 / self.c))

    @cached_property
    def _parted(self) -> BoolArray:
        """Where there is a valley, with few jumps beyond it."""
        return np.isfinite(self.ends).all(axis=0) & np.isfinite(self.k) & (self._log_jumps < _FEW)

    @cached_property
    def _log_jumps(self) -> FloatArray:
        """log of the number of jumps to be expected, for each tilt."""
        total = np.full(len(self.c), -math.inf)
        for x, mass, end in zip(self.x, self.log_mass, self.ends, strict=True):
            beyond = np.append(np.logaddexp.accumulate(mass[::-1])[::-1], -math.inf)
            total = np.logaddexp(total, beyond[np.searchsorted(x, np.minimum(end, HUGE))])
        return total
