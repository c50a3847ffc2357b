"""The profile of a trade-off curve that is straight between given corners."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import ClosedForm
from neyman.numerics.functions.normal import PROBIT_ERROR, probit_gap
from neyman.numerics.rounding import SCANT, UNIT
from neyman.profiles.profile import Bracket

__all__ = ["CornerProfile"]

_ROOM = 8.0 * UNIT  # relative, of a slope, a logarithm and a product
_LEAST_LOG = -1e3  # certifies: below the log of any float above 0, -745
_LARGEST_EPSILON = 709.0  # e^709 = 8.2e307 is a float


class CornerProfile(ClosedForm):
    """delta(eps) = max over corners of 1 - beta - e^eps alpha, for ``alpha`` rising from 0 and ``beta`` falling to 0.

    The corners are strictly convex. Error bound: a few units in the last place of 1 - beta, of e^eps alpha and of 1 -
    delta; none beyond ``end``, but for the last bit of 1 - beta.
    """

    def __init__(self, alpha: FloatArray, beta: FloatArray) -> None:
        self._alpha = alpha
        self._beta = beta
        self._power = 1.0 - beta
        lost = (1.0 - self._power) - beta  # exactly what that has rounded
        self._most = np.where(lost > 0.0, np.nextafter(self._power, 2.0), self._power)
        self._least = np.where(lost < 0.0, np.nextafter(self._power, -1.0), self._power)
        # the corner where the best test touches a slope: the first whose edge to the right is flatter
        with np.errstate(divide="ignore"):
            fall, width = np.log(beta[:-1] - beta[1:]), np.log(np.diff(alpha))
        self._turns = fall - width
        self._vague = 0.5 * _ROOM * (2.0 + np.abs(np.maximum(fall, _LEAST_LOG)) + np.abs(width))
        self._turns_most = np.maximum.accumulate((self._turns + self._vague)[::-1])[::-1]
        self._turns_least = np.minimum.accumulate(self._turns - self._vague)

    @property
    def end(self) -> float:
        """Where the tangent surely touches at alpha = 0."""
        return max(float(self._turns_most[0]), 0.0) if len(self._turns) else 0.0

    @property
    def knots(self) -> FloatArray:
        return self._turns[::-1][self._turns[::-1] >= 0.0]

    @property
    def revealed(self) -> float:
        """1 - beta at alpha = 0, rounded down."""
        return float(self._least[0])

    @property
    def achieved(self) -> tuple[FloatArray, FloatArray]:
        """The corners' alpha, and 1 - beta - alpha there, rounded down."""
        rest = 1.0 - self._alpha
        excess = (rest - self._beta) + ((1.0 - rest) - self._alpha)
        return self._alpha, np.maximum(excess * (1.0 - 4.0 * UNIT), 0.0)

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @cached_property
    def _tail_mu(self) -> float:
        """A convex curve lies below a straight one where it does at its corners: the largest mu there."""
        if self._beta[0] < 1.0 or self._alpha[-1] < 1.0 or (len(self._beta) > 1 and self._beta[-2] == 0.0):
            return math.inf
        alpha, beta = self._alpha[1:-1], self._beta[1:-1]
        rest = 1.0 - alpha
        excess = ((rest - beta) + ((1.0 - rest) - alpha)) * (1.0 + 4.0 * UNIT)
        seen = excess > 0.0
        if not np.any(seen):
            return 0.0
        gap = probit_gap(np.log(alpha[seen]), np.log(excess[seen]), np.log(beta[seen]))
        return float(np.max(gap)) * (1.0 + PROBIT_ERROR + _ROOM) + SCANT

    def bracket(self, epsilon: FloatArray) -> Bracket:
        ends = np.stack([_first(self._turns_least, epsilon), _first(self._turns_most, epsilon)])
        with np.errstate(over="ignore"):
            load = _load(epsilon, self._alpha[ends])
        # which of the corners between those two is touched, rounding hides
        hidden = np.where(ends[1] > ends[0] + 1, 2.0 * np.max(self._vague, initial=0.0), 0.0)
        room = _ROOM * (self._power[ends] + load * (1.0 + epsilon))
        last = ends == 0  # no rounding where nothing is subtracted
        upper = np.max(np.where(last, self._most[0], self._power[ends] - load + room), axis=0)
        lower = np.max(np.where(last, self._least[0], self._power[ends] - load - room), axis=0)
        gap = np.min(self._beta[ends] + load, axis=0)
        with np.errstate(divide="ignore"):
            log_gap = np.log(gap)
        slack = _ROOM * (2.0 + epsilon + np.abs(np.where(gap > 0.0, log_gap, 0.0)))
        return Bracket(
            np.clip(np.maximum(lower, self._least[0]), 0.0, 1.0),
            np.clip(np.maximum(upper + hidden * self._power[ends[1]], self._most[0]), 0.0, 1.0),
            log_gap - slack - 2.0 * hidden,
            np.minimum(log_gap + slack, 0.0),
        )

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return np.minimum(
            np.exp(np.minimum(epsilon, _LARGEST_EPSILON)) * self._alpha[_first(self._turns, epsilon)], 1.0
        )


def _load(epsilon: FloatArray, alpha: FloatArray) -> FloatArray:
    """e^eps alpha, also where e^eps is no float, but alpha is so small that the product is one."""
    rest = np.clip(epsilon - _LARGEST_EPSILON, 0.0, _LARGEST_EPSILON)  # nobody touches a corner beyond twice that
    return np.exp(np.minimum(epsilon, _LARGEST_EPSILON)) * alpha * np.exp(rest)


def _first(turns: FloatArray, epsilon: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The corner on the tangent of slope -e^eps."""
    return np.searchsorted(-turns, -epsilon, side="left")
