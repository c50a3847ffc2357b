"""From proved deltas to what a report claims (docs/proofs/claims.md): one function for each quantity.

Each is given the curve, the statement's numbers and the side, and says whether that follows. Whatever is not there, or
does not follow, is not proved: nothing here decides that a claim is false, but for the deltas themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from flint import arb

from neyman_check.claims import concentrated
from neyman_check.claims.divergences import divergence, zcdp_regret
from neyman_check.claims.mu import falls_to, mu, tail_mu
from neyman_check.claims.statement import Proved, Statement, fits, number
from neyman_check.curves.curve import Curve, Place
from neyman_check.errors import NotProved

__all__ = ["QUANTITIES"]


_FINER, _MOST_PARTS = (500, 2000, 8000), 100  # places more, of areas, and between two neighbours


_EACH = 100  # units of work that each takes


def _delta(proved: Proved, s: Statement, at: arb) -> bool:
    """delta falls in eps: a place before says what is most, one after what is least."""
    if s.at_most:
        return bool(proved.curve.delta_at_most(at) <= s.value)
    return bool(s.value <= 0 or proved.curve.delta_at_least(at) >= s.value)


def delta(proved: Proved, s: Statement) -> bool:
    """At an eps."""
    return _delta(proved, s, number(s.given["epsilon"]))


def advantage(proved: Proved, s: Statement) -> bool:
    """delta at eps = 0."""
    return _delta(proved, s, arb(0))


def epsilon(proved: Proved, s: Statement) -> bool:
    """The least eps >= 0: at most e where delta(e) <= d is proved; at least where delta(e) > d is."""
    d = number(s.given["delta"])
    if s.at_most:
        return bool(s.value >= 0 and proved.curve.delta_at_most(s.value) <= d)
    return bool(s.value <= 0 or proved.curve.delta_at_least(s.value) > d)


def beta(proved: Proved, s: Statement) -> bool:
    """f(alpha)."""
    at = number(s.given["alpha"])
    return falls_to(proved, at, s.value) if s.at_most else bool(proved.curve.at_least(at) >= s.value)


def _tpr(proved: Proved, fpr: arb, at_most: bool) -> arb:
    """1 - f of an attack."""
    return 1 - (proved.attack.at_least(fpr) if at_most else proved.attack.at_most(fpr))


def tpr(proved: Proved, s: Statement) -> bool:
    """Of the best attack."""
    name = "fpr" if "fpr" in s.given else "baseline"
    return fits(_tpr(proved, number(s.given[name]), s.at_most), s)


def relative_risk(proved: Proved, s: Statement) -> bool:
    """tpr over the baseline."""
    base = number(s.given["baseline"])
    if not base > 0:
        raise NotProved("a baseline of 0")
    return fits((_tpr(proved, base, s.at_most) / base).max(arb(1)), s)


def posterior(proved: Proved, s: Statement) -> bool:
    """Bayes' rule at a prior and a false positive rate; it grows with the true positive rate."""
    prior, fpr = number(s.given["membership_prior"]), number(s.given["fpr"])
    if not (prior > 0 and prior < 1 and fpr > 0):
        raise NotProved("a prior or a rate of 0")
    right = prior * _tpr(proved, fpr, s.at_most)
    return fits(right / (right + (1 - prior) * fpr), s)


def bayes_error(proved: Proved, s: Statement) -> bool:
    """(1 - pi) (1 - delta at e^eps = pi / (1 - pi)), no more than either prior."""
    value = _bayes(proved, number(s.given["prior"]), not s.at_most)
    return fits(value, s)


def accuracy(proved: Proved, s: Statement) -> bool:
    """1 less the Bayes error."""
    return fits(1 - _bayes(proved, number(s.given["prior"]), s.at_most), s)


def _bayes(proved: Proved, prior: arb, from_below: bool) -> arb:
    if not (prior > 0 and prior < 1 and (proved.symmetric or prior == arb("0.5"))):
        raise NotProved("a Bayes error at a prior of 0, or of one direction alone at another than 1/2")
    odds = (prior / (1 - prior)).log()
    if from_below:
        return ((1 - prior) * (1 - proved.curve.delta_at_most(odds))).max(arb(0))
    return ((1 - prior) * (1 - proved.curve.delta_at_least(odds))).min(prior.min(1 - prior))


def fixed_point(proved: Proved, s: Statement) -> bool:
    """f falls: f(a) >= a says that it is at least a."""
    if s.at_most:
        return falls_to(proved, s.value, s.value)
    return bool(proved.curve.at_least(s.value) >= s.value)


def auc(proved: Proved, s: Statement) -> bool:
    """1 less the area below f: by the places, then by more of them that cells tell."""
    for count in (0, *_FINER):
        if count not in proved.areas:
            proved.areas[count] = _area(proved, count)
        less, more = proved.areas[count]
        if fits(1 - less if s.at_most else 1 - more, s):
            return True
        if not proved.cells:
            return False
    return False


def _area(proved: Proved, count: int) -> tuple[arb, arb]:
    if not (count or proved.cells):
        return proved.curve.area()
    try:
        return (_finer(proved, count) if count else proved.curve).area()
    except NotProved:  # closer places than bounds are
        return arb(0), arb(1)


def _finer(proved: Proved, count: int) -> Curve:
    """Places between places, where the area is known worst: any will do."""
    places, cells = proved.curve.places, proved.cells
    proved.spend(_EACH * (count + len(places)))
    falls = [(p.upper - q.lower) / (q.t - p.t) for p, q in pairwise(places)]
    weights = [0.0]  # of a polygon's error in each cell, to the power 1/3
    for i in range(1, len(falls)):
        bend = abs(falls[i - 1] - falls[min(i + 1, len(falls) - 1)])
        weight = float((bend * bend * (places[i + 1].t - places[i].t)).mid())
        weights.append(weight ** (1 / 3) if 0.0 < weight < math.inf else 0.0)
    found: list[Place] = []
    for (left, right), weight in zip(pairwise(places), weights, strict=True):
        found.append(left)
        parts = min(int(count * weight / (sum(weights) or 1.0)), _MOST_PARTS)
        for j in range(1, parts):
            at = (left.epsilon + (right.epsilon - left.epsilon) * j / parts).mid()
            told = cells.delta(at)
            if told is not None and left.epsilon < at and at < right.epsilon:
                found.append(Place(at, at.exp(), *told))
    return Curve([*found[1:], places[-1]])


def zcdp(proved: Proved, s: Statement) -> bool:
    """rho, of the direction in which it is larger."""
    if s.at_most:
        return all(concentrated.at_most(proved.laws, way, s.value, proved.spend) for way in proved.ways)
    order = number(s.given["order"])
    return bool(s.value <= 0) or any(
        concentrated.at_least(proved.laws, way, s.value, order, proved.spend) for way in proved.ways
    )


QUANTITIES: dict[str, tuple[Callable[[Proved, Statement], bool], tuple[str, ...]]] = {
    "delta": (delta, ("epsilon",)), "epsilon": (epsilon, ("delta",)), "advantage": (advantage, ()),
    "beta": (beta, ("alpha",)), "tpr": (tpr, ("fpr",)), "attribute_inference": (tpr, ("baseline",)),
    "reconstruction": (tpr, ("baseline",)), "singling_out": (tpr, ("baseline",)),
    "relative_risk": (relative_risk, ("baseline",)), "posterior": (posterior, ("membership_prior", "fpr")),
    "bayes_error": (bayes_error, ("prior",)), "accuracy": (accuracy, ("prior",)), "fixed_point": (fixed_point, ()),
    "auc": (auc, ()), "mu": (mu, ("floor",)), "tail_mu": (tail_mu, ()), "regret": (divergence, ("floor", "mu")),
    "shortfall": (divergence, ("floor", "mu")), "divergence": (divergence, ("reference",)),
    "reverse": (divergence, ("reference",)), "epsilon_regret": (divergence, ("epsilon",)),
    "zcdp": (zcdp, ()), "zcdp_regret": (zcdp_regret, ("rho",)),
}  # fmt: skip
"""Each quantity, and what it is given; "at most" and "at least" are the two sides of each."""
