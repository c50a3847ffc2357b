"""The transform of one sampled Gaussian step when a record is exchanged for another.

P = (1-q) N(0, s^2) + q N(1, s^2) against Q = (1-q) N(0, s^2) + q N(-1, s^2), r = m(t(x)) / m(t(-x)) with m(t) = 1 - q +
q e^t. On Im x = y > 0 the argument of the numerator is positive, that of the denominator negative: r turns forward as
it does for one side alone, and the same shifted contours damp it. The law is its own reversal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.shifted_bound import log_lines
from neyman.losses.gaussian.transform import DEVIATIONS, LIMIT, SamplingTransform, log_ratio
from neyman.losses.readings.tilted import last_valley

__all__ = ["ReplacedTransform"]

_LONGEST = 3000.0  # standard deviations of a grid, times max(1, 1/s): a wider one is not worth a look


@dataclass(frozen=True)
class ReplacedTransform(SamplingTransform):
    """A(w) = E_Q[r^w]."""

    def largest(self, remove: bool) -> float:
        return math.inf

    def log_ratio(self, z: Any) -> Any:
        return log_ratio(z, self.sigma, self.rate) - log_ratio(-z, self.sigma, self.rate)

    def lifted(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        ahead, behind = SamplingTransform.lifted(self, x, y), SamplingTransform.lifted(self, -x, -y)
        return ahead[0] - behind[0], ahead[1] - behind[1], ahead[2] + behind[2]

    def log_density(self, x: Any) -> Any:
        """Log density of Q."""
        return SamplingTransform.log_density(self, x) + log_ratio(-x, self.sigma, self.rate)

    def log_modulus(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Log of the modulus of the density at x + iy, one row for each y."""
        side = np.real(log_ratio(-x - 1j * y[..., None], self.sigma, self.rate))
        return SamplingTransform.log_density(self, x) + 0.5 * (y[..., None] / self.sigma) ** 2 + side

    def _hardest(self, w: FloatArray) -> float:
        return float(w[np.argmax(np.abs(w))])

    def ends(self, reach: float, w: float, cut: float) -> tuple[float, float]:
        low = -min(
            LIMIT * self.sigma + 1.0, DEVIATIONS * self.sigma + 2.0 + max(0.0, 1.0 - w, reach if w < 1.0 else 0.0)
        )
        return low, min(cut, self.limit, DEVIATIONS * self.sigma + 1.0 + max(0.0, w))

    def shrinks(self, w: float) -> float:
        """The tilted density is phi m(t(x))^w m(t(-x))^{1 - w}."""
        return max(-w, 0.0) + max(w - 1.0, 0.0)

    def turning(self, size: float, low: float, top: float) -> float:
        """Both turn; the one behind once more, in the density."""
        behind = self._wavering_up_to(-low)
        return size * (self._wavering_up_to(top) + behind) + behind

    def turning_at(self, x: FloatArray, size: float) -> FloatArray:
        behind = self._wavering(-x)
        return size * (self._wavering(x) + behind) + behind

    def grown(self, w: float, x: float, y: FloatArray) -> FloatArray:
        return max(-w, 0.0) * self._shrunk(x, y, -1.0) + max(w - 1.0, 0.0) * self._shrunk(-x, y, 1.0)

    def rates(self, w: float, first: float, last: float) -> tuple[float, float]:
        """Its mirror image has 1 - w for w."""

        def falls(w: float, end: float) -> float:
            return (end - max(w, 0.0) - max(w - 1.0, 0.0) * self._chance(-end)) / self.sigma**2

        return falls(1.0 - w, -first), falls(w, last)

    def log_loss(self, x: float) -> float:
        return self.mixed_at(x, 0.0)[0] - self.mixed_at(-x, 0.0)[0]

    def log_wall(self, w: float, x: float, y: float) -> float:
        """The moduli of both factors fall with u."""
        ahead, behind = ([self.mixed_at(side, height)[0] for height in (0.0, y)] for side in (x, -x))
        normal = float(SamplingTransform.log_density(self, x))
        return normal + max(w * each for each in ahead) + max((1.0 - w) * each for each in behind)

    def turned(self, x: float, y: FloatArray) -> FloatArray:
        """Numerator and denominator turn by y/s^2 at most, either."""
        return 2.0 * y / self.sigma**2

    def _growth_at_most(self, w: float, omega: float, y: FloatArray) -> FloatArray:
        """Numerator and denominator each turn by y/s^2 at most, and shrink by cos(y/(2 s^2)) at most."""
        s2 = self.sigma**2
        return y**2 * self.bend + 2.0 * omega * y / s2 - (abs(w) + 1.0) * np.log(np.cos(y / (2.0 * s2)))

    def _growth(self, w: float, omega: float, y: FloatArray, cut: float) -> tuple[FloatArray, float, float]:
        """Far behind, too, the integrand turns: the grid begins where the density makes up for that."""
        top = self.ends(abs(w), w, min(cut, self.limit))[1]
        turns = 2.0 * omega * float(y.max()) / self.sigma**2
        low = -self.sigma * math.sqrt(DEVIATIONS**2 + 2.0 * turns) - 2.0 - max(0.0, 1.0 - w)
        if not top - low < _LONGEST * math.sqrt(0.5 / self.bend) * min(1.0, self.sigma):
            return np.full(len(y), math.inf), top, -math.inf
        most, least, end = log_lines(self, w, omega, y, top, None if math.isfinite(cut) else last_valley, low)
        return np.maximum(most - least, 0.0), end, least
