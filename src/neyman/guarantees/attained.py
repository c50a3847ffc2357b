"""Bounds from below on what is told, where tests are known that tell as much."""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form.enclosed_corners import EnclosedCorners
from neyman.engines.line.profile import LineProfile
from neyman.guarantees.questions.curve.tradeoff import tangent
from neyman.guarantees.twins import OptimisticGuarantee, PessimisticGuarantee
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import question
from neyman.profiles.pair import Pair

__all__ = ["Attained", "touching"]

_BESIDE = np.array([-1e-2, -1e-5, 0.0, 1e-5, 1e-2])  # in units of the spread: which tests are asked, beside a tangent
_SLACK = 8.0 * UNIT  # certifies: six roundings of either term of a chord, or of their sum

Tests = tuple[FloatArray, FloatArray, FloatArray]


class Attained(OptimisticGuarantee):
    """Lower bounds of a curve on or below which tests are known: chords between what these attain lie above it.

    ``sides`` are those of the curve, where they are not the guarantee's own: what is promised may be less than what is
    known.
    """

    def __init__(self, pessimistic: PessimisticGuarantee, sides: Pair | None = None) -> None:
        known = pessimistic if sides is None else PessimisticGuarantee(sides, pessimistic.adjacency, pessimistic.effort)
        super().__init__(known)
        self._promise = pessimistic

    @property
    def pessimistic(self) -> PessimisticGuarantee:
        """The guarantee that these are lower bounds of."""
        return self._promise

    @question
    def _beta(self, alpha: FloatArray) -> FloatArray:
        size, miss, _ = self._tests(alpha)
        return np.minimum(super()._beta(alpha), chord(alpha, size, miss))

    @question
    def _power(self, fpr: FloatArray) -> FloatArray:
        size, _, power = self._tests(fpr)
        return np.maximum(super()._power(fpr), -chord(fpr, size, -power))

    def _tests(self, alpha: FloatArray) -> Tests:
        """Both errors and the power of tests beside each ``alpha``, one row a test."""
        forward, backward = self._sides
        if isinstance(forward, EnclosedCorners):
            return forward.corners_around(alpha)
        if not (isinstance(forward, LineProfile) and isinstance(backward, LineProfile)):
            return np.ones((1, len(alpha))), np.zeros((1, len(alpha))), np.ones((1, len(alpha)))
        epsilon = touching(self._sides, alpha, self._start)
        at = (epsilon + _BESIDE[:, None] * self._start).ravel()
        ahead, back = forward.tests(np.maximum(at, 0.0)), backward.tests(np.maximum(-at, 0.0))
        turned = back[1], back[0], 1.0 - back[0] - UNIT
        size, miss, power = (
            np.where(at >= 0.0, a, b).reshape(-1, len(alpha)) for a, b in zip(ahead, turned, strict=True)
        )
        zero, one = np.zeros((1, len(alpha))), np.ones((1, len(alpha)))
        known = forward.revealed * one
        return (
            np.concatenate([zero, size, one]),
            np.concatenate([1.0 - known + UNIT, miss, zero]),
            np.concatenate([known, power, one]),
        )


def touching(sides: Pair, alpha: FloatArray, start: float) -> FloatArray:
    """Return the real eps whose tangent touches near each ``alpha``, also where losses end in a smooth top (it steers).

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> one = GaussianProfile(1.0)
    >>> touching(Pair(one, one), np.array([0.30853754]), 1.0).round(6) + 0.0
    array([0.])
    """
    epsilon = tangent(sides, alpha, start)
    forward, backward = sides
    if not (isinstance(forward, LineProfile) and isinstance(backward, LineProfile)):
        return epsilon
    ahead, back = np.flatnonzero(epsilon > 0.0), np.flatnonzero(epsilon < 0.0)
    epsilon[ahead] = forward.late(epsilon[ahead], alpha[ahead], True)
    epsilon[back] = -backward.late(-epsilon[back], 1.0 - alpha[back], False)
    return epsilon


def chord(alpha: FloatArray, size: FloatArray, height: FloatArray) -> FloatArray:
    """Return the lowest chord between two points, of rows of points, over each alpha, rounded up.

    A test of less size than alpha is one of that size, too.

    Examples
    --------
    >>> size, height = np.array([[0.0], [0.5], [1.0]]), np.array([[1.0], [0.2], [0.0]])
    >>> chord(np.array([0.25]), size, height).round(12)
    array([0.6])
    """
    best = np.full(alpha.shape, np.inf)
    for i in range(len(size)):
        for k in range(len(size)):
            over = (size[i] <= alpha) & (alpha <= size[k]) & (size[i] < size[k])
            with np.errstate(divide="ignore", invalid="ignore"):
                width = size[k] - size[i]
                first, last = (size[k] - alpha) / width * height[i], (alpha - size[i]) / width * height[k]
                value = first + last + _SLACK * (np.abs(first) + np.abs(last))
            best = np.where(over, np.fmin(best, value), best)
        best = np.where(size[i] <= alpha, np.minimum(best, height[i]), best)
    return best
