"""Numbers as people write them: 512/60000, 1e3, 1%. Fractions are rounded to the side that is asked for."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal

from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.understanding.text import plain

__all__ = ["Side", "exact", "number", "rounded", "whole_number"]

Side = Literal["up", "down", "nearest"]
_DECIMAL = r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?"  # no 10^999999999
_FORM = re.compile(rf"\s*({_DECIMAL})\s*(?:(%)|/\s*({_DECIMAL}))?\s*")


def exact(text: str) -> Fraction:
    """Return the number that a person reads in ``text``.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> exact("512/60000"), exact("1e3"), exact("2.5%")
    (Fraction(16, 1875), Fraction(1000, 1), Fraction(1, 40))
    """
    found = _FORM.fullmatch(text) if text.isascii() else None
    if found is None or (found[3] and Fraction(found[3]) == 0):
        raise ValueError(f"not a number: {text!r}")
    return Fraction(found[1]) / (100 if found[2] else Fraction(found[3] or 1))


def number(text: str) -> float | Fraction:
    """Return a decimal as the float64 it is read as, and what is written as a quotient or in percent exactly.

    Raises
    ------
    ValueError
        If there is no number.

    Examples
    --------
    >>> number("0.1"), number("1/3"), number("1%")
    (0.1, Fraction(1, 3), Fraction(1, 100))
    """
    if "/" not in text and "%" not in text:
        return plain(float, text)
    return exact(text)


def rounded(value: float | Fraction, side: Side) -> float:
    """Return a float64 on that side of a fraction; floats are what they are.

    Examples
    --------
    >>> rounded(Fraction(1, 3), "up") > rounded(Fraction(1, 3), "down")
    True
    """
    if not isinstance(value, Fraction):
        return value
    return at_least(value) if side == "up" else at_most(value) if side == "down" else float(value)


def whole_number(text: str) -> int:
    """Return a whole number, in any form that is one: 1000, 1e3, 1000.0.

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> whole_number("1e3"), whole_number("60000")
    (1000, 60000)
    """
    try:
        return plain(int, text)
    except ValueError:
        found = exact(text)
    if found.denominator != 1:
        raise ValueError(f"not a whole number: {text!r}")
    return int(found)
