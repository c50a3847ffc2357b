"""The classical calibration of Gaussian noise, kept for comparison: valid below epsilon = 1 only."""

from __future__ import annotations

import math

from neyman._errors import InvalidParameter
from neyman._validate import inside, positive
from neyman.conversions.arguments import SLACK

__all__ = ["classical_sigma"]


def classical_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return sigma = sensitivity sqrt(2 log(1.25 / delta)) / epsilon: valid for epsilon in (0, 1) ONLY.

    Beyond epsilon = 1 the theorem is silent, and the formula gives too little noise from some epsilon on. It is never
    less noise than ``sigma_from_psi(psi_from(epsilon, delta), sensitivity)``, which is exact everywhere.

    Parameters
    ----------
    epsilon : float
        In (0, 1).
    delta : float
        In (0, 1).
    sensitivity : float
        The largest change when one record is added or removed; finite, > 0.

    Returns
    -------
    float
        Rounded up, by at most 1e-14 of itself.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain; an epsilon of 1 or more above all. Or if the noise would not be finite.

    References
    ----------
    Dwork and Roth, The algorithmic foundations of differential privacy, 2014, Theorem A.1.

    Examples
    --------
    >>> round(classical_sigma(0.5, 1e-5), 4)
    9.6896
    """
    way_out = "Beyond, use sigma_from_psi(psi_from(epsilon, delta), sensitivity), which is exact for every epsilon."
    e = inside("epsilon", epsilon, 0.0, 1.0, way_out)
    d = inside("delta", delta, 0.0, 1.0)
    factor = math.sqrt(2.0 * (math.log(1.25) - math.log(d)))
    sigma = positive("sensitivity", sensitivity) * factor / e * (1.0 + SLACK)
    if math.isinf(sigma):
        raise InvalidParameter("epsilon", epsilon, f"large enough for finite noise at sensitivity {sensitivity!r}")
    return sigma
