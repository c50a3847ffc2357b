"""A loss known by its distribution functions as a Renyi divergence needs it: two laws that enclose it."""

from __future__ import annotations

import math

import numpy as np

from neyman.losses.custom.bins import CustomGrid
from neyman.losses.readings.powers import PowerLaw
from neyman.numerics.rounding import UNIT

__all__ = ["enclosing_powers"]

_BINS = 1 << 16  # of a loss known by its distribution functions
_ROUNDED = 1e-9  # masses that distribution functions may lose to rounding


def enclosing_powers(grid: CustomGrid) -> tuple[PowerLaw, PowerLaw]:
    """Return what bins hold, at one loss (below: Jensen) or at their two ends (above): r^t is convex in r."""
    width = grid.span((0.0, 0.0))
    h = width / _BINS
    split = grid.given(h, _BINS).weighed(grid)
    edge = split.base + h * np.arange(_BINS + 1)
    rounding = 4.0 * UNIT * np.exp(-np.maximum(edge[:-1], 0.0))  # of the distribution functions, bin by bin
    index, log_node = split.nodes
    whole = split.lower + split.upper
    with np.errstate(divide="ignore", invalid="ignore"):
        risen = math.expm1(h) * split.upper / np.where(whole > 0.0, whole, 1.0)
        lower = np.log(np.maximum(whole - rounding, 0.0)), edge[:-1] + np.log1p(risen)
        masses = np.append(split.lower + rounding, 0.0) + np.append(0.0, split.upper + rounding)
        upper = np.log(masses), edge
    slack = split.slack + 4.0 * UNIT * float(np.max(np.abs(edge)))
    # what has no place counts as revealed, and the rest is scaled to be a law; below, only what is more than rounding
    lost_p = math.exp(max(split.above)) if math.isinf(grid.end(True)) else 0.0
    lost_q = math.exp(max(split.below)) if math.isinf(grid.end(False)) else 0.0
    laws: list[PowerLaw] = []
    for (log_q, loss), least in ((lower, _ROUNDED), (upper, 0.0)):
        log_a, log_b = (math.log1p(-mass) if mass > least else 0.0 for mass in (lost_p, lost_q))
        some = np.isfinite(log_q)
        losses = np.append(loss[some], edge[index]) + (log_b - log_a)
        logs = np.append(log_q[some], log_node) - log_b
        error = np.full(len(losses), slack)
        laws.append(PowerLaw((), losses, logs, error, split.relative, False, (log_a, log_b), _ROUNDED, known=True))
    return laws[0], laws[1]
