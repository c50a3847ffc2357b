"""What is left of functions when their first order is taken away: e^a - 1 - a, log(1 + v) - v, e^{iu} - 1 - iu.

By series where the difference would cancel, each to 20 units of 2^-53 of its size or of its second order.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.sums.turns import ComplexArray, less_one

__all__ = ["curved_sum", "curved_units", "exp_curved", "exp_less", "log_curved", "turn_curved"]

_NEAR, _NEAR_LOG = 0.5, 0.3  # up to which series are taken
_FACTORS = (1.0 / np.arange(15.0, 2.0, -1.0)).tolist()  # of a Taylor series of 14 terms: 0.5^14 2 / 16! is left
# certifies (``curved_units``): of the series of sin u - u, of 8 terms: 0.5^16 6 / 19! of the first is left
_SQUARES = 1.0 / np.array([17.0 * 16.0, 15.0 * 14.0, 13.0 * 12.0, 11.0 * 10.0, 9.0 * 8.0, 7.0 * 6.0, 5.0 * 4.0])
_ODD = (1.0 / np.arange(23.0, 2.0, -2.0)).tolist()  # of atanh, whose argument is at most 0.18: 0.18^22 is left
_MANY = 16  # frequencies from which it pays to multiply turns instead of computing each
_SAME = 2.0**-51  # relative: frequencies that are evenly apart, but for rounding
_ALONE = 1 << 15  # products of a matrix product: so few that BLAS starts no threads
_ENTRIES = 1 << 13  # of a table: of larger ones memory is taken from the system and given back each time
_SUMS = 4, 8  # partial sums of partial sums, so that no product adds up more than a thirty-second of the terms


def exp_less(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return e^a - 1, and e^a - 1 - a.

    Examples
    --------
    >>> less, curved = exp_less(np.array([-40.0, 1e-10]))
    >>> less.tolist(), curved.tolist()
    ([-1.0, 1.00000000005e-10], [39.0, 5.000000000166667e-21])
    """
    far = np.abs(a) > _NEAR
    some = np.where(far, 0.0, a)
    series = some * _FACTORS[0]
    series += 1.0
    for factor in _FACTORS[1:]:
        series *= some
        series *= factor
        series += 1.0
    some *= some
    some *= 0.5
    series *= some
    less = series + a
    if np.any(far):
        less[far] = np.expm1(a[far])
        series[far] = less[far] - a[far]
    return less, series


def exp_curved(a: FloatArray) -> FloatArray:
    """Return e^a - 1 - a.

    Examples
    --------
    >>> exp_curved(np.array([1e-10, 1.0])).tolist()
    [5.000000000166667e-21, 0.7182818284590451]
    """
    return exp_less(a)[1]


def log_curved(v: FloatArray) -> FloatArray:
    """Return log(1 + v) - v, for v >= -1/2: with s = v / (2 + v), log(1 + v) = 2 atanh s and v = 2 s + s v, so that it
    is 2 (s^3/3 + s^5/5 + ...) - s v.

    Examples
    --------
    >>> log_curved(np.array([1e-10, 1.0])).tolist()
    [-4.999999999666667e-21, -0.3068528194400547]
    """
    some = np.minimum(np.maximum(v, -_NEAR_LOG), _NEAR_LOG)
    s = some / (2.0 + some)
    square, series = s * s, np.zeros(np.shape(v))
    for factor in _ODD:
        series *= square
        series += factor
    return np.where(some == v, s * (2.0 * square * series - some), np.log1p(v) - v)


def turn_curved(u: FloatArray) -> ComplexArray:
    """Return e^{iu} - 1 - iu, to 20 units of u^2 / 2.

    Examples
    --------
    >>> turn_curved(np.array([1e-10])).tolist()
    [(-5.0000000000000005e-21-1.6666666666666669e-31j)]
    """
    value: ComplexArray = np.empty(u.shape, complex)
    value.real, value.imag = _parts_of(u)
    return value


def _parts_of(u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Its real and imaginary parts."""
    real, imag = less_one(u)
    imag -= u
    near = np.abs(u) < _NEAR
    some = u[near]
    square, series = some * some, np.ones(len(some))
    for factor in _SQUARES:
        series *= square
        series *= factor
        np.subtract(1.0, series, out=series)
    imag[near] = some * square * series / -6.0
    return real, imag


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
        return np.concatenate([_weighed(_parts_of(turn), weight) for turn in turns])
    fine = math.isqrt(len(omega) - 1) + 1
    sums, table, each = _tables(np.concatenate([spacing * np.arange(fine), omega[::fine]]), place, weight)
    value = sums[fine:, None] + sums[:fine]
    table[fine:, : len(place)] *= weight
    parts = table.reshape(len(table), -1, each).transpose(1, 0, 2)
    near, far = parts[:, :fine].transpose(0, 2, 1), parts[:, fine:]
    rows = max(1, _ALONE // (fine * each))
    for i in range(0, len(value), rows):
        products = np.matmul(far[:, i : i + rows], near)
        value[i : i + rows] += products.reshape(*_SUMS, *products.shape[1:]).sum(axis=1).sum(axis=0)
    return value.ravel()[: len(omega)]


def _tables(omega: FloatArray, place: FloatArray, weight: FloatArray) -> tuple[ComplexArray, ComplexArray, int]:
    """For each ``omega`` the sum over all places; e^{iu} - 1 at each of them, with zeros behind, so that they are as
    many partial sums of as many places, and how many these are.
    """
    each = -(-len(place) // math.prod(_SUMS))
    sums: ComplexArray = np.empty(len(omega), complex)
    table: ComplexArray = np.zeros((len(omega), math.prod(_SUMS) * each), complex)
    rows = max(1, _ENTRIES // len(place))
    for i in range(0, len(omega), rows):
        turn = np.multiply.outer(omega[i : i + rows], place)
        real, imag = _parts_of(turn)
        sums[i : i + rows] = _weighed((real, imag), weight)
        imag += turn  # e^{iu} - 1 again
        table.real[i : i + rows, : len(place)] = real
        table.imag[i : i + rows, : len(place)] = imag
    return sums, table, each


def curved_units(places: int) -> float:
    """Return how many units of 2^-53 a ``curved_sum`` of so many places may be off.

    Measured, like ``sum_units``: at least twice the largest error seen (``tests/numerics/test_curved.py``).

    Examples
    --------
    >>> curved_units(128)
    28.0
    """
    return 24.0 + places / 32.0


def _weighed(parts: tuple[FloatArray, FloatArray], weight: FloatArray) -> ComplexArray:
    """Sums of rows by ``weight``, in pairs, real and imaginary parts by themselves."""
    real, imag = parts
    return np.multiply(real, weight).sum(axis=-1) + 1j * np.multiply(imag, weight).sum(axis=-1)
