"""What lies beyond the ends of a Mellin sum: bounds from moments.

x^b e^{-x} <= (b / e)^b, so that M(x) = E (S / t)^n e^{-x S / t} <= (b / e)^b x^{-b} E (S / t)^{n - b} for every b >= 0.
Along a ray |s^a M(s)| <= |s|^a M(|s| cos theta). With b < a it bounds what lies before the first node, with b > a what
lies beyond the last: over evenly spaced log |s| both are geometric series. Whole moments are known (``moments``); for
v > 0, E (S / t)^{-v} <= exp(v / (2 sigma^2) + v^2 / (2 t sigma^2)), a mean being no less than the geometric one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import TINY

__all__ = ["Ends"]

_NEGATIVE = 2.0 ** np.arange(-2.0, 13.0)  # v; times the order of a moment where that is further out
_ROUNDED = 1e-12  # relative, of what is added up here: some sums of logarithms


@dataclass(frozen=True, eq=False)
class Ends:
    """Some b, and the log of (b / e)^b E (S / t)^{n - b}; the a of the sum and its spacing."""

    a: float
    step: float
    b: FloatArray
    log: FloatArray

    @classmethod
    def of(cls, sigma: float, t: int, w: float, n: int, whole: FloatArray, step: float) -> Ends:
        """Those of the sum for the moment ``w`` < n, given at least the logs of the ``whole`` moments 0 to n."""
        v = _NEGATIVE * max(1.0, -w)
        v = v[v > -w]
        b = np.concatenate([n - np.arange(0.0, n + 1.0), n + v])
        log = np.concatenate([whole, v / (2.0 * sigma**2) + v * v / (2.0 * t * sigma**2)])
        log = log + np.where(b > 0.0, b * (np.log(np.maximum(b, TINY)) - 1.0), 0.0)
        return cls(n - w, step, b, log + _ROUNDED * (1.0 + np.abs(log)))

    def reach(self, theta: float, target: float) -> tuple[float, float]:
        """log |s| before and beyond which each term is below e^``target``, about."""
        turned = math.log(math.cos(theta))
        place = (self.log - self.a * turned - target) / np.where(self.b == self.a, 1.0, self.b - self.a)
        low = float(np.max(place[self.b < self.a], initial=-math.inf))
        return low - turned, float(np.min(place[self.b > self.a], initial=math.inf)) - turned

    def beyond(self, theta: float, low: float, high: float) -> float:
        """log of the sums of |s^a M(s)| over the places from log |s| = ``low`` down, and from ``high`` up."""
        a, turned = self.a, math.log(math.cos(theta))
        found: list[float] = []
        for side, u in ((self.b < a, low), (self.b > a, high)):
            b, log = self.b[side], self.log[side]
            fall = np.abs(b - a)
            at = log + (a - b) * u - b * turned - np.log(-np.expm1(-fall * self.step))
            size = np.abs(log) + fall * abs(u) + np.abs(b * turned) + np.abs(at) + 1.0
            found.append(float(np.min(at + _ROUNDED * size, initial=math.inf)))
        return float(np.logaddexp(found[0], found[1]))
