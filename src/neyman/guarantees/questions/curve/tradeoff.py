"""The trade-off curve f(alpha) = sup over real eps of 1 - delta(eps) - e^eps alpha, certified from either side.

With x = e^eps the objective gap(x) - x alpha, gap = 1 - delta, is concave in x > 0. Any eps gives a lower bound on f.
An upper bound needs the whole line: secants of a concave function through two points bound it beyond them, so four
neighbouring points around the maximum bound the supremum. Near alpha + beta = 1 the same is done for the excess power
1 - f(alpha) - alpha = inf over eps of delta(eps) + (e^eps - 1) alpha, where nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.guarantees.questions.crossing import crossing
from neyman.guarantees.questions.curve.four_points import change, convex_infimum
from neyman.guarantees.questions.epsilon import epsilon_upper
from neyman.numerics.functions.normal import probit
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.pair import Pair, alpha_score, power_score
from neyman.profiles.profile import Bracket, Profile

__all__ = [
    "at_knots",
    "beta_lower",
    "beta_upper",
    "excess_lower",
    "excess_of_plateau",
    "points_above",
    "power_lower",
    "power_upper",
    "tangent",
]

_SMALLEST = 1e-299  # an alpha below it is steered as if it were this large (any eps is safe)
_NO_MASS = 1e-300  # at alpha = 0 the tangent is steered to where delta is this small
_FARTHEST = 1e12  # eps of a tangent at most: steers
_OFFSETS = np.array([[-1.5], [-0.5], [0.5], [1.5]])  # in spacings: four points about a tangent
_FIRST_SPACING = 5e-6  # of the spread: curvature then costs about 1e-11 of the value
_AT_CORNERS = 8.0**-5  # of that spacing: what four points around a corner lose is in proportion
_BACK = 2  # times the width is halved where it had to grow eightfold: what is lost goes with its square
_OPEN = 3.5  # times what brackets leave open: where a bound loses no more, points half as wide are not told apart
_CHORDS = 16  # alphas that chords to alpha = 0 are drawn from
_SHARP = 2e-7  # of the power: a bound that near the one from above needs no chords
_TRIES = 12  # widths of four points at most: steers
_OVERWHELMING = 77.0  # mu from which gap(0) may be no float
_NO_FLOAT, _LEAST_ALPHA = -746.0, 1e-323  # log of what is 0 to a float; more than that
_APART = (1, 4, 16, 64)  # how many places of a grid two of four points are apart: steers
_NEAR = 1e-9  # to which a tangent is steered: at a corner nobody has named, that much of alpha is lost

_Score = Callable[[Profile, FloatArray], FloatArray]


def tangent(sides: Pair, alpha: FloatArray, start: float, near: float = _NEAR) -> FloatArray:
    """Return the real eps whose tangent touches the curve ``near`` each ``alpha`` (approximate: it steers)."""
    level = np.clip(alpha, _SMALLEST, 1.0)
    at_zero = float(sides.forward.slope(np.zeros(1))[0])
    forward = level <= at_zero
    epsilon = np.zeros_like(level)
    if np.any(forward):
        epsilon[forward] = _touching(sides.forward, alpha_score, np.log(level[forward]), start, near)
    if not np.all(forward):
        rest = level[~forward]
        with np.errstate(divide="ignore"):
            log_rest = np.maximum(np.log1p(-rest), -700.0)
        epsilon[~forward] = -_touching(sides.backward, power_score, log_rest, start, near)
    if np.any(alpha == 0.0):
        epsilon[alpha == 0.0] = _last(sides.forward, start)
    return at_knots(sides, alpha, np.clip(epsilon, -_FARTHEST, _FARTHEST))


def _last(profile: Profile, start: float) -> float:
    """Where next to nothing is left of delta, or no less than here: the tangent at alpha = 0."""
    last = float(epsilon_upper(profile, np.array([_NO_MASS]), start)[0])
    if np.isfinite(last):
        return last
    if np.isfinite(profile.end):  # with mass at infinity delta stays where it is from there on
        return profile.end
    tries = start * np.geomspace(1.0, 1e4, 41)
    return float(tries[int(np.argmin(profile.bracket(tries).upper))])


def at_knots(sides: Pair, alpha: FloatArray, epsilon: FloatArray) -> FloatArray:
    """Where the curve is straight between corners, the line on which alpha lies: the best beside ``epsilon``."""
    knots = np.concatenate([-sides.backward.knots[::-1], sides.forward.knots])
    if knots.size == 0:
        return epsilon
    place = np.searchsorted(knots, epsilon)
    beside = np.clip(place + np.arange(-2, 2)[:, None], 0, knots.size - 1)
    tried = np.vstack([epsilon[None, :], knots[beside]])
    b = sides.bracket(tried.ravel())
    with np.errstate(divide="ignore", under="ignore"):
        load = _load(tried, alpha)
        beta = np.exp(b.log_gap_lower).reshape(tried.shape) - load
    power = b.upper.reshape(tried.shape) + load
    best = np.where(np.min(power, axis=0) < 0.5, np.argmin(power, axis=0), np.argmax(beta, axis=0))
    return tried[best, np.arange(alpha.size)]


def _touching(profile: Profile, score: _Score, log_level: FloatArray, start: float, near: float) -> FloatArray:
    """The eps >= 0 beyond which about that much mass lies; the end of the losses where the last one has more."""
    half = np.log(0.5)
    goal = np.where(log_level > half, probit(np.log(-np.expm1(np.minimum(log_level, -1e-300)))), -probit(log_level))
    goal = np.minimum(goal, 37.0 if score is power_score else np.inf)
    epsilon = np.zeros_like(goal)
    within = np.ones(goal.shape, dtype=np.bool_)
    if np.isfinite(profile.end):
        within = goal <= score(profile, np.array([profile.end * (1.0 - 1e-6)]))[0]
        epsilon[~within] = profile.end
    if np.any(within):
        epsilon[within] = crossing(lambda e: score(profile, e), goal[within], start, near)
    return epsilon


def beta_lower(sides: Pair, alpha: FloatArray, start: float) -> FloatArray:
    """Return certified lower bounds on f(alpha)."""
    told = _told(sides, alpha)
    if np.any(told):
        value = np.zeros_like(alpha)
        if not np.all(told):
            value[~told] = beta_lower(sides, alpha[~told], start)
        return value
    epsilon = tangent(sides, alpha, start)
    value = np.maximum(line(sides.bracket(epsilon).log_gap_lower, epsilon, alpha), 0.0)
    negative = (epsilon < 0.0) & (alpha > 0.5)
    if np.any(negative):  # the same tangent as e^eps ((1 - alpha) - delta_backward): 1 - alpha is exact
        e, rest = epsilon[negative], 1.0 - alpha[negative]
        delta = sides.backward.bracket(-e).upper
        with np.errstate(under="ignore"):
            other = np.exp(e) * (rest - delta - UNIT * rest) * (1.0 - 4.0 * UNIT * (1.0 + np.abs(e)))
        value[negative] = np.maximum(value[negative], other)
    return value + 0.0  # no -0.0


def _told(sides: Pair, alpha: FloatArray) -> BoolArray:
    """Where f(alpha) is certainly 0 to a float, and not worth a tangent: f touches alpha + beta = gap(0) somewhere, and
    is at most gap(0) from there on.
    """
    strong = sides.tail_mu > _OVERWHELMING and bool(sides.bracket(np.zeros(1)).log_gap_upper[0] < _NO_FLOAT)
    return (alpha > _LEAST_ALPHA) if strong else np.zeros(alpha.shape, dtype=np.bool_)


def line(log_gap: FloatArray, epsilon: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return gap - e^eps alpha rounded down (-inf never; negative where the line has left the square)."""
    with np.errstate(divide="ignore", under="ignore"):
        gap, load = np.exp(log_gap), _load(epsilon, alpha)
    slack = load * _load_error(epsilon, alpha) + 4.0 * UNIT * gap * (1.0 + np.minimum(np.abs(log_gap), 800.0))
    return gap - load - np.where(gap > 0.0, slack + 2.0 * SMALLEST, 0.0)  # as gap and load underflow


def _load(epsilon: FloatArray, alpha: FloatArray) -> FloatArray:
    """e^eps alpha, capped at e (a line that high is of no use), without overflow; who asks ignores log 0."""
    return np.exp(np.minimum(epsilon + np.log(alpha), 1.0))


def _load_error(epsilon: FloatArray, alpha: FloatArray) -> FloatArray:
    return 4.0 * UNIT * (2.0 + np.abs(epsilon) + np.abs(np.log(np.maximum(alpha, 5e-324))))


def power_upper(sides: Pair, alpha: FloatArray, start: float, near: float = _NEAR) -> FloatArray:
    """Return certified upper bounds on 1 - f(alpha), each from its own small terms."""
    told = _told(sides, alpha)
    if np.any(told):
        power = np.ones_like(alpha)
        if not np.all(told):
            power[~told] = power_upper(sides, alpha[~told], start, near)
        return power
    epsilon = tangent(sides, alpha, start, near)
    with np.errstate(divide="ignore", under="ignore"):
        load = _load(epsilon, alpha)
    load = load * (1.0 + _load_error(epsilon, alpha)) + np.where(alpha > 0.0, 2.0 * SMALLEST, 0.0)
    power = sides.bracket(epsilon).upper + load
    return np.minimum(power * (1.0 + 2.0 * UNIT), 1.0)


def beta_upper(sides: Pair, alpha: FloatArray, start: float) -> FloatArray:
    """Return certified upper bounds on f(alpha)."""
    log_gap = float(sides.bracket(np.zeros(1)).log_gap_upper[0])
    if log_gap == -np.inf:
        return np.zeros_like(alpha)  # delta(0) = 1
    epsilon = tangent(sides, alpha, start)
    power, _ = _infimum(sides, alpha, epsilon, start, "power")
    bound = np.minimum(1.0 - np.maximum(power, alpha) + UNIT, beta_near(sides, alpha, epsilon, start))
    # the curve touches alpha + beta = gap(0) somewhere, so f is at most gap(0) from alpha = gap(0) on
    total = np.exp(log_gap) * (1.0 + 4.0 * UNIT * (1.0 + min(abs(log_gap), 800.0))) + 5e-324
    bound = np.minimum(bound, np.where(alpha >= total, total, 1.0))
    return np.clip(np.minimum(bound, 1.0 - alpha + UNIT), 0.0, 1.0)


def beta_near(sides: Pair, alpha: FloatArray, epsilon: FloatArray, start: float) -> FloatArray:
    """Return certified upper bounds on f(alpha), given eps near the tangent's: sharp where f is small."""
    scale = sides.bracket(epsilon).log_gap_upper
    scale = np.where(np.isfinite(scale), scale, 0.0)
    negative, found = _infimum(sides, alpha, epsilon, start, "beta", scale)
    with np.errstate(under="ignore"):
        unscaled = -negative * np.exp(scale) * (1.0 + 4.0 * UNIT * (1.0 + np.abs(scale))) + 5e-324
    return np.where(found, np.minimum(unscaled, 1.0 - alpha + UNIT), 1.0 - alpha + UNIT)


def power_lower(sides: Pair, alpha: FloatArray, start: float) -> FloatArray:
    """Return certified lower bounds on 1 - f(alpha)."""
    value = _power_lower(sides, alpha, start)
    if not np.isfinite(sides.forward.end) or np.all(value >= (1.0 - _SHARP) * power_upper(sides, alpha, start)):
        return value
    # losses that end: towards alpha = 0 the curve is steep and straight, and a chord says more than points so near
    nearest = min(1e-9, 0.25 * float(np.exp(-min(sides.forward.end, 690.0))))
    chords = np.geomspace(nearest, 0.5, _CHORDS)
    ahead = _power_lower(sides, chords, start)
    first = float(sides.forward.bracket(np.array([sides.forward.end])).lower[0])
    with np.errstate(under="ignore"):
        share = alpha[:, None] / chords
        chord = (first * (1.0 - share) + ahead * share) * (1.0 - 8.0 * UNIT) - 4.0 * SMALLEST
    return np.maximum(value, np.max(np.where(share <= 1.0, chord, 0.0), axis=1))


def _power_lower(sides: Pair, alpha: FloatArray, start: float) -> FloatArray:
    """The same from the points around each tangent."""
    epsilon = tangent(sides, alpha, start)
    power, _ = _infimum(sides, alpha, epsilon, start, "power")
    beta = beta_upper(sides, alpha, start)
    return np.maximum(np.maximum(power, alpha), 1.0 - beta - UNIT)


def excess_lower(sides: Pair, alpha: FloatArray, epsilon: FloatArray, start: float) -> FloatArray:
    """Return certified lower bounds on 1 - f(alpha) - alpha, given eps near the tangent's."""
    excess, _ = _infimum(sides, alpha, epsilon, start, "excess")
    return np.maximum(excess, 0.0)


def excess_of_plateau(sides: Pair, alpha: FloatArray) -> FloatArray:
    """Return certified lower bounds on 1 - f(alpha) - alpha, sharp where delta is level for long beside eps = 0.

    delta falls, so that delta(eps) + (e^eps - 1) alpha >= min(delta(E), (e^E - 1) alpha) at every eps >= 0, whatever E.
    At eps = -e < 0 it is (1 - e^-e) (1 - alpha) + e^-e delta_backward(e) >= min(delta_backward(E), (1 - e^-E) (1 -
    alpha)). Best where both are alike.
    """
    most = sides.bracket(np.zeros(1)).upper
    with np.errstate(divide="ignore", over="ignore"):
        right = np.clip(np.log1p(most / alpha), 0.0, 690.0)
        left = np.clip(-np.log1p(-np.minimum(most / (1.0 - alpha), 1.0 - 1e-12)), 0.0, 690.0)
    ahead = np.minimum(sides.forward.bracket(right).lower, np.expm1(right) * alpha)
    behind = np.minimum(sides.backward.bracket(left).lower, -np.expm1(-left) * (1.0 - alpha))
    return np.minimum(ahead, behind) * (1.0 - 8.0 * UNIT)


def points_above(sides: Pair, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return points (alpha, beta) certified to lie on or above the curve, about where the tangents between neighbours
    among ``epsilon`` (real, rising, at most 690) touch.

    Four points that are near each other tell little where delta is vague: wider ones are taken besides.
    """
    b = sides.bracket(epsilon)
    found = [_touched(epsilon, b, apart) for apart in _APART if 3 * apart < len(epsilon)]
    return np.concatenate([alpha for alpha, _ in found]), np.concatenate([beta for _, beta in found])


def _touched(epsilon: FloatArray, b: Bracket, apart: int) -> tuple[FloatArray, FloatArray]:
    """The same of any four of ``epsilon`` that are so far ``apart``."""
    at = apart * np.arange(4)[:, None] + np.arange(len(epsilon) - 3 * apart)
    e, low, high = epsilon[at], b.lower[at], b.upper[at]
    gaps = np.exp(b.log_gap_lower[at[1:3]])
    fall = np.where(high[2] < 0.5, high[1] - high[2], gaps[1] - gaps[0])
    alpha = np.clip(fall * np.exp(-e[1]) / np.expm1(e[2] - e[1]), 0.0, 1.0)  # it steers: whatever serves
    lower, upper = _excess(e, alpha, low, high)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        farthest = (np.min(upper, axis=0) + alpha) / (np.exp(e[1]) * alpha)
        value, _ = convex_infimum(np.expm1(e - e[1]), lower, upper, farthest)
    return alpha, 1.0 - alpha - np.clip(np.nan_to_num(value, nan=0.0), 0.0, 1.0 - alpha) + UNIT


def _infimum(
    sides: Pair, alpha: FloatArray, epsilon: FloatArray, start: float, kind: str, scale: FloatArray | None = None
) -> tuple[FloatArray, BoolArray]:
    """Lower-bound inf over x of the convex objective, and whether four points ever surrounded it.

    "beta" is in units of e^scale, since the gap itself may underflow. Where the curve has a corner the objective is
    flat up to rounding: then every width of the four points gives a bound, and the best is kept.
    """
    units = np.zeros_like(alpha) if scale is None else scale
    bound, found, seen = np.zeros_like(alpha), *(np.zeros(alpha.shape, dtype=np.bool_) for _ in range(2))
    spacing = _FIRST_SPACING * start * np.where(_at_corner(sides, epsilon), _AT_CORNERS, 1.0)
    back = np.zeros(alpha.shape, dtype=np.int64)  # narrower tries left, once points so wide were needed
    rows = np.arange(len(alpha))
    for attempt in range(_TRIES):
        if rows.size == 0 or (attempt > 0 and not allowance().take(1.0)):  # what is known holds
            break
        at, mine, unit = epsilon[rows] + _OFFSETS * spacing[rows], alpha[rows], units[rows]
        lower, upper = _objective(sides, at, mine, kind, unit)
        least = np.minimum.reduce(upper)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            log_mine = np.log(mine)
            # where the part of the objective that rises with x alone is above it, no infimum lies
            rising = np.exp(np.minimum(at[1] + log_mine - unit, 700.0))
            rest = {"power": 0.0, "excess": mine, "beta": np.exp(-unit)}[kind]
            farthest = (least + rest) / rising
            value, ok = convex_infimum(np.expm1(at - at[1]), lower, upper, farthest)
            # a load that is capped is no longer convex
            sharp = least - value <= _OPEN * np.maximum.reduce(upper - lower)
            honest = (at[3] <= 690.0) & (at[3] + log_mine - unit <= 1.0)
        known, ok = np.isfinite(value) & honest, ok & honest
        place, found_there = rows[known], value[known]
        bound[place] = np.where(seen[place], np.maximum(bound[place], found_there), found_there)
        seen[place] = True
        again = found[rows]
        back[rows[again]] -= 1
        back[rows[ok & ~again]] = _BACK if attempt > 0 else 0
        back[rows[ok & sharp]] = 0
        found[rows[ok]] = True
        left = (~found[rows] | (back[rows] > 0)).nonzero()[0]
        if left.size:
            spacing[rows] *= change(found[rows], attempt, spacing[rows], start, lower, upper)
        rows = rows[left]
    bound[~seen] = 0.0
    return bound, seen


def _at_corner(sides: Pair, epsilon: FloatArray) -> BoolArray:
    """Where delta may bend or end at ``epsilon``."""
    size = np.abs(epsilon)
    found = (size == sides.forward.end) | (size == sides.backward.end)
    for side in sides.branches:
        if side.knots.size:
            found |= np.isin(size, side.knots)
    return found


def _objective(
    sides: Pair, at: FloatArray, alpha: FloatArray, kind: str, scale: FloatArray
) -> tuple[FloatArray, FloatArray]:
    b = sides.bracket(at.ravel())
    with np.errstate(divide="ignore", under="ignore"):
        load = _load(at, alpha)
        slack = load * _load_error(at, alpha) + 2.0 * SMALLEST
        if kind == "beta":
            low, high = b.log_gap_lower.reshape(at.shape), b.log_gap_upper.reshape(at.shape)
            load = np.exp(np.minimum(at + np.log(np.maximum(alpha, 5e-324)) - scale, 1.0))
            slack = load * (_load_error(at, alpha) + 4.0 * UNIT * np.abs(scale))
            room = 4.0 * UNIT * (2.0 + np.minimum(np.abs(high), 1e13) + np.abs(scale))
            least = np.exp(np.minimum(low - scale, 700.0)) * (1.0 - room)
            most = np.exp(np.minimum(high - scale, 700.0)) * (1.0 + room)
            return load - slack - np.where(high - scale > 700.0, np.inf, most), load + slack - least
    low, high = b.lower.reshape(at.shape), b.upper.reshape(at.shape)
    if kind == "power":
        return (load - slack + low) * (1.0 - 2.0 * UNIT), (load + slack + high) * (1.0 + 2.0 * UNIT)
    return _excess(at, alpha, low, high)


def _excess(at: FloatArray, alpha: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """delta + (e^eps - 1) alpha; for eps < 0 its terms come from the reversed pair and are regrouped upstream."""
    load = np.expm1(np.minimum(at, 700.0)) * alpha
    slack = 8.0 * UNIT * (np.abs(load) + high) + 2.0 * SMALLEST
    return load + low - slack, load + high + slack
