"""Steps B that tell less than others, A: the others are read at a few places of what B tells.

With y = e^eps, r = dP_B/dQ_B and phi(s) = s delta_A(eps - log s), delta(eps) = E_{Q_B}[phi(r)] (``narrow``): phi is
convex, rises from phi(0) = 0, and no steeper than 1. Let T(s) = E (r - s)+ = delta_B(log s), which is convex, too, and
T(s) - 1 + s = s delta_B'(-log s) with B' the reversal of B. Two laws on places s_0 < ... < s_n, 1 among them:

- Above: T is replaced by its chords, which moves the mass of every cell to its two ends. Before s_0 the chord goes to 0
  at 0, as T(s) - 1 + s does; after s_n it is flat.
- Below: the chords are lowered at each place by at least their sag in both cells beside it, the chord's distance from
  T. As T is convex, that is no more than a quarter of the cell times the difference of the slopes beside it, of the
  cell whole or cut in pieces. Over the first and the last cell, and
  beyond, they are 0 at most.

E phi(r) = phi(1) + int (T(s) - (1 - s)+) dphi'(s), so that with w and v the second differences of the two

    sum of v_j phi(s_j) <= delta(eps) <= sum of w_j phi(s_j) + T(s_n),

for phi' <= 1. The same of g(s) = s - phi(s) = s (1 - delta_A), which is concave, rises, and starts from g(0) = 0, too:

    sum of w_j g(s_j) <= 1 - delta(eps) <= sum of v_j g(s_j).

At an outcome of A of mass p and loss l phi' rises by p at least, at s = e^(eps - l): there p times the distance of the
chords from T is known to be too much, or of the lowered ones too little, and is put right. What else is lost goes with
the square of the cells, which are as wide as the others' losses allow, not those of B.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import AMPLE, SMALLEST, TINY, UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Profile

__all__ = ["LARGEST", "Places", "read"]

_NEAREST, _RATIO = 0.0625, 1.25  # the first place beside 1, in deviations of B, and how far the next is from the last
_AHEAD = 4  # places that are tried at a time
_MOST = 400  # of these
_FURTHEST = 600.0  # loss beyond which no place lies
_PIECES = 4  # of a cell, for its sag
_FALL = 0.25  # e-folds that T may fall by over one cell
_LOST = 0.25  # of the square of a cell, relatively, for each phi''
LARGEST = 1 << 14  # places
# log of the largest weight of a cell; the least; the least fall of T
_HEAVIEST, _LIGHTEST, _LEVEL = 690.0, 1e-100, 1e-3
_ROUNDED = 32.0 * UNIT  # certifies: of a slope, a quotient of two differences


@dataclass(frozen=True, slots=True)
class Places:
    """Losses of the places, in ascending order, s times the weights of the law above and of that below, each from below
    and above, and T(s_n); for each side of 1, the right one first, the distances of the places, |s - 1|, and the chords
    of both laws there.
    """

    loss: FloatArray
    above: tuple[FloatArray, FloatArray]
    below: tuple[FloatArray, FloatArray]
    beyond: float
    sides: tuple[tuple[FloatArray, FloatArray, FloatArray], ...]

    @classmethod
    def of(
        cls,
        little: Pair,
        deviation: float,
        steep: float,
        aim: float,
        depth: float,
        most: int = LARGEST,
    ) -> Places | None:
        """Of the profiles of B (this direction, the other), whose losses have that ``deviation``: such that nothing
        that changes by a factor e over a loss of 1 / ``steep`` is off by more than ``aim`` of itself, roughly, until
        what is left of B is below ``depth``. None where they would be more than ``most``.
        """
        told = min(float(one.bracket(np.zeros(1)).upper[0]) for one in little)
        if not (told > 0.0 and deviation > 0.0 and steep < math.inf):
            return None
        sides = [_side(one, deviation, depth, turned) for turned, one in enumerate(little)]
        wanted = [_wanted(away, left, steep, depth) for away, left in sides]
        error = _LOST * sum(float(np.sum(weight * width**2)) for weight, width, _, _ in wanted)
        scale = math.sqrt(aim / error) if error > 0.0 else math.inf
        counts = [
            np.ceil(length / np.minimum(np.minimum(scale * width, most_), length)) for _, width, length, most_ in wanted
        ]
        if not sum(float(np.sum(count)) for count in counts) < most:
            return None
        cells = [
            np.repeat(length / count, count.astype(np.int64))
            for count, (_, _, length, _) in zip(counts, wanted, strict=True)
        ]
        return cls._weighed(little, cells, told)

    @classmethod
    def _weighed(cls, little: Pair, cells: Sequence[FloatArray], told: float) -> Places:
        """Of cells of that width, in loss, to the right of 1 and to the left."""
        fine = [np.append(0.0, np.cumsum(np.repeat(width / _PIECES, _PIECES))) for width in cells]
        known = [read(one, away, bool(turned)) for turned, (one, away) in enumerate(zip(little, fine, strict=True))]
        above = [one[1][::_PIECES] for one in known]
        for one in above:
            one[0] = told  # both directions know it
        # how fast T falls to one side, at least, and to the other, at most
        first = [
            1.0 - float(low[0] - high[1]) / abs(math.expm1((-1.0) ** i * away[1]))
            for i, ((low, high), away) in enumerate(zip(known, fine, strict=True))
        ]
        sunk = [
            _sunk(low, high, away, bool(i), first[1 - i])
            for i, ((low, high), away) in enumerate(zip(known, fine, strict=True))
        ]
        middle = min(float(one[0]) for one in sunk)
        for one in sunk:
            one[0], one[-1] = middle, 0.0
        loss = np.concatenate([-fine[1][::_PIECES][:0:-1], fine[0][::_PIECES]])
        s = np.exp(loss)
        laws: list[tuple[FloatArray, FloatArray]] = []
        for left, right in ((above[1], above[0]), (sunk[1], sunk[0])):
            weight, error = _second(loss, left, right)
            laws.append(((weight - error) * s, (weight + error) * s))
        away = [np.abs(np.expm1((-1.0) ** i * one[::_PIECES])) for i, one in enumerate(fine)]
        return cls(loss, laws[0], laws[1], float(above[0][-1]), tuple(zip(away, above, sunk, strict=True)))


def read(one: Profile, away: FloatArray, turned: bool) -> tuple[FloatArray, FloatArray]:
    """T, or T' to the left of 1, from below and above."""
    found = one.bracket(away)
    weight = np.exp(-away) if turned else 1.0
    return found.lower * weight * (1.0 - 4.0 * UNIT), found.upper * weight * (1.0 + 4.0 * UNIT) + SMALLEST


def _side(one: Profile, deviation: float, depth: float, turned: int) -> tuple[FloatArray, FloatArray]:
    """Places away from 1 until next to nothing is left, and about what is left at each."""
    end = min(one.end * (1.0 + AMPLE), _FURTHEST)
    away, left = np.zeros(1), one.bracket(np.zeros(1)).upper
    near = _NEAREST * deviation
    while len(away) < _MOST and away[-1] < end and left[-1] > depth:
        ahead = near * _RATIO ** np.arange(len(away) - 1, len(away) - 1 + _AHEAD)
        ahead = np.minimum(ahead, end)
        ahead = ahead[: np.searchsorted(ahead, end) + 1]
        seen = one.above(ahead, lambda: np.full(len(ahead), depth)).upper  # noqa: B023
        enough = int(np.argmax(seen <= depth)) + 1 if bool(np.any(seen <= depth)) else len(seen)
        away, left = np.append(away, ahead[:enough]), np.append(left, seen[:enough])
    return away, left * np.exp(-away) if turned else left


def _wanted(
    away: FloatArray, left: FloatArray, steep: float, depth: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """What a cell of width 1 would lose, the widths cells should have beside each other, the lengths to be cut, and the
    widths over which not too much is left out of what there is.
    """
    length = np.diff(away)
    slope = np.append(np.abs(np.diff(left)) / length, 0.0)
    slope = np.minimum.accumulate(np.minimum(slope, 1.0))
    mass = np.maximum(slope[:-1] - slope[1:], 0.0)
    mass = np.maximum(mass, np.append(mass[0], mass[:-1]))
    beyond = np.maximum(np.cumsum(mass[::-1])[::-1], TINY)
    with np.errstate(over="ignore"):
        heavier = np.minimum(np.exp(np.minimum(steep * away[:-1], _HEAVIEST)), 1.0 / beyond)
    weight = np.maximum(steep * (steep + 1.0) * mass * heavier, _LIGHTEST)
    falls = np.maximum(np.log(np.maximum(left[:-1], depth) / np.maximum(left[1:], depth)), _LEVEL)
    return weight, np.cbrt(length / weight), length, _FALL * length / falls


def _sunk(low: FloatArray, high: FloatArray, away: FloatArray, turned: bool, first: float) -> FloatArray:
    """T at the ends of cells, of which pieces are known, lowered by more than the sag of the chords beside them;
    ``first`` is how fast it falls at 1 at most.
    """
    sign = -1.0 if turned else 1.0
    width = np.exp(sign * away[:-1]) * np.abs(np.expm1(sign * np.diff(away))) * (1.0 - 8.0 * UNIT)
    # T falls away from 1: steepest slopes before a piece, flattest after it
    before = np.append(first * (1.0 + 2.0 * _ROUNDED) + 2.0 * _ROUNDED, (high[:-2] - low[1:-1]) / width[:-1])
    after = np.append((low[1:-1] - high[2:]) / width[1:] * (1.0 - _ROUNDED), 0.0)
    room = 0.25 * width * (1.0 + _ROUNDED) * np.maximum(np.minimum(before, 1.0) - np.maximum(after, 0.0), 0.0)
    piece = room.reshape(-1, _PIECES).max(axis=1)
    ends = low[::_PIECES]
    inner = low[:-1].reshape(-1, _PIECES)
    s = np.expm1(sign * away)
    start, whole = s[:-1:_PIECES], np.diff(s[::_PIECES])
    level = whole == 0.0  # so far out that floats tell the ends no more apart: nothing is known of T there
    whole = np.where(level, 1.0, whole)
    share = (s[:-1].reshape(-1, _PIECES) - start[:, None]) / whole[:, None]
    chord = ends[:-1, None] * (1.0 - share) + ends[1:, None] * share
    rounded = 2.0 * _ROUNDED * ends[:-1] * (1.0 + np.abs(np.expm1(sign * away[_PIECES::_PIECES]) / whole))
    rounded = np.where(level, 1.0, rounded)
    sag = np.maximum((chord - inner).max(axis=1), 0.0) * (1.0 + 8.0 * UNIT) + piece + rounded
    sag[-1] = 0.0  # over the last cell they are 0, or less
    lowered = ends - np.maximum(np.append(sag, 0.0), np.append(0.0, sag)) * (1.0 + 8.0 * UNIT) - SMALLEST
    lowered[-2] = min(float(lowered[-2]), 0.0)
    return lowered


def _second(loss: FloatArray, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The second differences at all places of what is ``right`` of 1 T and ``left`` of it T - 1 + s, from 1 outwards,
    and a bound on what rounding does to each.
    """
    step = np.exp(loss[:-1]) * np.expm1(np.diff(loss))
    middle = len(left) - 1
    t = np.concatenate([left[:0:-1], right])
    fall = np.empty(len(t) + 1)  # to the right of 1; to the left, how fast T - 1 + s rises
    fall[1 : middle + 1] = -np.diff(left)[::-1] / step[:middle]
    fall[middle + 1 : -1] = -np.diff(right) / step[middle:]
    fall[0], fall[-1] = float(left[-1]) / math.exp(loss[0]), 0.0
    weight = np.empty(len(t))
    weight[:middle] = fall[1 : middle + 1] - fall[:middle]
    weight[middle] = 1.0 - fall[middle] - fall[middle + 1]
    weight[middle + 1 :] = fall[middle + 1 : -1] - fall[middle + 2 :]
    size = np.abs(t)
    rough = np.zeros(len(t) + 1)
    rough[1:-1] = (size[:-1] + size[1:]) / step
    rough[0] = abs(float(fall[0]))
    error = 16.0 * UNIT * (rough[:-1] + rough[1:]) + SMALLEST
    error[middle] += 4.0 * UNIT
    return weight, error
