"""P(L > x) and P(L <= x) at any real x, bracketed by secants of delta.

h(k) = delta(log k) is convex in k = e^eps, with slopes -Q(L >= eps) from the left and -Q(L > eps) from the right, and
P(L > eps) = h + k Q(L > eps). A secant that ends at eps is steeper than both slopes, one that begins there is flatter
than both: for every s > 0, with delta at eps - s, at eps and at eps + s,

    (delta - e^-s delta(eps + s)) / (1 - e^-s)  <=  P(L > eps)
                                                <=  P(L >= eps)  <=  (delta(eps - s) - e^-s delta) / (1 - e^-s)

and e^eps Q(L > eps) is what exceeds delta in them. The same of the gap g = 1 - delta, where that is small, brackets
P(L <= eps). Whatever s is, that is true: a bad one is only wide. A bracket of delta of relative width w leaves about
sqrt(w) open, straight pieces of delta next to nothing. On a negative eps the reversed pair is read: there L is -L, and
P(L <= -e) = Q_reversed(L >= e). Both sides of a jump are always within: ">" and ">=" have one bracket.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import LARGEST_EXPONENT, SMALLEST, UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket

__all__ = ["Tails", "tails"]

_FINE = (0.04, 0.2, 1.0, 4.0)  # times the step that balances rounding and bend
_COARSE = (0.02, 0.2, 1.0)  # times the spread of the law
_LEAST = 1e-15  # of delta, relative: no bracket is narrower
_NORMAL = float(np.finfo(np.float64).tiny)
_MOST_KNOTS = 4096  # neighbours among them are looked up; of more, steps do
_ROOM = 24.0 * UNIT  # certifies: a difference of two products of two, each factor within 4 units, and its quotient


class Tails(NamedTuple):
    """Bounds at each place: ``above`` holds of P(L > x) and of P(L >= x), ``below`` of P(L <= x) and of P(L < x)."""

    above_lower: FloatArray
    above_upper: FloatArray
    below_lower: FloatArray
    below_upper: FloatArray


def tails(pair: Pair, x: FloatArray) -> Tails:
    """Bounds on the law of L under P, at each real ``x`` (1-d, finite)."""
    out = np.empty((4, x.size))
    right = x >= 0.0
    if right.any():
        found = _at(pair, x[right])
        out[:, right] = *found.power, *found.miss
    if not right.all():  # P(L > -e) = Q_reversed(L < e)
        found = _at(pair.reversed, -x[~right])
        low, high = found.alpha
        out[:, ~right] = np.maximum(1.0 - high - UNIT, 0.0), np.minimum(1.0 - low + UNIT, 1.0), low, high
    return Tails(*out)


class _Half(NamedTuple):
    """The law at eps >= 0: e^eps Q(L > eps) is ``slope``, P(L > eps) ``power``, P(L <= eps) ``miss``."""

    alpha: tuple[FloatArray, FloatArray]
    power: tuple[FloatArray, FloatArray]
    miss: tuple[FloatArray, FloatArray]


def _at(pair: Pair, epsilon: FloatArray) -> _Half:
    """Bounds at each eps >= 0."""
    here = pair.bracket(epsilon)
    before, after = _places(pair, epsilon, here)
    beside = pair.bracket(np.concatenate([before.ravel(), after.ravel()]))
    shape = (2, *before.shape)
    steps = np.stack([epsilon[:, None] - before, after - epsilon[:, None]])
    one = _by_delta(here.lower[:, None], np.reshape(beside.upper, shape), steps)
    two = _by_gap(here.log_gap_upper[:, None], np.reshape(beside.log_gap_lower, shape), steps)
    slope = (
        np.clip(np.maximum(one.fall.max(1), two.fall.max(1)), 0.0, 1.0),
        np.clip(np.minimum(one.rise.min(1), two.rise.min(1)), 0.0, 1.0),
    )
    with np.errstate(under="ignore"):
        weight = np.exp(-epsilon)
        gap = np.exp(here.log_gap_upper)
    gap = np.minimum(gap * (1.0 + 8.0 * UNIT) + SMALLEST, 1.0)
    alpha = (
        np.maximum(slope[0] * weight * (1.0 - 8.0 * UNIT) - SMALLEST, 0.0),
        np.minimum(slope[1] * weight * (1.0 + 8.0 * UNIT) + SMALLEST, 1.0),
    )
    power = np.clip(np.maximum(one.least.max(1), here.lower), 0.0, 1.0), np.clip(one.most.min(1), 0.0, 1.0)
    miss = np.clip(two.least.max(1), 0.0, 1.0), np.clip(np.minimum(two.most.min(1), gap), 0.0, 1.0)
    return _Half(alpha, _with_rest(power, miss), _with_rest(miss, power))


def _with_rest(
    part: tuple[FloatArray, FloatArray], rest: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """The sharper of what is known of a probability and of its complement."""
    return np.maximum(part[0], 1.0 - rest[1] - UNIT), np.minimum(part[1], 1.0 - rest[0] + UNIT)


def _places(pair: Pair, epsilon: FloatArray, here: Bracket) -> tuple[FloatArray, FloatArray]:
    """Points before and after each eps, a column for each kind of step."""
    unit = spread(pair.forward)
    with np.errstate(under="ignore"):
        low, high = np.exp(here.log_gap_lower), np.exp(here.log_gap_upper)
    small = here.upper < 0.5
    wide = np.where(small, here.upper - here.lower, high - low) + _LEAST * np.where(small, here.upper, high)
    slope = np.clip(np.nan_to_num(pair.forward.slope(epsilon)), 1e-300, 1.0)
    least = 1e-13 * np.maximum(unit, epsilon)
    step = np.clip(np.sqrt(wide * unit / slope), least, np.maximum(unit, least))
    coarse = np.broadcast_to(unit * np.array(_COARSE), (epsilon.size, len(_COARSE)))
    steps = np.concatenate([np.outer(step, _FINE), coarse], axis=1)
    before, after = epsilon[:, None] - steps, epsilon[:, None] + steps
    knots = np.union1d(pair.forward.knots, -pair.backward.knots)
    if 0 < knots.size <= _MOST_KNOTS:
        known = np.concatenate([[-np.inf], knots, [np.inf]])
        ahead = known[np.searchsorted(known, epsilon, side="right")]
        behind = known[np.searchsorted(known, epsilon, side="left") - 1]
        before = np.column_stack([before, np.where(np.isfinite(behind), behind, epsilon)])
        after = np.column_stack([after, np.where(np.isfinite(ahead), ahead, epsilon)])
    return before, after


class _Secants(NamedTuple):
    """By each secant: bounds on e^eps Q(L > eps), and on a probability under P; -inf and inf where it has no length."""

    fall: FloatArray
    rise: FloatArray
    least: FloatArray
    most: FloatArray


def _by_delta(here: FloatArray, beside: FloatArray, steps: FloatArray) -> _Secants:
    """Of P(L > eps). All four bounds are worst where delta(eps) is least: the lower end is ``here``."""
    shrunk, part, unusable = _parts(steps)
    left, right = beside
    room = _ROOM * (here + beside)
    return _Secants(
        (here - right - room[1]) * shrunk[1] / part[1] - unusable[1],
        (left - here + room[0]) / part[0] + unusable[0],
        (here - shrunk[1] * right - room[1]) / part[1] - unusable[1],
        (left - shrunk[0] * here + room[0]) / part[0] + unusable[0],
    )


def _by_gap(here: FloatArray, beside: FloatArray, steps: FloatArray) -> _Secants:
    """Of P(L <= eps), by logs of gaps. All four bounds are worst where the gap is largest: that end is ``here``."""
    shrunk, part, unusable = _parts(steps)
    known = here > -LARGEST_EXPONENT  # less is no normal float: its rounding would not be relative
    base = np.where(known, here, 0.0)
    # a smaller gap beside widens all four; so far that no quotient overflows
    away = np.minimum(np.where(known, beside - base, -np.inf), LARGEST_EXPONENT - 8.0 + np.log(part))
    with np.errstate(under="ignore", invalid="ignore"):
        ratio = np.exp(away)
        scale = np.exp(base)
        room = _ROOM * (1.0 + ratio * (1.0 + np.where(ratio > 0.0, np.abs(away), 0.0)))
    (left, right), out = ratio, 1.0 + _ROOM
    lost = unusable + np.where(known, 0.0, np.inf)
    return _Secants(
        (right - 1.0 - room[1]) * shrunk[1] / part[1] * scale / out - lost[1],
        (1.0 - left + room[0]) / part[0] * scale * out + SMALLEST + lost[0],
        (left - shrunk[0] - room[0]) / part[0] * scale / out - SMALLEST - lost[0],
        (1.0 - shrunk[1] * right + room[1]) / part[1] * scale * out + SMALLEST + lost[1],
    )


def _parts(steps: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """e^-s, 1 - e^-s (1 where that is no normal float, so that quotients might overflow), and inf where it is none."""
    with np.errstate(under="ignore"):
        shrunk, part = np.exp(-steps), -np.expm1(-steps)
    usable = part >= _NORMAL
    return shrunk, np.where(usable, part, 1.0), np.where(usable, 0.0, np.inf)
