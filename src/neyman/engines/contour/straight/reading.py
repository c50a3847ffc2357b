"""The sums over the nodes of a line, at many eps: one by one, or read from a table where that is less work."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.sums.even_sum import EvenSum
from neyman.numerics.sums.paired_turns import PairedTurns
from neyman.profiles.effort import readable

__all__ = ["NODE", "Reading"]

NODE = 20.0  # nominal nanoseconds of a node, for each eps that is read by itself
_PAIRED = 1.5  # the same by few turns
_FEWEST, _LONGEST = 8, 1 << 21  # eps at once that a table is read at; spacings up to its last node (2^23 points)
_BLURRED = 1e-10  # of a value that is read so or from a table, what rounding may do to it: else it is read by itself

Plain = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
Sums = tuple[FloatArray, FloatArray, FloatArray | None]  # both, and what it rounds the first more


class Reading:
    """Re sum ``weight`` e^{-i eps omega}, and the same times c + i omega, over nodes ``omega`` that are multiples of
    2 pi / ``spread``; ``plain`` tells both, eps by eps. Without a spread there is no table. ``quick``, where there is
    one, tells both by few turns, a row of sums each.

    A table is made once as much was read without it as it takes.
    """

    def __init__(
        self, plain: Plain, c: float, spread: float | None, omega: FloatArray, weight: ComplexArray,
        quick: PairedTurns | None = None,
    ) -> None:  # fmt: skip
        self._plain, self._c, self._omega, self._weight, self._quick = plain, c, omega, weight, quick
        self._spacing = math.inf if spread is None else 2.0 * math.pi / spread
        self._last = int(min(float(omega[-1]) / self._spacing + 0.5, _LONGEST))
        self._spent = 0.0  # nominal nanoseconds, on reading many eps one by one
        self._told = False

    def __call__(self, epsilon: FloatArray, taken: FloatArray | float = 0.0) -> Sums | None:
        """Both sums at each ``epsilon``, and what it rounds the first more that it was read by few turns or from a
        table; None where the effort does not suffice. From the first, as much is ``taken`` to tell the value.
        """
        short = 0 < self._last < _LONGEST
        quick = self._quick if short else None
        each = (NODE * len(self._omega) if quick is None else _PAIRED * quick.places) * len(epsilon)
        if (len(epsilon) < _FEWEST and not self._told) or not short:
            return self._one_by_one(epsilon, each, quick, taken)
        work = EvenSum.labour(0 if self._told else self._last, len(epsilon))
        if not self._told and self._spent + each < work:
            self._spent += each
            return self._one_by_one(epsilon, each, quick, taken)
        return self._together(epsilon) if readable(work) else None

    def _one_by_one(
        self, epsilon: FloatArray, work: float, quick: PairedTurns | None, taken: FloatArray | float
    ) -> Sums | None:
        if not readable(work):
            return None
        if quick is None:
            return (*self._plain(epsilon), None)
        direct, slope = quick.at(epsilon)
        return self._unseen(epsilon, direct, slope, float(quick.error[0]), direct - taken)

    def _together(self, epsilon: FloatArray) -> Sums:
        direct, rise = self._table.at(epsilon)
        return self._unseen(epsilon, direct, self._c * direct - rise, self._table.error, direct)

    def _unseen(
        self, epsilon: FloatArray, direct: FloatArray, slope: FloatArray, error: float, value: FloatArray
    ) -> Sums:
        """These sums, but for those of which the rounding would be seen in a ``value``: they are read by themselves."""
        blur = np.full(len(epsilon), error)
        seen = np.flatnonzero(~(blur <= _BLURRED * np.abs(value)))
        if len(seen) and readable(NODE * len(self._omega) * len(seen)):
            direct[seen], slope[seen] = self._plain(epsilon[seen])
            blur[seen] = 0.0
        return direct, slope, blur

    @cached_property
    def _table(self) -> EvenSum:
        self._told = True
        places = np.rint(self._omega / self._spacing).astype(np.int64)
        return EvenSum(self._spacing, places, self._weight)
