"""A profile that is not asked again from where on next to nothing is left of its delta."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import SCANT
from neyman.profiles.profile import Bracket, Profile

__all__ = ["FadedProfile", "faded"]

_LEFT = 1e-20  # of delta, where it is no longer asked


class FadedProfile(Profile):
    """``known``, of which from ``start`` on only that is told: delta is no more than what it is at ``start``."""

    def __init__(self, known: Profile, start: float, left: float) -> None:
        self._known, self._start = known, start
        self.left = left

    rule = "as far as anything is left"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield self._known

    @property
    def method(self) -> str:
        return self._known.method

    @property
    def tail_mu(self) -> float:
        return self._known.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._read(epsilon, lambda near: self._known.bracket(epsilon[near]))

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._read(epsilon, lambda near: self._known.rough(epsilon[near]))

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._read(epsilon, lambda near: self._known.above(epsilon[near], lambda: least()[near]))

    def above_roughly(self, epsilon: FloatArray, least: FloatArray) -> Bracket:
        return self._read(epsilon, lambda near: self._known.above_roughly(epsilon[near], least[near]))

    def _read(self, epsilon: FloatArray, known: Callable[[NDArray[np.bool_]], Bracket]) -> Bracket:
        far = epsilon >= self._start
        zero, low = np.zeros(1), np.full(1, np.log1p(-self.left) * (1.0 + SCANT))
        rest = Bracket(zero, np.full(1, self.left), low, zero)
        if far.all():
            return rest.at(np.zeros(len(epsilon), dtype=np.int64))
        return rest.followed(known(~far)).at(np.where(far, 0, np.cumsum(~far)))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        out, near = np.zeros(len(epsilon)), epsilon < self._start
        if near.any():
            out[near] = self._known.slope(epsilon[near])
        return out


def faded(known: Profile, tried: FloatArray) -> FadedProfile | None:
    """``known`` up to the first eps of those ``tried`` at which as good as nothing is left; None where there is none.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> one = faded(GaussianProfile(0.1), np.array([0.5, 1.0, 2.0]))
    >>> one.bracket(np.array([0.1, 3.0])).upper
    array([8.75176815e-03, 1.23083598e-25])
    """
    for start in tried.tolist():
        left = float(known.bracket(np.array([start])).upper[0])
        if left <= _LEFT:
            return FadedProfile(known, start, left)
    return None
