"""Where losses end, and nothing is revealed: delta is convex in e^eps, and below its chord from eps = 0 to the end."""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import LARGEST_EXPONENT, SMALLEST, UNIT
from neyman.profiles.profile import Bracket

__all__ = ["below_chord"]


def below_chord(epsilon: FloatArray, whole: float, end: float) -> Bracket | None:
    """Bounds on delta at each ``epsilon`` >= 0 where delta(0) is at most ``whole`` and delta(``end``) is 0; None where
    e^end is no float.

    The share (e^end - e^eps) / (e^end - 1) errs by a few units of 1: it is the difference of two numbers that are no
    larger than its denominator.

    Examples
    --------
    >>> below_chord(np.array([0.0, 1.0, 2.0]), 0.5, 2.0).upper.round(4)
    array([0.5   , 0.3655, 0.    ])
    """
    if not 0.0 < end < LARGEST_EXPONENT:
        return None
    top = np.expm1(end)
    share = np.clip((top - np.expm1(np.minimum(epsilon, end))) / top + 8.0 * UNIT, 0.0, 1.0)
    upper = np.minimum(whole * share * (1.0 + 8.0 * UNIT) + SMALLEST, 1.0)
    return Bracket.of_delta(np.zeros(len(epsilon)), np.where(epsilon < end, upper, 0.0))
