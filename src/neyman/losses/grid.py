"""What a law must know to be put on a lattice, in the orientation "remove"; "add" is read from the same bins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray

__all__ = ["BinSplit", "GridLaw", "Reach", "Tilted"]

Reach = tuple[float, float]
NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0)


class Tilted(NamedTuple):
    """log E_Q[e^{zL}], mean and variance of L under that tilt, and the stretch of the law, in units of its own, that
    carries it. Steers; decides nothing.
    """

    value: float
    mean: float
    variance: float
    reach: Reach


@dataclass(frozen=True, slots=True)
class BinSplit:
    """Masses (without the record) of the bins ``first .. first + n``, each divided between its ends.

    The masses are ``lower * exp(log_scale)`` and ``upper * exp(log_scale)``. ``relative`` bounds the error of each of
    them relative to their sum; ``slack`` bounds the distance between the true loss at an edge and base + i h;
    ``variation`` bounds, per bin, how much the logarithm of the density of e^L (or of e^-L) varies. The tails are
    logarithms of the masses (without, with the record) outside. ``nodes`` are outcomes that lie at edges, no part of
    the bins: the indices of the edges, counted from ``first``, and the logs of the masses. ``lone``: bins of infinite
    variation hold lone outcomes, or what may be such.
    """

    base: float
    first: int
    h: float
    lower: FloatArray
    upper: FloatArray
    log_scale: FloatArray
    variation: FloatArray
    relative: float
    slack: float
    below: tuple[float, float]
    above: tuple[float, float]
    nodes: tuple[NDArray[np.int64], FloatArray] = NOTHING
    lone: bool = False


class GridLaw(ABC):
    """The loss law of one step, ready to be divided into bins of any width."""

    @property
    @abstractmethod
    def base(self) -> float:
        """The loss at which bin 0 begins."""

    @property
    def unit(self) -> float | None:
        """The spacing of its losses, if they have one: multiples of it hold the law exactly."""
        return None

    @property
    def exact(self) -> bool:
        """Whether a lattice of that spacing holds it exactly."""
        return self.unit is not None

    @property
    def exact_end(self) -> Fraction | None:
        """The largest loss, where it is rational and the same in both directions."""
        return None

    @abstractmethod
    def end(self, remove: bool) -> float:
        """The largest loss in that direction."""

    @abstractmethod
    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        """The law under the tilt e^{zL}, one of ``times``; c = z - 1 for "remove", -z for "add"."""

    def extended(self, reach: Reach, depth: float, remove: bool) -> Reach:
        """``reach``, out to where no more than e^-``depth`` is left beyond the large losses of that direction."""
        return reach

    @abstractmethod
    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        """The first and the last edge of the bins that cover ``reach``."""

    @abstractmethod
    def span(self, reach: Reach) -> float:
        """How wide ``reach`` is, in loss."""

    def strain(self, z: float) -> float:
        """How far the tilt e^{zL} moves the law beyond where it can be seen; 0 for bounded losses."""
        return 0.0

    @abstractmethod
    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        """The masses between two edges; what cannot lie on an edge anyhow may be placed to suit the direction."""
