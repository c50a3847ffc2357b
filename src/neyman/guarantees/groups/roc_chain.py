"""One ROC curve applied again and again: alpha -> 1 - f(alpha) -> ..., with the slope of the tangent at each step.

Approximate throughout: it steers. Rates are kept as scores -Phi^-1(rate), so that both ends of [0, 1] have digits; the
curve is read from points at many real eps, cubic between them where it is smooth, straight in the rates where delta has
a kink.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.numerics.functions.few import some
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair, alpha_score, power_score

__all__ = ["EDGE", "RocSteps"]

EDGE = 38.0  # Phi(-38) underflows
_FINE = 0.04  # of a score, between two points
_NARROW = 1e-13  # relative: eps that are nearer are not parted
_CLOSE = np.array([_NARROW, 1e-5, 1e-4, 1e-3, 1e-2])  # how near the curve is looked at where it turns
_AROUND = 1.0 + np.concatenate([-_CLOSE[::-1], [0.0], _CLOSE])  # times where it turns
_MOST_POINTS = 30_000  # eps of the curve at most
_ROUNDS = 18  # of parting at most
_BISECTIONS = 46  # binary orders by which an interval of scores is narrowed
_STEP, _POINT = 6e4, 2e2  # nominal nanoseconds of a step, and of one of its scores
_ONCE, _SECTIONS = 500, 15  # scores that cost little more than one, and parts of an interval looked at
_COARSE = np.linspace(-EDGE, EDGE, 305)  # scores between which a chain is looked for


class RocSteps:
    """The chains of ``times`` steps along the ROC curve of ``sides``, found by the sum of their eps."""

    def __init__(self, sides: Pair, times: int, start: float) -> None:
        from scipy.interpolate import PchipInterpolator  # a tenth of a second that most answers have no use for

        self._times = times
        self._start = start
        e, alpha, power = _points(sides, start)
        self._alpha, self._power = alpha, power
        kink = (np.diff(e) <= 8.0 * _NARROW * np.maximum(np.abs(e[1:]), start)) & (np.diff(alpha) > 1e-9)
        self._kink = kink
        rising = alpha + 1e-13 * np.arange(len(alpha))  # where alpha stays, eps jumps
        self._knots = rising
        self._cubics = PchipInterpolator(rising, np.stack([e, power], axis=1)).c
        self._sums = np.maximum.accumulate(self.chain(_COARSE)[0])

    def work(self, many: int) -> float:
        """What ``split`` costs, in nominal nanoseconds."""
        sections = _sections(many)
        rounds = math.ceil(_BISECTIONS / math.log2(sections))
        return self._times * rounds * (_STEP + _POINT * (sections - 1) * many)

    def split(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The score of the first alpha, and each step's eps (first axis, the last step last).

        They add up to ``epsilon`` at most: the first is lowered by what rounding may have added to the sum.

        Two chains close to each other, one summing to less and one to more, are mixed: where eps jumps at a corner of
        the curve every mixture is as good.
        """
        at = np.clip(np.searchsorted(self._sums, epsilon), 1, len(_COARSE) - 1)
        low, high = _COARSE[at - 1].copy(), _COARSE[at].copy()
        near = 1e-9 * self._start
        parts = _sections(len(epsilon))
        share = np.arange(parts + 1)[:, None] / parts
        for _ in range(math.ceil(_BISECTIONS / math.log2(parts))):
            scores = low + share * (high - low)
            total = self.chain(scores[1:-1].ravel())[0].reshape(parts - 1, -1)
            first = np.argmax(np.vstack([total >= epsilon, np.ones_like(epsilon, dtype=np.bool_)]), axis=0)
            low, high = np.take_along_axis(scores, first + np.array([[0], [1]]), axis=0)
            if np.all(np.min(np.abs(total - epsilon), axis=0) <= near):
                break
        (sum_low, e_low), (sum_high, e_high) = self.chain(low), self.chain(high)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip(np.nan_to_num((epsilon - sum_low) / (sum_high - sum_low), nan=0.0), 0.0, 1.0)
        parts = e_low + share * (e_high - e_low)
        parts[0] += epsilon - np.sum(parts, axis=0)
        parts[0] -= 2.0 * UNIT * (self._times + 4) * np.sum(np.abs(parts), axis=0)
        return low + share * (high - low), parts

    def chain(self, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sum of eps along the chain that starts at each ``score``, and each eps."""
        z = score
        parts = np.empty((self._times, len(score)))
        for i in range(self._times):
            parts[i], z = self._step(z, i + 1 < self._times)
        return np.sum(parts, axis=0), parts

    def end(self, score: FloatArray) -> FloatArray:
        """The score of the power that the chain which starts at each ``score`` ends with."""
        z = score
        for _ in range(self._times):
            z = self._step(z)[1]
        return z

    def _step(self, z: FloatArray, on: bool = True) -> tuple[FloatArray, FloatArray]:
        """eps, and the score of 1 - f, at the alphas with these scores: that only where the chain goes ``on``."""
        z = np.minimum(np.maximum(z, self._knots[0]), self._knots[-1])
        at = np.minimum(self._knots.searchsorted(z, side="right") - 1, len(self._kink) - 1)
        cubic, linear = self._cubics.take(at, axis=1), (z - self._knots[at])[:, None]
        square = linear * linear
        read = cubic[3] + cubic[2] * linear + cubic[1] * square + cubic[0] * (square * linear)
        epsilon, out = read[:, 0], read[:, 1]
        if not on:
            return epsilon, out
        kinked = self._kink[at]
        if some(kinked):
            straight = np.flatnonzero(kinked)
            i = at[straight]
            near, far = self._knots[i], self._knots[i + 1]
            here = z[straight]
            share_small = _share(special.ndtr(-near), special.ndtr(-here), special.ndtr(-far))
            share_large = _share(special.ndtr(near), special.ndtr(here), special.ndtr(far))
            share = np.where(near > 0.0, share_small, share_large)
            small = (1.0 - share) * special.ndtr(-self._power[i]) + share * special.ndtr(-self._power[i + 1])
            large = (1.0 - share) * special.ndtr(self._power[i]) + share * special.ndtr(self._power[i + 1])
            out[straight] = np.where(small < large, -special.ndtri(small), special.ndtri(large))
        return epsilon, np.minimum(np.maximum(out, -EDGE), EDGE)


def _share(first: FloatArray, here: FloatArray, last: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.clip(np.nan_to_num((here - first) / (last - first), nan=0.5), 0.0, 1.0)


def _sections(many: int) -> int:
    """Into how many parts the intervals of ``many`` are cut at once."""
    return int(np.clip(_ONCE // max(many, 1), 1, _SECTIONS)) + 1


def _points(sides: Pair, start: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Increasing real eps, close where the curve turns, and the scores of alpha and power there."""
    far = np.geomspace(1e-3 * start, max(1e4 * start, 690.0), 220)
    right, left = _until(far, sides.forward.end), _until(far, sides.backward.end)
    right, left = (
        np.union1d(one, (side.turns[:, None] * _AROUND).ravel())
        for one, side in ((right, sides.forward), (left, sides.backward))
    )
    e = np.unique(np.concatenate([-left, [0.0], right]))
    alpha, power = _scores(sides, e)
    for _ in range(_ROUNDS):
        step = np.maximum(np.diff(alpha), np.diff(power))
        wide = np.diff(e) > _NARROW * np.maximum(np.abs(e[1:]), start)
        loose = np.flatnonzero((step > _FINE) & wide)
        if not len(loose) or len(e) + 7 * len(loose) > _MOST_POINTS:
            break
        inner = (e[loose, None] + (e[loose + 1] - e[loose])[:, None] * np.arange(1, 8) / 8.0).ravel()
        order = np.argsort(np.concatenate([e, inner]), kind="stable")
        more = _scores(sides, inner)
        e = np.concatenate([e, inner])[order]
        alpha = np.maximum.accumulate(np.concatenate([alpha, more[0]])[order])
        power = np.maximum.accumulate(np.concatenate([power, more[1]])[order])
    # of the ends, where both scores stand still, one point
    moving = np.flatnonzero((np.diff(alpha) > 0.0) | (np.diff(power) > 0.0))
    if not len(moving):
        return e, alpha, power
    kept = slice(int(moving[0]), int(moving[-1]) + 2)
    return e[kept], alpha[kept], power[kept]


def _until(far: FloatArray, end: float) -> FloatArray:
    """Those before ``end``, and ever closer to it: the curve may turn there."""
    if not 0.0 < end < np.inf:
        return far if end > 0.0 else far[:3]
    return np.concatenate([far[far < end], end * (1.0 - np.geomspace(_NARROW, 0.5, 60)), [end, end * (1.0 + _NARROW)]])


def _scores(sides: Pair, e: FloatArray) -> tuple[FloatArray, FloatArray]:
    """-Phi^-1 of Q(L > eps) and of P(L > eps), from the reversed pair for eps < 0."""
    alpha, power = np.empty_like(e), np.empty_like(e)
    up, down = e >= 0.0, e < 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        if np.any(up):
            alpha[up], power[up] = alpha_score(sides.forward, e[up]), power_score(sides.forward, e[up])
        if np.any(down):
            away = -e[down]
            alpha[down] = -power_score(sides.backward, away)
            power[down] = -alpha_score(sides.backward, away)
    clean = [np.clip(np.nan_to_num(z, nan=0.0), -EDGE, EDGE) for z in (alpha, power)]
    return np.maximum.accumulate(clean[0]), np.maximum.accumulate(clean[1])
