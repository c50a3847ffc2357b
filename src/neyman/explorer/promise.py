"""What settings promise: the numbers, which of them to report, the odds and the curve."""

from __future__ import annotations

import math

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray
from neyman.explorer.curves import polygon_below
from neyman.explorer.numbers import Shown, asked
from neyman.explorer.odds import odds_of
from neyman.explorer.questions import At
from neyman.explorer.settings import Settings
from neyman.guarantees import GDP, GDPReport
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Mechanism
from neyman.reports.prose import summary
from neyman.showing.interval import Interval
from neyman.showing.summary import Summary

__all__ = ["promised", "summary_of"]

_PRIOR = 0.5
_SIGNIFICANT = 9  # digits of what is drawn


def promised(settings: Settings, mechanism: Mechanism, guarantee: PessimisticGuarantee, at: At) -> dict[str, object]:
    """Return the answer to what these settings promise."""
    numbers = {
        "mu": asked(guarantee, "mu", (at.floor,), at.brackets),
        "regret": asked(guarantee, "regret", (at.floor,), at.brackets),
        "epsilon": asked(guarantee, "epsilon", (at.delta,), at.brackets),
        "tpr": asked(guarantee, "tpr", (at.fpr,), at.brackets),
        "advantage": asked(guarantee, "advantage", (), at.brackets),
        "posterior": asked(guarantee, "posterior", (_PRIOR, at.fpr), at.brackets),
        "bayes_error": asked(guarantee, "bayes_error", (_PRIOR,), at.brackets),
        "fixed_point": asked(guarantee, "fixed_point", (), at.brackets),
    }
    head = summary_of(guarantee, numbers, at).headline
    return {
        "settings": settings.to_dict(), "certain": "exact setting",
        "run": " ".join(step.sentence for step in summary(mechanism, "record")), "note": settings.note,
        "code": settings.code, "adjacency": guarantee.adjacency,
        "numbers": {name: number.to_dict() for name, number in numbers.items()},
        "headline": {"number": head.number, "why": head.why, "report": head.report},
        "odds": odds_of(guarantee, at.fpr), "curve": _curve(guarantee, at), "gaussian": _gaussian(numbers["mu"], at),
        **at.to_dict(),
    }  # fmt: skip


def summary_of(guarantee: PessimisticGuarantee, numbers: dict[str, Shown], at: At) -> Summary:
    """Return the summary that decides which number to report, of numbers that are known already."""
    try:
        report: GDPReport | None = None if numbers["mu"].refused else guarantee.gdp(at.floor)
    except NotCertified:
        report = None
    ends = {name: _interval(number) for name, number in numbers.items()}
    regret = None if report is None else ends["regret"]
    epsilons = (ends["epsilon"],)
    return Summary(
        guarantee, report, ends["mu"], regret, ends["advantage"], None, (at.delta,), epsilons, (), (), at.floor
    )


def _interval(number: Shown) -> Interval:
    low = 0.0 if math.isnan(number.lower) else number.lower
    return Interval(low, math.inf if math.isnan(number.upper) else number.upper, number.refused)


def _curve(guarantee: PessimisticGuarantee, at: At) -> dict[str, object] | None:
    """The corners of a polygon below the curve; above them what no analysis can exceed, where that is wanted."""
    try:
        alpha, beta = polygon_below(guarantee)
        drawn: dict[str, object] = {"alpha": _rounded(alpha), "beta": _rounded(beta)}
        if at.brackets:
            # one place past what is shown: the curve falls
            drawn["beta_upper"] = np.asarray(guarantee.optimistic.beta(np.array(drawn["alpha"]))).tolist()
        return drawn
    except NotCertified:
        return None


def _gaussian(mu: Shown, at: At) -> dict[str, object] | None:
    """The curve of the mu that is shown, where both of its error rates are the floor or more."""
    if mu.refused or not math.isfinite(mu.upper):
        return None
    alpha, beta = polygon_below(GDP(float(mu.text)) if mu.upper > 0.0 else GDP(0.0))
    within = (alpha >= at.floor) & (beta >= at.floor)
    return {"mu": mu.text, "alpha": _rounded(alpha[within]), "beta": _rounded(beta[within])}


def _rounded(values: FloatArray) -> list[float]:
    """As text of few digits holds them, rounded down: a corner farther left or down is below the curve still."""
    with np.errstate(divide="ignore"):
        place = 10.0 ** (np.floor(np.log10(np.where(values > 0.0, values, 1.0))) - _SIGNIFICANT + 1)
    kept = [float(f"{value:.{_SIGNIFICANT}g}") for value in (np.floor(values / place) * place).tolist()]
    return [min(near, value) for near, value in zip(kept, values.tolist(), strict=True)]
