"""The risks by name: how each is defined, where that is written, what it assumes, and how a person is told.

In a sentence {bound} stands for "at most 61 %" (or "at least", where the risk is an error), {baseline} for what holds
with no access to the output, and the rest for what was asked; {gone} says what happened to a record that is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neyman.risk.numbers import points, share, times

__all__ = ["KINDS", "Kind"]

_DONG = "Dong, Roth and Su (2022), Gaussian differential privacy"
_KULYNYCH = "Kulynych et al. (2025), Unifying re-identification, attribute inference, and data reconstruction risks"
_RATES = "The rates are chances over the noise of the mechanism, at the pair of data sets where the attack does best."
_FREE = "The record is there or not with the stated probability, independently of all other records."
_ALIKE = (
    "The target's record is drawn independently of the other records, which the attacker may know all; the baseline is "
    "the success of the best guess that the target's record cannot have influenced."
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One risk. ``error``: it is the attacker's error, so that the safe side is below the truth. ``formerly``: the
    sentence that earlier versions wrote into reports, which says the same; empty if it is this one.
    """

    definition: str
    source: str
    assumes: str
    sentence: str
    shown: Callable[[float, bool], str] = share
    error: bool = False
    formerly: str = ""


_BY_CHANCE = "Without the output, an attacker {deed} with a chance of {baseline}; with it, with a chance of {bound}."
_FORMERLY = (
    "An attacker who, with no access to the output, {deed} with a chance of {baseline} does so with a chance of "
    "{bound} given the output."
)

KINDS: dict[str, Kind] = {
    "tpr": Kind(
        "1 - f(fpr): the largest true positive rate of a membership attack whose false positive rate is fpr.",
        f"{_DONG}, Definition 2.1; Gomez et al., Gaussian DP for reporting, Section 2.",
        _RATES,
        "An attack with a {fpr} chance of accusing a person whose record was {gone} has a chance of {bound} of "
        "accusing one whose record was used (without the output: {baseline}).",
        formerly=(
            "An attack that wrongly accuses a person whose record was {gone} with a chance of {fpr} rightly accuses "
            "one whose record was used with a chance of {bound} (without the output: {baseline})."
        ),
    ),
    "advantage": Kind(
        "delta(0) = max over fpr of 1 - f(fpr) - fpr: the largest membership advantage TPR - FPR.",
        "Yeom et al. (2018), Privacy risk in machine learning; Gomez et al., Gaussian DP for reporting, Equation 8.",
        _RATES,
        "An attack says that a record was used {bound} more often when it was than when it was {gone} "
        "(without the output: no more often).",
        points,
    ),
    "posterior": Kind(
        "p t / (p t + (1 - p) fpr), p the membership prior, t = 1 - f(fpr): the largest positive predictive value of "
        "the membership attacks whose false positive rate is fpr or more; at fpr = 0 its limit.",
        "Jayaraman et al. (2021), Revisiting membership inference under realistic assumptions.",
        f"{_FREE} {_RATES} It is an average over the outputs that make the attack accuse: one output may tell more, up "
        "to the posterior at fpr = 0.",
        "If {membership_prior} of all records were used, and an attack accuses {fpr} or more of the people whose "
        "record was {gone}, {bound} of its accusations are right (without the output: {baseline}).",
        formerly=(
            "Of the people whom an attack accuses, {bound} had their record used, if {membership_prior} of all had and "
            "the attack accuses {fpr} or more of those whose record was {gone} (without the output: {baseline})."
        ),
    ),
    "bayes_error": Kind(
        "min over fpr of prior fpr + (1 - prior) f(fpr), prior = P(record absent): the least error of a guess whether "
        "the record was used.",
        "Kaissis et al. (2024), Beyond the calibration point, Section 2.",
        f"{_FREE} {_RATES}",
        "An attacker who guesses whether a record was used, when it was {gone} with a chance of {prior}, is wrong with "
        "a chance of {bound} (without the output: {baseline}).",
        error=True,
    ),
    "accuracy": Kind(
        "1 - bayes_error(prior), prior = P(record absent): the largest accuracy of a guess whether the record was "
        "used.",
        "Kaissis et al. (2024), Beyond the calibration point, Section 2.",
        f"{_FREE} {_RATES}",
        "An attacker who guesses whether a record was used, when it was {gone} with a chance of {prior}, is right with "
        "a chance of {bound} (without the output: {baseline}).",
    ),
    "reconstruction": Kind(
        "1 - f(baseline): the largest success of reconstructing the record of one target.",
        f"Hayes et al. (2023), Bounding training data reconstruction in DP-SGD; {_KULYNYCH}.",
        _ALIKE,
        _BY_CHANCE.replace("{deed}", "reconstructs a person's record"),
        formerly=_FORMERLY.replace("{deed}", "reconstructs a person's record"),
    ),
    "attribute_inference": Kind(
        "1 - f(baseline): the largest success of inferring what is unknown of the record of one target.",
        f"Yeom et al. (2018), Privacy risk in machine learning; {_KULYNYCH}.",
        f"{_ALIKE} What is known of the target beforehand, and all that the population tells, is in the baseline.",
        _BY_CHANCE.replace("{deed}", "guesses a person's attribute"),
        formerly=_FORMERLY.replace("{deed}", "guesses a person's attribute"),
    ),
    "singling_out": Kind(
        "records (1 - f(baseline)), at most 1: the largest chance that a description fits one record and no other, for "
        "any one of so many targets.",
        f"Cohen and Nissim (2020), Towards formalizing the GDPR's notion of singling out; {_KULYNYCH}.",
        f"{_ALIKE} The baseline is the chance that such a description fits one target by luck, its weight. The success "
        "for any one of many targets is at most the sum over them.",
        "A description written with the output at hand singles out {whom} with a chance of {bound}, if it would fit "
        "any one person by luck with a chance of {weight} (without the output: {baseline}).",
    ),
    "relative_risk": Kind(
        "(1 - f(baseline)) / baseline: how many times more likely the output makes the success of an attack on one "
        "target.",
        f"The ratio of the bounds of {_KULYNYCH}.",
        _ALIKE,
        "An attack that succeeds against a person with a chance of {chance} without the output is {bound} times as "
        "likely to succeed given the output.",
        times,
    ),
}
