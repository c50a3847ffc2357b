"""Compositions of very many steps: whatever engine there is, with the elementary bounds where it is not sharp."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.renyi.elementary import ElementaryProfile
from neyman.profiles.profile import SHARPEST, Bracket, Profile
from neyman.profiles.vertices import Vertices

__all__ = ["LongProfile"]

_TOLD = 2.0**50  # -log(1 - delta(0)) beyond which a relative rounding of the cumulant is a share of an e-fold, or many
_ASKED = 1e-30  # least delta whose bracket is held to the tolerance
_STEERED = 1e-4  # the tolerance where only solvers are steered: what they lose by it goes with its square
_NOWHERE = np.zeros(0, dtype=np.intp)  # the places at which what is sharp is too wide


class LongProfile(Profile):
    """What ``engine()`` knows, and where that is wider than ``tolerance`` what ``elementary()`` knows besides.

    Both are made when first asked. Rounding grows with the number of steps: an engine may find that it cannot account
    for all the mass, and then says nothing.
    """

    def __init__(
        self, engine: Callable[[], Profile], elementary: Callable[[], ElementaryProfile], tail_mu: float,
        tolerance: float,
    ) -> None:  # fmt: skip
        self._make = engine
        self._make_elementary = elementary
        self._tail_mu = tail_mu
        self._tolerance = tolerance

    rule = "an engine, and moments where that is wide"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        if self._engine is not None:
            yield self._engine
        yield self._elementary

    @property
    def method(self) -> str:
        """That of the engine, where there is one."""
        return self._elementary.method if self._engine is None else self._engine.method

    @property
    def end(self) -> float:
        return self._elementary.end if self._engine is None else self._engine.end

    @property
    def knots(self) -> FloatArray:
        return np.zeros(0) if self._engine is None else self._engine.knots

    @property
    def vertices(self) -> Vertices | None:
        return None if self._engine is None else self._engine.vertices

    @property
    def tail_mu(self) -> float:
        return self._tail_mu if self._engine is None else self._engine.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self.decide(epsilon, (0.0, 1.0))

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        first = self._by_engine(lambda engine: engine.decide(epsilon, goals))
        if first is None:
            return self._elementary.bracket(epsilon)
        at = self._wide(first, self._tolerance)
        if not len(at):
            return first
        return self._both(epsilon, first, at[(first.upper[at] >= goals[0]) & (first.lower[at] <= goals[1])])

    def rough(self, epsilon: FloatArray) -> Bracket:
        first = self._by_engine(lambda engine: engine.rough(epsilon))
        if first is None:
            return self._elementary.bracket(epsilon)
        return self._both(epsilon, first, self._wide(first, max(self._tolerance, _STEERED)))

    def _both(self, epsilon: FloatArray, first: Bracket, at: IntArray) -> Bracket:
        """What the engine says ``first``, and at the places ``at`` the elementary bounds besides."""
        if not len(at):
            return first
        both = first.at(at).within(self._elementary.bracket(epsilon[at]))
        # of a promise the engine composes the worst pair of its profile, the divergences may know better
        lower = np.minimum(both.lower, both.upper)
        high = np.maximum(both.log_gap_lower, both.log_gap_upper)
        both = Bracket(lower, both.upper, both.log_gap_lower, high)
        place = np.arange(len(epsilon))
        place[at] = len(epsilon) + np.arange(len(at))
        return first.followed(both).at(place)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        first = self._by_engine(lambda engine: engine.rough(epsilon))
        if first is None or self._engine is None:
            return self._elementary.slope(epsilon)
        out = self._engine.slope(epsilon)
        at = self._wide(first, max(self._tolerance, _STEERED))
        if len(at):  # what is a little too wide has the better slope all the same
            theirs = self._elementary.bracket(epsilon[at])
            at = at[_narrower(theirs, first.at(at))]
            out[at] = self._elementary.slope(epsilon[at])
        return out

    @staticmethod
    def _wide(bracket: Bracket, tolerance: float) -> IntArray:
        if bracket.sharp and tolerance >= SHARPEST:
            return _NOWHERE
        sharp = (bracket.upper < _ASKED) | (bracket.upper - bracket.lower <= tolerance * bracket.upper)
        rest = bracket.lower < 0.5
        if not rest.all():
            with np.errstate(invalid="ignore"):
                gap = bracket.log_gap_upper - bracket.log_gap_lower
            rest |= gap <= tolerance * np.maximum(1.0, -bracket.log_gap_upper)
            rest |= bracket.log_gap_upper == -math.inf
        return (~(sharp & rest)).nonzero()[0]

    def _by_engine(self, ask: Callable[[Profile], Bracket]) -> Bracket | None:
        try:
            return None if self._engine is None else ask(self._engine)
        except NotCertified:
            return None

    @cached_property
    def _engine(self) -> Profile | None:
        # of what is told nearly whole no engine's floats know more; no step tells more than its Gaussian
        if math.sqrt(8.0 * _TOLD) <= self._tail_mu < math.inf:
            known = self._elementary.bracket(np.zeros(1))
            if known.log_gap_upper[0] < -_TOLD:
                return None
        try:
            return self._make()
        except NotCertified:
            return None

    @cached_property
    def _elementary(self) -> ElementaryProfile:
        return self._make_elementary()


def _narrower(one: Bracket, other: Bracket) -> BoolArray:
    """Where ``one`` says more than the ``other``: of delta, or where that is large of log(1 - delta)."""
    with np.errstate(invalid="ignore"):
        gaps = one.log_gap_upper - one.log_gap_lower < other.log_gap_upper - other.log_gap_lower
    return np.where(other.upper < 0.5, one.upper - one.lower < other.upper - other.lower, gaps)
