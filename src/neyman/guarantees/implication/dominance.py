"""Is delta of one pair at most that of another at all real eps? Proved, disproved, or left open with a bound.

Between two points, in x = e^eps, the one delta lies below its chord, the other above its secants extended from outside
and above its own value at the far end. Where the piecewise linear difference is nowhere negative the interval is
proved; the others are refined. eps < 0 is the reversed pair's eps > 0. The last interval is infinite: it is proved
where the one delta has come down to the mass at infinity of the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile

__all__ = ["Comparison", "compared"]

_FARTHEST = 680.0  # eps up to which points are asked; e^680 is a float
_NEGLIGIBLE = 1e-290  # delta from which down no further point is asked; it counts as an excess that is left
_DEAR = 1e-30  # the same where contours answer: without an end no proof goes all the way, and far is dear
_PLAIN = 1e-8  # one in sight of all
_ROUNDS = 16  # of division at most: steers
_MOST_POINTS = 12_000  # eps at most: steers
_BEFORE = 1e-3  # of the spread: the point on the other side of eps = 0, for the first secant


@dataclass(frozen=True, slots=True)
class Comparison:
    """``failed``: delta_mine > delta_other by ``excess`` at ``epsilon``; else ``excess`` bounds it, 0 when proved."""

    failed: bool
    epsilon: float
    excess: float


@dataclass(frozen=True, slots=True)
class _Points:
    """Bounds that matter at increasing eps, in y = e^eps - 1."""

    epsilon: FloatArray
    y: FloatArray
    mine_lower: FloatArray
    mine_upper: FloatArray
    other_lower: FloatArray
    other_upper: FloatArray


def compared(mine: Pair, other: Pair) -> Comparison:
    """Compare the two deltas at all real eps."""
    found = [_branch(mine, other)]
    if not (mine.symmetric and other.symmetric) and not found[0].failed:
        turned = _branch(mine.reversed, other.reversed)
        # at -eps, delta is 1 - e^-eps + e^-eps delta_reversed(eps)
        shrunk = turned.excess * float(np.exp(-turned.epsilon)) * (1.0 - 4.0 * UNIT * (2.0 + turned.epsilon))
        found.append(Comparison(True, -turned.epsilon, shrunk) if turned.failed else turned)
    failed = [one for one in found if one.failed]
    return failed[0] if failed else max(found, key=lambda one: one.excess)


def _branch(mine: Pair, other: Pair) -> Comparison:
    """The same for eps >= 0."""
    unit = min(spread(mine.forward), spread(other.forward))
    sight = unit * np.geomspace(0.05, 20.0, 13)
    sight = sight[sight <= _FARTHEST]
    sight = np.append(0.0, sight[mine.forward.bracket(sight).upper > _PLAIN])
    plain = _failure(_evaluate(mine, other, sight))
    if plain is not None:
        return plain
    end, rest = _end(mine.forward, other.forward, unit)
    points = _evaluate(mine, other, _grid(mine.forward, other.forward, unit, end))
    for _ in range(_ROUNDS):
        failure = _failure(points)
        if failure is not None:
            return failure
        short = _shortfalls(points)
        loose = np.flatnonzero(short > 0.0)
        sections = 8 if loose.size <= 256 else 4
        if loose.size == 0 or points.y.size + loose.size * (sections - 1) > _MOST_POINTS:
            break
        part = np.arange(1, sections) / sections
        low, high = points.epsilon[loose, None], points.epsilon[loose + 1, None]
        inner = np.setdiff1d((low + (high - low) * part).ravel(), points.epsilon)
        if not inner.size:
            break
        points = _merged(points, _evaluate(mine, other, inner))
    failure = _failure(points)
    if failure is not None:
        return failure
    excess = max(float(np.max(_shortfalls(points))), rest, 0.0)
    return Comparison(False, 0.0, excess)


def _end(mine: Profile, other: Profile, unit: float) -> tuple[float, float]:
    """The eps up to which points are needed, and a bound on the excess beyond it."""
    last = np.array([min(other.end, 1e12)])
    # what the other's delta never falls below: its value where it falls no further
    floor = float(other.bracket(last).lower[0]) if math.isfinite(other.end) else 0.0
    if math.isfinite(mine.end) and mine.end <= _FARTHEST:
        stays = float(mine.bracket(np.array([mine.end])).upper[0]) if math.isinf(mine.tail_mu) else 0.0
        if stays <= floor:
            return max(mine.end, unit), 0.0
    dear = any("transform" in profile.method for profile in (mine, other))
    small = max(floor, _DEAR if dear else _NEGLIGIBLE)
    reach, left = np.array([_FARTHEST]), np.ones(1)
    for reach in np.split(np.geomspace(min(unit, 1.0), _FARTHEST, 80), 16):
        left = mine.bracket(reach).upper
        if left[-1] <= small:
            break
    enough = left <= small
    at = int(np.argmax(enough)) if bool(np.any(enough)) else len(reach) - 1
    return float(reach[at]), 0.0 if left[at] <= floor else float(left[at])


def _grid(mine: Profile, other: Profile, unit: float, end: float) -> FloatArray:
    """One point before 0, then to ``end``: even, denser near 0, and where losses end."""
    kinks = np.array([e for e in (mine.end, other.end) if 0.0 < e < end])
    near = np.geomspace(min(unit, end) * 1e-3, end, 40)
    return np.unique(np.concatenate([[-_BEFORE * unit, 0.0, end], np.linspace(0.0, end, 49), near, kinks]))


def _evaluate(mine: Pair, other: Pair, epsilon: FloatArray) -> _Points:
    a, b = mine.bracket(epsilon), other.bracket(epsilon)
    return _Points(epsilon, np.expm1(epsilon), a.lower, a.upper, b.lower, b.upper)


def _merged(a: _Points, b: _Points) -> _Points:
    order = np.argsort(np.concatenate([a.epsilon, b.epsilon]), kind="stable")

    def both(first: FloatArray, second: FloatArray) -> FloatArray:
        return np.concatenate([first, second])[order]

    return _Points(
        both(a.epsilon, b.epsilon),
        both(a.y, b.y),
        both(a.mine_lower, b.mine_lower),
        both(a.mine_upper, b.mine_upper),
        both(a.other_lower, b.other_lower),
        both(a.other_upper, b.other_upper),
    )


def _failure(p: _Points) -> Comparison | None:
    """The point at which the one is certainly above the other by most; none where there is none."""
    over = np.where(p.epsilon >= 0.0, p.mine_lower - p.other_upper, -1.0)
    at = int(np.argmax(over))
    if not over[at] > 0.0:
        return None
    return Comparison(True, float(p.epsilon[at]), float(over[at]) * (1.0 - 2.0 * UNIT))


def _shortfalls(p: _Points) -> FloatArray:
    """By how much delta_mine may exceed delta_other in each interval; 0 where it certainly does not."""
    step = np.diff(p.y)
    start, stop = p.other_lower[:-1], p.other_lower[1:]
    with np.errstate(over="ignore"):
        left = np.full(step.shape, -np.inf)  # slope of the secant that ends where the interval begins
        left[1:] = (p.other_lower[1:-1] - p.other_upper[:-2]) / step[:-1]
        right = np.full(step.shape, 0.0)  # and of the one that begins where it ends: the deltas fall
        right[:-1] = np.minimum((p.other_upper[2:] - p.other_lower[1:-1]) / step[1:], 0.0)
        chord = (p.mine_upper[1:] - p.mine_upper[:-1]) / step

    def worst(at: FloatArray) -> FloatArray:
        share = np.clip(np.nan_to_num(at, nan=0.0), 0.0, step)
        with np.errstate(invalid="ignore"):
            first = np.where(np.isfinite(left), start + left * share, -np.inf)
        other = np.maximum(np.maximum(first, stop - right * (step - share)), stop)
        top = p.mine_upper[:-1] + chord * share
        return top - other + 8.0 * UNIT * (np.abs(top) + start + p.mine_upper[:-1])

    # where two of the lines below meet, and the ends: their maximum minus the chord is least at one of these
    with np.errstate(invalid="ignore", divide="ignore"):
        meeting = (stop - start - right * step) / (left - right)
        level = (stop - start) / left
    inner = np.max([worst(meeting), worst(level)], axis=0)
    ends = np.maximum(p.mine_upper[:-1] - start, p.mine_upper[1:] - stop)
    short = np.maximum(inner, ends)
    # both fall: enough if the one starts below where the other ends; what is before 0 is not asked
    enough = (p.mine_upper[:-1] <= stop) | (p.epsilon[:-1] < 0.0)
    return np.where(enough, 0.0, np.maximum(short, 0.0))
