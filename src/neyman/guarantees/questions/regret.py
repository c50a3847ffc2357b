"""Delta(M || M~) = max over real eps of (delta~(eps) - delta(eps)) / (1 + e^eps), bracketed.

On a negative eps the quotient equals that of the reversed pairs at -eps, so eps >= 0 on every branch suffices. Between
two neighbouring points, in x = e^eps, delta~ lies below its chord and delta above its secants extended from outside:
the numerator is bounded by a piecewise linear function, its quotient by 1 + x is monotone on each piece, and the
maximum is at one of three points. Intervals whose bound is too large are refined.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.crossing import crossing
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.functions.few import every, largest, some
from neyman.numerics.functions.grids import evenly
from neyman.numerics.functions.normal import probit
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.pair import Pair, alpha_score
from neyman.profiles.profile import Profile

__all__ = [
    "Divergence",
    "Majorant",
    "Points",
    "divergence",
    "divergence_and_shortfall",
    "divergence_at",
    "divergences",
    "evaluate",
    "interval_bounds",
    "last_that_matters",
    "majorant",
    "merge",
    "shortfall",
    "slope_at_zero",
]

_ABSOLUTE = 2e-9  # width of a divergence that is aimed for
_MANY = 1024  # points from which that grows with the square of their number, as what they miss falls
_ROUNDS = 12  # of division at most: steers
_FEW = 100  # intervals, all that there are at first, up to which each is divided in eight, and beyond in four
_MOST_POINTS = 8_000  # eps at most: steers
_FARTHEST = 45.0  # beyond, 1 / (1 + e^eps) < 3e-20 bounds everything
_LARGEST = 600.0  # eps of a shortfall at most: beyond, e^-eps is nothing
_NEGLIGIBLE = 1e-10  # quotient from which down no further eps is asked; what lies beyond counts as a tail
_VAGUE = 1e-10  # it steers: of the quotient, a width from which secants of further points are looked at
_NEAR, _FAR = 0.3, 24  # share of all eps that are asked at first where these lie closely; and how many do beyond
_FALLING = (np.arange(60) / 60.0) ** 2.5  # of that share
_LOOKS = np.geomspace(0.1, 100.0, 40)  # spreads, at which it is looked whether anything beyond matters
_TRIES = np.array([1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0])  # spreads before the eps at which alpha is the floor
_STEPS = np.array([1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2])  # the same to the other end of the secants that show it
_FURTHER = (1, 3, 9, 27, 81, 243, 729)  # points, from one end of a secant to the other: every secant serves


@dataclass(frozen=True, slots=True)
class Points:
    """Bounds on both profiles at (mostly increasing) eps, in y = e^eps - 1 (exact near 0)."""

    epsilon: FloatArray
    y: FloatArray
    self_lower: FloatArray
    self_upper: FloatArray
    other_lower: FloatArray
    other_upper: FloatArray

    @property
    def turned(self) -> Points:
        """With the roles exchanged."""
        return Points(self.epsilon, self.y, self.other_lower, self.other_upper, self.self_lower, self.self_upper)

    @property
    def columns(self) -> tuple[FloatArray, ...]:
        """All of them, in order."""
        return self.epsilon, self.y, self.self_lower, self.self_upper, self.other_lower, self.other_upper

    def parted(self, count: int) -> tuple[Points, Points]:
        """The first ``count``, and the others."""
        all_ = self.columns
        return Points(*[column[:count] for column in all_]), Points(*[column[count:] for column in all_])


@dataclass(frozen=True, slots=True)
class Divergence:
    """Certified bounds on Delta, and the real eps at which the lower one is attained."""

    lower: float
    upper: float
    epsilon: float


def divergence(mine: Pair, other: Pair, absolute: float = _ABSOLUTE) -> Divergence:
    """Return certified bounds on Delta(mine || other), ``absolute`` apart where the profiles are as sharp."""
    return _worse([
        _branch(ours, theirs, ours_reversed, absolute, _start(ours, theirs, last_that_matters(ours, theirs)))
        for ours, theirs, ours_reversed, _ in _branches(mine, other)
    ])  # fmt: skip


def divergences(mine: Pair, other: Pair, absolute: float = _ABSOLUTE) -> tuple[Divergence, Divergence]:
    """The same of Delta(mine || other) and of Delta(other || mine), from one look at both."""
    forth: list[Divergence] = []
    back: list[Divergence] = []
    for ours, theirs, ours_reversed, theirs_reversed in _branches(mine, other):
        points = _start(ours, theirs, max(last_that_matters(ours, theirs), last_that_matters(theirs, ours)))
        forth.append(_branch(ours, theirs, ours_reversed, absolute, points))
        back.append(_branch(theirs, ours, theirs_reversed, absolute, points.turned))
    return _worse(forth), _worse(back)


def _branches(mine: Pair, other: Pair) -> list[tuple[Profile, Profile, Profile, Profile]]:
    """Both pairs of profiles that matter, each with their reversals."""
    forward = (mine.forward, other.forward, mine.backward, other.backward)
    if mine.symmetric and other.symmetric:
        return [forward]
    return [forward, (mine.backward, other.backward, mine.forward, other.forward)]


def _worse(bounds: list[Divergence]) -> Divergence:
    """The larger of two branches; the second one is that of negative eps."""
    lower, sign = max((b.lower, 1.0 - 2.0 * i) for i, b in enumerate(bounds))
    at = bounds[0 if sign > 0.0 else 1].epsilon
    return Divergence(lower, max(b.upper for b in bounds), sign * at)


def divergence_at(mine: Pair, other: Pair, epsilon: float) -> float:
    """Return a certified lower bound on Delta(mine || other), read at one real eps."""
    branch, reference = (mine.backward, other.backward) if epsilon < 0.0 else (mine.forward, other.forward)
    at = np.array([abs(epsilon)])
    gain = float(reference.bracket(at).lower[0] - branch.bracket(at).upper[0])
    return max(gain / (1.0 + float(np.exp(at[0]))) * (1.0 - 64.0 * UNIT), 0.0)


def last_that_matters(mine: Profile, other: Profile) -> float:
    """An eps beyond which the other's delta alone is too small to matter."""
    unit = spread(other)
    end = _FARTHEST
    looks = np.minimum(unit * _LOOKS, _FARTHEST)
    # the far tail is dear, but for formulas
    for ends in [looks] if other.method == "closed form" else np.split(looks, 5):
        beyond = other.nearly(ends) <= _NEGLIGIBLE * (1.0 + np.exp(ends))
        if some(beyond):
            end = float(ends[beyond.argmax()])
            break
    return min(end if end >= unit else max(end, min(spread(mine), unit)), _FARTHEST)


def _start(mine: Profile, other: Profile, end: float) -> Points:
    return evaluate(mine, other, _first_grid(end))


def _first_grid(end: float) -> FloatArray:
    """Eps from 0 to the ``end``, the closer the nearer to 0: there as a rule the quotient is largest, and an interval
    must lose less, which goes with the square of its length, than the quotient has fallen by up to there.
    """
    near = _NEAR * end
    return np.concatenate([near * _FALLING, evenly(near, end, _FAR)])


def _branch(mine: Profile, other: Profile, mine_reversed: Profile, absolute: float, points: Points) -> Divergence:
    first_slope = slope_at_zero(mine, mine_reversed, points)
    bound, best = interval_bounds(points, first_slope)
    for _ in range(_ROUNDS):
        # what the brackets at the points themselves allow, no refinement takes away
        known = (points.other_upper - points.self_lower) / (2.0 + points.y)
        known[1:-1] = np.minimum(known[1:-1], np.maximum(bound[:-1], bound[1:]))
        wide = absolute * max(1.0, points.y.size / _MANY) ** 2
        loose = (bound > max(best, largest(known)) + wide).nonzero()[0]
        sections = 8 if loose.size <= _FEW else 4
        if loose.size == 0 or points.y.size + loose.size * (sections - 1) > _MOST_POINTS:
            break
        if not allowance().take(1.0):  # what is known holds
            break
        part = np.arange(1, sections) / sections
        low, high = points.epsilon[loose, None], points.epsilon[loose + 1, None]
        starts, points = points.epsilon, merge(points, evaluate(mine, other, (low + (high - low) * part).ravel()))
        first_slope = min(first_slope, slope_at_zero(mine, mine_reversed, points))
        whole = bound[starts.searchsorted(points.epsilon[:-1], side="right") - 1]  # what holds of the undivided
        bound, best = interval_bounds(points, first_slope)
        bound = np.minimum(bound, whole)
    tail = points.other_upper[-1] / (2.0 + points.y[-1])
    # quotients underflow, and what a bracket leaves open is not 0: only where the other's delta is, nothing is given up
    least = SMALLEST if points.other_upper[0] > 0.0 else 0.0
    upper = max(largest(bound) * (1.0 + 64.0 * UNIT), float(tail) * (1.0 + 64.0 * UNIT), least)
    where = int(((points.other_lower - points.self_upper) / (2.0 + points.y)).argmax())
    return Divergence(max(best * (1.0 - 64.0 * UNIT), 0.0), min(upper, 0.5), float(points.epsilon[where]))


def evaluate(mine: Profile, other: Profile, epsilon: FloatArray) -> Points:
    """Bounds on both profiles at eps >= 0."""
    a, b = mine.bracket(epsilon), other.bracket(epsilon)
    with np.errstate(over="ignore"):  # of a shortfall of what is blatant: there no quotient is asked
        return Points(epsilon, np.expm1(epsilon), a.lower, a.upper, b.lower, b.upper)


def merge(a: Points, b: Points) -> Points:
    """All points of both, in order."""
    columns = [np.concatenate(pair) for pair in zip(a.columns, b.columns, strict=True)]
    order = columns[0].argsort(kind="stable")
    return Points(*[column[order] for column in columns])


def slope_at_zero(mine: Profile, mine_reversed: Profile, points: Points) -> float:
    """A certified upper bound on Q(L > 0) = -d delta / dx at x = 1+, from the secant to the other side of eps = 0."""
    step, delta_lower = float(points.epsilon[1]), float(points.self_lower[0])
    if mine is mine_reversed:  # symmetric: alpha(0) <= beta(0), and their sum is 1 - delta(0)
        return 0.5 * (1.0 - delta_lower)
    x = float(np.exp(-step))
    beyond = float(mine_reversed.bracket(np.array([step])).upper[0])
    return float(np.clip(1.0 - (delta_lower - x * beyond) / -np.expm1(-step) * (1.0 - 64.0 * UNIT), 0.0, 1.0))


class Majorant(NamedTuple):
    """Upper bounds of the quotient at the start of each interval, at y = start + ``at``, and at its stop.

    Between the three it is at most linear in the prior x / (1 + x): (c + m x) / (1 + x) is.
    """

    start: FloatArray
    at: FloatArray
    middle: FloatArray
    stop: FloatArray


def majorant(p: Points, first_slope: float) -> Majorant:
    """Bound the quotient on each interval: delta~ by its chord, delta by the secants extended from outside."""
    step = p.y[1:] - p.y[:-1]
    left_slope, right_slope = _slopes_beside(p, first_slope)
    start, stop = p.self_lower[:-1], p.self_lower[1:]
    bent = left_slope < right_slope
    all_bent = every(bent)
    bend = right_slope - left_slope
    bend = bend if all_bent else np.where(bent, bend, 1.0)
    at = np.minimum(np.maximum((start - stop + right_slope * step) / bend, 0.0), step)
    at = at if all_bent else np.where(bent, at, 0.5 * step)
    from_left, from_right = start + left_slope * at, stop - right_slope * (step - at)
    mine, straight = np.minimum(from_left, from_right), 0.0
    if not all_bent:
        # secants that do not bend (straight pieces, rounding): either alone is a bound, the higher one at the middle
        ahead = from_left >= from_right
        mine = np.where(bent, mine, np.maximum(from_left, from_right))
        start = np.where(bent | ahead, start, stop - right_slope * step)
        stop = np.where(bent | ~ahead, stop, start + left_slope * step)
        straight = np.where(bent, 0.0, 16.0 * UNIT)
    chord = p.other_upper[:-1] + (p.other_upper[1:] - p.other_upper[:-1]) * (at / step)
    middle = (chord - mine + 8.0 * UNIT * (chord + np.abs(mine))) / (2.0 + p.y[:-1] + at)
    return Majorant(
        (p.other_upper[:-1] - start + straight) / (2.0 + p.y[:-1]),
        at,
        middle,
        (p.other_upper[1:] - stop + straight) / (2.0 + p.y[1:]),
    )


def _slopes_beside(p: Points, first_slope: float) -> tuple[FloatArray, FloatArray]:
    """Bounds on the slope of delta where each interval begins, from below, and where it ends, from above.

    delta is convex in y: a secant that ends at a point is below every slope beyond it, and one that begins there above
    every slope before it. Where brackets are wide, near points tell no slope from another, and further ones do.
    """
    vague = largest((p.self_upper - p.self_lower) / (2.0 + p.y)) > _VAGUE
    left, right = np.full(p.y.size - 1, -first_slope), np.zeros(p.y.size - 1)
    for far in _FURTHER if vague else _FURTHER[:1]:
        if far >= p.y.size:
            break
        step = p.y[far:] - p.y[:-far]
        ending = (p.self_lower[far:] - p.self_upper[:-far]) / step
        beginning = (p.self_upper[far:] - p.self_lower[:-far]) / step
        left[far:] = np.maximum(left[far:], ending[:-1])
        right[:-far] = np.minimum(right[:-far], beginning[1:])
    return np.maximum.accumulate(left), np.minimum.accumulate(right[::-1])[::-1]


def interval_bounds(p: Points, first_slope: float) -> tuple[FloatArray, float]:
    """Upper bounds of the quotient on each interval, and its largest certified value at a point."""
    nodes = majorant(p, first_slope)
    bound = np.minimum(np.maximum(np.maximum(nodes.start, nodes.stop), nodes.middle), _crude(p))
    return bound, largest((p.other_lower - p.self_upper) / (2.0 + p.y))


def _crude(p: Points) -> FloatArray:
    """(delta~ at the start - delta at the end) / (1 + x at the start): always valid."""
    return np.maximum(p.other_upper[:-1] - p.self_lower[1:], 0.0) / (2.0 + p.y[:-1])


def shortfall(mine: Pair, gaussian: Profile, mu_floor: tuple[float, float], start: float) -> float:
    """Return a certified upper bound on Delta(G_mu || mine) when G_mu <= mine down to alpha = floor.

    ``mu_floor`` is (floor, eps at which alpha is about the floor). Above the floor G_mu has the larger delta by
    construction; only eps past the certified last one with alpha(eps) >= floor can contribute.
    """
    floor, near = mu_floor
    worst = 0.0
    for branch in mine.branches:
        if not mine.symmetric:
            # each branch has its own eps at which alpha comes down to the floor
            goal = -probit(np.array([np.log(floor)]))
            found = float(crossing(partial(alpha_score, branch), goal, start, 1e-5)[0])
            near = found if 0.0 < found < 1e12 else start
        tried = None if near > _LARGEST else evaluate(branch, gaussian, _tried(near, start))
        worst = max(worst, _lost(_beyond_reach(branch, gaussian, (floor, near), start, tried)))
    return worst * (1.0 + 64.0 * UNIT)


def divergence_and_shortfall(
    mine: Pair, gaussian: Profile, mu_floor: tuple[float, float], start: float
) -> tuple[Divergence, float]:
    """Return the ``divergence`` of a Gaussian and its ``shortfall``, which begin with one look where places are told
    alike in any company.
    """
    near = mu_floor[1]
    if not (mine.symmetric and mine.forward.steady and near <= _LARGEST):
        return divergence(mine, Pair(gaussian, gaussian)), shortfall(mine, gaussian, mu_floor, start)
    branch = mine.forward
    grid = _first_grid(last_that_matters(branch, gaussian))
    both = evaluate(branch, gaussian, np.concatenate([grid, _tried(near, start)]))
    points, tried = both.parted(len(grid))
    lost = _lost(_beyond_reach(branch, gaussian, mu_floor, start, tried))
    return _worse([_branch(branch, gaussian, branch, _ABSOLUTE, points)]), lost * (1.0 + 64.0 * UNIT)


def _lost(beyond: Points) -> float:
    """The largest quotient at those eps, but for its rounding."""
    grid, upper, lower = beyond.epsilon, beyond.self_upper, beyond.other_lower
    with np.errstate(under="ignore"):
        pieces = np.maximum(upper[:-1] - lower[1:], 0.0) / (1.0 + np.exp(np.minimum(grid[:-1], 700.0)))
        tail = upper[-1] / (1.0 + np.exp(min(float(grid[-1]), 700.0)))
    open_ends = upper[-1] > 0.0 or some(upper[:-1] > lower[1:])
    return max(largest(pieces), float(tail), SMALLEST if open_ends else 0.0)  # quotients may underflow


def _tried(near: float, start: float) -> FloatArray:
    """Eps that may be the last with Q(L > eps) >= floor, those to the right of them, and a grid from the first on."""
    tries = np.maximum(near - start * _TRIES, 0.0)
    return np.concatenate([tries, tries + start * _STEPS, _grid_from(float(tries[0]), near, start)])


def _beyond_reach(
    branch: Profile, gaussian: Profile, mu_floor: tuple[float, float], start: float, tried: Points | None
) -> Points:
    """Points from the largest eps ``tried`` with Q(L > eps) >= floor certified by a secant to its right (0 where none
    is) to beyond all that matters.
    """
    (floor, near), begin, count = mu_floor, 0.0, len(_TRIES)
    if tried is not None:
        (tries, rest), step = tried.parted(count), start * _STEPS
        right, grid = rest.parted(count)
        with np.errstate(over="ignore"):  # a secant that reaches too far shows nothing: 0 / inf
            fall = tries.self_lower - right.self_upper
            alpha = fall / (np.exp(tries.epsilon) * np.expm1(step)) * (1.0 - 64.0 * UNIT)
        if alpha[0] >= floor:  # as a rule the first try is
            return grid
        reached = tries.epsilon[alpha >= floor]
        begin = float(reached[0]) if reached.size else 0.0
    return evaluate(branch, gaussian, _grid_from(begin, near, start))


def _grid_from(begin: float, near: float, start: float) -> FloatArray:
    return evenly(begin, max(min(near + 0.6 * start, _LARGEST), begin + 0.2 * start), 16)
