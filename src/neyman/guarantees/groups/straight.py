"""One ROC curve of straight pieces applied again and again: the corners of the whole, each with its chain of pieces.

The corners of the curve applied k times are those at which one of the k steps stands at a corner of the one curve: j
steps back from it lead to where the chain begins, k - 1 - j steps on from it to where it ends, all along straight
pieces, whose slopes are known. At an eps between the slopes beside such a corner its chain is the best; the step at the
corner takes what of eps the others leave.

Approximate throughout, as ``roc_chain`` is: it steers. Both of a rate and 1 - rate are kept, each from its own small
terms, so that both ends of [0, 1] have digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from neyman._validate import FloatArray
from neyman.engines.closed_form.polygon import PolygonProfile
from neyman.engines.closed_form.straight import CornerProfile
from neyman.guarantees.groups.roc_chain import EDGE
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["StraightCurve", "StraightSteps", "straight"]

_PIECE = 50.0  # nominal nanoseconds of one piece of a chain
_LARGEST = 4_000_000  # corners times steps; beyond that they are not all kept


def straight(sides: Pair, times: int) -> bool:
    """Whether the curve is known to be straight between finitely many corners, few enough for so many steps."""
    known = all(isinstance(side, PolygonProfile | CornerProfile) for side in sides.branches)
    return known and times * (len(sides.forward.knots) + len(sides.backward.knots) + 2) <= _LARGEST


class StraightCurve:
    """Lower bounds on 1 - f(alpha) - alpha where f is straight between corners: chords of points that tests attain.

    Between its knots delta is straight in e^eps, so that the excess at any alpha is least at one of them. A corner
    given as such is a point itself. Error bound: a few units in the last place of the excess at the ends of a chord.

    Examples
    --------
    >>> from neyman.guarantees.given.approximate import ApproximateDP
    >>> StraightCurve(ApproximateDP(1.0, 0.1).sides).excess(np.array([0.0, 0.05])).round(6)
    array([0.1     , 0.185914])
    """

    def __init__(self, sides: Pair) -> None:
        one = sides.forward
        if isinstance(one, CornerProfile):
            alpha, excess = one.achieved
        else:
            e = _slopes(sides)
            behind = reversed_delta(sides, e)
            alpha = np.clip(np.append(_crossings(sides, e), 1.0 - behind[-1]), 0.0, 1.0)
            mirrored = sides.backward.bracket(np.abs(e)).lower
            ahead = sides.bracket(e).lower[:, None] + np.expm1(e)[:, None] * alpha
            back = -np.expm1(e)[:, None] * (1.0 - alpha) + (np.exp(np.minimum(e, 0.0)) * mirrored)[:, None]
            excess = np.min(np.where(e[:, None] < 0.0, back, ahead), axis=0)
            excess = np.minimum(excess, 1.0 - alpha) * (1.0 - 64.0 * UNIT)  # no power is above 1
        last = float(one.bracket(np.array([one.end])).lower[0])
        alpha, excess = np.concatenate([[0.0], alpha, [1.0]]), np.concatenate([[last], excess, [0.0]])
        order = np.lexsort((-excess, alpha))
        alpha, first = np.unique(alpha[order], return_index=True)
        self._alpha, self._excess = alpha, np.maximum(excess[order][first], 0.0)

    def excess(self, alpha: FloatArray) -> FloatArray:
        """At each ``alpha`` in [0, 1], rounded down."""
        i = np.clip(np.searchsorted(self._alpha, alpha, side="right") - 1, 0, len(self._alpha) - 2)
        left, right = self._alpha[i], self._alpha[i + 1]
        value = (right - alpha) * self._excess[i] + (alpha - left) * self._excess[i + 1]  # nothing cancels
        return value / (right - left) * (1.0 - 8.0 * UNIT)


class StraightSteps:
    """The chains of ``times`` steps along the straight ROC curve of ``sides``, found by the sum of their eps."""

    def __init__(self, sides: Pair, times: int) -> None:
        self._times = times
        self._e = e = _slopes(sides)
        self._delta, self._behind = sides.bracket(e).upper, reversed_delta(sides, e)
        # at each corner: alpha and 1 - alpha, beta and 1 - beta, and the slopes beside it
        alpha = np.concatenate([[0.0], _crossings(sides, e), [1.0]])
        beta = np.concatenate([[1.0], _crossings(sides.reversed, -e[::-1])[::-1], [0.0]])
        alpha[-1], beta[0] = 1.0 - self._behind[-1], 1.0 - self._delta[0]
        lean = np.append(e, e[-1])
        with np.errstate(over="ignore"):
            power = self._delta[np.r_[0 : len(e), -1]] + np.exp(lean) * alpha
            rest = self._behind[np.r_[0 : len(e), -1]] + np.exp(-lean) * beta
        self._alpha, self._rest, self._power, self._beta = alpha, rest, np.minimum(power, 1.0), beta
        self._chains(np.append(np.inf, e), np.append(e, -np.inf))

    def _chains(self, left: FloatArray, right: FloatArray) -> None:
        """The pieces after and before each corner, and the corners of the whole by the slope on their right."""
        many, k = len(self._alpha), self._times
        pieces = np.full((many, 2 * k - 1), np.nan)
        starts = np.empty((k, many))
        a, b, p, q = self._power, self._beta, self._alpha, self._rest
        starts[0] = _score(p, q)
        for m in range(1, k):
            e, a, b = self._onward(a, b)
            pieces[:, k - 1 + m] = e
            e, p, q = self._back(p, q)
            pieces[:, k - 1 - m] = e
            starts[m] = _score(p, q)
        ahead = np.concatenate([np.zeros((many, 1)), np.cumsum(pieces[:, k:], axis=1)], axis=1)[:, ::-1]
        before = np.concatenate([np.zeros((many, 1)), np.cumsum(pieces[:, : k - 1][:, ::-1], axis=1)], axis=1)
        others = ahead + before  # by the corner and by how many steps come before it
        if not np.any(np.isfinite(others)):  # even alpha = 0 ends where f is 0: any division tells that
            pieces[0, k:], others[0, 0] = self._e[-1], (k - 1) * self._e[-1]
        corner, j = np.nonzero(np.isfinite(others))
        least = right[corner] + others[corner, j]
        order = np.argsort(least, kind="stable")
        self._pieces = pieces
        self._corner, self._before, self._least = corner[order], j[order], least[order]
        self._others, self._start = others[corner, j][order], starts[j, corner][order]

    def work(self, many: int) -> float:
        """What ``split`` costs, in nominal nanoseconds."""
        return _PIECE * self._times * many

    def split(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The score of the first alpha, and each step's eps (first axis, the last step last).

        They add up to ``epsilon`` at most: what rounding may have added is taken from the step at the corner, where
        delta is smooth.
        """
        at = np.maximum(np.searchsorted(self._least, epsilon, side="right") - 1, 0)
        j = self._before[at]
        place = self._times - 1 - j + np.arange(self._times)[:, None]
        parts = self._pieces[self._corner[at], place]
        free = j, np.arange(len(epsilon))
        parts[free] = epsilon - self._others[at]
        parts[free] -= 2.0 * UNIT * (self._times + 4) * (np.sum(np.abs(parts), axis=0) + epsilon)
        return self._start[at], parts

    def chain(self, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the sum of eps along the chain that starts at each ``score``, and each eps."""
        a, b = special.ndtr(-score), special.ndtr(score)
        parts = np.empty((self._times, len(score)))
        for i in range(self._times):
            e, a, b = self._onward(a, b)
            parts[i] = np.where(np.isnan(e), self._e[-1], e)
        return np.sum(parts, axis=0), parts

    def _onward(self, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The slope at alpha, and 1 - f and f there; nan where f is 0."""
        v = _place(a, b, self._alpha, self._rest)
        e = self._e[v]
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.minimum(self._delta[v] + np.exp(e) * a, 1.0)
            beta = np.where(power < 0.5, 1.0 - power, (b - self._behind[v]) * np.exp(e))
            gone = ~(beta > 0.0)
        return np.where(gone, np.nan, e), np.where(gone, 1.0, power), np.where(gone, 0.0, np.minimum(beta, 1.0))

    def _back(self, p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The slope where the power is p, and alpha and 1 - alpha there; nan where no alpha has so little."""
        v = _place(p, q, self._power, self._beta)
        e = self._e[v]
        with np.errstate(over="ignore", invalid="ignore"):
            rest = np.minimum(self._behind[v] + np.exp(-e) * q, 1.0)
            alpha = np.where(rest < 0.5, 1.0 - rest, (p - self._delta[v]) * np.exp(-e))
            none = ~(p >= self._power[0])
        return np.where(none, np.nan, e), np.where(none, np.nan, np.maximum(alpha, 0.0)), rest


def reversed_delta(sides: Pair, epsilon: FloatArray) -> FloatArray:
    """delta of the reversed pair at -eps, for each real eps."""
    return sides.reversed.bracket(-epsilon).upper


def _slopes(sides: Pair) -> FloatArray:
    """The real eps of all straight pieces, falling: alpha rises along them."""
    return np.unique(np.concatenate([sides.forward.knots, -sides.backward.knots]))[::-1]


def _crossings(sides: Pair, e: FloatArray) -> FloatArray:
    """alpha where each piece meets the next."""
    b = sides.bracket(e)
    gap = np.exp(b.log_gap_lower)
    fall = np.where(b.upper[1:] < 0.5, np.diff(b.upper), -np.diff(gap))
    with np.errstate(over="ignore", under="ignore"):
        return np.maximum(fall, 0.0) * np.exp(-e[:-1]) / -np.expm1(np.diff(e))


def _place(rate: FloatArray, rest: FloatArray, rates: FloatArray, rests: FloatArray) -> NDArray[np.intp]:
    """The piece on which each rate lies, by whichever of it and its complement is small."""
    inner = slice(1, -1)
    low = np.searchsorted(rates[inner], rate, side="right")
    high = np.searchsorted(-rests[inner], -rest, side="right")
    return np.where(rate < 0.5, low, high)


def _score(rate: FloatArray, rest: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        score = np.where(rate < 0.5, -special.ndtri(np.clip(rate, 0.0, 1.0)), special.ndtri(np.clip(rest, 0.0, 1.0)))
    return np.clip(np.nan_to_num(score, nan=EDGE), -EDGE, EDGE)
