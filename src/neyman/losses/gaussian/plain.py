"""The loss of a Gaussian mechanism, or of any composition of Gaussian mechanisms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neyman.losses.base import Step

if TYPE_CHECKING:
    from neyman.losses.readings.bins import GridLaw

__all__ = ["GaussianStep"]


@dataclass(frozen=True, slots=True)
class GaussianStep(Step):
    """P = N(mu, 1) against Q = N(0, 1).

    In both directions L ~ N(mu^2 / 2, mu^2) under P and L ~ N(-mu^2 / 2, mu^2) under Q: the pair is its own reversal.

    Parameters
    ----------
    mu : float
        Sensitivity over standard deviation, > 0. Built from a mechanism it is the least float64 not below the exact
        value.
    least : float, optional
        The greatest float64 not above the exact value, which lies from ``least`` to ``mu``; ``mu`` if none is given.
        Bounds from above are those of ``mu``, bounds from below those of ``least``.

    Examples
    --------
    >>> GaussianStep(mu=0.5)
    GaussianStep(mu=0.5)
    """

    mu: float
    least: float = field(default=math.nan, repr=False)

    def __post_init__(self) -> None:
        if math.isnan(self.least):
            object.__setattr__(self, "least", self.mu)

    def within(self, other: Step) -> bool:
        return isinstance(other, GaussianStep) and self.mu <= other.mu

    @property
    def tail_mu(self) -> float:
        """Itself: the mechanism is exactly mu-GDP."""
        return self.mu

    @property
    def symmetric(self) -> bool:
        """It has."""
        return True

    def bins(self) -> GridLaw:
        from neyman.losses.gaussian.bins import Shape

        return Shape(1.0 / self.mu, 1.0)
