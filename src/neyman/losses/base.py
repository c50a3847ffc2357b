"""What one step of a composed mechanism hands to the engines: the law of its privacy loss, named by its parameters.

Conventions, one everywhere: (P, Q), the dominating pair, are the output laws under H1 and H0 and L = log dP/dQ.
Direction "remove" has P with the record and Q without it; direction "add" is the reversed pair. Under "replace" P and Q
hold two different records.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from neyman._errors import InvalidParameter

if TYPE_CHECKING:
    from neyman.losses.readings.bins import GridLaw
    from neyman.losses.readings.powers import PowerLaw
    from neyman.losses.readings.transform import Transform

__all__ = ["Step"]


class Step(ABC):
    """A privacy-loss law known by a few numbers: an immutable, hashable value.

    What engines may read of it, given that it reveals nothing: its ``transform``, its ``bins``, its ``powers`` and its
    ``largest_loss``. A law has those that it knows; an engine that needs another goes without this step.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def tail_mu(self) -> float:
        """A mu for which this step alone is mu-GDP with no floor, in both directions; inf where there is none."""

    def within(self, other: Step) -> bool:
        """Whether one channel is known that turns the pair of ``other`` into this one, in both directions alike.

        Then whatever can be told from this step, however often it is taken, can be told from the other: Blackwell 1953.
        Three channels do all of it: more noise; a fresh draw without the record, which makes a smaller rate of any
        pair; and what turns the worst pair of a kind into any other. False where none is known.
        """
        return self == other

    @property
    def ends(self) -> tuple[Step, Step]:
        """A step nowhere above the one that is meant and one nowhere below, where parameters were rounded on the way
        from a mechanism. Twice itself where none was, or where the engines read both ends from this one.
        """
        return self, self

    @property
    @abstractmethod
    def symmetric(self) -> bool:
        """Whether the loss has one law in both directions."""

    def transform(self) -> Transform | None:
        """The characteristic function of its loss, at complex arguments; None where a contour has no use for it."""
        return None

    def bins(self) -> GridLaw:
        """Its law on a lattice.

        Raises
        ------
        InvalidParameter
            Where there is none.
        """
        raise InvalidParameter("step", self, "a step whose law a lattice can hold")

    def powers(self) -> tuple[PowerLaw, PowerLaw] | None:
        """A law whose Renyi divergences are never above its own, and one whose are never below; None where it is known
        otherwise.

        They differ where a parameter was rounded on the way from a mechanism, or where the law is only enclosed.
        """
        return None

    def largest_loss(self, remove: bool) -> float:
        """The largest loss of that direction, rounded up; inf where there is none."""
        return math.inf
