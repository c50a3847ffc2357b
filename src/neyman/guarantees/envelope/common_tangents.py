"""Where the trade-off curves of several guarantees cross, and the common tangents of their deltas that follow.

It steers: a crossing that is missed or badly placed costs tightness, never truth, since every chord of a convex
function lies above it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.guarantees.questions.curve.tradeoff import power_upper, tangent
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["Bridge", "bridges"]

# alphas at which powers are compared
_LEVELS = np.concatenate([np.geomspace(1e-290, 1e-16, 60), np.geomspace(1e-15, 0.05, 150), np.linspace(0.055, 0.5, 60)])
_APART = 1e-12  # relative difference of powers below which neither curve is the better one
_SECTIONS = 2  # a chord errs by the square of what its slope does, and is polished
_ROUGH = 1e-5  # to which tangents are steered where curves are only compared: a power errs by the square
_POLISHES = 4  # from alpha to the slope and back: steers
_NEAREST, _FARTHEST, _PLACES = 1e-2, 650.0, 300  # eps of a grid, the first in units of the spread
_ROUNDS, _NARROWED = 3, 12.0  # how often a chord's ends are looked for more finely, and by how much
_AWAY = np.array([0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48])  # points by which chords go beyond a crossing
_TOUCHING = 1e-9  # of its length, beyond the ends of a chord
_OFFSETS = np.linspace(-1.0, 1.0, 33)  # of the room, or of a width, on either side of a place


@dataclass(frozen=True, slots=True)
class Bridge:
    """A chord of the envelope from real eps ``low`` to ``high``, of slope -``alpha``.

    ``upper`` and ``log_gap`` bound delta from above, and log(1 - delta) from below, at its two ends.
    """

    low: float
    high: float
    alpha: float
    upper: tuple[float, float]
    log_gap: tuple[float, float]

    def touched(self, epsilon: FloatArray) -> NDArray[np.bool_]:
        """Where the line of the chord is the tangent, or as good as: at its ends, which may be kinks, as well."""
        room = _TOUCHING * (self.high - self.low)
        return (epsilon >= self.low - room) & (epsilon <= self.high + room)

    def lowered(self, epsilon: FloatArray, upper: FloatArray, log_gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The bounds of delta from above and of log(1 - delta) from below, with this chord taken into account."""
        on = (epsilon > self.low) & (epsilon < self.high)
        if not np.any(on):
            return upper, log_gap
        e = epsilon[on]
        with np.errstate(under="ignore", divide="ignore"):
            whole = -np.expm1(self.low - self.high)
            left = -np.expm1(e - self.high) / whole
            right = np.exp(e - self.high) * -np.expm1(self.low - e) / whole
            room = UNIT * (32.0 + 4.0 * (self.high - self.low))
            chord = (left * self.upper[0] + right * self.upper[1]) * (1.0 + room) + 5e-324
            gap = (left * np.exp(self.log_gap[0]) + right * np.exp(self.log_gap[1])) * (1.0 - room - 1e-13)
            log_chord = np.log(gap) - 4.0 * UNIT * (1.0 + np.abs(np.log(np.maximum(gap, 1e-323))))
        upper, log_gap = upper.copy(), log_gap.copy()
        upper[on] = np.minimum(upper[on], chord)
        log_gap[on] = np.maximum(log_gap[on], np.where(gap > 1e-280, log_chord, -np.inf))
        return upper, log_gap


def bridges(parts: tuple[Pair, ...], rough: bool = False) -> list[Bridge]:
    """Return the bridges of the envelope of ``parts``, over all real eps; if ``rough``, between points of a grid."""
    half = _on_grid if rough else _half
    found = half(parts)
    turned = tuple(sides.reversed for sides in parts)
    if all(sides.symmetric for sides in parts):
        return found + [b for b in (_built(parts, -b.high, -b.low) for b in found) if b is not None]
    mirrored = (_built(parts, -b.high, -b.low) for b in half(turned))
    return found + [b for b in mirrored if b is not None]


def _on_grid(parts: tuple[Pair, ...]) -> list[Bridge]:
    """Those of eps >= 0, each the chord that is lowest where the curves cross, between points of a grid and of finer
    ones around those.
    """
    start = min(spread(sides.forward) for sides in parts)
    place = np.append(0.0, np.geomspace(min(_NEAREST * start, 1.0), _FARTHEST, _PLACES))
    deltas = np.array([sides.forward.bracket(place).upper for sides in parts])
    best, value = _best(deltas), np.min(deltas, axis=0)
    found: list[Bridge] = []
    for at in np.flatnonzero((np.diff(best) != 0) & (value[1:] > 0.0)):
        low, high = np.clip(at - _AWAY, 0, None), np.clip(at + 1 + _AWAY, None, len(place) - 1)
        crossing = _equal(place[at : at + 2], deltas[best[at : at + 2], at : at + 2])
        i, j = _lowest(crossing, (place[low], value[low]), (place[high], value[high]))
        ends, room = (float(place[low[i]]), float(place[high[j]])), float(place[at + 1] - place[at])
        room *= max(float(_AWAY[min(k + 1, len(_AWAY) - 1)] - _AWAY[max(k - 1, 0)]) for k in (i, j))
        bridge = _built(parts, *_finer(parts, crossing, ends, room))
        if bridge is not None and _lowers(bridge, parts, crossing):
            found.append(bridge)
    return found


def _lowers(bridge: Bridge, parts: tuple[Pair, ...], at: float) -> bool:
    """Whether the chord is below all deltas where two of them are about equal: else its slope would lead astray."""
    place = np.array([at])
    least = np.min([sides.forward.bracket(place).upper for sides in parts], axis=0)
    return bool(bridge.lowered(place, least, np.full(1, -np.inf))[0][0] < least[0])


_Points = tuple[FloatArray, FloatArray]


def _equal(place: FloatArray, deltas: FloatArray) -> float:
    """Where between two places the two deltas, of which first the one and then the other is less, are about equal: by
    their logarithms, for they may fall by orders of magnitude in between.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        before, after = (float(x) for x in np.log(deltas[1]) - np.log(deltas[0]))
    share = before / (before - after) if math.inf > before > 0.0 > after > -math.inf else 0.5
    return float(place[0] + share * (place[1] - place[0]))


def _lowest(at: float, low: _Points, high: _Points) -> tuple[int, int]:
    """Which of the chords from one of ``low`` to one of ``high`` (eps, deltas) is the lowest there."""
    (left, first), (right, last) = ((eps[:, None], value[:, None]) for eps, value in (low, high))
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):  # each weight by itself: nothing cancels
        whole = -np.expm1(left - right.T)
        before, after = -np.expm1(at - right.T) / whole, np.exp(at - right.T) * -np.expm1(left - at) / whole
    chord = np.where(left < right.T, first * before + last.T * after, math.inf)
    i, j = np.unravel_index(int(np.argmin(chord)), chord.shape)
    return int(i), int(j)


def _finer(parts: tuple[Pair, ...], at: float, ends: tuple[float, float], room: float) -> tuple[float, float]:
    """The ends of the lowest chord, of points that are nearer and nearer."""
    for _ in range(_ROUNDS):
        low = np.clip(ends[0] + room * _OFFSETS, 0.0, at)
        high = np.clip(ends[1] + room * _OFFSETS, at, _FARTHEST)
        place = np.concatenate([low, high])
        value = np.min([sides.forward.rough(place).upper for sides in parts], axis=0)
        i, j = _lowest(at, (low, value[: len(low)]), (high, value[len(low) :]))
        ends, room = (float(low[i]), float(high[j])), room / _NARROWED
    return ends


def _half(parts: tuple[Pair, ...]) -> list[Bridge]:
    """Those that touch at an alpha of at most 1/2."""
    starts = [spread(sides.forward) for sides in parts]
    powers = np.array([power_upper(s, _LEVELS, start, _ROUGH) for s, start in zip(parts, starts, strict=True)])
    best = _best(powers)
    found: list[Bridge] = []
    for at in np.flatnonzero(np.diff(best) != 0):
        left, right = int(best[at]), int(best[at + 1])
        pair = (parts[left], parts[right]), (starts[left], starts[right])
        alpha = _crossing(*pair, float(_LEVELS[at]), float(_LEVELS[at + 1]))
        bridge = _polished(parts, *pair, alpha)
        if bridge is not None:
            found.append(bridge)
    return found


def _best(powers: FloatArray) -> NDArray[np.int64]:
    """The part with the smallest power at each level; the one before where they are too close to tell."""
    best = np.argmin(powers, axis=0).astype(np.int64)
    second = np.partition(powers, 1, axis=0)[1]
    least = np.min(powers, axis=0)
    clear = np.flatnonzero(second - least > _APART * least)
    if not len(clear):
        return np.zeros_like(best)
    known = np.searchsorted(clear, np.arange(len(best)), side="right") - 1
    return best[clear[np.maximum(known, 0)]]


def _crossing(pair: tuple[Pair, Pair], starts: tuple[float, float], low: float, high: float) -> float:
    """The alpha between ``low`` and ``high`` from which on the second curve is the better one."""
    a, b = low, high
    for _ in range(_SECTIONS):
        between = np.geomspace(a, b, 34)
        first, second = (power_upper(s, between[1:-1], start, _ROUGH) for s, start in zip(pair, starts, strict=True))
        at = int(np.argmax(np.append(first >= second, True)))
        a, b = float(between[at]), float(between[at + 1])
    return float(np.sqrt(a) * np.sqrt(b))


def _polished(
    parts: tuple[Pair, ...], pair: tuple[Pair, Pair], starts: tuple[float, float], alpha: float
) -> Bridge | None:
    """From a rough alpha to the points of contact, and back: the slope between them errs to second order only."""
    bridge = None
    for _ in range(_POLISHES):
        high, low = (_contact(s, alpha, start) for s, start in zip(pair, starts, strict=True))
        better = _built(parts, low, high)
        if better is None or not 0.5 * alpha < better.alpha < 2.0 * alpha:
            break
        settled = abs(better.alpha - alpha) <= 1e-12 * alpha
        bridge, alpha = better, better.alpha
        if settled:
            break
    return bridge


def _contact(sides: Pair, alpha: float, start: float) -> float:
    """The real eps where delta(eps) + (e^eps - 1) alpha is least, to about 1e-14 of ``start`` (kinks included)."""
    at = float(tangent(sides, np.array([alpha]), start)[0])
    width = 1e-4 * max(start, abs(at))
    for _ in range(9):
        trial = np.minimum(at + width * _OFFSETS, 690.0)
        value = sides.bracket(trial).upper + np.expm1(trial) * alpha
        at = float(trial[int(np.argmin(value))])
        width *= 0.1
    return at


def _built(parts: tuple[Pair, ...], low: float, high: float) -> Bridge | None:
    """The chord of the smallest delta between two real eps; none where it would have no length or no slope."""
    if not high > low:
        return None
    both = [sides.bracket(np.array([low, high])) for sides in parts]
    upper = np.min([b.upper for b in both], axis=0)
    log_gap = np.max([b.log_gap_lower for b in both], axis=0)
    with np.errstate(under="ignore"):
        alpha = float((upper[0] - upper[1]) * np.exp(-high) / -np.expm1(low - high))
    if not 0.0 <= alpha <= 1.0:
        return None
    return Bridge(low, high, alpha, (float(upper[0]), float(upper[1])), (float(log_gap[0]), float(log_gap[1])))
