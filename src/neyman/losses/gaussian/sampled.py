"""The loss of one Poisson-subsampled Gaussian step, the step of DP-SGD."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neyman.losses.base import Step
from neyman.losses.gaussian.plain import GaussianStep

if TYPE_CHECKING:
    from neyman.losses.readings.bins import GridLaw
    from neyman.losses.readings.powers import PowerLaw
    from neyman.losses.readings.transform import Transform

__all__ = ["SubsampledGaussianStep"]


@dataclass(frozen=True, slots=True)
class SubsampledGaussianStep(Step):
    """(1 - rate) N(0, sigma^2) + rate N(1, sigma^2) against N(0, sigma^2).

    With r(x) = 1 - rate + rate exp((2 x - 1) / (2 sigma^2)) the likelihood ratio of the mixture to the plain Gaussian:

    - "remove": P is the mixture, Q the plain Gaussian and L = log r(x), so L > log(1 - rate);
    - "add": P is the plain Gaussian, Q the mixture and L = -log r(x), so L < -log(1 - rate).

    Parameters
    ----------
    sigma : float
        Standard deviation over sensitivity, > 0. Built from a mechanism it is the greatest float64 not above the exact
        quotient; with sensitivity 1 it is exact.
    rate : float
        Probability with which a record takes part, 0 < rate < 1.
    widest : float, optional
        The least float64 not below the exact quotient; ``sigma`` if none is given.

    Examples
    --------
    >>> SubsampledGaussianStep(sigma=9.4, rate=0.32768)
    SubsampledGaussianStep(sigma=9.4, rate=0.32768)
    """

    sigma: float
    rate: float
    widest: float = field(default=math.nan, repr=False)

    def __post_init__(self) -> None:
        if math.isnan(self.widest):
            object.__setattr__(self, "widest", self.sigma)

    @property
    def ends(self) -> tuple[SubsampledGaussianStep, SubsampledGaussianStep]:
        """Those of the widest noise and of the narrowest."""
        if self.widest == self.sigma:
            return self, self
        return SubsampledGaussianStep(self.widest, self.rate), SubsampledGaussianStep(self.sigma, self.rate)

    def within(self, other: Step) -> bool:
        if isinstance(other, SubsampledGaussianStep):
            return self.sigma >= other.sigma and self.rate <= other.rate
        return isinstance(other, GaussianStep) and self.tail_mu <= other.mu

    @property
    def tail_mu(self) -> float:
        """1 / sigma, of the mechanism that is not sampled: towards alpha = 0 sampling is no protection."""
        return math.nextafter(1.0 / self.sigma, math.inf)

    @property
    def symmetric(self) -> bool:
        """It has not."""
        return False

    def transform(self) -> Transform:
        from neyman.losses.gaussian.transform import SamplingTransform

        return SamplingTransform(self.sigma, self.rate)

    def bins(self) -> GridLaw:
        from neyman.losses.gaussian.bins import Shape

        return Shape(self.sigma, self.rate)

    def powers(self) -> tuple[PowerLaw, PowerLaw]:
        from neyman.losses.gaussian.powers import gaussian_powers

        return gaussian_powers(self.sigma, self.widest, self.rate, two_sided=False)
