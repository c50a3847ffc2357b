"""The settings of a batch: noise multipliers, rates and numbers of steps side by side, and which of them it takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.numerics.rounding import LARGEST_EXPONENT

__all__ = ["LOSS_UNITS", "Settings", "spreads", "taken", "whole"]

# certifies, units of 2^-53: relative error of a loss, of which 5 |t| more come from t itself. log1p(q expm1(t)) errs by
# two functions (4 each), a product and t, 3 units off and read by expm1 with a factor of at most 1 + |t|; below
# r = 1/2, log(1 - q), at most 6.91, is added to log1p(q e^t / (1 - q)) <= 6.22: 4 units of either and 10 more of
# q e^t / (1 - q), over a sum of at least 0.69
LOSS_UNITS = 100.0

_FEWEST = 30.0  # steps: of fewer a line is long, and the regular engine has other contours
_MOST = 1e9  # steps that rounding, which grows with them, leaves anything of
_NOISE = (0.29, 1001.0)  # noise multipliers that are taken: steers
_RATES = (0.99e-8, 0.999)  # the second certifies, for ``LOSS_UNITS``
_WHOLE = (1e-4, 50.0)  # mu of Gaussians that are taken
_SPREADS = (2e-3, 80.0)  # deviations of the loss, about: of less all tilts are steep, of more 1 - delta is no float


@dataclass(frozen=True)
class Settings:
    """Noise multiplier s, rate q and number of steps T of each setting (1-d, as long as each other)."""

    sigma: FloatArray
    rate: FloatArray
    steps: FloatArray

    def loss(self, x: FloatArray) -> FloatArray:
        """log r(x) of each setting (first axis) at real x, relative to ``LOSS_UNITS`` + 5 |t| units, where
        r(x) = 1 - q + q e^t and t = (x - 1/2) / s^2.
        """
        t, q = self.tilt(x), self.rate[:, None]
        found = np.log1p(q * np.expm1(np.minimum(t, LARGEST_EXPONENT)))
        with np.errstate(under="ignore", over="ignore"):
            low = np.log1p(-q) + np.log1p(q / (1.0 - q) * np.exp(np.minimum(t, 0.0)))
        found = np.where(q * np.expm1(np.minimum(t, 0.0)) < -0.5, low, found)
        return np.where(t > LARGEST_EXPONENT, t + np.log(q), found)

    def tilt(self, x: FloatArray) -> FloatArray:
        """t at x, to 3 units of 2^-53."""
        return (x - 0.5) / (self.sigma * self.sigma)[:, None]


def spreads(sigma: FloatArray, rate: FloatArray, steps: FloatArray) -> FloatArray:
    """About the deviation of the loss of all steps."""
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        return rate * np.sqrt(steps * np.expm1(np.minimum(sigma**-2.0, LARGEST_EXPONENT)))


def whole(sigma: FloatArray, rate: FloatArray, steps: FloatArray) -> tuple[IntArray, FloatArray]:
    """Which settings are Gaussians, since every record takes part in every step, and their mu = sqrt(T) / s, to 3
    units; but for those far outside of what anybody asks.
    """
    with np.errstate(over="ignore", under="ignore"):
        mu = np.sqrt(steps) / sigma
    rows = np.flatnonzero((rate == 1.0) & (mu >= _WHOLE[0]) & (mu <= _WHOLE[1]))
    return rows, mu[rows]


def taken(sigma: FloatArray, rate: FloatArray, steps: FloatArray) -> BoolArray:
    """Which settings are worth a try in a batch: all others go to the regular engine unseen. It steers, but for the
    largest rate.
    """
    spread = spreads(sigma, rate, steps)
    some = (steps >= _FEWEST) & (steps <= _MOST) & (rate >= _RATES[0]) & (rate <= _RATES[1])
    return some & (sigma >= _NOISE[0]) & (sigma <= _NOISE[1]) & (spread >= _SPREADS[0]) & (spread <= _SPREADS[1])
