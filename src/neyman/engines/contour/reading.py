"""The sums over the nodes of a line, at many eps: one by one, or read from a table where that is less work."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.even_sum import EvenSum
from neyman.profiles.effort import readable

__all__ = ["NODE", "Reading"]

NODE = 20.0  # nominal nanoseconds of a node, for each eps that is read by itself
_FEWEST, _LONGEST = 8, 1 << 21  # eps at once that a table is read at; spacings up to its last node (2^23 points)
_BLURRED = 1e-10  # of a value that is read from a table, what rounding may do to it: else it is read by itself

Sums = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


class Reading:
    """Re sum ``weight`` e^{-i eps omega}, and the same times c + i omega, over nodes ``omega`` that are multiples of
    2 pi / ``spread``; ``plain`` tells both, eps by eps. Without a spread there is no table.

    A table is made once as much was read without it as it takes.
    """

    def __init__(self, plain: Sums, c: float, spread: float | None, omega: FloatArray, weight: ComplexArray) -> None:
        self._plain, self._c, self._omega, self._weight = plain, c, omega, weight
        self._spacing = math.inf if spread is None else 2.0 * math.pi / spread
        self._last = int(min(float(omega[-1]) / self._spacing + 0.5, _LONGEST))
        self._spent = 0.0  # nominal nanoseconds, on reading many eps one by one
        self._told = False

    def __call__(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray | None] | None:
        """Both sums at each ``epsilon``, and what it rounds the first more that it was read from a table; None where
        the effort does not suffice.
        """
        each = NODE * len(self._omega) * len(epsilon)
        if (len(epsilon) < _FEWEST and not self._told) or not 0 < self._last < _LONGEST:
            return self._one_by_one(epsilon, each)
        work = EvenSum.labour(0 if self._told else self._last, len(epsilon))
        if not self._told and self._spent + each < work:
            self._spent += each
            return self._one_by_one(epsilon, each)
        return self._together(epsilon) if readable(work) else None

    def _one_by_one(self, epsilon: FloatArray, work: float) -> tuple[FloatArray, FloatArray, None] | None:
        return (*self._plain(epsilon), None) if readable(work) else None

    def _together(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """By the table, but for those of which rounding would be seen."""
        direct, rise = self._table.at(epsilon)
        slope, blur = self._c * direct - rise, np.full(len(epsilon), self._table.error)
        seen = np.flatnonzero(~(blur <= _BLURRED * np.abs(direct)))
        if len(seen) and readable(NODE * len(self._omega) * len(seen)):
            direct[seen], slope[seen] = self._plain(epsilon[seen])
            blur[seen] = 0.0
        return direct, slope, blur

    @cached_property
    def _table(self) -> EvenSum:
        self._told = True
        places = np.rint(self._omega / self._spacing).astype(np.int64)
        return EvenSum(self._spacing, places, self._weight)
