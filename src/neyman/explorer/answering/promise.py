"""What settings promise: the numbers, which of them to report, the odds and the curve."""

from __future__ import annotations

import math

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray
from neyman.explorer.answering.curves import gaussian_above, polygon_above, rounded_down, rounded_up
from neyman.explorer.answering.numbers import Shown, asked, told
from neyman.explorer.answering.odds import Odds
from neyman.explorer.asking.questions import At
from neyman.explorer.asking.settings import Settings
from neyman.guarantees import GDPReport, Guarantee
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Mechanism
from neyman.numerics.rounding import UNIT
from neyman.reports.said.prose import summary
from neyman.risk import tpr
from neyman.showing.interval import Interval
from neyman.showing.summary import Summary

__all__ = ["posterior_of", "promised", "summary_of"]

_PRIOR = 0.5  # of the posterior and of the Bayes error
_PICTURED = 0.1  # of the floor: where the picture with log axes begins
_QUOTIENT = 4.0  # certifies, in units: a sum, a quotient, a factor and a product err by one each at most


def promised(settings: Settings, mechanism: Mechanism, guarantee: PessimisticGuarantee, at: At) -> dict[str, object]:
    """Return the answer to what these settings promise."""
    odds = Odds.at(at.fpr)
    power, reports = _Power(np.array([at.fpr, odds.rate])), _Reports(at.floor)

    def posterior(side: Guarantee) -> float:
        return posterior_of(float(power.of(side)[0]), at.fpr, up=side is guarantee)

    ends = at.brackets
    numbers = {
        "mu": asked(guarantee, "mu", (at.floor,), ends),
        "regret": told(guarantee, "regret", (at.floor,), lambda side: reports.of(side).regret, ends),
        "epsilon": asked(guarantee, "epsilon", (at.delta,), ends),
        "tpr": told(guarantee, "tpr", (at.fpr,), lambda side: float(power.of(side)[0]), ends),
        "advantage": asked(guarantee, "advantage", (), ends),
        "posterior": told(guarantee, "posterior", (_PRIOR, at.fpr), posterior, ends),
        "bayes_error": asked(guarantee, "bayes_error", (_PRIOR,), ends),
        "fixed_point": asked(guarantee, "fixed_point", (), ends),
    }
    head = summary_of(guarantee, numbers, at, reports).headline
    accused = None if numbers["tpr"].refused else odds.told(float(power.of(guarantee)[1]), guarantee.adjacency)
    return {
        "settings": settings.to_dict(), "certain": "exact setting",
        "run": " ".join(step.sentence for step in summary(mechanism, "record")), "note": settings.note,
        "code": settings.code, "adjacency": guarantee.adjacency,
        "numbers": {name: number.to_dict() for name, number in numbers.items()},
        "headline": {"number": head.number, "why": head.why, "report": head.report},
        "odds": accused, "curve": _curve(guarantee, at), "gaussian": _gaussian(numbers["mu"], at), **at.to_dict(),
    }  # fmt: skip


def posterior_of(power: float, fpr: float, up: bool) -> float:
    """Return t / (t + fpr), the posterior from a prior of 1/2, rounded up or down: it rises with the power t.

    Examples
    --------
    >>> round(posterior_of(0.09, 0.01, up=True), 12)
    0.9
    """
    room = _QUOTIENT * UNIT if up else -_QUOTIENT * UNIT
    return min(power / (power + fpr) * (1.0 + room), 1.0)


class _Power:
    """The largest true positive rates at some rates, of either side, asked for once."""

    def __init__(self, rates: FloatArray) -> None:
        self._rates = rates
        self._found: dict[int, FloatArray] = {}

    def of(self, side: Guarantee) -> FloatArray:
        """Return them."""
        if id(side) not in self._found:
            self._found[id(side)] = np.asarray(tpr(side, self._rates).value)
        return self._found[id(side)]


class _Reports:
    """mu with its regret, of either side, asked for once."""

    def __init__(self, floor: float) -> None:
        self._floor = floor
        self._found: dict[int, GDPReport] = {}

    def of(self, side: Guarantee) -> GDPReport:
        """Return it."""
        if id(side) not in self._found:
            self._found[id(side)] = side.gdp(self._floor)
        return self._found[id(side)]


def summary_of(guarantee: PessimisticGuarantee, numbers: dict[str, Shown], at: At, reports: _Reports) -> Summary:
    """Return the summary that decides which number to report, of numbers that are known already."""
    try:
        report: GDPReport | None = None if numbers["mu"].refused else reports.of(guarantee)
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
    """The corners of a polygon that no attack is above, close to the curve at the rate that is looked at."""
    try:
        alpha, power = polygon_above(guarantee, looked_at=(at.fpr, _PICTURED * at.floor))
    except NotCertified:
        return None
    return {"alpha": rounded_down(alpha), "tpr": rounded_up(power)}


def _gaussian(mu: Shown, at: At) -> dict[str, object] | None:
    """The curve of the mu that is shown, where both of its error rates are the floor or more."""
    if mu.refused or not math.isfinite(mu.upper):
        return None
    alpha, power = gaussian_above(float(mu.text), at.floor)
    within = (alpha >= at.floor) & (power <= 1.0 - at.floor)
    return {"mu": mu.text, "alpha": rounded_down(alpha[within]), "tpr": rounded_up(power[within])}
