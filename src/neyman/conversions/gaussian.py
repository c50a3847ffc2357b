"""The analytic Gaussian mechanism, by its one number psi = sensitivity / sigma, the sensitivity index: exact roads to
(epsilon, delta) and back.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import overload

import numpy as np
from scipy import special

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, inside, not_negative, positive
from neyman.conversions.arguments import SLACK, Numbers, levels, shaped
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.guarantees import GDP
from neyman.mechanisms.additive.rounding import at_least
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.pair import delta_score
from neyman.profiles.profile import Bracket

__all__ = ["gaussian_delta", "gaussian_epsilon", "gaussian_tail_epsilon", "psi_from", "sigma_from_psi"]

_LARGEST = 1e100  # no delta below 1 is certified beyond it
# relative: how far below a root that is looked for psi is tried, until it holds: steers
_STEPS = (0.0, *(UNIT * 4.0**i for i in range(14)))


@overload
def gaussian_epsilon(psi: float, delta: float) -> float: ...
@overload
def gaussian_epsilon(psi: float, delta: Numbers) -> FloatArray: ...
def gaussian_epsilon(psi: float, delta: float | Numbers) -> float | FloatArray:
    """Return the least epsilon >= 0 at which a Gaussian mechanism is (epsilon, ``delta``)-DP: the profile, read back.

    Parameters
    ----------
    psi : float
        Sensitivity / sigma, the sensitivity index; finite, >= 0.
    delta : float or array
        In [0, 1].

    Returns
    -------
    float or ndarray of the shape of ``delta``
        Rounded up, by about 1e-13 of itself; 0 where ``delta`` is at least delta(0).

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    Balle and Wang, Improving the Gaussian mechanism for differential privacy, 2018, Theorem 8 (it is exact): the
    analytic Gaussian mechanism.

    Examples
    --------
    >>> round(gaussian_epsilon(1.0, 1e-5), 6)
    4.377178
    """
    return GDP(not_negative("psi", psi)).epsilon(delta)


@overload
def gaussian_delta(psi: float, epsilon: float) -> float: ...
@overload
def gaussian_delta(psi: float, epsilon: Numbers) -> FloatArray: ...
def gaussian_delta(psi: float, epsilon: float | Numbers) -> float | FloatArray:
    """Return delta(epsilon) = Phi(psi/2 - epsilon/psi) - e^epsilon Phi(-psi/2 - epsilon/psi), which is exact.

    Parameters
    ----------
    psi : float
        Sensitivity / sigma; finite, >= 0.
    epsilon : float or array
        Finite, may be negative.

    Returns
    -------
    float or ndarray of the shape of ``epsilon``
        Rounded up, by less than 1e-13 of itself, or 2e-323; a psi below 1e-290 is answered by 5e-291.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    Balle and Wang, Improving the Gaussian mechanism for differential privacy, 2018, Theorem 8.

    Examples
    --------
    >>> round(gaussian_delta(1.0, 1.0), 6)
    0.126937
    """
    return GDP(not_negative("psi", psi)).delta(epsilon)


@overload
def gaussian_tail_epsilon(psi: float, delta: float) -> float: ...
@overload
def gaussian_tail_epsilon(psi: float, delta: Numbers) -> FloatArray: ...
def gaussian_tail_epsilon(psi: float, delta: float | Numbers) -> float | FloatArray:
    """Return the epsilon that the tail of the loss gives: SUFFICIENT for (epsilon, ``delta``)-DP, not necessary.

    P(L >= epsilon) = Phi(psi/2 - epsilon/psi) <= delta holds from psi^2/2 - psi Phi^-1(delta) on, cut at 0. The profile
    subtracts a second term, so `gaussian_epsilon` is smaller; this one shows what the tail alone costs.

    Parameters
    ----------
    psi : float
        Sensitivity / sigma; finite, >= 0.
    delta : float or array
        In (0, 1).

    Returns
    -------
    float or ndarray of the shape of ``delta``
        Rounded up, by at most 1e-14 times the larger of its two terms.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    References
    ----------
    Kaissis et al., A unified interpretation of the Gaussian mechanism, 2024, Lemma 1.

    Examples
    --------
    >>> round(gaussian_tail_epsilon(1.0, 1e-5), 6)
    4.764891
    """
    mu = not_negative("psi", psi)
    d = levels("delta", delta, "No Gaussian noise bounds the loss at delta = 0.")
    score = -special.ndtri(d.ravel())
    with np.errstate(over="ignore"):
        half = 0.5 * mu * mu
    tail = mu * score
    value = np.maximum(half + tail + SLACK * (half + np.abs(tail)) + SMALLEST, 0.0)
    return shaped(value if mu > 0.0 else np.zeros_like(value), d)


def psi_from(epsilon: float, delta: float) -> float:
    """Return the largest psi (= mu) whose Gaussian mechanism is certified to be (``epsilon``, ``delta``)-DP.

    Parameters
    ----------
    epsilon : float
        Finite, >= 0.
    delta : float
        In (0, 1).

    Returns
    -------
    float
        Rounded down, within 1e-12 of the largest psi, relatively (delta from 1e-290 to 1 - 1e-15, epsilon to 1e100).
        Where float64 can certify none, as for a delta below 1e-320, it is smaller, at last 0.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    It speaks of Gaussian mechanisms only. Of an (epsilon, delta) promise about anything else no finite mu follows.

    Examples
    --------
    >>> round(psi_from(1.0, 1e-5), 2), round(psi_from(6.0, 1e-6), 2)
    (0.27, 1.2)
    """
    cost = not_negative("epsilon", epsilon)
    d = inside("delta", delta, 0.0, 1.0, "At delta = 0 no Gaussian noise is enough, at delta = 1 none is needed.")
    tail, twice = -float(special.ndtri(d)), min(2.0 * cost, 1e300)
    e = np.array([cost])
    root = math.sqrt(tail * tail + twice)
    by_tail = twice / (tail + root) if tail > 0.0 else root - tail
    low = min(max(by_tail, 2.5 * d), _LARGEST) * (1.0 - SLACK)  # Lemma 1, and delta(0) < psi / 2.5
    high = low
    while high < _LARGEST and _holds(high, e, d):
        low, high = high, min(2.0 * high, _LARGEST)
    goal = float(delta_score(np.array([d]), np.array([math.log1p(-d)]))[0])

    def excess(log_psi: float) -> float:
        b = GaussianProfile(math.exp(log_psi)).bracket(e)
        return goal - float(delta_score(b.upper, b.log_gap_lower)[0])

    ends = math.log(max(low, SMALLEST)), math.log(max(high, SMALLEST))
    found = high
    if ends[0] < ends[1] and excess(ends[0]) < 0.0 < excess(ends[1]):
        from scipy import optimize  # a tenth of a second that most answers have no use for

        found = math.exp(float(optimize.brentq(excess, *ends, xtol=1e-16, rtol=4.0 * 2.0 * UNIT)))
    trials = (*(found * (1.0 - step) for step in _STEPS), low, low / 2.0)
    return next((trial for trial in trials if _holds(trial, e, d)), 0.0)


def sigma_from_psi(psi: float, sensitivity: float = 1.0) -> float:
    """Return the standard deviation of the noise that gives ``psi``: sensitivity / psi.

    With `psi_from` it calibrates exactly, at every epsilon: ``sigma_from_psi(psi_from(epsilon, delta), sensitivity)``.

    Parameters
    ----------
    psi : float
        Finite, > 0.
    sensitivity : float
        The largest change when one record is added or removed; finite, > 0.

    Returns
    -------
    float
        The least float64 that is not below the quotient.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the noise would not be finite.

    Examples
    --------
    >>> sigma_from_psi(0.5, 3.0)
    6.0
    """
    mu, change = positive("psi", psi), positive("sensitivity", sensitivity)
    try:
        return at_least(Fraction(change) / Fraction(mu))
    except OverflowError:
        raise InvalidParameter("psi", psi, f"large enough for finite noise at sensitivity {change!r}") from None


def _holds(psi: float, epsilon: FloatArray, delta: float) -> bool:
    """Whether delta(epsilon) <= ``delta`` is certified, from whichever of delta and 1 - delta is sharp."""
    b: Bracket = GaussianProfile(psi).bracket(epsilon)
    if delta <= 0.5:
        return bool(b.upper[0] <= delta)
    return bool(b.log_gap_lower[0] >= math.log1p(-delta) * (1.0 - 4.0 * UNIT))
