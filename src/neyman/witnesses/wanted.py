"""At which eps deltas are wanted, so that claims follow from them. All of it is steering."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property
from statistics import NormalDist
from typing import Any

from flint import arb
from scipy.special import ndtr, ndtri

from neyman.witnesses.cover import Cover
from neyman.witnesses.supply import Supply
from neyman.witnesses.tangents import FAR, Tangents, best
from neyman_check.claims.divergences import MORE, apart, untold
from neyman_check.claims.mu import below, lowered
from neyman_check.claims.statement import Proved, Statement, number
from neyman_check.curves.curve import Curve
from neyman_check.errors import NotProved

__all__ = ["Places", "between", "parts_of"]

_STEP = 0.06  # of the distance in which delta changes, between neighbours of the grid
_MOST = 500  # of them
_TINY = 1e-17  # delta at which the grid ends
_FAINT = 1e-14  # the same of a share: what alphas of 1e-10 are a matter of
_NEAR = 1e-4  # distance of the neighbours that hold a curve from above, in the same unit
_CLOSER = 0.1  # of that distance, round by round where a claim is not yet proved
_CLOSEST, _CLOSEST_LISTED = 2, 5  # rounds
_LADDER = 2.0  # by which neighbours are ever further out: from 2.6 on a far chord tells less than the tangent
_BESIDE = 1e-5  # how far on either side of a corner delta is looked at
_CORNERS = (150, (-2, -1, 0, 1, 2)), (400, (-1, 0, 1))  # at how many places, of so many corners
_APART = 1e-3  # of the same unit
_TURN = 1.5  # by which a step of the grid may differ from the one before
_FAR_OUT = 30.0, 80.0  # eps whose tangents say something at alphas of 1e-10, and below anything asked for
_SMALL = 1e-3  # delta at eps = 0, from which down the grid follows its share of that
_LEAST_REST = 1e-300  # of 1 - delta
_FEW, _WIDE = 1e-6, 2.0  # 1 - delta from which down steps are that much longer
_FLAT = 1e-9  # growth of a score that is none
_LAST = 1e4  # eps at which the grid ends
_FIRST = 1e-3  # the largest first step
_QUARTER = 0.25  # of what f may be more than is known, from which on a cell is halved
_LEAST = 1e-5  # relative length of a cell that is still halved
_LESS = ("shortfall", "reverse")
_NORMAL = NormalDist()


class Places:
    """The grid of one mechanism, and the places that single claims want."""

    def __init__(self, supply: Supply) -> None:
        self.supply = supply
        self.cover = Cover(supply)

    @cached_property
    def _walk(self) -> list[float]:
        return self._walked()

    @property
    def unit(self) -> float:
        """The distance in which delta changes."""
        return self._walk[1] / _STEP if len(self._walk) > 1 else 1.0

    @cached_property
    def _corners(self) -> list[float]:
        return self.supply.corners()

    @cached_property
    def grid(self) -> list[float]:
        """Where a question about the whole curve begins."""
        count = len(self._corners)
        near = next((places for most, places in _CORNERS if count <= most), (0,))
        beside = {e + k * _BESIDE * self.unit for e in self._corners for k in near}
        return sorted({*self._walk, *(e for e in beside if e >= 0.0)})

    def _apart(self) -> list[float]:
        """Corners and others: closer tangents meet where rounding says."""
        near = _APART * self.unit
        others = (e for e in self._walk if not any(abs(e - x) < near for x in self._corners))
        return sorted({*self._corners, *others})

    def _walked(self) -> list[float]:
        """From 0 on, in steps of a share of the distance in which the score of delta grows by one there."""
        first, rest = self.supply.told(self.supply.ways, 0.0)
        if not first > 0.0:
            return [0.0]
        unit = max(-2.0 * _NORMAL.inv_cdf(max(0.5 * rest, _LEAST_REST)), 2.5 * first)
        whole = 2.0 * first if first < _SMALL else 1.0  # what delta is a share of
        found, at, step, score = [0.0], 0.0, _STEP * unit, _score(first / whole, rest)
        while len(found) < _MOST and at < _LAST:
            at += step
            known, rest = self.supply.told(self.supply.ways, at)
            known /= whole
            if not known > (_TINY if whole == 1.0 else _FAINT):
                break
            found.append(at)
            grown, score = _score(known, rest) - score, _score(known, rest)
            if known < 0.5 and grown < _FLAT:  # what is left is revealed for certain, at any eps
                return found + [e for e in _FAR_OUT if e > at]
            pace = _STEP if rest > _FEW else _WIDE * _STEP
            step *= min(max(pace / max(grown, _TINY), 1.0 / _TURN), _TURN)
        return found

    def around(self, epsilon: float, closer: int = 0) -> list[float]:
        """A place with two neighbours on either side; asked again, with nearer ones, and others out to the grid."""
        unit = self._local(epsilon)
        h = _NEAR * unit * _CLOSER**closer
        least = _NEAR * unit * _CLOSER ** (_CLOSEST_LISTED if self.supply.listed else _CLOSEST)
        sizes = [1.0, 2.0]
        while closer and sizes[-1] * h < _STEP * unit:
            sizes.append(sizes[-1] * _LADDER)
        near = (epsilon + k * h for size in (0.0, *sizes) for k in {-size, size})
        return [round(x / least) * least for x in near if x >= 0.0]  # deltas are too wide for places still nearer

    def _local(self, epsilon: float) -> float:
        """The unit of the grid there."""
        i = bisect_left(self._walk, epsilon, 1, max(len(self._walk) - 1, 1))
        return (self._walk[i] - self._walk[i - 1]) / _STEP if i < len(self._walk) else self.unit

    def tangent(self, alpha: float) -> float:
        """The size of the eps, of either sign, of the tangent that is largest at ``alpha``."""
        return abs(self._tangents.at(alpha, self._signed))

    def tangent_back(self, alpha: float) -> float:
        """The same of the reversed pair's curve."""
        return abs(Tangents(self.supply, back=True).at(alpha, self._signed))

    def sharpest(self, floor: float) -> list[float]:
        """Alphas by which mu may be bounded from below, the likeliest last."""
        if not self.supply.found(self._walk)[self.supply.ways[0]]:  # no line serves
            return [floor]
        return self._tangents.sharpest(floor, _both_signs(self._apart()), self._signed, not self._corners)

    @cached_property
    def _tangents(self) -> Tangents:
        return Tangents(self.supply)

    @cached_property
    def _signed(self) -> list[float]:
        return _both_signs(self.grid)

    def widest(self, other: Callable[[float], float], sign: float) -> float:
        """Where sign (other - delta) / (1 + e^eps) is largest."""
        delta = self._tangents.delta
        return abs(best(lambda e: sign * (delta(e) - other(e)) / (1.0 + math.exp(min(e, FAR))), self._signed))

    def of(self, statement: dict[str, Any], again: int = 0) -> list[float]:
        """The places beside the grid that one statement wants; closer ones if it is asked again."""
        quantity, given = statement["quantity"], statement["given"]
        value = float(statement["at_most" if "at_most" in statement else "at_least"])
        if quantity == "epsilon":
            return [value] if 0.0 <= value < 1e6 else []
        if quantity in ("delta", "advantage"):
            return [abs(given.get("epsilon", 0.0))]
        alpha = given.get("fpr", given.get("baseline", given.get("alpha", given.get("at"))))
        if quantity == "mu" and alpha is None:
            alpha = given["floor"]
        if again > (_CLOSEST_LISTED if self.supply.listed else _CLOSEST):
            return []
        if quantity == "mu" and "at_most" in statement:  # a Gaussian may touch f at either end of what counts
            ends = alpha, float(ndtr(-ndtri(alpha) - value)) if 0.0 < alpha < 1.0 else alpha
            return [e for x in ends for e in self.around(self.tangent(x), again)]
        if alpha is not None and self.supply.turned and "at" not in given and quantity not in ("beta", "mu"):
            return self.around(self.tangent_back(alpha), again)  # attacks face the record that is there
        if alpha is not None:
            return self.around(self.tangent(alpha), again)
        if quantity in ("bayes_error", "accuracy"):
            odds = abs(math.log(given["prior"] / (1.0 - given["prior"])))
            return self.around(odds, again)
        if quantity == "fixed_point":
            return self.around(self.tangent(value), again)
        return []


def _both_signs(sizes: Sequence[float]) -> list[float]:
    """Ascending."""
    return [*(-x for x in reversed(sizes) if x > 0.0), *sizes]


def _score(delta: float, rest: float) -> float:
    if delta < 0.5:
        return -_NORMAL.inv_cdf(max(delta, _TINY))
    return _NORMAL.inv_cdf(min(max(rest, _LEAST_REST), 0.5))


def parts_of(proved: Proved, statement: Statement) -> list[tuple[arb, arb]]:
    """Intervals of eps on which delta is to be known throughout, for want of tangents that suffice."""
    quantity = statement.quantity
    if quantity == "auc":
        ends = [p.epsilon for p in proved.curve.places[1:]]
        return [(ends[0], ends[-1])]
    if not statement.at_most or quantity not in ("mu", "regret", "divergence", *_LESS):
        return []
    try:
        return untold(proved, statement)
    except NotProved:
        return []


def between(proved: Proved, statement: Statement) -> list[float]:
    """Middles of the cells for want of which a statement about the whole curve does not follow."""
    try:
        return _middles(proved, statement)
    except NotProved:
        return []


_OF_ATTACKS = ("tpr", "attribute_inference", "reconstruction", "singling_out", "relative_risk", "posterior")


def _from_above(statement: Statement) -> float | None:
    """At which alpha f is to be bounded from above."""
    if statement.at_most != (statement.quantity in ("beta", "fixed_point")):
        return None
    if statement.quantity == "fixed_point":
        return float(statement.value.mid())
    names = (name for name in ("fpr", "baseline", "alpha", "at") if name in statement.given)
    return next((float(x) for name in names if isinstance(x := statement.given[name], float)), None)


def _of_alpha(curve: Curve, alpha: float) -> list[float]:
    """Middles of the cells in which a tangent may be larger there than any that is known, by more than a quarter of
    what may be most.
    """
    at = arb(alpha)
    tops = [(float(a.mid()), float(b.mid()), float(most.mid())) for (a, b), most in curve.rises(at)]
    least = float(curve.at_least(at).mid())
    enough = least + _QUARTER * (max(most for *_, most in tops) - least)
    return [abs(0.5 * (a + b)) for a, b, most in tops
            if most > enough and b - a < math.inf and b - a > _LEAST * max(abs(a), abs(b), 1e-3)]  # fmt: skip


def _middles(proved: Proved, statement: Statement) -> list[float]:
    curve, quantity = proved.curve, statement.quantity
    places = [float(p.epsilon.mid()) for p in curve.places[1:]]
    wanting: list[int] = []
    if quantity == "mu" and statement.at_most:
        known = {float(p.t.mid()): i - 1 for i, p in enumerate(curve.places)}
        found = below(curve, statement.value, lowered(curve, number(statement.given["floor"])))
        wanting = [i + k for _, _, p, holds in found if not holds for i in (known[float(p.t.mid())],) for k in (-1, 0)]
    elif quantity in (*_LESS, *MORE) and statement.at_most:
        values = apart(proved, statement)
        wanting = [i - 1 for i, value in enumerate(values) if not value <= statement.value]
        if len(values) - 2 in wanting:  # beyond the last place: further out
            return [e for e in (places[-1] * 1.1, places[-1] * 1.3) if e > 0.0]
    elif quantity == "auc":
        wanting = list(range(len(places) - 1))
    elif (alpha := _from_above(statement)) is not None:
        return _of_alpha(proved.attack if quantity in _OF_ATTACKS else curve, alpha)
    pairs = [(places[i], places[i + 1]) for i in wanting if 0 <= i < len(places) - 1]
    return [abs(0.5 * (a + b)) for a, b in pairs if b - a > _LEAST * max(abs(a), abs(b), 1e-3)]
