"""At which eps deltas are wanted, so that claims follow from them. All of it is steering."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

from flint import arb

from neyman.proving.supply import Supply
from neyman_check.check import Checked
from neyman_check.claims import Proved, Statement, apart, below
from neyman_check.errors import NotProved

__all__ = ["Places", "between"]

_STEP = 0.06  # of the distance in which delta changes, between neighbours of the grid
_MOST = 500  # of them
_TINY = 1e-17  # delta at which the grid ends
_NEAR = 1e-4  # distance of the neighbours that hold a curve from above, in the same unit
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
_FIRST = 1e-3  # the largest first step
_LEAST = 1e-5  # relative length of a cell that is still halved
_NORMAL = NormalDist()


class Places:
    """The grid of one mechanism, and the places that single claims want."""

    def __init__(self, supply: Supply) -> None:
        self.supply = supply
        self.grid = self._walked()
        self._unit = self.grid[1] / _STEP if len(self.grid) > 1 else 1.0

    def delta(self, epsilon: float) -> float:
        """The larger of both directions, about; nan where no line serves."""
        balls = [self.supply.ball(way, epsilon) for way in self.supply.ways]
        return max((math.nan if ball is None else float(ball.upper.mid()) for ball in balls), default=math.nan)

    def _walked(self) -> list[float]:
        """From 0 on, in steps of a share of the distance in which the score of delta grows by one."""
        first = self.delta(0.0)
        if not first > 0.0:
            return [0.0]
        unit = max(2.0 * -_NORMAL.inv_cdf(0.5 - 0.5 * min(first, 1.0 - 1e-12)), 2.5 * first)
        found, at = [0.0], 0.0
        while len(found) < _MOST:
            at += _STEP * unit
            if not self.delta(at) > _TINY:
                break
            found.append(at)
        return found

    def around(self, epsilon: float) -> list[float]:
        """A place with two neighbours on either side."""
        h = _NEAR * self._unit
        return [x for k in (-2, -1, 0, 1, 2) if (x := epsilon + k * h) >= 0.0]

    def tangent(self, alpha: float) -> float:
        """The eps of the tangent that is largest at ``alpha`` (of a symmetric curve where alpha <= f)."""
        return self._best(lambda e: self.delta(e) + math.exp(e) * alpha)

    def widest(self, other: Callable[[float], float], sign: float) -> float:
        """Where sign (other - delta) / (1 + e^eps) is largest."""
        return self._best(lambda e: sign * (self.delta(e) - other(e)) / (1.0 + math.exp(e)))

    def _best(self, cost: Callable[[float], float]) -> float:
        """The least cost, by the grid and golden sections."""
        costs = [cost(e) for e in self.grid]
        at = min(range(len(costs)), key=lambda i: costs[i] if costs[i] == costs[i] else math.inf)
        low, high = self.grid[max(at - 1, 0)], self.grid[min(at + 1, len(self.grid) - 1)]
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

    def of(self, statement: dict[str, Any]) -> list[float]:
        """The places beside the grid that one statement wants."""
        quantity, given = statement["quantity"], statement["given"]
        value = float(statement["at_most" if "at_most" in statement else "at_least"])
        if quantity == "epsilon":
            return [value] if 0.0 <= value < 1e6 else []
        if quantity == "delta":
            return [given["epsilon"]]
        if quantity == "advantage":
            return [0.0]
        alpha = given.get("fpr", given.get("baseline", given.get("alpha", given.get("at"))))
        if quantity == "mu" and alpha is None:
            alpha = given["floor"]
        if alpha is not None:
            return self.around(self.tangent(alpha))
        if quantity in ("bayes_error", "accuracy"):
            odds = abs(math.log(given["prior"] / (1.0 - given["prior"])))
            return self.around(odds)
        if quantity == "fixed_point":
            return self.around(0.0)
        return []


def between(checked: Checked, statement: Statement) -> list[float]:
    """Middles of the cells for want of which a statement about the whole curve does not follow."""
    if checked.proved is None:
        return []
    try:
        return _middles(checked.proved, statement)
    except NotProved:
        return []


def _middles(proved: Proved, statement: Statement) -> list[float]:
    curve, quantity = proved.curve, statement.quantity
    places = [float(p.epsilon.mid()) for p in curve.places[1:]]
    wanting: list[int] = []
    if quantity == "mu" and statement.at_most:
        number = {float(p.t.mid()): i - 1 for i, p in enumerate(curve.places)}
        found = below(curve, statement.value, arb(statement.given["floor"]))
        wanting = [i + k for p, holds in found if not holds for i in (number[float(p.t.mid())],) for k in (-1, 0)]
    elif quantity in ("regret", "shortfall", "divergence", "reverse") and statement.at_most:
        values = apart(proved, statement)
        wanting = [i - 1 for i, value in enumerate(values) if not value <= statement.value]
        if len(values) - 2 in wanting:  # beyond the last place: further out
            return [places[-1] * 1.1, places[-1] * 1.3]
    elif quantity == "auc":
        wanting = list(range(len(places) - 1))
    pairs = [(places[i], places[i + 1]) for i in wanting if 0 <= i < len(places) - 1]
    return [0.5 * (a + b) for a, b in pairs if a >= 0.0 and b - a > _LEAST * max(b, 1e-3)]
