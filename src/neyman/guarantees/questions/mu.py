"""mu(floor): the least mu with G_mu below the curve wherever alpha and beta are at least the floor.

Certified tangents l_i(alpha) = 1 - delta(e_i) - e^{e_i} alpha bound the curve from below, so
m_i(alpha) = Phi^-1(1 - alpha) - Phi^-1(l_i(alpha)) bounds the local mu from above. {m_i <= c} = {G_c - l_i <= 0} is an
interval, because G_c is convex and l_i a line: m_i is quasi-convex, its supremum over an interval is taken at an end.
Between two knots alpha_{i+1} < alpha_i the better of two tangents is followed, with a change at their vertex; hence
three numbers bound the supremum over the whole interval, and refining eps where the bound is largest closes the gap.
The knots themselves are just numbers: nothing uncertified enters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.crossing import crossing
from neyman.guarantees.questions.excess import attained
from neyman.guarantees.questions.mu_of_vertices import vertex_fit
from neyman.guarantees.questions.tradeoff import beta_near, beta_upper, excess_lower, excess_of_plateau
from neyman.numerics.normal import PROBIT_ERROR, probit, probit_gap
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.pair import Pair, alpha_score, delta_score
from neyman.profiles.profile import Profile

__all__ = ["Fit", "fit_lower", "fit_upper"]

_GAP = 1e-8  # relative, between the supremum's bound and its best knot
_MANY = 512  # knots from which that grows with the square of their number, as what they miss falls: flat curves
_ROUNDS = 12
_FIRST, _FEWER = 24, 6  # knots of each kind, usually and where no effort is left
_MOST_KNOTS = 6_000
_SECTIONS = 8
_SMALLEST_LOG_GAP = -690.0  # below it alpha is no longer a float
_SHARP = 1e-10  # of mu: what tests attain that are known is as near as that, or four points around are asked as well
_LOOSE = 1e-6  # of mu: a bound from below that is as near to the one from above is not worth another
_TOLD = 1e-7  # relative fall of delta between two knots that tells where their tangents meet
_BESIDE = 1e-3  # of log alpha: slopes that are as near are believed
_HALF = 0.5  # beta from which it is known as well as the excess is
_NOT_NEAR_HALF = -0.1  # log(1 - delta(0)) below it: the probit of the fixed point has all its digits


@dataclass(frozen=True, slots=True)
class Fit:
    """A certified upper bound on mu, where it is (nearly) attained, and the eps at which alpha reaches the floor.

    ``scores`` holds eps and -Phi^-1(delta) met on the way along the forward branch: first guesses for other solvers.
    """

    mu: float
    epsilon: float
    log_alpha: float
    epsilon_floor: float
    scores: tuple[FloatArray, FloatArray] | None = None


@dataclass(frozen=True, slots=True)
class _Knots:
    """Tangents of increasing eps with the (decreasing) alphas between which each pair of them is followed."""

    epsilon: FloatArray
    delta: FloatArray
    log_gap: FloatArray
    log_alpha: FloatArray


def fit_upper(sides: Pair, floor: float, start: float) -> Fit:
    """Return a certified upper bound on mu(floor), over every branch of the curve."""
    fit, exact = _fit(sides, floor, start), vertex_fit(sides, floor)
    # inf where more than the floor is revealed is a convention, not a bound
    return fit if exact is None or fit.mu == np.inf else replace(fit, mu=min(fit.mu, exact[1]))


def _fit(sides: Pair, floor: float, start: float) -> Fit:
    below = _below(sides, floor, start)
    if below is not None:
        return below[0]
    at_zero = [branch.bracket(np.zeros(1)) for branch in sides.branches]
    # one tangent of slope -1 for both branches, so that the piece between them is covered by its two ends
    delta = max(float(b.upper[0]) for b in at_zero)
    log_gap = min(float(b.log_gap_lower[0]) for b in at_zero)
    fits = [_fit_branch(branch, sides.symmetric, floor, start, (delta, log_gap)) for branch in sides.branches]
    return replace(max(fits, key=lambda fit: fit.mu), scores=fits[0].scores)


def fit_lower(sides: Pair, floor: float, start: float, guess: Fit) -> float:
    """Return a certified lower bound on mu(floor), from the certified power where ``guess`` found its maximum."""
    exact = vertex_fit(sides, floor)
    best = 0.0 if exact is None else exact[0]
    if guess.mu - best <= _LOOSE * guess.mu:
        return best
    below = _below(sides, floor, start)
    if below is not None:
        return max(best, below[1])
    for branch, other in zip(sides.branches, sides.branches[::-1], strict=True):
        view = Pair(branch, other)
        best = max(best, _point_lower(view, floor, start, guess))
    return best


def _point_lower(view: Pair, floor: float, start: float, guess: Fit) -> float:
    gap = float(view.bracket(np.zeros(1)).log_gap_upper[0])
    middle = 0.0
    if view.symmetric and gap < _NOT_NEAR_HALF:  # at the fixed point, whether or not it is below the floor
        middle = -2.0 * float(probit(np.array([gap - np.log(2.0)]))[0]) * (1.0 - PROBIT_ERROR)
        if gap - np.log(2.0) <= np.log(floor):
            return max(0.0, middle)
    epsilon = np.array([guess.epsilon, guess.epsilon_floor])
    alpha = np.maximum(np.exp(np.array([guess.log_alpha, np.log(floor)])), floor)
    usable = epsilon <= 690.0
    if not np.any(usable):
        return middle
    alpha, epsilon = alpha[usable], epsilon[usable]
    excess = attained(view, alpha, epsilon, start)
    found = max(middle, _local_lower(alpha, excess, 1.0 - alpha - excess, floor))
    if guess.mu - found > _SHARP * guess.mu:
        excess = excess_lower(view, alpha, epsilon, start)
        found = max(found, _local_lower(alpha, excess, 1.0 - alpha - excess, floor))
    if guess.mu - found > _LOOSE * guess.mu:
        excess = excess_of_plateau(view, alpha)
        found = max(found, _local_lower(alpha, excess, 1.0 - alpha - excess, floor))
    if guess.mu - found > _LOOSE * guess.mu and _little_left(view, alpha, epsilon):
        beta = beta_near(view, alpha, epsilon, start)
        found = max(found, _local_lower(alpha, (1.0 - alpha - beta) * (1.0 - 4.0 * UNIT) - UNIT, beta, floor))
    return found


def _little_left(view: Pair, alpha: FloatArray, epsilon: FloatArray) -> bool:
    """Whether beta may be small at one of these alphas: an excess near 1 knows little of it, and any other all."""
    beta = np.exp(view.bracket(epsilon).log_gap_lower) - np.exp(epsilon) * alpha
    return not bool(np.all(beta >= _HALF))


def _local_lower(alpha: FloatArray, excess: FloatArray, beta: FloatArray, floor: float) -> float:
    """The largest local mu at these alphas, from below, of those whose beta is at least the floor."""
    excess = np.where(beta >= floor, np.maximum(excess, 0.0), 0.0)
    with np.errstate(divide="ignore"):
        mu = probit_gap(np.log(alpha), np.log(excess), np.log(np.maximum(beta, 5e-324)))
    return float(np.max(mu)) * (1.0 - PROBIT_ERROR)


def _below(sides: Pair, floor: float, start: float) -> tuple[Fit, float] | None:
    """Where the fixed point c of an asymmetric curve is certainly below the floor: mu = -2 Phi^-1(c) from above and
    from below; else None.

    c is the largest gap / (1 + e^eps), and f(alpha) <= alpha certifies that it is at most alpha.
    """
    if sides.symmetric:
        return None
    log_gap = float(sides.bracket(np.zeros(1)).log_gap_upper[0])
    if not _SMALLEST_LOG_GAP < log_gap <= np.log(2.0 * floor):
        return None
    low, high, best, at = -5.0, 5.0, -np.inf, 0.0
    for _ in range(8):
        grid = np.linspace(low, high, 33)
        value = sides.bracket(grid).log_gap_lower - np.logaddexp(0.0, grid)
        top = int(np.argmax(value))
        if value[top] > best:
            best, at = float(value[top]), float(grid[top])
        low, high = float(grid[max(top - 1, 0)]), float(grid[min(top + 1, 32)])
    best -= 16.0 * UNIT * (1.0 + abs(best))
    alpha = np.exp(best) * (1.0 + 1e-12 * 4.0 ** np.arange(20))
    certain = alpha[(alpha <= floor) & (beta_upper(sides, alpha, start) <= alpha)]
    if not len(certain):
        return None
    upper, lower = -2.0 * probit(np.array([best, np.log(certain[0])]))
    return Fit(_outward(float(upper)), at, best, at), float(lower) * (1.0 - PROBIT_ERROR)


def _fit_branch(branch: Profile, symmetric: bool, floor: float, start: float, zero: tuple[float, float]) -> Fit:
    log_zero = _log_alpha_at_zero(branch, symmetric, zero[1], floor)
    fit = _fit_from(branch, symmetric, floor, start, (*zero, log_zero))
    if not (symmetric and fit.epsilon == 0.0 and zero[0] > 0.0 and log_zero > np.log(floor)):
        return fit
    nearer = _met_near_zero(branch, zero, fit.epsilon_floor)
    if not nearer > log_zero + _BESIDE:  # the tangent of slope -1 is left no sooner than its slope says
        return fit
    fixed_point = zero[1] - float(np.log(2.0))
    return _fit_from(branch, symmetric, floor, start, (*zero, min(nearer, fixed_point)))


def _met_near_zero(branch: Profile, zero: tuple[float, float], last: float) -> float:
    """log of the largest alpha where tangents beside it meet that of slope -1, as far as their deltas tell."""
    epsilon = last * np.geomspace(1e-9, 1e-2, 15)
    b = branch.bracket(epsilon)
    zeros = np.zeros(len(epsilon), dtype=int)
    knots = _Knots(
        np.append(0.0, epsilon), np.append(zero[0], b.upper), np.append(zero[1], b.log_gap_lower),
        np.zeros(len(epsilon) + 1),
    )  # fmt: skip
    told = 1.0 - knots.delta[1:] / zero[0] > _TOLD
    return float(np.max(_log_vertex(knots, zeros, 1 + np.arange(len(epsilon)))[told], initial=-np.inf))


def _fit_from(branch: Profile, symmetric: bool, floor: float, start: float, at_zero: tuple[float, float, float]) -> Fit:
    *zero, log_zero = at_zero
    log_floor = float(np.log(floor))
    if log_zero <= log_floor:  # only the piece of slope -1 is left, or not even that: its ends count
        fixed_point = zero[1] - float(np.log(2.0))
        ends = np.array([fixed_point if symmetric or fixed_point <= log_floor else log_floor])
        if fixed_point > log_floor:
            ends = np.append(ends, log_floor)
        tangent = _Knots(np.zeros(1), np.array([zero[0]]), np.array([zero[1]]), ends)
        local = _local(tangent, np.zeros(len(ends), dtype=int), ends)
        where = int(np.argmax(local))
        return Fit(_outward(float(local[where])), 0.0, float(ends[where]), 0.0)
    goal = -probit(np.array([log_floor]))
    last = float(crossing(lambda e: alpha_score(branch, e), goal, start, 1e-5)[0])
    if not 0.0 < last < 1e12:
        last = min(max(last, start), 1e12)
    last = _steepest(branch, last, log_floor)
    first = _FIRST if allowance().take(1.0) else _FEWER
    grid = np.unique(np.concatenate([np.linspace(0.0, last, first), np.geomspace(min(start, last) / 8.0, last, first)]))
    knots = _knots(branch, grid[1:], log_floor, log_zero, (zero[0], zero[1]))
    bound, attained = _interval_bounds(knots)
    for _ in range(_ROUNDS):
        best = float(np.max(attained))
        gap = _GAP * max(1.0, knots.epsilon.size / _MANY) ** 2
        loose = np.flatnonzero(bound > best * (1.0 + gap))
        sections = _SECTIONS if loose.size <= 64 else (4 if loose.size <= 512 else 2)
        if loose.size == 0 or not np.isfinite(best) or knots.epsilon.size + loose.size * (sections - 1) > _MOST_KNOTS:
            break
        if not allowance().take(1.0):  # what is known holds
            break
        part = np.arange(1, sections) / sections
        low, high = knots.epsilon[loose, None], knots.epsilon[loose + 1, None]
        knots = _refined(branch, knots, (low + (high - low) * part).ravel(), log_floor, log_zero)
        bound, attained = _interval_bounds(knots)
    where = int(np.argmax(attained))
    scores = delta_score(knots.delta, knots.log_gap)
    record = np.maximum.accumulate(scores)
    new = np.concatenate([[True], record[1:] > record[:-1]])
    known = (knots.epsilon[new], scores[new])
    end = float(knots.epsilon[-1])
    return Fit(_outward(float(np.max(bound))), float(knots.epsilon[where]), float(knots.log_alpha[where]), end, known)


def _steepest(branch: Profile, near: float, log_floor: float) -> float:
    """The eps at ``near`` or a little beyond whose tangent says most at the floor: where losses end, alpha falls off a
    cliff, and the best tangent lies at its foot.
    """
    epsilon = near * (1.0 + np.array([0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01]))
    b = branch.bracket(epsilon)
    log_alpha = np.full(len(epsilon), log_floor)
    local = _local(_Knots(epsilon, b.upper, b.log_gap_lower, log_alpha), np.arange(len(epsilon)), log_alpha)
    return float(epsilon[np.argmin(local)])


def _log_alpha_at_zero(branch: Profile, symmetric: bool, log_gap: float, floor: float) -> float:
    """Where the tangent of slope -1 takes over: any place serves, since its ends on both branches cover what is
    between them.
    """
    with np.errstate(divide="ignore"):
        touching = float(np.log(branch.slope(np.zeros(1)))[0])
    fixed_point = log_gap - float(np.log(2.0))  # on the slope -1 tangent alpha = beta = gap / 2
    if touching == -np.inf or fixed_point <= np.log(floor):
        return fixed_point
    # an asymmetric curve touches its tangent anywhere: up to beta = floor
    return min(touching, fixed_point if symmetric else float(np.log(np.exp(log_gap) - floor)))


def _knots(branch: Profile, grid: FloatArray, log_floor: float, log_zero: float, zero: tuple[float, float]) -> _Knots:
    start = _Knots(np.zeros(1), np.array([zero[0]]), np.array([zero[1]]), np.array([log_zero]))
    return _refined(branch, start, grid, log_floor, log_zero)


def _refined(branch: Profile, knots: _Knots, more: FloatArray, log_floor: float, log_zero: float) -> _Knots:
    """Insert tangents at ``more`` > 0; alphas are kept between the floor and the start, and decreasing."""
    b = branch.bracket(more)
    with np.errstate(divide="ignore"):
        log_alpha = np.log(branch.slope(more)) - more
    epsilon = np.concatenate([knots.epsilon, more])
    order = np.argsort(epsilon, kind="stable")
    alphas = np.concatenate([knots.log_alpha, np.clip(log_alpha, log_floor, log_zero)])[order]
    alphas = np.minimum.accumulate(alphas)
    alphas[-1] = log_floor
    # tangents that touch beyond the floor say little about it: the first of them closes the range
    kept = order[: int(np.argmax(alphas <= log_floor)) + 1]
    found = _Knots(
        epsilon[kept],
        np.concatenate([knots.delta, b.upper])[kept],
        np.concatenate([knots.log_gap, b.log_gap_lower])[kept],
        alphas[: len(kept)],
    )
    return replace(found, log_alpha=_between_vertices(found))


def _between_vertices(knots: _Knots) -> FloatArray:
    """Each alpha where its tangent meets those beside it, or between: slopes that were steered by what is nearly all of
    a law turn at its corners at once, where the law itself takes a little longer.
    """
    if knots.epsilon.size < 3:
        return knots.log_alpha
    i = np.arange(knots.epsilon.size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        drop = 1.0 - knots.delta[1:] / knots.delta[:-1]
    log_v = np.where(drop > _TOLD, _log_vertex(knots, i, i + 1), np.nan)
    inner = knots.log_alpha[1:-1]
    with np.errstate(invalid="ignore"):
        moved = np.where(
            log_v[1:] - _BESIDE > inner, log_v[1:], np.where(log_v[:-1] + _BESIDE < inner, log_v[:-1], inner)
        )
    alphas = knots.log_alpha.copy()
    alphas[1:-1] = np.clip(moved, knots.log_alpha[-1], knots.log_alpha[0])
    return np.minimum.accumulate(alphas)


def _interval_bounds(knots: _Knots) -> tuple[FloatArray, FloatArray]:
    """Upper bounds of the local mu between neighbouring knots, and its bound at the knots themselves."""
    n = knots.epsilon.size
    i, j = np.arange(n - 1), np.arange(1, n)
    log_alpha = knots.log_alpha
    log_v = np.clip(_log_vertex(knots, i, j), log_alpha[j], log_alpha[i])
    # in one call: every tangent at its own knot, both tangents of a pair at their vertex and at each other's knot
    tangent = np.concatenate([np.arange(n), i, j, i, j])
    local = _local(knots, tangent, np.concatenate([log_alpha, log_v, log_v, log_alpha[j], log_alpha[i]]))
    attained, i_at_vertex, j_at_vertex, i_at_j, j_at_i = np.split(local, np.cumsum([n, n - 1, n - 1, n - 1]))
    attained[-1] = min(attained[-1], i_at_j[-1])
    at_vertex = np.maximum(i_at_vertex, j_at_vertex)
    # the vertex below the interval: tangent i is followed throughout (its other end is knot i itself)
    only_i = log_v <= log_alpha[j]
    only_j = (log_v >= log_alpha[i]) & ~only_i
    low_end = np.where(only_i, i_at_j, np.maximum(at_vertex, attained[j]))
    inner = np.where(only_j, np.maximum(j_at_i, attained[j]), low_end)
    # the first tangent, of slope -1, covers what lies between the branches by its ends: it counts there, even where the
    # next says more at its knot
    return np.maximum(inner, np.where(only_j & (i > 0), 0.0, attained[i])), attained


def _log_vertex(knots: _Knots, i: np.ndarray, j: np.ndarray) -> FloatArray:
    """log of (delta_i - delta_j) / (e^{e_j} - e^{e_i}), the alpha at which the two tangents meet (approximate)."""
    step = knots.epsilon[j] - knots.epsilon[i]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        drop = np.log(np.maximum(knots.delta[i] - knots.delta[j], 0.0))
        gain = knots.log_gap[j] + np.log(-np.expm1(np.minimum(knots.log_gap[i] - knots.log_gap[j], 0.0)))
        rise = np.log(np.expm1(np.minimum(step, 700.0)))
        log_v = np.where(knots.delta[i] < 0.5, drop, gain) - knots.epsilon[i] - rise
    return np.where(np.isnan(log_v), 0.5 * (knots.log_alpha[i] + knots.log_alpha[j]), log_v)


def _local(knots: _Knots, tangent: np.ndarray, log_alpha: FloatArray) -> FloatArray:
    """m_i(alpha), from the excess power where it is small and from beta = gap - e^eps alpha where that is."""
    e, delta, log_gap = knots.epsilon[tangent], knots.delta[tangent], knots.log_gap[tangent]
    slack = 4.0 * UNIT * (2.0 + np.abs(e) + np.abs(log_alpha) + np.abs(log_gap))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore", under="ignore"):
        load = np.exp(np.minimum(e + log_alpha, 0.0))
        log_load = log_alpha + np.where(
            e > 1.0, e + np.log1p(-np.exp(-np.maximum(e, 1.0))), np.log(np.expm1(np.minimum(e, 1.0)))
        )
        log_excess = np.logaddexp(np.log(delta), log_load) + slack
        share = e + log_alpha - log_gap + slack  # log of e^eps alpha / gap
        log_beta = log_gap + np.log(-np.expm1(np.minimum(share, 0.0))) - slack
        direct = np.log1p(-np.minimum(delta + load * (1.0 + slack), 1.0)) - slack
        log_beta = np.where(np.isnan(log_beta), -np.inf, np.maximum(log_beta, np.where(delta < 0.5, direct, -np.inf)))
    out = log_beta <= -1e300
    value = probit_gap(log_alpha, np.where(out, 0.0, log_excess), np.where(out, -1.0, log_beta))
    return np.where(out, np.inf, value)


def _outward(mu: float) -> float:
    return mu * (1.0 + PROBIT_ERROR)
