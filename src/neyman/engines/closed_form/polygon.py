"""Profiles that are straight in e^eps between a few points: what finitely many (eps, delta) pairs promise.

With x = e^eps a profile is convex in x, and a symmetric promise of delta at eps promises 1 - e^-eps (1 - delta) at
-eps. The largest profile through all those points is their lower convex hull, with (0, 1), and level from the last on.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import ClosedForm
from neyman.numerics.functions.normal import PROBIT_ERROR, probit_gap
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.profile import Bracket

__all__ = ["PolygonProfile"]

_ROOM = 16.0 * UNIT  # relative, of a chord: a difference, logarithms and a few products
_LAST = 4.0 * SMALLEST  # the same of what is no normal float
_SURE = 8.0 * UNIT  # the same of one whose ends are exact
_Point = tuple[float, float, float]  # eps, delta and 1 - delta


class PolygonProfile(ClosedForm):
    """The best symmetric profile that keeps ``delta`` at ``epsilon``: both 1-d, epsilon >= 0 and strictly rising.

    Error bound: a few units in the last place of delta and of 1 - delta; none at the points themselves.
    """

    def __init__(self, epsilon: FloatArray, delta: FloatArray) -> None:
        least = np.minimum.accumulate(delta)
        stop = int(np.argmax(least <= least[-1])) + 1  # the rest promises nothing more
        epsilon, least = epsilon[:stop], least[:stop]
        right = slice(1 if epsilon[0] == 0.0 else 0, None)
        mirrored = epsilon[right][::-1]
        e = np.concatenate([[-math.inf], -mirrored, epsilon])
        gap = np.concatenate([[0.0], np.exp(-mirrored) * (1.0 - least[right][::-1]), 1.0 - least])
        rest = -np.expm1(-mirrored) + np.exp(-mirrored) * least[right][::-1]
        whole = np.concatenate([[1.0], rest, least])
        kept = _mirrored(_hull(e, whole, gap), len(mirrored), len(e))
        self._e, self._gap, self._delta = e[kept], gap[kept], whole[kept]
        self._short = _shortfall(e, whole, gap, kept)

    @property
    def end(self) -> float:
        return max(float(self._e[-1]), 0.0)

    @property
    def knots(self) -> FloatArray:
        return self._e[self._e >= 0.0]

    @property
    def revealed(self) -> float:
        """delta at the last point: from there on it is level."""
        return float(self._delta[-1])

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @cached_property
    def _tail_mu(self) -> float:
        """A convex curve lies below a straight one where it does at its corners: the largest mu there."""
        if self._delta[-1] > 0.0:
            return math.inf
        e, delta, gap = self._e, self._delta, self._gap
        high = delta[1:] > 0.5  # where 1 - delta has the digits
        fall = np.where(high, np.diff(gap), -np.diff(delta))
        size = np.where(high, gap[:-1] + gap[1:], delta[:-1] + delta[1:])
        if not bool(np.all(fall > 0.0)):
            return math.inf
        log_alpha = np.log(fall) - e[1:] - np.log(-np.expm1(e[:-1] - e[1:]))
        room = _ROOM * (4.0 + np.abs(log_alpha) + np.abs(e[1:])) + 4.0 * UNIT * size / fall
        log_alpha = log_alpha - room
        corners = np.flatnonzero(e[1:] > 0.0)  # alpha <= beta, the others are their mirror images
        log_beta = np.append(log_alpha, -math.inf)[::-1][corners]  # beyond the last point alpha is 0
        # on the line through the upper end: 1 - alpha - beta = delta + (x - 1) alpha, nothing negative
        with np.errstate(divide="ignore"):
            load = log_alpha[corners] + room[corners] + np.log(np.expm1(e[1:][corners]))
            excess = np.logaddexp(np.log(delta[1:][corners]), load) + room[corners]
        return float(np.max(probit_gap(log_alpha[corners], np.minimum(excess, 0.0), log_beta), initial=0.0)) * (
            1.0 + PROBIT_ERROR
        )

    def bracket(self, epsilon: FloatArray) -> Bracket:
        i, k, low, high = self._between(epsilon)
        delta = low * self._delta[i] + high * self._delta[k]
        gap = low * self._gap[i] + high * self._gap[k]
        exact = (self._e[i] == epsilon) | (i == k)
        room = np.where(exact, 0.0, _ROOM)
        below = np.where(exact & (self._short == 0.0), 0.0, _ROOM + self._short)
        with np.errstate(divide="ignore"):
            log_gap = np.log(gap)
        slack = _ROOM * (1.0 + np.abs(np.where(gap > 0.0, log_gap, 0.0)))
        return Bracket(
            np.maximum(delta * (1.0 - below) - np.where(below > 0.0, _LAST, 0.0), 0.0),
            np.minimum(delta * (1.0 + room) + np.where(room > 0.0, _LAST, 0.0), 1.0),
            log_gap - slack,
            np.minimum(log_gap + slack + self._short, 0.0),
        )

    def slope(self, epsilon: FloatArray) -> FloatArray:
        i, k, _, _ = self._between(epsilon)
        fall = self._fall(i, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            width = np.exp(self._e[k] - epsilon) * -np.expm1(self._e[i] - self._e[k])
            return np.where(i == k, 0.0, np.minimum(fall / width, 1.0))

    def corner(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Roughly the false positive rate and the power where the lines of the two points around each eps meet."""
        i, k, _, _ = self._between(epsilon)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            alpha = self._fall(i, k) / (np.exp(self._e[k]) * -np.expm1(self._e[i] - self._e[k]))
            return alpha, self._delta[i] + np.exp(self._e[i]) * alpha

    def _fall(self, i: NDArray[np.int64], k: NDArray[np.int64]) -> FloatArray:
        """By how much delta falls from one corner to the next, where 1 - delta has the digits from that."""
        by_gap = self._gap[k] - self._gap[i]
        return np.maximum(np.where(self._delta[k] > 0.5, by_gap, self._delta[i] - self._delta[k]), 0.0)

    def _between(self, epsilon: FloatArray) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray, FloatArray]:
        """The corners around each eps, and the weights they have there."""
        i = np.searchsorted(self._e, epsilon, side="right") - 1
        k = np.minimum(i + 1, len(self._e) - 1)
        low, high = _weights(self._e[i], np.minimum(epsilon, self._e[k]), self._e[k])
        return i, k, np.where(i == k, 1.0, low), np.where(i == k, 0.0, high)


def _weights(left: FloatArray, at: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What each end counts in between, where things are straight in e^eps."""
    with np.errstate(invalid="ignore", divide="ignore", under="ignore"):
        whole = -np.expm1(left - right)
        return -np.expm1(at - right) / whole, np.exp(at - right) * -np.expm1(left - at) / whole


def _hull(e: FloatArray, delta: FloatArray, gap: FloatArray) -> list[int]:
    """The corners of the lower convex hull, in e^eps: points that lie below a chord for sure."""
    points = list(
        zip(e.tolist(), delta.tolist(), gap.tolist(), strict=True)
    )  # one by one floats are faster than arrays
    kept: list[int] = []
    for j, point in enumerate(points):
        while len(kept) > 1 and not _bends(points[kept[-2]], points[kept[-1]], point):
            kept.pop()
        kept.append(j)
    return kept


def _mirrored(kept: list[int], left: int, count: int) -> list[int]:
    """The corners on the right, and their mirror images: points on a chord are kept or not by their last digits, which
    differ on either side. Of ``count`` the first is 0, and ``left`` are images.
    """
    ahead = [j for j in kept if j > left]
    images = [count - j for j in ahead[::-1] if count - j <= left]
    return [0, *images, *ahead]


def _bends(left: _Point, at: _Point, right: _Point) -> bool:
    """Whether the point in the middle lies below the chord."""
    whole = -math.expm1(left[0] - right[0])
    low = -math.expm1(at[0] - right[0]) / whole
    high = math.exp(at[0] - right[0]) * -math.expm1(left[0] - at[0]) / whole
    if at[1] < 0.5:
        return at[1] < (low * left[1] + high * right[1]) * (1.0 - _SURE)
    return at[2] > (low * left[2] + high * right[2]) * (1.0 + _SURE)


def _shortfall(e: FloatArray, delta: FloatArray, gap: FloatArray, kept: list[int]) -> float:
    """How far, relatively, points that were dropped may lie below the chords, in delta or in 1 - delta: no more than
    their digits tell, each time one was dropped for another.

    The chords times 1 less that are convex and below all points, hence below the hull.
    """
    at = np.setdiff1d(np.arange(len(e)), kept)
    if not len(at):
        return 0.0
    ends = np.asarray(kept)
    k = ends[np.minimum(np.searchsorted(ends, at), len(ends) - 1)]
    i = ends[np.searchsorted(ends, at) - 1]
    low, high = _weights(e[i], e[at], e[k])
    with np.errstate(divide="ignore", invalid="ignore"):
        small = 1.0 - delta[at] / (low * delta[i] + high * delta[k])
        large = gap[at] / (low * gap[i] + high * gap[k]) - 1.0
    short = np.nan_to_num(np.where(delta[at] < 0.5, small, large), nan=0.0) + _SURE  # 0 / 0: all is told
    return float(np.max(short, where=~(short <= 0.0), initial=0.0))
