"""A composition some of whose outcomes reveal the record: what is left of it, beside the mass at infinity.

With a = P(L < inf) and b = Q(L > -inf), and P', Q' the two laws given that nothing is revealed,

    delta(eps) = 1 - a + a delta'(eps + log(b / a)),        1 - delta(eps) = a (1 - delta'(eps + log(b / a))).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.rounding import LARGEST_EXPONENT, UNIT
from neyman.profiles.profile import Bracket, Profile
from neyman.profiles.real_line import around, bracket_at, slope_at, widened
from neyman.profiles.vertices import Vertices

_TOLERANCE = 1e-12  # relative width aimed for where nobody says
_KNOWN = 1e-13  # certifies: log a and log b are sums by fsum of logs, of 4 units each; 900 units

__all__ = ["InfiniteMassProfile", "revealed_mass"]

# times the tolerance and what is revealed: deltas of the rest that are not seen beside it, and what rounding of where
# they are read may come to
_UNSEEN, _BLURRED = 1e-6, 1e-2


class InfiniteMassProfile(Profile):
    """``inner`` is the profile of the law given that nothing is revealed, ``backward`` that of its reversal.

    ``log_whole`` are log a and log b, each known to a relative error of 1e-13 and an absolute one of ``off`` besides;
    ``revealed`` bounds 1 - a. ``tolerance`` is the relative width aimed for.
    """

    def __init__(
        self, inner: Profile, backward: Profile, log_whole: tuple[float, float], revealed: tuple[float, float],
        tolerance: float = _TOLERANCE, off: float = 0.0,
    ) -> None:  # fmt: skip
        self._inner = inner
        self._backward = backward
        self._log_a, self._log_b = log_whole
        self._revealed, self._tolerance = revealed, tolerance
        self._shift = log_whole[1] - log_whole[0]
        self._off = off * (1.0 + 4.0 * UNIT)
        self._slack = (
            2.0 * _KNOWN * (abs(log_whole[0]) + abs(log_whole[1])) + 2.0 * self._off if self._shift != 0.0 else 0.0
        )

    @property
    def method(self) -> str:
        return self._inner.method

    @property
    def end(self) -> float:
        return max(self._inner.end - self._shift, 0.0) * (1.0 + 4.0 * UNIT) + self._slack

    @property
    def knots(self) -> FloatArray:
        inner = np.concatenate([-self._backward.knots[::-1], self._inner.knots]) - self._shift
        return inner[inner >= 0.0]

    @property
    def vertices(self) -> Vertices | None:
        """Those of the rest, shrunk; before them "not surely without the record", after them "surely with it"."""
        rest = self._inner.vertices
        return None if rest is None else self._shrunk(rest)

    def _shrunk(self, rest: Vertices) -> Vertices:
        """alpha = b alpha', beta = a beta'; the excess 1 - alpha - beta as a sum of positive terms, for a >= b
        (1 - a) + a excess' + (a - b) alpha', and else the same the other way round.
        """
        log_a, log_b = self._log_a, self._log_b
        slack = 4.0 * _KNOWN * (abs(log_a) + abs(log_b)) + 2.0 * self._off  # of log b - log a
        nothing, everything = [0.0][: int(log_b != 0.0)], [-math.inf][: int(log_a != 0.0)]
        log_alpha = np.concatenate([nothing, rest.log_alpha, everything])
        log_beta = np.concatenate([[-math.inf][: len(nothing)], rest.log_beta, [0.0][: len(everything)]])
        excess, unsure = (
            np.concatenate([[-math.inf][: len(nothing)], inner, everything])
            for inner in (rest.log_excess, rest.log_unsure)
        )
        larger, shown = (log_a, log_alpha) if log_a >= log_b else (log_b, log_beta)
        missing = -math.expm1(larger)
        room = 2.0 * _KNOWN * abs(larger) + self._off + 4.0 * UNIT * missing  # of that
        with np.errstate(divide="ignore"):
            gained = larger + shown + np.log(-math.expm1(-abs(self._shift)))
            log_excess = np.logaddexp(np.logaddexp(np.log(missing), larger + excess), gained)
            log_unsure = np.logaddexp(np.logaddexp(np.log(room), larger + unsure), larger + shown + np.log(slack))
        error = rest.error + 2.0 * _KNOWN * (abs(log_a) + abs(log_b)) + self._off
        return Vertices(
            log_b + log_alpha, log_a + log_beta, log_excess, log_unsure,
            (error + 8.0 * UNIT * (1.0 + abs(log_a) + abs(log_b))) * (1.0 + 4.0 * UNIT),
        )  # fmt: skip

    @property
    def revealed(self) -> float:
        return self._revealed[0]

    @property
    def tail_mu(self) -> float:
        return self._inner.tail_mu if self._log_a == 0.0 else math.inf

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._bounds(epsilon, np.zeros(len(epsilon)))

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        return self._bounds(epsilon, np.full(len(epsilon), goals[0]))

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._bounds(epsilon, least())

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._bounds(epsilon, np.zeros(len(epsilon)), rough=True)

    def _bounds(self, epsilon: FloatArray, least: FloatArray, rough: bool = False) -> Bracket:
        """The same where nobody cares for a delta below ``least``."""
        log_a, room = self._log_a, _KNOWN * abs(self._log_a) + 4.0 * UNIT + math.expm1(min(self._off, LARGEST_EXPONENT))
        # beside what is revealed nothing that small counts
        seen = np.maximum((least - self._revealed[1]) * (1.0 - room), _UNSEEN * self._tolerance * self._revealed[0])
        rest = self._at(epsilon, None if rough else seen)
        # whatever is added to the mass at infinity, however little, leaves delta above it
        some = math.exp(log_a) * rest.upper * (1.0 + room)
        above = np.where(some > 0.0, (self._revealed[1] + some) * (1.0 + 4.0 * UNIT), self._revealed[1])
        below = (self._revealed[0] + math.exp(log_a) * rest.lower * (1.0 - room)) * (1.0 - 2.0 * UNIT)
        below = np.maximum(below, self._revealed[0])
        high = np.minimum(rest.log_gap_upper * (1.0 - 4.0 * UNIT) + log_a * (1.0 - _KNOWN) + self._off, 0.0)
        low = rest.log_gap_lower * (1.0 + 4.0 * UNIT) + log_a * (1.0 + _KNOWN) - self._off  # perhaps -inf
        return Bracket(np.minimum(below, above), np.minimum(above, 1.0), np.minimum(low, high), high)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return math.exp(self._log_a) * slope_at(self._inner, self._backward, epsilon + self._shift)

    def _at(self, epsilon: FloatArray, least: FloatArray | None) -> Bracket:
        """The rest, wherever rounding has moved what is asked of it: read once, where that does not count. As sharp as
        steering needs where nobody says which ``least`` delta counts.
        """
        at, ways = epsilon + self._shift, (self._inner, self._backward)
        room = self._slack + 4.0 * UNIT * (np.abs(at) + np.abs(epsilon)) if self._shift != 0.0 else np.zeros(len(at))
        if least is None:
            return widened(bracket_at(*ways, at, rough=True), room)
        if np.all(room <= _BLURRED * self._tolerance * self._revealed[0]):
            return widened(bracket_at(*ways, at, least=least), room)
        return around(*ways, at, room, least)


def revealed_mass(
    log_silent: float, off: float, tables: list[tuple[DiscreteStep, Outcomes, int]], side: int
) -> tuple[float, float]:
    """Bounds on the mass at infinity: exact where one step alone has any, and states it.

    ``log_silent`` is the log of what all leave of it, and may be that far ``off``.
    """
    masses = [(table.infinite[side], times) for _, table, times in tables if table.infinite[side] > 0.0]
    if len(masses) == 1 and masses[0][1] == 1:
        mass, vague = masses[0][0], max(table.vague for _, table, _ in tables)
        return mass * (1.0 - vague), mass * (1.0 + vague)
    room = off + 2.0 * UNIT * abs(log_silent)  # of the sum
    least, most = -math.expm1(log_silent + room), -math.expm1(log_silent - room)
    return max(least, 0.0) * (1.0 - 4.0 * UNIT), min(most * (1.0 + 4.0 * UNIT), 1.0)
