"""Contours that cross the real axis between the poles, at -1 < c < 0, where no moment of the loss explodes.

There the integral of e^{K - z eps} / (z (z + 1)) is delta - 1. Less a single loss a < 0, of a mass m, whose delta is
none, it is delta - (1 - m): as sharp as delta is beside 1 - m, the mass of all that the steps may tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.estimate import Book, Estimate
from neyman.engines.contour.hyperbola.arc import Arc, WrappedArc
from neyman.numerics.rounding import ROOM, TINY, UNIT

__all__ = ["GapArc", "LiftedArc", "SplitArc"]


@dataclass(frozen=True)
class LiftedArc(WrappedArc):
    """An arc between the poles of what is left when a single loss below 0 was taken away: delta less ``mass``."""

    mass: float

    @property
    def c(self) -> float:
        """Right of the poles, as it is delta that it tells."""
        return 1.0

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """As ``Arc.integrate``."""
        own = None if book is None else Book()
        value, slope, error, log_scale = self.arc.integrate(epsilon, own)
        with np.errstate(over="ignore"):
            scale = np.exp(log_scale)
        rounded = 16.0 * UNIT * (self.mass + np.abs(value) * scale * (1.0 + np.abs(log_scale)))
        if book is not None and own is not None:
            book.enter_all(own, scale)
            book.enter("rounding", rounded)
        return Estimate(self.mass + value * scale, slope * scale, error * scale + rounded, np.zeros(len(epsilon)))


@dataclass(frozen=True)
class GapArc(WrappedArc):
    """An arc between the poles: delta - 1."""

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """As ``Arc.integrate``, of 1 - delta."""
        found = self.arc.integrate(epsilon, book)
        return found._replace(mantissa=-found.mantissa)


@dataclass(frozen=True)
class SplitArc(WrappedArc):
    """An arc of what lies between small and huge losses, one of the small ones, and T times the mass of the huge."""

    small: Arc
    beyond: float

    @property
    def range(self) -> tuple[float, float]:
        own, other = self.arc.range, self.small.range
        return max(own[0], other[0]), min(own[1], other[1])

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """As ``Arc.integrate``: the sum of both, and of something between 0 and ``beyond``."""
        value, slope, error, log_scale = self.arc.integrate(epsilon, book)
        own = None if book is None else Book()
        other, tilt, off, level = self.small.integrate(epsilon, own)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            scale = np.exp(level - log_scale)
            most = np.exp(math.log(max(self.beyond, TINY)) - log_scale) * (1.0 + ROOM)
            rounded = 8.0 * UNIT * (1.0 + np.abs(level) + np.abs(log_scale)) * np.abs(other) * scale
            error = error + off * scale * (1.0 + ROOM) + rounded + 0.5 * most * (1.0 + 4.0 * UNIT)
            error = error + 4.0 * UNIT * np.abs(value)
            if book is not None and own is not None:
                book.enter_all(own, scale)
                book.enter("parting", 0.5 * most)
                book.enter("rounding", rounded)
            return Estimate(value + other * scale + 0.5 * most, slope + tilt * scale, error, log_scale)
