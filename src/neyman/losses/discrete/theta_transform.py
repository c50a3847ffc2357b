"""The transform of a discrete Gaussian: a theta function, which a handful of dual terms give at any argument.

With pitch = shift / sigma^2 and y = w pitch, A(w) = e^{-w shift pitch / 2} Theta(y) / Theta(0); by Poisson summation

    Theta(y) = sum_x e^{-x^2 / 2 sigma^2 + x y} = sigma sqrt(2 pi) sum_k e^{sigma^2 (y - 2 pi i k)^2 / 2}.

Its modulus has the period 2 pi in Im y and, by the triple product, falls from each multiple of 2 pi to the middle
between two: so its largest value between any two omega is known exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.transform import ComplexArray, Moments, Transform
from neyman.numerics.rounding import ROOM, TINY, UNIT

__all__ = ["DiscreteGaussianTransform"]

_LEAST = 1.0  # sigma from which the dual terms beyond the second are below 1e-50
_DUAL = (-2, -1, 1, 2)  # dual terms that are summed beside the first
_RIPPLE = -80.0  # log of a ripple of the moments that is left out: 1 + e^-80 is 1
# certifies: log of a dual term that is left out: four of them are a millionth of a unit of the first, or, where that is
# cancelled, of those that cancel it
_NOTHING = -48.0
_TURNED = 40.0  # certifies: times sigma^2, more than 4 pi^2: the largest exponent of a dual term that is not nothing
# certify: of the dual term next to a radius, relative, and of all others, of which the largest is e^{-2 pi^2 sigma^2}
_ROUNDED, _OTHERS = 1e-6, 1e-7


@dataclass(frozen=True, slots=True)
class DiscreteGaussianTransform(Transform):
    """A(w) of integers with mass proportional to e^{-x^2 / 2 sigma^2}, ``shift`` against 0; sigma >= 1.

    Examples
    --------
    >>> law = DiscreteGaussianTransform(2.0, 1)
    >>> bool(abs(law.moments(np.array([1.0])).log_a[0]) < 1e-14)  # P sums to 1
    True
    """

    sigma: float
    shift: int

    @staticmethod
    def serves(sigma: float) -> bool:
        """Whether a few dual terms suffice."""
        return sigma >= _LEAST

    @property
    def pitch(self) -> float:
        """Spacing of the losses; times omega, the imaginary part of y."""
        return self.shift / self.sigma**2

    @property
    def breadth(self) -> float:
        return self.sigma / self.shift

    def moments(self, w: FloatArray) -> Moments:
        y, s2 = w * self.pitch, self.sigma**2
        ripple = np.zeros((3, len(w)))
        for k in (k for k in (1, 2) if 2.0 * math.pi**2 * s2 * k * k < -_RIPPLE):
            size, turn = 2.0 * math.exp(-2.0 * math.pi**2 * s2 * k * k), 2.0 * math.pi * k * s2
            angle = np.remainder(turn * y, 2.0 * math.pi)
            ripple += size * np.stack([np.cos(angle), -turn * np.sin(angle), -(turn**2) * np.cos(angle)])
        whole = 1.0 + ripple[0]
        rise = ripple[1] / whole
        log_a = 0.5 * self.shift * self.pitch * w * (w - 1.0) + np.log1p(ripple[0]) - self._log_whole
        mean = self.pitch * (s2 * y + rise) - 0.5 * self.shift * self.pitch
        variance = self.pitch**2 * (s2 + ripple[2] / whole - rise**2)
        return Moments(log_a, mean, variance, np.full(len(w), math.inf))

    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        s2, a = self.sigma**2, w * self.pitch
        turn = omega * self.pitch
        r = turn - 2.0 * math.pi * np.rint(turn / (2.0 * math.pi))
        # the axis of a dual term lies pi |k| away
        reach = float(np.abs(r).max(initial=0.0))
        dual = [k for k in _DUAL if 2.0 * math.pi * abs(k) * s2 * (reach - math.pi * abs(k)) > _NOTHING]
        whole, size = np.ones(len(omega), complex), np.zeros(len(omega))
        for k in dual:
            log_size = 2.0 * math.pi * k * s2 * (r - math.pi * k)
            whole = whole + np.exp(log_size - 2j * math.pi * k * s2 * a)
            size += np.exp(log_size)
        modulus = np.maximum(np.abs(whole), TINY) if dual else np.ones(len(omega))
        # Theta has the period; the centre of the losses turns with all of omega
        centre = 0.5 * self.shift * self.pitch * (w + 1j * omega)
        log_a = 0.5 * s2 * (a + 1j * r) ** 2 - centre
        if dual:
            log_a += np.log(np.where(modulus > TINY, whole, TINY))
        # y is rounded: a relative error of A is that of y times |A' / A|, term by term
        moved = 4.0 * UNIT * (np.abs(turn) + abs(a) + 2.0 * math.pi)
        share = size / modulus
        error = moved * (s2 * (abs(a) + np.abs(r)) + 0.5 * self.shift + 4.0 * math.pi * s2 * share)
        # what evaluation rounds: the square, and the angles of the other terms
        error += 8.0 * UNIT * (s2 * (a * a + r * r) + 4.0 + share * (4.0 + _TURNED * s2 * (1.0 + abs(a))))
        return log_a - self._log_whole, error

    def log_bound(self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float) -> FloatArray:
        return self.moments(w).log_a + ROOM

    def log_share(self, radius: FloatArray) -> FloatArray:
        """Upper bounds on log |A(w + i omega) / A(w)|, any w, where omega pitch lies ``radius`` <= pi or more from
        every multiple of 2 pi.
        """
        s2 = self.sigma**2
        near = np.exp(2.0 * math.pi * s2 * (radius - math.pi)) * (1.0 + _ROUNDED)
        return -0.5 * s2 * radius**2 + np.log1p(near) + _OTHERS

    @property
    def _log_whole(self) -> float:
        """log of Theta(0) / (sigma sqrt(2 pi))."""
        return math.log1p(2.0 * math.exp(-2.0 * math.pi**2 * self.sigma**2))
