"""The stretch of an axis, linear or logarithmic, and points laid so that straight lines between them do not show."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray

__all__ = ["UNIT_SPAN", "Span", "sampled"]

_SEEN = 5e-4  # of the length of an axis: a quarter of a pixel of a column printed at 600 dpi
_ROUNDS = 9  # of division at most
_MOST = 600  # points at most


class Span(NamedTuple):
    """What an axis shows, from ``low`` to ``high``."""

    low: float
    high: float
    log: bool = False

    def fraction(self, values: FloatArray) -> FloatArray:
        """Where on the axis values lie: 0 at ``low``, 1 at ``high``, and no farther outside than one length."""
        v, low, high = values, self.low, self.high
        if self.log:
            with np.errstate(divide="ignore"):
                v, low, high = np.log(np.maximum(values, 0.0)), np.log(low), np.log(high)
        return np.clip((v - low) / (high - low), -1.0, 2.0)

    def at(self, fraction: FloatArray) -> FloatArray:
        """The values at fractions in [0, 1], never outside."""
        if self.log:
            values = np.exp(np.log(self.low) + fraction * (np.log(self.high) - np.log(self.low)))
        else:
            values = self.low + fraction * (self.high - self.low)
        values = np.clip(values, self.low, self.high)
        return np.where(fraction <= 0.0, self.low, np.where(fraction >= 1.0, self.high, values))


UNIT_SPAN = Span(0.0, 1.0)  # of probabilities


def sampled(
    function: Callable[[FloatArray], FloatArray],
    across: Span,
    up: Span | Callable[[FloatArray], Span],
    cells: int = 64,
) -> tuple[FloatArray, FloatArray]:
    """Return points of ``function`` over ``across``, closer together where the curve bends.

    ``up`` is the other axis, or makes it from the values at the first ``cells`` + 1 points.
    """
    x = across.at(np.linspace(0.0, 1.0, cells + 1))
    y = function(x)
    height = up if isinstance(up, Span) else up(y)
    for _ in range(_ROUNDS):
        open_ = _bent(across.fraction(x), height.fraction(y))
        if open_.size == 0 or x.size + 3 * open_.size > _MOST:
            break
        u = across.fraction(x)
        inner = across.at((u[open_, None] + np.diff(u)[open_, None] * np.array([0.25, 0.5, 0.75])).ravel())
        inner = np.setdiff1d(inner, x)
        if inner.size == 0:
            break
        x, y = np.concatenate([x, inner]), np.concatenate([y, function(inner)])
        order = np.argsort(x)
        x, y = x[order], y[order]
    return x, y


def _bent(u: FloatArray, v: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The intervals beside points that lie off the chord of their neighbours, by more than can be seen."""
    du, dv = np.diff(u), np.diff(v)
    wide, high = u[2:] - u[:-2], v[2:] - v[:-2]
    off = np.abs(du[:-1] * high - dv[:-1] * wide) / np.maximum(np.hypot(wide, high), 1e-300)
    beside = np.maximum(np.append(0.0, off), np.append(off, 0.0))
    return np.flatnonzero((beside > _SEEN) & (du > _SEEN) & (np.abs(dv) > _SEEN))
