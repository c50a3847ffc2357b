"""The two asymptotic formulas of DP-SGD: Poisson and uniform sampling."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman._validate import count, positive, probability
from neyman.conversions.asymptotic import Asymptotic
from neyman.numerics.functions.gauss import gauss

__all__ = ["asymptotic_dpsgd_poisson", "asymptotic_dpsgd_uniform"]

_NODES, _WEIGHTS = gauss(20)  # on [-1, 1], for a difference that would cancel; limits are not certified
_OVERFLOWS = 1400.0  # of 1 / sigma^2: the root of its exponential is beyond float64


def asymptotic_dpsgd_poisson(noise_multiplier: float, sample_rate: float, steps: int) -> Asymptotic:
    """Return the limit for Poisson sampling, mu = q sqrt(T (e^(1/sigma^2) - 1)): asymptotic; may under-report.

    The limit is that of T -> inf with q sqrt(T) constant. For ``DPSGD(0.6, 1e-3, 10 ** 5)`` it says 1.23 where 1.39
    is certified.

    Parameters
    ----------
    noise_multiplier : float
        sigma, noise over the change that one added or removed record can make; finite, > 0.
    sample_rate : float
        q, in [0, 1].
    steps : int
        T, a whole number >= 0.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    Bu, Dong, Long and Su, Deep learning with Gaussian differential privacy, 2020.

    Examples
    --------
    >>> round(asymptotic_dpsgd_poisson(0.6, 1e-3, 10**5).mu, 4)
    1.2281
    """
    scale, inverse = _arguments(noise_multiplier, sample_rate, steps)
    square = inverse * inverse
    if square > _OVERFLOWS:
        mu = math.inf if scale else 0.0
    else:
        mu = scale * math.exp(0.5 * square) * math.sqrt(-math.expm1(-square))
    return Asymptotic(mu, "Poisson sampling: Bu, Dong, Long and Su 2020")


def asymptotic_dpsgd_uniform(noise_multiplier: float, sample_rate: float, steps: int) -> Asymptotic:
    """Return the limit for uniform samples of fixed size: asymptotic; may under-report.

    mu = r sqrt(2 T) sqrt(e^(1/sigma^2) Phi(3 / (2 sigma)) + 3 Phi(-1 / (2 sigma)) - 2), for T and the data set growing
    with r sqrt(T) constant.

    Parameters
    ----------
    noise_multiplier : float
        sigma, noise over the change that EXCHANGING one record can make (twice the clipping norm); finite, > 0.
    sample_rate : float
        r, the size of the sample over that of the data set, in [0, 1].
    steps : int
        T, a whole number >= 0.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    Dong, Roth and Su, Gaussian differential privacy, 2022, Corollary 5.4; Kaissis et al., A unified interpretation of
    the Gaussian mechanism, 2024, equation (5.7).

    Examples
    --------
    >>> round(asymptotic_dpsgd_uniform(1.0, 0.01, 10**4).mu, 4)
    1.7101
    """
    scale, x = _arguments(noise_multiplier, sample_rate, steps)
    if x * x > _OVERFLOWS:
        mu = math.inf if scale else 0.0
    else:
        # e^-x^2 times the bracket; near x = 0 it is x^2 / 2 and the other terms must not drown it
        rest = _difference(x) * math.exp(-x * x)
        grown = -math.expm1(-x * x) * float(special.ndtr(1.5 * x)) + rest
        mu = scale * math.sqrt(2.0) * math.exp(0.5 * x * x) * math.sqrt(max(grown, 0.0))
    return Asymptotic(mu, "uniform sampling: Dong, Roth and Su 2022, Corollary 5.4")


def _arguments(noise_multiplier: object, sample_rate: object, steps: object) -> tuple[float, float]:
    """Rate times root of steps, and 1 / sigma."""
    sigma = positive("noise_multiplier", noise_multiplier)
    rate = probability("sample_rate", sample_rate)
    return rate * math.sqrt(count("steps", steps)), min(1.0 / sigma, 1e150)


def _difference(x: float) -> float:
    """Phi(3x/2) + 3 Phi(-x/2) - 2, for small x as 3 times the integral of phi(s) (e^(-4 s^2) - 1) from 0 to x/2."""
    if x > 1.0:
        return float(special.ndtr(1.5 * x) + 3.0 * special.ndtr(-0.5 * x)) - 2.0
    s = 0.25 * x * (1.0 + _NODES)
    integrand = np.exp(-0.5 * s * s) * np.expm1(-4.0 * s * s)
    return 0.75 * x * float(np.sum(_WEIGHTS * integrand)) / math.sqrt(2.0 * math.pi)
