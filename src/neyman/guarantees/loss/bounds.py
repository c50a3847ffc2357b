"""A certified bracket of a number, or of many."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from neyman._validate import FloatArray

__all__ = ["Bounds", "shaped"]


class Bounds(NamedTuple):
    """The truth is at least ``lower`` and at most ``upper``; both are floats, or arrays of one shape."""

    lower: Any
    upper: Any

    @property
    def width(self) -> Any:
        """upper - lower: what the certificate leaves open (0 where both are the same infinity)."""
        with np.errstate(invalid="ignore"):
            found = np.where(np.equal(self.lower, self.upper), 0.0, np.subtract(self.upper, self.lower))
        return float(found) if found.ndim == 0 else found

    @property
    def middle(self) -> Any:
        """Halfway: an estimate, no bound."""
        with np.errstate(invalid="ignore"):
            found = np.where(np.equal(self.lower, self.upper), self.lower, 0.5 * np.add(self.lower, self.upper))
        return float(found) if found.ndim == 0 else found

    def __neg__(self) -> Bounds:
        return Bounds(0.0 - self.upper, 0.0 - self.lower)


def shaped(lower: FloatArray, upper: FloatArray, like: FloatArray) -> Bounds:
    """Floats for a scalar ``like``, else arrays of its shape."""
    if like.ndim == 0:
        return Bounds(float(lower[0]), float(upper[0]))
    return Bounds(lower.reshape(like.shape), upper.reshape(like.shape))
