"""What a law must know to be put on a lattice, in the orientation "remove"; "add" is read from the same bins."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.whole import demand_whole
from neyman.numerics.rounding import LARGEST_EXPONENT, UNIT

__all__ = ["BinSplit", "GridLaw", "Reach", "Tilted"]


Reach = tuple[float, float]
NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0)  # no nodes


class Tilted(NamedTuple):
    """log E_Q[e^{zL}], mean and variance of L under that tilt, and the stretch of the law, in units of its own, that
    carries it; the share that lies on no multiple of ``unit``. Steers; decides nothing.
    """

    value: float
    mean: float
    variance: float
    reach: Reach
    loose: float = 1.0


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
    uneven: float = 0.0  # how far from 1 the law itself sums to

    def weighed(self, law: object) -> BinSplit:
        """Itself, if bins, nodes and tails together are the whole of ``law``.

        Raises
        ------
        NotCertified
            If they do not sum to 1 under P and under Q, within ``relative`` and ``slack``.
        """
        edge = self.base + (self.first + np.arange(len(self.lower), dtype=np.float64)) * self.h
        at, log_node = self.nodes
        node = self.base + (self.first + at) * self.h
        far = float(np.max(np.abs(edge[[0, -1]]))) + self.h
        deep = max(float(np.max(np.abs(self.log_scale))), float(np.max(np.abs(log_node), initial=0.0)))
        # of the sums, which NumPy adds up in pairs: a product of vectors would round each of a million terms
        error = self.relative + self.uneven + 8.0 * UNIT * (16.0 + far + deep + math.log2(len(edge) + 1.0))
        with np.errstate(under="ignore"):
            mass = np.exp(self.log_scale)
            q = float(np.sum((self.lower + self.upper) * mass)) + float(np.sum(np.exp(log_node)))
            tilted = np.exp(np.minimum(self.log_scale + edge, LARGEST_EXPONENT))
            risen = (
                np.exp(np.minimum(self.log_scale + edge + self.h, LARGEST_EXPONENT))
                if self.h > 1.0
                else tilted * math.exp(self.h)
            )
            p = (
                float(np.sum(self.lower * tilted))
                + float(np.sum(self.upper * risen))
                + float(np.sum(np.exp(log_node + node)))
            )
        outside = [math.exp(self.below[side]) + math.exp(self.above[side]) for side in (0, 1)]
        demand_whole(law, "Q", q + outside[0], error, 2.0 * outside[0])
        demand_whole(law, "P", p + outside[1], error + 2.0 * self.slack, 2.0 * outside[1])
        return self


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
    def enclosed(self) -> bool:
        """Whether its bins hold a law below it, and what is above counts as revealed: not that law itself."""
        return False

    @property
    def exact_end(self) -> Fraction | None:
        """The largest loss, where it is rational and the same in both directions."""
        return None

    @abstractmethod
    def end(self, remove: bool) -> float:
        """The largest loss in that direction."""

    def listed(self, remove: bool) -> tuple[float, float]:
        """A loss in that direction, and a bound on the mass of what lies above it."""
        return self.end(remove), 0.0

    @abstractmethod
    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        """The law under the tilt e^{zL}, one of ``times``; c = z - 1 for "remove", -z for "add"."""

    def extended(self, reach: Reach, depth: float, remove: bool) -> Reach:
        """``reach``, out to where no more than e^-``depth`` is left beyond the large losses of that direction."""
        return reach

    def within(self, reach: Reach) -> GridLaw:
        """The law without outcomes that lie outside ``reach``: it steers, it decides nothing."""
        return self

    def common(self, log_least: float) -> GridLaw:
        """The law without outcomes that weigh less than that under both laws, which count as left out: itself, or one
        whose bounds on delta hold for this law, too.
        """
        return self

    @abstractmethod
    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        """The first and the last edge of the bins that cover ``reach``."""

    def labour(self, reach: Reach, h: float) -> float:
        """Nominal nanoseconds that bins over ``reach`` take however few they are."""
        return 0.0

    @abstractmethod
    def span(self, reach: Reach) -> float:
        """How wide ``reach`` is, in loss."""

    def strain(self, z: float) -> float:
        """How far the tilt e^{zL} moves the law beyond where it can be seen; 0 for bounded losses."""
        return 0.0

    @abstractmethod
    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        """The masses between two edges; what cannot lie on an edge anyhow may be placed to suit the direction."""

    def gathered(self, h: float, first: int, last: int) -> BinSplit | None:
        """Bins of a law below this one, on a lattice of its own with about that spacing: what lies at its lower end,
        and is steep there, is gathered at the mean of e^L. None where nothing is steep, or a lattice of spacing ``h``
        does not hold both ends.
        """
        return None
