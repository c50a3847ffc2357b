"""One validator per question. Every check reads "must be inside", so that NaN fails."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter

__all__ = [
    "FloatArray",
    "between",
    "choice",
    "count",
    "inside",
    "not_negative",
    "positive",
    "positives",
    "probability",
    "reals",
    "unit_interval",
    "unmasked",
    "whole",
]

FloatArray = NDArray[np.floating[Any]]  # always float64 in fact; NumPy's own types promise less

_Option = TypeVar("_Option", bound=str)

MAX_COUNT = 10**18  # above this, counts are no longer exact in the float64 arithmetic of the cumulants


def positive(name: str, value: object, advice: str = "") -> float:
    """Return a finite number > 0."""
    number = _number(name, value, "a finite number > 0", advice)
    if not 0.0 < number < math.inf:
        raise InvalidParameter(name, value, "a finite number > 0", advice)
    return number


def not_negative(name: str, value: object, advice: str = "") -> float:
    """Return a finite number >= 0."""
    number = _number(name, value, "a finite number >= 0", advice)
    if not 0.0 <= number < math.inf:
        raise InvalidParameter(name, value, "a finite number >= 0", advice)
    return number


def probability(name: str, value: object, advice: str = "") -> float:
    """Return a number in [0, 1]."""
    number = _number(name, value, "a number in [0, 1]", advice)
    if not 0.0 <= number <= 1.0:
        raise InvalidParameter(name, value, "a number in [0, 1]", advice)
    return number


def inside(name: str, value: object, low: float, high: float, advice: str = "") -> float:
    """Return a number strictly between ``low`` and ``high``."""
    allowed = f"a number in ({low:g}, {high:g})"
    number = _number(name, value, allowed, advice)
    if not low < number < high:
        raise InvalidParameter(name, value, allowed, advice)
    return number


def between(name: str, value: object, low: float, high: float, advice: str = "") -> float:
    """Return a number from ``low`` to ``high``, both allowed."""
    allowed = f"a number in [{low:g}, {high:g}]"
    number = _number(name, value, allowed, advice)
    if not low <= number <= high:
        raise InvalidParameter(name, value, allowed, advice)
    return number


def count(name: str, value: object, advice: str = "") -> int:
    """Return a whole number from 0 to 1e18."""
    return whole(name, value, 0, MAX_COUNT, advice)


def whole(name: str, value: object, low: int, high: int, advice: str = "") -> int:
    """Return a whole number from ``low`` to ``high`` (an ``int`` or a NumPy integer; never a float or a bool)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or not low <= int(value) <= high:
        raise InvalidParameter(name, value, f"a whole number from {low} to {high:.0e}", advice)
    return int(value)


def choice(name: str, value: object, options: tuple[_Option, ...]) -> _Option:
    """Return the one of ``options`` that ``value`` is."""
    found = [option for option in options if isinstance(value, str) and option == value]
    if not found:
        raise InvalidParameter(name, value, "one of " + ", ".join(repr(o) for o in options))
    return found[0]


def unit_interval(name: str, value: object) -> FloatArray:
    """Return a float64 array, not empty, of numbers in [0, 1]; a scalar gives a 0-d array."""
    allowed = "a number, or a non-empty array of numbers, in [0, 1]"
    array = _array(name, value, allowed)
    if not bool(np.all((array >= 0.0) & (array <= 1.0))):
        raise InvalidParameter(name, _worst(array, (array >= 0.0) & (array <= 1.0)), "a number in [0, 1]")
    return array


def reals(name: str, value: object) -> FloatArray:
    """Return a float64 array, not empty, of finite numbers; a scalar gives a 0-d array."""
    array = _array(name, value, "a number, or a non-empty array of numbers, all finite")
    if not bool(np.all(np.isfinite(array))):
        raise InvalidParameter(name, _worst(array, np.isfinite(array)), "a finite number")
    return array


def positives(name: str, value: object, advice: str = "") -> FloatArray:
    """Return a float64 array, not empty, of finite numbers > 0; a scalar gives a 0-d array."""
    array = _array(name, value, "a number, or a non-empty array of numbers, all finite and > 0")
    fine = (array > 0.0) & np.isfinite(array)
    if not bool(np.all(fine)):
        raise InvalidParameter(name, _worst(array, fine), "a finite number > 0", advice)
    return array


def _number(name: str, value: object, allowed: str, advice: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating, np.integer)):
        raise InvalidParameter(name, value, allowed, advice)
    try:
        return float(value)
    except OverflowError:
        raise InvalidParameter(name, value, allowed, advice) from None


def unmasked(name: str, value: object) -> NDArray[Any] | None:
    """Return ``value`` as an array of its own kind; None where it is none (rows of unequal lengths, tensors elsewhere).

    Raises
    ------
    InvalidParameter
        If a masked array hides some of its values: NumPy would take them for numbers like any other.
    """
    try:
        found = np.asanyarray(value)  # what an object hands out as its array may be masked, too
    except (ValueError, TypeError):
        return None
    if isinstance(found, np.ma.MaskedArray) and bool(np.any(np.ma.getmaskarray(found))):
        hidden = int(np.sum(np.ma.getmaskarray(found)))
        advice = "Leave the hidden ones out, for example by .compressed()."
        raise InvalidParameter(name, f"a masked array that hides {hidden}", "an array that hides nothing", advice)
    return np.asarray(found)


def _array(name: str, value: object, allowed: str) -> FloatArray:
    raw = unmasked(name, value)
    if raw is None:
        raise InvalidParameter(name, value, allowed)
    if raw.dtype.kind not in "fiu" or raw.size == 0:
        raise InvalidParameter(name, value, allowed)
    return raw.astype(np.float64)


def _worst(array: FloatArray, ok: NDArray[np.bool_]) -> float:
    return float(array[~ok].flat[0])
