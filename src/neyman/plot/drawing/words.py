"""Numbers as a picture writes them: bounds rounded to their own side."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

__all__ = ["rounded"]


def rounded(value: float, up: bool, digits: int = 3) -> str:
    """Write a number with a few digits, never past it to the unsafe side.

    Examples
    --------
    >>> rounded(0.00102341, True), rounded(0.00102341, False), rounded(4.0, True), rounded(2.6e-7, True)
    ('0.00103', '0.00102', '4', '2.6e-07')
    >>> rounded(0.3, False), rounded(0.1, True)  # as they are typed, not as they are in binary
    ('0.3', '0.1')
    """
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    exact = Decimal(repr(float(value)))  # the shortest text of this very number
    place = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(place, ROUND_CEILING if up else ROUND_FLOOR)):.{digits}g}"
