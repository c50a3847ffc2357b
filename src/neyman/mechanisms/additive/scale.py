"""The scale of additive noise, checked against the sensitivity it hides."""

from __future__ import annotations

from numbers import Real

from neyman._errors import InvalidParameter
from neyman._validate import positive

__all__ = ["LARGEST_LOSS", "noise"]

LARGEST_LOSS = 700.0  # e^700 is near the largest float64


def noise(name: str, value: object, sensitivity: float, low: float, high: float) -> float:
    """Return a scale of noise, finite, > 0 and from ``low`` to ``high`` times the sensitivity."""
    if isinstance(value, Real) and value == 0 and not isinstance(value, bool):
        raise InvalidParameter(
            name, value, "a finite number > 0", "Without noise nothing is promised.", topic="no-noise"
        )
    scale = positive(name, value)
    if not low <= scale / sensitivity <= high:
        allowed = f"between {low:g} and {high:g} times the sensitivity {sensitivity!r}"
        raise InvalidParameter(name, value, allowed)
    return scale
