"""Sums sum_x weight(x) e^{i omega place(x)} for many omega: a characteristic function on a grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.functions.few import every
from neyman.numerics.rounding import UNIT
from neyman.numerics.sums.turns import cosine_and_sine, grown, grown_less_one, less_one

__all__ = ["sum_units", "turned_sum", "turned_sums"]

ComplexArray = NDArray[np.complexfloating[Any, Any]]

_CHUNK = 1 << 13  # entries of a matrix beside a vector
_ALONE = 1 << 15  # products of a matrix product: so few that BLAS starts no threads, which wait where cores are busy
_MANY = 16  # omega from which it pays to multiply turns instead of computing each
_FEWER = 1 << 12  # turns in all up to which it does not
_RUN = 64  # omega from which it pays to look for a stretch that is evenly spaced
_WIDE = 1 << 17  # entries of the table of few turns
_SUMS = 8  # partial sums, so that no sum has more than an eighth of the terms
_TURNS = 5  # of so many times as many a product of two costs less than each by itself
_SAME = 4.0 * UNIT  # certifies (``sum_units``), relative: omega that are moved by no more to be evenly apart


def turned_sum(omega: FloatArray, place: Any, weight: Any, one: bool) -> ComplexArray:
    """sum weight e^{i omega place} (``one``), or sum weight (e^{i omega place} - 1) without cancellation, for each
    ``omega``.

    ``omega`` >= 0 and ascending, Im ``place`` >= 0. Both terms and sums are rounded by at most ``sum_units`` 2^-53 of
    sum |weight| omega |place|, and of sum |weight| where ``one``.
    """
    many, length = len(omega), len(place)
    if many >= _MANY and many * length > _FEWER:
        value = _along_even(omega, place, weight, one)
        if value is not None:
            return value
    if many >= _RUN and many * length > _FEWER:
        first, last = _longest_run(omega)
        run = _along_even(omega[first:last], place, weight, one) if last - first >= many // 4 else None
        if run is not None:
            before = turned_sum(omega[:first], place, weight, one)
            return np.concatenate([before, run, turned_sum(omega[last:], place, weight, one)])
    rows = max(1, _CHUNK // (2 * length))
    if many <= rows:
        return _weighed(np.multiply.outer(omega, place), weight, one)
    value = np.empty(many, complex)
    for i in range(0, many, rows):
        value[i : i + rows] = _weighed(np.multiply.outer(omega[i : i + rows], place), weight, one)
    return value


def sum_units(places: int) -> float:
    """Return how many units of 2^-53 a sum of so many places may be off.

    Measured, like the functions of ``numerics/rounding``: at least twice the largest error seen, since no order is
    known in which BLAS adds (``tests/numerics/test_turned_sum.py``).

    Examples
    --------
    >>> sum_units(128)
    32.0
    """
    return 16.0 + places / 8.0


def _along_even(omega: FloatArray, place: Any, weight: Any, one: bool) -> ComplexArray | None:
    """The same; None where ``omega`` are not evenly spaced."""
    spacing = (omega[-1] - omega[0]) / (len(omega) - 1)
    even = omega[0] + spacing * np.arange(len(omega))
    return _evenly_turned(even, spacing, place, weight, one) if every(np.abs(omega - even) <= _SAME * omega) else None


def _longest_run(omega: FloatArray) -> tuple[int, int]:
    """Where those begin and end that may be evenly spaced, if a good part of the later ones are."""
    steps = np.diff(omega)
    usual = steps[(3 * len(steps)) // 4]
    odd = np.flatnonzero(~(np.abs(steps - usual) <= 1e-9 * usual + _SAME * omega[1:]))
    ends = np.concatenate([[-1], odd, [len(steps)]])
    longest = int(np.argmax(np.diff(ends)))
    return int(ends[longest]) + 1, int(ends[longest + 1]) + 1


def _evenly_turned(omega: FloatArray, spacing: float, place: Any, weight: Any, one: bool) -> ComplexArray:
    """e^{i (a + b)} - 1 = (e^{ia} - 1) + e^{ia} (e^{ib} - 1): few turns a and few turns b give all, by a matrix
    product; and of those again many by the products of fewer.
    """
    fine = min(math.isqrt(len(omega) - 1) + 1, max(8, _WIDE // len(place)))
    near = _steps(spacing, fine, place, one)
    value: ComplexArray = np.empty((-(-len(omega) // fine), fine), complex)
    each = -(-len(place) // _SUMS)
    padded = np.zeros((fine, _SUMS * each), complex)
    padded[:, : len(place)] = near
    near = padded.reshape(fine, _SUMS, each).transpose(1, 2, 0)
    rows = max(1, min(_CHUNK // (2 * len(place)), _ALONE // (fine * each)))
    further = _steps(fine * spacing, rows, place, one) if _TURNS < rows < len(value) else None
    for i in range(0, len(value), rows):
        starts = omega[i * fine : (i + rows) * fine : fine]
        if further is None:
            far = _turned(np.multiply.outer(starts, place), one)
        else:
            far = _both(_turned(starts[:1, None] * place, one), further[: len(starts)], one)
        weighed = np.zeros((len(far), _SUMS * each), complex)
        weighed[:, : len(place)] = (far if one else 1.0 + far) * weight
        products = np.matmul(weighed.reshape(len(far), _SUMS, each).transpose(1, 0, 2), near)
        np.add.reduce(products, axis=0, out=value[i : i + rows])
        if not one:
            alone = far * weight
            value[i : i + rows] += _of_parts(alone.real, alone.imag)[:, None]
    return value.ravel()[: len(omega)]


def _steps(spacing: float, count: int, place: Any, one: bool) -> ComplexArray:
    """The turns of 0, 1, ... steps: of many, products of a few with a few."""
    if count < _TURNS**2:
        return _turned(np.multiply.outer(spacing * np.arange(count), place), one)
    few = math.isqrt(count - 1) + 1
    near = _turned(np.multiply.outer(spacing * np.arange(few), place), one)
    far = _turned(np.multiply.outer(spacing * (few * np.arange(-(-count // few))), place), one)
    return _both(far[:, None], near, one).reshape(-1, len(place))[:count]


def _both(a: ComplexArray, b: ComplexArray, one: bool) -> ComplexArray:
    """The turn by both: e^{i (a + b)}, or that less one."""
    return a * b if one else a + b + a * b


def _turned(turn: Any, one: bool) -> ComplexArray:
    """e^{i turn} (``one``) or e^{i turn} - 1, the latter without cancellation."""
    if np.iscomplexobj(turn):
        return (grown if one else grown_less_one)(-turn.imag, turn.real)
    value: ComplexArray = np.empty(turn.shape, complex)
    value.real, value.imag = cosine_and_sine(turn) if one else less_one(turn)
    return value


def _weighed(turn: Any, weight: Any, one: bool) -> ComplexArray:
    """Sums of the turns along the last axis, by ``weight``: in pairs, real and imaginary parts by themselves."""
    if np.iscomplexobj(turn) or np.iscomplexobj(weight):
        return _of_parts((terms := _turned(turn, one) * weight).real, terms.imag)
    real, imag = cosine_and_sine(turn) if one else less_one(turn)
    real *= weight
    imag *= weight
    return _of_parts(real, imag)


def _of_parts(real: FloatArray, imag: FloatArray) -> ComplexArray:
    """The sums along the last axis of numbers with these parts."""
    value: ComplexArray = np.empty(real.shape[:-1], complex)
    value.real, value.imag = np.add.reduce(real, axis=-1), np.add.reduce(imag, axis=-1)
    return value


def turned_sums(omega: FloatArray, place: FloatArray, weight: FloatArray, one: bool) -> ComplexArray:
    """``turned_sum`` of each row of real places and weights, to the same error: one row of sums for each.

    Examples
    --------
    >>> turned_sums(np.array([0.0, np.pi]), np.array([[1.0], [2.0]]), np.ones((2, 1)), one=True).real.round(12)
    array([[ 1., -1.],
           [ 1.,  1.]])
    """
    many = len(omega)
    spacing = (omega[-1] - omega[0]) / max(many - 1, 1)
    even = omega[0] + spacing * np.arange(many)
    if many >= _MANY and every(np.abs(omega - even) <= _SAME * omega):
        return _rows_evenly_turned(omega, float(spacing), place, weight, one)
    return np.stack([_weighed(each * place, weight, one) for each in omega.tolist()], axis=-1)


def _rows_evenly_turned(
    omega: FloatArray, spacing: float, place: FloatArray, weight: FloatArray, one: bool
) -> ComplexArray:
    """``_evenly_turned`` of each row."""
    laws = len(place)
    fine = math.isqrt(len(omega) - 1) + 1
    near = _in_eighths(_turned(spacing * np.arange(fine)[:, None] * place[:, None], one)).swapaxes(2, 3)
    starts = omega[::fine]
    value: ComplexArray = np.empty((laws, len(starts), fine), complex)
    rows = max(1, _ALONE // (fine * near.shape[2]))
    for i in range(0, len(starts), rows):
        far = _turned(starts[i : i + rows, None] * place[:, None], one)
        weighed = far * weight[:, None]
        alone = 0.0 if one else _of_parts(weighed.real, weighed.imag)[..., None]
        value[:, i : i + rows] = np.matmul(_in_eighths(weighed if one else weighed + weight[:, None]), near).sum(axis=1)
        value[:, i : i + rows] += alone
    return value.reshape(laws, -1)[:, : len(omega)]


def _in_eighths(table: ComplexArray) -> ComplexArray:
    """Of each law (laws, turns, places) the places in ``_SUMS`` parts: (laws, parts, turns, places)."""
    laws, turns, length = table.shape
    each = -(-length // _SUMS)
    padded = np.zeros((laws, turns, _SUMS * each), complex)
    padded[..., :length] = table
    return padded.reshape(laws, turns, _SUMS, each).swapaxes(1, 2)
