"""Two coins, one for each law, and what the best test of them attains: lower bounds on delta.

They are told by d1 = log(p / a) > 0 > d2 = log((1 - p) / (1 - a)), a the chance of heads of the one, p of the other.
E is convex, and 0 on the diagonal: coins at which E <= s kappa keep a bound once they are drawn together by s. Of all
coins on the diagonal (0, 0) is the best to be drawn to: p - e^eps a is 0 there, and less at any other. What is left of
p - e^eps a is a share of 1/s; d1 stays, and 1 - e^d2 becomes (1 - e^d2) (1 - a) / (s - a).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import LARGEST_EXPONENT, UNIT

__all__ = ["FAINT", "Coins"]

FAINT = 1e-290  # a lower bound below it is none: products underflow
_ROUNDED = 32.0 * UNIT  # certifies: of p and 1 - a, for each unit of eps and of d1


class Coins(NamedTuple):
    """Coins, and by which share of kappa, at least 1, they are too far apart; inf where that is not known."""

    d1: FloatArray
    d2: FloatArray
    share: FloatArray

    def drawn(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """d1 and d2 once these are drawn to (0, 0) by that ``share``, or away from it where it is below 1: about."""
        below = -np.expm1(self.d2 - self.d1)
        p, rest = -np.expm1(self.d2) / below, -np.expm1(-self.d1) / below
        left = rest * share + p * np.exp(-self.d1) * (share - 1.0)
        return self.d1, np.where(share == 1.0, self.d2, np.log1p(np.expm1(self.d2) * rest / left))

    def attained(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """p - e^eps a, rounded down, and 1 - p + e^eps a, rounded up; 0 and inf where that is not known."""
        d1, d2, share = self
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            below = -np.expm1(d2 - d1)
            p, rest = -np.expm1(d2) / below, -np.expm1(-d1) / below  # p and 1 - a
            load = p * np.exp(np.minimum(epsilon - d1, LARGEST_EXPONENT))  # a alone may underflow
            nearer = 1.0 / share * (1.0 - 8.0 * UNIT)
            room = _ROUNDED * (1.0 + epsilon + d1)
            value = nearer * ((p - load) - room * (p + load))
            left = (rest * np.exp(d2) + (1.0 - nearer) * p + nearer * load) * (1.0 + 2.0 * room)
        sane = np.isfinite(share) & np.isfinite(value) & np.isfinite(left) & (d1 > 0.0) & (d2 < 0.0)
        return np.where(sane, np.maximum(value, 0.0), 0.0), np.where(sane, left, np.inf)

    def excess(self, alpha: FloatArray, turned: bool) -> FloatArray:
        """What is certainly attained of 1 - f(alpha) - alpha, or where ``turned`` of that of the reversed pair; 0 where
        nothing is. As a function of alpha it is concave, 0 at both ends: at these coins, drawn together, it is p - a.
        """
        d1, d2, share = self
        with np.errstate(all="ignore"):
            below = -np.expm1(d2 - d1)
            p, rest = -np.expm1(d2) / below, -np.expm1(-d1) / below
            nearer, room = 1.0 / share * (1.0 - 8.0 * UNIT), _ROUNDED * (1.0 + d1)
            a, others = nearer * p * np.exp(-d1), rest * np.exp(d2) + (1.0 - nearer) * p  # and 1 - p
            ends = (others, nearer * p) if turned else (a, rest + (1.0 - nearer) * p * np.exp(-d1))
            ways = np.minimum(np.minimum(alpha / ends[0], (1.0 - alpha) / ends[1]), 1.0)
            value = nearer * p * -np.expm1(-d1) * ways * (1.0 - 4.0 * room)
        sane = np.isfinite(share) & (value > FAINT) & (d1 > 0.0) & (d2 < 0.0) & (a > FAINT) & (others > FAINT)
        return np.where(sane, value, 0.0)
