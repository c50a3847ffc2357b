"""What one step of a composed mechanism hands to the engines: the law of its privacy loss, named by its parameters.

Conventions, one everywhere: (P, Q) are the output laws under H1 and H0 and L = log dP/dQ. Direction "remove" has P with
the record and Q without it; direction "add" is the reversed pair. Under "replace" P and Q hold two different records.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

__all__ = ["Step"]


class Step(ABC):
    """A privacy-loss law known by a few numbers: an immutable, hashable value."""

    __slots__ = ()

    @property
    @abstractmethod
    def tail_mu(self) -> float:
        """A mu for which this step alone is mu-GDP with no floor, in both directions; inf where there is none."""

    @property
    @abstractmethod
    def symmetric(self) -> bool:
        """Whether the loss has one law in both directions."""
