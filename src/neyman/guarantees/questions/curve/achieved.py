"""Excess power from points that some test attains, found once: for curves of which every single question is dear.

The points lie on or above the curve, where tangents at many eps touch it (``points_above``); f is convex, so that
chords between them do too, and of several curves the largest lies below the largest of their chords. Between two
points a chord exceeds f to second order in their distance: about 1e-4 of the excess.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.curve.lower_polygon import lower_hull
from neyman.guarantees.questions.curve.tradeoff import points_above
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["AchievedCurve"]

_POINTS = 400  # intervals of eps: tangents at their ends touch at the points: steers
_FINER = 8  # times as many points, where tests are known by themselves
_FARTHEST = 690.0  # the last eps at most: steers, e^690 is a float


class AchievedCurve:
    """Lower bounds on 1 - f(alpha) - alpha of the largest f of ``parts``, whose deltas matter up to about ``last``.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> one = GaussianProfile(1.0)
    >>> bool(0.3828 < AchievedCurve((Pair(one, one),), 6.0).excess(np.array([0.30853754]))[0] < 0.3829249)
    True
    """

    def __init__(self, parts: tuple[Pair, ...], last: float) -> None:
        grid = np.linspace(-1.0, 1.0, _POINTS + 1)
        # close where curves bend most, beside eps = 0
        epsilon = min(last, _FARTHEST) * np.sign(grid) * np.abs(grid) ** 1.5
        self._polygons = [_polygon(sides, epsilon) for sides in parts]

    @property
    def points(self) -> tuple[FloatArray, FloatArray]:
        """(alpha, beta) on or above the curve, whose chords are as near to it as any of them."""
        alpha = np.unique(np.concatenate([x for x, _ in self._polygons]))
        return alpha, 1.0 - alpha - self.excess(alpha)

    def excess(self, alpha: FloatArray) -> FloatArray:
        """At each ``alpha`` in [0, 1], rounded down."""
        beta = np.max([np.interp(alpha, x, y) for x, y in self._polygons], axis=0)
        return np.maximum(1.0 - beta - alpha - 16.0 * UNIT, 0.0)


def _polygon(sides: Pair, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    fine = np.interp(np.arange(_FINER * (len(epsilon) - 1) + 1) / _FINER, np.arange(len(epsilon)), epsilon)
    known = sides.forward.contacts(np.unique(np.abs(fine))) if sides.symmetric else None
    alpha, beta = points_above(sides, epsilon) if known is None else known
    x, y = np.concatenate([[0.0], alpha, [1.0]]), np.concatenate([[1.0], beta, [0.0]])
    order = np.lexsort((y, x))
    x, first = np.unique(x[order], return_index=True)
    return lower_hull(x, np.minimum.accumulate(y[order][first]))
