"""Poisson sampling: every record takes part independently with the same probability."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from neyman._errors import InvalidParameter
from neyman._validate import inside
from neyman.losses.subsampled_gaussian import SubsampledGaussianStep
from neyman.mechanisms.base import Mechanism, SingleStep
from neyman.mechanisms.gaussian import Gaussian
from neyman.mechanisms.rounding import at_least, at_most

__all__ = ["PoissonSampled"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PoissonSampled(SingleStep):
    """A Gaussian mechanism run on a fresh Poisson sample of the records; built by ``m.poisson(rate)``.

    Its dominating pair is (1 - rate) N(0, s^2) + rate N(1, s^2) against N(0, s^2), s = sigma / sensitivity, and the
    reverse (Zhu, Dong and Wang 2022, on Poisson sampling).

    Parameters
    ----------
    of : Gaussian
        What runs on the sample.
    rate : float
        Probability with which a record takes part, 0 < rate < 1.

    Raises
    ------
    InvalidParameter
        If ``of`` is not a Gaussian or ``rate`` is not in (0, 1).

    Examples
    --------
    >>> from neyman import Gaussian
    >>> Gaussian(9.4).poisson(0.5).poisson(0.5)
    Gaussian(sigma=9.4, sensitivity=1.0).poisson(0.25)
    """

    of: Gaussian
    rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.of, Gaussian):
            raise InvalidParameter("of", self.of, "a Gaussian")
        advice = "m.poisson(rate) also takes 0 and 1."
        object.__setattr__(self, "rate", inside("rate", self.rate, 0.0, 1.0, advice))

    def __repr__(self) -> str:
        return f"{self.of!r}.poisson({self.rate!r})"

    @property
    def law(self) -> Hashable:
        """The kind, the law of what is sampled and the rate."""
        return "poisson", self.of.law, self.rate

    @property
    def order(self) -> tuple[str | float, ...]:
        """Sort key among steps, kind first."""
        return "poisson", *self.of.order, self.rate

    def loss(self) -> SubsampledGaussianStep:
        """Return the loss of one sampled step, sigma rounded down."""
        return SubsampledGaussianStep(at_most(Fraction(self.of.ratio)), self.rate)

    def _sampled(self, rate: float) -> Mechanism:
        return PoissonSampled(self.of, at_least(Fraction(self.rate) * Fraction(rate)))

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        return {"kind": "poisson", "rate": self.rate, "of": self.of.to_node()}
