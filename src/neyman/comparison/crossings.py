"""Where two privacy curves change places: every sign change of delta_b - delta_a, enclosed.

On an interval of eps the difference is bounded from both sides (chords of the one, secants of the other, as for the
divergence). Intervals on which neither curve is certainly below the other, up to ``_HIDDEN`` in Bayes error, are
divided; neighbouring points of opposite certified sign enclose a crossing, which bisection narrows as far as the signs
can be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.questions.regret import (
    Points,
    evaluate,
    interval_bounds,
    last_that_matters,
    merge,
    slope_at_zero,
)
from neyman.profiles.pair import Pair

__all__ = ["Crossing", "Crossings", "crossings"]

_HIDDEN = 1e-9  # Bayes error up to which no crossing is looked for, at least; what is told of the unseen is no less
_ROUNDS = 20  # of division at most: steers
_MOST_POINTS = 8_000  # eps at most: steers
_BISECTIONS = 60  # rounds at most, in each of which a crossing is narrowed: steers
_CELLS = 64  # eps to begin with: steers


@dataclass(frozen=True, slots=True)
class Crossing:
    """The curves cross between the eps ``low`` and ``high``; ``prior`` is that of their middle, P(record absent).

    Examples
    --------
    >>> import neyman as ny
    >>> c = ny.compare(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
    >>> print(c.crossings[1])
    The curves change places at epsilon = 0.328772, prior 0.5815 (P(record absent)): just below it one guarantee is \
more private, just above it the other.
    """

    low: float
    high: float

    @property
    def epsilon(self) -> float:
        """The middle."""
        return 0.5 * (self.low + self.high)

    @property
    def prior(self) -> float:
        """1 / (1 + e^-epsilon)."""
        return float(1.0 / (1.0 + np.exp(-self.epsilon)))

    def __str__(self) -> str:
        """The sentence for a person."""
        where = f"between {self.low:.6g} and {self.high:.6g}"
        if f"{self.low:.6g}" == f"{self.high:.6g}":
            where = f"= {self.epsilon:.6g}"
        return (
            f"The curves change places at epsilon {where}, prior {self.prior:.4g} (P(record absent)): just below it "
            "one guarantee is more private, just above it the other."
        )


class Crossings(NamedTuple):
    """The crossings by rising eps, and the Bayes error by which the curves may differ between others, unseen."""

    found: tuple[Crossing, ...]
    unseen: float


def crossings(a: Pair, b: Pair) -> Crossings:
    """Return all crossings between which the Bayes errors differ by more than ``unseen``."""
    points, unseen = _told(a, b)
    right = _found(a, b, points)
    if a.symmetric and b.symmetric:  # the left half is the right one's mirror image
        left, through = [Crossing(-c.high, -c.low) for c in reversed(right)], []
    else:
        backward = a.reversed, b.reversed
        turned, more = _told(*backward)
        left = [Crossing(-c.high, -c.low) for c in reversed(_found(*backward, turned))]
        through, unseen = _through_zero(turned, points), max(unseen, more)
    return Crossings((*left, *through, *right), unseen)


def _through_zero(left: Points, right: Points) -> list[Crossing]:
    """A change of sign between the first points on either side of eps = 0 at which it can be told."""
    signs = [_sign(points) for points in (left, right)]
    if not all(np.any(sign) for sign in signs):
        return []
    first = [int(np.flatnonzero(sign)[0]) for sign in signs]
    if signs[0][first[0]] == signs[1][first[1]]:
        return []
    return [Crossing(-float(left.epsilon[first[0]]), float(right.epsilon[first[1]]))]


def _told(a: Pair, b: Pair) -> tuple[Points, float]:
    """Points with eps >= 0, close enough to see every crossing there, up to the Bayes error that is returned too."""
    end = max(last_that_matters(a.forward, b.forward), last_that_matters(b.forward, a.forward))
    points = evaluate(a.forward, b.forward, np.linspace(0.0, end, _CELLS))
    for _ in range(_ROUNDS):
        hidden, least = _undecided(a, b, points)
        open_ = np.flatnonzero(hidden > np.maximum(_HIDDEN, 2.0 * least))
        if open_.size == 0 or points.y.size + 3 * open_.size > _MOST_POINTS:
            break
        low, high = points.epsilon[open_, None], points.epsilon[open_ + 1, None]
        inner = (low + (high - low) * np.array([0.25, 0.5, 0.75])).ravel()
        points = merge(points, evaluate(a.forward, b.forward, inner))
    return points, max(_HIDDEN, float(np.max(_undecided(a, b, points)[0])))


def _found(a: Pair, b: Pair, points: Points) -> list[Crossing]:
    """The changes of sign among the points, narrowed."""
    sign = _sign(points)
    told = np.flatnonzero(sign)
    changed = np.flatnonzero(sign[told[:-1]] != sign[told[1:]])
    ends = [(int(told[i]), int(told[i + 1])) for i in changed]
    return [_narrowed(a, b, float(points.epsilon[i]), float(points.epsilon[j]), int(sign[i])) for i, j in ends]


def _undecided(a: Pair, b: Pair, points: Points) -> tuple[FloatArray, FloatArray]:
    """By how much both curves may lie above the other within each interval; 0 where there is one crossing, certainly.

    And how little that can be, whatever the inner points: what the brackets at the ends allow.
    """
    turned = Points(
        points.epsilon, points.y, points.other_lower, points.other_upper, points.self_lower, points.self_upper
    )
    slopes = slope_at_zero(a.forward, a.backward, points), slope_at_zero(b.forward, b.backward, turned)
    above, _ = interval_bounds(points, slopes[0])
    below, _ = interval_bounds(turned, slopes[1])
    sign = _sign(points)
    steepest = [_slopes(p, first) for p, first in zip((points, turned), slopes, strict=True)]
    # where the one always falls faster than the other, they meet once
    once = (steepest[0][1] < steepest[1][0]) | (steepest[1][1] < steepest[0][0])
    both = np.maximum(np.minimum(above, below), 0.0)
    least = np.minimum(*(np.maximum(p.other_upper - p.self_lower, 0.0) / (2.0 + p.y) for p in (points, turned)))
    return np.where(once & (sign[:-1] * sign[1:] < 0), 0.0, both), np.maximum(least[:-1], least[1:])


def _slopes(p: Points, first: float) -> tuple[FloatArray, FloatArray]:
    """Bounds on the slope in x = e^eps of the convex self within each interval, from the secants outside."""
    step = np.diff(p.y)
    after = (p.self_upper[2:] - p.self_lower[1:-1]) / step[1:]
    before = (p.self_lower[1:-1] - p.self_upper[:-2]) / step[:-1]
    return np.append(-first, before), np.append(np.minimum(after, 0.0), 0.0)


def _sign(points: Points) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """1 where delta_b is certainly above delta_a, -1 where certainly below, 0 where that cannot be told."""
    return (points.other_lower > points.self_upper).astype(np.int64) - (points.other_upper < points.self_lower)


def _narrowed(a: Pair, b: Pair, low: float, high: float, sign: int) -> Crossing:
    """By trisection where both thirds can be told, else as it is."""
    for _ in range(_BISECTIONS):
        inner: FloatArray = low + (high - low) * np.array([0.25, 0.5, 0.75])
        found = _sign(evaluate(a.forward, b.forward, inner))
        same, other = np.flatnonzero(found == sign), np.flatnonzero(found == -sign)
        if same.size == 0 and other.size == 0:
            break
        before = low, high
        low = float(inner[same[-1]]) if same.size else low
        high = float(inner[other[0]]) if other.size else high
        if not low < high or (low, high) == before:
            low, high = before
            break
    return Crossing(low, high)
