"""Numbers and words of a question, as JSON brings them: read without trust."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import cast

from neyman._errors import InvalidParameter
from neyman.understanding.number_text import Side, number, rounded, whole_number

__all__ = ["fields_of", "number_of", "word_of", "written_number"]

_LONGEST = 64  # characters of a number that somebody typed
_LARGEST = 10**18  # of a count, where nothing less is asked
_BEYOND = 10**300  # well inside float64


def fields_of(
    name: str, value: object, needed: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Mapping[str, object]:
    """Return a JSON object that has all that is needed and nothing that is not known.

    Raises
    ------
    InvalidParameter
        If it is none, or lacks a field, or has another.

    Examples
    --------
    >>> fields_of("settings", {"kind": "laplace"}, ("kind",))
    {'kind': 'laplace'}
    """
    if not isinstance(value, dict):
        raise InvalidParameter(name, value, "an object")
    found = cast("dict[str, object]", value)
    known = (*needed, *optional)
    for key in found:
        if key not in known:
            raise InvalidParameter(name, key, f"an object of {', '.join(known)}")
    for key in needed:
        if key not in found:
            raise InvalidParameter(key, None, "given")
    return found


def word_of(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return the one of these words that ``value`` is.

    Raises
    ------
    InvalidParameter
        If it is none.
    """
    if not isinstance(value, str) or value not in allowed:
        raise InvalidParameter(name, value, f"one of {', '.join(allowed)}")
    return value


def written_number(name: str, value: object, allowed: str) -> float | int | Fraction:
    """Return a number as it is meant: of JSON, or in a text as people write them (512/60000, 1%, 1e3).

    Raises
    ------
    InvalidParameter
        If there is none, or it is not finite.

    Examples
    --------
    >>> written_number("sample_rate", "512/60000", "a number"), written_number("steps", 1000, "a number")
    (Fraction(16, 1875), 1000)
    """
    if isinstance(value, str) and len(value) <= _LONGEST:
        try:
            value = number(value.strip())
        except ValueError:
            raise InvalidParameter(name, value, allowed) from None
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
        raise InvalidParameter(name, value, allowed)
    if not -_BEYOND < value < _BEYOND:  # NaN is not, either
        raise InvalidParameter(name, value, allowed)
    return value


def number_of(name: str, value: object, allowed: str, side: Side = "nearest") -> float:
    """Return a float64, on that side of what was written.

    Raises
    ------
    InvalidParameter
        If there is no such number.

    Examples
    --------
    >>> number_of("delta", "1e-5", "a number")
    1e-05
    """
    found = written_number(name, value, allowed)
    if isinstance(found, int) and float(found) != found:
        found = Fraction(found)
    return float(rounded(found, side))


def count_of(name: str, value: object, low: int = 1, high: int = _LARGEST) -> int:
    """Return a whole number, however it was written: 1000, 1000.0, "1e3".

    Raises
    ------
    InvalidParameter
        If there is none from ``low`` to ``high``.

    Examples
    --------
    >>> count_of("steps", "1e3"), count_of("steps", 1000.0)
    (1000, 1000)
    """
    most = f"{high:.0e}" if high >= 1000 else str(high)
    allowed = f"a whole number from {low} to {most}"
    if isinstance(value, str) and len(value) <= _LONGEST:
        try:
            found: object = whole_number(value.strip())
        except ValueError:
            raise InvalidParameter(name, value, allowed) from None
    else:
        found = written_number(name, value, allowed)
    if isinstance(found, (float, Fraction)) and Fraction(found).denominator == 1:
        found = int(found)
    if not isinstance(found, int) or not low <= found <= high:
        raise InvalidParameter(name, value, allowed)
    return found
