"""Bounds on the transforms of many laws beyond a frequency: estimates for searches, and what is certain.

What is certain is the relative form of ``shifted_bound``, on a grid of one law's spacing or a finer one; where that is
too long a grid, or nothing is known, the law is asked alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.many.block import Block, chance, chunks, nodes_of, parted
from neyman.losses.gaussian.shifted_bound import BENT, DEEP, ROOM, ROUNDED, SHARES, WIDEST, log_sums
from neyman.losses.gaussian.transform import BELOW, FAN, LIMIT, LOOK, NEAR, ROUGH, WIDE, SamplingTransform
from neyman.losses.readings.transform import Transform
from neyman.losses.sampling import mixed_each
from neyman.numerics.rounding import UNIT

__all__ = ["certified_of", "estimates_of", "log_unturned"]

_FAR = 25.0  # deviations at which a mass is about the density
_LONG = 400  # places of a sum from which a law is asked alone: there is another form
_OPEN = 0.9999  # steers: of 1, by which |r|^2 may lie below 1


def log_unturned(law: SamplingTransform, w: float, omega: float) -> float:
    """About the log of the part of A(w) that does not turn up to ``omega``: it lies where losses change by less than
    1 / omega, and there r is 1 - rate.
    """
    if law.rate == 1.0:
        return -math.inf
    far = law.sigma * math.log(max(law.rate * omega, 1.0)) - 0.5 / law.sigma  # deviations below the mean
    mass = math.log(0.5 * math.erfc(far / math.sqrt(2.0))) if far < _FAR else -0.5 * far * far
    return w * math.log1p(-law.rate) + mass


def estimates_of(
    laws: Sequence[Transform], w: float, omega: float, share: float, cuts: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """``log_estimate`` of each law at one place, cut at ``cuts``: ``share`` times its breadth is the slope."""
    plain, alone = parted(laws, few=1)  # real arithmetic pays for a single one
    if len(laws) == 1 and len(plain) and isinstance(law := laws[0], SamplingTransform):
        return _estimate_of_one(law, w, omega, share, float(cuts[0]))
    bound, shift = np.empty(len(laws)), np.empty(len(laws))
    if len(plain):
        block, cut = Block.of(laws, plain), cuts[plain]
        low, top = block.ends(abs(w), w, cut)
        count = np.ceil((top - low) / np.minimum(*_coarsest(block.sigma)))
        for some, most in chunks(np.arange(len(plain)), count, len(FAN) + len(NEAR)):
            x, step = nodes_of(low[some], top[some], most)
            sigma, rate, rows = block.sigma[some, None], block.rate[some, None], np.arange(len(some))
            found, y, best = _estimates((sigma, rate), w, omega, share, (x, step[:, None]))
            bound[plain[some]], shift[plain[some]] = found[rows, best], y[rows, best]
    for i in alone.tolist():
        law = laws[i]
        found, at = law.log_estimate(np.array([w]), np.array([omega]), np.array([law.breadth * share]), float(cuts[i]))
        bound[i], shift[i] = found[0], at[0]
    return bound, shift


def _estimate_of_one(
    law: SamplingTransform, w: float, omega: float, share: float, cut: float
) -> tuple[FloatArray, FloatArray]:
    """The same of one plain law, to the same bits without an axis of laws."""
    low, top = law.ends(abs(w), w, cut)
    count = math.ceil((top - low) / min(_coarsest(law.sigma)))
    step = (top - low) / count
    x = top - step * np.arange(count - 0.5, 0.0, -1.0)
    found, y, best = _estimates((law.sigma, law.rate), w, omega, share, (x, step))
    return found[best, None], y[best, None]


def _coarsest(sigma: Any) -> tuple[Any, Any]:
    """Steps of a grid, the lesser of which will do: as the density bends, and as the loss does."""
    return ROUGH * math.sqrt(2.0) * sigma, 0.25 * (sigma * sigma)


def _estimates(
    law: tuple[Any, Any], w: float, omega: float, share: float, grid: tuple[FloatArray, Any]
) -> tuple[FloatArray, FloatArray, Any]:
    """``SamplingTransform.log_estimate``, by real arithmetic (it only steers): estimates for the shifts tried, these,
    and which is best. ``law`` are noise and rate, columns of many laws; ``grid`` their nodes, and how far apart.
    """
    sigma, _ = law
    ceiling = np.minimum(LOOK * math.pi * (sigma * sigma), WIDE * sigma)
    near = np.minimum(omega * share * sigma * NEAR, ceiling)
    found = _along(law, w, omega, near, grid)
    best = found.argmin(axis=-1)
    if ((best > 0) & (best < len(NEAR) - 1)).all():
        return found, near, best
    y = np.concatenate([near, FAN * ceiling], axis=-1)
    found = _along(law, w, omega, y, grid)
    return found, y, found.argmin(axis=-1)


def _along(law: tuple[Any, Any], w: float, omega: float, y: FloatArray, grid: tuple[FloatArray, Any]) -> FloatArray:
    """The estimate for each of the shifts ``y``, one row for each law."""
    (sigma, rate), (x, step) = law, grid
    s2 = sigma * sigma
    t, turn = (2.0 * x - 1.0) / (2.0 * s2), (y / s2)[..., None]
    grown = (rate * np.exp(t))[..., None, :]
    real, imag = grown * np.cos(turn) - np.asarray(rate)[..., None], grown * np.sin(turn)
    size = 0.5 * np.log1p(np.maximum(real * (2.0 + real) + imag * imag, -_OPEN))
    density = -0.5 * (x / sigma) ** 2 - np.log(sigma * math.sqrt(2.0 * math.pi))
    lifted = 0.5 * (y / sigma) ** 2
    log_term = density[..., None, :] + w * size - omega * np.arctan2(imag, 1.0 + real)
    end = density[..., -1:]
    if w > 0.0:
        end = end + w * np.log1p(rate * np.expm1(t[..., -1:]))
    return np.logaddexp(log_sums(log_term) + lifted + np.log(step), np.log(y) + lifted + end)


def certified_of(
    laws: Sequence[Transform], w: float, omega: float, cuts: FloatArray, estimates: tuple[FloatArray, FloatArray],
    size: float = math.inf,
) -> FloatArray:  # fmt: skip
    """``certified`` of each law at one place: an upper bound on log |A(w + i omega')| for every omega' >= omega; of the
    log A(w) of a single one ``size`` is no less.
    """
    if len(laws) == 1:
        about = float(estimates[0][0]), float(estimates[1][0])
        return np.array([laws[0].certified(w, omega, float(cuts[0]), about, size)])
    found = np.full(len(laws), math.inf)
    plain, _ = parted(laws)
    if len(plain) and omega > 0.0:
        block, cut, shift = Block.of(laws, plain), cuts[plain], estimates[1][plain]
        step, width, grown = _grids(block, w, omega, shift, cut)
        low, top = block.ends(abs(w), w, cut)
        count = np.ceil((top - low) / step)
        for some, most in chunks(np.flatnonzero(count < _LONG), count, 4):
            strip = _Strips(block[some], w, omega, shift[some], width[some], grown[some])
            found[plain[some]] = strip.log_bound(low[some], top[some], cut[some], most)
    for i in np.flatnonzero(~(found < math.inf)).tolist():
        found[i] = laws[i].certified(w, omega, float(cuts[i]), (float(estimates[0][i]), float(estimates[1][i])))
    return found


def _grids(
    block: Block, w: float, omega: float, shift: FloatArray, cut: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of the relative form the widest spacing that is good enough, the width of its strip, and by how many e-folds the
    modulus may have grown at its edge.
    """
    sigma, y = block.sigma[:, None], shift[:, None]
    s2, scale = sigma**2, math.sqrt(2.0) * sigma
    most = ROOM * math.pi * s2 - y
    v = np.concatenate([most * SHARES, np.minimum(most, BENT * scale)], axis=1)
    _, top = block.ends(abs(w), w, cut)
    p = chance(block, top)
    turning = (math.hypot(w, omega) * np.where(p < 0.5, p * (1.0 - p), 0.25))[:, None]
    bent = (0.5 / s2 + 0.5 * turning / (s2 * np.cos(0.5 * (y + v) / s2)) ** 2) * v**2
    steps = 2.0 * math.pi * v / (DEEP + bent)
    best = np.argmax(steps, axis=1)[:, None]
    step, width, grown = (np.take_along_axis(a, best, axis=1)[:, 0] for a in (steps, v, bent))
    return np.minimum(step, WIDEST * scale[:, 0]), width, grown


class _Strips:
    """The relative form of ``log_shifted_bound``, one value for each law."""

    def __init__(
        self, block: Block, w: float, omega: float, shift: FloatArray, width: FloatArray, grown: FloatArray
    ) -> None:
        self._block, self._w, self._omega = block, w, omega
        self._y, self._width, self._grown = shift, width, grown
        self._s2 = block.sigma**2
        self._up = 0.5 * shift * shift / self._s2

    def log_bound(self, low: FloatArray, top: FloatArray, cut: FloatArray, count: int) -> FloatArray:
        """The bound, by a sum of so many places; inf where nothing is known."""
        x, step = nodes_of(low, top, count)
        x = np.concatenate([x, top[:, None]], axis=1)
        total, last = self._summed(x, step)
        turns = 2.0 * math.pi * self._width / step
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            missed = 2.0 * np.exp(self._grown - (turns + np.log(-np.expm1(-turns))))
            wall = last + np.log(2.0 * self._width / (turns - self._grown))
            parts = np.array([total, self._down(top), wall, self._beyond(x[:, 0], top, cut)])
            peak = parts.max(axis=0)
            found = peak + np.log(np.exp(parts - peak).sum(axis=0)) - np.log1p(-missed)
        return np.where((missed < 1.0) & (turns > self._grown) & np.isfinite(found), found, math.inf)

    def _summed(self, x: FloatArray, step: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log of the sum over all places but the last, and of what rounding does; and of the last term."""
        w, omega, s2, y = self._w, self._omega, self._s2[:, None], self._y[:, None]
        loss = self._block.log_ratio(x + 1j * y)
        log_term = self._block.log_density(x) + self._up[:, None] + w * loss.real - omega * loss.imag
        tilted = ((abs(w) + omega) / np.cos(0.5 * y / s2)) * np.abs(loss)
        peak = log_term.max(axis=1)
        weight = np.exp(log_term - peak[:, None])[:, :-1]
        parts = 1.0 + 0.5 * x * x / s2 + np.abs(log_term) + tilted
        whole = weight.sum(axis=1)
        off = (weight * parts[:, :-1]).sum(axis=1) / whole + self._up
        total = peak + np.log(whole) + ROUNDED * off + x.shape[1] * UNIT + np.log(step)
        return total, log_term[:, -1]

    def _down(self, top: FloatArray) -> FloatArray:
        """The way down at the end."""
        y, w = self._y, self._w
        far = y + self._width
        climb = BELOW * np.minimum(chance(self._block, top) / self._s2, self._at(top, far)[1] / far)
        slope = self._omega * climb
        near, lifted = self._at(top, 0.0 * y)[0], self._at(top, y)[0]
        wall = self._log_density(top) + np.maximum(w * near, w * lifted)
        return wall + self._up + np.log(np.where(slope * y > 1.0, 1.0 / slope, y))

    def _beyond(self, first: FloatArray, top: FloatArray, cut: FloatArray) -> FloatArray:
        """The nodes before the first, and what the law has between ``top`` and ``cut``."""
        block, w, y = self._block, self._w, self._y
        rise = (-first - max(-w, 0.0) * chance(block, first)) / self._s2
        plain, lifted = self._at(first, 0.0 * y)[0], self._at(first, y)[0]
        steep = self._odds(first) > np.log1p(-block.rate)
        shrunk = np.where(steep, -np.log(np.cos(0.5 * y / self._s2)), plain - lifted)
        before = self._log_density(first) + w * plain + self._up + max(-w, 0.0) * shrunk - np.log(rise)
        fall = (top - max(w, 0.0)) / self._s2
        after = self._log_density(top) + w * self._at(top, 0.0 * y)[0] - np.log(fall)
        ended = top >= np.minimum(cut, LIMIT * block.sigma + 1.0)
        found = np.where(ended, before, np.logaddexp(before, np.where(fall > 0.0, after, math.inf)))
        return np.where(rise > 0.0, found, math.inf)

    def _log_density(self, x: FloatArray) -> FloatArray:
        return self._block.log_density(x[:, None])[:, 0]

    def _odds(self, x: FloatArray) -> FloatArray:
        return (2.0 * x - 1.0) / (2.0 * self._s2) + np.log(self._block.rate)

    def _at(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """``SamplingTransform.mixed_at``."""
        return mixed_each((2.0 * x - 1.0) / (2.0 * self._s2), y / self._s2, self._block.rate)
