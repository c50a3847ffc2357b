"""What saddle points tell of a profile before any line is laid: where a search may begin. It steers, and no bound
rests on it.

Under the tilt c the loss is taken for normal about its mean there, corrected by its third and fourth cumulant (Daniels
1954).
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import DEEPEST, Walk
from neyman.numerics.functions.score import ratio, score
from neyman.numerics.rounding import UNIT
from neyman.profiles.profile import Fall

__all__ = ["expected_fall", "expected_scores"]

_TINY = 16.0 * UNIT  # the least -log of a probability whose score is taken: steers
_NORMAL = -0.5, 1.0  # of a density, relative: how far off it may be for a guess
_ROOT = math.sqrt(2.0 * math.pi)  # a ratio of Mills over it is a part of a normal law


def expected_scores(walk: Walk) -> tuple[FloatArray, FloatArray] | None:
    """Increasing eps > 0 and about the scores of delta there, left out where the loss is far from normal."""
    right = (walk.c > 0.0) & (walk.mean > 0.0) & (walk.depth > -DEEPEST)
    if len(walk.c) < 4 or not right.any():
        return None
    with np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore"):
        third = np.gradient(walk.variance, walk.c)
        off = np.gradient(third, walk.c) / (8.0 * walk.variance**2) - third**2 / (4.8 * walk.variance**3)
        c, deviation = np.where(right, walk.c, np.nan), np.sqrt(walk.variance)
        share = (ratio(c * deviation) - ratio((c + 1.0) * deviation)) * (1.0 + off) / _ROOT
        scores = score(np.minimum(walk.depth + np.log(share), -_TINY))
        good = (off >= _NORMAL[0]) & (off <= _NORMAL[1]) & np.isfinite(scores)
    ends = np.flatnonzero(np.diff(good, prepend=False, append=False)).reshape(-1, 2)  # of what lies together
    first, last = ends[np.argmax(ends[:, 1] - ends[:, 0])] if len(ends) else (0, 0)
    return (walk.mean[first:last], scores[first:last]) if last > first + 3 else None


def expected_fall(walk: Walk, log_alpha: float) -> Fall | None:
    """About the eps at which Q(L > eps) is e^``log_alpha``: the least that any tilt tells, which errs by the square of
    how far that tilt is from the right one.
    """
    first = int(walk.c.searchsorted(0.0, side="right"))
    if first == len(walk.c):
        return None
    steep, deviation = walk.c[first:] + 1.0, np.sqrt(walk.variance[first:])
    with np.errstate(over="ignore", invalid="ignore"):
        # Mills' ratio, nearly; no part of a law is more than half of what lies on its side
        log_share = -np.log(np.maximum(steep * deviation * _ROOT, 2.0))
        epsilon = (walk.k[first:] + log_share - log_alpha) / steep
    place = int(np.where(epsilon > 0.0, epsilon, np.inf).argmin())
    found = float(epsilon[place])
    if not (place > 0 and 0.0 < found < math.inf):  # the right tilt may lie before all of these
        return None
    return Fall(found, float(steep[place] * deviation[place]))
