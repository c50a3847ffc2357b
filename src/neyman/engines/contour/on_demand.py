"""A profile that lays a contour where it is asked, keeps it, and serves all eps near with it."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.contour.estimate import Contour, Estimates
from neyman.profiles.certificate import Certificate
from neyman.profiles.effort import Effort
from neyman.profiles.profile import Profile

__all__ = ["ByArcs"]


class Ranged(Contour, Protocol):
    """A contour that was laid for the eps of a closed interval."""

    @property
    def range(self) -> tuple[float, float]: ...


_BETWEEN = 4.0  # ratio of two eps of no use up to which those between them are of none

Laid = TypeVar("Laid", bound=Ranged)


class ByArcs(Profile, Generic[Laid]):
    """Contours are laid until delta is known to ``sharp``, relatively. Where none is of use, none is tried again within
    ``beside`` times that eps.
    """

    sharp: float
    beside: tuple[float, float]

    def __init__(self, tail_mu: float, effort: Effort | None) -> None:
        self._tail_mu = tail_mu
        self._effort = Effort() if effort is None else effort
        self._arcs: list[Laid] = []
        self._hopeless: list[tuple[float, float]] = []
        self._refused: tuple[int, list[tuple[float, float]]] = 0, []  # by the effort, in that question
        self._deep = math.inf  # an eps from which on delta is below anything asked for

    @property
    def method(self) -> str:
        return "transform"

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @abstractmethod
    def _lay(self, epsilon: float) -> Iterator[Laid | None]:
        """Contours for that eps, the more promising first."""

    @abstractmethod
    def _found(self, epsilon: FloatArray) -> Estimates:
        """What they say of each eps."""

    def certificate(self, epsilon: float) -> Certificate:
        own = super().certificate(epsilon)
        return self._found(np.array([epsilon])).certificate(epsilon, own) or own

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._found(epsilon).slopes()

    def _served(self, found: Estimates, at: IntArray, epsilon: FloatArray) -> Estimates:
        """``found``, with the places ``at`` asked of contours, old ones first."""
        for arc in self._arcs:
            self._improve(found, at, arc, epsilon)
        if self._refused[0] != self._effort.question:
            self._refused = self._effort.question, []
        for low, high in (*self._hopeless, *self._refused[1]):
            found.settle(at[(epsilon[at] >= low) & (epsilon[at] <= high)])
        while True:
            blunt = at[found.blunt(at, self.sharp) & (epsilon[at] < self._deep)]
            if not len(blunt):
                return found
            target = blunt[self._first(epsilon[blunt])]
            for arc in self._lay(float(epsilon[target])):
                if arc is not None:
                    self._arcs.append(arc)
                    self._improve(found, at, arc, epsilon)
                if not found.blunt(np.array([target]), self.sharp)[0]:
                    break
            if found.blunt(np.array([target]), self.sharp)[0] and epsilon[target] < self._deep:
                low, high = self._given_up(float(epsilon[target]))
                found.settle(blunt[(epsilon[blunt] >= low) & (epsilon[blunt] <= high)])

    def _first(self, epsilon: FloatArray) -> int:
        """Which of these eps a contour is laid for first."""
        return len(epsilon) // 2

    def _given_up(self, epsilon: float) -> tuple[float, float]:
        """Where no contour is tried again as none was of use at that eps, and between it and others like it; in this
        question alone, where the effort did not suffice.
        """
        low, high = epsilon * self.beside[0], epsilon * self.beside[1]
        for other in self._hopeless:
            if max(other[0], low) <= _BETWEEN * min(other[1], high):
                low, high = min(other[0], low), max(other[1], high)
        (self._refused[1] if self._effort.spent else self._hopeless).append((low, high))
        return low, high

    @staticmethod
    def _improve(found: Estimates, at: IntArray, arc: Laid, epsilon: FloatArray) -> None:
        at = at[(epsilon[at] >= arc.range[0]) & (epsilon[at] <= arc.range[1])]
        if len(at):
            found.improve(at, arc, epsilon)
