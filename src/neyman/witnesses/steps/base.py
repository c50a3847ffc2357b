"""What is asked of a kind of step in floats, to choose lines and paths: nothing of it is believed by whoever checks."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.witnesses.steps.shift import ComplexArray, Shifter

__all__ = ["Ended", "Step", "logsum"]


class Step(ABC):
    """``times`` steps of a kind."""

    times: int

    @property
    def shifter(self) -> Shifter | None:
        """What lays polylines of x for it on a path."""
        return None

    @abstractmethod
    def log_moment(self, w: float) -> float:
        """log A(w)^times; inf where it is out of reach."""

    @property
    def end(self) -> float:
        """The largest loss of a record added that losses come near without an atom there; inf where there is none."""
        return math.inf

    def last(self, remove: bool) -> float:
        """The largest loss of a direction that has an atom there; inf where none is known."""
        return math.inf

    @property
    def seen(self) -> bool:
        """Whether a step in which the record takes part is told from all others, whose losses are next to one atom."""
        return False

    @property
    def bounded(self) -> bool:
        """Whether losses end on either side."""
        return True

    def log_most(self, w: ComplexArray, about: float) -> FloatArray:
        """log of a bound on |A(w)|^times on a path; nothing where polylines tell."""
        return np.array([self.log_moment(float(x)) for x in w.real])

    def turned(self, w: ComplexArray) -> ComplexArray:
        """Where A(w) is found on a path."""
        return w

    @abstractmethod
    def log_modulus(self, w: float, omega: float) -> float:
        """log of a bound on |A(w + i omega')|^times beyond ``omega``."""

    def witness(self, w: float, far: float, omega: float, nats: float) -> dict[str, Any] | None:
        """Grids good to ``nats`` e-folds on the line at w to ``omega``, at ``far``, and beyond; None where none is."""
        return None


class Ended(Step):
    """One whose losses lie between two ends, and of which a path may fork: a sum of parts, each of its own loss."""

    listed: bool = False
    """Whether all sums of losses are listed at each node: there are more than two parts."""

    @property
    @abstractmethod
    def ladder(self) -> tuple[float, float, int]:
        """The least sum of losses of all steps, how far apart these sums are, and how many there are."""

    @abstractmethod
    def log_weights(self, height: float) -> FloatArray:
        """log of bounds of what each of them is multiplied by, at a height."""

    def last(self, remove: bool) -> float:
        """The largest of these sums."""
        first, gap, count = self.ladder
        return first + gap * (count - 1) if remove else -first


def logsum(v: FloatArray) -> FloatArray:
    """log of the sum of e^v."""
    top = np.max(v)
    return top + np.log(np.sum(np.exp(v - top)))
