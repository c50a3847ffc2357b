"""Where an increasing function of eps >= 0 reaches a target: bracketed secants, vectorised.

The scores it is given are probits of probabilities, nearly linear in eps for anything near Gaussian, so a handful of
evaluations suffices; a bisection guards every step. It steers; certificates are made by whoever calls it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import allowance

__all__ = ["crossing"]

_LARGEST = 1e150
_LIMIT = 120


def crossing(
    score: Callable[[FloatArray], FloatArray],
    target: FloatArray,
    start: float,
    precision: float = 1e-14,
    known: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:
    """Return eps with score(eps) about equal to each ``target``; 0 where score(0) >= target, inf where never reached.
    Where no effort is left, as near as it came.

    ``start`` is the eps in which a score rises by about 1, and the unit of ``precision`` (relative to eps where that is
    smaller).
    ``known`` holds increasing eps and about their scores, between which better guesses are interpolated.
    """
    at_zero = float(score(np.zeros(1))[0])
    root = np.zeros_like(target)
    open_ = np.flatnonzero(at_zero < target)
    if open_.size == 0:
        return root
    goal = target[open_]
    low, high = np.zeros_like(goal), np.full_like(goal, np.inf)
    before, miss_before = low.copy(), np.maximum(at_zero, -1e9) - goal
    # scores are probits: for a Gaussian they rise by 1 for each ``start`` of eps
    x = start * np.clip(np.nan_to_num(goal - at_zero, nan=1.0), 0.05, 50.0)
    if known is not None:
        between = (goal > known[1][0]) & (goal < known[1][-1])
        x = np.where(between, np.interp(goal, known[1], known[0]), x)
        left = np.clip(np.searchsorted(known[1], goal) - 1, 0, known[1].size - 1)
        before = np.where(between, known[0][left], before)
        miss_before = np.where(between, known[1][left] - goal, miss_before)
        x = np.where(x > before, x, start)
    width = high.copy()
    for step in range(_LIMIT):
        miss = score(x) - goal
        low, high = np.where(miss < 0.0, x, low), np.where(miss < 0.0, high, x)
        after = _next(x, miss, before, miss_before, low, high, step)
        if step % 4 == 3:  # the bracket must shrink, whatever the function
            stale = np.isfinite(high) & (high - low > 0.25 * width)
            after = np.where(stale, _middle(low, high), after)
            width = np.where(np.isfinite(high), high - low, width)
        nearness = np.maximum(precision * np.minimum(x, 8.0 * start), 4.0 * UNIT * x)
        done = (np.abs(after - x) <= nearness) | (np.abs(miss) <= 0.3 * precision * (1.0 + np.abs(goal)))
        done |= (np.isfinite(high) & (high - low <= precision * high)) | (x > _LARGEST)
        settled = np.where(np.abs(miss) <= 0.3 * precision * (1.0 + np.abs(goal)), x, after)
        root[open_[done]] = np.where(x > _LARGEST, np.inf, settled)[done]
        keep = ~done
        if not np.any(keep):
            return root
        open_, goal, low, high, width = open_[keep], goal[keep], low[keep], high[keep], width[keep]
        before, miss_before, x = x[keep], miss[keep], after[keep]
        if not allowance().take(1.0):  # as near as it came
            root[open_] = x
            return root
    root[open_] = np.where(np.isfinite(high), high, np.inf)
    return root


def _next(
    x: FloatArray,
    miss: FloatArray,
    before: FloatArray,
    miss_before: FloatArray,
    low: FloatArray,
    high: FloatArray,
    step: int,
) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        secant = x - miss * ((x - before) / (miss - miss_before))
    growth = 2.0 ** min(2.0**step, 300.0)
    bounded = np.isfinite(high)
    open_step = np.where(np.isfinite(secant) & (secant > x), np.minimum(secant, x * 8.0 * growth), x * 2.0 * growth)
    inside = (secant > low) & (secant < high)
    return np.where(bounded, np.where(inside, secant, _middle(low, high)), np.minimum(open_step, 2.0 * _LARGEST))


def _middle(low: FloatArray, high: FloatArray) -> FloatArray:
    top = np.where(np.isfinite(high), high, 1.0)
    wide = (low > 0.0) & (top > 16.0 * low)
    return np.where(wide, np.sqrt(low) * np.sqrt(top), 0.5 * low + 0.5 * top)
