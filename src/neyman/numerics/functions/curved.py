"""What is left of functions when their first order is taken away: e^a - 1 - a, log(1 + v) - v, e^{iu} - 1 - iu.

By series where the difference would cancel, each to 20 units of 2^-53 of its size or of its second order.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.sums.turns import ComplexArray, less_one

__all__ = ["curved_sum", "curved_units", "exp_curved", "log_curved"]

_NEAR, _NEAR_LOG = 0.5, 0.3  # up to which series are taken
_FACTORS = 1.0 / np.arange(15.0, 2.0, -1.0)  # of a Taylor series of 14 terms: 0.5^14 2 / 16! is left
# certifies (``curved_units``): of the series of sin u - u, of 8 terms: 0.5^16 6 / 19! of the first is left
_SQUARES = 1.0 / np.array([17.0 * 16.0, 15.0 * 14.0, 13.0 * 12.0, 11.0 * 10.0, 9.0 * 8.0, 7.0 * 6.0, 5.0 * 4.0])
_ODD = 1.0 / np.arange(23.0, 2.0, -2.0)  # of atanh, whose argument is at most 0.18: 0.18^22 is left
_MANY = 16  # frequencies from which it pays to multiply turns instead of computing each
_SAME = 2.0**-51  # relative: frequencies that are evenly apart, but for rounding
_ALONE = 1 << 15  # products of a matrix product: so few that BLAS starts no threads
_SUMS = 4, 8  # partial sums of partial sums, so that no product adds up more than a thirty-second of the terms


def exp_curved(a: FloatArray) -> FloatArray:
    """Return e^a - 1 - a.

    Examples
    --------
    >>> exp_curved(np.array([1e-10, 1.0])).tolist()
    [5.000000000166667e-21, 0.7182818284590453]
    """
    some = np.clip(a, -_NEAR, _NEAR)
    series = np.full(len(a), 1.0)
    for factor in _FACTORS:
        series = 1.0 + series * some * factor
    return np.where(some == a, 0.5 * some * some * series, np.expm1(a) - a)


def log_curved(v: FloatArray) -> FloatArray:
    """Return log(1 + v) - v, for v >= -1/2: with s = v / (2 + v), log(1 + v) = 2 atanh s and v = 2 s + s v, so that it
    is 2 (s^3/3 + s^5/5 + ...) - s v.

    Examples
    --------
    >>> log_curved(np.array([1e-10, 1.0])).tolist()
    [-4.999999999666667e-21, -0.3068528194400547]
    """
    some = np.clip(v, -_NEAR_LOG, _NEAR_LOG)
    s = some / (2.0 + some)
    square, series = s * s, np.zeros(len(v))
    for factor in _ODD:
        series = factor + square * series
    return np.where(some == v, s * (2.0 * square * series - some), np.log1p(v) - v)


def turn_curved(u: FloatArray) -> ComplexArray:
    """Return e^{iu} - 1 - iu, to 20 units of u^2 / 2.

    Examples
    --------
    >>> turn_curved(np.array([1e-10])).tolist()
    [(-5.0000000000000005e-21-1.6666666666666669e-31j)]
    """
    value: ComplexArray = np.empty(u.shape, complex)
    value.real, sine = less_one(u)
    value.imag = sine - u
    near = np.abs(u) < _NEAR
    some = u[near]
    square, series = some * some, np.full(len(some), 1.0)
    for factor in _SQUARES:
        series = 1.0 - series * square * factor
    value.imag[near] = some * square * series / -6.0
    return value


def curved_sum(omega: FloatArray, place: FloatArray, weight: FloatArray) -> ComplexArray:
    """sum weight (e^{i omega place} - 1 - i omega place) for each ``omega`` >= 0, ascending, to ``curved_units`` of
    sum |weight| min(u^2, 4 |u|), u = omega place.

    Where omega = a + b, few a and few b, g(u) = e^{iu} - 1 - iu has g(a + b) = g(a) + g(b) + (e^{ia} - 1)(e^{ib} - 1).

    Examples
    --------
    >>> curved_sum(np.array([0.0, 1e-10]), np.array([1.0]), np.array([2.0])).real.tolist()
    [0.0, -1.0000000000000001e-20]
    """
    spacing = (float(omega[-1]) - float(omega[0])) / max(len(omega) - 1, 1)
    if len(omega) < _MANY or not (np.abs(omega - (omega[0] + spacing * np.arange(len(omega)))) <= _SAME * omega).all():
        rows = max(1, _ALONE // len(place))
        turns = (omega[i : i + rows, None] * place for i in range(0, len(omega), rows))
        return np.concatenate([_weighed(turn_curved(turn), weight) for turn in turns])
    fine = math.isqrt(len(omega) - 1) + 1
    each = -(-len(place) // math.prod(_SUMS))
    near_turn, far_turn = np.multiply.outer(spacing * np.arange(fine), place), np.multiply.outer(omega[::fine], place)
    near, far = turn_curved(near_turn), turn_curved(far_turn)
    value = _weighed(far, weight)[:, None] + _weighed(near, weight)
    near.imag += near_turn  # e^{ib} - 1 again
    far.imag += far_turn
    far *= weight
    near, far = (_in_parts(table, each) for table in (near, far))
    rows = max(1, _ALONE // (fine * each))
    for i in range(0, len(value), rows):
        products = np.matmul(far[:, i : i + rows], near.transpose(0, 2, 1))
        value[i : i + rows] += products.reshape(*_SUMS, *products.shape[1:]).sum(axis=1).sum(axis=0)
    return value.ravel()[: len(omega)]


def curved_units(places: int) -> float:
    """Return how many units of 2^-53 a ``curved_sum`` of so many places may be off.

    Measured, like ``sum_units``: at least twice the largest error seen (``tests/numerics/test_curved.py``).

    Examples
    --------
    >>> curved_units(128)
    28.0
    """
    return 24.0 + places / 32.0


def _in_parts(table: ComplexArray, each: int) -> ComplexArray:
    """(turns, places) as (parts, turns, places of each)."""
    parts = math.prod(_SUMS)
    padded: ComplexArray = np.zeros((len(table), parts * each), complex)
    padded[:, : table.shape[1]] = table
    return padded.reshape(len(table), parts, each).transpose(1, 0, 2)


def _weighed(table: ComplexArray, weight: FloatArray) -> ComplexArray:
    """Sums of rows by ``weight``, in pairs, real and imaginary parts by themselves."""
    return np.multiply(table.real, weight).sum(axis=-1) + 1j * np.multiply(table.imag, weight).sum(axis=-1)
