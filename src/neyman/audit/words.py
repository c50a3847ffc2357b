"""Numbers in sentences: rounded so that what is printed is still true."""

from __future__ import annotations

from decimal import Decimal

from neyman.numerics.exact.decimals import outward

__all__ = ["at_least", "at_most", "percent", "plural"]


def at_least(value: float, digits: int = 4) -> str:
    """Return ``digits`` significant digits, rounded down.

    >>> at_least(0.45678), at_least(2.0), at_least(9.9999e-6, 3)
    ('0.4567', '2', '9.99e-06')
    """
    return outward(value, digits, up=False)


def at_most(value: float, digits: int = 4) -> str:
    """Return ``digits`` significant digits, rounded up.

    >>> at_most(0.45671), at_most(0.99999)
    ('0.4568', '1')
    """
    return outward(value, digits)


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
