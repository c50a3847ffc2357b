"""Discrete Gaussians in floats: their transforms come back to full size. It steers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.witnesses.steps.base import Step

__all__ = ["Returning"]

_FURTHEST = 0.45  # turns from a return, from which on nothing more is used of it
_SMOOTH = 6.0  # sigma from which on integers are as good as an integral: e^{-2 pi^2 sigma^2} is 1e-308


@dataclass(frozen=True)
class Returning(Step):
    """A discrete Gaussian, whose transform comes back once a period."""

    sigma: float
    shift: int
    times: int

    def log_share(self, first: FloatArray, last: FloatArray) -> FloatArray:
        """log of a bound on its modulus between two omegas, beside its moment."""
        turns = [omega * self.shift / (2.0 * math.pi * self.sigma**2) for omega in (first, last)]
        whole = np.floor(turns[0])
        away = np.minimum(np.minimum(turns[0] - whole, whole + 1.0 - turns[1]), _FURTHEST)
        return np.where(away > 0.0, -0.5 * self.times * (2.0 * math.pi * self.sigma * away) ** 2, 0.0)

    def log_moment(self, w: float) -> float:
        """By the integers near the tilted center."""
        center = w * self.shift
        if not abs(center) < 1e15:
            return math.inf
        grown = 0.5 * (w * w - w) * (self.shift / self.sigma) ** 2
        if self.sigma > _SMOOTH:
            return self.times * grown
        return self.times * (grown + self._log_sum(round(center) - center) - self._log_sum(0.0))

    def _log_sum(self, off: float) -> float:
        """log of the sum of e^{-k^2 / 2 sigma^2} over k that are so far off whole numbers."""
        near = np.arange(-math.ceil(9.0 * self.sigma) - 1, math.ceil(9.0 * self.sigma) + 2)
        return math.log(float(np.exp(-0.5 * ((near + off) / self.sigma) ** 2).sum()))

    def log_modulus(self, w: float, omega: float) -> float:
        """It comes back."""
        return self.log_moment(w)
