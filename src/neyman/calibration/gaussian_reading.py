"""What a number says in mu: the Gaussian mechanism of which the same number is true.

log mu is nearly linear in the log of noise, steps and rate alike, so that a secant on this scale needs few steps. These
readings steer and promise nothing; only that they rise where the number gets worse is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import log_ndtr, ndtri, ndtri_exp

__all__ = ["mu_of_advantage", "mu_of_bayes_error", "mu_of_delta", "mu_of_power"]

_LEAST, _MOST = -40.0, 12.0  # log mu


def mu_of_advantage(advantage: float) -> float:
    """Return mu with delta(0) = 2 Phi(mu / 2) - 1."""
    if advantage < 0.5:
        return (
            -2.0 * float(ndtri(0.5 * (1.0 - advantage))) if advantage > 1e-6 else advantage * math.sqrt(2.0 * math.pi)
        )
    return -2.0 * float(ndtri(0.5 * max(1.0 - advantage, 1e-300)))


def mu_of_power(power: float, fpr: float) -> float:
    """Return mu with Phi(Phi^-1(fpr) + mu) = power."""
    if power >= 1.0:
        return math.exp(_MOST)
    return max(float(ndtri_exp(math.log(power)) - ndtri_exp(math.log(fpr))), 0.0)


def mu_of_delta(log_delta: float, epsilon: float) -> float:
    """Return mu with delta(epsilon) = e^log_delta, epsilon > 0."""

    def miss(log_mu: float) -> float:
        mu = math.exp(log_mu)
        x = epsilon / mu - 0.5 * mu
        power, load = float(log_ndtr(-x)), float(epsilon + log_ndtr(-x - mu))
        return power + math.log1p(-min(math.exp(min(load - power, 0.0)), 1.0 - 1e-16)) - log_delta

    return _solved(miss)


def mu_of_bayes_error(error: float, prior: float) -> float:
    """Return mu whose least error at P(absent) = prior is ``error``."""
    epsilon = math.log(prior) - math.log1p(-prior)

    def miss(log_mu: float) -> float:
        mu = math.exp(log_mu)
        x = epsilon / mu
        return error - prior * math.exp(log_ndtr(-x - 0.5 * mu)) - (1.0 - prior) * math.exp(log_ndtr(x - 0.5 * mu))

    return _solved(miss)


def _solved(miss: Callable[[float], float]) -> float:
    """The mu at which an increasing function of log mu vanishes, the nearest end where it does not."""
    from scipy.optimize import brentq  # a tenth of a second that most answers have no use for

    if miss(_LEAST) >= 0.0:
        return 0.0
    return math.exp(_MOST if miss(_MOST) <= 0.0 else float(brentq(miss, _LEAST, _MOST, xtol=1e-13, rtol=1e-14)))
