"""The Gaussian mechanism: add N(0, sigma^2) to a query."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from neyman._validate import positive
from neyman.losses.base import Step
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.mechanisms.additive.scale import noise
from neyman.mechanisms.base import Mechanism
from neyman.mechanisms.sampled.unsampled import Unsampled

__all__ = ["Gaussian", "gaussian_noise"]

WIDEST = 1e100  # keeps mu^2 times the largest count inside float64


@dataclass(frozen=True, slots=True, eq=False)
class Gaussian(Unsampled):
    """A query of given sensitivity released with Gaussian noise.

    It is exactly mu-GDP with mu = sensitivity / sigma (Dong, Roth and Su 2022, Theorem 2.7). Accounted for, it is the
    analytic Gaussian mechanism: ``epsilon(delta)`` and ``delta(epsilon)`` are exact (Balle and Wang 2018, Theorem 8),
    at every epsilon and not only below 1; ``calibrate`` finds the least sigma.

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

    kind: ClassVar[str] = "gaussian"

    sigma: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        sensitivity = positive("sensitivity", self.sensitivity)
        object.__setattr__(self, "sigma", gaussian_noise("sigma", self.sigma, sensitivity))
        object.__setattr__(self, "sensitivity", sensitivity)

    @property
    def psi(self) -> float:
        """The sensitivity index, sensitivity / sigma, the mu of this mechanism: the least float64 not below it."""
        return at_least(Fraction(self.sensitivity) / Fraction(self.sigma))

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
        return self.kind, self.ratio

    def allocated(self, steps: int) -> Mechanism:
        """Run this mechanism on batches into which the records are dealt at random: each is in one of ``steps``.

        ``m.allocated(steps) ** epochs`` deals them anew for every epoch.

        Parameters
        ----------
        steps : int
            From 1 to 1e9; of one step it is the mechanism itself.

        Raises
        ------
        InvalidParameter
            If ``steps`` is not such a number.

        Examples
        --------
        >>> Gaussian(2.0).allocated(100) ** 3
        Gaussian(sigma=2.0, sensitivity=1.0).allocated(100) ** 3
        """
        return self.balls_in_bins(steps, 1)

    def balls_in_bins(self, steps: int, epochs: int) -> Mechanism:
        """The same for ``epochs`` with the same batches: each record is in the same one of ``steps`` every time.

        Parameters
        ----------
        steps, epochs : int
            From 1 to 1e9.

        Raises
        ------
        InvalidParameter
            If one is not such a number.

        Examples
        --------
        >>> Gaussian(2.0).balls_in_bins(100, epochs=4) == Gaussian(1.0).allocated(100)
        True
        """
        from neyman.mechanisms.sampled.allocated import allocated  # allocated.py builds on this file

        return allocated(self, steps, epochs)

    def loss_at(self, rate: float, replace: bool) -> Step:
        """Return the Gaussian loss, mu rounded either way; or that of a sampled step, sigma rounded either way."""
        if rate == 1.0:
            mu = (2 if replace else 1) / Fraction(self.ratio)
            return GaussianStep(at_least(mu), at_most(mu))
        sampled, exact = ReplacedGaussianStep if replace else SubsampledGaussianStep, self.ratio
        if not isinstance(exact, Fraction):  # a float is its own rounding
            return sampled(exact, rate, exact)
        return sampled(at_most(exact), rate, at_least(exact))


def gaussian_noise(name: str, value: object, sensitivity: float = 1.0) -> float:
    """Return a standard deviation whose ratio to the sensitivity the engines can hold."""
    return noise(name, value, sensitivity, 1.0 / WIDEST, WIDEST)
