"""One sampled Gaussian along a ray of losses and its parallels: weights, how much they bend, what lies beyond an end.

With L = log(1 + e^zeta), zeta = log rho + t + iy, S = e^{i chi} L, b(z) = z / (e^z - 1) and mu = 1 - b, the weight is

    f = exp(-x^2 / 2 s^2) theta' s / sqrt(2 pi),    x = s^2 (theta - log rho) + 1/2,    theta = log(e^S - 1).

**Where all this is.** arg L is between 0 and y, since L' = e^zeta / (1 + e^zeta) = 1 - e^{-L} has such arguments, and
so is Im L = arg(1 + e^zeta). Every z = e^{i alpha} L, 0 <= alpha <= chi, has |arg z| <= chi + min(|y|, arcsin(|y| /
|z|)): for chi <= 0.6 = ``WIDEST`` and chi + |y| <= 1.2 = ``SECTOR`` at most 1.2, and where |z| > 1.4 at most 0.6 +
arcsin(0.6 / |z|), as the former is convex in chi. There

    |b'| <= 1/2,   |Im b| <= k0,   |z b'| <= k1,   |z^2 b''| <= k2,   |z^2 b'| <= k3,   |1 - mu/z| <= 1,   |b| <= 1:

all are analytic and bounded, so that it is enough to look at the edge (``tests/losses/test_rays.py``, in balls).

**How much it bends.** d/d alpha of log(z / (1 - e^{-z})) is i mu(z), hence |log|theta'|| <= chi k0. In the same way
theta''/theta' = (1/L) [mu(S) - mu(L)] L' is at most chi |b'| |L'|, and its derivative at most chi (k2 + k1), as |L'|
and |L''| are at most |L|. And |theta| <= |log|L|| + SECTOR + |L|, of which |L| |log|L|| is at most 1/e or |L|^2. So

    |(log f)''| <= M = s^2 E^2 + E chi [s^2 (|log rho| k1 + k4) + k1 / 2] + chi (k2 + k1),      E = e^{chi k0},

with k4 = 1/2e + SECTOR k1 + 2 k3, on the ray and every parallel within the sector.

**Beyond the right end**, theta = zeta + (e^{i chi} - 1) L + i int b d alpha and Re L <= log 2 + max(Re zeta, 0) =: l:

    Re x >= X = s^2 (t - (1 - cos chi) l - sin chi |y| - chi) + 1/2,
    |Im x| <= Y = s^2 (|y| (2 - cos chi) + sin chi l + chi).

(X^2 - Y^2) / 2 s^2 rises by at least X cos chi - Y sin chi, itself rising where chi < pi/4. **Before the left end** the
imaginary part of z / (1 - e^{-z}) = z + b is at least Im z / 2 where that is positive, and no less than 3/2 Im z where
not: Re x <= s^2 (t + 3/2 chi |Im L|) + 1/2, the middle term only where y < 0, and |Im x| <= s^2 (|y| + chi (1 + |L|)),
with the L of the end.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import AMPLE
from neyman.numerics.sums.turns import cosine_and_sine

__all__ = ["SECTOR", "WIDEST", "Ray"]

WIDEST, SECTOR = 0.6, 1.2  # of chi, and of chi + |y|
_ALL, _OWN, _OF_LOSS, _OF_NODE = 12.0, 16.0, 6.0, 4.0  # certifies: units of rounding of a weight (``Ray.along``)
LEAN, TURN, BEND, FALL = 0.55, 0.77, 2.06, 2.62  # k0 to k3
_DRAG = 0.5 / math.e + SECTOR * TURN + 2.0 * FALL  # k4
_STRAIGHT = 30.0  # certifies: from where log(1 + e^v) is v + e^-v: e^-60 / 2 is nothing beside a unit of 30
_FAINT = 42.0  # certifies: e^-42 = 5.7e-19 is nothing beside 1: where v or -Re S is below -42, of sums with x and t


@dataclass(frozen=True)
class Ray:
    """The law of S along the ray at angle ``chi``, weighed for nodes ``step`` apart in t.

    Raises
    ------
    ArithmeticError
        If the angle is too wide.
    """

    sigma: float
    log_rho: float
    chi: float
    step: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.chi <= WIDEST:
            raise ArithmeticError("the angle is too wide")

    def along(self, t: FloatArray | ComplexArray) -> tuple[ComplexArray, ComplexArray, FloatArray]:
        """S and log(density dS) on S = e^{i chi} log(1 + e^v), v = log rho + t, and how rounding is amplified.

        The density depends on log(expm1(S)/rho) = t + log(expm1(S)/e^v), in which log rho, often large, has no part.

        Rounding, in units of 2^-53: x^2/2s^2 takes four of its factors twice and two more, and with what is added to it
        less than ``_ALL`` of the whole. S and log(expm1(S)/e^v) err by units of their own and of |S|, which x
        multiplies; so it does t, of which nodes are off their grid by a rounding, s^2 twice and a sum once:
        ``_OF_NODE``. S is off by a rounding of v and of t, for each unit of |w| half of what is said here. ``_OWN`` and
        ``_OF_LOSS`` are three times what was found of them.
        """
        turn = np.exp(1j * self.chi) if self.chi else 1.0
        v = t + self.log_rho
        grown, far, faint = np.exp(np.minimum(v.real, _STRAIGHT)), v.real > _STRAIGHT, v.real < -_FAINT
        near = ~(far | faint)
        if np.iscomplexobj(v):
            cosine, sine = cosine_and_sine(v.imag)
            grown = grown * cosine + 1j * (grown * sine)
        soft = np.where(far, v, grown)
        bent = far & (v.real <= _FAINT)
        soft[bent] += np.exp(-v[bent])
        soft[near] = log1p(grown[near])
        loss = turn * soft
        apart = loss - v
        apart[faint] = 1j * self.chi if self.chi else 0.0  # of (e^S - 1) / e^v, which is e^{i chi} but for S and e^v
        some = ~faint & (loss.real <= _FAINT)
        small = some & (loss.real < 0.5)
        first = loss[small]
        apart[small] = np.log(np.expm1(first) / first) + np.log(turn * soft[small] / grown[small])
        some &= ~small
        apart[some] += log1p(-np.exp(-loss[some]))
        s = self.sigma
        x = s**2 * (t + apart) + 0.5
        # dS/dv e^S / expm1(S), with dS/dv = e^{i chi} e^v / (1 + e^v) = e^{i chi + v - soft}
        log_slope = 1j * self.chi - soft + loss - apart
        log_weight = -0.5 * (x / s) ** 2 + log_slope + self._log_unit
        condition = _ALL * np.abs(log_weight) + 2.0 * (np.abs(v) + np.abs(t))
        condition += (1.0 + np.abs(x)) * (_OWN + _OF_LOSS * np.abs(loss)) + _OF_NODE * np.abs(x) * np.abs(t)
        return np.asarray(loss, dtype=complex), np.asarray(log_weight, dtype=complex), condition

    @property
    def _log_unit(self) -> float:
        return math.log(self.sigma * self.step / math.sqrt(2.0 * math.pi))

    @property
    def bend(self) -> float:
        """M."""
        s2, chi, most = self.sigma**2, self.chi, math.exp(self.chi * LEAN)
        dragged = s2 * (abs(self.log_rho) * TURN + _DRAG) + 0.5 * TURN
        return s2 * most**2 + most * chi * dragged + chi * (BEND + TURN)

    def log_beyond(self, t: float, y: float, pull: FloatArray) -> FloatArray:
        """log of a bound on sum and integral of |weight| e^{pull (t' - t)} over t' >= t; inf where it may not die."""
        s2, cosine, sine = self.sigma**2, math.cos(self.chi), math.sin(self.chi)
        soft = math.log(2.0) + max(self.log_rho + t, 0.0)
        place = s2 * (t - (1.0 - cosine) * soft - sine * abs(y) - self.chi) + 0.5
        beside = s2 * (abs(y) * (2.0 - cosine) + sine * soft + self.chi)
        fall = place * cosine - beside * sine - pull
        sound = 4.0 * self.chi < math.pi and place > 0.0
        return self._tail(place, beside, np.where(sound, fall, -math.inf))

    def log_before(self, t: float, y: float) -> float:
        """The same of |weight| alone over all t' <= t."""
        s2 = self.sigma**2
        loss = cmath.log(1.0 + cmath.exp(complex(self.log_rho + t, y))) if self.log_rho + t < _STRAIGHT else math.inf
        place = s2 * (t + (1.5 * self.chi * abs(loss.imag) if y < 0.0 else 0.0)) + 0.5
        beside = s2 * (abs(y) + self.chi * (1.0 + abs(loss)))
        return float(self._tail(-place, beside, np.full(1, -place))[0])

    def _tail(self, place: float, beside: float, fall: FloatArray) -> FloatArray:
        if not (place > 0.0 and beside < math.inf):
            return np.full(fall.shape, math.inf)
        height = 0.5 * (beside - place) * (beside + place) / self.sigma**2 + self.chi * LEAN + self._log_unit
        height += AMPLE * (1.0 + abs(height))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(fall > 0.0, height + np.log1p(1.0 / (fall * self.step)), math.inf)
