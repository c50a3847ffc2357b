"""Compositions whose parameters were rounded on the way: either side of a bracket from the end that is safe for it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neyman._validate import FloatArray
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile

__all__ = ["OutwardProfile", "outward_profiles"]


class OutwardProfile(Profile):
    """Upper bounds of ``above``, lower bounds of ``below``: two laws an ulp of a parameter apart."""

    def __init__(self, below: Profile, above: Profile) -> None:
        self._below = below
        self._above = above

    rule = "two laws an ulp apart"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield self._above
        yield self._below

    @property
    def method(self) -> str:
        return self._above.method

    @property
    def end(self) -> float:
        return self._above.end

    @property
    def knots(self) -> FloatArray:
        return self._above.knots

    @property
    def tail_mu(self) -> float:
        return self._above.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        below, above = self._below.bracket(epsilon), self._above.bracket(epsilon)
        return Bracket(
            np.minimum(below.lower, above.upper),
            above.upper,
            above.log_gap_lower,
            np.maximum(below.log_gap_upper, above.log_gap_lower),
        )

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._above.slope(epsilon)


def outward_profiles(below: Pair, above: Pair) -> Pair:
    """Return both directions; one profile for both where they agree."""
    remove = OutwardProfile(below[0], above[0])
    return Pair(remove, remove if above[0] is above[1] and below[0] is below[1] else OutwardProfile(below[1], above[1]))
