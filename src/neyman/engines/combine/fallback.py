"""A contour profile with the lattice behind it: where the contour is too wide, both are asked, and both hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.numerics.functions.few import every, some
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import Effort
from neyman.profiles.ended import below_chord
from neyman.profiles.profile import NEARLY_ONE, SHARPEST, Bracket, Profile

if TYPE_CHECKING:
    from neyman.engines.combine.total_variation import TotalVariation
    from neyman.engines.contour.profile import ContourProfile
    from neyman.engines.lattice.profile import LatticeProfile

__all__ = ["FallbackProfile"]

_ASKED = 1e-30  # least delta whose bracket is held to the tolerance
_NEAR, _BLUNT = 1e-2, 1e-9  # the eps below which, and the relative width above which, neighbours are asked
_BESIDE = 0.1  # share of delta(0) that must be left at an eps beside 0
_AFAR = 0.01  # the same of one that is no neighbour
_LOOKS = 4  # neighbours that are asked at a time, until the last two are sharp
_STEERED = 1e-3  # the same where only solvers are steered
_VAGUE = 0.5  # relative width from which the contour knows nothing, of the slope either
_POINTS = 1 << 18  # lattices up to this size are worth their time
_UNKNOWN = 0.7  # the same, of 1 - delta: its log is known no better
_DIM = 1e-4  # width that the log of a small 1 - delta may have


class FallbackProfile(Profile):
    """The bracket of the contour, intersected with the lattice's wherever the contour misses ``tolerance``.

    At eps = 0 both directions' contours are asked; without a ``lattice`` there is nothing behind them.
    """

    def __init__(
        self, contour: ContourProfile, meeting: TotalVariation, lattice: Callable[[], LatticeProfile] | None,
        tolerance: float, points: int = _POINTS, effort: Effort | None = None,
    ) -> None:  # fmt: skip
        self._contour = contour
        self._meeting = meeting
        self._make_lattice = lattice
        self._tolerance = tolerance
        self._points = points
        self._effort = Effort() if effort is None else effort
        self._asked = False
        self.source = contour if tolerance >= SHARPEST else None

    rule = "a contour, and a lattice where that is wide"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield from self._meeting.directions if epsilon == 0.0 else (self._contour,)
        if self._asked and self._lattice is not None:
            yield self._lattice

    @property
    def method(self) -> str:
        """Which engine answered so far."""
        return "transform, lattice" if self._asked else "transform"

    @property
    def tail_mu(self) -> float:
        return self._contour.tail_mu

    @property
    def end(self) -> float:
        return self._contour.end

    @property
    def labour(self) -> float:
        return self._contour.labour

    def slope(self, epsilon: FloatArray) -> FloatArray:
        zero = epsilon == 0.0
        if some(zero):
            out = np.full(len(epsilon), self._meeting.slope(self._contour))
            if not every(zero):
                out[~zero] = self._contour.slope(epsilon[~zero])
            known = self._by_contour(epsilon, rough=True)
        else:
            out, known = self._contour.slope(epsilon), self._contour.steering(epsilon)
        if known.sharp:
            return out
        vague = self._wide(known, _VAGUE)
        # e^eps Q(L > eps) is less than 1 - delta, too, of which a contour may know nothing beside a delta near 1
        blind = (known.lower > 0.5) & ~(known.log_gap_upper - known.log_gap_lower <= _UNKNOWN)
        if self._make_lattice is not None and some(blind):
            vague = np.union1d(vague, blind.nonzero()[0])
        if len(vague) and self._lattice is not None:
            out[vague] = self._lattice.slope(epsilon[vague])
        return out

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._asked_for(epsilon, lambda: 0.0)

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        return self._asked_for(epsilon, lambda: goals[0], goals[1])

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._asked_for(epsilon, least)

    def _asked_for(self, epsilon: FloatArray, least: Callable[[], FloatArray | float], most: float = 1.0) -> Bracket:
        """Bounds as sharp as the lattice makes them where delta may lie between ``least()`` and ``most``."""
        first = self._by_contour(epsilon)
        if first.sharp and self._tolerance >= SHARPEST:
            return first
        found = self._of_delta(epsilon, first, least, most)
        dim = found.upper > NEARLY_ONE
        if not some(dim):
            return found
        dim &= ~(found.log_gap_upper - found.log_gap_lower <= _DIM)
        return found if not some(dim) or self._lattice is None else self._lattice.near_one(epsilon, found)

    def rough(self, epsilon: FloatArray) -> Bracket:
        found = self._by_contour(epsilon, rough=True)
        if found.sharp:
            return found
        vague = self._wide(found, _STEERED)
        if not len(vague) or self._lattice is None:
            return found
        return found.sharpened(vague, self._lattice.rough(epsilon[vague]))

    def _of_delta(
        self, epsilon: FloatArray, first: Bracket, least: Callable[[], FloatArray | float], most: float
    ) -> Bracket:
        """The same, sharp in delta, from what the contour says ``first``."""
        near = ((epsilon > 0.0) & (epsilon < _NEAR)).nonzero()[0]
        if len(near):
            near = near[(first.upper - first.lower > _BLUNT * first.upper)[near]]
        if len(near):  # beside 0, as far as that is known
            near = near[first.upper[near] > _BESIDE * self._meeting.bracket.lower[0]]
        final = None
        if len(near):
            final = self._final(epsilon)  # before the contour is asked others
            place = np.arange(len(epsilon))
            place[near] = len(epsilon) + np.arange(len(near))
            first = first.followed(self._beside_zero(epsilon[near], first.at(near))).at(place)
        at = self._wide(first, self._tolerance)
        if not len(at):
            return first
        final = self._final(epsilon) if final is None else final
        at = at[~final[at] & (first.lower[at] <= most)]
        if len(at):
            chord = below_chord(epsilon[at], float(self._meeting.bracket.upper[0]), self.end)
            first = first if chord is None else first.sharpened(at, chord)
        if len(at):
            at = at[first.upper[at] >= np.broadcast_to(least(), len(epsilon))[at]]
        if not len(at) or self._lattice is None:
            return first
        self._asked = True
        return first.sharpened(at, self._lattice.bracket(epsilon[at]))

    def _by_contour(self, epsilon: FloatArray, rough: bool = False) -> Bracket:
        ask, zero = self._contour.rough if rough else self._contour.bracket, epsilon == 0.0
        count = np.count_nonzero(zero)
        if not count:
            return ask(epsilon)
        if count == len(zero):
            return self._meeting.bracket.at(np.zeros(count, dtype=np.int64))
        if count == 1 and zero[0]:
            return self._meeting.bracket.followed(ask(epsilon[1:]))
        return self._meeting.bracket.followed(ask(epsilon[~zero])).at(np.where(zero, 0, np.cumsum(~zero)))

    def _beside_zero(self, epsilon: FloatArray, known: Bracket) -> Bracket:
        """Next to eps = 0, where lines may be poor: delta is convex in e^eps, and known at 0 and further on.

        It lies below its chords from 0, and above its secants extended to the left.
        """
        far = float(np.max(epsilon)) * 2.0 ** np.arange(1, 15)
        far = np.append(0.0, far[far < 1.0])
        count = _LOOKS
        seen = self._by_contour(far[:count])
        while count < len(far) and not self._enough(seen):
            seen = seen.followed(self._by_contour(far[count : count + _LOOKS]))
            count += _LOOKS
        far = far[1:count]
        x, y = np.expm1(epsilon)[:, None], np.expm1(far)
        share = x / y
        upper = np.min(seen.upper[0] * (1.0 - share) + seen.upper[1:] * share, axis=1) * (1.0 + 8.0 * UNIT)
        fall = np.maximum(seen.lower[1:-1] - seen.upper[2:], 0.0) / np.diff(y)
        lower = np.max(seen.lower[1:-1] + fall * (y[:-1] - x), axis=1) * (1.0 - 8.0 * UNIT)
        with np.errstate(divide="ignore"):
            gaps = np.log1p(-np.minimum(upper, 1.0)), np.log1p(-lower)
        return known.within(Bracket(lower, upper, gaps[0] * (1.0 + 8.0 * UNIT) - UNIT, gaps[1] * (1.0 - 8.0 * UNIT)))

    def _final(self, epsilon: FloatArray) -> BoolArray:
        """Where the contour is as sharp as floats are."""
        final = np.zeros(len(epsilon), dtype=np.bool_)
        away = epsilon > 0.0
        if some(away):
            final[away] = self._contour.final(epsilon[away])
        return final

    @staticmethod
    def _enough(seen: Bracket) -> bool:
        """Whether the last two neighbours of 0 are sharp, or so far that a chord to them says nothing beside it."""
        sharp = (seen.upper - seen.lower)[-2:] <= _BLUNT * seen.upper[-2:]
        return bool(np.all(sharp)) or bool(seen.upper[-1] < _AFAR * seen.lower[0])

    def _wide(self, bracket: Bracket, tolerance: float) -> IntArray:
        """Where the contour misses the tolerance and the lattice is worth its time."""
        narrow = bracket.upper - bracket.lower <= tolerance * bracket.upper
        wide = ((bracket.upper >= _ASKED) & ~narrow).nonzero()[0]
        if not len(wide) or self._lattice is None:
            return wide[:0]
        # where a contour was too dear, or knows next to nothing, a long lattice is worth its time, too
        if self._effort.spent or self._lattice.points <= self._points:
            return wide
        return wide[(bracket.upper - bracket.lower)[wide] > _VAGUE * bracket.upper[wide]]

    @cached_property
    def _lattice(self) -> LatticeProfile | None:
        return None if self._make_lattice is None else self._make_lattice()
