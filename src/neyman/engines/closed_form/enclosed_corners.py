"""The profile of a curve that lies between two polygons."""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import ClosedForm
from neyman.engines.closed_form.straight import CornerProfile
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket

__all__ = ["EnclosedCorners", "enclosed_pair", "turned"]

Corners = tuple[FloatArray, FloatArray]


class EnclosedCorners(ClosedForm):
    """delta of a trade-off curve nowhere below one polygon and nowhere above another: largest of the first."""

    width_is = "two polygons"

    def __init__(self, below: Corners, above: Corners) -> None:
        self._below, self._above = CornerProfile(*below), CornerProfile(*above)
        self._tests = above

    @property
    def end(self) -> float:
        """From there on both stay where they are."""
        return max(self._below.end, self._above.end)

    @property
    def knots(self) -> FloatArray:
        return self._below.knots

    @property
    def revealed(self) -> float:
        return self._above.revealed

    @property
    def tail_mu(self) -> float:
        return self._below.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        least, most = self._above.bracket(epsilon), self._below.bracket(epsilon)
        return Bracket(
            np.minimum(least.lower, most.upper),
            most.upper,
            most.log_gap_lower,
            np.maximum(least.log_gap_upper, most.log_gap_lower),
        )

    def corners_around(self, alpha: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The corners of the upper polygon on either side of each ``alpha``, two rows: both errors, and the power
        rounded down.
        """
        a, b = self._tests
        left = np.clip(np.searchsorted(a, alpha, side="right") - 1, 0, len(a) - 1)
        at = np.stack([left, np.minimum(left + 1, len(a) - 1)])
        return a[at], b[at], np.maximum(1.0 - b[at] - UNIT, 0.0)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._below.slope(epsilon)


def enclosed_pair(below: Corners, above: Corners) -> Pair:
    """Return the pair of a curve between two polygons, each with alphas that rise from 0 and betas that fall to 0.

    Examples
    --------
    >>> line = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    >>> bent = np.array([0.0, 0.25, 1.0]), np.array([1.0, 0.25, 0.0])
    >>> b = enclosed_pair(bent, line).bracket(np.zeros(1))
    >>> bool(b.lower[0] < 1e-12), round(float(b.upper[0]), 12)
    (True, 0.5)
    """
    return Pair(EnclosedCorners(below, above), EnclosedCorners(turned(*below), turned(*above)))


def turned(alpha: FloatArray, beta: FloatArray) -> Corners:
    """The corners with the roles exchanged; where alpha is 0 already, the least beta counts."""
    a, b = beta[::-1], alpha[::-1]
    keep = np.append(np.diff(a) > 0.0, True)
    return a[keep], b[keep]
