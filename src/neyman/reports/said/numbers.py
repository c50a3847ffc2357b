"""Numbers that were given or chosen, as JSON and as a sentence have them."""

from __future__ import annotations

import math

__all__ = ["to_json_number"]


def to_json_number(value: float) -> float | str:
    """Return ``value``, or "inf" for what JSON cannot hold.

    Examples
    --------
    >>> to_json_number(1.5), to_json_number(float("inf"))
    (1.5, 'inf')
    """
    return value if math.isfinite(value) else repr(value)
