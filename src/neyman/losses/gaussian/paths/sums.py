"""Sums of e^{wS} along a ray of losses, and what a turn of w makes of them."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.transform import ComplexArray
from neyman.numerics.rounding import UNIT
from neyman.numerics.turns import cosine_and_sine

__all__ = ["ROWS", "SERIES", "grown_sums", "log1p_less", "log_moments", "steepness"]

ROWS = 1 << 16  # entries of a table that stays in the cache
SERIES = 0.1  # |z| below which log(1 + z) - z is summed as a series


def grown_sums(w: ComplexArray, s: ComplexArray, log_weight: ComplexArray) -> tuple[ComplexArray, FloatArray]:
    """Row sums of e^{w s + log_weight}, and the moduli of all terms: where all ``s`` are real, weights are, too."""
    turn, size = np.multiply.outer(w.imag, s.real), np.multiply.outer(w.real, s.real)
    if s.imag.any():
        turn += np.multiply.outer(w.real, s.imag)
        turn += log_weight.imag
        size -= np.multiply.outer(w.imag, s.imag)
    size += log_weight.real
    np.exp(size, out=size)
    cosine, sine = cosine_and_sine(turn)
    cosine *= size
    sine *= size
    return cosine.sum(axis=1) + 1j * sine.sum(axis=1), size


def log1p_less(z: ComplexArray) -> ComplexArray:
    """log(1 + z) - z for |z| < ``SERIES``, within 4 units of |z|^2."""
    series = np.zeros(len(z), complex)
    for order in range(18, 1, -1):
        series = (1.0 / order) * (-1.0) ** (order + 1) + z * series
    return z * z * series


def steepness(w: ComplexArray, low: float, high: float) -> FloatArray:
    """The largest Re(w e^{i alpha}) for alpha between two angles less than pi apart, rounded up."""
    ends = np.maximum((w * np.exp(1j * low)).real, (w * np.exp(1j * high)).real)
    middle = (w * np.exp(0.5j * (low + high))).real
    within = (middle >= 0.0) & (middle >= np.abs(w) * math.cos(0.5 * (high - low)))
    return np.where(within, np.abs(w), ends) + 8.0 * UNIT * np.abs(w)


def log_moments(w: ComplexArray, loss: ComplexArray, log_weight: FloatArray, raised: float = 0.0) -> FloatArray:
    """log of the sum of the moduli |e^{w loss + log_weight}|, for each w; inf where it is no float.

    Of |w loss|, so much more is counted as ``raised`` says.
    """
    out = np.empty(len(w))
    rows = max(1, ROWS // len(loss))
    more = raised * np.abs(loss)
    for i in range(0, len(w), rows):
        part = w[i : i + rows]
        a = np.multiply.outer(part.real, loss.real) - np.multiply.outer(part.imag, loss.imag) + log_weight
        if raised:
            a += np.multiply.outer(np.abs(part), more)
        peak = a.max(axis=1)
        finite = np.isfinite(peak)
        known = np.where(finite, peak, 0.0)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            total = np.log(np.exp(a - known[:, None]).sum(axis=1))
        out[i : i + rows] = np.where(finite, known + total, math.inf)
    return out
