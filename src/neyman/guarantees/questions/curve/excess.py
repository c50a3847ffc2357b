"""Excess power at given alphas, from below, sharp at the kinks of delta as well."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.guarantees.questions.curve.tradeoff import at_knots, excess_lower, excess_of_plateau, tangent
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["attained", "excess_at", "revealed"]

_SHARP = 1e-10  # relative distance from what the eps itself shows
_VAGUER = 2.0  # times what brackets leave open: where a bound loses no more, it suffices
# whether the tangent is steered to once more, and spacings of the points around it, in those that suffice but at kinks
_CLOSER = ((False, 1e-3), (False, 1e-6))
_SMOOTH = ((False, 1.0), (True, 1.0), *_CLOSER)  # where no kinks are known
_BENT = ((False, 1.0), *_CLOSER, (True, 1.0), *_CLOSER)  # where kinks are known the eps given may be one
_DEEP, _PLAIN = 1e-15, 1.0 - 1e-6  # alphas, and powers there, of mechanisms that tell all but everything
_LARGEST = 690.0  # eps of a tangent at most: steers, e^690 is a float


def excess_at(sides: Pair, alpha: FloatArray, epsilon: FloatArray, start: float) -> FloatArray:
    """Return certified lower bounds on 1 - f(alpha) - alpha, given real eps near the tangents'.

    At a kink four points lose what delta falls from one to the next; there they are drawn together.
    """
    near = np.clip(epsilon, -_LARGEST, _LARGEST)
    found = excess_of_plateau(sides, alpha) if np.any(_told(alpha)) else np.zeros_like(alpha)
    rest = np.flatnonzero(~(_told(alpha) & (found > _PLAIN)))
    found[rest] = _around(sides, alpha[rest], near[rest], start)
    return np.maximum(found, revealed(sides) * (1.0 - alpha) * (1.0 - 4.0 * UNIT))


def _told(alpha: FloatArray) -> NDArray[np.bool_]:
    """Where delta is 1 to a float, four points around a tangent tell nothing."""
    return (alpha > 0.0) & (alpha < _DEEP)


def _around(sides: Pair, alpha: FloatArray, near: FloatArray, start: float) -> FloatArray:
    """The same from what is attained, and from points around the tangents, drawn together at kinks."""
    if not len(alpha):
        return np.zeros(0)
    found = attained(sides, alpha, near, start)
    seen, room = _seen(sides, alpha, near)
    asked = np.ones(alpha.shape, dtype=np.bool_)  # at alpha = 0 once
    for again, closer in _BENT if sides.forward.knots.size else _SMOOTH:
        loose = np.flatnonzero((seen - found > room) & asked)
        if not len(loose):
            break
        if again:  # the eps given were not that near
            near[loose] = np.clip(tangent(sides, alpha[loose], start), -_LARGEST, _LARGEST)
            seen[loose], room[loose] = _seen(sides, alpha[loose], near[loose])
        better = excess_lower(sides, alpha[loose], near[loose], start * closer)
        found[loose] = np.maximum(found[loose], better)
        asked = alpha > 0.0
    return found


def _seen(sides: Pair, alpha: FloatArray, near: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What the eps themselves show, from above, and how far below that bounds may stay."""
    b = sides.bracket(near)
    seen = b.upper + np.expm1(near) * alpha
    rounding = np.where(alpha > 0.5, 8.0 * UNIT, 0.0)
    # no point is sharper than the profile itself
    return seen, _SHARP * seen + rounding + _VAGUER * (b.upper - b.lower)


def attained(sides: Pair, alpha: FloatArray, epsilon: FloatArray, start: float) -> FloatArray:
    """Return lower bounds on 1 - f(alpha) - alpha from tests that are known, about real ``epsilon`` near the tangents',
    or from a pair that tells less and is known better.
    """
    lesser = sides.lesser
    if lesser is not None:
        return excess_lower(lesser, alpha, at_knots(lesser, alpha, epsilon), start)
    found = np.zeros_like(alpha)
    for side, turned in ((sides.forward, False), (sides.backward, True)):
        at = np.flatnonzero((epsilon < 0.0) == turned)
        if len(at):
            found[at] = side.attained(alpha[at], np.abs(epsilon[at]), turned)
    return found


def revealed(sides: Pair) -> float:
    """A lower bound on the power at alpha = 0; the ROC curve is concave and ends in (1, 1)."""
    end = sides.forward.end
    return float(sides.forward.bracket(np.array([end])).lower[0]) if math.isfinite(end) else 0.0
