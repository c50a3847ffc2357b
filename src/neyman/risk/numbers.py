"""Numbers as a sentence shows them: bounds rounded to their own side, what was given as it was given."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

__all__ = ["plain", "points", "share", "times"]

_RARE = 1e-4  # a share below it is told as "1 in so many"
_DIGITS = 3  # of a share in percent, and of the N of "1 in N"
_SLIGHT = Decimal("1e-8")  # in percentage points; below it they are told in powers of ten
_WIDE = Context(prec=1200)  # holds every float64 exactly


def share(value: float, up: bool) -> str:
    """Return a bound in [0, 1] as a percentage or as "1 in so many", rounded up or down.

    Above one half as many decimals are shown as the rest to 100 % needs.
    """
    exact = Decimal(value)
    if 0.0 < value < _RARE:
        return f"1 in {_many(_WIDE.divide(Decimal(1), exact), not up)}"
    percent = _WIDE.multiply(exact, Decimal(100))
    if value <= 0.5:
        return f"{_percent(percent, up)} %"
    rest = Decimal(100) - percent
    places = min(-1, rest.adjusted() - 1) if rest > 0 else 0
    return f"{_written(_to_place(percent, places, up))} %"


def points(value: float, up: bool) -> str:
    """Return a bound in [0, 1] on a difference of two shares, in percentage points, rounded up or down."""
    return f"{_percent(_WIDE.multiply(Decimal(value), Decimal(100)), up)} percentage points"


def times(value: float, up: bool) -> str:
    """Return a bound on a ratio >= 1, rounded up or down."""
    if value == math.inf:
        return "infinitely many"
    return _percent(Decimal(value), up)


def plain(value: float) -> str:
    """Return a number in [0, 1] that was given: exactly where it is short, else with "about"."""
    if 0.0 < value < _RARE:
        many = 1.0 / value
        whole = many < 1e15 and abs(many - round(many)) <= 1e-9 * many
        return f"1 in {round(many):,}" if whole else f"about 1 in {min(many, 1.7e308):.3g}"
    percent = Decimal(repr(value)) * 100
    short = f"{percent:.4g}"
    return f"{_written(Decimal(short))} %" if Decimal(short) == percent else f"about {short} %"


def _percent(value: Decimal, up: bool) -> str:
    """A number >= 0 with three digits."""
    if value == 0:
        return "0"
    return _written(_to_place(value, value.adjusted() - _DIGITS + 1, up))


def _to_place(value: Decimal, place: int, up: bool) -> Decimal:
    """Rounded to a multiple of 10^place."""
    return value.quantize(Decimal(1).scaleb(place), ROUND_CEILING if up else ROUND_FLOOR, _WIDE)


def _many(count: Decimal, up: bool) -> str:
    """The N of "1 in N"."""
    found = _to_place(count, count.adjusted() - _DIGITS + 1, up)
    return f"{int(found):,}" if found < 10**15 else f"{found:.{_DIGITS - 1}e}"


def _written(value: Decimal) -> str:
    """Without the zeros that say nothing."""
    if 0 < value < _SLIGHT or value.adjusted() >= 15:
        return f"{value:.{_DIGITS - 1}e}"
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
