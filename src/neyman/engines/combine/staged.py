"""Several engines for one profile, each dearer than those before it, asked only where these are not sharp."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from neyman._validate import FloatArray
from neyman.profiles.profile import Bracket, Profile

__all__ = ["StagedProfile"]

_ASKED = 1e-30  # least delta that is held to the tolerance
_STEERING, _STEERED = 1e-15, 1e-4  # least delta that is looked at again, and the tolerance, for what only steers
_LABOUR = 2e6  # nominal nanoseconds of one eps, about: each stage sums over many short tables

Far = Callable[[FloatArray], FloatArray]


class StagedProfile(Profile):
    """What ``first`` says, and where that is wide what each of the ``stages`` says besides, of a delta below its own
    limit: all hold. ``far`` bounds delta from above at next to no cost.
    """

    def __init__(
        self, first: Profile, stages: Sequence[tuple[float, Callable[[], Profile | None]]], tolerance: float, far: Far
    ) -> None:
        self._first, self._stages, self._tolerance, self._far = first, stages, tolerance, far

    rule = "in stages"

    @property
    def labour(self) -> float:
        return _LABOUR

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield self._first
        yield from (one for one in (stage() for _, stage in self._stages) if one is not None)

    @property
    def method(self) -> str:
        return self._first.method

    @property
    def end(self) -> float:
        return self._first.end

    @property
    def tail_mu(self) -> float:
        return self._first.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._asked(epsilon, np.full(len(epsilon), _ASKED))

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._asked(epsilon, np.full(len(epsilon), _STEERING), rough=True)

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        return self._asked(epsilon, np.full(len(epsilon), max(goals[0], _ASKED)), goals[1])

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._asked(epsilon, np.maximum(least(), _ASKED))

    def _asked(self, epsilon: FloatArray, least: FloatArray, most: float = 1.0, rough: bool = False) -> Bracket:
        """Bounds, sharp where delta may lie between ``least`` and ``most``; ``rough``: as sharp as steering needs."""
        tolerance = max(_STEERED, self._tolerance) if rough else self._tolerance
        first = self._first
        found = first.above_roughly(epsilon, least) if rough else first.above(epsilon, lambda: least)
        found = found.within(Bracket.of_delta(np.zeros(len(epsilon)), self._far(epsilon)))
        for limit, stage in self._stages:
            open_ = (found.upper < limit) & (found.upper >= least) & (found.lower <= most)
            at = np.flatnonzero(open_ & (found.upper - found.lower > tolerance * found.upper))
            more = stage() if len(at) else None
            if more is None:
                continue
            below = least[at]
            found = found.sharpened(at, more.above(epsilon[at], lambda below=below: below))
        return found

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._first.slope(epsilon)
