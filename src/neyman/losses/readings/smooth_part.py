"""A smooth piece of a privacy loss on a coordinate z, as the quadrature of a Renyi divergence sees it.

With m(u) = log(1 - q + q e^u), up = m(rise z - offset) and down = m(-rise z - offset),

    log density under Q  =  constant + lean z - bend z^2 / 2 + weight[0] up + weight[1] down
    loss L               =  sign[0] up + sign[1] down - level

m is analytic wherever 1 - q + q e^u is not 0, m' = s = 1 / (1 + e^-(u + logit q)) and m'' = s (1 - s). So on a disc of
radius R around c every S = (log density) + w L obeys Re S <= S(c) + R |S'(c)| + R^2 / 2 sup |S''|, and |L| is at most
|L(c)| + R sup |L'|: bounds on the integrand, off the real axis too, from which its quadrature is certified.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from neyman._validate import FloatArray
from neyman.losses.sampling import MIXED_ERROR, mixed
from neyman.numerics.rounding import SLIGHT, TINY, UNIT

__all__ = ["SmoothPart"]

_NARROW = 2.0  # |Im u| up to which cos(Im u / 2) is a good bound
_FAR = 100.0  # certifies: deviations beyond where a tilt may lie: -x (x - 2 tilt) / 2 is -5000 there, and worse
_ROUNDED = 1e-3  # certifies: more than an error of u, by which the slope of m is taken too far
_LOGS = 1e-6  # certifies: of the log of a bound, beside ``SLIGHT`` of each of its terms
_APART, _LARGEST = 0.1, 1e150  # e-folds from where moduli are compared; a factor whose square is a float


@dataclass(frozen=True)
class SmoothPart:
    """One piece: see the formulas above. ``low`` and ``high`` may be infinite where ``bend`` > 0."""

    low: float
    high: float
    constant: float
    lean: float
    bend: float
    rise: float
    offset: float
    rate: float
    weight: tuple[float, float]
    sign: tuple[float, float]
    level: float = 0.0

    @property
    def logit(self) -> float:
        """logit q, inf at q = 1."""
        return math.inf if self.rate == 1.0 else math.log(self.rate) - math.log1p(-self.rate)

    @property
    def sides(self) -> tuple[int, ...]:
        """Which of up (0) and down (1) occur."""
        return tuple(i for i in (0, 1) if self.weight[i] != 0.0 or self.sign[i] != 0.0)

    def reach(self, w: FloatArray) -> FloatArray:
        """How far from 0 the integrand of the order ``w`` can matter: beyond, its integral is below e^-4000.

        There |up|, |down| <= rise |z| + rise^2 / 2 (offset = rise^2 / (2 bend)), and L^2 / 2 <= e^|L|.
        """
        spread = 1.0 / math.sqrt(self.bend)
        slope = self.rise * spread
        signs, weights = sum(map(abs, self.sign)), sum(map(abs, self.weight))
        tilt = signs * (np.maximum(np.abs(w), 1.0) + 1.0) + weights
        return spread * (2.0 * tilt * slope + _FAR + 4.0 * slope)

    def at(
        self, z: FloatArray, width: FloatArray | float = 0.0
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """log density and loss at ``z``, with bounds on their absolute errors.

        ``z`` itself may be off by a unit in the last place of |z| + ``width``.
        """
        log_density = self.constant + self.lean * z - 0.5 * self.bend * z * z
        size = np.abs(z) + width
        error = UNIT * (4.0 * abs(self.constant) + 6.0 * abs(self.lean) * size + 6.0 * self.bend * np.abs(z) * size)
        loss, loss_error = np.full_like(z, -self.level), np.full_like(z, 2.0 * UNIT * abs(self.level))
        for i in self.sides:
            turn = self.rise if i == 0 else -self.rise
            # offset / rise is where u = 0: subtracting it first keeps u small there
            u = turn * (z - self.offset / turn)
            u_error = UNIT * (6.0 * np.abs(u) + 6.0 * self.rise * size + 6.0 * abs(self.offset))
            m, m_error = _mixed(u, self.rate)
            m_error = m_error + expit(u + self.logit + _ROUNDED) * u_error
            log_density, error = log_density + self.weight[i] * m, error + abs(self.weight[i]) * m_error
            loss, loss_error = loss + self.sign[i] * m, loss_error + abs(self.sign[i]) * m_error
        return log_density, loss, error, loss_error

    def log_bound(self, w: FloatArray, c: FloatArray, radius: FloatArray, disc: bool, plain: bool) -> FloatArray:
        """Log of a bound on |density g| over the interval, or (``disc``) the disc, of this radius around ``c``.

        g is L^2 exp[0, L, w L], or e^{wL} where ``plain``. Inf where the disc reaches too far.
        """
        value = self.constant + self.lean * c - 0.5 * self.bend * c * c
        slack = _LOGS + SLIGHT * (abs(self.constant) + np.abs(self.lean * c) + self.bend * c * c)
        slope, bend = self.lean - self.bend * c, np.full_like(c, self.bend)
        loss, loss_slope, loss_bend = (np.zeros_like(c) for _ in range(3))
        loss -= self.level
        steep = np.zeros_like(c)
        around = self.rise * radius
        for i in self.sides:
            turn = self.rise if i == 0 else -self.rise
            u = turn * c - self.offset
            m, s = _mixed(u, self.rate)[0], expit(u + self.logit)
            widest, most = self._most(u + self.logit, around, disc)
            value, slope = value + self.weight[i] * m, slope + self.weight[i] * turn * s
            loss, loss_slope = loss + self.sign[i] * m, loss_slope + self.sign[i] * turn * s
            bend = bend + abs(self.weight[i]) * self.rise**2 * widest
            loss_bend = loss_bend + abs(self.sign[i]) * self.rise**2 * widest
            steep = steep + abs(self.sign[i]) * self.rise * most
            slack = slack + SLIGHT * (abs(self.weight[i]) + abs(self.sign[i]) * (1.0 + np.abs(w))) * np.abs(m)
        tops: list[FloatArray] = []
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):  # 0 times inf is nan, read as inf below
            for v in (w,) if plain else (0.0, 1.0, w):
                tilt = np.abs(slope + v * loss_slope) + 0.5 * radius * (bend + np.abs(v) * loss_bend)
                tops.append(value + v * loss + radius * tilt)
            top = np.maximum.reduce(tops) + slack
            if not plain:
                top = top + 2.0 * np.log(np.abs(loss) + radius * steep) - math.log(2.0)
        return np.where(np.isnan(top), math.inf, top)

    def _most(self, place: FloatArray, around: FloatArray, disc: bool) -> tuple[FloatArray, FloatArray]:
        """Bounds on |m''| and |m'| where u + logit q is within ``around`` of ``place``, real or complex.

        |1 - q + q e^u| is at least cos(Im u / 2) times, and at least |1 - e^-p| / (1 + e^-p) times, the sum of the two
        moduli, p being how far Re u + logit q stays from 0.
        """
        off = np.maximum(np.abs(place) - around, 0.0)
        with np.errstate(under="ignore"):
            fall = np.exp(-off)
            widest, most = fall / (1.0 + fall) ** 2, expit(place + around)
            if disc:
                narrow = np.where(around < _NARROW, 1.0 / np.cos(0.5 * np.minimum(around, _NARROW)), math.inf)
                apart = (1.0 + fall) / np.maximum(1.0 - fall, TINY)
                grown = np.minimum(np.minimum(narrow, np.where(off > _APART, apart, math.inf)), _LARGEST)
                widest, most = widest * grown**2, most * grown
        return widest, most


def _mixed(u: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """log(1 - q + q e^u) with a bound on its absolute error, given u."""
    value = mixed(u, rate)
    return value, (0.0 if rate == 1.0 else MIXED_ERROR) * np.abs(value)
