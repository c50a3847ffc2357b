"""GDP(mu): Gaussian differential privacy, given rather than computed."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import special

from neyman._validate import not_negative
from neyman.engines.closed_form import GaussianProfile
from neyman.guarantees.composed import PessimisticGuarantee
from neyman.guarantees.gaussian_fit import Fit
from neyman.guarantees.report import GDPReport
from neyman.guarantees.sides import Sides

__all__ = ["GDP"]


class GDP(PessimisticGuarantee):
    """The guarantee whose trade-off curve is G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu), the same in both directions.

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
        profile = GaussianProfile(not_negative("mu", mu))
        super().__init__(Sides(profile, profile), "add_or_remove")
        self._value = profile.mu

    @cached_property
    def auc(self) -> float:
        """The area under the ROC curve, Phi(mu / sqrt 2), rounded up."""
        return min(1.0, float(special.ndtr(self._value / np.sqrt(2.0))) * (1.0 + 1e-14))

    def fit(self, floor: float) -> Fit:
        """The Gaussian fit: itself, attained everywhere."""
        log_alpha = float(special.log_ndtr(-0.5 * self._value))
        return Fit(self._value, 0.0, log_alpha, 0.0)

    def _gdp(self, floor: float) -> GDPReport:
        return GDPReport(self._value, 0.0, floor, self._value, 0.0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GDP) and other._value == self._value

    def __hash__(self) -> int:
        return hash((GDP, self._value))

    def __repr__(self) -> str:
        return f"GDP(mu={self._value!r})"
