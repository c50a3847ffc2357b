"""Powers of convolution of non-negative sequences by FFT, and discounted suffix sums, both with rounding bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import UNIT

__all__ = ["Convolution", "convolve_cyclic", "discounted_suffix", "good_size", "suffix_rounding"]

_FFT = 6.0  # times UNIT log2(n): relative 2-norm error of one transform (mixed radix, twiddles right to the last bit)
_TINY = 1e-40  # spectrum below this is set to zero: it is far under the rounding error and would only be slow
_BLOCK = 4096  # values discounted together at most: steers, ``suffix_rounding`` counts with it


@dataclass(frozen=True, slots=True)
class Convolution:
    """``values[j]`` of the cyclic convolution, for j = start .. start + size; ``error`` bounds its 2-norm error."""

    values: FloatArray
    start: int
    error: float


def convolve_cyclic(
    sequences: Sequence[FloatArray], offsets: Sequence[int], counts: Sequence[int], start: int, size: int
) -> Convolution:
    """Convolve ``sequences[i]`` (>= 0, sum 1, first element at ``offsets[i]``) ``counts[i]`` times, modulo ``size``.

    What lies outside ``start .. start + size`` is folded in, not lost: the values are those of the true convolution
    plus its aliases, up to ``error``.

    Examples
    --------
    >>> fair = np.array([0.5, 0.5])
    >>> convolve_cyclic([fair], [0], [2], 0, 4).values.round(6)
    array([0.25, 0.5 , 0.25, 0.  ])
    """
    from scipy import fft

    spectrum: NDArray[np.complex128] | None = None
    norm, log_growth = 0.0, 0.0
    for sequence, offset, count in zip(sequences, offsets, counts, strict=True):
        folded = _fold(sequence, offset, size)
        norm += count * _norm(folded)
        factor = np.asarray(fft.rfft(folded), dtype=np.complex128)
        log_growth += count * max(0.0, math.log(abs(complex(factor[0])) + 4.0 * UNIT))
        power = _power(factor, count)
        spectrum = power if spectrum is None else np.multiply(spectrum, power, out=spectrum)
    if spectrum is None:
        raise ValueError("at least one sequence is needed")
    spectrum[np.maximum(np.abs(spectrum.real), np.abs(spectrum.imag)) < _TINY] = 0.0
    values = np.asarray(fft.irfft(spectrum, size), dtype=np.float64)
    own = _norm(values)
    rounding = _FFT * UNIT * math.log2(max(size, 2)) * (norm + own) + 3.0 * UNIT * sum(counts) * own
    error = 1.05 * rounding * math.exp(log_growth) + 2.0 * _TINY
    values = np.roll(values, -(start % size))
    np.maximum(values, 0.0, out=values)  # the truth is not negative, so this only brings the values nearer to it
    return Convolution(values, start, error)


def _norm(values: FloatArray) -> float:
    """The 2-norm, without the threads that BLAS would start."""
    return math.sqrt(float(np.sum(np.square(values))))


def good_size(least: int) -> int:
    """The next length not below ``least`` whose transform is fast."""
    from scipy import fft

    return int(fft.next_fast_len(least, real=True))


def discounted_suffix(values: FloatArray, rate: float) -> FloatArray:
    """S_j = sum over i >= j of values_i e^{-rate (i - j)}, for rate >= 0 and non-negative values.

    No term overflows whatever the length; ``suffix_rounding`` bounds the relative error.

    Examples
    --------
    >>> discounted_suffix(np.ones(3), 0.0)
    array([3., 2., 1.])
    """
    n = len(values)
    block = int(min(_BLOCK, max(1.0, 30.0 / rate if rate > 0.0 else _BLOCK), n))
    rows = -(-n // block)
    padded = np.zeros(rows * block)
    padded[:n] = values
    discount = np.exp(-rate * np.arange(block))
    table = padded.reshape(rows, block)
    table *= discount
    table[:] = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
    heads = table[:, 0].tolist()
    step = math.exp(-rate * block)
    carry = np.empty(rows)
    tail = 0.0
    for row in range(rows - 1, -1, -1):
        carry[row] = tail
        tail = heads[row] + step * tail
    table += (step * carry)[:, None]
    table /= discount
    return padded[:n]


def suffix_rounding(n: int, rate: float) -> float:
    """Relative error bound of ``discounted_suffix`` for ``n`` values."""
    block = min(_BLOCK, max(1.0, 30.0 / rate if rate > 0.0 else _BLOCK), n)
    effective = n / block if rate == 0.0 else min(n / block, 60.0 / (rate * block) + 2.0)
    return 2.0 * UNIT * (block + effective + 64.0)


def _fold(sequence: FloatArray, offset: int, size: int) -> FloatArray:
    start = offset % size
    rows = -(-(start + len(sequence)) // size)
    padded = np.zeros(rows * size)
    padded[start : start + len(sequence)] = sequence
    return padded if rows == 1 else padded.reshape(rows, size).sum(axis=0)


def _power(factor: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """factor ** count by squaring; at most ``count`` roundings of 3 UNIT each compound."""
    result: NDArray[np.complex128] | None = None
    square = factor
    while True:
        if count & 1:
            result = square.copy() if result is None else np.multiply(result, square, out=result)
        count >>= 1
        if not count:
            break
        square = square * square
    if result is None:
        raise ValueError("count must be at least 1")
    return result
