"""The profile of two laws on the real line: delta(eps) = Q(S) - e^eps P(S) for S = {log dQ/dP > eps}, one ordered pair.

Here ``own`` is the law under H1 and ``other`` the one under H0, L = log d own / d other. On each piece on which L is
monotone S is what lies beyond a place. Let near and far enclose that place (``crossing.py``), Q and P the masses beyond
them of own and other, C what is between, L1 <= L <= L2 there, x = e^eps. Whatever near and far are,

    delta >= Q(far) - x P(far),    delta >= Q(near) - x P(near),
    delta <= Q(far) - x P(far) + Q(C) (1 - e^(eps - L2)),
    delta <= Q(near) - x P(near) + x P(C) (1 - e^(L1 - eps)),
    delta <= Q(near),

as the integral of (q - x p)_+ over C is at most that of q (1 - x e^-L2) and at most Q(C) - x P(C) and the integral of
(x p - q)_+. Where L stays at eps both are on that stretch, and what L may be on the wrong side of eps is added
(``_level``). The same of 1 - delta, the integral of min(q, x p): Q before and x P beyond, sums of positive terms, so
that nothing cancels. What own has outside the support of other is revealed. Masses err as their laws state; that adds
up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.line.crossing import Crossing, crossed
from neyman.engines.line.laws import LineLaw, Sides
from neyman.engines.line.pieces import Piece, Ratio
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.profile import Bracket, Profile

__all__ = ["LineProfile", "line_profiles"]

_LARGEST_EPSILON = 690.0  # beyond it masses below 1e-300 count
_ROOM = 64.0 * UNIT  # relative, certifying: e^eps, a few products, a sum over at most 65 pieces
_LEAP, _MOST_LEAPS = 0.25, 1024  # of L between neighbouring places: more is looked at, this often at most
_LATE, _HALVINGS = 1e-5, 40  # before the end, relatively: where it is looked again; how closely
_BEYOND = 1e-9  # beyond the largest loss, by more than it errs
_NEARLY = 1e-9  # below 0, of a loss that rounding has put there
_LEVEL = 1e-4  # own mass at one loss from which a profile has a corner worth naming


@dataclass(frozen=True, slots=True)
class _Masses:
    """Of one law on one piece, at each eps, and their errors: beyond far and near, before them, between, and beside."""

    far: FloatArray
    near: FloatArray
    before_far: FloatArray
    before_near: FloatArray
    between: FloatArray
    start: FloatArray  # from where L may already be eps, to near
    errors: tuple[FloatArray, ...]


class LineProfile(Profile):
    """delta of one ordered pair; its bounds are as good as the laws' own errors and as L is monotone on the pieces."""

    width_is = "masses of the laws"

    def __init__(self, own: LineLaw, other: LineLaw, ratio: Ratio, pieces: list[Piece], turned: bool) -> None:
        self._own, self._other = own, other
        self._ratio, self._sign = ratio, -1.0 if turned else 1.0
        self._pieces = [self._sharpened(piece) for piece in pieces]
        self._errors = [ratio.loss(piece.place)[1] for piece in self._pieces]
        self._ends = [tuple(law.sides(piece.place[[0, -1]]) for law in (own, other)) for piece in self._pieces]
        sides = own.sides(np.array([ratio.low, ratio.high]))
        outside = sides.below[0] + sides.above[1]
        room = sides.below_error[0] + sides.above_error[1] + UNIT * outside
        self._revealed = float(max(outside - room, 0.0)), float(min(outside + room, 1.0))
        self._last: tuple[bytes, Bracket, FloatArray] | None = None
        self._knots = self._corners()
        self._end = self._reach()

    @property
    def method(self) -> str:
        """Named after what it reads."""
        return "distribution functions"

    @property
    def end(self) -> float:
        """The largest loss at the places known, if as good as nothing lies beyond: from there on delta is between what
        is revealed and what it is there.
        """
        return self._end

    @property
    def revealed(self) -> float:
        """What own has outside the support of other, rounded down."""
        return self._revealed[0]

    @property
    def knots(self) -> FloatArray:
        return self._knots

    @property
    def tail_mu(self) -> float:
        """Not known: no finite table proves what the tails of two laws are beside each other."""
        return math.inf

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._found(epsilon)[0]

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._found(epsilon)[1]

    def _found(self, epsilon: FloatArray) -> tuple[Bracket, FloatArray]:
        """Bounds, and the slope that steers; solvers ask for both in turn."""
        asked = epsilon.tobytes()
        if self._last is None or self._last[0] != asked:
            self._last = asked, *self._read(epsilon)
        return self._last[1:]

    def _read(self, epsilon: FloatArray) -> tuple[Bracket, FloatArray]:
        at = np.minimum(epsilon, _LARGEST_EPSILON)
        x = np.exp(at)
        lower, upper = np.full(at.shape, self._revealed[0]), np.full(at.shape, self._revealed[1])
        least, most, slope = np.zeros_like(at), np.zeros_like(at), np.zeros_like(at)
        for k, piece in enumerate(self._pieces):
            found = crossed(piece, self._loss, self._errors[k], at)
            own, other = (self._masses(law, k, found) for law in (self._own, self._other))
            low, high = _delta(own, other, found, at, x)
            vague = _vague(piece, at) + _level(own, found)
            lower, upper = lower + np.maximum(low, 0.0), upper + np.maximum(high, 0.0) + vague
            low, high = _gap(own, other, found, at, x)
            least, most = least + np.maximum(low - vague, 0.0), most + high
            slope = slope + x * other.far
        lower, upper = lower * (1.0 - _ROOM), upper * (1.0 + _ROOM) + SMALLEST
        least, most = least * (1.0 - _ROOM), most * (1.0 + _ROOM) + SMALLEST
        # each says something of the other
        upper = np.clip(np.minimum(upper, np.nextafter(1.0 - least, 2.0)), 0.0, 1.0)
        lower = np.clip(np.maximum(lower, np.nextafter(1.0 - most, -1.0)), 0.0, upper)
        with np.errstate(divide="ignore"):
            log_least, log_most = np.log(least) - _ROOM, np.minimum(np.log(most) + _ROOM, 0.0)
        beyond = epsilon > at  # there delta is between what is revealed and what it is here
        lower = np.where(beyond, self._revealed[0], lower)
        log_most = np.where(beyond, math.log1p(-self._revealed[0]) * (1.0 - 4.0 * UNIT), log_most)
        log_least, log_most = np.minimum(log_least - 2.0 * _ROOM * np.abs(log_least), log_most), log_most
        bracket = Bracket(lower, upper, np.where(least > 0.0, log_least, -np.inf), log_most)
        return bracket, np.minimum(slope, 1.0)

    def _loss(self, place: FloatArray) -> tuple[FloatArray, FloatArray]:
        loss, error = self._ratio.loss(place)
        return self._sign * loss, error

    def _masses(self, law: LineLaw, k: int, found: Crossing) -> _Masses:
        count, rising = len(found.near), self._pieces[k].rising
        all_ = law.sides(np.concatenate([found.near, found.far, found.start]))
        near, far, start = (all_.at(slice(i * count, (i + 1) * count)) for i in range(3))
        ends = self._ends[k][0 if law is self._own else 1]
        first, last = ends.at(slice(0, 1)), ends.at(slice(1, 2))

        def mass(one: Sides, other: Sides) -> tuple[FloatArray, FloatArray]:
            return one.until(other) if rising else other.until(one)

        pairs = (
            mass(far, last),
            mass(near, last),
            mass(first, far),
            mass(first, near),
            mass(near, far),
            mass(start, near),
        )
        values, errors = zip(*pairs, strict=True)
        return _Masses(*values, errors=errors)

    def _reach(self) -> float:
        known = np.concatenate([piece.loss[np.isfinite(piece.loss)] for piece in self._pieces])
        last = max(float(np.max(known, initial=0.0)) * (1.0 + 4.0 * UNIT) + _BEYOND, 0.0)
        if not last < _LARGEST_EPSILON:
            return math.inf
        return last if float(self.bracket(np.array([last])).lower[0]) <= self._revealed[0] else math.inf

    def _corners(self) -> FloatArray:
        """The losses >= 0 that some mass has for itself, where L stays for a while."""
        found: list[float] = []
        for piece, error in zip(self._pieces, self._errors, strict=True):
            for start, stop, level in piece.even(error):
                sides = self._own.sides(np.sort(piece.place[[start, stop]]))
                mass, _ = sides.at(slice(0, 1)).until(sides.at(slice(1, 2)))
                if mass[0] > _LEVEL and level > -_NEARLY:
                    found.append(max(level, 0.0))
        return np.unique(np.array(found))

    def _sharpened(self, piece: Piece) -> Piece:
        """The same with the places between which L leaps: looked for once, not by every question."""
        _, error = self._ratio.loss(piece.place)
        with np.errstate(invalid="ignore"):
            leap = np.diff(piece.loss)
            wanted = (0.5 * piece.loss[:-1] + 0.5 * piece.loss[1:])[np.isfinite(leap) & (leap > _LEAP)]
        if not len(wanted):
            return piece
        found = crossed(piece, self._loss, error, wanted[:_MOST_LEAPS])
        place = np.unique(np.concatenate([found.near, found.far]))
        return piece.joined(place, self._loss(place)[0])

    def late(self, epsilon: FloatArray, told: FloatArray, by_other: bool) -> FloatArray:
        """The eps beside the ``end`` at which the mass of other (or of own) beyond it is ``told``; each ``epsilon`` as
        it is where it is not that late. It steers: solvers see nothing between the end and a millionth before it, where
        L has a smooth top.
        """
        rows = np.flatnonzero(epsilon > self._end * (1.0 - _LATE)) if self._end < np.inf else np.zeros(0, np.int64)
        if not len(rows):
            return epsilon
        low, high = np.full(len(rows), self._end * (1.0 - 2.0 * _LATE)), np.full(len(rows), self._end)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            bracket, slope = self._found(middle)
            more = (slope * np.exp(-middle) if by_other else bracket.upper + slope) > told[rows]
            low, high = np.where(more, middle, low), np.where(more, high, middle)
        found = epsilon.copy()
        found[rows] = low
        return found

    def tests(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Tests that are known about each ``epsilon`` >= 0, two rows of them: bounds from above on the errors under H0
        and under H1, and one from below on the power.
        """
        at = np.minimum(epsilon, _LARGEST_EPSILON)
        alpha, beta, power = (np.zeros((2, len(at))) for _ in range(3))
        for k, piece in enumerate(self._pieces):
            found = crossed(piece, self._loss, self._errors[k], at)
            own, other = (self._masses(law, k, found) for law in (self._own, self._other))
            alpha += np.stack([other.far + other.errors[0], other.near + other.errors[1]])
            beta += np.stack([own.before_far + own.errors[2], own.before_near + own.errors[3]])
            power += np.maximum(np.stack([own.far - own.errors[0], own.near - own.errors[1]]), 0.0)
        return (
            np.minimum(alpha * (1.0 + _ROOM), 1.0),
            np.minimum(beta * (1.0 + _ROOM), 1.0),
            np.minimum((power + self._revealed[0]) * (1.0 - _ROOM), 1.0),
        )


def line_profiles(
    p: LineLaw, q: LineLaw, turns: FloatArray | None, more: FloatArray | None = None
) -> tuple[LineProfile, LineProfile]:
    """Return the profiles of (P, Q), with P under H1, and of (Q, P); ``more`` are places to look at besides.

    Examples
    --------
    >>> from scipy import stats
    >>> from neyman.engines.line.laws import StatsLaw
    >>> p, q = (StatsLaw(name, stats.norm(mean), 1e-12, 0.0) for name, mean in (("p", 1.0), ("q", 0.0)))
    >>> b = line_profiles(p, q, None)[0].bracket(np.array([1.0]))
    >>> bool(b.lower[0] <= 0.12693673750664397 <= b.upper[0] <= b.lower[0] + 1e-11)
    True
    """
    ratio = Ratio(p, q, turns, more)
    turned = [piece.reversed for piece in ratio.pieces]
    return LineProfile(p, q, ratio, ratio.pieces, False), LineProfile(q, p, ratio, turned, True)


def _delta(
    own: _Masses, other: _Masses, found: Crossing, epsilon: FloatArray, x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds on the part of delta that a piece has."""
    q_far, q_near, _, _, q_between, _ = own.errors
    p_far, p_near, _, _, p_between, _ = other.errors
    with np.errstate(over="ignore", invalid="ignore"):
        low = np.maximum(
            _less(own.far, q_far, x * other.far, x * p_far), _less(own.near, q_near, x * other.near, x * p_near)
        )
        above, below = _shares(found, epsilon)
        by_far = _more(own.far, q_far, x * other.far, x * p_far) + (own.between + q_between) * above
        by_near = _more(own.near, q_near, x * other.near, x * p_near) + x * (other.between + p_between) * below
        by_own = own.near + q_near  # x p left out
    return low, np.minimum(np.minimum(by_far, by_near), by_own)


def _gap(
    own: _Masses, other: _Masses, found: Crossing, epsilon: FloatArray, x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bounds on the part of 1 - delta: own before and x times other beyond."""
    _, _, q_far, q_near, q_between, _ = own.errors
    p_far, p_near, _, _, p_between, _ = other.errors
    with np.errstate(over="ignore", invalid="ignore"):
        most = np.minimum(
            own.before_far + q_far + x * (other.far + p_far), own.before_near + q_near + x * (other.near + p_near)
        )
        above, below = _shares(found, epsilon)
        far = np.maximum(own.before_far - q_far, 0.0) + x * np.maximum(other.far - p_far, 0.0)
        near = np.maximum(own.before_near - q_near, 0.0) + x * np.maximum(other.near - p_near, 0.0)
        by_far, by_near = (own.between + q_between) * above, x * (other.between + p_between) * below
        least = np.maximum(far * (1.0 - 4.0 * UNIT) - by_far, near * (1.0 - 4.0 * UNIT) - by_near)
        least = np.maximum(least, (own.before_near - q_near) * (1.0 - 4.0 * UNIT))  # x p left out
    return least * (1.0 - UNIT), most * (1.0 + 4.0 * UNIT)


def _shares(found: Crossing, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    """1 - e^(eps - L2) and 1 - e^(L1 - eps), of the masses between, from above."""
    pair = epsilon - found.most, found.least - epsilon
    above, below = (-np.expm1(np.minimum(one, 0.0)) * (1.0 + _ROOM) for one in pair)
    return above, below


def _level(own: _Masses, found: Crossing) -> FloatArray:
    """What a stretch at eps may add, or take from 1 - delta: before near q - x p is at most 1 - e^-room of q, beyond
    far x p - q is at most e^room - 1 of it.
    """
    mass = own.start + own.errors[5] + own.far + own.errors[0]
    with np.errstate(over="ignore"):
        factor = np.expm1(found.room) * (1.0 + _ROOM)
    return np.where(mass > 0.0, factor * np.where(mass > 0.0, mass, 1.0), 0.0)


def _less(value: FloatArray, error: FloatArray, load: FloatArray, load_error: FloatArray) -> FloatArray:
    return (value - load) - (error + load_error) - _ROOM * (value + load)


def _more(value: FloatArray, error: FloatArray, load: FloatArray, load_error: FloatArray) -> FloatArray:
    return (value - load) + (error + load_error) + _ROOM * (value + load)


def _vague(piece: Piece, epsilon: FloatArray) -> FloatArray:
    """What turns that are known to a cell may add."""
    extra = np.zeros_like(epsilon)
    for level, unsure, mass in zip(piece.loss[[0, -1]], piece.unsure, piece.vague, strict=True):
        if mass > 0.0:
            extra = extra + np.where(np.abs(epsilon - level) <= 2.0 * unsure, mass, 0.0)
    return extra
