"""The one spacing that holds all lattices of a composition, where there is one."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["common_unit"]

_SAME = 1e-11  # relative distance at which two multiples are the same: decimal parameters, rounded to binary
_MOST = 1 << 22  # multiples of the common unit in the largest


def common_unit(units: Sequence[float]) -> float | None:
    """Return the largest h of which all ``units`` are whole multiples, to 1e-11; None where there is none.

    Examples
    --------
    >>> round(common_unit([0.0146, 0.20002, 0.06205]), 12)
    0.00073
    """
    if not units:
        return None
    largest = max(units)
    step = largest
    for unit in units:
        step = _measure(step, unit, largest)
        if step * _MOST < largest:
            return None
        step = largest / round(largest / step)  # Euclid multiplies what the units were rounded by
    fits = all(abs(unit - round(unit / step) * step) <= _SAME * unit for unit in units)
    return step if fits else None


def _measure(a: float, b: float, largest: float) -> float:
    """Euclid's common measure of two lengths."""
    while b > 4.0 * _SAME * largest:
        rest = math.fmod(a, b)
        rest = 0.0 if b - rest < 4.0 * _SAME * largest else rest
        a, b = b, rest
    return a
