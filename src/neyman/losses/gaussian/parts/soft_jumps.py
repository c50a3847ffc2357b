"""The rare jumps of one sampled step as a law of their own: how fast their transform falls.

The density of x is multiplied by 1 - g(x), g as in ``SoftBulk``. Shifted off the real axis the transform is bounded by
an integral that falls with omega (``shifted_bound``), far below what the whole law, whose losses begin at nothing, says
there: the losses of the jumps begin at ``end``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.gaussian.parts.bulk import DAWSON
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.numerics.rounding import TINY

__all__ = ["SoftJumps"]

_BEFORE = 14.0  # widths before ``end`` at which grids begin: there 1 - g < e^-196
_BEYOND = 8.0  # standard deviations beyond it at which they may end


@dataclass(frozen=True)
class SoftJumps(SamplingTransform):
    """What ``SoftBulk`` of the same ``end`` and ``width`` leaves of the law: of it only bounds are asked for."""

    end: float
    width: float

    @property
    def bend(self) -> float:
        """b of the growth e^{b y^2} of the density, at most, from the real axis to Im x = y."""
        return 0.5 / self.sigma**2 + self.width**-2

    def log_bound_at(self, w: float, omega: float, cut: float) -> float:
        """Upper bound on log |A_j(w + i omega')| of the jumps below ``cut``, for every omega' >= ``omega`` > 0."""
        # e^{y^2 / width^2 - omega y dS/dx}, dS/dx where they begin, is least there
        slope = 0.5 * self.width**2 * self._chance(self.end) / self.sigma**2
        return float(self.log_bound(np.array([w]), np.array([omega]), np.array([slope]), cut)[0])

    def log_density(self, x: Any) -> Any:
        """Log density of N(0, sigma^2) times 1 - g."""
        return SamplingTransform.log_density(self, x) + log_ndtr(self._place(x))

    def log_modulus(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Log of a bound on the modulus of the density at x + iy, one row for each y."""
        # |1 - g(z)| <= e^{y^2/width^2} (1 - g(x)), and 1 - g(z) = g(-z) about ``end``
        place, grown = self._place(x), (y[..., None] / self.width) ** 2
        share = np.minimum(grown + log_ndtr(place), np.logaddexp(0.0, grown + log_ndtr(-place)))
        return SamplingTransform.log_density(self, x) + 0.5 * (y[..., None] / self.sigma) ** 2 + share

    def log_smooth(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """As ``log_modulus``, but by two terms that each bend by 2 ``bend`` at most: as for ``SoftBulk``, |1 - g(z)| <=
        1 - g(x) + |g(z) - g(x)|.
        """
        place, u = self._place(x), y[..., None] / self.width
        away = np.log(np.clip(u, TINY, DAWSON) / math.sqrt(math.pi)) + u**2 - 0.5 * place**2
        share = np.logaddexp(log_ndtr(place), away)
        return SamplingTransform.log_density(self, x) + 0.5 * (y[..., None] / self.sigma) ** 2 + share

    def log_envelope(self, x: Any) -> Any:
        """Before they begin the density itself; beyond, 1 - g <= 1."""
        return np.where(np.asarray(x) < self.end, self.log_density(x), SamplingTransform.log_density(self, x))

    def rates(self, w: float, first: float, last: float) -> tuple[float, float]:
        """With u = sqrt(2) (x - end)/width < 0, the log of Phi(u) rises by more than -u: the more, the smaller x."""
        rise, fall = SamplingTransform.rates(self, w, first, last)
        return rise + 2.0 * max(self.end - first, 0.0) / self.width**2, fall

    def ends(self, reach: float, w: float, cut: float) -> tuple[float, float]:
        """Where grids begin and end."""
        low, top = SamplingTransform.ends(self, reach, w, cut)
        top = min(cut, self.limit, max(top, self.end + _BEYOND * self.sigma))
        return min(max(low, self.end - _BEFORE * self.width), top - self.width), top

    def _place(self, x: Any) -> Any:
        return math.sqrt(2.0) * (x - self.end) / self.width
