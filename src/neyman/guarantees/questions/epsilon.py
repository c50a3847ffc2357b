"""epsilon(delta): the profile read backwards, on the certified side."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.guarantees.questions.crossing import Guess, among, crossing, interpolated
from neyman.numerics.functions.few import every, some
from neyman.numerics.functions.score import score
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import delta_score
from neyman.profiles.profile import Bracket, Profile

__all__ = ["certified_near", "epsilon_lower", "epsilon_upper", "spread"]

_CLOSE, _HALVINGS = 1e-7, 60  # of eps: a step that is small; of what lies between, at most
# relative: how far to the safe side of a root it is tried whether it holds, and at last on the other side
_STEPS = np.concatenate([[0.0], UNIT * 4.0 ** np.arange(0, 13), [-_CLOSE]])
_TRIED = {sign: 1.0 + sign * _STEPS for sign in (1.0, -1.0)}  # the same times a root: upwards, and downwards
# relative: the same where a root was none
_LADDER = np.array([*np.outer(10.0 ** np.arange(-8, -3), [1.0, 2.0, 5.0]).ravel(), 1e-3, 0.01, 0.1, 0.5, 1.0])
_ORDERS = 8.0 ** np.arange(1, 13)  # times an eps, where no rung of that ladder holds
_BEYOND = 1e150  # an eps above it is reported as inf
_FARTHEST = 1e300  # above every finite loss: mu <= 1e109
_FEW = 1e-4  # of the mass of the last loss: below, delta is as good as straight
_UNREACHED = 1e9  # the score of delta = 0
_FARTHER = 2.0  # of a score: how far beyond what is known it is continued
_HALF = 0.5  # delta from which its logarithm is flat
# steps of Newton's, while they shrink; one after which the next is none, in units of eps and in log delta
_MOST, _LAST, _TOLD = 8, 1e-6, 3e-6
_ROOM = 0.1  # relative distance from a delta that is sought within which deltas steer the search

_Holds = Callable[[Bracket, FloatArray], NDArray[np.bool_]]


def spread(profile: Profile) -> float:
    """A natural unit of eps: the mu of the Gaussian with the same advantage (a start for solvers, nothing more)."""
    b = profile.bracket(np.zeros(1))
    log_two = math.log(2.0)
    mu = 2.0 * float(score(np.minimum(b.log_gap_lower - log_two, -log_two))[0])
    small = 2.5 * float(b.upper[0])  # where the probit has no digits left
    return min(max(mu if mu > 1e-6 else small, 1e-300), 1e6)


def epsilon_upper(
    profile: Profile, delta: FloatArray, start: float, known: tuple[FloatArray, FloatArray] | None = None
) -> FloatArray:
    """Return eps >= 0 at which delta(eps) <= ``delta`` is certified; inf where there is none.

    ``known``: eps and scores of delta there, both rising, that an earlier question left behind.
    """
    endless = delta < profile.revealed  # no eps serves these
    if some(endless):
        found = np.full(len(delta), math.inf)
        if not endless.all():
            found[~endless] = epsilon_upper(profile, delta[~endless], start, known)
        return found
    root = _near_the_end(profile, delta)
    open_ = np.isnan(root)
    guess = _guess(profile, _target(delta), known) if some(open_) else None
    if guess is not None and every(open_):
        root = _by_slopes(profile, delta, start, guess)
        open_ = np.isnan(root)
    elif guess is not None:
        root[open_] = _by_slopes(profile, delta[open_], start, guess.at(open_.nonzero()[0]))
        open_ = np.isnan(root)
    if some(open_):
        at, goals = None if guess is None else guess.at(open_.nonzero()[0]), _goals(delta)

        def reached(epsilon: FloatArray) -> FloatArray:
            b = profile.decide(epsilon, goals)
            return np.minimum(delta_score(b.upper, b.log_gap_lower), 2.0 * _UNREACHED)

        root[open_] = crossing(reached, _target(delta[open_]), start, guess=at)
    found = certified_near(profile, delta, root)
    if math.isinf(profile.tail_mu):
        # where delta(eps) stays at the mass at infinity, any eps holds: the least is meant
        finite = np.flatnonzero(np.isfinite(found) & (found > 0.0))
        flat = finite[_holds(profile.bracket(found[finite] * (1.0 - 1e-7)), delta[finite])]
        found[flat] = _least(profile, delta[flat], found[flat], _holds)
    if math.isfinite(profile.end):  # no more is ever needed
        enough = _holds(profile.bracket(np.full(len(delta), profile.end)), delta)
        found = np.where(enough, np.minimum(found, profile.end), found)
    return found


def certified_near(profile: Profile, delta: FloatArray, root: FloatArray) -> FloatArray:
    """Return the first eps from each ``root`` on at which delta(eps) <= ``delta`` is certified; inf where none is."""
    return _certified(profile, delta, root, _holds, 1.0)


def _holds(b: Bracket, goal: FloatArray) -> NDArray[np.bool_]:
    return b.upper <= goal


def _guess(profile: Profile, goal: FloatArray, known: tuple[FloatArray, FloatArray] | None) -> Guess | None:
    """About where the score of delta is each ``goal``: by what is ``known``, else by what is expected, else by what is
    known a little before.
    """
    if known is None:
        return None if profile.expected is None else interpolated(profile.expected, goal)
    within = among(known, goal)
    if every(within.known):
        return within
    beyond = (goal > known[1][-1]) & (goal < known[1][-1] + _FARTHER) & (within.epsilon > 0.0)
    near = within._replace(known=within.known | beyond)
    if np.all(near.known) or profile.expected is None:
        return near
    epsilon, scores = profile.expected  # off by about as much as where both are known
    off = known[1][-1] - np.interp(known[0][-1], epsilon, scores)
    return within.beside(interpolated((epsilon, scores + off), goal)).beside(near)


def _by_slopes(profile: Profile, delta: FloatArray, start: float, guess: Guess) -> FloatArray:
    """About the eps at which delta(eps) is that, by a few steps of Newton's in its logarithm from a guess; nan where
    the last was no small one.
    """
    at = (guess.known & (delta < _HALF) & (delta > 0.0) & (guess.epsilon < _BEYOND)).nonzero()[0]
    root, epsilon = np.full(len(delta), np.nan), guess.epsilon[at]
    if not len(at):
        return root
    near, size, goal = np.zeros(len(at), dtype=np.bool_), np.full(len(at), np.inf), delta[at]
    for _ in range(_MOST):
        upper = profile.bracket(epsilon).upper
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            off = np.log(upper / goal)
            step = off * upper / profile.slope(epsilon)
        length = np.abs(step)
        epsilon = np.where(length < epsilon, epsilon + step, epsilon)
        near = (length <= _LAST * np.minimum(epsilon, start)) & (np.abs(off) <= _TOLD)
        if every(near | ~(length < _HALF * size)):  # all are there, or no longer come nearer
            break
        size = length
    root[at[near]] = epsilon[near]
    return root


def _near_the_end(profile: Profile, delta: FloatArray) -> FloatArray:
    """About the eps at which delta(eps) = p (1 - e^{eps - end}), for those far below the mass p of the last loss; for
    those below it by a few steps of Newton's from there, where delta goes as a power of what is left.

    nan for the others, and where the losses have no end.
    """
    root = np.full(len(delta), np.nan)
    if not (math.isfinite(profile.end) and math.isfinite(profile.tail_mu) and profile.end > 0.0):
        return root
    if not np.any(delta < _FEW):
        return root
    last = float(profile.slope(np.array([profile.end * (1.0 - 1e-6)]))[0])
    near = delta < _HALF * last
    left = -np.log1p(-delta[near] / max(last, 1e-300))
    far = np.flatnonzero(delta[near] >= _FEW * last)
    goal, x, step = delta[near][far], left[far], np.zeros(len(far))
    for _ in range(_MOST if len(far) else 0):
        epsilon = np.maximum(profile.end - x, 0.0)
        upper = profile.bracket(epsilon).upper
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            step = np.log(goal / upper) * upper / (x * profile.slope(epsilon))
        step = np.where(np.isfinite(step), step, 1.0)  # delta is no float there: farther from the end
        x = x * np.exp(np.clip(step, -1.0, 1.0))
        if np.all(np.abs(step) <= _LAST):
            break
    left[far] = np.where(np.abs(step) <= _LAST, x, np.nan)
    root[near] = np.maximum(profile.end - left, 0.0)
    return root


def _least(profile: Profile, goal: FloatArray, high: FloatArray, holds: _Holds) -> FloatArray:
    """Bisect for the least eps at which it holds, from above."""
    low = np.zeros_like(high)
    for _ in range(60 if len(high) else 0):
        middle = 0.5 * (low + high)
        right = holds(profile.bracket(middle), goal)
        low, high = np.where(right, low, middle), np.where(right, middle, high)
    return high


def epsilon_lower(profile: Profile, delta: FloatArray, start: float, upper: FloatArray | None = None) -> FloatArray:
    """Return eps >= 0 at which delta(eps) > ``delta`` is certified; 0 where there is none.

    Equality would not do: where delta(eps) stays at ``delta``, a smaller eps may be the answer.

    ``upper`` is the answer of ``epsilon_upper``, if it is known: the search then starts there.
    """
    endless = delta < profile.revealed  # no eps serves these
    if some(endless):
        found = np.full(len(delta), math.inf)
        if not endless.all():
            found[~endless] = epsilon_lower(profile, delta[~endless], start, None if upper is None else upper[~endless])
        return found
    root = np.full(len(delta), np.inf) if upper is None else upper.copy()
    open_ = ~np.isfinite(root)
    if some(open_):
        goals = _goals(delta)

        def reached(epsilon: FloatArray) -> FloatArray:
            b = profile.decide(epsilon, goals)
            return np.minimum(delta_score(b.lower, b.log_gap_upper), 2.0 * _UNREACHED)

        root[open_] = crossing(reached, _target(delta[open_]), start)
    return _certified(profile, delta, root, _exceeds, -1.0)


def _exceeds(b: Bracket, goal: FloatArray) -> NDArray[np.bool_]:
    return b.lower > goal


def _goals(delta: FloatArray) -> tuple[float, float]:
    """Deltas beyond which a search needs not know more than that."""
    return (1.0 - _ROOM) * float(np.min(delta, initial=1.0)), (1.0 + _ROOM) * float(np.max(delta, initial=0.0))


def _target(delta: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        found = delta_score(delta, np.log1p(-delta))
    return np.minimum(np.maximum(found, -_UNREACHED), _UNREACHED)


def _certified(profile: Profile, goal: FloatArray, root: FloatArray, holds: _Holds, sign: float) -> FloatArray:
    """Step from ``root`` to the safe side (sign +1 up, -1 down), ever further, to the first eps where it holds; where
    that is no small step, or it holds a little before the root, too, halve what lies between.
    """
    near = np.minimum(root, _BEYOND)
    trial = near[:, None] * _TRIED[sign]
    found = holds(profile.bracket(trial.ravel()), goal.repeat(trial.shape[1])).reshape(trial.shape)
    before, found = found[:, -1], found[:, :-1]
    rows, first = np.arange(near.size), found.argmax(axis=1)
    best = trial[rows, first]
    missing = (~found[rows, first]).nonzero()[0]
    if missing.size:
        best[missing] = _farther(profile, goal[missing], near[missing], holds, sign)
    early = found[:, 0] & before
    if some(early):
        early = (early & (near > 0.0) & (near < _BEYOND) & (goal < 1.0)).nonzero()[0]
        best[early] = _earlier(profile, goal[early], near[early], holds, sign)
    beyond = best >= _BEYOND
    if some(beyond):
        if sign < 0:  # from below that is so only where it stays so beyond every finite loss
            beyond &= holds(profile.bracket(np.full(len(goal), _FARTHEST)), goal) & math.isinf(profile.tail_mu)
        best[beyond] = np.inf
    none = goal >= 1.0
    return np.where(none, 0.0, best) if some(none) else best


def _farther(profile: Profile, goal: FloatArray, near: FloatArray, holds: _Holds, sign: float) -> FloatArray:
    """Where it holds on the safe side of a root that was none: inf, or 0 from below, where nowhere."""
    ladder = near[:, None] * (1.0 + sign * _LADDER)
    if sign > 0:
        ladder = np.where(ladder > 0.0, ladder, np.geomspace(1e-300, 1e-3, ladder.shape[1]))
        if math.isfinite(profile.end):  # the last that may be needed
            ladder = np.append(ladder, np.maximum(ladder[:, -1:], profile.end), axis=1)
    best, some = _first_on(profile, goal, near, ladder, holds)
    flat = np.flatnonzero(~some)
    if (
        len(flat) and sign > 0 and profile.end == math.inf
    ):  # of a delta that hardly falls a root may be off by orders of magnitude
        last = ladder[flat, -1]
        best[flat], some[flat] = _first_on(profile, goal[flat], last, last[:, None] * _ORDERS, holds)
    return np.where(some, best, np.inf if sign > 0 else 0.0)


def _first_on(
    profile: Profile, goal: FloatArray, near: FloatArray, ladder: FloatArray, holds: _Holds
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Where it first holds on each ladder, from ``near`` on where it does not; and whether it does anywhere."""
    found = holds(profile.bracket(ladder.ravel()), np.repeat(goal, ladder.shape[1])).reshape(ladder.shape)
    rows, rung = np.arange(near.size), np.argmax(found, axis=1)
    far, before = ladder[rows, rung], np.where(rung > 0, ladder[rows, rung - 1], near)
    some = np.any(found, axis=1)
    wide = np.flatnonzero(some & (np.abs(far - before) > _CLOSE * far) & (before > 0.0))
    far[wide] = _halved(profile, goal[wide], (before[wide], far[wide]), holds)
    return far, some


def _earlier(profile: Profile, goal: FloatArray, near: FloatArray, holds: _Holds, sign: float) -> FloatArray:
    """Where it begins to hold before a root that was taken too far: its last place, where nothing lies before."""
    ladder = near[:, None] * (1.0 - sign * np.append(0.0, _LADDER))
    found = holds(profile.bracket(ladder.ravel()), np.repeat(goal, ladder.shape[1])).reshape(ladder.shape)
    found[:, 0] = True  # the root itself
    rows, rung = np.arange(near.size), np.argmin(found, axis=1)
    ended = np.flatnonzero(~np.all(found, axis=1))
    best = ladder[:, -1].copy()
    ends = ladder[rows, rung][ended], ladder[rows, rung - 1][ended]
    best[ended] = _halved(profile, goal[ended], ends, holds)
    return best


def _halved(profile: Profile, goal: FloatArray, ends: tuple[FloatArray, FloatArray], holds: _Holds) -> FloatArray:
    """Between an eps where it does not hold and one where it does: one where it does, next to where it does not."""
    no, yes = ends
    for _ in range(_HALVINGS if len(goal) else 0):
        if np.all(np.abs(yes - no) <= _CLOSE * _ROOM * yes):
            break
        middle = 0.5 * (no + yes)
        right = holds(profile.bracket(middle), goal)
        no, yes = np.where(right, no, middle), np.where(right, middle, yes)
    return yes
