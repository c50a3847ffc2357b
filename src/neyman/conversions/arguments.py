"""What the conversions are given, checked; and what they return, in the shape that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, numbers, reals, unit_interval
from neyman.numerics.rounding import UNIT

__all__ = ["SLACK", "Numbers", "levels", "orders_above", "rdp_pairs", "shaped"]

Numbers = Sequence[Any] | NDArray[Any]

SLACK = 16.0 * UNIT  # a few roundings and as many elementary functions, with a margin

_RENYI_ONLY = "Renyi DP of order 1 and below says nothing about epsilon by these formulas."


def levels(name: str, value: object, advice: str = "") -> FloatArray:
    """Return a float64 array, not empty, of numbers in (0, 1); a scalar gives a 0-d array."""
    array = unit_interval(name, value)
    inside = (array > 0.0) & (array < 1.0)
    if not bool(np.all(inside)):
        raise InvalidParameter(name, float(array[~inside].flat[0]), "a number in (0, 1)", advice)
    return array


def orders_above(name: str, value: object, least: float, advice: str = "") -> FloatArray:
    """Return a float64 array, not empty, of finite numbers > ``least``; a scalar gives a 0-d array."""
    array = reals(name, value)
    if not bool(np.all(array > least)):
        worst = float(array[~(array > least)].flat[0])
        raise InvalidParameter(name, worst, f"a finite number > {least:g}", advice)
    return array


def rdp_pairs(orders: object, epsilons: object) -> tuple[FloatArray, FloatArray]:
    """Return two 1-d arrays of one length: orders, finite and > 1, and the epsilons of Renyi DP there, in [0, inf]."""
    t = np.atleast_1d(orders_above("orders", orders, 1.0, _RENYI_ONLY))
    rho = np.atleast_1d(numbers("epsilons", epsilons, "a number, or a non-empty array of numbers, in [0, inf]"))
    if not bool(np.all(rho >= 0.0)):
        raise InvalidParameter("epsilons", float(rho[~(rho >= 0.0)].flat[0]), "a number in [0, inf]")
    if t.ndim != 1:
        raise InvalidParameter("orders", orders, "a number or a one-dimensional array")
    if rho.shape != t.shape:
        raise InvalidParameter("epsilons", epsilons, f"one number for each of the {t.size} orders")
    return t, rho


def shaped(result: FloatArray, like: FloatArray) -> float | FloatArray:
    """Return a flat result in the shape of the argument it belongs to; a float for a scalar."""
    return float(result[0]) if like.ndim == 0 else result.reshape(like.shape)
