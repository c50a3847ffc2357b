"""Composed laws on lattices as they are read: sums over what lies beyond each eps, of many lattices at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import SECOND_ORDER, TINY, UNIT
from neyman.numerics.sums.tilted_fft import suffix_rounding

__all__ = ["Side", "Sides"]


@dataclass(frozen=True, slots=True)
class Side:
    """One composed law: suffix sums under the tilt, and what rounding and wrap-around may have done to them; its
    first point and spacing.
    """

    plain: FloatArray  # sum over l >= l_j of w e^{-c (l - l_j)}
    growth: FloatArray  # the same of w e^{-c (l - l_j)} (1 - e^{-(l - l_j)})
    log_norm: float
    noise: float
    outside: float
    relative: float
    first: float
    h: float
    c: float

    @property
    def peak(self) -> float:
        """The largest of the weights e^{-c x} (1 - e^{-x})."""
        c = self.c
        return math.exp(c * math.log(c) - (c + 1.0) * math.log1p(c)) if c > 0.0 else 1.0

    @property
    def square(self) -> float:
        """The sum of their squares over the points, at most."""
        c, n = self.c, float(len(self.plain))
        return min(n, (0.5 / (c * (2.0 * c + 1.0) * (c + 1.0))) / self.h + 2.0 * self.peak**2) if c > 0.0 else n

    @property
    def rounding(self) -> float:
        """Relative, of the sums and of what they are multiplied with."""
        rate = self.c * self.h
        return self.relative + 2.0 * suffix_rounding(len(self.plain), rate) + 8.0 * UNIT * (8.0 + rate)


class Sides:
    """Several of them, each read as a bound from above (``sign`` 1) or from below (-1).

    Examples
    --------
    >>> import numpy as np
    >>> one = Side(np.array([0.6, 0.4]), np.array([0.0, 0.0]), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    >>> low, high = Sides([one, one], [-1.0, 1.0]).sums(np.array([[-0.5], [-0.5]]))[:, 0]
    >>> bool(low < 0.6 * (1.0 - np.exp(-0.5)) < high)
    True
    """

    def __init__(self, sides: Sequence[Side], signs: Sequence[float]) -> None:
        self._sides = sides
        rows = [
            (one.first, one.h, len(one.plain), one.c, one.log_norm, one.noise, one.square, one.rounding,
             one.peak * one.outside, sign)
            for one, sign in zip(sides, signs, strict=True)
        ]  # fmt: skip
        columns = np.array(rows).T[:, :, None]
        self._first, self._h, self._points, self._c, self._log_norm, self._noise = columns[:6]
        square, self._rounding, self._outside, self._sign = columns[6:]
        self._norm = np.sqrt(square)
        self._unseen = self._log_norm[:, 0] == -math.inf
        self._size = np.abs(self._log_norm)
        self._least = np.where(self._sign > 0.0, TINY, 0.0)

    def located(self, epsilon: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
        """The first point of each above each eps (one row for each), and its distance."""
        first, h = self._first, self._h
        off = np.minimum(np.maximum(epsilon - first, -h), (self._points + 1.0) * h)
        j = np.minimum(np.maximum(np.floor(off / h) + 1.0, 0.0), self._points)
        return j.astype(np.int64), np.maximum(first + j * h - epsilon, 0.0)

    def sums(self, epsilon: FloatArray) -> FloatArray:
        """Bounds on the sum over l > eps of p (1 - e^{eps - l}) of each at its row of ``epsilon``."""
        j, distance = self.located(epsilon)
        ahead = self._points - j
        at = np.where(ahead > 0.0, j, 0)
        plain, growth = np.empty(epsilon.shape), np.empty(epsilon.shape)
        for row, one in enumerate(self._sides):
            np.take(one.plain, at[row], out=plain[row], mode="clip")
            np.take(one.growth, at[row], out=growth[row], mode="clip")
        core = -np.expm1(-distance) * plain + np.exp(-distance) * growth
        core = np.where(ahead > 0.0, core * np.exp(-self._c * distance), 0.0)  # relative to Z e^{-c eps}
        # the 2-norm of the weights e^{-c x} (1 - e^{-x}) up to the end of the window, where none is above 1 - e^{-x}
        ahead = np.maximum(ahead, 1.0)
        norm = np.sqrt(ahead) * -np.expm1(-(ahead * self._h + distance)) * (1.0 + 8.0 * UNIT)
        spread = np.minimum(self._norm, norm) * self._noise + self._outside
        off = 8.0 * UNIT * (self._size + self._c * np.abs(epsilon) + 1.0) + self._rounding
        value = np.maximum(core + self._sign * spread, 0.0)
        with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
            log_value = np.log(value) + (self._log_norm - self._c * epsilon) + self._sign * SECOND_ORDER * off
            found = np.exp(np.minimum(log_value, 1.0)) + self._least
        if self._unseen.any():  # nothing was seen: nothing is known
            found[self._unseen] = np.where(self._sign[self._unseen] > 0.0, 1.0, 0.0)
        return found
