"""mu(floor): the least mu with G_mu below the curve wherever alpha and beta are at least the floor.

Certified tangents l_i(alpha) = 1 - delta(e_i) - e^{e_i} alpha bound the curve from below, so
m_i(alpha) = Phi^-1(1 - alpha) - Phi^-1(l_i(alpha)) bounds the local mu from above. {m_i <= c} = {G_c - l_i <= 0} is an
interval, because G_c is convex and l_i a line: m_i is quasi-convex, its supremum over an interval is taken at an end.
Between two knots alpha_{i+1} < alpha_i the better of two tangents is followed, with a change at their vertex; hence
three numbers bound the supremum over the whole interval, and refining eps where the bound is largest closes the gap.
The knots themselves are just numbers: nothing uncertified enters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.crossing import Guess, crossing, interpolated, rising
from neyman.guarantees.questions.curve.excess import attained as attained_by_tests
from neyman.guarantees.questions.curve.tradeoff import beta_near, beta_upper, excess_lower, excess_of_plateau
from neyman.guarantees.questions.mu.knots import (
    BESIDE,
    TOLD,
    Knots,
    between,
    interval_bounds,
    joined,
    local_mu,
    log_vertex,
    touching,
)
from neyman.guarantees.questions.mu.of_vertices import vertex_fit
from neyman.numerics.functions.few import largest, some
from neyman.numerics.functions.grids import evenly, geometric
from neyman.numerics.functions.normal import PROBIT_ERROR, probit, probit_gap
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.pair import Pair, alpha_score, delta_score
from neyman.profiles.profile import Profile

__all__ = ["Fit", "fit_lower", "fit_upper", "lower_beside"]

_GAP = 1e-8  # relative, between the supremum's bound and its best knot
_MANY = 512  # knots from which that grows with the square of their number, as what they miss falls: flat curves
_ROUNDS = 12  # of parting at most: steers
_FIRST, _FEWER = 24, 6  # knots of each kind, usually and where no effort is left
_MOST_KNOTS = 6_000  # of a branch at most: steers
_AIMED = 0.2  # of what an interval may lose, when it is parted: the square of its length tells it nearly
_NORMAL = 0.7, 3.6  # times the deviations of a normal loss: what lies between is believed to lie where it is expected
_NEARLY, _TIMES = 6.5, 5.0  # the same where it is some more; times what the last slope says how far that is, at most
_FARTHER, _USEFUL = 1.02, 0.5  # times where alpha may be the floor; of that, where that of the law is at least
# times that they are extended at most; of what the last slope says, how far, and times what is known, at most
_LONGER, _FURTHER, _MOST = 8, 1.05, 32.0
_OFF = 1e-5  # of a score: what the tangent that is as far from the floor loses there goes with its square
_SMOOTH = 0.1  # of a miss: what is left of it after a step of Newton's, at most
_FARTHEST = 1e12  # eps beyond which the floor is not looked for
_STEEP = 3.0  # times the slope of a Gaussian's score: of no cliff
_SMALLEST_LOG_GAP = -690.0  # below it alpha is no longer a float
_TOLD_BY = 8  # knots that tell what is attained at the floor by those before
_APART = 1e-3  # relative: how far below mu the local mu at the floor certainly lies where it is not looked at
_SHARP = 1e-10  # of mu: what tests attain that are known is as near as that, or four points around are asked as well
_LOOSE = 1e-6  # of mu: a bound from below that is as near to the one from above is not worth another
_HALF = 0.5  # beta from which it is known as well as the excess is
_NOT_NEAR_HALF = -0.1  # log(1 - delta(0)) below it: the probit of the fixed point has all its digits


@dataclass(frozen=True, slots=True)
class Fit:
    """A certified upper bound on mu, where it is (nearly) attained, and the eps at which alpha reaches the floor.

    ``scores`` holds eps and -Phi^-1(delta) met on the way along the forward branch: first guesses for other solvers.
    ``at_floor`` bounds the local mu at the floor itself from above, on every branch.
    """

    mu: float
    epsilon: float
    log_alpha: float
    epsilon_floor: float
    scores: tuple[FloatArray, FloatArray] | None = None
    at_floor: float = np.inf


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
    if len(fits) == 1:
        return fits[0]
    at_floor = max(fit.at_floor for fit in fits)
    return replace(max(fits, key=lambda fit: fit.mu), scores=fits[0].scores, at_floor=at_floor)


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


def lower_beside(sides: Pair, floor: float, start: float, other: Fit) -> float:
    """Return a certified lower bound on mu(floor), from the power where the fit of ``other``, a curve that is much like
    this one, found its maximum: a little less sharp than ``fit_lower``, for a fraction of the work of a fit.
    """
    views = [Pair(branch, back) for branch, back in zip(sides.branches, sides.branches[::-1], strict=True)]
    return max(_point_lower(view, floor, start, other, False) for view in views)


def _point_lower(view: Pair, floor: float, start: float, guess: Fit, pressed: bool = True) -> float:
    """From below, where it is attained; ``pressed``: by every way there is, until it is near that fit."""
    gap = float(view.bracket(np.zeros(1)).log_gap_upper[0])
    middle = 0.0
    if view.symmetric and gap < _NOT_NEAR_HALF:  # at the fixed point, whether or not it is below the floor
        middle = -2.0 * float(probit(np.array([gap - np.log(2.0)]))[0]) * (1.0 - PROBIT_ERROR)
        if gap - np.log(2.0) <= np.log(floor):
            return max(0.0, middle)
    epsilon = np.array([guess.epsilon, guess.epsilon_floor])
    alpha = np.maximum(np.exp(np.array([guess.log_alpha, np.log(floor)])), floor)
    if guess.at_floor < (1.0 - _APART) * guess.mu:  # the floor, where delta is small, may be dear, and can say no more
        epsilon, alpha = epsilon[:1], alpha[:1]
    usable = epsilon <= 690.0
    if not some(usable):
        return middle
    alpha, epsilon = alpha[usable], epsilon[usable]
    excess = attained_by_tests(view, alpha, epsilon, start)
    found = max(middle, _local_lower(alpha, excess, 1.0 - alpha - excess, floor))
    if guess.mu - found > _SHARP * guess.mu:
        excess = excess_lower(view, alpha, epsilon, start)
        found = max(found, _local_lower(alpha, excess, 1.0 - alpha - excess, floor))
    if pressed and guess.mu - found > _LOOSE * guess.mu:
        excess = excess_of_plateau(view, alpha)
        found = max(found, _local_lower(alpha, excess, 1.0 - alpha - excess, floor))
    if pressed and guess.mu - found > _LOOSE * guess.mu and _little_left(view, alpha, epsilon):
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
    if not np.count_nonzero(excess):
        return 0.0
    with np.errstate(divide="ignore"):
        mu = probit_gap(np.log(alpha), np.log(excess), np.log(np.maximum(beta, 5e-324)))
    return largest(mu) * (1.0 - PROBIT_ERROR)


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
    if not nearer > log_zero + BESIDE:  # the tangent of slope -1 is left no sooner than its slope says
        return fit
    fixed_point = zero[1] - float(np.log(2.0))
    return _fit_from(branch, symmetric, floor, start, (*zero, min(nearer, fixed_point)))


def _met_near_zero(branch: Profile, zero: tuple[float, float], last: float) -> float:
    """log of the largest alpha where tangents beside it meet that of slope -1, as far as their deltas tell."""
    epsilon = last * np.geomspace(1e-9, 1e-2, 15)
    b = branch.bracket(epsilon)
    zeros = np.zeros(len(epsilon), dtype=int)
    knots = Knots(
        np.append(0.0, epsilon), np.append(zero[0], b.upper), np.append(zero[1], b.log_gap_lower),
        np.zeros(len(epsilon) + 1),
    )  # fmt: skip
    told = 1.0 - knots.delta[1:] / zero[0] > TOLD
    return float(np.max(log_vertex(knots, zeros, 1 + np.arange(len(epsilon)))[told], initial=-np.inf))


def _fit_from(branch: Profile, symmetric: bool, floor: float, start: float, at_zero: tuple[float, float, float]) -> Fit:
    *zero, log_zero = at_zero
    log_floor = float(np.log(floor))
    if log_zero <= log_floor:  # only the piece of slope -1 is left, or not even that: its ends count
        fixed_point = zero[1] - float(np.log(2.0))
        ends = np.array([fixed_point if symmetric or fixed_point <= log_floor else log_floor])
        if fixed_point > log_floor:
            ends = np.append(ends, log_floor)
        tangent = Knots(np.zeros(1), np.array([zero[0]]), np.array([zero[1]]), ends)
        local = local_mu(tangent, np.zeros(len(ends), dtype=int), ends)
        where = int(np.argmax(local))
        return Fit(_outward(float(local[where])), 0.0, float(ends[where]), 0.0)
    zeroth = Knots(np.zeros(1), np.array([zero[0]]), np.array([zero[1]]), np.array([log_zero]))
    knots, guess = _first_knots(branch, zeroth, start, log_floor)
    more = np.zeros(0) if guess is None else guess.epsilon
    bound, attained = interval_bounds(knots)
    end = np.inf if guess is None else float(guess.epsilon[0])
    for _ in range(_ROUNDS):
        near, told = (knots, attained) if guess is None else _up_to(float(guess.epsilon[0]), knots, attained)
        best = largest(told)
        gap = _GAP * max(1.0, knots.epsilon.size / _MANY) ** 2
        loose = (bound > best * (1.0 + gap)).nonzero()[0]
        if loose.size and math.isfinite(best):
            more = np.concatenate([more, between(near, loose, (bound, told), best * (1.0 + _AIMED * gap))])
        if more.size == 0 or knots.epsilon.size + more.size > _MOST_KNOTS:
            break
        if not allowance().take(1.0):  # what is known holds
            break
        found, more = touching(branch, more), more[:0]
        if guess is not None:
            end, guess, more = _nearer(branch, guess, found, start, log_floor)
        knots = joined(knots, found, log_floor)
        bound, attained = interval_bounds(knots)
    where = int(attained.argmax())
    scores = delta_score(knots.delta, knots.log_gap)
    known = rising((knots.epsilon, scores))
    last = end if 0.0 < end < np.inf else float(knots.epsilon[-1])
    at = float(knots.epsilon[where]) if knots.log_alpha[where] > log_floor else last
    mu, at_floor = _outward(largest(bound)), _outward(float(attained[-1]))
    return Fit(mu, at, float(knots.log_alpha[where]), last, known, at_floor)


def _up_to(end: float, knots: Knots, attained: FloatArray) -> tuple[Knots, FloatArray]:
    """The ``knots`` and what they attain, but for the last: it is at the floor, at ``end`` about, where as much is
    attained as a parabola through the three before says. Its own tangent does not touch there.
    """
    if len(attained) < _TOLD_BY or not knots.epsilon[-2] < end <= knots.epsilon[-1]:
        return knots, attained
    (a, b, c), (x, y, z) = knots.epsilon[-4:-1].tolist(), attained[-4:-1].tolist()
    if not a < b < c:
        return knots, attained
    chord = (z - y) / (c - b)
    bend = (chord - (y - x) / (b - a)) / (c - a)
    at_end = min(z + (end - c) * (chord + (end - b) * bend), float(attained[-1]))
    if not math.isfinite(at_end):
        return knots, attained
    epsilon, attained = knots.epsilon.copy(), attained.copy()
    epsilon[-1], attained[-1] = end, at_end
    return knots._replace(epsilon=epsilon), attained


def _nearer(
    branch: Profile, guess: Guess, found: Knots, start: float, log_floor: float
) -> tuple[float, Guess | None, FloatArray]:
    """Where alpha is the floor, by a step of Newton's from the first that was ``found``, a better guess where that one
    was not near enough, and what is to be asked next; by a search where the curve bends too sharply for that.
    """
    miss = -probit(np.array([log_floor])) + probit(np.minimum(found.log_alpha[:1], 0.0))
    off, end = abs(float(miss[0])), float((found.epsilon[:1] + miss / guess.slope)[0])
    if off <= _OFF:
        return end if end > 0.0 else float(found.epsilon[0]), None, np.zeros(0)
    if off <= _SMOOTH * guess.miss and end > 0.0:
        return end, guess._replace(miss=off), np.array([end])
    end = _at_floor(branch, start, log_floor)
    return end, None, np.array([end])


def _at_floor(branch: Profile, start: float, log_floor: float) -> float:
    """The eps at which alpha is the floor, by a search."""
    last = float(crossing(lambda e: alpha_score(branch, e), -probit(np.array([log_floor])), start, 1e-5)[0])
    return _steepest(branch, last if 0.0 < last < _FARTHEST else min(max(last, start), _FARTHEST), log_floor)


def _steepest(branch: Profile, near: float, log_floor: float) -> float:
    """The eps at ``near`` or a little beyond whose tangent says most at the floor: where losses end, alpha falls off a
    cliff, and the best tangent lies at its foot.
    """
    epsilon = near * (1.0 + np.array([0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01]))
    b = branch.bracket(epsilon)
    log_alpha = np.full(len(epsilon), log_floor)
    knots = Knots(epsilon, b.upper, b.log_gap_lower, log_alpha)
    local = local_mu(knots, np.arange(len(epsilon)), log_alpha)
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


def _first_knots(branch: Profile, zero: Knots, start: float, log_floor: float) -> tuple[Knots, Guess | None]:
    """Knots from that at eps = 0 to where alpha is the floor; and about where that is, if
    it is none of them.
    """
    first = _FIRST if allowance().take(1.0) else _FEWER
    goal = -probit(np.array([log_floor]))
    far = start * (float(goal[0]) - 0.5 * start)  # of a Gaussian
    fall = branch.fall(log_floor)
    steep = math.inf if fall is None else fall.deviations / float(goal[0])
    if fall is not None and _NORMAL[0] <= steep <= _NORMAL[1]:
        far = fall.epsilon
    far *= _FARTHER
    if far > start:
        found = touching(branch, _grid(start, far, first))
        for _ in range(_LONGER):
            scores = -probit(np.minimum(found.log_alpha, 0.0))
            guess = interpolated((found.epsilon, scores), goal)
            # a score that rises much as that of a Gaussian does: no cliff, from which alpha falls
            if guess.known[0] and guess.slope[0] <= _STEEP / start and guess.epsilon[0] >= _USEFUL * far:
                return joined(zero, found, log_floor), guess
            end, before = found.epsilon[-1], found.epsilon[-3]
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                ahead = float((goal[0] - scores[-1]) / (scores[-1] - scores[-3]) * (end - before))
            if not 0.0 < ahead <= _MOST * end:
                break
            if fall is not None and steep <= _NEARLY and ahead < fall.epsilon - end <= _TIMES * ahead:
                ahead = fall.epsilon - end
            more = end + _FURTHER * ahead * np.arange(1, first // 4 + 1) / (first // 4)
            found = Knots.of(found, touching(branch, more))
    last = _at_floor(branch, start, log_floor)
    return joined(zero, touching(branch, _grid(start, last, first)), log_floor), None


def _grid(start: float, last: float, count: int) -> FloatArray:
    """Eps > 0 up to the ``last``: evenly, and closer to 0."""
    both = np.concatenate([evenly(0.0, last, count)[1:], geometric(min(start, last) / 8.0, last, count)])
    both.sort()
    new = np.empty(len(both), dtype=np.bool_)
    new[0], new[1:] = True, both[1:] != both[:-1]
    return both[new]


def _outward(mu: float) -> float:
    return mu * (1.0 + PROBIT_ERROR)
