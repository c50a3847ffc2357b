"""One validator per question. Every check reads "must be inside", so that NaN fails.

One rule for numbers of every kind: one that no float64 equals (a fraction, a huge whole number, a longer float) is
refused. To round it would need the side that is safe, which only the caller knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter

__all__ = [
    "BoolArray",
    "FloatArray",
    "IntArray",
    "alike",
    "between",
    "choice",
    "count",
    "flag",
    "inside",
    "not_negative",
    "numbers",
    "positive",
    "positives",
    "probability",
    "reals",
    "seeded",
    "unit_interval",
    "unmasked",
    "whole",
]

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.floating[Any]]  # always float64 in fact; NumPy's own types promise less

_Option = TypeVar("_Option", bound=str)

_EXACT = 2**53  # whole numbers up to here are float64
MAX_COUNT = 10**18  # above this, counts are no longer exact in the float64 arithmetic of the cumulants


_NO_LISTS = (str, bytes, bytearray, memoryview, Mapping)  # an empty one is a slip, not the word that nothing is meant


def alike(name: str, arguments: tuple[object, ...], kind: type, allowed: str, advice: str = "") -> tuple[object, ...]:
    """Return what was passed one by one, or as one list (any iterable) of them; what is in it is not looked at.

    Raises
    ------
    InvalidParameter
        If the only argument is neither of that ``kind`` nor a list, or a list stands beside others.
    """
    if len(arguments) == 1 and not isinstance(arguments[0], kind):
        return _elements(name, arguments[0], allowed, advice)
    for one in arguments:
        if isinstance(one, (list, tuple)):
            raise InvalidParameter(name, one, allowed, "Pass them one by one, or one list of them all.")
    return arguments


def _elements(name: str, value: object, allowed: str, advice: str) -> tuple[object, ...]:
    numeric = isinstance(value, np.ndarray) and (value.dtype.kind != "O" or value.ndim == 0)
    if not isinstance(value, Iterable) or isinstance(value, _NO_LISTS) or numeric:
        raise InvalidParameter(name, value, allowed, advice)
    return tuple(cast("Iterable[object]", value))


def seeded(seed: object) -> np.random.Generator:
    """Return the generator of ``numpy.random.default_rng``."""
    try:
        return np.random.default_rng(cast("Any", seed))
    except (TypeError, ValueError) as wrong:
        allowed = "what numpy.random.default_rng takes: None, a whole number >= 0 or a Generator"
        raise InvalidParameter("seed", seed, allowed) from wrong


def flag(name: str, value: object) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidParameter(name, value, "True or False")
    return bool(value)


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


def probability(name: str, value: object, advice: str = "", topic: str = "") -> float:
    """Return a number in [0, 1]."""
    number = _number(name, value, "a number in [0, 1]", advice)
    if not 0.0 <= number <= 1.0:
        raise InvalidParameter(name, value, "a number in [0, 1]", advice, topic=topic)
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
    """Return a whole number from ``low`` to ``high``: an ``int``, a NumPy integer, or a float that is whole, such as
    1000.0; never 1000.5, and never a bool.
    """
    plain = isinstance(value, Integral) or (isinstance(value, (float, np.floating)) and float(value).is_integer())
    if isinstance(value, (bool, np.bool_)) or not plain or not low <= int(cast("float", value)) <= high:
        most = f"{high:.0e}" if high >= 1000 else str(high)
        raise InvalidParameter(name, value, f"a whole number from {low} to {most}", advice)
    return int(cast("float", value))


def choice(name: str, value: object, options: tuple[_Option, ...]) -> _Option:
    """Return the one of ``options`` that ``value`` is."""
    found = [option for option in options if isinstance(value, str) and option == value]
    if not found:
        from neyman._guessed_words import option_meant  # read where something went wrong

        meant = option_meant(value, options)
        allowed = "one of " + ", ".join(repr(o) for o in options)
        raise InvalidParameter(name, value, allowed, f"Did you mean {meant!r}?" if meant else "")
    return found[0]


def unit_interval(name: str, value: object) -> FloatArray:
    """Return a float64 array, not empty, of numbers in [0, 1]; a scalar gives a 0-d array."""
    if isinstance(value, float) and 0.0 <= value <= 1.0:
        return np.array(value, dtype=np.float64)
    array = numbers(name, value, "a number, or a non-empty array of numbers, in [0, 1]")
    if not bool(np.all((array >= 0.0) & (array <= 1.0))):
        raise InvalidParameter(name, _worst(array, (array >= 0.0) & (array <= 1.0)), "a number in [0, 1]")
    return array


def reals(name: str, value: object) -> FloatArray:
    """Return a float64 array, not empty, of finite numbers; a scalar gives a 0-d array."""
    if isinstance(value, float) and math.isfinite(value):
        return np.array(value, dtype=np.float64)
    array = numbers(name, value, "a number, or a non-empty array of numbers, all finite")
    if not bool(np.all(np.isfinite(array))):
        raise InvalidParameter(name, _worst(array, np.isfinite(array)), "a finite number")
    return array


def positives(name: str, value: object, advice: str = "") -> FloatArray:
    """Return a float64 array, not empty, of finite numbers > 0; a scalar gives a 0-d array."""
    array = numbers(name, value, "a number, or a non-empty array of numbers, all finite and > 0")
    fine = (array > 0.0) & np.isfinite(array)
    if not bool(np.all(fine)):
        raise InvalidParameter(name, _worst(array, fine), "a finite number > 0", advice)
    return array


def _number(name: str, value: object, allowed: str, advice: str) -> float:
    if isinstance(value, float):  # np.float64 too
        return float(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating, np.integer)):
        raise InvalidParameter(name, value, allowed, advice)
    try:
        number = float(value)
    except OverflowError:
        raise InvalidParameter(name, value, allowed, advice) from None
    if not _equal(value, number):
        raise _rounded(name, value, allowed)
    return number


def _equal(value: Any, number: float) -> bool:
    """Whether ``number`` is ``value``, digit by digit; NaN is left to the checks that follow."""
    return bool((int(value) if isinstance(value, Integral) else value) == number) or math.isnan(number)


def _rounded(name: str, value: object, allowed: str) -> InvalidParameter:
    advice = "Round it yourself, to the side that is safe: float(x), or math.nextafter(float(x), ...)."
    return InvalidParameter(name, value, f"{allowed}, without rounding a float64", advice, topic="exact-numbers")


def unmasked(name: str, value: object) -> NDArray[Any] | None:
    """Return ``value`` as an array of its own kind; None where it is none (rows of unequal lengths, tensors elsewhere).

    Raises
    ------
    InvalidParameter
        If a masked array hides some of its values, which NumPy would take for numbers like any other; if bytes would be
        read as numbers; if a list holds a whole number that NumPy would round.
    """
    _plain(name, value)
    try:
        found = np.asanyarray(value)  # what an object hands out as its array may be masked, too
    except (ValueError, TypeError, OverflowError):
        return None
    _shown(name, found)
    return np.asarray(found)


def _shown(name: str, value: object) -> None:
    if isinstance(value, np.ma.MaskedArray) and bool(np.any(np.ma.getmaskarray(value))):
        hidden = int(np.sum(np.ma.getmaskarray(value)))
        advice = "Leave the hidden ones out, for example by .compressed()."
        raise InvalidParameter(name, f"a masked array that hides {hidden}", "an array that hides nothing", advice)


def _plain(name: str, value: object) -> None:
    """Refuse what an array of ``value`` would no longer show, in lists at any depth."""
    _shown(name, value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise InvalidParameter(name, value, "a number, or an array of numbers: bytes are neither")
    if isinstance(value, (list, tuple)):
        for one in cast("Sequence[object]", value):
            if type(one) is not float:
                _plain(name, one)
                if isinstance(one, (Integral, np.ndarray)) and not isinstance(one, (bool, np.bool_)):
                    _unrounded(name, one)


def _unrounded(name: str, value: Integral | NDArray[Any]) -> None:
    """Refuse whole numbers that no float64 equals: next to floats, NumPy would round them."""
    if isinstance(value, Integral):
        if abs(int(value)) > _EXACT:
            _number(name, value, "a number", "")
    elif value.dtype.kind in "iu" and value.dtype.itemsize >= 8 and value.size:
        numbers(name, value, "a number")


def numbers(name: str, value: object, allowed: str) -> FloatArray:
    """Return a float64 array, not empty, of the very numbers given, NaN and infinite ones too; a scalar gives a 0-d
    array.

    Raises
    ------
    InvalidParameter
        If there is none, or something else than numbers, or one that no float64 equals.
    """
    if isinstance(value, Real) and not isinstance(value, bool):  # fractions too, which NumPy takes for objects
        return np.asarray(_number(name, value, allowed, ""))
    raw = unmasked(name, value)
    if raw is None or raw.dtype.kind not in "fiu" or raw.size == 0:
        raise InvalidParameter(name, value, allowed)
    with np.errstate(over="ignore"):
        array = raw.astype(np.float64)
    if raw.dtype.itemsize >= 8 and raw.dtype != np.float64:
        doubtful = raw != array if raw.dtype.kind == "f" else ~(np.abs(array) < _EXACT)
        for long, short in zip(raw[doubtful], array[doubtful], strict=True):
            if not _equal(long, float(short)):
                raise _rounded(name, long, allowed)
    return array


def _worst(array: FloatArray, ok: NDArray[np.bool_]) -> float:
    return float(array[~ok].flat[0])
