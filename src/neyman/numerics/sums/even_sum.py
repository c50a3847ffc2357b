"""Sums sum_k w_k e^{-i eps k h} over places evenly apart, for very many eps: one FFT, read between its points.

The sum is a trigonometric polynomial in eps. With M points in a period and x = eps h M / (2 pi), and the Gaussian
phi(x) = e^{-x^2 / 2 s^2} / (s sqrt(2 pi)), whose transform is e^{-2 pi^2 s^2 xi^2},

    sum_l G(l) phi(x - l),      G(l) = sum_k w_k e^{2 pi^2 s^2 (k / M)^2} e^{-2 pi i k l / M},

is by Poisson's formula the sum over k of w_k e^{-i eps k h} (1 + a_k), a_k the sum over r != 0 of
e^{-2 pi^2 s^2 (r^2 + 2 r k / M)} e^{2 pi i r x}.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT

__all__ = ["EvenSum", "table_size"]

_SPREAD = 1.9  # s
_TURNS = 0.15915494309189535  # certifies: 1 / (2 pi), within a unit
_BESIDE = 16  # points on either side that are read
_FINE = 4  # points of the table for each place, at least
_POINT, _ASKED = 40.0, 800.0  # nominal nanoseconds for each point of a table that is made; for each eps
_FFT = 6.0  # certifies: times UNIT log2 M, beside the sum of sizes, what rounding does to a transform (``EvenSum``)
_READ = 64.0  # certifies: times UNIT, beside the same, what all else comes to
_CHUNK = 1 << 12  # eps at a time


def table_size(last: int) -> int:
    """Points of the table for places up to k = ``last``: a power of two.

    Examples
    --------
    >>> table_size(100)
    512
    """
    return 1 << math.ceil(math.log2(_FINE * (last + 1)))


class EvenSum:
    """Re sum_k w_k e^{-i eps k h}, of ``places`` k >= 0 (integers, rising) with their ``weights`` w (complex).

    ``error`` bounds what the sum may be off, at the eps whose x is what it is rounded to: eps is moved by less than 4
    units u = 2^-53 of it. With W = sum |w_k|, V = sum |w_k| e^{2 pi^2 s^2 (k / M)^2} >= W, k / M <= 1/4 and s = 1.9:

    - aliases (r != 0) come to at most 1.001 e^{-pi^2 s^2} W < 4 u W;
    - points that are not read, 16 and more away, to 2 phi(16) / (1 - e^{-16 / s^2}) V < 2 u V;
    - the transform is log2 M / 2 stages in which four numbers are added in pairs and multiplied by a turn (the places
      are padded to a power of two): an error made in one of them, at most 6 u each of the sum of sizes of what it is
      made of, reaches each G(l) with a factor of modulus 1, so that all come to ``_FFT`` / 2 u V a stage, and twice
      that is taken;
    - weights: an exponent of at most 4.5 and its exponential, 12 u V;
    - phi: its exponent d^2 / 2 s^2, of a d within u |d|, is within 3 u of it, d^2 / s^2 has mean 1 under phi, and
      exponential and factor add 4 u: 6 u V;
    - 32 products and their sum, in whatever order: 33 u V.

    Examples
    --------
    >>> found, _ = EvenSum(0.5, np.array([0, 2]), np.array([1.0, 1.0 + 1.0j])).at(np.array([0.0, 2.0]))
    >>> bool(np.allclose(found, [2.0, 1.0 + np.cos(2.0) + np.sin(2.0)]))
    True
    """

    def __init__(
        self, spacing: float, places: NDArray[np.int64], weights: NDArray[np.complexfloating[Any, Any]]
    ) -> None:
        from scipy import fft

        size = table_size(int(places[-1]))
        lifted = weights * np.exp(2.0 * (math.pi * _SPREAD / size) ** 2 * places.astype(np.float64) ** 2)
        spectrum = np.zeros(size // 2 + 1, dtype=np.complex128)
        # a real sum is half of this and half of its mirror image, but for the place 0, which is its own
        spectrum[places] = 0.5 * size * np.conj(lifted)
        spectrum[0] = 2.0 * spectrum[0].real
        self._table = np.asarray(fft.irfft(spectrum, size, overwrite_x=True), dtype=np.float64)
        self._scale = spacing * (size * _TURNS)
        self.error = (_FFT * math.log2(size) + _READ) * UNIT * float(np.abs(lifted).sum())

    @staticmethod
    def labour(last: int, many: int) -> float:
        """Nominal nanoseconds that it takes to make one of places up to k = ``last``, and to ask it ``many`` eps."""
        return _POINT * table_size(last) + _ASKED * many

    def at(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The sum at each ``epsilon`` >= 0, and its derivative, which is not certified; NaN where x is no float."""
        value, rise, size = np.empty(len(epsilon)), np.empty(len(epsilon)), len(self._table)
        beside = np.arange(1 - _BESIDE, 1 + _BESIDE)
        for i in range(0, len(epsilon), _CHUNK):
            with np.errstate(over="ignore", invalid="ignore"):  # what is no float any more is no number here
                x = self._scale * epsilon[i : i + _CHUNK]
                first = np.floor(x)
                apart = (x - first)[:, None] - beside
                place = np.where(x < np.inf, np.mod(first, size), 0.0).astype(np.int64)  # exact, and in no time
            near = self._table.take((place[:, None] + beside) & (size - 1))
            near *= np.exp(-0.5 * (apart / _SPREAD) ** 2) * (1.0 / (_SPREAD * math.sqrt(2.0 * math.pi)))
            value[i : i + _CHUNK] = near.sum(axis=1)
            rise[i : i + _CHUNK] = -np.einsum("ij,ij->i", near, apart) * (self._scale / _SPREAD**2)
        return value, rise
