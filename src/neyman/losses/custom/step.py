"""A loss known by its distribution functions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.base import Step
from neyman.losses.custom.bins import CustomGrid, Distribution
from neyman.losses.custom.powers import enclosing_powers
from neyman.losses.readings.powers import PowerLaw
from neyman.numerics.functions.gauss import gauss

__all__ = ["CustomStep", "Distribution", "DistributionOfDensity"]

_PANELS = 4096  # of a quadrature that steers
_NODES, _WEIGHTS = gauss(8)  # of one panel


@dataclass(frozen=True, slots=True)
class CustomStep(Step):
    """P(L <= x) and Q(L <= x) of a loss between ``low`` and ``high``; sampled with ``rate``.

    Examples
    --------
    >>> CustomStep(np.exp, np.exp, 0.0, 1.0).tail_mu
    inf
    """

    p_cdf: Distribution
    q_cdf: Distribution
    low: float
    high: float
    rate: float = 1.0

    @property
    def tail_mu(self) -> float:
        """Not known: nothing is known beyond float64."""
        return math.inf

    @property
    def symmetric(self) -> bool:
        """Not known to be."""
        return False

    def bins(self) -> CustomGrid:
        return CustomGrid(self.p_cdf, self.q_cdf, self.low, self.high, self.rate)

    def powers(self) -> tuple[PowerLaw, PowerLaw]:
        return enclosing_powers(self.bins())

    def largest_loss(self, remove: bool) -> float:
        return self.bins().end(remove)


@dataclass(frozen=True)
class DistributionOfDensity:
    """The distribution function of a smooth log density on an interval: Gauss-Legendre on 4096 panels.

    Examples
    --------
    >>> f = DistributionOfDensity(lambda x: np.zeros_like(x), 0.0, 1.0)
    >>> f(np.array([-1.0, 0.25, 2.0])).round(12)
    array([0.  , 0.25, 1.  ])
    """

    log_density: Distribution
    low: float
    high: float
    _edge: FloatArray = field(init=False, repr=False, compare=False)
    _before: FloatArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        edge = np.linspace(self.low, self.high, _PANELS + 1)
        object.__setattr__(self, "_edge", edge)
        object.__setattr__(self, "_before", np.append(0.0, np.cumsum(self._mass(edge[:-1], edge[1:]))))

    def __call__(self, x: FloatArray) -> FloatArray:
        at = np.clip(np.asarray(x, dtype=np.float64), self.low, self.high)
        panel = np.clip(np.searchsorted(self._edge, at, side="right") - 1, 0, _PANELS - 1)
        return self._before[panel] + self._mass(self._edge[panel], at)

    def _mass(self, start: FloatArray, stop: FloatArray) -> FloatArray:
        half = 0.5 * (stop - start)
        at = (start + half)[..., None] + half[..., None] * _NODES
        return half * (np.exp(self.log_density(at)) @ _WEIGHTS)
