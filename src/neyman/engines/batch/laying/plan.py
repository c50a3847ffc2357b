"""Which lines Re z = c of each setting, how far apart their aliases lie, and where they are cut.

Two lines a direction: a shallow one for the first half of the eps that matter, a steep one for the rest. All of this
steers. What a line errs by is bounded afterwards, at the eps that are asked, whatever was chosen here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.batch.laying.ladder import Ladder
from neyman.numerics.rounding import TINY

__all__ = ["Plan", "expected", "last_epsilon"]

# e-folds from delta down to aliases and cut: of the first half of eps, and of the rest, where the logarithm of delta
# tells of mu
_DIGITS, _AT_FLOOR = 28.0, 24.0
_PLACES = np.array([0.0, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0])  # shares of the last eps where lines are judged
_BANDS = (slice(0, 5), slice(4, 8))  # those of either line
_LARGER = 3.0  # e-folds that the smaller direction may be worse by
_MORE = 1.03  # times the guess: the last eps served
_LEAST = 8.0  # deviations from alias to alias
_APART = 1.0001  # ratio of two c that tells them apart
_TAIL, _LITTLE = 2.8, 0.1  # e-folds of x e^(-x^2 / 2) besides that; deviations that eps goes to at least
_PEAK = 2.5  # sqrt(2 pi)
_OFF = np.array([-0.15, 0.0, 0.15])  # deviations about an eps that is asked, where its line is judged


@dataclass(frozen=True)
class Plan:
    """Axes: setting, direction, line. ``rung`` is the place of c in the ladder, ``right`` and ``left`` those of the c
    that bound aliases (the left one in the ladder of the other direction), ``spread`` is R, ``fall`` how many e-folds
    a line is followed down; ``last`` about the eps at which alpha is the floor.
    """

    rung: IntArray
    right: IntArray
    left: IntArray
    spread: FloatArray
    fall: FloatArray
    last: FloatArray

    @classmethod
    def made(cls, ladder: Ladder, log_floor: float) -> Plan:
        """The lines for eps from 0 to where alpha is the floor."""
        last = last_epsilon(ladder, log_floor)
        epsilon = last[:, None] * _PLACES
        loss, target = _judged(ladder, epsilon)
        quantile = math.sqrt(2.0 * max(-log_floor - _TAIL, 1.0))
        root = np.sqrt(np.maximum(quantile**2 - 2.0 * last / _MORE, 0.0))
        # two Gaussians come to the floor at that eps
        mu = np.clip(ladder.deviation, quantile - root, quantile + root) * _MORE
        made = [
            _line(ladder, mu, loss[:, :, band], target[:, :, band] - digits, epsilon[:, band])
            for band, digits in zip(_BANDS, (_DIGITS, _AT_FLOOR), strict=True)
        ]
        columns = (np.stack(column, axis=2) for column in zip(*made, strict=True))
        rung, right, left, spread, fall = columns
        return cls(rung, right, left, spread, fall, last)

    @classmethod
    def about(cls, ladder: Ladder, epsilon: FloatArray) -> Plan:
        """A line for each of some eps (one row a setting), and what is a little off it."""
        made: list[tuple[FloatArray | IntArray, ...]] = []
        for place in epsilon.T:
            off = np.maximum(place[:, None] + _OFF * ladder.deviation[:, None], 0.0)
            loss, target = _judged(ladder, off)
            made.append(_line(ladder, None, loss, target - _AT_FLOOR, off))
        rung, right, left, spread, fall = (np.stack(column, axis=2) for column in zip(*made, strict=True))
        return cls(rung, right, left, spread, fall, epsilon.max(axis=1))


def _log_deltas(ladder: Ladder) -> FloatArray:
    """Of each rung log delta + c eps, about, at the eps that its line is best for."""
    c, sd = ladder.c, np.sqrt(ladder.variance)
    return ladder.k - np.log((c + 1.0 / sd) * (c + 1.0 + 1.0 / sd) * sd * _PEAK)


def _judged(ladder: Ladder, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How many e-folds the line on each rung begins above delta at some eps (axes: setting, direction, eps, rung), and
    how far down it is followed, but for digits.
    """
    c, k = ladder.c, ladder.k
    about = (_log_deltas(ladder)[:, :, None, :] - c[:, :, None, :] * epsilon[:, None, :, None]).min(axis=3)
    about = np.minimum(about, 0.0)
    target = np.maximum(about, about.max(axis=1, keepdims=True) - _LARGER)
    height = k - np.log(c * (c + 1.0))
    return height[:, :, None, :] - c[:, :, None, :] * epsilon[:, None, :, None] - about[..., None], target


def expected(ladder: Ladder, log_delta: float) -> FloatArray:
    """About the eps at which delta is that, in the direction where that is larger."""
    found = _log_deltas(ladder) - ladder.c * ladder.mean
    passed = ~(found > log_delta)  # further on there may be no number at all
    passed[:, :, -1] = True
    i = np.clip(np.argmax(passed, axis=2) - 1, 0, found.shape[2] - 2)[..., None]
    near, far = (np.take_along_axis(found, j, 2)[..., 0] for j in (i, i + 1))
    mean, beyond = (np.take_along_axis(ladder.mean, j, 2)[..., 0] for j in (i, i + 1))
    share = np.clip((near - log_delta) / (near - far), -4.0, 1.5)
    return np.maximum((mean + share * (beyond - mean)).max(axis=1), TINY)


def last_epsilon(ladder: Ladder, log_floor: float) -> FloatArray:
    """About the eps at which alpha is the floor, in the direction where that is larger."""
    sd = np.sqrt(ladder.variance)
    log_alpha = ladder.k - (ladder.c + 1.0) * ladder.mean - np.log((ladder.c + 1.0 + 1.0 / sd) * sd * _PEAK)
    i = np.clip((log_alpha > log_floor).sum(axis=2) - 1, 0, log_alpha.shape[2] - 2)[..., None]
    near, far = (np.take_along_axis(log_alpha, j, 2)[..., 0] for j in (i, i + 1))
    mean, beyond = (np.take_along_axis(ladder.mean, j, 2)[..., 0] for j in (i, i + 1))
    share = np.clip((near - log_floor) / (near - far), 0.0, 1.5)
    found = mean + share * (beyond - mean)
    # alpha is below the floor already where the shallowest line stands: that of a Gaussian
    quantile = math.sqrt(2.0 * max(-log_floor - _TAIL, 1.0))
    early = ladder.deviation[:, None] * np.maximum(quantile - 0.5 * ladder.deviation[:, None], _LITTLE)
    found = np.where(log_alpha[:, :, 0] > log_floor, found, np.minimum(found, early))
    return np.maximum(found.max(axis=1) * _MORE, TINY)


def _line(
    ladder: Ladder, mu: FloatArray | None, loss: FloatArray, target: FloatArray, epsilon: FloatArray
) -> tuple[FloatArray | IntArray, ...]:
    """One line: the rung that is nowhere far above delta, and the c that bound its aliases at the least distance, also
    those of a Gaussian of ``mu``.
    """
    c, k, other_c, other_k = ladder.c, ladder.k, ladder.c[:, ::-1], ladder.k[:, ::-1]
    rung = np.argmin(loss.max(axis=2), axis=2)
    own = np.take_along_axis(c, rung[..., None], axis=2)
    height = np.take_along_axis(k, rung[..., None], axis=2)[..., 0]
    sd = np.sqrt(np.take_along_axis(ladder.variance, rung[..., None], axis=2)[..., 0])
    eps, goal = epsilon[:, None, :, None], target[..., None]
    apart = np.where(c > own * _APART, c - own, np.nan)
    need = ((k[:, :, None, :] - c[:, :, None, :] * eps - goal) / apart[:, :, None, :]).max(axis=2)
    need = np.where(np.isnan(need), np.inf, need)
    right, to_right = need.argmin(axis=2), need.min(axis=2)
    need = ((other_k + 0.0)[:, :, None, :] + (1.0 + other_c)[:, :, None, :] * eps - goal).max(axis=2)
    need = need / (other_c + 1.0 + own)
    left, to_left = need.argmin(axis=2), need.min(axis=2)
    spread = np.maximum(np.maximum(to_right, to_left), _LEAST * sd)
    if mu is not None:
        spread = np.maximum(spread, _of_gaussian(mu[:, None, None], own, epsilon[:, None, :], target))
    fall = height - (target + own * epsilon[:, None, :]).min(axis=2)
    spread = np.where(np.isfinite(spread) & (spread > 0.0), spread, 1.0)
    return rung, right, left, spread, np.where(fall > 0.0, fall, 1.0)


def _of_gaussian(mu: FloatArray, c: FloatArray, epsilon: FloatArray, target: FloatArray) -> FloatArray:
    """The R at which the best of Chernoff's bounds on aliases of a Gaussian, e^{cR - (eps + R - mu^2 / 2)^2 / 2 mu^2}
    and e^{eps - (c + 1) R - (R - eps - mu^2 / 2)^2 / 2 mu^2}, are down at the target.
    """
    square = mu * mu
    found: list[FloatArray] = []
    for half, rest in (
        (epsilon - square * (c + 0.5), (epsilon - 0.5 * square) ** 2),
        (square * (c + 0.5) - epsilon, (epsilon + 0.5 * square) ** 2 - 2.0 * square * epsilon),
    ):
        root = np.sqrt(np.maximum(half * half - rest - 2.0 * square * target, 0.0))
        found.append((root - half).max(axis=2))
    return np.maximum(found[0], found[1])
