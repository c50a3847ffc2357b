"""GDP(mu): Gaussian differential privacy, given rather than computed."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import special

from neyman._validate import not_negative
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.engines.renyi.composition import CompositionDivergence
from neyman.guarantees.given.base import Given
from neyman.guarantees.loss.bounds import Bounds
from neyman.guarantees.loss.privacy_loss import LossDirection
from neyman.guarantees.questions.mu.at_floor import Fit
from neyman.guarantees.questions.report import GDPReport
from neyman.guarantees.renyi import Divergences
from neyman.losses.gaussian.plain import GaussianStep

__all__ = ["GDP"]


class GDP(Given):
    """The guarantee whose trade-off curve is G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu), the same in both directions.

    That of the Gaussian mechanism with the sensitivity index mu.

    Parameters
    ----------
    mu : float
        Finite, >= 0.

    Raises
    ------
    InvalidParameter
        If ``mu`` is not a finite number >= 0.

    Examples
    --------
    >>> g = GDP(1.0)
    >>> round(g.beta(0.05), 6), g.mu(), g.gdp().regret
    (0.740489, 1.0, 0.0)
    """

    def __init__(self, mu: float) -> None:
        self._hold(not_negative("mu", mu))

    @classmethod
    def between(cls, least: float, mu: float) -> GDP:
        """Return ``GDP(mu)`` of a mu that was rounded up, from no less than ``least``: bounds from below are those of
        ``least``.
        """
        found = cls.__new__(cls)
        found._hold(mu, least)
        return found

    def _hold(self, mu: float, least: float | None = None) -> None:
        profile = GaussianProfile(mu, least)
        super().__init__(profile, profile, mu=profile.mu)
        self._value, self.least = profile.mu, profile.least

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and isinstance(other, GDP) and other.least == self.least

    def __hash__(self) -> int:
        return super().__hash__()

    @cached_property
    def auc(self) -> float:
        """The area under the ROC curve, Phi(mu / sqrt 2), rounded up."""
        return min(1.0, float(special.ndtr(self._value / np.sqrt(2.0))) * (1.0 + 1e-14))

    @cached_property
    def divergences(self) -> Divergences:
        """Its Renyi divergences: mu^2 t / 2."""
        return CompositionDivergence(((GaussianStep(self._value, self.least), 1),), (True,))

    def known_mean(self, direction: LossDirection) -> Bounds | None:
        """mu^2 / 2, the Kullback-Leibler divergence."""
        low, high = (float(self.divergences.divergence(np.ones(1), upper)[0]) for upper in (False, True))
        return Bounds(low, high)

    def fit(self, floor: float) -> Fit:
        """The Gaussian fit: itself, attained everywhere."""
        log_alpha = float(special.log_ndtr(-0.5 * self._value))
        return Fit(self._value, 0.0, log_alpha, 0.0)

    def _gdp(self, floor: float) -> GDPReport:
        return GDPReport(self._value, 0.0, floor, self._value, 0.0)
