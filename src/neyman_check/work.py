"""Work is counted before it is done: no file decides how long it is read."""

from __future__ import annotations

from neyman_check.errors import NotProved

__all__ = ["MOST", "Work"]

MOST = 400_000_000
"""Units of one proof. A unit is a product of 128 bits, well below a microsecond: a minute or two, and to be had by
anyone who needs more by dividing the statements among several files.
"""
_BITS = 128


class Work:
    """What is left of it; more bits make every unit dearer."""

    def __init__(self, bits: int, most: int = MOST) -> None:
        self._each, self._left = -(-bits // _BITS), most

    @property
    def left(self) -> int:
        """What may still be spent."""
        return self._left

    def spend(self, units: int) -> None:
        """Ask before doing."""
        if not units * self._each <= self._left:
            raise NotProved("the proof takes more work than is allowed")
        self._left -= units * self._each
