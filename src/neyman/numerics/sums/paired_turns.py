"""Sums sum_k w_k e^{-i eps k h} over places evenly apart, for a few eps: few turns make all, by products of matrices.

With k = a m + b, 0 <= b < m, e^{-i eps k h} = e^{-i eps h m a} e^{-i eps h b}: the sum over b is a product of the
matrix of weights and m turns, that over a one of what it gives and n/m turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import ROOM, UNIT
from neyman.numerics.sums.turns import cosine_and_sine

__all__ = ["PairedTurns"]

ComplexArray = NDArray[np.complexfloating[Any, Any]]

_NEAR = 64  # m
_TOGETHER = 8  # eps at a time
_ROWS = 64  # of a product: with the two above 32,768 terms, so few that BLAS starts no threads
_LEFT = 2.0**-46  # of the sum of moduli, of the first row: what is left out at the end, and counted
_ROUNDED = 240.0  # certifies: times UNIT and the sum of moduli (``PairedTurns``)


class PairedTurns:
    """Re sum_k w_k e^{-i eps k h} of one or more rows of complex ``weights``, at places k = 0, 1, ... up to 2^21, of
    which the first ``places`` are summed.

    ``error`` bounds, for each row, what its sums may be off at eps that are each moved by 2 units u = 2^-53 at most:
    m, a and k are integers, so that k h is a product of h, of which rounding takes one unit, and that with eps another.
    In units of u and of W = sum |w_k|:

    - a turn errs by ``TURNED`` in its cosine and in its sine, 5.7, and there are two: 11.4;
    - either part of a sum over b is one of 2m products, in whatever order: 2m = 128 of the sum of moduli, and both
      parts 181;
    - the real part of a product of two complex numbers takes 3 roundings: 3 of the modulus of both, with sqrt(2);
    - the sum over a, in pairs, of up to 2^15 terms: 27.

    All come to less than 225, and terms of second order to nothing. Beside them stands what the last of the weights
    come to, which are left out where they are hardly more than all this.

    Examples
    --------
    >>> paired = PairedTurns(0.5, np.array([[1.0, 0.0, 1.0 + 1.0j]]))
    >>> bool(np.allclose(paired.at(np.array([0.0, 2.0])), [[2.0, 1.0 + np.cos(2.0) + np.sin(2.0)]]))
    True
    """

    def __init__(self, spacing: float, weights: ComplexArray) -> None:
        size = np.abs(weights)
        beyond = np.cumsum(size[:, ::-1], axis=1)[:, ::-1]
        rows, count = len(weights), max(1, int(np.count_nonzero(beyond[0] > _LEFT * beyond[0, 0])))
        blocks = -(-count // (_NEAR * _ROWS))
        padded: ComplexArray = np.zeros((rows, blocks * _ROWS * _NEAR), complex)
        padded[:, :count] = weights[:, :count]
        self._weights = padded.reshape(rows, blocks, _ROWS, _NEAR)
        self._near, self._far = spacing * np.arange(_NEAR), spacing * (_NEAR * np.arange(blocks * _ROWS))
        left = beyond[:, count] * (1.0 + ROOM) if count < weights.shape[1] else 0.0
        self.error = _ROUNDED * UNIT * size.sum(axis=1) + left
        self.places = count

    def at(self, epsilon: FloatArray) -> FloatArray:
        """The sums at each ``epsilon``, a row for each row of weights."""
        rows, found = len(self._weights), np.empty((len(self._weights), len(epsilon)))
        for i in range(0, len(epsilon), _TOGETHER):
            some = epsilon[i : i + _TOGETHER]
            near: ComplexArray = np.empty((_NEAR, len(some)), complex)
            near.real, near.imag = cosine_and_sine(np.multiply.outer(self._near, some))
            summed = np.matmul(self._weights, near.conj()).reshape(rows, -1, len(some)).swapaxes(1, 2)
            cosine, sine = cosine_and_sine(np.multiply.outer(some, self._far))
            terms = np.multiply(summed.real, cosine, order="C")  # sums in pairs are those of neighbours in memory
            terms += summed.imag * sine
            found[:, i : i + _TOGETHER] = terms.sum(axis=2)
        return found
