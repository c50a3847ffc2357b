"""At which eps deltas are wanted, so that claims follow from them. All of it is steering."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from flint import arb
from scipy.special import ndtr, ndtri

from neyman.witnesses.cover import Cover
from neyman.witnesses.supply import Supply
from neyman_check.claims import MORE, Proved, Statement, apart, below, lowered, untold
from neyman_check.errors import NotProved

__all__ = ["Places", "between", "parts_of"]

_STEP = 0.06  # of the distance in which delta changes, between neighbours of the grid
_MOST = 500  # of them
_TINY = 1e-17  # delta at which the grid ends
_NEAR = 1e-4  # distance of the neighbours that hold a curve from above, in the same unit
_CLOSER = 0.1  # of that distance, round by round where a claim is not yet proved
_CLOSEST, _CLOSEST_LISTED = 2, 5  # rounds
_BESIDE = 1e-5  # how far on either side of a corner delta is looked at
_APART = 1e-3  # of the same unit
_HALVINGS = 150  # of the distance of two tangents that meet at that alpha
_MET = 1e-10  # relative: a tangent between two others that lies no further above where they meet
_NEARLY = 1e-9  # the same of what an alpha near 1 lacks
_TURN = 1.5  # by which a step of the grid may differ from the one before
_FAR_OUT = 30.0, 80.0  # eps whose tangents say something at alphas of 1e-10, and below anything asked for
_FLAT = 1e-9  # growth of a score that is none
_LAST = 1e4  # eps at which the grid ends
_FAR = 700.0  # exponents are cut there
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
_FIRST = 1e-3  # the largest first step
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
        beside = {e + k * _BESIDE * self.unit for e in self._corners for k in (-2, -1, 0, 1, 2)}
        return sorted({*self._walk, *(e for e in beside if e >= 0.0)})

    def _apart(self) -> list[float]:
        """Corners and others: closer tangents meet where rounding says."""
        near = _APART * self.unit
        others = (e for e in self._walk if not any(abs(e - x) < near for x in self._corners))
        return sorted({*self._corners, *others})

    def delta(self, epsilon: float) -> float:
        """Of the curve at any real eps, about; nan where no line serves."""
        if epsilon < 0.0:  # the reversed pair tells
            return 1.0 - math.exp(epsilon) * (1.0 - self._larger(-epsilon, self.supply.behind))
        return self._larger(epsilon, self.supply.ahead)

    def _larger(self, epsilon: float, ways: Sequence[bool]) -> float:
        balls = [self.supply.ball(way, epsilon) for way in ways]
        return max((math.nan if ball is None else float(ball.upper.mid()) for ball in balls), default=math.nan)

    def _walked(self) -> list[float]:
        """From 0 on, in steps of a share of the distance in which the score of delta grows by one there."""
        first = self._larger(0.0, self.supply.ways)
        if not first > 0.0:
            return [0.0]
        unit = max(2.0 * -_NORMAL.inv_cdf(0.5 - 0.5 * min(first, 1.0 - 1e-12)), 2.5 * first)
        found, at, step, score = [0.0], 0.0, _STEP * unit, _score(first)
        while len(found) < _MOST and at < _LAST:
            at += step
            known = self._larger(at, self.supply.ways)
            if not known > _TINY:
                break
            found.append(at)
            grown, score = _score(known) - score, _score(known)
            if known < 0.5 and grown < _FLAT:  # what is left is revealed for certain, at any eps
                return found + [e for e in _FAR_OUT if e > at]
            step *= min(max(_STEP / max(grown, _TINY), 1.0 / _TURN), _TURN)
        return found

    def around(self, epsilon: float, closer: int = 0) -> list[float]:
        """A place with two neighbours on either side."""
        h = _NEAR * self.unit * _CLOSER**closer
        least = _NEAR * self.unit * _CLOSER ** (_CLOSEST_LISTED if self.supply.listed else _CLOSEST)
        near = (epsilon + k * h for k in (-2, -1, 0, 1, 2))
        return [round(x / least) * least for x in near if x >= 0.0]  # deltas are too wide for places still nearer

    def tangent(self, alpha: float) -> float:
        """The size of the eps, of either sign, of the tangent that is largest at ``alpha``."""

        def cost(e: float) -> float:
            if e < 0.0:  # 1 - delta - t alpha, without what cancels
                return math.exp(e) * (self._larger(-e, self.supply.behind) + alpha - 1.0)
            return self.delta(e) + math.exp(min(e, _FAR)) * alpha - 1.0

        return self._best(cost)

    def tangent_back(self, alpha: float) -> float:
        """The same of the reversed pair's curve."""
        return self._best(lambda e: 1.0 - math.exp(min(e, _FAR)) * (1.0 - self.delta(-e) - alpha))

    def sharpest(self, floor: float) -> list[float]:
        """Alphas >= floor, with beta >= floor, where the Gaussian of the largest mu may lie: one inside, both ends."""
        apart = self._apart()
        e = np.array([*(-x for x in reversed(apart) if x > 0.0), *apart])
        u = np.array([self.delta(x) for x in e])
        if not np.isfinite(u).any():  # no line serves
            return [floor]
        best = floor
        for _ in range(_HALVINGS):
            t = np.exp(np.minimum(e, _FAR))
            alpha = -np.diff(u) / np.diff(t)  # where two tangents meet
            beta = 1.0 - u[1:] - t[1:] * alpha
            inside = (alpha >= floor) & (beta >= floor)
            if not np.any(inside):
                break
            near = np.where(inside, alpha, 0.5), np.where(inside, beta, 0.5)
            at = int(np.argmax(np.where(inside, -ndtri(near[0]) - ndtri(near[1]), -math.inf)))
            best, middle = float(alpha[at]), float(0.5 * (e[at] + e[at + 1]))
            told = self.delta(middle)
            if not 1.0 - told - math.exp(min(middle, _FAR)) * best > beta[at] * (1.0 + _MET):
                break  # a corner of f
            e, u = np.insert(e, at + 1, middle), np.insert(u, at + 1, told)
        last = self._last(floor)
        return [best, floor, *([last] if 0.0 < last < 1.0 else [])]

    def _last(self, floor: float) -> float:
        """About the alpha where beta is the floor, a little less."""

        def cost(e: float) -> float:
            if e < 0.0:  # what 1 lacks, where that is exact
                return self._larger(-e, self.supply.behind) + floor * math.exp(min(-e, _FAR)) - 1.0
            return -(1.0 - self.delta(e) - floor) * math.exp(-e)

        at = self._best_at(cost)
        if at < 0.0:
            return 1.0 - (cost(at) + 1.0) * (1.0 + _NEARLY)
        return -cost(at) * (1.0 - _MET)

    def widest(self, other: Callable[[float], float], sign: float) -> float:
        """Where sign (other - delta) / (1 + e^eps) is largest."""
        return self._best(lambda e: sign * (self.delta(e) - other(e)) / (1.0 + math.exp(min(e, _FAR))))

    def _best(self, cost: Callable[[float], float]) -> float:
        """The size of the eps where the least cost is."""
        return abs(self._best_at(cost))

    def _best_at(self, cost: Callable[[float], float]) -> float:
        """Where the least cost is, of either sign, by the grid and golden sections."""
        grid = [*(-x for x in reversed(self.grid) if x > 0.0), *self.grid]
        costs = [cost(e) for e in grid]
        at = min(range(len(costs)), key=lambda i: costs[i] if costs[i] == costs[i] else math.inf)
        low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
        x, y = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        a, b = cost(x), cost(y)
        for _ in range(40):
            if a < b:
                high, y, b = y, x, a
                x = high - _GOLDEN * (high - low)
                a = cost(x)
            else:
                low, x, a = x, y, b
                y = low + _GOLDEN * (high - low)
                b = cost(y)
        return 0.5 * (low + high)

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


def _score(delta: float) -> float:
    return -_NORMAL.inv_cdf(min(max(delta, _TINY), 1.0 - 1e-16))


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


def _middles(proved: Proved, statement: Statement) -> list[float]:
    curve, quantity = proved.curve, statement.quantity
    places = [float(p.epsilon.mid()) for p in curve.places[1:]]
    wanting: list[int] = []
    if quantity == "mu" and statement.at_most:
        number = {float(p.t.mid()): i - 1 for i, p in enumerate(curve.places)}
        found = below(curve, statement.value, lowered(curve, arb(statement.given["floor"])))
        wanting = [i + k for _, _, p, holds in found if not holds for i in (number[float(p.t.mid())],) for k in (-1, 0)]
    elif quantity in (*_LESS, *MORE) and statement.at_most:
        values = apart(proved, statement)
        wanting = [i - 1 for i, value in enumerate(values) if not value <= statement.value]
        if len(values) - 2 in wanting:  # beyond the last place: further out
            return [places[-1] * 1.1, places[-1] * 1.3]
    elif quantity == "auc":
        wanting = list(range(len(places) - 1))
    pairs = [(places[i], places[i + 1]) for i in wanting if 0 <= i < len(places) - 1]
    return [abs(0.5 * (a + b)) for a, b in pairs if b - a > _LEAST * max(abs(a), abs(b), 1e-3)]
