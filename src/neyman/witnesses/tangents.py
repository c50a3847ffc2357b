"""Where tangents of a trade-off curve matter: at an alpha, and where the Gaussian of the largest mu may meet f.

All of it in floats, and all of it steering. beta = c - t alpha by the tangent at t = e^eps, c = 1 - delta; where the
two laws are hardly apart 1 - alpha - beta = delta + (t - 1) alpha is told instead, which keeps its digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtri

from neyman._validate import FloatArray
from neyman.witnesses.supply import Supply

__all__ = ["FAR", "Tangents", "best"]

FAR = 700.0  # exponents are cut there
_APART = 0.1  # 1 - delta at eps = 0, from which down two laws are far apart
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)  # the part of an interval that a golden section leaves
_SECTIONS = 22  # from a step of a grid to what hardly changes a tangent
_MET = 1e-10  # relative: a tangent between two others that lies no further above where they meet
_HALVINGS = 150  # of the distance of two tangents that meet at that alpha
_SPLINE, _FINE = 8, 4000  # places from which slopes are told, and alphas that are looked at
_NARROW = 1e-4  # relative to both errors: from here down mu is told by the density in the middle
_TINY = 1e-300  # an error rate at least, whose probit is finite


class _Known(NamedTuple):
    """delta, 1 - delta and delta + t - 1, each with its digits."""

    delta: float
    rest: float
    raised: float


class Tangents:
    """Of one curve; ``back``: of the reversed pair."""

    def __init__(self, supply: Supply, back: bool = False) -> None:
        self._ahead, self._behind = (supply.behind, supply.ahead) if back else (supply.ahead, supply.behind)
        self._told = supply.told
        self._found: dict[tuple[float, int], float] = {}
        self._grid: Sequence[float] = ()
        self._of_grid: FloatArray = np.zeros((3, 0))

    def delta(self, epsilon: float) -> float:
        """Of the curve at any real eps, about; nan where no line serves."""
        return self._at(epsilon).delta

    @cached_property
    def far_apart(self) -> bool:
        """Whether errors are what is small."""
        return self._at(0.0).rest < _APART

    def _at(self, epsilon: float) -> _Known:
        if epsilon < 0.0:  # the reversed pair tells
            (told, rest), t = self._told(self._behind, -epsilon), math.exp(epsilon)
            return _Known(t * told - math.expm1(epsilon), t * rest, t * told)
        told, rest = self._told(self._ahead, epsilon)
        return _Known(told, rest, told + math.expm1(min(epsilon, FAR)))

    def _cost(self, epsilon: float, alpha: float) -> float:
        """What is least for the tangent that is largest at ``alpha``: -beta, or 1 - alpha - beta."""
        known, e = self._at(epsilon), min(epsilon, FAR)
        if self.far_apart:
            return math.exp(e) * alpha - known.rest
        return known.delta + math.expm1(e) * alpha if e >= 0.0 else known.raised - math.expm1(e) * (1.0 - alpha)

    def at(self, alpha: float, grid: Sequence[float]) -> float:
        """The eps, of either sign, of the tangent that is largest at ``alpha``."""
        key = alpha, len(grid)
        if key not in self._found:
            self._found[key] = best(lambda e: self._cost(e, alpha), grid, self._costs(alpha, grid))
        return self._found[key]

    def _costs(self, alpha: float, grid: Sequence[float]) -> list[float]:
        """That of all of them at once."""
        if self._grid is not grid:
            self._grid, self._of_grid = grid, np.array([self._at(e) for e in grid]).T
        delta, rest, raised = self._of_grid
        e = np.minimum(np.array(grid), FAR)
        if self.far_apart:
            return (np.exp(e) * alpha - rest).tolist()
        return np.where(e >= 0.0, delta + np.expm1(e) * alpha, raised - np.expm1(e) * (1.0 - alpha)).tolist()

    def mu(self, alpha: float, grid: Sequence[float]) -> float:
        """That of the Gaussian whose curve meets f there."""
        cost = self._cost(self.at(alpha, grid), alpha)
        return float(self._mu(np.array([alpha]), np.array([cost]))[0])

    def _mu(self, alpha: FloatArray, cost: FloatArray) -> FloatArray:
        if self.far_apart:
            return -ndtri(np.clip(alpha, _TINY, 1.0)) - ndtri(np.clip(-cost, _TINY, 1.0))
        safe = np.clip(alpha, _TINY, 1.0 - 1e-16)
        beta = np.clip(1.0 - safe - cost, _TINY, 1.0)
        middle = ndtri(np.clip(safe + 0.5 * cost, _TINY, 1.0 - 1e-16))
        near = cost * math.sqrt(2.0 * math.pi) * np.exp(0.5 * middle**2)
        return np.where(cost < _NARROW * np.minimum(safe, beta), near, -ndtri(safe) - ndtri(beta))

    def _beta(self, alpha: FloatArray, cost: FloatArray) -> FloatArray:
        return -cost if self.far_apart else 1.0 - alpha - cost

    def last(self, beta: float, grid: Sequence[float]) -> float:
        """The alpha at which f is ``beta``, or a little less."""

        def rest(e: float) -> float:  # 1 - alpha
            e = min(max(e, -FAR), FAR)
            return (self._at(e).raised + beta) * math.exp(-e)

        def alpha(e: float) -> float:
            e = min(max(e, -FAR), FAR)
            return (self._at(e).rest - beta) * math.exp(-e)

        small = self.far_apart and alpha(0.0) < 0.5
        e = best((lambda e: -alpha(e)) if small else rest, grid)
        return alpha(e) * (1.0 - _MET) if small else math.nextafter(1.0 - rest(e) * (1.0 + _MET), 0.0)

    def sharpest(self, floor: float, apart: Sequence[float], grid: Sequence[float], smooth: bool) -> list[float]:
        """Alphas >= floor, with beta >= floor, where the Gaussian of the largest mu may lie, the likeliest last."""
        found = {floor, self.last(floor, grid), *self._corner(floor, apart)}
        if smooth:
            sides = [x for x in grid if x <= 0.0][::-1], [x for x in grid if x >= 0.0]
            found.update(x for side in sides for x in self._smooth(floor, np.array(side)))
        return sorted((x for x in found if 0.0 < x < 1.0), key=lambda alpha: self.mu(alpha, grid))

    def _corner(self, floor: float, apart: Sequence[float]) -> list[float]:
        """Where two tangents meet, others laid between them until none is above."""
        e = np.array(apart)
        u = np.array([self._cost(x, 0.0) for x in apart])
        found: list[float] = []
        for _ in range(_HALVINGS):
            t = np.exp(np.minimum(e, FAR)) if self.far_apart else np.expm1(np.minimum(e, FAR))
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                alpha = -np.diff(u) * np.exp(-np.clip(e[:-1], -FAR, FAR)) / np.expm1(np.diff(e))
            cost = u[1:] + t[1:] * alpha
            inside = (alpha >= floor) & (self._beta(alpha, cost) >= floor)
            if not np.any(inside):
                break
            at = int(np.argmax(np.where(inside, self._mu(np.where(inside, alpha, 0.5), cost), -math.inf)))
            found, middle = [float(alpha[at])], float(0.5 * (e[at] + e[at + 1]))
            if not self._cost(middle, found[0]) < cost[at] - _MET * self._beta(alpha, cost)[at]:
                break  # a corner of f
            e, u = np.insert(e, at + 1, middle), np.insert(u, at + 1, self._cost(middle, 0.0))
        return found

    def _smooth(self, floor: float, e: FloatArray) -> list[float]:
        """On one side of eps = 0, where f has no corners, slopes tell."""
        sign = -1.0 if len(e) and e[-1] < 0.0 else 1.0
        size = np.abs(self._sized(e))
        kept = size > 0.0
        if np.count_nonzero(kept) < _SPLINE:
            return []
        x = sign * e[kept]
        scale = x[-1]  # eps of 1e-190 have squares that are none
        known = CubicSpline(x / scale, np.log(size[kept]))
        share = np.linspace(x[0] / scale, 1.0, _FINE)
        with np.errstate(all="ignore"):  # what overshoots is not inside
            fine, cost0 = scale * share, np.exp(known(share)) * (-1.0 if self.far_apart else 1.0)
            eps = np.minimum(sign * fine, FAR)
            alpha = -sign * cost0 * known(share, 1) / scale * np.exp(-np.maximum(eps, -FAR))
            cost = cost0 + (np.exp(eps) if self.far_apart else np.expm1(eps)) * alpha
            inside = (alpha >= floor) & (self._beta(alpha, cost) >= floor)
        if not np.any(inside):
            return []
        return [float(alpha[int(np.argmax(np.where(inside, self._mu(np.where(inside, alpha, 0.5), cost), -math.inf)))])]

    def _sized(self, e: FloatArray) -> FloatArray:
        return np.nan_to_num([self._cost(x, 0.0) for x in e.tolist()])


def best(cost: Callable[[float], float], grid: Sequence[float], known: Sequence[float] = ()) -> float:
    """Where the least cost is, by a grid, of which costs may be known, and golden sections."""
    costs = known or [cost(e) for e in grid]
    at = min(range(len(costs)), key=lambda i: costs[i] if costs[i] == costs[i] else math.inf)
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    x, y = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    a, b = cost(x), cost(y)
    for _ in range(_SECTIONS):
        if a < b:
            high, y, b = y, x, a
            x = high - _GOLDEN * (high - low)
            a = cost(x)
        else:
            low, x, a = x, y, b
            y = low + _GOLDEN * (high - low)
            b = cost(y)
    return 0.5 * (low + high)
