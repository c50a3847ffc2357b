"""Discrete steps whose common outcomes tell little and whose rare ones much: by how many rare ones there are.

The losses of a sampled discrete Gaussian live on all scales from the rate to 1 / sigma^2 at once: no lattice is fine
enough for all of them. So the outcomes are parted in common and rare ones (``parting``). j of T steps have a rare
one with probability A_j under P and B_j under Q, and given j the outputs are those of j steps of the law given that the
outcome is rare and of T - j steps of the law given that it is common. With delta_j the profile of these,

    delta(eps) = sum of A_j delta_j(eps - log(A_j / B_j)),        1 - delta(eps) = sum of A_j (1 - delta_j(...)),

whatever is rare. The rare ones are listed and the common ones, whose losses are of one scale, read at each outcome of
the list (``combine/mixture``). Of a j that is not looked at delta_j lies in [0, 1]; T a and T b are small, so that few
j are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.counts.parting import Given
from neyman.numerics.rounding import ROOM, SMALLEST, UNIT
from neyman.profiles.effort import readable
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import around, bracket_at, slope_at, widened

__all__ = ["JumpsProfile"]

_ASKED = 1e-30  # least delta that is held to the tolerance
_SHARE = 0.05  # of the tolerance, which what is not looked at of one j may take
_SLIGHT = 1e-7  # of a slope, that solvers do not see
_READ = 2e6  # nominal nanoseconds of one j, beside what lies below counts itself


class JumpsProfile(Profile):
    """One direction: what is known of each j, what makes the two profiles given j (none where these are too many), both
    profiles of one rare outcome alone, and bounds on the masses of all else under P and under Q.
    """

    def __init__(
        self, counts: Sequence[Given], side: int, inner: Callable[[int, float], Pair | None], alone: Pair,
        rest: tuple[float, float], tolerance: float, tail_mu: float,
    ) -> None:  # fmt: skip
        self._counts, self._side, self._inner = counts, side, inner
        self._alone = alone[side], alone[1 - side]
        self._rest, self._share, self._tail_mu = rest, _SHARE * tolerance, tail_mu

    @property
    def method(self) -> str:
        both = self._inner(0, 0.0)
        return "exact sum" if both is None else f"exact sum over {both[self._side].method}"

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self.above(epsilon, lambda: np.full(len(epsilon), _ASKED))

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._asked(epsilon, least(), False)

    def above_roughly(self, epsilon: FloatArray, least: FloatArray) -> Bracket:
        return self._asked(epsilon, least, True)

    def _asked(self, epsilon: FloatArray, least: FloatArray, rough: bool) -> Bracket:
        counts = np.maximum(least, self._one_alone(epsilon))
        rest = self._rest[0], np.minimum(np.log(self._rest[0]), np.log(self._rest[1]) + epsilon) + ROOM
        lower, upper = np.zeros(len(epsilon)), np.full(len(epsilon), rest[0])
        low, high = np.full(len(epsilon), -math.inf), rest[1]
        for j, part in enumerate(self._counts):
            found = self._given(j, part, epsilon, self._share * np.maximum(lower, counts), rough)
            log_mass, room = part.log_mass[self._side], part.vague
            with np.errstate(under="ignore"):
                lower = lower + math.exp(log_mass - room) * found.lower * (1.0 - 4.0 * UNIT)
                upper = upper + math.exp(log_mass + room) * found.upper * (1.0 + 4.0 * UNIT) + SMALLEST
                low = np.logaddexp(low, found.log_gap_lower + (log_mass - room))
                high = np.logaddexp(high, found.log_gap_upper + (log_mass + room))
        room = 8.0 * UNIT * (len(self._counts) + 2.0)
        lower, upper = lower * (1.0 - room), np.minimum(upper * (1.0 + room), 1.0)
        low = low - room * (1.0 + np.abs(low))
        high = np.minimum(high + room * (1.0 + np.abs(high)), 0.0)
        return Bracket(np.minimum(lower, upper), upper, np.where(np.isnan(low), -math.inf, np.minimum(low, high)), high)

    def _one_alone(self, epsilon: FloatArray) -> FloatArray:
        """What one rare outcome tells without the common ones, about: there is no need to look far below."""
        if len(self._counts) < 2:
            return np.zeros(len(epsilon))
        part, sign = self._counts[1], 1.0 if self._side == 0 else -1.0
        at = epsilon - sign * part.ratio
        return math.exp(part.log_mass[self._side]) * bracket_at(*self._alone, at).lower

    def _given(self, j: int, part: Given, epsilon: FloatArray, little: FloatArray, rough: bool) -> Bracket:
        """delta_j, where it may come to more than what is ``little``."""
        sign = 1.0 if self._side == 0 else -1.0
        at = epsilon - sign * part.ratio
        room = part.off + 4.0 * UNIT * (np.abs(at) + np.abs(epsilon))
        with np.errstate(divide="ignore", under="ignore"):
            least = -np.expm1(np.minimum(at + room, 0.0))
            most = np.minimum(at + room, 0.0)
        past = at - room > part.end[self._side]
        crude = Bracket(np.where(past, 0.0, least), np.where(past, 0.0, 1.0), np.where(past, 0.0, -math.inf), most)
        counts = math.exp(part.log_mass[self._side] + part.vague) * (crude.upper - crude.lower) > little
        asked = np.flatnonzero(counts & ~past)
        if not len(asked) or not readable(_READ):
            return crude
        with np.errstate(over="ignore"):
            least = 0.5 * little[asked] * math.exp(-part.log_mass[self._side])
        both = self._inner(j, 0.5 * float(np.min(least)))
        if both is None:
            return crude
        ways, place, room = (both[self._side], both[1 - self._side]), at[asked], room[asked]
        if np.all(room <= least):  # it does not count
            return crude.sharpened(asked, widened(bracket_at(*ways, place, rough, least), room))
        return crude.sharpened(asked, around(*ways, place, room, least, rough))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        out, little = np.zeros(len(epsilon)), _SLIGHT * self._one_alone(epsilon)
        sign = 1.0 if self._side == 0 else -1.0
        for j, part in enumerate(self._counts):
            mass, at = math.exp(part.log_mass[self._side]), epsilon - sign * part.ratio
            counts = np.maximum(little, _SLIGHT * out) / mass
            asked = np.flatnonzero((counts < 1.0) & (at <= part.end[self._side]))
            both = self._inner(j, float(np.min(counts[asked]))) if len(asked) and mass > _ASKED else None
            if both is None:
                continue
            ways = both[self._side], both[1 - self._side]
            known = bracket_at(*ways, at[asked], least=counts[asked]).upper
            asked = asked[known > counts[asked]]
            out[asked] += mass * slope_at(*ways, at[asked])
        return out
