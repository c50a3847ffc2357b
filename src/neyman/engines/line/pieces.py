"""Where the loss L = log dP/dQ of two laws on the real line rises and where it falls.

The line is cut at the turns of L. They are found on a few thousand places spread through both laws, or stated by the
caller. Between two turns L is taken to be monotone: an assumption about the densities, which finitely many places
cannot prove. Four things would show that it is false, and are refused: stated turns between which L turns again, more
turns than any density people name has, and cells whose masses are not the integrals of their densities, or whose two
masses are in another ratio than L has at their ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import BoolArray, FloatArray
from neyman.engines.line.laws import LineLaw, Sides
from neyman.numerics.functions.gauss import gauss
from neyman.numerics.rounding import UNIT

__all__ = ["Contradiction", "Piece", "Ratio"]

_MOST_TURNS = 64  # of a likelihood ratio at most: one with more is refused
_SUBNORMAL = 1e-300  # places nearer to 0 have not all their digits
_FINE = 33  # places among which a turn is narrowed down
_ROUNDS = 16  # each narrows it sixteenfold
_NOISE = 4.0  # times the error of L: less is no turn
_SURE = 16.0 * UNIT  # beside the errors stated: of sums and products in a check of two masses
_VAGUE, _AGREED = 10.0, 1e-10  # times what two rules differ by, and relatively: by which an integral may be off
_STEEP = 3.0  # by which the log of a density may change in a cell: where it is more, rules may agree by chance
_LEAST, _NARROWEST = 1e-280, 1e-300  # of a mass that is held against its integral, and of its cell
_LARGEST = 600.0  # losses whose exponential is a float with room


class Contradiction(InvalidParameter):
    """Masses and densities that do not belong together, as far as their stated errors go."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch on which L is monotone: ``place`` in the order of rising ``loss``, its ends first and last (-inf or inf
    where L is not known there); ``rising`` where that is also the order on the line.

    ``vague`` is how much more a delta may be at an eps within ``unsure`` of the loss at either end: a turn is known to
    lie in a cell, and no better.
    """

    place: FloatArray
    loss: FloatArray
    rising: bool
    unsure: tuple[float, float]
    vague: tuple[float, float]

    @property
    def reversed(self) -> Piece:
        """Of -L."""
        unsure, vague = (self.unsure[1], self.unsure[0]), (self.vague[1], self.vague[0])
        return Piece(self.place[::-1], -self.loss[::-1], not self.rising, unsure, vague)

    def even(self, error: FloatArray) -> list[tuple[int, int, float]]:
        """Where L stays the same, up to its ``error``: the first and the last place of each stretch, and L there."""
        room = _NOISE * np.where(np.isfinite(error), error, 0.0)
        with np.errstate(invalid="ignore"):
            same = np.concatenate([[False], np.diff(self.loss) <= room[1:], [False]])
        starts, stops = np.flatnonzero(~same[:-1] & same[1:]), np.flatnonzero(same[:-1] & ~same[1:])
        levels = self.loss[(starts + stops) // 2]
        runs = zip(starts.tolist(), stops.tolist(), levels.tolist(), strict=True)
        return [(start, stop, level) for start, stop, level in runs if math.isfinite(level)]

    def joined(self, place: FloatArray, loss: FloatArray) -> Piece:
        """With more places."""
        sign = 1.0 if self.rising else -1.0
        z, first = np.unique(sign * np.append(self.place, place), return_index=True)
        values = np.append(self.loss, loss)[first]
        known = ~np.isnan(values)
        z, values = z[known], np.maximum.accumulate(values[known])
        return Piece(sign * z, values, self.rising, self.unsure, self.vague)


class Ratio:
    """log dP/dQ of two laws, from their densities, and its monotone pieces on the support that they have in common.

    Examples
    --------
    >>> from scipy import stats
    >>> from neyman.engines.line.laws import StatsLaw
    >>> p, q = (StatsLaw(name, stats.norm(0, sigma), 1e-12, 0.0) for name, sigma in (("p", 2.0), ("q", 1.0)))
    >>> [piece.rising for piece in Ratio(p, q, None).pieces]
    [False, True]
    """

    def __init__(self, p: LineLaw, q: LineLaw, turns: FloatArray | None, more: FloatArray | None = None) -> None:
        self._p, self._q = p, q
        self.low, self.high = max(p.low, q.low), min(p.high, q.high)
        place = np.concatenate([p.places(), q.places(), *(one for one in (turns, more) if one is not None)])
        inner = (place > self.low) & (place < self.high) & np.isfinite(place)
        place = np.unique(place[inner & ((np.abs(place) > _SUBNORMAL) | (place == 0.0))])
        if len(place) < 3:
            raise InvalidParameter(p.name, "nothing", f"a law with mass in the support of {q.name}")
        place = np.unique(np.append(place, place[:-1] + 0.5 * np.diff(place)))
        loss, error = self.loss(place)
        known = ~np.isnan(loss)
        place, loss, error = place[known], loss[known], error[known]
        if not len(place):
            allowed = f"a law with a density above 1e-290 where {q.name} has one"
            raise InvalidParameter(p.name, "two laws too far apart for floats", allowed, "Give the logs of densities.")
        found = _turns(loss, error)
        if turns is None:
            cells = [self._narrowed(place[max(k - 1, 0)], place[min(k + 1, len(place) - 1)], up) for k, up in found]
        else:
            cells = [(float(t), float(t), float(t)) for t in turns if self.low < t < self.high]
        if len(cells) > _MOST_TURNS:
            raise InvalidParameter(
                "turns", f"{len(cells)} turns found", f"a likelihood ratio of at most {_MOST_TURNS} turns",
                "Noise in a density looks like turns: state relative_error, or turns= where they are known.",
            )  # fmt: skip
        self.pieces = self._cut(place, loss, error, cells, turns is not None)
        for piece in self.pieces:
            self._check(piece)

    def loss(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """L and its error at each ``x``; NaN where neither law has a density, or one has too little to tell."""
        p, q = self._p.log_density(x), self._q.log_density(x)
        p, q = _known(p, self._p.least), _known(q, self._q.least)
        with np.errstate(invalid="ignore"):
            loss = p - q
        size = np.where(np.isfinite(p), np.abs(p), 0.0) + np.where(np.isfinite(q), np.abs(q), 0.0)
        return loss, 2.0 * (self._p.relative + self._q.relative) + 8.0 * UNIT * (4.0 + size)

    def _narrowed(self, left: float, right: float, up: bool) -> tuple[float, float, float]:
        """A turn between two places, as well as L tells it: the cell it lies in, and the best place there."""
        best = 0.5 * (left + right)
        for _ in range(_ROUNDS):
            x = np.unique(np.linspace(left, right, _FINE))
            loss, error = self.loss(x)
            value = np.nan_to_num(loss if up else -loss, nan=-math.inf)
            k = int(np.argmax(value))
            best = float(x[k])
            near = max(k - 1, 0), min(k + 1, len(x) - 1)
            same = bool(np.all(value[[*near]] >= value[k] - _NOISE * error[k]))
            if same or (x[near[0]] <= left and x[near[1]] >= right):
                break
            left, right = float(x[near[0]]), float(x[near[1]])
        return left, best, right

    def _cut(
        self,
        place: FloatArray,
        loss: FloatArray,
        error: FloatArray,
        cells: list[tuple[float, float, float]],
        stated: bool,
    ) -> list[Piece]:
        """Pieces between neighbouring turns, and the ends of the support."""
        vague = [self._vague(*cell) for cell in cells]
        ends = [(self.low, *self._end(self.low), 0.0), *vague, (self.high, *self._end(self.high), 0.0)]
        pieces: list[Piece] = []
        for (left, l_loss, l_unsure, l_mass), (right, r_loss, r_unsure, r_mass) in pairwise(ends):
            inner = (place > left) & (place < right)
            x, values = place[inner], loss[inner]
            known = np.concatenate([[l_loss] * math.isfinite(l_loss), values, [r_loss] * math.isfinite(r_loss)])
            if not len(known):
                raise InvalidParameter("turns", [left, right], "apart from each other by more than the densities tell")
            if stated and (again := _turns(values, error[inner])):
                at = float(x[again[0][0]])
                raise InvalidParameter("turns", at, "all places at which the likelihood ratio turns", "One is missing.")
            rising = bool(known[-1] >= known[0])
            l_end, r_end = _outside(l_loss, values[:1], rising, True), _outside(r_loss, values[-1:], rising, False)
            x, values = np.concatenate([[left], x, [right]]), np.concatenate([[l_end], values, [r_end]])
            steps = np.maximum.accumulate(values if rising else values[::-1])  # up to its error it rises anyhow
            one = Piece(x, steps, True, (l_unsure, r_unsure), (l_mass, r_mass))
            if not rising:
                one = Piece(x[::-1], steps, False, (r_unsure, l_unsure), (r_mass, l_mass))
            pieces.append(one)
        return pieces

    def _vague(self, left: float, best: float, right: float) -> tuple[float, float, float, float]:
        """The turn, L there, by how much L may be off in its cell, and the most that costs a delta."""
        x = np.unique(np.array([left, best, right]))
        loss, error = self.loss(x)
        finite = loss[np.isfinite(loss)]
        middle = float(self.loss(np.array([best]))[0][0])
        if left == right or not len(finite):
            return best, middle, 0.0, 0.0
        spread = 2.0 * float(np.ptp(finite)) + _NOISE * float(np.max(error))
        mass = 0.0
        for law in (self._p, self._q):
            sides = law.sides(x[[0, -1]])
            value, room = sides.at(slice(0, 1)).until(sides.at(slice(1, 2)))
            mass = max(mass, float(value[0] + room[0]))
        return best, middle, spread, mass * min(1.0, 2.0 * spread)

    def _end(self, end: float) -> tuple[float, float]:
        """L at an end of the support, if both densities are above 0 there; else NaN."""
        if not math.isfinite(end):
            return math.nan, 0.0
        loss, _ = self.loss(np.array([end]))
        return (float(loss[0]) if math.isfinite(loss[0]) else math.nan), 0.0

    def _check(self, piece: Piece) -> None:
        """Refuse cells whose masses are in a ratio that L does not have between their ends, or no density's."""
        order = slice(None) if piece.rising else slice(None, None, -1)
        x, loss = piece.place[order], piece.loss[order]
        low, high = np.minimum(loss[:-1], loss[1:]), np.maximum(loss[:-1], loss[1:])
        (p, p_off), (q, q_off) = (_cells(law.sides(x)) for law in (self._p, self._q))
        _, error = self.loss(x)
        room = np.nan_to_num(np.maximum(error[:-1], error[1:]) * _NOISE + _SURE, posinf=0.0)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            wrong = _above(p - p_off, q + q_off, high + room) | _above(q - q_off, p + p_off, room - low)
        for law, mass, off in ((self._p, p, p_off), (self._q, q, q_off)):
            wrong |= _contradicted(law, x, mass, off)
        if bool(np.any(wrong)):
            at = int(np.argmax(wrong))
            raise Contradiction(
                self._p.name, [float(x[at]), float(x[at + 1])],
                "a law whose density and distribution function agree, with a likelihood ratio to "
                f"{self._q.name} that is monotone between turns",
                f"Between the places shown {self._p.name} or {self._q.name} is not: state turns= where the ratio turns,"
                " points= where a density leaps, or relative_error and absolute_error.",
            )  # fmt: skip


def _contradicted(law: LineLaw, x: FloatArray, mass: FloatArray, off: FloatArray) -> BoolArray:
    """Cells whose mass is not the integral of the density, where two rules agree on what that is."""
    half = 0.5 * np.diff(x)
    wrong = np.zeros(len(half), dtype=np.bool_)
    rows = np.flatnonzero(np.isfinite(half) & (half > _NARROWEST) & (mass > _LEAST))
    found, even = [], np.ones(len(rows), dtype=np.bool_)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        for nodes, weights in (gauss(8), gauss(16)):
            at = (x[rows] + half[rows])[:, None] + half[rows][:, None] * nodes
            logs = law.log_density(at.ravel()).reshape(at.shape)
            even &= np.isfinite(logs).all(axis=1) & (logs.max(axis=1) - logs.min(axis=1) < _STEEP)
            found.append(half[rows] * (np.exp(logs) @ weights))
        vague = _VAGUE * np.abs(found[1] - found[0]) + _AGREED * found[1]
        vague += 4.0 * UNIT * np.abs(x[rows + 1]) / half[rows] * mass[rows]
        wrong[rows] = even & ~(np.abs(mass[rows] - found[1]) <= 3.0 * off[rows] + vague)
    return wrong


def _known(log_density: FloatArray, least: float) -> FloatArray:
    """NaN for what is too little to tell; 0 itself is told: what underflows has less mass than any mass errs by."""
    return np.where((log_density < least) & (log_density > -np.inf), np.nan, log_density)


def _turns(loss: FloatArray, error: FloatArray) -> list[tuple[int, bool]]:
    """Where a list of values turns by more than its errors: the index, and whether it is a maximum there."""
    found: list[tuple[int, bool]] = []
    high = low = 0
    way = 0
    for k in range(1, len(loss)):
        value, room = float(loss[k]), _NOISE * float(error[k])
        if value > loss[high]:
            high = k
        if value < loss[low]:
            low = k
        if way >= 0 and value < loss[high] - room - _NOISE * float(error[high]):
            if way > 0:
                found.append((high, True))
            way, low = -1, k
        elif way <= 0 and value > loss[low] + room + _NOISE * float(error[low]):
            if way < 0:
                found.append((low, False))
            way, high = 1, k
    return found


def _outside(known: float, neighbour: FloatArray, rising: bool, first: bool) -> float:
    """L at an end of a piece; infinite where it is not known, or contradicts its neighbour."""
    low = rising == first
    if math.isfinite(known) and (not len(neighbour) or (known <= neighbour[0] if low else known >= neighbour[0])):
        return known
    return -math.inf if low else math.inf


def _cells(sides: Sides) -> tuple[FloatArray, FloatArray]:
    return sides.at(slice(None, -1)).until(sides.at(slice(1, None)))


def _above(mass: FloatArray, other: FloatArray, log_ratio: FloatArray) -> BoolArray:
    """Whether a mass is certainly more than e^log_ratio times another."""
    ratio = np.exp(np.minimum(log_ratio, _LARGEST))
    return (mass > ratio * other * (1.0 + _SURE)) & (log_ratio < _LARGEST) & (other > 0.0)
