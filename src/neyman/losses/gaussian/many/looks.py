"""Steps of grids on the real axis of many laws, where arg r and |r| hardly move: the modulus of each integrand is
bounded along parallels and on the wall where its law ends.

The formulas are those of one law (``SamplingTransform._step``, ``log_lines``). Laws of a block have as many cells, as
many as that of them needs which needs most: of smaller cells every bound holds, and is nearer.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.growth import CLEAR, LINES
from neyman.losses.gaussian.many.block import Block, chance, chunks
from neyman.losses.gaussian.shifted_bound import BELOW_MEAN, LOOK, log_sums
from neyman.losses.gaussian.transform import FINE, LEAST, WALL
from neyman.losses.readings.tilted import last_valley
from neyman.losses.sampling import mixed_each, mixed_lines
from neyman.numerics.rounding import LARGEST_EXPONENT

__all__ = ["STEEPEST", "steps_of"]

STEEPEST = 1e9  # of tilts and frequencies at which real arithmetic is near enough: beyond, nobody looks

_HEIGHTS = np.concatenate([[0.0], LINES])  # in sigma: the real axis, and the lines above it


def steps_of(block: Block, w: float, omega: float, margin: float, cut: FloatArray | float = math.inf) -> FloatArray:
    """Steps on the real axis whose alias lies ``margin`` e-folds below A(w), of laws that end at ``cut``."""
    step = block.step(w, omega, margin)
    fine = np.flatnonzero(step <= FINE * block.sigma)
    if len(fine) and abs(w) + omega <= STEEPEST:
        cuts = np.broadcast_to(np.asarray(cut, dtype=np.float64), step.shape)[fine]
        some = block[fine]
        low, top = some.ends(abs(w), w, cuts)
        count = np.maximum(
            2.0, np.ceil((top - low) / (LOOK * math.sqrt(2.0) * some.sigma * np.minimum(1.0, some.sigma)))
        )
        for part, most in chunks(np.arange(len(fine)), count, 2 * len(_HEIGHTS)):
            look = _Look(some[part], w, omega, low[part], top[part], most, ~np.isfinite(cuts[part]))
            step[fine[part]] = np.maximum(step[fine[part]], look.steps(margin))
    return step


class _Look:
    """What is seen of some laws at one tilt and frequency; ``valleys``: which of them are cut in one."""

    def __init__(
        self, block: Block, w: float, omega: float, low: FloatArray, top: FloatArray, count: int, valleys: FloatArray
    ) -> None:
        self._block, self._w, self._omega = block, w, omega
        self._s2 = (block.sigma**2)[:, None]
        x = low[:, None] + ((top - low) / count)[:, None] * np.arange(count + 1)
        heights = np.minimum(block.sigma[:, None] * _HEIGHTS, CLEAR * math.pi * self._s2)
        self._y = heights[:, 1:]
        step = ((top - low) / count)[:, None]
        log_term, off = self._log_terms(x, heights)
        steepest = 1.0 / (self._s2 * np.cos(0.5 * heights / self._s2)) ** 2
        turning = self._turning(x) * np.exp(np.minimum(step / self._s2, LARGEST_EXPONENT))
        curve = (step**2)[..., None] * (1.0 / self._s2[..., None] + steepest[..., None] * turning[:, None])
        last = np.where(valleys, last_valley(log_term[:, 0], x), count)[:, None]
        place = np.arange(count + 1)
        seen, inner = place <= last, (place >= 1) & (place < last)
        self._end = np.take_along_axis(x, last, axis=1)
        above = np.where(seen[:, None], log_term + 0.125 * curve, -math.inf)
        below = np.where(inner, log_term[:, 0] - curve[:, 0] / BELOW_MEAN, -math.inf)
        self._least = log_sums(below)[:, None] + np.log(step) - off
        most = np.logaddexp(log_sums(above) + np.log(step), self._before(x[:, :1], heights)) + off
        self._growth = np.maximum(most[:, 1:] - self._least, 0.0)

    def steps(self, margin: float) -> FloatArray:
        """The largest steps that the lines allow, and the walls up to them."""
        sigma, y = self._block.sigma[:, None], self._y
        bound = 0.5 * y**2 / self._s2 + self._omega * y / self._s2
        bound = bound - max(0.0, -self._w) * np.log(np.cos(y / (2.0 * self._s2)))
        turns = 2.0 * math.pi * y / (np.minimum(bound, self._growth) + margin)
        high = np.minimum(sigma * WALL, CLEAR * math.pi * self._s2)
        allowed = 2.0 * math.pi * high / np.maximum(self._on_wall(high) - self._least + margin + 3.0, LEAST)
        allowed = np.minimum.accumulate(allowed, axis=1)
        place = np.maximum(np.sum(high[:, None] <= y[..., None], axis=2) - 1, 0)
        return np.max(np.minimum(turns, np.take_along_axis(allowed, place, axis=1)), axis=1)

    def _log_terms(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Logs of bounds on the modulus of the integrand at x + iy: for each law, a row for each y; and how far they
        may be off.
        """
        t = (2.0 * x - 1.0) / (2.0 * self._s2)
        size, phase, off = mixed_lines(t, y / self._s2, self._block.rate)
        lifted = (0.5 * y**2 / self._s2)[..., None]
        log_term = self._block.log_density(x)[:, None] + lifted + self._w * size + self._omega * phase
        return log_term, (abs(self._w) + self._omega) * off[:, None]

    def _turning(self, x: FloatArray) -> FloatArray:
        """Of each law, at one place or many: ``wavering`` times the modulus of the power."""
        odds = (np.log(self._block.rate) - np.log1p(-self._block.rate))[:, None]
        small = np.exp(-np.abs((2.0 * x - 1.0) / (2.0 * self._s2) + odds))
        return math.hypot(self._w, self._omega) * small / (1.0 + small) ** 2

    def _before(self, first: FloatArray, y: FloatArray) -> FloatArray:
        """Logs of bounds on what lies before the first place, along each line."""
        t = (2.0 * first - 1.0) / (2.0 * self._s2)
        rate = np.broadcast_to(self._block.rate[:, None], y.shape)
        size, phase = mixed_each(np.broadcast_to(t, y.shape), y / self._s2, rate)
        steep = t + np.log(rate) > np.log1p(-rate)
        shrunk = np.where(steep, -np.log(np.cos(0.5 * y / self._s2)), size[:, :1] - size)
        rise = (-first - max(-self._w, 0.0) * chance(self._block, first[:, 0])[:, None]) / self._s2
        with np.errstate(divide="ignore", invalid="ignore"):
            start = np.where(
                rise > 0.0, self._block.log_density(first) + self._w * size[:, :1] - np.log(rise), math.inf
            )
        return start + 0.5 * y**2 / self._s2 + max(-self._w, 0.0) * shrunk + self._omega * phase

    def _on_wall(self, high: FloatArray) -> FloatArray:
        """``log_on_wall``."""
        above = np.concatenate([high[:, 1:], high[:, -1:]], axis=1)
        log_term, off = self._log_terms(self._end, high)
        size = log_term[..., 0] + off
        curve = 1.0 / self._s2 + self._turning(self._end) / (self._s2 * np.cos(0.5 * above / self._s2)) ** 2
        beside = np.concatenate([size[:, 1:], size[:, -1:]], axis=1)
        return np.maximum(size, beside) + 0.125 * curve * (above - high) ** 2 + np.log(above)
