"""The profile of a trade-off curve that is straight between given corners."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form import ClosedForm
from neyman.engines.profile import Bracket
from neyman.numerics.normal import PROBIT_ERROR, UNIT, probit_gap

__all__ = ["CornerProfile"]

_ROOM = 8.0 * UNIT


class CornerProfile(ClosedForm):
    """delta(eps) = max over corners of 1 - beta - e^eps alpha, for ``alpha`` rising from 0 and ``beta`` falling to 0.

    Error bound: a few units in the last place of 1 - beta, of e^eps alpha and of 1 - delta.
    """

    def __init__(self, alpha: FloatArray, beta: FloatArray) -> None:
        self._alpha = alpha
        self._beta = beta
        self._power = 1.0 - beta
        # the corner where the best test touches a slope: the first whose edge to the right is flatter
        with np.errstate(divide="ignore"):
            self._turns = np.log(beta[:-1] - beta[1:]) - np.log(np.diff(alpha))

    @property
    def end(self) -> float:
        """Where the tangent first touches at alpha = 0."""
        return max(float(self._turns[0]) * (1.0 + _ROOM) + _ROOM, 0.0) if len(self._turns) else 0.0

    @property
    def knots(self) -> FloatArray:
        return self._turns[::-1][self._turns[::-1] >= 0.0]

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @cached_property
    def _tail_mu(self) -> float:
        """A convex curve lies below a straight one where it does at its corners: the largest mu there."""
        if self._beta[0] < 1.0 or self._alpha[-1] < 1.0:
            return math.inf
        alpha, beta = self._alpha[1:-1], self._beta[1:-1]
        excess = (1.0 - alpha) - beta + 2.0 * UNIT
        seen = excess > 2.0 * UNIT
        if not np.any(seen):
            return 0.0 if len(alpha) == 0 else 1e-14
        gap = probit_gap(np.log(alpha[seen]), np.log(excess[seen]), np.log(beta[seen]))
        return float(np.max(gap)) * (1.0 + PROBIT_ERROR + _ROOM) + 1e-15

    def bracket(self, epsilon: FloatArray) -> Bracket:
        at = self._touching(epsilon)
        with np.errstate(over="ignore"):
            load = np.exp(np.minimum(epsilon, 709.0)) * self._alpha[at]
        delta = self._power[at] - load
        room = _ROOM * (self._power[at] + load * (1.0 + epsilon))
        gap = self._beta[at] + load
        with np.errstate(divide="ignore"):
            log_gap = np.log(gap)
        slack = _ROOM * (2.0 + epsilon + np.abs(np.where(gap > 0.0, log_gap, 0.0)))
        last = at == 0  # no rounding where nothing is subtracted
        upper = np.where(last, self._power[0], np.maximum(delta + room, self._power[0]))
        lower = np.where(last, self._power[0], np.maximum(delta - room, self._power[0]))
        return Bracket(
            np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0), log_gap - slack, np.minimum(log_gap + slack, 0.0)
        )

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return np.minimum(np.exp(np.minimum(epsilon, 709.0)) * self._alpha[self._touching(epsilon)], 1.0)

    def _touching(self, epsilon: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The corner on the tangent of slope -e^eps."""
        return np.searchsorted(-self._turns, -epsilon, side="left")
