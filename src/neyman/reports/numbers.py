"""Numbers that were given or chosen, as JSON and as a sentence have them."""

from __future__ import annotations

import math

__all__ = ["exactly", "to_json_number"]


def to_json_number(value: float) -> float | str:
    """Return ``value``, or "inf" for what JSON cannot hold.

    Examples
    --------
    >>> to_json_number(1.5), to_json_number(float("inf"))
    (1.5, 'inf')
    """
    return value if math.isfinite(value) else repr(value)


def exactly(value: float) -> str:
    """Return a number that a claim is conditional on, in few digits where those are all it has, else in all of them.

    A delta that is printed smaller than it is would make its epsilon a false promise.

    Examples
    --------
    >>> exactly(1e-5), exactly(0.5), exactly(1.0000004e-5)
    ('1e-05', '0.5', '1.0000004e-05')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
