"""A contour profile with the lattice behind it: where the contour is too wide, both are asked, and both hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour import ContourProfile
from neyman.engines.contour_walk import IntArray
from neyman.engines.lattice import LatticeProfile
from neyman.engines.profile import Bracket, Profile

__all__ = ["BackedProfile"]

_ASKED = 1e-30  # least delta whose bracket is held to the tolerance
_VAGUE = 0.5  # relative width from which the contour knows nothing of the slope
_POINTS = 1 << 18  # lattices up to this size are worth their time


class BackedProfile(Profile):
    """The bracket of the contour, intersected with the lattice's wherever the contour misses ``tolerance``."""

    def __init__(self, contour: ContourProfile, lattice: Callable[[], LatticeProfile], tolerance: float) -> None:
        self._contour = contour
        self._make_lattice = lattice
        self._tolerance = tolerance
        self._asked = False

    @property
    def method(self) -> str:
        """Which engine answered so far."""
        return "transform, lattice" if self._asked else "transform"

    @property
    def tail_mu(self) -> float:
        return self._contour.tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        out = self._contour.slope(epsilon)
        vague = self._wide(self._contour.bracket(epsilon), _VAGUE)
        if len(vague):
            out[vague] = self._lattice.slope(epsilon[vague])
        return out

    def _wide(self, bracket: Bracket, tolerance: float) -> IntArray:
        """Where the contour misses the tolerance and the lattice is worth its time."""
        narrow = bracket.upper - bracket.lower <= tolerance * bracket.upper
        wide = np.flatnonzero((bracket.upper >= _ASKED) & ~narrow)
        return wide if len(wide) and self._lattice.points <= _POINTS else wide[:0]

    def bracket(self, epsilon: FloatArray) -> Bracket:
        first = self._contour.bracket(epsilon)
        at = self._wide(first, self._tolerance)
        if not len(at):
            return first
        self._asked = True
        second = self._lattice.bracket(epsilon[at])
        out = Bracket(*(part.copy() for part in (first.lower, first.upper, first.log_gap_lower, first.log_gap_upper)))
        out.lower[at] = np.maximum(first.lower[at], second.lower)
        out.upper[at] = np.minimum(first.upper[at], second.upper)
        out.log_gap_lower[at] = np.maximum(first.log_gap_lower[at], second.log_gap_lower)
        out.log_gap_upper[at] = np.minimum(first.log_gap_upper[at], second.log_gap_upper)
        return out

    @cached_property
    def _lattice(self) -> LatticeProfile:
        return self._make_lattice()
