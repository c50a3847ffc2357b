"""Audits from the scores of an attack, on records that were in and on records that were out."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, choice, flag, inside, whole
from neyman.audit.audit import Audit, Pilot
from neyman.audit.both_counts.independent import Independent
from neyman.audit.precision import one_precision, scores_of
from neyman.audit.rates.cuts import Cuts, Sorted, cut_at, cut_between
from neyman.audit.rates.sides import Dkw, Everywhere, OneThreshold, Side, spread_counts

__all__ = ["Method", "from_counts", "from_scores"]

Method = Literal["simultaneous", "fixed", "split", "dkw"]

_METHODS: tuple[Method, ...] = ("simultaneous", "fixed", "split", "dkw")
_PILOT_LEVEL = 0.025  # thresholds are chosen in the same way at every confidence
_LARGEST_COUNT = 10**12  # scores a side at most
_WORDS = {
    "simultaneous": "simultaneous bands from Beta quantiles, calibrated by their exact crossing probability",
    "many": "simultaneous bands from Beta quantiles by a union bound, with a Dvoretzky-Kiefer-Wolfowitz band",
    "fixed": "threshold fixed in advance, Clopper-Pearson, Bonferroni over the two sides",
    "dkw": "Dvoretzky-Kiefer-Wolfowitz bands, Bonferroni over the two sides",
}


def from_scores(
    scores_in: ArrayLike,
    scores_out: ArrayLike,
    confidence: float = 0.95,
    *,
    method: Method | None = None,
    threshold: float | None = None,
    pilot: float = 0.2,
    seed: int = 0,
    independent: bool = False,
) -> Audit:
    """Return what the scores of an attack certify: lower bounds on mu, epsilon, advantage and TPR.

    Larger scores mean "more likely in". The scores of each side must be independent and identically distributed (one
    score a trained model, or canaries that do not influence one another); the two sides may depend on each other. Many
    canaries in one training are not independent: see the audits in one run.

    Parameters
    ----------
    scores_in, scores_out : array
        Finite, at least one each: scores of records that were, and that were not, in the training data. Not changed.
        Where one side is in a coarser kind (float16, bfloat16, float32) than the other, both are rounded to it: the
        digits that one side lacks would tell the sides apart.
    confidence : float
        In (0, 1).
    method : str, optional
        - "simultaneous" (default): upper bounds on both error rates at all thresholds at once, so that every bound of
          the audit holds jointly. Binomial in the tails, nearly as narrow as "dkw" in the middle.
        - "fixed" (default where a threshold is given): Clopper-Pearson at ``threshold``, which must have been chosen
          without these scores. Everything the audit says holds jointly.
        - "split": a random ``pilot`` share of each side chooses the threshold for each question, Clopper-Pearson on the
          rest answers it. Each answer holds on its own, not jointly.
        - "dkw": a constant band. Simple, and blind in the tails.
    threshold : float, optional
        For "fixed": a record is called in where its score is larger.
    pilot : float
        For "split": in (0, 1).
    seed : int
        For "split": of the random split.
    independent : bool
        For "fixed": whether the two sides are independent samples of each other too, as for ``from_counts``.

    Raises
    ------
    InvalidParameter
        If scores are missing, NaN, infinite or masked, or another argument is outside its domain.

    Notes
    -----
    Half of 1 - confidence goes to each side. At a threshold where the bounds are a and b, mu is at least
    Phi^-1(1 - a) - Phi^-1(b) (Nasr et al. 2023, Tight auditing of differentially private machine learning), epsilon at
    delta at least log((1 - delta - b) / a) and log((1 - delta - a) / b) (Kairouz, Oh and Viswanath 2015, The
    composition theorem for differential privacy). Bounds are rounded down. Equal scores are never parted.

    Examples
    --------
    >>> import numpy as np
    >>> import neyman as ny
    >>> rng = np.random.default_rng(1)
    >>> audit = ny.audit.from_scores(rng.normal(1.0, 1.0, 10_000), rng.normal(0.0, 1.0, 10_000))
    >>> 0.85 < audit.mu < 1.0, audit.epsilon(1e-5) > 1.0, audit.tpr(0.01) > 0.05
    (True, True, True)
    """
    level = inside("confidence", confidence, 0.0, 1.0)
    fallback: Method = "simultaneous" if threshold is None else "fixed"
    chosen = fallback if method is None else choice("method", method, _METHODS)
    apart = _independent(independent, chosen)
    if chosen != "fixed" and threshold is not None:
        raise InvalidParameter("threshold", threshold, f"left out with method={chosen!r}", 'It is for method="fixed".')
    at = _threshold(threshold) if chosen == "fixed" else math.nan
    part, start = inside("pilot", pilot, 0.0, 1.0), whole("seed", seed, 0, MAX_COUNT)
    within, outside = one_precision(scores_of("scores_in", scores_in), scores_of("scores_out", scores_out))
    if chosen == "split":
        return _split(within, outside, level, part, start)
    within.sort()
    outside.sort()
    if chosen == "fixed":
        return _fixed(cut_at(np.array([at]), within, outside), level, apart)
    share = 0.5 * (1.0 - level)
    kind = Everywhere if chosen == "simultaneous" else Dkw
    sides = kind(outside.size, share), kind(within.size, share)
    exact = all(not isinstance(side, Everywhere) or side.exact for side in sides)
    words = _WORDS[chosen if exact else "many"]
    return Audit(cut_between(within, outside, sides[1].steps, sides[0].steps), sides, level, words)


def from_counts(
    true_positives: int,
    positives: int,
    false_positives: int,
    negatives: int,
    confidence: float = 0.95,
    *,
    independent: bool = False,
) -> Audit:
    """Return what the counts of one attack certify, whose threshold was fixed before it was run.

    Parameters
    ----------
    true_positives, positives : int
        How many records that were in the attack called in, of how many.
    false_positives, negatives : int
        How many records that were out it called in, of how many.
    confidence : float
        In (0, 1).
    independent : bool
        Whether the two counts are independent of each other: every record, in or out, was tried on a model trained
        apart from all others. Then one exact test of both counts replaces two limits of Clopper and Pearson, and the
        same bound takes fewer canaries (2.8 times fewer where both error rates weigh alike); each answer holds on its
        own. Not so where models are shared between the sides or between canaries: many canaries in one training, or in
        and out tried on the same models.

    Raises
    ------
    InvalidParameter
        If counts do not add up, or another argument is outside its domain.

    Notes
    -----
    The exact test is unconditional: it orders the outcomes by their deviance from the nearest rates that a claim
    allows, and takes the worst of the rates that are not excluded (Barnard 1947, Significance tests for 2 x 2 tables;
    Berger and Boos 1994, P values maximized over a confidence set for the nuisance parameter; for the bounds, Buehler
    1957, Confidence intervals for the product of two binomial parameters). p-values and bounds are rounded to the safe
    side.

    Examples
    --------
    >>> import neyman as ny
    >>> both = ny.audit.from_counts(690, 1000, 310, 1000, independent=True)
    >>> round(both.mu, 2), both.p_value(ny.GDP(0.8)) < 1e-3
    (0.89, True)
    >>> print(ny.audit.from_counts(690, 1000, 310, 1000))
    mu is at least 0.8265, epsilon at delta 1e-05 at least 0.6646, the membership advantage at least 0.3206, at 95 %
    confidence (1,000 scores in, 1,000 out; threshold fixed in advance, Clopper-Pearson, Bonferroni over the two sides).
    """
    level = inside("confidence", confidence, 0.0, 1.0)
    n_in, n_out = whole("positives", positives, 1, _LARGEST_COUNT), whole("negatives", negatives, 1, _LARGEST_COUNT)
    hits = _part("true_positives", true_positives, "positives", n_in)
    alarms = _part("false_positives", false_positives, "negatives", n_out)
    cuts = Cuts(np.array([math.nan]), np.array([alarms]), np.array([n_in - hits]), n_in, n_out)
    return _fixed(cuts, level, _independent(independent, "fixed"))


def _independent(independent: object, method: str) -> bool:
    if flag("independent", independent) and method != "fixed":
        advice = "The exact test is of one threshold, chosen without these scores."
        raise InvalidParameter("independent", True, f"left out with method={method!r}", advice)
    return bool(independent)


def _fixed(cuts: Cuts, confidence: float, independent: bool) -> Audit:
    if independent:
        return Independent(cuts, confidence)
    share = 0.5 * (1.0 - confidence)
    return Audit(cuts, (OneThreshold(cuts.n_out, share), OneThreshold(cuts.n_in, share)), confidence, _WORDS["fixed"])


def _split(within: NDArray[Any], outside: NDArray[Any], confidence: float, pilot: float, seed: int) -> Audit:
    """The pilot shares name the thresholds that may be asked for, and what they would say of each."""
    rng = np.random.default_rng(seed)
    pilot_in, rest_in = _parted("scores_in", within, pilot, rng)
    pilot_out, rest_out = _parted("scores_out", outside, pilot, rng)
    tried = cut_between(pilot_in, pilot_out, spread_counts(pilot_in.size), spread_counts(pilot_out.size))
    judges = OneThreshold(pilot_out.size, _PILOT_LEVEL), OneThreshold(pilot_in.size, _PILOT_LEVEL)
    seen = Pilot(judges[0].upper(tried.false_positives), judges[1].upper(tried.false_negatives), pilot)
    share = 0.5 * (1.0 - confidence)
    sides: tuple[Side, Side] = OneThreshold(rest_out.size, share), OneThreshold(rest_in.size, share)
    words = (
        f"split sample, seed {seed}: thresholds chosen on {pilot_in.size:,} in and {pilot_out.size:,} out, "
        "Clopper-Pearson on the rest, each bound on its own"
    )
    return Audit(cut_at(tried.thresholds, rest_in, rest_out), sides, confidence, words, seen)


def _parted(name: str, scores: NDArray[Any], pilot: float, rng: np.random.Generator) -> tuple[Sorted, Sorted]:
    size = min(max(1, round(pilot * scores.size)), scores.size - 1)
    if size < 1:
        raise InvalidParameter(name, scores.size, "at least 2 scores", "A split sample needs one for each part.")
    rng.shuffle(scores)  # a copy already
    first, rest = scores[:size], scores[size:]
    first.sort()
    rest.sort()
    return first, rest


def _threshold(threshold: float | None) -> float:
    advice = "Choose it before the scores are seen; without one, use another method."
    return inside("threshold", threshold, -math.inf, math.inf, advice)


def _part(name: str, value: int, whole_name: str, largest: int) -> int:
    found = whole(name, value, 0, MAX_COUNT)
    if not found <= largest:
        raise InvalidParameter(name, value, f"at most {whole_name} = {largest}", "The counts do not add up.")
    return found
