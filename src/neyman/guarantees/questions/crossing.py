"""Where an increasing function of eps >= 0 reaches a target: bracketed secants, vectorised.

The scores it is given are probits of probabilities, nearly linear in eps for anything near Gaussian, so a handful of
evaluations suffices; a bisection guards every step. It steers; certificates are made by whoever calls it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray, IntArray
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import allowance

__all__ = ["Guess", "among", "crossing", "interpolated", "rising"]

_LARGEST = 1e150  # an eps above it is told as inf
_LIMIT = 120  # evaluations at most: steers
_ASIDE = 64.0  # of what is near enough
_OTHERS = ((0, 1, 2, 3), (1, 0, 2, 3), (2, 0, 1, 3), (3, 0, 1, 2))  # each of four points, and those beside it


def crossing(
    score: Callable[[FloatArray], FloatArray],
    target: FloatArray,
    start: float,
    precision: float = 1e-14,
    guess: Guess | None = None,
) -> FloatArray:
    """Return eps with score(eps) about equal to each ``target``; 0 where score(0) >= target, inf where never reached.
    Where no effort is left, as near as it came.

    ``start`` is the eps in which a score rises by about 1, and the unit of ``precision`` (relative to eps where that is
    smaller).
    ``guess`` says about where each target is reached, and how steep it is there, where that is known.
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
    guess = None if guess is None else guess.at(open_)
    x = x if guess is None else np.where(guess.known, guess.epsilon, x)
    width = high.copy()
    for step in range(_LIMIT):
        miss = score(x) - goal
        if step == 0 and guess is not None:  # as steep as the table is there
            with np.errstate(invalid="ignore", over="ignore"):
                before = np.where(guess.known, 0.5 * x, before)
                miss_before = np.where(guess.known, miss - guess.slope * 0.5 * x, miss_before)
        low, high = np.where(miss < 0.0, x, low), np.where(miss < 0.0, high, x)
        after = _next(x, miss, before, miss_before, low, high, step)
        if step % 4 == 3:  # the bracket must shrink, whatever the function
            stale = np.isfinite(high) & (high - low > 0.25 * width)
            after = np.where(stale, _middle(low, high), after)
            width = np.where(np.isfinite(high), high - low, width)
        nearness = np.maximum(precision * np.minimum(x, 8.0 * start), 4.0 * UNIT * x)
        hit = np.abs(miss) <= 0.3 * precision * (1.0 + np.abs(goal))
        # a chord from afar to the other side tells no step: it may lead across a jump
        told = ((miss < 0.0) == (miss_before < 0.0)) | (np.abs(x - before) <= _ASIDE * nearness)
        done = hit | ((np.abs(after - x) <= nearness) & told) | (x > _LARGEST)
        done |= np.isfinite(high) & (high - low <= precision * high)
        settled = np.where(hit, x, after)
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


class Guess(NamedTuple):
    """Eps at some goals as a table tells it, where it does, and the slope there."""

    epsilon: FloatArray
    slope: FloatArray
    known: NDArray[np.bool_]
    miss: float = 0.1  # of the score there, at most: for searches that go on from it

    def at(self, place: IntArray) -> Guess:
        """Those of some goals."""
        return Guess(self.epsilon[place], self.slope[place], self.known[place])

    def beside(self, other: Guess) -> Guess:
        """These, and the ``other``'s where these are not known."""
        mine = self.known
        return Guess(
            np.where(mine, self.epsilon, other.epsilon), np.where(mine, self.slope, other.slope), mine | other.known
        )


def interpolated(known: tuple[FloatArray, FloatArray], goal: FloatArray) -> Guess:
    """Where a function that is ``known`` at increasing eps is at each ``goal``: by a cubic through four of the points,
    where that rises.
    """
    return among(rising(known), goal)


def among(known: tuple[FloatArray, FloatArray], goal: FloatArray) -> Guess:
    """The same of one that rises from each of its places to the next."""
    x, s = known
    if len(s) < 4:
        return Guess(np.zeros_like(goal), np.zeros_like(goal), np.zeros(goal.shape, dtype=np.bool_))
    found = [_read(x, s, one) for one in goal.tolist()]
    epsilon, slope, between = zip(*found, strict=True) if found else ((), (), ())
    return Guess(np.array(epsilon), np.array(slope), np.array(between, dtype=np.bool_))


def _read(x: FloatArray, s: FloatArray, goal: float) -> tuple[float, float, bool]:
    """Where it is at one goal, how steep it is there, and whether that lies between the known ones; as goals are few,
    in floats.
    """
    place = min(max(int(s.searchsorted(goal)), 1), len(s) - 1)
    first = min(max(place - 2, 0), len(s) - 4)
    at, scores, k = x[first : first + 4].tolist(), s[first : first + 4].tolist(), place - first
    width = at[k] - at[k - 1]
    chord = (scores[k] - scores[k - 1]) / width if width else math.inf
    value = each = 0.0  # eps, and what it gains for each unit of score
    for i, j, n, m in _OTHERS:
        apart = scores[i] - scores[j], scores[i] - scores[n], scores[i] - scores[m]
        a, b, c = (goal - scores[j]) / apart[0], (goal - scores[n]) / apart[1], (goal - scores[m]) / apart[2]
        da, db, dc = 1.0 / apart[0], 1.0 / apart[1], 1.0 / apart[2]
        value += at[i] * a * b * c
        each += at[i] * (da * b * c + a * db * c + a * b * dc)
    between = float(s[0]) < goal < float(s[-1]) and chord > 0.0
    if at[k - 1] < value < at[k] and each > 0.0:
        return value, 1.0 / each, between
    return at[k - 1] + ((goal - scores[k - 1]) / chord if chord else math.inf), chord, between


def rising(known: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Those of the places where the function is above all that it was before."""
    record = np.maximum.accumulate(known[1])
    new = np.empty(len(record), dtype=np.bool_)
    new[:1], new[1:] = True, record[1:] > record[:-1]
    return known[0][new], known[1][new]


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
