"""Sums of e^{wS} along a ray of losses, and what a turn of w makes of them."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.transform import ComplexArray
from neyman.numerics.rounding import UNIT
from neyman.numerics.sums.turns import cosine_and_sine

__all__ = [
    "ROWS",
    "SERIES",
    "grown_sums",
    "last_alive",
    "log1p_less",
    "log_moments",
    "log_products",
    "steepness",
    "taylor",
]

ROWS = 1 << 15  # entries of a table: they stay in the cache, and products of few terms start no threads of BLAS
_UNSEEN = 60.0  # e-folds below the largest of a row: what is less is nothing beside a unit, but counted
_PRODUCT = 5.0 * UNIT  # certifies: of each term of a sum of four products and of their moduli, in whatever order
_DEAD = -80.0  # log of a term that no longer counts
SERIES = 0.1  # |z| below which log(1 + z) - z is summed as a series


def grown_sums(
    w: ComplexArray, s: ComplexArray, log_weight: ComplexArray, units: FloatArray
) -> tuple[ComplexArray, FloatArray]:
    """Row sums of e^{w s + log_weight}, and those of the moduli of all terms times each row of ``units``: where all
    ``s`` are real, weights are, too.
    """
    found: ComplexArray = np.empty(len(w), complex)
    sizes = np.empty((len(w), len(units)))
    tilts, turns = np.stack([w.real, -w.imag], axis=1), np.stack([w.imag, w.real], axis=1)
    parts, level, phase = np.stack([s.real, s.imag]), log_weight.real.copy(), log_weight.imag.copy()
    turned = bool(s.imag.any())
    if not turned:
        parts, tilts, turns = parts[:1], tilts[:, :1], turns[:, :1]
    rows = max(1, ROWS // max(len(s), 1))
    room = np.empty((5, min(rows, len(w)), len(s)))
    for i in range(0, len(w), rows):
        here = slice(i, min(i + rows, len(w)))
        size, turn, *other = room[:, : here.stop - i]
        np.matmul(tilts[here], parts, out=size)
        size += level
        np.exp(size, out=size)
        np.matmul(turns[here], parts, out=turn)
        if turned:
            turn += phase
        cosine, sine = cosine_and_sine(turn, (other[0], other[1], other[2]))
        cosine *= size
        sine *= size
        found.real[here], found.imag[here] = cosine.sum(axis=1), sine.sum(axis=1)
        np.matmul(size, units.T, out=sizes[here])
    return found, sizes


def log1p_less(z: ComplexArray) -> ComplexArray:
    """log(1 + z) - z for |z| < ``SERIES``, within 4 units of |z|^2."""
    series = np.zeros(len(z), complex)
    for order in range(18, 1, -1):
        series = (1.0 / order) * (-1.0) ** (order + 1) + z * series
    return z * z * series


def last_alive(w: ComplexArray, real: FloatArray, imag: FloatArray, level: FloatArray) -> int:
    """How many losses it takes to hold all whose |e^{wS + level}| counts for any w; neither of their parts is negative.

    So no w raises a term above what the largest real and the least imaginary part do, rounded as it is: each is looked
    at only up to where that counts.
    """
    most = np.flatnonzero(w.real.max() * real - w.imag.min() * imag + level >= _DEAD)
    upto = int(most[-1]) + 1 if len(most) else 0
    height = np.multiply.outer(w.real, real[:upto])
    height -= np.multiply.outer(w.imag, imag[:upto])
    counted = np.flatnonzero(height.max(axis=0) + level[:upto] >= _DEAD)
    return int(counted[-1]) + 1 if len(counted) else 0


def taylor(w: ComplexArray, powers: ComplexArray) -> ComplexArray:
    """The sum over k >= 2 of w^{k-1} / k! times row k - 2 of ``powers``, a column for each w."""
    series: ComplexArray = np.zeros(len(w), complex)
    parts = series.view(np.float64)
    for order in range(len(powers) + 1, 1, -1):
        series += powers[order - 2]
        series *= w
        parts *= 1.0 / order  # as a quotient of complex numbers comes to, for a fraction of its time
    return series


def steepness(w: ComplexArray, low: float, high: float) -> FloatArray:
    """The largest Re(w e^{i alpha}) for alpha between two angles less than pi apart, rounded up."""
    ends = np.maximum((w * np.exp(1j * low)).real, (w * np.exp(1j * high)).real)
    middle = (w * np.exp(0.5j * (low + high))).real
    within = (middle >= 0.0) & (middle >= np.abs(w) * math.cos(0.5 * (high - low)))
    return np.where(within, np.abs(w), ends) + 8.0 * UNIT * np.abs(w)


def log_moments(w: ComplexArray, loss: ComplexArray, log_weight: FloatArray, raised: float = 0.0) -> FloatArray:
    """log of the sum of the moduli |e^{w loss + log_weight}|, for each w; inf where it is no float.

    Of |w loss|, so much more is counted as ``raised`` says, and for a product of four terms in whatever order.
    """
    length = np.abs(loss)
    parts = np.stack([loss.real, loss.imag, (raised + _PRODUCT) * length, log_weight + _PRODUCT * np.abs(log_weight)])
    return log_products(np.stack([w.real, -w.imag, np.abs(w), np.ones(len(w))], axis=1), parts)


def log_products(tilts: FloatArray, parts: FloatArray) -> FloatArray:
    """log of the sum of e^x over each row x of the product of two matrices, inf where it is no float."""
    out = np.empty(len(tilts))
    rows = max(1, ROWS // parts.shape[1])
    room = np.empty((min(rows, len(tilts)), parts.shape[1]))
    for i in range(0, len(tilts), rows):
        some = tilts[i : i + rows]
        a = np.matmul(some, parts, out=room[: len(some)])
        peak = a.max(axis=1)
        finite = np.isfinite(peak)
        known = np.where(finite, peak, 0.0)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            a -= known[:, None]
            seen = np.flatnonzero(~(a.max(axis=0) < -_UNSEEN))
            a = a[:, seen[0] : seen[-1] + 1] if len(seen) else a
            total = np.log(np.exp(a, out=a).sum(axis=1) + parts.shape[1] * math.exp(-_UNSEEN))
        out[i : i + rows] = np.where(finite, known + total, math.inf)
    return out
