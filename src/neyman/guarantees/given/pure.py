"""PureDP(epsilon): nothing but epsilon, given rather than computed."""

from __future__ import annotations

import numpy as np

from neyman._validate import between
from neyman.engines.closed_form.polygon import PolygonProfile
from neyman.guarantees.given.base import Given

__all__ = ["LARGEST_EPSILON", "PureDP"]

LARGEST_EPSILON = 700.0  # beyond it e^epsilon is no float


class PureDP(Given):
    """The guarantee of epsilon-DP: f(alpha) = max(0, 1 - e^epsilon alpha, e^-epsilon (1 - alpha)).

    The curve of randomised response, of which every epsilon-DP mechanism is a post-processing (Kairouz, Oh and
    Viswanath 2017): nothing is lost. It is mu-GDP for mu = -2 Phi^-1(1 / (e^epsilon + 1)), with no floor.

    Parameters
    ----------
    epsilon : float
        In [0, 700].

    Raises
    ------
    InvalidParameter
        If ``epsilon`` lies outside [0, 700].

    Examples
    --------
    >>> g = PureDP(1.0)
    >>> g.epsilon(0.0), round(g.mu(), 7), round(g.advantage, 6)
    (1.0, 1.2320354, 0.462117)
    """

    def __init__(self, epsilon: float) -> None:
        value = between("epsilon", epsilon, 0.0, LARGEST_EPSILON, "A larger one promises nothing: BLATANT.") + 0.0
        profile = PolygonProfile(np.array([value]), np.zeros(1))
        super().__init__(profile, profile, epsilon=value)
