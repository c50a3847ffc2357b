"""Numbers in sentences: rounded so that what is printed is still true."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

__all__ = ["at_least", "at_most", "percent", "plural"]


def at_least(value: float, digits: int = 4) -> str:
    """Return ``digits`` significant digits, rounded down.

    >>> at_least(0.45678), at_least(2.0), at_least(9.9999e-6, 3)
    ('0.4567', '2', '9.99e-06')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def at_most(value: float, digits: int = 4) -> str:
    """Return ``digits`` significant digits, rounded up.

    >>> at_most(0.45671), at_most(0.99999)
    ('0.4568', '1')
    """
    return _rounded(value, digits, ROUND_CEILING)


def percent(share: float) -> str:
    """Return a share in percent, rounded down.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{at_least(float(Decimal(repr(share)) * 100), 12)} %"


def plural(count: int, noun: str) -> str:
    """Return the count with its noun.

    >>> plural(1, "score"), plural(20000, "score")
    ('1 score', '20,000 scores')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _rounded(value: float, digits: int, direction: str) -> str:
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    exact = Decimal(repr(value))  # 0.9 stays 0.9
    unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(unit, rounding=direction)):.{digits}g}"
