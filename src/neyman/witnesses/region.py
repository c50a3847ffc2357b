"""Tangents of what rho alone promises, and a test that it allows: for the regret of rho. All of it is steering."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Any

import numpy as np
from flint import arb

from neyman._validate import FloatArray
from neyman.engines.region.profile import ZcdpProfile
from neyman.witnesses.precision import BITS
from neyman.witnesses.tangents import FAR
from neyman_check.claims.region import inside
from neyman_check.errors import NotProved
from neyman_check.work import Work

__all__ = ["Region"]

_ALONG, _NEAR = 150, 61  # tangents up to the last eps, and about the one that matters
_CLOSE = 0.3  # of the distance in which delta changes: how far those reach
_INWARD = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)  # shares of a test's way to the diagonal, one after the other


class Region:
    """Of one rho > 0; ``last`` is the eps up to which its profile matters."""

    def __init__(self, rho: float, last: float) -> None:
        self._rho, self._profile = rho, ZcdpProfile(rho)
        self._along = np.linspace(0.0, min(last, FAR), _ALONG)
        self._steps: list[float] = np.exp(self._along).tolist()
        self._values: list[float] = self._profile.bracket(self._along).upper.tolist()

    def delta(self, epsilon: float) -> float:
        """Of eps of either sign, about."""
        t = math.exp(min(abs(epsilon), FAR))
        i = min(max(bisect_right(self._steps, t), 1), len(self._steps) - 1)
        (t0, told0), (t1, told1) = ((self._steps[j], self._values[j]) for j in (i - 1, i))
        told = told0 + (told1 - told0) * min((t - t0) / (t1 - t0), 1.0)
        return told if epsilon >= 0.0 else 1.0 - (1.0 - told) / t

    def touching(self, epsilon: float, unit: float) -> list[list[float]]:
        """Orders and points of tangents, most of them near an eps."""
        near = np.linspace(epsilon - _CLOSE * unit, epsilon + _CLOSE * unit, _NEAR)
        return self._tangents(np.concatenate([self._along, near[near >= 0.0]]))

    def inside(self, epsilon: float) -> list[list[float]]:
        """A test, a little nearer to the diagonal than where the tangent at an eps touches, or than the corner."""
        corner = self._profile.corner[2]
        found, _ = self._profile.direct(np.array([epsilon]))
        known = [one for d1, d2 in ((float(found.d1[0]), float(found.d2[0])), (corner, -corner))
                 if (one := self._allowed(d1, d2)) is not None]  # fmt: skip
        return [max(known, key=lambda one: _told(one, epsilon))] if known else []

    def _allowed(self, d1: float, d2: float) -> list[float] | None:
        if not (d1 > 0.0 > d2):
            return None
        for share in _INWARD:
            moved = _moved(d1, d2, share)
            try:
                inside(arb(self._rho), arb(moved[0]), arb(moved[1]), Work(BITS).spend)
            except (NotProved, ValueError):
                continue
            return moved
        return None

    def _tangents(self, epsilon: FloatArray) -> list[list[float]]:
        found, order = self._profile.direct(epsilon)
        rows: list[Any] = np.stack([order, found.d1, found.d2], axis=1).tolist()
        return [row for row in rows if row[0] > 1.0 and row[1] > 0.0 > row[2] and all(map(math.isfinite, row))]


def _told(point: list[float], epsilon: float) -> float:
    """p - e^eps a."""
    d1, d2 = point
    p = math.expm1(d2) / math.expm1(d2 - d1)
    return p - p * math.exp(epsilon - d1)


def _moved(d1: float, d2: float, share: float) -> list[float]:
    """The point that share of the way to the diagonal."""
    p, left = math.expm1(d2) / math.expm1(d2 - d1), math.expm1(-d1) / math.expm1(d2 - d1)  # left: 1 - a
    gone = -share * math.expm1(-d1)
    return [d1 + math.log1p(-gone), math.log(math.exp(d2) + gone * p / left)]
