"""A composition as rules see it: its steps, what is worked out once about them, and how parts of it are composed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.profiles.effort import Effort
from neyman.profiles.pair import DIRECTIONS, Direction, Pair

if TYPE_CHECKING:
    from neyman.losses.readings.outcomes import Outcomes

__all__ = ["Composition", "Losses", "Rule", "first_of", "sure"]

Losses = tuple[tuple[Step, int], ...]


class Finite(Protocol):
    """What chooses for steps that reveal nothing."""

    def __call__(
        self, losses: Losses, tables: dict[DiscreteStep, Outcomes], tolerance: float, effort: Effort
    ) -> Pair: ...


@dataclass(frozen=True, eq=False)
class Composition:
    """Steps that reveal nothing, to be bounded to a relative ``tolerance`` within the ``effort``.

    ``tables`` are those of the discrete steps, without what they reveal; ``tail_mu`` is valid for the whole with no
    floor; ``finite`` composes steps that reveal nothing, ``whole`` any.
    """

    losses: Losses
    tables: dict[DiscreteStep, Outcomes]
    tolerance: float
    tail_mu: float
    effort: Effort
    finite: Finite
    whole: Callable[[Losses], Pair]

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """Both of "remove" and "add", or the first alone where they agree."""
        return DIRECTIONS[:1] if all(step.symmetric for step, _ in self.losses) else DIRECTIONS

    @cached_property
    def lists(self) -> tuple[tuple[DiscreteStep, int], ...]:
        """The steps that are lists of outcomes."""
        return tuple((step, times) for step, times in self.losses if isinstance(step, DiscreteStep))

    @property
    def discrete(self) -> bool:
        """Whether all steps are."""
        return len(self.lists) == len(self.losses)

    def part(self, losses: Losses) -> Composition:
        """Some of the steps."""
        return replace(self, losses=losses)

    def compose(self, losses: Losses, tolerance: float | None = None) -> Pair:
        """Both profiles of some of the steps."""
        return self.finite(losses, self.tables, self.tolerance if tolerance is None else tolerance, self.effort)

    def compose_smooth(self, losses: Losses) -> Pair:
        """The same where none of them is a list of outcomes."""
        return self.finite(losses, {}, self.tolerance, self.effort)


Rule = Callable[[Composition], "Pair | None"]


def first_of(rules: tuple[Rule, ...], steps: Composition) -> Pair | None:
    """What the first rule says that has something to say."""
    return next((found for rule in rules if (found := rule(steps)) is not None), None)


def sure(rule: Rule, steps: Composition) -> Callable[[], Pair]:
    """What makes the profiles of a rule that has something to say of anything."""

    def made() -> Pair:
        found = rule(steps)
        if found is None:
            raise TypeError("a composition that no rule is for")
        return found

    return made
