"""Lines between the poles, for settings so strong that 1 - delta is what is small wherever alpha is above the floor.

On Re z = c, -1/2 <= c < 0, the rule sums to delta(eps) - 1 - copies, where copies are again one-signed: to the right
e^{ckR} (1 - delta(eps + kR)), at most e^{-|c|kR}, and to the left no more than e^{eps - (c+1)kR}. That is what Chernoff
says of a line right of the poles, with c' = c'' = 0 and K(0) = 0: the rung at c = 0 of this ladder.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.ladder import Ladder
from neyman.engines.batch.laying.plan import Plan, last_epsilon
from neyman.engines.batch.laying.settings import Settings, spreads

__all__ = ["between"]

# what lies right of 0 tells no more than where alpha is the floor
_RUNGS = np.array([-0.49, -0.45, -0.41, -0.37, -0.33, -0.29, -0.25, -0.21, -0.17, -0.13, -0.1, -0.07, 0.0, 0.05, 0.1])
_ZERO = 12  # the place of c = 0
_BANDS = np.array([[0.0, 0.25, 0.5], [0.5, 0.75, 1.0]])  # shares of the last eps: ends and middle of what a line serves
_DIGITS, _PEAK = 27.0, 2.5  # e-folds from 1 - delta down to copies and cut; sqrt(2 pi)
_LEAST = 8.0  # deviations from copy to copy


def between(settings: Settings, log_floor: float) -> tuple[Ladder, Plan]:
    """The ladder and the lines for eps from 0 to where alpha is the floor."""
    count = len(settings.sigma)
    axis = Axis.spanned(settings, np.full(count, -_RUNGS[-1]), np.full(count, 1.0 + _RUNGS[-1]), np.zeros(count))
    c = np.broadcast_to(_RUNGS, (count, 2, len(_RUNGS))).copy()
    ladder = Ladder.at(settings, axis, c, spreads(settings.sigma, settings.rate, settings.steps))
    last = last_epsilon(ladder, log_floor)
    made = [_line(ladder, last[:, None] * band) for band in _BANDS]
    rung, spread, fall = (np.stack(column, axis=2) for column in zip(*made, strict=True))
    zero = np.full(rung.shape, _ZERO)
    return ladder, Plan(rung.astype(np.int64), zero, zero, spread, fall, last)


def _line(ladder: Ladder, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The rung whose tilted mean is nearest to the middle of the band, R, and how far the line is followed down."""
    c, k, mean = (part[:, :, :_ZERO] for part in (ladder.c, ladder.k, ladder.mean))
    rung = np.argmin(np.abs(mean - epsilon[:, None, 1:2]), axis=2)[..., None]
    own, height = (np.take_along_axis(part, rung, 2) for part in (c, k))
    sd = np.sqrt(np.take_along_axis(ladder.variance, rung, 2))
    at = epsilon[:, None, :]
    log_gap = (k[..., None] - c[..., None] * at[:, :, None, :]).min(axis=2) - np.log1p(_PEAK * sd)
    right, left = (_DIGITS - log_gap) / -own, (_DIGITS - log_gap + at) / (1.0 + own)
    spread = np.maximum(np.maximum(right, left).max(axis=2), _LEAST * sd[..., 0])
    fall = _DIGITS + height[..., 0] - (log_gap + own * at).min(axis=2)
    return rung[..., 0].astype(np.float64), spread, fall
