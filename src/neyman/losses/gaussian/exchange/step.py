"""The loss of one Poisson-sampled Gaussian step when a record is exchanged for another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neyman.losses.base import Step
from neyman.losses.gaussian.plain import GaussianStep
from neyman.numerics.rounding import UNIT

if TYPE_CHECKING:
    from neyman.losses.readings.bins import GridLaw
    from neyman.losses.readings.powers import PowerLaw
    from neyman.losses.readings.transform import Transform

__all__ = ["ReplacedGaussianStep"]


@dataclass(frozen=True, slots=True)
class ReplacedGaussianStep(Step):
    """(1 - rate) N(0, sigma^2) + rate N(1, sigma^2) against (1 - rate) N(0, sigma^2) + rate N(-1, sigma^2).

    Parameters
    ----------
    sigma : float
        Standard deviation over sensitivity, > 0, rounded down when it is built from a mechanism.
    rate : float
        Probability with which a record takes part, 0 < rate < 1.
    widest : float, optional
        The least float64 not below the exact quotient; ``sigma`` if none is given.

    Examples
    --------
    >>> ReplacedGaussianStep(sigma=4.0, rate=0.1).tail_mu
    0.5
    """

    sigma: float
    rate: float
    widest: float = field(default=math.nan, repr=False)

    def __post_init__(self) -> None:
        if math.isnan(self.widest):
            object.__setattr__(self, "widest", self.sigma)

    @property
    def ends(self) -> tuple[ReplacedGaussianStep, ReplacedGaussianStep]:
        """Those of the widest noise and of the narrowest."""
        if self.widest == self.sigma:
            return self, self
        return ReplacedGaussianStep(self.widest, self.rate), ReplacedGaussianStep(self.sigma, self.rate)

    def within(self, other: Step) -> bool:
        if isinstance(other, ReplacedGaussianStep):
            return self.sigma >= other.sigma and self.rate <= other.rate
        return isinstance(other, GaussianStep) and self.tail_mu <= other.mu

    @property
    def tail_mu(self) -> float:
        """2 / sigma, of the mechanism that is not sampled: sampling only mixes that pair with a pair of equals."""
        exact = 2.0 / self.sigma
        return exact if exact * self.sigma == 2.0 else exact * (1.0 + 2.0 * UNIT)

    @property
    def symmetric(self) -> bool:
        """It has: x and -x change places."""
        return True

    def transform(self) -> Transform:
        from neyman.losses.gaussian.exchange.transform import ReplacedTransform

        return ReplacedTransform(self.sigma, self.rate)

    def bins(self) -> GridLaw:
        from neyman.losses.gaussian.exchange.bins import ReplacedGrid

        return ReplacedGrid(self.sigma, self.rate)

    def powers(self) -> tuple[PowerLaw, PowerLaw]:
        from neyman.losses.gaussian.powers import gaussian_powers

        return gaussian_powers(self.sigma, self.widest, self.rate, two_sided=True)
