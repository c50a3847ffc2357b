"""Areas and extreme points of a trade-off curve, from polygons of certified tangents and certified points."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.curve.achieved import AchievedCurve
from neyman.guarantees.questions.curve.lower_polygon import lower_hull
from neyman.guarantees.questions.curve.tradeoff import beta_upper, points_above
from neyman.guarantees.questions.epsilon import epsilon_upper
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.pair import HeldTogether, Pair
from neyman.profiles.profile import Profile

__all__ = ["area_over_points", "area_under_curve", "fixed_point"]

_TANGENTS = 1024  # a side; the polygons then differ by less than 1e-5 of the area
_POINTS, _LEFT = 1024, 64  # a side, and to its left
_TAIL = 1e-12  # delta that hardly matters, which tells the last eps: steers
_APART = 1e-6  # of the last eps
_FARTHEST = 40.0  # the last eps at most: steers


def area_under_curve(sides: Pair, start: float) -> float:
    """Return a certified lower bound on the integral of f: the area under the envelope of tangents."""
    at_zero = np.zeros(1)
    log_gap = min(float(branch.bracket(at_zero).log_gap_lower[0]) for branch in sides.branches)
    gap = math.exp(log_gap) * (1.0 - 4.0 * UNIT * (1.0 + min(abs(log_gap), 800.0)))
    if sides.symmetric:
        return 2.0 * _area_right(sides.forward, start, gap, 0.5 * gap)
    middle = min(max(float(sides.forward.slope(at_zero)[0]), 0.0), gap)
    right = _area_right(sides.forward, start, gap, middle)
    return right + _area_right(sides.backward, start, gap, gap - middle)


def _area_right(profile: Profile, start: float, gap_at_zero: float, middle: float) -> float:
    """Area between the part with eps >= 0 of the curve and the ray from the origin to where the tangent of slope -1,
    alpha + beta = ``gap_at_zero``, has alpha = ``middle``: about where it touches, any will do.

    With x = e^eps the tangent at x meets its neighbours at vertices; the region is summed as triangles from the origin,
    1/2 (gap) (alpha_v' - alpha_v) for the edge on tangent gap - x alpha: every term is positive.
    """
    epsilon = _grid(profile, start, _TANGENTS)
    b = profile.bracket(epsilon)
    gap = np.exp(b.log_gap_lower) * (1.0 - 4.0 * UNIT * (1.0 + np.minimum(np.abs(b.log_gap_lower), 800.0)))
    gap[0] = gap_at_zero
    y = np.expm1(epsilon)
    alpha = np.empty(epsilon.size + 1)
    alpha[0] = middle
    alpha[1:-1] = (gap[1:] - gap[:-1]) / np.diff(y)
    alpha[-1] = 0.0
    alpha = np.minimum.accumulate(np.clip(alpha, 0.0, alpha[0]))
    return float(np.sum(0.5 * gap * (alpha[:-1] - alpha[1:]))) * (1.0 - 1e-12)


def area_over_points(sides: Pair, start: float) -> float:
    """Return a certified upper bound on the integral of f: chords between certified points above it.

    Of promises that hold at once they are about 1e-4 of the excess above it, elsewhere 1e-6.

    Some alpha has alpha + f(alpha) = g = 1 - delta(0): (g, g) lies above the curve, and of strong mechanisms says more.
    """
    one = sides.forward
    if isinstance(one, HeldTogether):  # every single question of it is dear
        alpha, beta = AchievedCurve(one.parts, float(_grid(one, start, 2)[-1])).points
    else:
        alpha, beta = points_above(sides, _about(one, start))
    # each half from its own profile, where nothing cancels
    other = (alpha, beta) if sides.symmetric else points_above(sides.reversed, _about(sides.backward, start))
    mirrored = other[::-1]
    x = np.concatenate([[0.0], alpha, mirrored[0], [1.0]])
    y = np.concatenate([[1.0], beta, mirrored[1], [0.0]])
    order = np.lexsort((y, x))
    x, first = np.unique(x[order], return_index=True)
    x, y = lower_hull(x, np.minimum.accumulate(y[order][first]))
    over = float(np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(x)))
    return min(over, float(np.exp(sides.bracket(np.zeros(1)).log_gap_upper[0]))) * (1.0 + 1e-12)


def _about(profile: Profile, start: float) -> FloatArray:
    """The same, and a little to the left of 0."""
    grid = _grid(profile, start, _POINTS)
    return np.concatenate([-grid[_LEFT:0:-1], grid])


def _grid(profile: Profile, start: float, count: int) -> FloatArray:
    """eps from 0 to where delta hardly matters, its bends among them."""
    last = float(epsilon_upper(profile, np.array([_TAIL]), start)[0])
    last = min(last, _FARTHEST) if last > 0.0 else start
    bends = profile.knots[(profile.knots > 0.0) & (profile.knots < last)]
    grid = np.union1d(np.linspace(0.0, last, count), bends[:: 1 + len(bends) // count])
    return grid[np.append(True, np.diff(grid) > _APART * last)]  # tangents that are nearly one meet anywhere


def fixed_point(sides: Pair, upper: bool) -> float:
    """Return a certified bound on max over eps of gap / (1 + e^eps), the alpha at which f(alpha) = alpha.

    From above the maximum needs the symmetric case, where it sits at eps = 0; else beta <= 1 - advantage - alpha gives
    at most min over the two ends of the slope -1 tangent.
    """
    b = sides.bracket(np.zeros(1))
    if sides.symmetric:
        log_gap = b.log_gap_upper if upper else b.log_gap_lower
        value, room = 0.5 * float(np.exp(log_gap[0])), 8.0 * UNIT * (1.0 + abs(float(np.maximum(log_gap[0], -800.0))))
        tiny = SMALLEST * (2.0 if value > 0.0 else 1.0) if log_gap[0] > -np.inf else 0.0  # a gap may underflow
        return value * (1.0 + room) + tiny if upper else max(value * (1.0 - room) - tiny, 0.0)
    return _bisected(sides) if upper else _climbed(sides)


def _climbed(sides: Pair) -> float:
    low, high, best = -5.0, 5.0, 0.0
    for _ in range(8):
        grid = np.linspace(low, high, 33)
        value = np.exp(sides.bracket(grid).log_gap_lower) / (1.0 + np.exp(grid)) * (1.0 - 16.0 * UNIT)
        at = int(np.argmax(value))
        best = max(best, float(value[at]))
        low, high = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, 32)])
    return best


def _bisected(sides: Pair) -> float:
    """f_upper(alpha) <= alpha certifies that the fixed point is at most alpha."""
    low = _climbed(sides)
    trial = np.minimum(low * (1.0 + np.concatenate([1e-12 * 4.0 ** np.arange(18), [1e3]])), 0.5)
    ok = beta_upper(sides, trial, 1.0) <= trial
    return float(trial[int(np.argmax(ok))]) if bool(np.any(ok)) else 0.5
