"""Two coins, one for each law, and what the best test of them attains: lower bounds on delta.

They are told by d1 = log(p / a) > 0 > d2 = log((1 - p) / (1 - a)), a the chance of heads of the one, p of the other.
E is convex, and 0 on the diagonal: coins at which E <= s kappa keep a bound once they are drawn together by s. Of all
coins on the diagonal (0, 0) is the best to be drawn to: p - e^eps a is 0 there, and less at any other. What is left of
p - e^eps a is a share of 1/s; d1 stays, and 1 - e^d2 becomes (1 - e^d2) (1 - a) / (s - a).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import LARGEST_EXPONENT, UNIT

__all__ = ["FAINT", "Coins", "Tests"]

FAINT = 1e-290  # a lower bound below it is none: products underflow
_ROUNDED = 32.0 * UNIT  # certifies: of p and 1 - a, for each unit of eps and of d1
_MIXED = 8.0 * UNIT  # certifies: of sums of two products of floats above 0, and of a few quotients


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

    def tests(self, turned: NDArray[np.bool_]) -> Tests:
        """Of "heads", or where ``turned`` of "tails" for the reversed pair; drawn together as they are."""
        d1, d2, share = self
        with np.errstate(all="ignore"):
            below = -np.expm1(d2 - d1)
            p, rest = -np.expm1(d2) / below, -np.expm1(-d1) / below
            nearer, room = 1.0 / share * (1.0 - 8.0 * UNIT), _ROUNDED * (1.0 + d1)
            a, others = nearer * p * np.exp(-d1), rest * np.exp(d2) + (1.0 - nearer) * p  # and 1 - p
            ends = np.where(turned, others, a), np.where(turned, nearer * p, rest + (1.0 - nearer) * p * np.exp(-d1))
            value = nearer * p * -np.expm1(-d1) * (1.0 - room)
        sane = np.isfinite(share) & (value > FAINT) & (d1 > 0.0) & (d2 < 0.0) & (a > FAINT) & (others > FAINT)
        alpha, left = (np.where(sane, end * (1.0 + room), 1.0) for end in ends)
        return Tests(alpha, left, np.where(sane, value, 0.0))


class Tests(NamedTuple):
    """Tests of a pair: false positive rates and 1 less those, rounded up, and the excess power, rounded down."""

    alpha: FloatArray
    rest: FloatArray
    excess: FloatArray

    def at(self, alpha: FloatArray) -> FloatArray:
        """What is certainly attained of 1 - f(alpha) - alpha: as a function of alpha it is concave, 0 at both ends."""
        with np.errstate(all="ignore"):
            ways = np.minimum(np.minimum(alpha / self.alpha, (1.0 - alpha) / self.rest), 1.0)
            return np.where(self.excess > 0.0, self.excess * ways * (1.0 - _MIXED), 0.0)

    def mixed(self, other: Tests, alpha: FloatArray) -> FloatArray:
        """The same of the test that is one of the two by chance, so that about that ``alpha`` results.

        The share of the ``other`` is any number in [0, 1]: it is found from the smaller of alpha and 1 - alpha.
        """
        with np.errstate(all="ignore"):
            low = (alpha - self.alpha) / (other.alpha - self.alpha)
            high = (self.rest - (1.0 - alpha)) / (self.rest - other.rest)
            share = np.clip(np.where(alpha < 0.5, low, high), 0.0, 1.0)
        share = np.where(np.isfinite(share), share, 0.0)
        rate, rest, gained = ((1.0 - share) * one + share * two for one, two in zip(self, other, strict=True))
        return Tests(rate * (1.0 + _MIXED), rest * (1.0 + _MIXED), gained * (1.0 - _MIXED)).at(alpha)
