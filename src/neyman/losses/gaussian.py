"""The loss of a Gaussian mechanism, or of any composition of Gaussian mechanisms."""

from __future__ import annotations

from dataclasses import dataclass

from neyman.losses.base import Step

__all__ = ["GaussianStep"]


@dataclass(frozen=True, slots=True)
class GaussianStep(Step):
    """P = N(mu, 1) against Q = N(0, 1).

    In both directions L ~ N(mu^2 / 2, mu^2) under P and L ~ N(-mu^2 / 2, mu^2) under Q: the pair is its own reversal.

    Parameters
    ----------
    mu : float
        Sensitivity over standard deviation, > 0. Built from a mechanism it is the least float64 not below the exact
        value, which therefore lies in (nextafter(mu, 0), mu].

    Examples
    --------
    >>> GaussianStep(mu=0.5)
    GaussianStep(mu=0.5)
    """

    mu: float

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
