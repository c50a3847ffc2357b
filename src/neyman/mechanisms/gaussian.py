"""The Gaussian mechanism: add N(0, sigma^2) to a query."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from neyman._errors import InvalidParameter
from neyman._validate import positive
from neyman.losses.gaussian import GaussianStep
from neyman.mechanisms.base import Mechanism, SingleStep
from neyman.mechanisms.rounding import at_least

__all__ = ["Gaussian", "noise"]

WIDEST = 1e100  # keeps mu^2 times the largest count inside float64


@dataclass(frozen=True, slots=True, eq=False)
class Gaussian(SingleStep):
    """A query of given sensitivity released with Gaussian noise.

    It is exactly mu-GDP with mu = sensitivity / sigma (Dong, Roth and Su 2022, Theorem 2.7).

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, finite, > 0 and between 1e-100 and 1e+100 times the sensitivity.
    sensitivity : float, default 1.0
        The largest change, in Euclidean norm, when ONE record is added or removed; finite, > 0. When a record is
        replaced, one is removed and another added, so the query moves by up to twice this.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import Gaussian
    >>> Gaussian(sigma=2.0)
    Gaussian(sigma=2.0, sensitivity=1.0)
    >>> Gaussian(sigma=2.0).psi
    0.5
    """

    sigma: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        sensitivity = positive("sensitivity", self.sensitivity)
        object.__setattr__(self, "sigma", noise("sigma", self.sigma, sensitivity))
        object.__setattr__(self, "sensitivity", sensitivity)

    @property
    def psi(self) -> float:
        """Sensitivity / sigma, the mu of this mechanism, to the nearest float64."""
        return self.sensitivity / self.sigma

    @property
    def mu_squared(self) -> Fraction:
        """(sensitivity / sigma)^2, exactly."""
        return (Fraction(self.sensitivity) / Fraction(self.sigma)) ** 2

    @property
    def ratio(self) -> float | Fraction:
        """Sigma / sensitivity, exactly (the noise multiplier)."""
        return self.sigma if self.sensitivity == 1.0 else Fraction(self.sigma) / Fraction(self.sensitivity)

    @property
    def law(self) -> Hashable:
        """The kind and the exact noise multiplier."""
        return "gaussian", self.ratio

    @property
    def order(self) -> tuple[str | float, ...]:
        """Sort key among steps, kind first."""
        return "gaussian", self.sigma, self.sensitivity

    def loss(self) -> GaussianStep:
        """Return the Gaussian loss, mu rounded up."""
        return GaussianStep(at_least(Fraction(self.sensitivity) / Fraction(self.sigma)))

    def _sampled(self, rate: float) -> Mechanism:
        from neyman.mechanisms.poisson import PoissonSampled  # poisson.py builds on this file

        return PoissonSampled(self, rate)

    def to_node(self) -> dict[str, object]:
        """Return the dict form without the schema number."""
        return {"kind": "gaussian", "sigma": self.sigma, "sensitivity": self.sensitivity}


def noise(name: str, value: object, sensitivity: float = 1.0, advice: str = "") -> float:
    """Return a standard deviation whose ratio to the sensitivity the engines can hold."""
    sigma = positive(name, value, advice)
    if not 1.0 / WIDEST <= sigma / sensitivity <= WIDEST:
        allowed = f"between {1.0 / WIDEST:g} and {WIDEST:g} times the sensitivity {sensitivity!r}"
        raise InvalidParameter(name, value, allowed, advice)
    return sigma
