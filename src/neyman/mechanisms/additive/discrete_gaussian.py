"""The discrete Gaussian mechanism: add whole-numbered noise of Gaussian shape to a count."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from neyman._errors import InvalidParameter
from neyman._validate import between, whole
from neyman.losses.discrete.steps import DiscreteGaussianStep
from neyman.mechanisms.sampled.unsampled import Unsampled

__all__ = ["DiscreteGaussian"]

LEAST, WIDEST = 0.03, 1e4  # sigma: the noise is listed integer by integer
FURTHEST = 10**5  # sensitivity at most
STEEPEST = 1e3  # sensitivity over sigma


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteGaussian(Unsampled):
    """A whole number released with noise of mass proportional to e^{-x^2 / (2 sigma^2)} on the integers.

    It is as concentrated as the Gaussian mechanism of the same sigma, rho = sensitivity^2 / (2 sigma^2) (Canonne,
    Kamath and Steinke 2020), but its trade-off curve is its own, with corners. For one number: compose the coordinates
    of a vector, each with its own sensitivity.

    Parameters
    ----------
    sigma : float
        The parameter of the noise (from 1 on, very nearly its standard deviation), in [0.03, 1e+4] and at least a
        thousandth of the sensitivity.
    sensitivity : int, default 1
        The largest change when ONE record is added or removed, a whole number from 1 to 1e+5. When a record is replaced
        the query moves by up to twice this.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import DiscreteGaussian
    >>> DiscreteGaussian(sigma=8.0) ** 10
    DiscreteGaussian(sigma=8.0, sensitivity=1) ** 10
    """

    kind: ClassVar[str] = "discrete_gaussian"

    sigma: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        sensitivity = whole("sensitivity", self.sensitivity, 1, FURTHEST)
        sigma = between("sigma", self.sigma, LEAST, WIDEST)
        if not sensitivity / sigma <= STEEPEST:
            raise InvalidParameter("sigma", self.sigma, f"at least the sensitivity {sensitivity} over {STEEPEST:g}")
        object.__setattr__(self, "sigma", sigma)
        object.__setattr__(self, "sensitivity", sensitivity)

    @property
    def law(self) -> Hashable:
        """The kind and both numbers: on the integers there is no other spelling."""
        return self.kind, self.sigma, self.sensitivity

    def loss_at(self, rate: float, replace: bool) -> DiscreteGaussianStep:
        """Return the loss."""
        if rate < 1.0:
            return DiscreteGaussianStep(self.sigma, self.sensitivity, rate, two_sided=replace)
        return DiscreteGaussianStep(self.sigma, self.sensitivity * (2 if replace else 1))
