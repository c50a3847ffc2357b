"""What was in this person's record? Attacks on one target, from what they achieve with no access to the output."""

from __future__ import annotations

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, unit_interval, whole
from neyman.guarantees import Guarantee
from neyman.risk.attacked import Numbers, found, membership, promised
from neyman.risk.rounding import rounded
from neyman.risk.value import Risk

__all__ = ["attribute_inference", "reconstruction", "relative_risk", "singling_out"]


def reconstruction(guarantee: Guarantee, baseline: Numbers) -> Risk:
    """Return the largest chance to reconstruct the record of one target.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind; see ``tpr`` for adjacencies.
    baseline : float or array
        The chance that the best guess that this record cannot have influenced is close enough to it, in [0, 1]: one in
        ten where the record is one of ten equally likely ones.

    Returns
    -------
    Risk
        1 - f(baseline), rounded up (``optimistic``: down).

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Hayes et al. (2023), Bounding training data reconstruction in DP-SGD; Kulynych et al. (2025). For each value z of
    the record, "the attack's answer is close to z" is a test between data without and with z, so that it succeeds at
    most 1 - f of its false positive rate; f is convex, and the average of those rates over z is at most the baseline.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.risk.reconstruction(ny.GDP(1.0), baseline=0.01))
    Without the output, an attacker reconstructs a person's record with a chance of 1 %; with it, with a chance of at
    most 9.24 %.
    """
    return _from_baseline("reconstruction", guarantee, baseline)


def attribute_inference(guarantee: Guarantee, baseline: Numbers) -> Risk:
    """Return the largest chance to infer what is unknown of the record of one target.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind; see ``tpr`` for adjacencies.
    baseline : float or array
        The chance of the best guess that this record cannot have influenced, in [0, 1]: the share of the commonest
        value among people of whom the same is known.

    Returns
    -------
    Risk
        1 - f(baseline), rounded up (``optimistic``: down).

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Yeom et al. (2018), Privacy risk in machine learning; Kulynych et al. (2025). The argument is that of
    ``reconstruction``, with the attribute in the place of the record. Under "replace", and where the attribute has two
    values, ``accuracy`` at the prior of either is a sharper bound: they are the two data sets.

    Examples
    --------
    >>> import neyman as ny
    >>> round(ny.risk.attribute_inference(ny.PureDP(0.5), baseline=0.25).value, 6)
    0.41218
    """
    return _from_baseline("attribute_inference", guarantee, baseline)


def singling_out(guarantee: Guarantee, baseline: Numbers, records: int = 1) -> Risk:
    """Return the largest chance that a description written from the output fits one person and no other.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind; see ``tpr`` for adjacencies.
    baseline : float or array
        The chance that such a description fits one target by luck (its weight), in [0, 1].
    records : int
        How many people are targets, any one of whom counts as success; at least 1. For one person, 1; for "somebody in
        the data", all.

    Returns
    -------
    Risk
        records (1 - f(baseline)), at most 1, rounded up (``optimistic``: down); its baseline is the same of the
        weights.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Notes
    -----
    Cohen and Nissim (2020), Towards formalizing the GDPR's notion of singling out; Kulynych et al. (2025). 1 - f of the
    joint baseline does NOT bound the success against any one of many: a mechanism that reveals each record with
    probability delta singles out somebody with probability 1 - (1 - delta)^n.

    Examples
    --------
    >>> import neyman as ny
    >>> g = ny.GDP(1.0)
    >>> round(ny.risk.singling_out(g, 1e-6).value, 8), round(ny.risk.singling_out(g, 1e-6, records=100).value, 6)
    (8.722e-05, 0.008722)
    """
    g, weight = membership(guarantee), unit_interval("baseline", baseline)
    many = whole("records", records, 1, MAX_COUNT)
    power = np.asarray(g.roc(weight))
    value, base = power, weight
    if many > 1:
        with np.errstate(under="ignore"):
            up = promised(g)
            value = np.minimum(rounded(rounded(power * float(many), up), up), 1.0)  # the count is rounded as well
            base = np.minimum(weight * float(many), 1.0)
        value = np.maximum(value, base)
    return found("singling_out", guarantee, value, base, baseline=weight, records=np.full(weight.shape, float(many)))


def relative_risk(guarantee: Guarantee, baseline: Numbers) -> Risk:
    """Return how many times more likely the output makes the success of an attack on one target.

    Parameters
    ----------
    guarantee : Guarantee
        Of any kind; see ``tpr`` for adjacencies.
    baseline : float or array
        The chance of success that this record cannot have influenced, in (0, 1]. The smaller it is, the larger is the
        answer, up to e^epsilon(0.0).

    Returns
    -------
    Risk
        (1 - f(baseline)) / baseline >= 1, rounded up (``optimistic``: down); its own baseline is 1.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> print(ny.risk.relative_risk(ny.GDP(1.0), baseline=0.01))
    An attack that succeeds against a person with a chance of 1 % without the output is at most 9.24 times as likely to
    succeed given the output.
    """
    g, chance = membership(guarantee), unit_interval("baseline", baseline)
    if not bool(np.all(chance > 0.0)):
        advice = "As it falls to 0, the ratio rises to exp(epsilon(0.0))."
        raise InvalidParameter("baseline", 0.0, "a number in (0, 1]", advice)
    power = np.asarray(g.roc(chance))
    with np.errstate(over="ignore"):
        ratio = np.where(power > chance, rounded(power / chance, promised(g)), 1.0)
    return found("relative_risk", guarantee, np.maximum(ratio, 1.0), np.ones_like(chance), baseline=chance)


def _from_baseline(name: str, guarantee: Guarantee, baseline: Numbers) -> Risk:
    g, chance = membership(guarantee), unit_interval("baseline", baseline)
    return found(name, guarantee, np.asarray(g.roc(chance)), chance, baseline=chance)
