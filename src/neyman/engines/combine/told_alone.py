"""A composition tells at least what any one of its steps tells.

Whoever sees all outputs may look at one of them alone: delta and 1 - beta of the composition are at least those of that
step. Engines bound from below what they sum, to within a rounding of it, or of a lattice: farther out than that, where
they know nothing, the step that tells most is what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import ClosedForm
from neyman.engines.combine.before import one_of
from neyman.losses.base import Step
from neyman.losses.enclosed.step import EnclosedStep
from neyman.numerics.functions.few import some
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile

if TYPE_CHECKING:
    from neyman.profiles.vertices import Vertices

__all__ = ["ToldAlone", "beside_alone"]

_VAGUE = 0.5  # of the upper bound: what is known better is left as it is
_LOOSE, _BESIDE = 0.5, 0.01  # the same of log(1 - delta): absolute, and relative
_MANY = 16  # different steps that are looked at alone

Losses = tuple[tuple[Step, int], ...]


def beside_alone(losses: Losses, remove: Profile, add: Profile, alone: Callable[[Losses], Pair]) -> Pair:
    """The profiles of the composition of ``losses`` in both directions, with what each step tells ``alone`` beside."""
    if sum(times for _, times in losses) < 2 or isinstance(remove, ClosedForm):
        return Pair(remove, add)
    made = [cache(partial(alone, ((step, 1),))) for step, _ in losses if not isinstance(step, EnclosedStep)]
    if not 0 < len(made) <= _MANY:
        return Pair(remove, add)
    first = ToldAlone(remove, [partial(one_of, both, 0) for both in made])
    same = remove is add and all(step.symmetric for step, _ in losses)
    return Pair(first, first if same else ToldAlone(add, [partial(one_of, both, 1) for both in made]))


class ToldAlone(Profile):
    """``whole``, from below no less than each of ``parts``, which whoever sees the whole may look at instead.

    Examples
    --------
    >>> from neyman.engines.closed_form.pairs import GaussianProfile
    >>> one = GaussianProfile(1.0)
    >>> both = ToldAlone(GaussianProfile(2.0), [lambda: one]).bracket(np.array([3.0]))
    >>> float(both.lower[0]) == float(GaussianProfile(2.0).bracket(np.array([3.0])).lower[0])
    True
    """

    def __init__(self, whole: Profile, parts: Sequence[Callable[[], Profile]]) -> None:
        self._whole, self._parts = whole, parts  # made when they are asked
        self.source = whole.source

    rule = "no less than one step tells"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield self._whole

    @property
    def method(self) -> str:
        return self._whole.method

    @property
    def end(self) -> float:
        return self._whole.end

    @property
    def knots(self) -> FloatArray:
        return self._whole.knots

    @property
    def lesser(self) -> Profile | None:
        return self._whole.lesser

    @property
    def vertices(self) -> Vertices | None:
        return self._whole.vertices

    @property
    def revealed(self) -> float:
        return self._whole.revealed

    @property
    def log_overlap(self) -> float:
        return self._whole.log_overlap

    @property
    def tail_mu(self) -> float:
        return self._whole.tail_mu

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._whole.slope(epsilon)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._raised(epsilon, self._whole.bracket(epsilon))

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._whole.rough(epsilon)

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        return self._raised(epsilon, self._whole.decide(epsilon, goals))

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self._raised(epsilon, self._whole.above(epsilon, least))

    def _raised(self, epsilon: FloatArray, known: Bracket) -> Bracket:
        if known.sharp:
            return known
        kept = epsilon.copy()  # solvers may go on writing into theirs

        def below() -> tuple[FloatArray, FloatArray]:
            lower, log_gap_upper = known.lower, known.log_gap_upper
            unknown, large = ~(lower >= _VAGUE * known.upper), lower > _VAGUE
            if some(large):
                with np.errstate(invalid="ignore"):
                    unknown |= large & ~(log_gap_upper - known.log_gap_lower <= _LOOSE - _BESIDE * log_gap_upper)
            vague = unknown.nonzero()[0]
            if len(vague):
                lower, log_gap_upper = lower.copy(), log_gap_upper.copy()
                for part in self._parts:
                    found = part().bracket(kept[vague])
                    lower[vague] = np.maximum(lower[vague], found.lower)
                    log_gap_upper[vague] = np.minimum(log_gap_upper[vague], found.log_gap_upper)
            return lower, log_gap_upper

        return Bracket.late(known.upper, known.log_gap_lower, below)
