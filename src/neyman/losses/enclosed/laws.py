"""Two finite laws that enclose one known by bounds on its profile: one never below the truth, one never above it.

With k = e^eps, delta at eps is C(k) = E_Q[(e^L - k)_+], P(L = inf) included: convex in k. Ordered by C for every k > 0
and in both directions, laws stay ordered under composition. Bounds L and U of C are known at eps = l_0 = 0 < l_1 < ...;
the half eps < 0 is that of the reversed pair, and what is left of the mass lies at loss 0.

- Above: the largest convex function below the points (l_j, U_j). Whatever is convex and below the points is below it;
  it is straight between points, so that its law has outcomes at points only. What lies beyond the last is revealed.
- Below: between two points C is above the two lines that extend the neighbouring chords (drawn from U where they
  begin, through L where they enter). Each point is lowered by as much as a chord of L is above them on either side:
  chords between lowered points are below C, and so is the largest convex function below them. The gap to the law above
  is about c (c + 1) h^2 / 2, relatively and per step, where delta falls like e^{-c eps}. Where C is known to be
  straight between the points, nothing is lowered.

The masses of P are e^{l_j} times the change of the slope of C at e^{l_j}. What rounding does to them is measured: C is
summed up again, from positive terms, and the masses are scaled until the order holds.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from neyman._validate import BoolArray, FloatArray
from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.rounding import LARGEST_EXPONENT, ROOM, TINY, UNIT

__all__ = ["Bounds", "HalfLine", "law_above", "law_below"]

_NEGLIGIBLE = 1e-20  # masses at infinity up to this may be made equal in both directions, which keeps a lattice one
# steer: of what is not at infinity, that a law above may weigh more than 1 and its points all be kept; of points that
# then are not, how near they are: slopes between them are rounding, and hardly anything is lost
_HEAVIER, _NEAR = 1e-9, 1e-9
_ROUNDED = 64.0 * UNIT  # certifies: of a slope of delta and of what follows from two of them, for each point


class Bounds(Protocol):
    """Bounds on delta, element by element."""

    @property
    def lower(self) -> FloatArray: ...
    @property
    def upper(self) -> FloatArray: ...


class HalfLine(NamedTuple):
    """Bounds of delta at each point eps >= 0 in one direction, and a lower bound of the mass at infinity."""

    known: Bounds
    infinite: float

    @property
    def lower(self) -> FloatArray:
        """From below: dearer than from above, and not asked for the law above."""
        return self.known.lower

    @property
    def upper(self) -> FloatArray:
        """From above."""
        return self.known.upper


class _Half(NamedTuple):
    """The losses > 0, the masses of P at them and at infinity; delta(0) without the latter; by how much the masses must
    be moved, relatively, so that the order holds.
    """

    loss: FloatArray
    mass: FloatArray
    infinite: float
    start: float
    off: float


def law_above(points: FloatArray, forward: HalfLine, backward: HalfLine, unit: float | None) -> Outcomes:
    """Return the upper law; ``unit`` is the spacing of the points, if they have one."""
    start = min(float(forward.upper[0]), float(backward.upper[0]))
    values: list[FloatArray] = []
    for half in (forward, backward):
        value = np.minimum.accumulate(half.upper)
        value[0] = start
        values.append(np.minimum(value, start))
    values = _joinable(points, values, 1.0)
    while len(points) > 1:
        halves = [_half(points, value, 1.0) for value in values]
        most = max(half.infinite for half in halves)
        infinite = (most, most) if most < _NEGLIGIBLE else (halves[0].infinite, halves[1].infinite)
        found = _joined(halves[0], halves[1], infinite, 1.0, unit)
        kept = _apart(points)
        if found.beyond <= _HEAVIER * (1.0 - most) or kept.all():
            return found
        points, values = points[kept], [value[kept] for value in values]
    # all that is told at eps = 0 is revealed: at every k > 0 the difference is C of a law that tells nothing
    start = min(float(values[0][0]), 1.0)
    silent = math.log(max(1.0 - start, TINY)) + 4.0 * UNIT
    return Outcomes(np.zeros(1), np.array([silent]), (start, start), relative=16.0 * UNIT * (1.0 + abs(silent)))


def _apart(points: FloatArray) -> BoolArray:
    """Without those so near others that slopes between them are rounding; the first stays, and the last beside it.
    The largest convex function below fewer points is no less.
    """
    gap = np.diff(points)
    near = min(4.0 * float(gap.min()), _NEAR)
    kept = np.append(True, gap > near)
    if len(points) > 2:
        kept[-1] = True
        kept[1:-1] &= points[-1] - points[1:-1] > near
    return kept


def law_below(
    points: FloatArray, forward: HalfLine, backward: HalfLine, unit: float | None, straight: bool
) -> Outcomes:
    """Return the lower law. The points are evenly spaced, unless ``straight``: then delta is straight in e^eps between
    them.
    """
    pairs = (forward, backward), (backward, forward)
    values = [_level(this.lower) if straight else _lowered(points, this, other) for this, other in pairs]
    start = max(values[0][0], values[1][0]) if straight else min(values[0][0], values[1][0])
    for (this, _), value in zip(pairs, values, strict=True):
        value[0], value[-1] = start, this.infinite  # what is beyond the last point is forgotten
    first, second = (_half(points, value, -1.0) for value in _joinable(points, values, -1.0))
    return _joined(first, second, (first.infinite, second.infinite), -1.0, unit)


def _joinable(points: FloatArray, values: list[FloatArray], sign: float) -> list[FloatArray]:
    """Both halves, delta(0) lowered to where C is convex across k = 1: delta(0) + Q(L > 0) + P(L < 0) <= 1.

    C is convex: no bound is better there than the chord. Rounding is left to the safe side, which ``sign`` tells.
    """
    room = 1.0 + sign * _ROUNDED * (8.0 + len(points))
    while True:
        start = float(values[0][0])
        values = [np.minimum(value, start) for value in values]
        nearest = [int(_vertices(points, value)[1]) for value in values]
        widths = [math.expm1(float(points[at])) for at in nearest]
        levels = [float(value[at]) for value, at in zip(values, nearest, strict=True)]
        most = (room + sum(v / g for v, g in zip(levels, widths, strict=True))) / (1.0 + sum(1.0 / g for g in widths))
        cap = most * (1.0 + sign * 16.0 * UNIT)  # of what rounds to much, where points are close to 0
        if start <= max(cap, most * (1.0 + 8.0 * UNIT)):
            return values
        for value in values:
            value[0] = cap


def _level(lower: FloatArray) -> FloatArray:
    """The same bounds, falling: delta falls."""
    return np.maximum.accumulate(lower[::-1])[::-1].copy()


def _lowered(points: FloatArray, this: HalfLine, other: HalfLine) -> FloatArray:
    """Values whose chords are below C: lowered at both ends of a chord by as much as it may lie above C; where that is
    more than there is, at the left end alone, down to the right one.
    """
    h = float(points[1] - points[0])
    growth = math.expm1(h)
    lower, upper = _level(this.lower), this.upper
    # C at e^-h, from the other direction
    left_of = np.append(-math.expm1(-h) + math.exp(-h) * other.upper[1], upper[:-1])[: len(lower) - 1]
    chord = (lower[:-1] - lower[1:]) / growth  # minus the slopes, in units of the left end
    before = (left_of - lower[:-1]) * (math.exp(h) / growth)
    after = np.append((lower[1:-1] - upper[2:]) * (math.exp(-h) / growth), 0.0)
    a, b = np.maximum(before - chord, 0.0), np.maximum(chord - after, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        sag = np.where((a > 0.0) & (b > 0.0), growth * a * (b / (a + b)), 0.0)
    sag = sag * (1.0 + ROOM) + _ROUNDED * left_of
    level = lower[1:] - sag < this.infinite
    sag[level] = 0.0
    value = lower - np.maximum(np.append(0.0, sag), np.append(sag, 0.0))
    value[:-1][level] = np.minimum(value[:-1], lower[1:])[level]
    return value


def _half(points: FloatArray, value: FloatArray, sign: float) -> _Half:
    """The law of the largest convex function below the points (e^points, ``value``), which ends at the last of them."""
    at = _vertices(points, value)
    loss, level = points[at], value[at]
    fall, gap = level[:-1] - level[1:], np.diff(loss)
    mass = fall / -np.expm1(-gap)
    mass[:-1] -= fall[1:] / np.expm1(gap[1:])
    mass = np.maximum(mass, 0.0)
    found, wanted = _summed(loss, gap, mass), level[:-1] - level[-1]
    some = found > 0.0
    off = float(np.max(sign * (wanted[some] / found[some] - 1.0), initial=0.0))
    missing = float(np.max(wanted[~some], initial=0.0)) if sign > 0.0 else 0.0  # what underflows
    kept = mass > 0.0
    rounding = 16.0 * UNIT * (8.0 + len(points))
    return _Half(loss[1:][kept], mass[kept], float(level[-1]) + missing, float(found[0]), off + rounding)


def _vertices(points: FloatArray, value: FloatArray) -> NDArray[np.int64]:
    """The corners of the largest convex function below the points: its slopes are the isotonic regression of the slopes
    between the points. What rounding has left on or above the chord of its neighbours goes then.
    """
    with np.errstate(under="ignore"):
        width = np.exp(points[:-1]) * np.expm1(np.diff(points))
        slope = np.diff(value) / width
    from scipy.optimize import isotonic_regression  # a tenth of a second that most answers have no use for

    at = np.asarray(isotonic_regression(slope, weights=width).blocks, dtype=np.int64)
    while len(at) > 2:
        fall, gap = -np.diff(value[at]), np.diff(points[at])
        bends = fall[:-1] / -np.expm1(-gap[:-1]) > fall[1:] / np.expm1(gap[1:])
        if bends.all():
            break
        at = at[np.concatenate([[True], bends, [True]])]
    return at


def _summed(loss: FloatArray, gap: FloatArray, mass: FloatArray) -> FloatArray:
    """C at each loss but the last, without the mass at infinity."""
    with np.errstate(under="ignore"):
        beyond = np.cumsum((mass * np.exp(-loss[1:]))[::-1])[::-1]
        return np.cumsum((beyond * (np.exp(loss[:-1]) * np.expm1(gap)))[::-1])[::-1]


def _joined(
    forward: _Half, backward: _Half, infinite: tuple[float, float], sign: float, unit: float | None
) -> Outcomes:
    """Both halves, moved by ``sign``, and at loss 0 what they leave of the mass.

    Somewhere between the halves as computed and as moved there are two with one delta(0), which with what they leave
    are a pair of laws in the right order. Every mass here is above (below) theirs.
    """
    starts = forward.start + forward.infinite, backward.start + backward.infinite
    apart = abs(starts[0] - starts[1]) / max(forward.start, backward.start, TINY)
    off = max(forward.off, backward.off) + 2.0 * apart + 8.0 * UNIT
    with np.errstate(under="ignore", divide="ignore"):
        away, near = forward.mass * np.exp(-forward.loss), backward.mass * np.exp(-backward.loss)
        rest = [
            1.0 - forward.infinite - math.fsum(forward.mass) - math.fsum(near),
            1.0 - backward.infinite - math.fsum(backward.mass) - math.fsum(away),
        ]
        # a sum of masses errs by no more than they do, who are what is not at infinity
        vague = 4.0 * off * (1.0 - min(forward.infinite, backward.infinite))
        silent = max(*rest, 0.0) + vague if sign > 0.0 else max(min(rest) - vague, 0.0)
        share = 1.0
        if sign < 0.0 and min(rest) < 0.0:  # rounding, where points are close to 0: a share of all that is a law
            share = (1.0 - 4.0 * UNIT) / (1.0 - min(rest))
            infinite = infinite[0] * share, infinite[1] * share
        moved = math.log1p(sign * 2.0 * off) + math.log(share)
        log_q = np.log(np.concatenate([backward.mass[::-1], [silent], away])) + moved
    loss = np.concatenate([-backward.loss[::-1], [0.0], forward.loss])
    seen = np.isfinite(log_q)
    if not seen.any():  # all is at infinity
        loss, log_q, seen = np.zeros(1), np.array([-LARGEST_EXPONENT]), np.array([True])
    loss, log_q = loss[seen], log_q[seen]
    # what the masses were moved by is an error of their sum
    relative = 16.0 * UNIT * (1.0 + float(np.max(np.abs(log_q))) + float(np.max(np.abs(loss)))) + 8.0 * off
    place = None if unit is None else np.rint(loss / unit)
    with np.errstate(over="ignore"):
        masses = (math.fsum(np.exp(log_q + loss)), math.fsum(np.exp(log_q)))
    beyond = max(mass - (1.0 - shown) for mass, shown in zip(masses, infinite, strict=True))
    return Outcomes(loss, log_q, infinite, relative=relative, unit=unit, place=place, beyond=max(beyond, 0.0))
