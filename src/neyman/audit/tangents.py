"""A claim as finitely many of its tangents: what it allows, never stricter than what was claimed.

A symmetric trade-off function f and its profile delta(eps) say: an event has probability y under one of two neighbours
only if it has at least f(1 - y) under the other one. For every eps >= 0

    f(1 - y) >= e^-eps (y - delta(eps))   and, mirrored,   f(1 - y) >= e^eps y - (e^eps - 1 + delta(eps)),

and the maximum of finitely many such lines, each rounded down, is a lower bound of f(1 - y): convex, non-decreasing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.audit.claims import claimed
from neyman.guarantees import GDP, Guarantee
from neyman.mechanisms import Mechanism

__all__ = ["DOWN", "Lines", "Tangents"]

DOWN = 1.0 - 1e-15  # pays for the few roundings of one product and one sum
_UP = 1.0 + 1e-15  # certifies: as ``DOWN``, for an exponential, a product and a sum
_SMALLEST = 1e-13  # tangents at smaller delta decide nothing: no p-value below it is ever reported
_FAR = 600.0  # e^eps stays finite
_GEOMETRIC = 200  # nodes at equal ratios: fewer cost power, not truth
_APART, _FEWEST, _MOST = 0.025, 400, 2_500  # nodes at equal distances, which lose about the square of the distance


@dataclass(frozen=True)
class Lines:
    """Straight lines slope y - offset whose maximum is the bound, ordered by slope; each is largest from ``start``."""

    slope: list[float]
    offset: list[float]
    start: list[float]


@dataclass(frozen=True)
class Tangents:
    """Points of a profile: ``delta`` is an upper bound of delta(eps) at each ``epsilon`` >= 0."""

    epsilon: FloatArray
    delta: FloatArray

    @classmethod
    def of(cls, claim: Guarantee | Mechanism, coarse: bool = False) -> Tangents:
        """Enough tangents of the symmetric guarantee that follows from ``claim`` to lose a relative 1e-3 at most.

        With ``coarse`` a tenth of them: enough to choose among.

        Raises
        ------
        InvalidParameter
            If ``claim`` is neither a guarantee nor a mechanism, or states lower bounds only.
        """
        sides = claimed(claim).symmetrized().sides
        first = np.concatenate([[0.0], np.geomspace(1e-8, _FAR, 200)])
        rough = sides.bracket(first).upper
        flat = rough <= np.maximum(_SMALLEST, rough[-1] * (1.0 + 1e-6))
        end = float(first[int(np.argmax(flat))])
        marks = [m for m in (sides.forward.knots, np.array([sides.forward.end])) if m.size]
        special = np.concatenate([np.zeros(1), *marks])
        special = special[np.isfinite(special) & (special >= 0.0) & (special <= _FAR)]
        few, many = (
            (_FEWEST // 10, _FEWEST // 5) if coarse else (_GEOMETRIC, int(np.clip(end / _APART, _FEWEST, _MOST)))
        )
        special = special[:: max(1, len(special) // few)] if coarse else special
        nodes = [special, np.geomspace(1e-4 * end, end, few)] if end > 0.0 else [special]
        epsilon = np.unique(np.concatenate([*nodes, np.linspace(0.0, end, many)]))
        return cls(epsilon, np.clip(sides.bracket(epsilon).upper, 0.0, 1.0))

    @classmethod
    def gaussian(cls, mu: float) -> Tangents:
        """The same of Gaussian differential privacy, in less time; ``mu`` >= 0."""
        if mu == 0.0:
            return cls.single(0.0, 0.0)
        end = min(mu * (7.4 + 0.5 * mu), _FAR)
        even = np.linspace(0.0, end, int(np.clip(end / _APART, _FEWEST // 2, _MOST)))
        epsilon = np.unique(np.concatenate([np.geomspace(1e-3 * end, end, _GEOMETRIC // 4), even]))
        return cls(epsilon, np.clip(GDP(mu).sides.bracket(epsilon).upper, 0.0, 1.0))

    @classmethod
    def single(cls, epsilon: float, delta: float) -> Tangents:
        """The one tangent of (epsilon, delta)-differential privacy."""
        return cls(np.array([epsilon]), np.array([delta]))

    @cached_property
    def lines(self) -> Lines:
        """The lines below f(1 - y), only those that are largest somewhere in [0, 1]."""
        with np.errstate(under="ignore"):
            down, up = np.exp(-self.epsilon), np.exp(self.epsilon)
            slope = np.concatenate([down * DOWN, up * DOWN])
            offset = np.concatenate([down * self.delta * _UP, (np.expm1(self.epsilon) + self.delta) * _UP])
        # what the mirrored slopes lose by rounding: slope y with y <= 1 is too small, which is the safe side
        order = np.lexsort((offset, slope))
        return _largest(slope[order].tolist(), offset[order].tolist())


def _largest(slope: list[float], offset: list[float]) -> Lines:
    """The upper envelope on [0, 1] of lines in the order of their slopes."""
    kept: list[int] = []
    start: list[float] = []
    for k in range(len(slope)):
        begin = 0.0
        skip = False
        while kept:
            top = kept[-1]
            rise = slope[k] - slope[top]
            if rise <= 0.0:
                skip = offset[k] >= offset[top]
                if skip:
                    break
                begin = 0.0 if len(kept) == 1 else -math.inf
            else:
                begin = (offset[k] - offset[top]) / rise
            if begin > start[-1]:
                break
            kept.pop()
            start.pop()
        if not skip and begin <= 1.0:
            kept.append(k)
            start.append(begin if kept[:-1] else 0.0)
    return Lines([slope[k] for k in kept], [offset[k] for k in kept], start)
