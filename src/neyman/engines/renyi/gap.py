"""From G_t = E_Q[r^t - 1 - t (r - 1)] / (t (t - 1)) to D_t = log(1 + t (t - 1) G_t) / (t - 1); D_1 is G_1."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import SMALLEST, UNIT

__all__ = ["of_gap"]


def of_gap(order: FloatArray, log_gap: FloatArray, upper: bool) -> FloatArray:
    """Return a bound on D_t, from above (``upper``) or below, from such a bound on log G_t; below, it is finite."""
    sign = 1.0 if upper else -1.0
    off = np.where(order == 1.0, 1.0, order - 1.0)
    x = np.log(order) + np.log(np.abs(off)) + log_gap
    size = np.where(np.isfinite(x), np.abs(x) + np.abs(log_gap), 0.0)
    x = x + sign * 4.0 * UNIT * size
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        above = np.logaddexp(0.0, x) / off
        below = np.where(x < 0.0, -np.log1p(-np.exp(np.minimum(x, 0.0))), math.inf) / -off
        one = np.exp(log_gap + sign * 4.0 * UNIT * np.where(np.isfinite(log_gap), np.abs(log_gap), 0.0))
    out = np.where(order > 1.0, above, np.where(order < 1.0, below, one))
    if not upper:
        out = np.where(np.isfinite(out), out, 0.0)
    some = np.isfinite(log_gap)
    # logaddexp and its kin underflow for x below -745: nothing is lost from above
    return np.where(
        some, out * (1.0 + sign * 8.0 * UNIT) + (SMALLEST if upper else 0.0), np.where(log_gap < 0.0, 0.0, math.inf)
    )
