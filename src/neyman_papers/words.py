"""Turns of phrase that more than one row has."""

from __future__ import annotations

__all__ = ["within"]

_FLOATS = 1e-12  # a gap below is rounding, and is shown as that


def within(gap: float) -> str:
    """How near two numbers are; what floating point alone makes of it, which no two machines share, is rounded up.

    Examples
    --------
    >>> within(3e-16), within(0.0), within(2.4e-7)
    ('within 1e-12', 'within 1e-12', 'within 2e-07')
    """
    return f"within {max(gap, _FLOATS):.0e}"
