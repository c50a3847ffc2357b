"""The loss of a sampled Gaussian step under replacement, divided into bins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.readings.bins import BinSplit, GridLaw, Reach, Tilted
from neyman.losses.readings.smooth_bins import QUADRATURE, smooth_bins
from neyman.losses.sampling import mixed
from neyman.numerics.rounding import ROOM, UNIT
from neyman.numerics.sums.inner import inner

__all__ = ["ReplacedGrid"]

_DEPTH = 44.0  # -log of the tilted mass a step may leave outside its reach
_SEEN = 14.0  # standard deviations looked at on either side
_PIECE = 1500.0  # nominal nanoseconds for each piece of a bin
_LEAST = 1e-320  # in place of a loss of 0
_BEYOND, _SMOOTH = 0.1, 0.2  # deviations that a reach goes beyond what is seen; sigma, or sigma^2, that one piece spans


@dataclass(frozen=True, slots=True)
class ReplacedGrid(GridLaw):
    """L(x) = m(t(x)) - m(t(-x)) with m(t) = log(1 - q + q e^t), t(x) = (2x - 1) / (2 sigma^2): odd and rising in x."""

    sigma: float
    rate: float

    @property
    def base(self) -> float:
        return 0.0

    def end(self, remove: bool) -> float:
        return math.inf

    def loss(self, x: FloatArray) -> FloatArray:
        return self.seen(x)[1]

    def log_q(self, x: FloatArray) -> FloatArray:
        """Log density of (1 - q) N(0, sigma^2) + q N(-1, sigma^2)."""
        return self.seen(x)[0]

    def seen(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log density and loss."""
        s, q = self.sigma, self.rate
        below = mixed((-x - 0.5) / s**2, q)
        log_density = below - 0.5 * (x / s) ** 2 - math.log(s * math.sqrt(2.0 * math.pi))
        return log_density, mixed((x - 0.5) / s**2, q) - below

    def place(self, loss: FloatArray) -> FloatArray:
        """The x at which the loss is ``loss``: e^{x / sigma^2} is the root of a quadratic."""
        s, q = self.sigma, self.rate
        size = np.abs(loss)
        # y^2 - 2 p y - k = 0 with 2 p = (1 - q)(k - 1) / (q e^{-1/(2 s^2)}), k = e^size
        log_p = math.log1p(-q) - math.log(2.0 * q) + 0.5 / s**2 + size + np.log(-np.expm1(-np.maximum(size, _LEAST)))
        log_y = np.logaddexp(log_p, 0.5 * np.logaddexp(2.0 * log_p, size))
        return np.sign(loss) * s**2 * log_y

    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        s = self.sigma
        x = np.linspace(-_SEEN * s - max(1.0 - z, 1.0), _SEEN * s + max(z, 1.0), 2000)
        loss = self.loss(x)
        log_weight = self.log_q(x) + z * loss
        peak = float(np.max(log_weight))
        weight = np.exp(log_weight - peak)
        total = float(np.sum(weight))
        mean = inner(weight, loss) / total
        spread = inner(weight, (loss - mean) ** 2) / total
        value = peak + math.log(total * float(x[1] - x[0]))
        tail = log_ndtr((x if remove else -x) / s + 1.0 / s)
        carried = log_weight >= peak - _DEPTH - math.log(times)
        inside = np.flatnonzero(carried | (c * (loss if remove else -loss) + tail > value - _DEPTH - math.log(times)))
        at = np.flatnonzero(carried)
        low, high = (inside[0], at[-1]) if remove else (at[0], inside[-1])
        return Tilted(value, mean, spread, (float(x[low]) - _BEYOND * s, float(x[high]) + _BEYOND * s))

    def extended(self, reach: Reach, depth: float, remove: bool) -> Reach:
        far = self.sigma * math.sqrt(2.0 * max(depth, 1.0)) + 1.0
        return (reach[0], max(reach[1], far)) if remove else (min(reach[0], -far), reach[1])

    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        low, high = self.loss(np.array(reach)) / h
        return math.floor(low), max(math.ceil(high), math.floor(low) + 2)

    def labour(self, reach: Reach, h: float) -> float:
        return _PIECE * (reach[1] - reach[0]) / self._longest

    def span(self, reach: Reach) -> float:
        low, high = self.loss(np.array(reach))
        return float(high - low)

    def strain(self, z: float) -> float:
        return max(z, 1.0 - z, 0.0) / self.sigma

    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        s = self.sigma
        edge = h * np.arange(first, last + 1)
        place = self.place(edge)
        lower, upper, log_scale = smooth_bins(place, edge[:-1], h, self._longest, self.seen)
        width = np.diff(place)
        # log of the density of e^L: the normal law, its mixture and the slope of L bend it by no more than this
        far = np.maximum(np.abs(place[:-1]), np.abs(place[1:]))
        variation = width * (far / s**2 + 4.0 / s**2) + 3.0 * h
        reach = float(np.abs(place).max())
        up = ROOM + 8.0 * UNIT * (reach / s) ** 2
        below, above = self._log_tails(float(place[0]), 1.0, up), self._log_tails(float(place[-1]), -1.0, up)
        slack = 16.0 * UNIT * (1.0 + float(np.abs(edge[[0, -1]]).max()) + (reach + 1.0) / s**2)
        relative = 2.0 * QUADRATURE + 16.0 * UNIT * (4.0 + ((reach + 1.0) / s) ** 2)
        return BinSplit(0.0, first, h, lower, upper, log_scale, variation, relative, slack, below, above)

    @property
    def _longest(self) -> float:
        """Pieces no longer than this are integrated at once."""
        return _SMOOTH * min(self.sigma, self.sigma**2)

    def _log_tails(self, x: float, side: float, up: float) -> tuple[float, float]:
        """log of the masses (without, with the record) below x (``side`` 1) or above it (-1), raised by ``up``."""
        q = self.rate
        plain, other, one = (float(log_ndtr(side * at / self.sigma)) for at in (x, x + 1.0, x - 1.0))
        log_rest, log_q = math.log1p(-q) + plain, math.log(q)
        return float(np.logaddexp(log_rest, log_q + other)) + up, float(np.logaddexp(log_rest, log_q + one)) + up
