"""ApproximateDP(epsilon, delta): one pair, given rather than computed."""

from __future__ import annotations

import numpy as np

from neyman._validate import between, probability
from neyman.engines.closed_form.polygon import PolygonProfile
from neyman.guarantees.given.base import Given
from neyman.guarantees.given.pure import LARGEST_EPSILON

__all__ = ["ApproximateDP"]


class ApproximateDP(Given):
    """The guarantee of one (epsilon, delta) pair.

    f(alpha) = max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha)); nothing more follows from the pair
    (Wasserman and Zhou 2010; Kairouz, Oh and Viswanath 2017). With delta > 0 a record may be revealed with probability
    delta: no finite mu holds with no floor, none at a floor below delta, and epsilon is inf for every smaller delta.

    Parameters
    ----------
    epsilon : float
        In [0, 700].
    delta : float
        In [0, 1].

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> g = ApproximateDP(8.0, 1e-5)
    >>> g.epsilon([1e-5, 1e-6]).tolist(), g.mu(), round(g.roc(0.1), 5)
    ([8.0, inf], inf, 0.9997)
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        value = between("epsilon", epsilon, 0.0, LARGEST_EPSILON, "A larger one promises nothing: BLATANT.") + 0.0
        mass = probability("delta", delta) + 0.0
        profile = PolygonProfile(np.array([value]), np.array([mass]))
        super().__init__(profile, profile, epsilon=value, delta=mass)
