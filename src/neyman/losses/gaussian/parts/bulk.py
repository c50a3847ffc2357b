"""The bulk of one sampled step: its law without the rare jumps, parted softly at ``end``.

The density of x is multiplied by g(x) = erfc((x - end)/width)/2; the jumps (``Jumps``) are what 1 - g leaves. g is
entire and |g(x + iy)| <= e^{y^2/width^2} g(x): for quadrature the bulk is as smooth as a Gaussian somewhat narrower.
Without its jumps the law has exponential moments far beyond those of the whole, so that a line can be laid through the
saddle of eps even where the whole law has none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from neyman._validate import FloatArray
from neyman.losses.gaussian.transform import AIMED, SPAN, ComplexArray, SamplingTransform
from neyman.numerics.rounding import TINY

__all__ = ["SoftBulk"]

_BEYOND = 9.0  # widths beyond ``end`` at which the bulk is cut: there g < e^-83
DAWSON = 0.542  # certifies: the largest value of Dawson's integral is 0.5411


@dataclass(frozen=True)
class SoftBulk(SamplingTransform):
    """A(w) of the bulk of one step; A(0) < 1, by the mass of the jumps."""

    end: float
    width: float

    @property
    def bend(self) -> float:
        """b of the growth e^{b y^2} of the density, at most, from the real axis to Im x = y."""
        return 0.5 / self.sigma**2 + self.width**-2

    @property
    def limit(self) -> float:
        """The bulk is cut here at the latest."""
        return self.end + _BEYOND * self.width

    @property
    def tame(self) -> float:
        """Whatever the tilt, nothing of the bulk lies beyond its limit."""
        return math.inf

    @property
    def missing(self) -> float:
        """Mass of the jumps without the record."""
        return self._share(0.0)

    @property
    def missing_with(self) -> float:
        """Mass of the jumps with the record: 1 - A(1)."""
        return (1.0 - self.rate) * self._share(0.0) + self.rate * self._share(1.0)

    def _share(self, mean: float) -> float:
        # N(mean, sigma^2) + N(0, width^2/2) > end
        return float(ndtr((mean - self.end) / math.hypot(self.sigma, self.width / math.sqrt(2.0))))

    def log_density(self, x: Any) -> Any:
        """Log density of N(0, sigma^2) times g."""
        return SamplingTransform.log_density(self, x) + log_ndtr(-math.sqrt(2.0) * (x - self.end) / self.width)

    def log_modulus(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Log of a bound on the modulus of the density at x + iy, one row for each y."""
        # |g(z)| <= e^{y^2/width^2} g(x), and 1 - g(z) = g(-z) about ``end``
        place, grown = math.sqrt(2.0) * (x - self.end) / self.width, (y[..., None] / self.width) ** 2
        share = np.minimum(grown + log_ndtr(-place), np.logaddexp(0.0, grown + log_ndtr(place)))
        return SamplingTransform.log_density(self, x) + 0.5 * (y[..., None] / self.sigma) ** 2 + share

    def log_smooth(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """As ``log_modulus``, but by two terms that each bend by 2 ``bend`` at most.

        With v = (x - end)/width and u = y/width, |g(z) - g(x)| <= int_0^u e^{t^2 - v^2} dt / sqrt(pi), and the integral
        of e^{t^2} is at most min(u, 0.542) e^{u^2}: the largest value of Dawson's integral is 0.5411.
        """
        place, u = (x - self.end) / self.width, y[..., None] / self.width
        away = np.log(np.clip(u, TINY, DAWSON) / math.sqrt(math.pi)) + u**2 - place**2
        share = np.logaddexp(log_ndtr(-math.sqrt(2.0) * place), away)
        return SamplingTransform.log_density(self, x) + 0.5 * (y[..., None] / self.sigma) ** 2 + share

    def log_envelope(self, x: Any) -> Any:
        """g <= 1."""
        return SamplingTransform.log_density(self, x)

    def log_lost(self, cut: FloatArray) -> FloatArray:
        """Log of a bound on the mass that either law of the bulk has beyond ``cut``."""
        last = np.minimum(cut, self.limit)
        return SamplingTransform.log_lost(self, last) - np.maximum((last - self.end) / self.width, 0.0) ** 2

    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        """As of the whole law, along the real axis throughout: the bulk does not oscillate fast."""
        return self._on_axis(w, omega, cut, margin, 0.0)

    def terms(self, w: float, omega: float, most: float = 0.0) -> float:
        """About how many grid points ``on_line`` needs a node, up to ``omega``."""
        return SPAN * self.sigma / self._step(w, omega, AIMED, 0.0)
