"""Two profiles, of a pair and of its reversal, read at any real eps.

delta(-e) = 1 - e^-e + e^-e delta_reversed(e), and e^eps Q(L > eps) at eps = -e is e^-e (1 - P_reversed(L >= e)).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.profile import Bracket, Profile

__all__ = ["around", "bracket_at", "slope_at", "widened"]

_LITTLE = 1e-10  # of what makes a slope less than 1, which only steers


def bracket_at(
    forward: Profile, backward: Profile, epsilon: FloatArray, rough: bool = False, least: FloatArray | None = None
) -> Bracket:
    """Bounds on delta and log(1 - delta) at each real ``epsilon`` (1-d, finite), or as ``rough`` ones as steer; with
    ``least`` such that nobody cares by how much less than that delta is off.
    """
    negative = epsilon < 0.0
    ahead, back = (one.rough if rough else one.bracket for one in (forward, backward))
    if least is not None:
        with np.errstate(over="ignore"):
            scaled = np.where(least > 0.0, np.maximum(least, 1e-300) * np.exp(np.maximum(-epsilon, 0.0)), 0.0)
        above = _above_roughly if rough else _above
        ahead, back = partial(above, forward, least=scaled[~negative]), partial(above, backward, least=scaled[negative])
    if not np.any(negative):
        return ahead(epsilon)
    away = -epsilon[negative]
    turned = _turned(away, back(away))
    if np.all(negative):
        return turned
    place = np.where(negative, np.cumsum(negative) - 1, len(away) + np.cumsum(~negative) - 1)
    return turned.followed(ahead(epsilon[~negative])).at(place)


def slope_at(forward: Profile, backward: Profile, epsilon: FloatArray) -> FloatArray:
    """Approximate e^eps Q(L > eps) at each real ``epsilon`` (1-d, finite)."""
    negative = epsilon < 0.0
    out = np.empty(len(epsilon))
    if not np.all(negative):
        out[~negative] = forward.slope(epsilon[~negative])
    if np.any(negative):
        away = -epsilon[negative]
        reached = backward.above(away, lambda: np.full(len(away), _LITTLE)).upper
        some = reached > _LITTLE
        reached[some] += backward.slope(away[some])
        out[negative] = np.exp(-away) * np.clip(1.0 - reached, 0.0, 1.0)
    return out


def widened(known: Bracket, room: FloatArray) -> Bracket:
    """What is ``known`` somewhere, wherever within ``room`` (>= 0) of it: 1 - delta is E min(p, e^eps q) and changes by
    a factor e^room at most, delta by that.
    """
    wide = room * (1.0 + 1e-9)
    return Bracket(
        np.maximum(known.lower * (1.0 - 2.0 * UNIT) - wide, 0.0),
        np.minimum(known.upper * (1.0 + 2.0 * UNIT) + wide, 1.0),
        known.log_gap_lower * (1.0 + 4.0 * UNIT) - wide,
        np.minimum(known.log_gap_upper * (1.0 - 4.0 * UNIT) + wide, 0.0),
    )


def around(
    forward: Profile, backward: Profile, epsilon: FloatArray, room: FloatArray, least: FloatArray | None = None,
    rough: bool = False,
) -> Bracket:  # fmt: skip
    """Bounds wherever within ``room`` (>= 0) of each real ``epsilon``: delta falls and 1 - delta rises, so that both
    ends are read.
    """
    early, late = (bracket_at(forward, backward, epsilon + way * room, rough, least) for way in (-1.0, 1.0))
    return Bracket(late.lower, early.upper, early.log_gap_lower, late.log_gap_upper)


def _above(profile: Profile, epsilon: FloatArray, least: FloatArray) -> Bracket:
    return profile.above(epsilon, lambda: least)


def _above_roughly(profile: Profile, epsilon: FloatArray, least: FloatArray) -> Bracket:
    return profile.above_roughly(epsilon, least)


def _turned(epsilon: FloatArray, b: Bracket) -> Bracket:
    """Bounds at -eps from those of the reversed pair at eps > 0, rounded outward."""
    with np.errstate(under="ignore"):
        weight, rest = np.exp(-epsilon), -np.expm1(-epsilon)
        upper = (rest + weight * b.upper) * (1.0 + 8.0 * UNIT) + 5e-324
    low = (b.log_gap_lower - epsilon) * (1.0 + 2.0 * UNIT)

    def below() -> tuple[FloatArray, FloatArray]:
        with np.errstate(under="ignore"):
            lower = (rest + weight * b.lower) * (1.0 - 8.0 * UNIT) - SMALLEST
        return np.maximum(lower, 0.0), (b.log_gap_upper - epsilon) * (1.0 - 2.0 * UNIT)

    return Bracket.late(np.minimum(upper, 1.0), low, below)
