"""The loss of the Laplace mechanism, whole or Poisson-sampled."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neyman.losses.base import Step
from neyman.numerics.rounding import SCANT

if TYPE_CHECKING:
    from neyman.losses.laplace.bins import LaplaceLaw
    from neyman.losses.readings.powers import PowerLaw
    from neyman.losses.readings.transform import Transform

# certifies: ``ndtri_exp`` of log p <= -log 2 is off by 9 units at most, but for log p below -3000, where it is further
# out than the truth, by up to 6000
_PROBIT = 1e-13

__all__ = ["LaplaceStep"]


@dataclass(frozen=True, slots=True)
class LaplaceStep(Step):
    """(1 - rate) F_0 + rate F_1 against F_0, where F_m has the density e^{-|x - m| / b} / (2 b).

    With ``two_sided`` against (1 - rate) F_0 + rate F_-1 instead: one record exchanged for another.

    Parameters
    ----------
    scale : float
        b, scale over sensitivity, > 0, rounded down when it is built from a mechanism.
    rate : float
        Probability with which a record takes part, 0 < rate <= 1.
    two_sided : bool
        Whether a record is exchanged rather than added; only with rate < 1.
    widest : float, optional
        The least float64 not below the exact scale; ``scale`` if none is given.

    Examples
    --------
    >>> round(LaplaceStep(scale=1.0).tail_mu, 10)
    1.0300639976
    """

    scale: float
    rate: float = 1.0
    two_sided: bool = False
    widest: float = field(default=math.nan, repr=False)

    def __post_init__(self) -> None:
        if math.isnan(self.widest):
            object.__setattr__(self, "widest", self.scale)

    @property
    def ends(self) -> tuple[LaplaceStep, LaplaceStep]:
        """Those of the widest noise and of the narrowest."""
        if self.widest == self.scale:
            return self, self
        return (
            LaplaceStep(self.widest, self.rate, self.two_sided), LaplaceStep(self.scale, self.rate, self.two_sided)
        )  # fmt: skip

    def within(self, other: Step) -> bool:
        """A Laplace law is a narrower one and more noise: their transforms' quotient is that of itself mixed with 0."""
        if not isinstance(other, LaplaceStep) or self.two_sided != other.two_sided:
            return False
        return self.scale >= other.scale and self.rate <= other.rate

    @property
    def tail_mu(self) -> float:
        """Of the mechanism when it is not sampled: -2 Phi^-1(e^{-1/(2b)} / 2), the touching point of G_mu and f.

        f = e^{-1/b} / (4 alpha) between its two straight ends; along it Phi^-1(1 - alpha) - Phi^-1(beta) is concave in
        log alpha, because the hazard of the normal law rises, and symmetric: largest at the fixed point.
        """
        from scipy.special import ndtri_exp

        loss = (2.0 if self.two_sided else 1.0) / self.scale
        return float(-2.0 * ndtri_exp(-0.5 * loss * (1.0 + SCANT) - math.log(2.0))) * (1.0 + _PROBIT) + SCANT

    @property
    def symmetric(self) -> bool:
        """Unless a record may stay out of it."""
        return self.rate == 1.0 or self.two_sided

    def transform(self) -> Transform:
        from neyman.losses.laplace.transform import LaplaceTransform

        return LaplaceTransform(self.bins())

    def bins(self) -> LaplaceLaw:
        from neyman.losses.laplace.bins import LaplaceLaw

        return LaplaceLaw(self.scale, self.rate, self.two_sided)

    def powers(self) -> tuple[PowerLaw, PowerLaw]:
        from neyman.losses.laplace.powers import laplace_powers

        return laplace_powers(self.ends[0].bins()), laplace_powers(self.bins())

    def largest_loss(self, remove: bool) -> float:
        return self.bins().end(remove)
