"""One operation of float64 at a time, rounded to a chosen side: the next float64 bounds what it rounded."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray

__all__ = ["at_least", "at_most", "rounded"]


def at_least(value: FloatArray) -> FloatArray:
    """Return the next number up: no smaller than what was rounded to ``value``."""
    return np.nextafter(value, math.inf)


def at_most(value: FloatArray) -> FloatArray:
    """Return the next number down, not below 0: no larger than what (>= 0) was rounded to ``value``."""
    return np.maximum(np.nextafter(value, -math.inf), 0.0)


def rounded(value: FloatArray, up: bool) -> FloatArray:
    """Return ``value``, of one operation on numbers >= 0, moved to the side that is asked for."""
    return at_least(value) if up else at_most(value)
