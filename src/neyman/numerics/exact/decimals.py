"""Decimal numbers that are still bounds as printed: exact arithmetic, rounded outward.

A text that reads back as the very float64 is that number, on both sides: 0.1 is written "0.1".

>>> outward(1.56694765, 5), outward(1.56694765, 5, up=False)
('1.567', '1.5669')
"""

from __future__ import annotations

import math
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

__all__ = ["exactly", "outward", "spelled", "to_place", "width_place"]

_WIDE = Context(prec=1200)  # holds every float64 exactly


def exactly(value: float) -> str:
    """Return a number that a bound is conditional on, in few digits where those are all it has, else in all of them.

    A delta that is printed smaller than it is would make its epsilon a false promise.

    Examples
    --------
    >>> exactly(1e-5), exactly(0.5), exactly(1.0000004e-5)
    ('1e-05', '0.5', '1.0000004e-05')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def outward(value: float, digits: int = 7, *, up: bool = True) -> str:
    """Return ``value`` with at most so many significant digits, rounded up (or down): the text is a bound.

    Parameters
    ----------
    value : float
        Any float64; inf is "inf".
    digits : int
        At least 1.
    up : bool
        The side on which the text may lie.

    Examples
    --------
    >>> outward(7.4243789, 3), outward(1e-7 / 3, 3), outward(0.1), outward(2.5, 1, up=False)
    ('7.43', '3.34e-08', '0.1', '2')
    """
    if value == 0.0 or not math.isfinite(value):
        return f"{value + 0.0:g}"
    return to_place(value, Decimal(value).adjusted() - digits + 1, up=up, digits=digits)


def to_place(value: float, place: int, *, up: bool, digits: int = 7) -> str:
    """Return ``value`` rounded up (or down) to a multiple of 10^place, in powers of ten outside [1e-4, 10^digits).

    Examples
    --------
    >>> to_place(7.4243789, -2, up=True), to_place(8.2e-8, -7, up=True), to_place(0.26894, 0, up=False)
    ('7.43', '1e-07', '0')
    """
    if value == 0.0 or not math.isfinite(value):
        return f"{value + 0.0:g}"
    unit = Decimal(1).scaleb(place)
    exact = Decimal(value).quantize(unit, ROUND_HALF_EVEN, _WIDE)
    if float(exact) != value:
        exact = Decimal(value).quantize(unit, ROUND_CEILING if up else ROUND_FLOOR, _WIDE)
    if abs(value) < sys.float_info.min:  # few digits are all that such a float64 has: those that it is read back from
        exact = Decimal(repr(float(exact)))
    if exact.is_zero():
        return "0"
    if math.isinf(float(exact)):
        return f"{math.copysign(math.inf, value):g}"
    return spelled(exact, digits)


def spelled(exact: Decimal, digits: int = 7) -> str:
    """Return the one way to write a finite decimal: plain in [1e-4, 10^digits), else in powers of ten; no idle zeros.

    Examples
    --------
    >>> spelled(Decimal("0.005e2")), spelled(Decimal("1.50")), spelled(Decimal("0.00000012")), spelled(Decimal("-0"))
    ('0.5', '1.5', '1.2e-07', '0')
    """
    if exact.is_zero():
        return "0"
    exponent = exact.adjusted()
    if -4 <= exponent < digits:
        return _bare(f"{exact:f}")
    mantissa = _bare(f"{exact.scaleb(-exponent, _WIDE):f}")
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def width_place(lower: float, upper: float) -> int | None:
    """Return the least k with 10^k >= upper - lower, exactly: digits below it are not held by the bracket.

    None where the bracket has no width, or no end.

    Examples
    --------
    >>> width_place(1.5, 1.5003), width_place(0.0, 1.0), width_place(2.0, 2.0)
    (-3, 0, None)
    """
    if not (math.isfinite(lower) and math.isfinite(upper)) or lower >= upper:
        return None
    width = _WIDE.subtract(Decimal(upper), Decimal(lower))
    place = width.adjusted()
    return place if width == Decimal(1).scaleb(place) else place + 1


def _bare(text: str) -> str:
    """Without the zeros that say nothing."""
    return text.rstrip("0").rstrip(".") if "." in text else text
