"""A bound that costs next to nothing before an engine, which is made and asked only where the bound is too wide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property, partial

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.profiles.effort import cut_short
from neyman.profiles.pair import Direction, Pair
from neyman.profiles.profile import SHARPEST, Bracket, Profile

__all__ = ["BoundedProfile", "before", "one_of", "towards"]

_ASKED = 1e-30  # least delta whose bracket is held to the tolerance
_STEERED = 1e-4  # the tolerance where only solvers are steered: what they lose by it goes with its square
_LARGE = 0.5  # delta from which 1 - delta is held to it, too
_NOTHING = -40.0  # log of a 1 - delta that is asked for at eps = 0 alone, where mu may be its probit


class BoundedProfile(Profile):
    """What ``quick`` knows, and where that is not sharp what ``engine()`` knows besides: both hold.

    At eps = 0 the ``reverse`` pair has the same delta: what it knows holds, too. Without an ``engine`` nothing is
    behind. ``tolerance`` is the relative width aimed for where delta >= 1e-30; 1 - delta is held to it, too, where that
    is the small one.
    """

    def __init__(
        self, quick: Profile, engine: Callable[[], Profile] | None, tolerance: float, reverse: Profile | None = None
    ) -> None:
        self._quick = quick
        self._reverse = reverse
        self._make = engine
        self._tolerance = tolerance
        self._asked = False
        self._steered: tuple[bytes, Bracket] | None = None
        self.source = quick.source if tolerance >= SHARPEST else None

    rule = "what costs little first"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield self._quick
        if self._asked and self._engine is not None:
            yield self._engine

    @property
    def method(self) -> str:
        """Which of the two answered so far."""
        if self._asked and self._engine is not None:
            return f"{self._quick.method}, {self._engine.method}"
        return self._quick.method

    @property
    def end(self) -> float:
        return self._quick.end

    @property
    def tail_mu(self) -> float:
        return self._quick.tail_mu

    @property
    def labour(self) -> float:
        return self._quick.labour

    def bracket(self, epsilon: FloatArray) -> Bracket:
        first = self._known(epsilon, self._quick.bracket(epsilon))
        at = self._wide(epsilon, first)
        if len(at) and not cut_short():  # solvers ask for the slope where they just were
            self._steered = epsilon.tobytes(), first
        return self._both(epsilon, first, at)

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        first = self._known(epsilon, self._quick.decide(epsilon, goals))
        at = self._wide(epsilon, first)
        return self._both(epsilon, first, at[(first.upper[at] >= goals[0]) & (first.lower[at] <= goals[1])])

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        first = self._known(epsilon, self._quick.above(epsilon, least))
        at = self._wide(epsilon, first)
        # of what is nearly 1 the rest counts, too
        return self._both(epsilon, first, at[(first.upper[at] >= np.minimum(least(), _LARGE)[at])] if len(at) else at)

    def above_roughly(self, epsilon: FloatArray, least: FloatArray) -> Bracket:
        first = self._known(epsilon, self._quick.above_roughly(epsilon, least))
        at = self._wide(epsilon, first, _STEERED)
        at = at[(first.upper[at] >= np.minimum(least, _LARGE)[at])]
        if not len(at) or self._engine is None:
            return first
        return first.sharpened(at, self._engine.above_roughly(epsilon[at], least[at]))

    def rough(self, epsilon: FloatArray) -> Bracket:
        first = self._roughly(epsilon)
        at = self._wide(epsilon, first, _STEERED)
        if not len(at) or self._engine is None:
            return first
        return first.sharpened(at, self._engine.rough(epsilon[at]))

    def _both(self, epsilon: FloatArray, first: Bracket, at: IntArray) -> Bracket:
        """What is known ``first``, with what the engine says at the places ``at``."""
        if not len(at) or self._engine is None:
            return first
        self._asked = True
        return first.sharpened(at, self._engine.bracket(epsilon[at]))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        at = self._wide(epsilon, self._roughly(epsilon), _STEERED)
        if not len(at) or self._engine is None:
            return self._quick.slope(epsilon)
        if len(at) == len(epsilon):
            return self._engine.slope(epsilon)
        out = self._quick.slope(epsilon)
        out[at] = self._engine.slope(epsilon[at])
        return out

    def _roughly(self, epsilon: FloatArray) -> Bracket:
        """What the quick one knows at least roughly; kept for whoever asks there again."""
        place = epsilon.tobytes()
        if self._steered is None or self._steered[0] != place:
            found = self._known(epsilon, self._quick.rough(epsilon))
            if cut_short():
                return found
            self._steered = place, found
        return self._steered[1]

    def _known(self, epsilon: FloatArray, found: Bracket) -> Bracket:
        """What the quick one ``found``, at eps = 0 with its reverse."""
        zero = (epsilon == 0.0).nonzero()[0]
        if not len(zero) or self._reverse is None:
            return found
        both = found.at(zero[:1]).within(self._reverse.bracket(np.zeros(1)))
        lower, upper = found.lower.copy(), found.upper.copy()
        low, high = found.log_gap_lower.copy(), found.log_gap_upper.copy()
        lower[zero], upper[zero], low[zero], high[zero] = both.lower, both.upper, both.log_gap_lower, both.log_gap_upper
        return Bracket(np.minimum(lower, upper), upper, low, np.maximum(high, low))

    def _wide(self, epsilon: FloatArray, bracket: Bracket, most: float = 0.0) -> IntArray:
        tolerance = max(self._tolerance, most)
        if bracket.sharp and tolerance >= SHARPEST:
            return np.zeros(0, dtype=np.int64)
        width = bracket.upper - bracket.lower
        small = (bracket.upper < _ASKED) | (width <= tolerance * bracket.upper)
        rest = bracket.lower < _LARGE
        if not rest.all():
            with np.errstate(invalid="ignore"):
                gap = bracket.log_gap_upper - bracket.log_gap_lower
            rest |= gap <= tolerance * np.maximum(1.0, -bracket.log_gap_upper)
            rest |= bracket.log_gap_upper < np.where(epsilon > 0.0, _NOTHING, -math.inf)
            rest |= bracket.log_gap_upper == -math.inf
        return (~(small & rest)).nonzero()[0]

    @cached_property
    def _engine(self) -> Profile | None:
        return None if self._make is None else self._make()


def towards(both: Callable[[], Pair], direction: Direction) -> Pair:
    """Both, those of that direction first."""
    return both().towards(direction)


def one_of(both: Callable[[], Pair], index: int) -> Profile:
    """One direction of what makes both."""
    return both()[index]


def before(quick: Pair, behind: Callable[[], Pair] | None, tolerance: float) -> Pair:
    """What costs next to nothing before an engine, in both directions; each knows of the other's delta at 0."""
    first, last = (
        BoundedProfile(one, None if behind is None else partial(one_of, behind, i), tolerance, other)
        for i, (one, other) in enumerate(zip(quick, quick[::-1], strict=True))
    )
    return Pair(first, last)
