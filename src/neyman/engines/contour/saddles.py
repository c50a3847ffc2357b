"""What saddle points tell of a profile before any line is laid: where a search may begin. It steers, and no bound
rests on it.

Under the tilt c the loss is taken for normal about its mean there, corrected by its third and fourth cumulant (Daniels
1954).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import DEEPEST, Walk
from neyman.numerics.rounding import UNIT
from neyman.numerics.score import ratio, score
from neyman.profiles.profile import Fall

__all__ = ["expected_fall", "expected_scores"]

_TINY = 16.0 * UNIT
_NORMAL = -0.5, 1.0  # of a density, relative: how far off it may be for a guess
_ROOT = math.sqrt(2.0 * math.pi)  # a ratio of Mills over it is a part of a normal law
_BESIDE = 2  # places of the walk from its ends where it may tell where an alpha lies


def expected_scores(walk: Walk) -> tuple[FloatArray, FloatArray] | None:
    """Increasing eps > 0 and about the scores of delta there, left out where the loss is far from normal."""
    right = (walk.c > 0.0) & (walk.mean > 0.0) & (walk.depth > -DEEPEST)
    if len(walk.c) < 4 or not right.any():
        return None
    with np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore"):
        third = np.gradient(walk.variance, walk.c)
        off = _off(walk.variance, third, np.gradient(third, walk.c))
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
    c, variance = walk.c[first:], walk.variance[first:]
    if len(c) < 2 * _BESIDE:
        return None
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        steep = c + 1.0
        epsilon = (walk.k[first:] - np.log(steep * np.sqrt(variance) * _ROOT) - log_alpha) / steep
        place = int(np.where(epsilon > 0.0, epsilon, np.inf).argmin())
        off = math.inf
        if _BESIDE <= place < len(c) - _BESIDE:
            (a, b, d), (low, own, high) = (x[place - 1 : place + 2].tolist() for x in (c, variance))
            third, fourth = (high - low) / (d - a), 2.0 * ((high - own) / (d - b) - (own - low) / (b - a)) / (d - a)
            off = abs(_off(own, third, fourth))
    found = float(epsilon[place])
    return Fall(found, off) if 0.0 < found < math.inf else None


def _off(variance: Any, third: Any, fourth: Any) -> Any:
    """How far from 1 that correction of a density is, from the cumulants."""
    return fourth / (8.0 * variance**2) - third**2 / (4.8 * variance**3)
