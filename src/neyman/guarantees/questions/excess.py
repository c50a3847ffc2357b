"""Excess power at given alphas, from below, sharp at the kinks of delta as well."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.guarantees.questions.tradeoff import excess_lower, excess_of_plateau, tangent
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["excess_at", "revealed"]

_SHARP = 1e-10  # relative distance from what the eps itself shows
_VAGUER = 2.0
_CLOSER = (1e-3, 1e-6)  # spacings of the points around a kink, in those that suffice elsewhere
_GAIN = 0.1  # of what is missing: less is not worth going on
_DEEP, _PLAIN = 1e-15, 1.0 - 1e-6  # alphas, and powers there, of mechanisms that tell all but everything
_LARGEST = 690.0


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
    """The same from points around the tangents, drawn together at kinks."""
    if not len(alpha):
        return np.zeros(0)
    found = excess_lower(sides, alpha, near, start)
    for closer in (*_CLOSER, 1.0, *_CLOSER):
        b = sides.bracket(near)
        seen = b.upper + np.expm1(near) * alpha
        rounding = np.where(alpha > 0.5, 8.0 * UNIT, 0.0)
        known = _VAGUER * (b.upper - b.lower)  # no point is sharper than the profile itself
        loose = np.flatnonzero((seen - found > _SHARP * seen + rounding + known) & (alpha > 0.0))
        if not len(loose):
            break
        if closer == 1.0:  # the eps given were not that near
            near[loose] = np.clip(tangent(sides, alpha[loose], start), -_LARGEST, _LARGEST)
        again = excess_lower(sides, alpha[loose], near[loose], start * closer)
        if closer == 1.0 and not np.any(again - found[loose] > _GAIN * (seen - found)[loose]):
            break
        found[loose] = np.maximum(found[loose], again)
    return found


def revealed(sides: Pair) -> float:
    """A lower bound on the power at alpha = 0; the ROC curve is concave and ends in (1, 1)."""
    end = sides.forward.end
    return float(sides.forward.bracket(np.array([end])).lower[0]) if math.isfinite(end) else 0.0
