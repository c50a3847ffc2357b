"""Renyi DP -> (epsilon, delta): the conversions of the literature, each under its own name.

A mechanism with D_t(P || Q) <= rho at one order t > 1 has, for every delta in (0, 1), the epsilon of

    standard      rho + log(1/delta) / (t - 1)                                              (Mironov 2017)
    improved B    rho + log((t-1)/t) - (log delta + log t) / (t-1)                          (Balle et al. 2020)
    improved A    t delta >= 1:   rho + log(1 - delta)                                      (Asoodeh et al. 2021)
                  t delta <  1:   the smaller of B and log(1 + (e^((t-1) rho) - 1) / (t delta)) / (t-1)

each cut at 0, and

    delta(eps) = e^((t-1) (rho - eps)) / (t-1) (1 - 1/t)^t                                  (Canonne et al. 2020)

which solved for eps is B again: one implementation. Of several orders the best is taken, since all hold at once.
Every value is that of the formula, rounded up, by at most 1e-14 times the largest of its terms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

import numpy as np

from neyman._validate import FloatArray, reals
from neyman.conversions.arguments import SLACK, Numbers, levels, rdp_pairs, shaped
from neyman.numerics.rounding import SMALLEST

__all__ = ["rdp_best", "rdp_epsilon_cks", "rdp_improved_a", "rdp_improved_b", "rdp_profile_cks", "rdp_standard"]

_NO_PURE_DP = "Renyi DP of finite orders bounds no epsilon at delta = 0."

_Formula = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]


@overload
def rdp_standard(orders: float | Numbers, epsilons: float | Numbers, delta: float) -> float: ...
@overload
def rdp_standard(orders: float | Numbers, epsilons: float | Numbers, delta: Numbers) -> FloatArray: ...
def rdp_standard(orders: float | Numbers, epsilons: float | Numbers, delta: float | Numbers) -> float | FloatArray:
    """Return epsilon by the standard conversion, rho + log(1/delta) / (t - 1), at the best of the orders.

    Parameters
    ----------
    orders : float or array of shape (m,)
        Finite, > 1.
    epsilons : float or array of shape (m,)
        The epsilon of Renyi DP at each order, >= 0; inf where none is known.
    delta : float or array
        In (0, 1).

    Returns
    -------
    float or ndarray of the shape of ``delta``
        Rounded up by at most 1e-14 times the largest term.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the two lists differ in length.

    References
    ----------
    Mironov, Renyi differential privacy, 2017, Proposition 3.

    Examples
    --------
    >>> round(rdp_standard([2.0, 8.0], [1.0, 4.0], 1e-5), 4)
    5.6447
    """
    return _epsilon(_standard, orders, epsilons, delta)


@overload
def rdp_improved_b(orders: float | Numbers, epsilons: float | Numbers, delta: float) -> float: ...
@overload
def rdp_improved_b(orders: float | Numbers, epsilons: float | Numbers, delta: Numbers) -> FloatArray: ...
def rdp_improved_b(orders: float | Numbers, epsilons: float | Numbers, delta: float | Numbers) -> float | FloatArray:
    """Return epsilon by the conversion of Balle et al., at the best of the orders; never above `rdp_standard`.

    rho + log((t-1)/t) - (log delta + log t) / (t-1), cut at 0: the inverse of `rdp_profile_cks`.

    Parameters
    ----------
    orders : float or array of shape (m,)
        Finite, > 1.
    epsilons : float or array of shape (m,)
        The epsilon of Renyi DP at each order, >= 0; inf where none is known.
    delta : float or array
        In (0, 1).

    Returns
    -------
    float or ndarray of the shape of ``delta``
        Rounded up by at most 1e-14 times the largest term.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the two lists differ in length.

    References
    ----------
    Balle, Barthe, Gaboardi, Hsu and Sato, Hypothesis testing interpretations and Renyi differential privacy, 2020,
    Theorem 21.

    Examples
    --------
    >>> round(rdp_improved_b([2.0, 8.0], [1.0, 4.0], 1e-5), 4)
    5.2141
    """
    return _epsilon(_improved_b, orders, epsilons, delta)


@overload
def rdp_improved_a(orders: float | Numbers, epsilons: float | Numbers, delta: float) -> float: ...
@overload
def rdp_improved_a(orders: float | Numbers, epsilons: float | Numbers, delta: Numbers) -> FloatArray: ...
def rdp_improved_a(orders: float | Numbers, epsilons: float | Numbers, delta: float | Numbers) -> float | FloatArray:
    """Return epsilon by the conversion of Asoodeh et al., at the best of the orders; never above `rdp_improved_b`.

    It gains on B where rho is small against delta, and where t delta >= 1.

    Parameters
    ----------
    orders : float or array of shape (m,)
        Finite, > 1.
    epsilons : float or array of shape (m,)
        The epsilon of Renyi DP at each order, >= 0; inf where none is known.
    delta : float or array
        In (0, 1).

    Returns
    -------
    float or ndarray of the shape of ``delta``
        Rounded up by at most 1e-14 times the largest term.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the two lists differ in length.

    References
    ----------
    Asoodeh, Liao, Calmon, Kosut and Sankar, Three variants of differential privacy, 2021; as Corollary 12 of Kaissis et
    al., A unified interpretation of the Gaussian mechanism, states it.

    Examples
    --------
    >>> [round(rule(2.0, 1e-6, 1e-3), 6) for rule in (rdp_improved_a, rdp_improved_b)]
    [0.0005, 5.521462]
    """
    return _epsilon(_improved_a, orders, epsilons, delta)


@overload
def rdp_best(orders: float | Numbers, epsilons: float | Numbers, delta: float) -> float: ...
@overload
def rdp_best(orders: float | Numbers, epsilons: float | Numbers, delta: Numbers) -> FloatArray: ...
def rdp_best(orders: float | Numbers, epsilons: float | Numbers, delta: float | Numbers) -> float | FloatArray:
    """Return the least epsilon of all the formulas here, and 0 where the total variation is certainly at most delta.

    With r the least of ``epsilons``, the total variation is at most sqrt(r / 2) (Pinsker) and sqrt(1 - e^-r)
    (Bretagnolle and Huber). Still no optimal conversion: that asks what f follows from all orders at once.

    Parameters
    ----------
    orders : float or array of shape (m,)
        Finite, > 1.
    epsilons : float or array of shape (m,)
        The epsilon of Renyi DP at each order, >= 0; inf where none is known.
    delta : float or array
        In (0, 1).

    Returns
    -------
    float or ndarray of the shape of ``delta``
        Rounded up by at most 1e-14 times the largest term.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the two lists differ in length.

    Examples
    --------
    >>> rdp_best([2.0, 8.0], [1e-6, 4e-6], 1e-3)
    0.0
    """
    t, rho = rdp_pairs(orders, epsilons)
    d = levels("delta", delta, _NO_PURE_DP)
    flat = d.ravel()
    least = float(np.min(rho))
    variation = np.sqrt(min(-np.expm1(-least), 0.5 * least)) * (1.0 + SLACK)
    return shaped(np.where(flat >= variation, 0.0, _best(_improved_a, t, rho, flat)), d)


@overload
def rdp_epsilon_cks(orders: float | Numbers, epsilons: float | Numbers, delta: float) -> float: ...
@overload
def rdp_epsilon_cks(orders: float | Numbers, epsilons: float | Numbers, delta: Numbers) -> FloatArray: ...
def rdp_epsilon_cks(orders: float | Numbers, epsilons: float | Numbers, delta: float | Numbers) -> float | FloatArray:
    """Return the least epsilon >= 0 at which `rdp_profile_cks` is at most ``delta``: the very formula of B.

    Parameters
    ----------
    orders, epsilons, delta : float or array
        As in `rdp_improved_b`.

    Returns
    -------
    float or ndarray of the shape of ``delta``
        Rounded up by at most 1e-14 times the largest term.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the two lists differ in length.

    References
    ----------
    Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020, Proposition 12 (version 4).

    Examples
    --------
    >>> epsilon = rdp_epsilon_cks([2.0, 8.0], [1.0, 4.0], 1e-5)
    >>> abs(rdp_profile_cks([2.0, 8.0], [1.0, 4.0], epsilon) - 1e-5) < 1e-17
    True
    """
    return _epsilon(_improved_b, orders, epsilons, delta)


@overload
def rdp_profile_cks(orders: float | Numbers, epsilons: float | Numbers, epsilon: float) -> float: ...
@overload
def rdp_profile_cks(orders: float | Numbers, epsilons: float | Numbers, epsilon: Numbers) -> FloatArray: ...
def rdp_profile_cks(orders: float | Numbers, epsilons: float | Numbers, epsilon: float | Numbers) -> float | FloatArray:
    """Return delta(epsilon) by the bound of Canonne, Kamath and Steinke, at the best of the orders.

    e^((t-1) (rho - epsilon)) / (t-1) (1 - 1/t)^t, cut at 1.

    Parameters
    ----------
    orders : float or array of shape (m,)
        Finite, > 1.
    epsilons : float or array of shape (m,)
        The epsilon of Renyi DP at each order, >= 0; inf where none is known.
    epsilon : float or array
        Where delta is wanted; finite, may be negative.

    Returns
    -------
    float or ndarray of the shape of ``epsilon``
        In (0, 1], rounded up: log delta by at most 1e-14 times its largest term.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the two lists differ in length.

    References
    ----------
    Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020, Proposition 12 (version 4).

    Examples
    --------
    >>> rdp_profile_cks(2.0, 0.0, 0.0)
    0.25000000000000...
    """
    t, rho = rdp_pairs(orders, epsilons)
    at = reals("epsilon", epsilon)
    with np.errstate(over="ignore"):
        power = (t - 1.0) * (rho - at.ravel()[:, None])
    rest = (t - 1.0) * _log_complement(t)
    size = np.minimum(np.abs(power) - rest + np.log(t), 1e300)  # so that -inf stays what it is
    log_delta = np.min(power + rest - np.log(t) + SLACK * size, axis=1)
    with np.errstate(under="ignore"):
        return shaped(np.minimum(np.exp(np.minimum(log_delta, 0.0)) * (1.0 + SLACK) + SMALLEST, 1.0), at)


def _epsilon(formula: _Formula, orders: object, epsilons: object, delta: object) -> float | FloatArray:
    t, rho = rdp_pairs(orders, epsilons)
    d = levels("delta", delta, _NO_PURE_DP)
    return shaped(_best(formula, t, rho, d.ravel()), d)


def _best(formula: _Formula, t: FloatArray, rho: FloatArray, delta: FloatArray) -> FloatArray:
    return np.maximum(np.min(formula(t, rho, delta[:, None]), axis=1), 0.0)


def _standard(t: FloatArray, rho: FloatArray, delta: FloatArray) -> FloatArray:
    return (rho - np.log(delta) / (t - 1.0)) * (1.0 + SLACK) + SMALLEST


def _improved_b(t: FloatArray, rho: FloatArray, delta: FloatArray) -> FloatArray:
    log_delta, log_t, complement = np.log(delta), np.log(t), _log_complement(t)
    size = rho - complement + (log_t - log_delta) / (t - 1.0)
    return rho + complement - (log_delta + log_t) / (t - 1.0) + SLACK * size + SMALLEST


def _improved_a(t: FloatArray, rho: FloatArray, delta: FloatArray) -> FloatArray:
    near = np.minimum(_improved_b(t, rho, delta), _small_divergence(t, rho, delta))
    loss = np.log1p(-delta)
    far = rho + loss + SLACK * (rho - loss) + SMALLEST
    return np.where(t * delta * (1.0 - SLACK) >= 1.0, far, near)  # where it is in doubt: near, which is never smaller


def _small_divergence(t: FloatArray, rho: FloatArray, delta: FloatArray) -> FloatArray:
    """log(1 + (e^y - 1) / (t delta)) / (t-1) with y = (t-1) rho, as a logarithm throughout."""
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        y = (t - 1.0) * rho
        small = np.where(y < 1.0, np.maximum(y, SMALLEST), 1.0)
        start = np.log(t - 1.0) + np.log(rho)  # y itself may underflow
        log_growth = np.where(y < 1.0, start + np.log(np.expm1(small) / small), y + np.log1p(-np.exp(-y)))
        size = np.where(y < 1.0, np.abs(np.log(t - 1.0)) + np.abs(start), y) + 1.0
        size = np.where(rho > 0.0, size, 0.0) + np.log(t) - np.log(delta)
        total = np.logaddexp(0.0, log_growth - np.log(t) - np.log(delta) + SLACK * size)
        return np.where(rho > 0.0, (total * (1.0 + SLACK) + SMALLEST) / (t - 1.0) + SMALLEST, 0.0)


def _log_complement(t: FloatArray) -> FloatArray:
    """log(1 - 1/t) to a few units of the last place: t - 1 is exact where t < 2."""
    return np.where(t < 2.0, np.log((t - 1.0) / t), np.log1p(-1.0 / t))
