"""Was this person's record used? What an attack that asks can know."""

from __future__ import annotations

import math

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, unit_interval
from neyman.guarantees import Guarantee
from neyman.numerics.rounding import UNIT
from neyman.risk.attacked import Numbers, checked, found, membership, promised
from neyman.risk.rounding import at_least, at_most, rounded
from neyman.risk.value import Risk

__all__ = ["accuracy", "advantage", "bayes_error", "posterior", "tpr"]


def tpr(guarantee: Guarantee, fpr: Numbers) -> Risk:
    """Return the largest true positive rate of a membership attack at the false positive rate ``fpr``.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind. A promise of both orders ("add_or_remove", "replace") is symmetrised; of "add" or "remove" alone,
        the attack's null hypothesis is that the record is absent.
    fpr : float or array
        Chance of accusing when the record is absent, in [0, 1].

    Returns
    -------
    Risk
        1 - f(fpr), rounded up (``optimistic``: down); the baseline is ``fpr``.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Dong, Roth and Su (2022), Gaussian differential privacy, Definition 2.1.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.risk.tpr(ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)), fpr=0.1))
    An attack with a 10 % chance of accusing a person whose record was left out has a chance of at most 61 % of accusing
    one whose record was used (without the output: 10 %).
    """
    g, rate = membership(guarantee), unit_interval("fpr", fpr)
    return found("tpr", guarantee, np.asarray(g.roc(rate)), rate, fpr=rate)


def advantage(guarantee: Guarantee) -> Risk:
    """Return the largest membership advantage, true less false positive rate.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind and adjacency.

    Returns
    -------
    Risk
        delta(0), rounded up (``optimistic``: down); the baseline is 0.

    Raises
    ------
    InvalidParameter
        If ``guarantee`` is none.
    NotCertified
        If it is not known to the guarantee's tolerance.

    Notes
    -----
    Yeom et al. (2018), Privacy risk in machine learning; Gomez et al., Gaussian DP for reporting, Equation 8. It bounds
    by how much any attack on one record exceeds its baseline, of inference and reconstruction too.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.risk.advantage(ny.PureDP(1.0)))
    An attack says that a record was used at most 46.3 percentage points more often when it was than when it was left
    out (without the output: no more often).
    """
    g = checked(guarantee)
    return found("advantage", g, g.advantage, 0.0)


def posterior(guarantee: Guarantee, membership_prior: Numbers, fpr: Numbers) -> Risk:
    """Return the largest probability that a record was used, given that an attack says so.

    The positive predictive value of the best attack with a false positive rate of ``fpr`` or more: of those, the one at
    ``fpr`` is the worst.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind; see ``tpr`` for adjacencies.
    membership_prior : float or array
        P(record PRESENT) before the output is seen, in [0, 1] (``bayes_error`` and ``accuracy`` take P(absent)).
    fpr : float or array
        Chance of accusing when the record is absent, in [0, 1]; broadcasts with ``membership_prior``. At 0 the limit
        is meant, which no attack exceeds: the largest loss, ``epsilon(0.0)``, decides it.

    Returns
    -------
    Risk
        p t / (p t + (1 - p) fpr) with t = 1 - f(fpr), rounded up (``optimistic``: down); the baseline is
        ``membership_prior``.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or the two arrays do not broadcast.

    Notes
    -----
    Jayaraman et al. (2021), Revisiting membership inference under realistic assumptions. 1 - f is concave with
    1 - f(0) >= 0, so (1 - f(a)) / a, and with it the posterior, falls as a grows.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.risk.posterior(ny.GDP(1.0), membership_prior=0.5, fpr=0.01))
    If 50 % of all records were used, and an attack accuses 1 % or more of the people whose record was left out, at most
    90.3 % of its accusations are right (without the output: 50 %).
    """
    g = membership(guarantee)
    prior, rate = unit_interval("membership_prior", membership_prior), unit_interval("fpr", fpr)
    try:
        shape = np.broadcast_shapes(prior.shape, rate.shape)
    except ValueError:
        allowed = f"an array that broadcasts with membership_prior, of shape {prior.shape}"
        raise InvalidParameter("fpr", f"shape {rate.shape}", allowed) from None
    up = promised(g)
    odds = np.broadcast_to(_odds_kept(g, rate.ravel(), up).reshape(rate.shape), shape)
    prior, rate = np.broadcast_to(prior, shape), np.broadcast_to(rate, shape)
    value = np.maximum(_believed(prior, odds, up), prior)
    return found("posterior", guarantee, value, prior, membership_prior=prior, fpr=rate)


def _odds_kept(g: Guarantee, rate: FloatArray, up: bool) -> FloatArray:
    """Return fpr / tpr in [0, 1], what remains of the odds against: rounded down where ``up``, else up."""
    power = np.maximum(np.asarray(g.roc(rate)), rate)
    with np.errstate(under="ignore"):
        kept = np.where(power > rate, rounded(rate / np.where(power > 0.0, power, 1.0), not up), 1.0)
    if np.any(rate == 0.0):
        kept[rate == 0.0] = _least_kept(g, up)
    return np.clip(kept, 0.0, 1.0)


def _least_kept(g: Guarantee, up: bool) -> float:
    """Return the limit of fpr / tpr as fpr falls to 0, e^-(largest loss)."""
    largest = g.epsilon(0.0)
    if largest == math.inf:
        return 0.0
    with np.errstate(under="ignore"):
        least = np.exp(np.array(-largest)) * (1.0 + (-8.0 if up else 8.0) * UNIT)
    return float(rounded(least, not up))


def _believed(prior: FloatArray, kept: FloatArray, up: bool) -> FloatArray:
    """Return 1 / (1 + kept (1 - prior) / prior), each operation rounded to its side."""
    certain = (prior == 1.0) | (kept == 0.0)
    some = np.where(prior > 0.0, prior, 1.0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        against = rounded(rounded(rounded(1.0 - some, not up) / some, not up) * kept, not up)
        value = rounded(1.0 / rounded(1.0 + against, not up), up)
        if up:  # tpr >= fpr, so that it is at most prior tpr / fpr: sharper where the odds overflow
            value = np.minimum(value, at_least(prior / np.where(kept > 0.0, kept, 1.0)))
    value = np.where(kept == 1.0, prior, np.clip(value, 0.0, 1.0))  # the attack tells nothing: no rounding either
    return np.where(prior == 0.0, 0.0, np.where(certain, 1.0, value))


def bayes_error(guarantee: Guarantee, prior: Numbers) -> Risk:
    """Return the least error of a guess whether a record was used.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind; see ``tpr`` for adjacencies.
    prior : float or array
        P(record ABSENT), in [0, 1], as in ``Guarantee.bayes_error``.

    Returns
    -------
    Risk
        (1 - prior) (1 - delta(log(prior / (1 - prior)))), an error and so rounded DOWN (``optimistic``: up); the
        baseline is min(prior, 1 - prior).

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point, Section 2. For one order alone, ``prior`` is of the record's
    absence under "add" too.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.risk.bayes_error(ny.account(ny.Laplace(2.0)), prior=0.5))
    An attacker who guesses whether a record was used, when it was left out with a chance of 50 %, is wrong with a
    chance of at least 38.9 % (without the output: 50 %).
    """
    g, absent = membership(guarantee), unit_interval("prior", prior)
    return found(
        "bayes_error", guarantee, np.asarray(g.bayes_error(absent)), np.minimum(absent, 1.0 - absent), prior=absent
    )


def accuracy(guarantee: Guarantee, prior: Numbers) -> Risk:
    """Return the largest accuracy of a guess whether a record was used: 1 - ``bayes_error``.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind; see ``tpr`` for adjacencies.
    prior : float or array
        P(record ABSENT), in [0, 1], as in ``bayes_error``.

    Returns
    -------
    Risk
        Rounded up (``optimistic``: down); the baseline is max(prior, 1 - prior), the accuracy of always saying the
        likelier.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.risk.accuracy(ny.GDP(1.0), prior=[0.5, 0.9]).value.round(6)
    array([0.691462, 0.901336])
    """
    g, absent = membership(guarantee), unit_interval("prior", prior)
    error = np.asarray(g.bayes_error(absent))
    base = np.maximum(absent, 1.0 - absent)
    value = np.minimum(at_least(1.0 - error), 1.0) if promised(g) else np.maximum(at_most(1.0 - error), base)
    return found("accuracy", guarantee, value, base, prior=absent)
