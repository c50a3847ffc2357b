"""The loss of one of t steps, chosen at random for each record: a joint law, known by its profile."""

from __future__ import annotations

from dataclasses import dataclass

from neyman.losses.allocated.profile import AllocatedProfile
from neyman.losses.enclosed.step import EnclosedStep

__all__ = ["Allocation", "allocated_step"]


@dataclass(frozen=True)
class Allocation:
    """Which law it is: ``steps``, and the ends between which noise over sensitivity lies."""

    narrowest: float
    widest: float
    steps: int

    @property
    def tail_mu(self) -> float:
        """That of the Gaussian mechanism of the one step: whoever is told it learns no less."""
        return AllocatedProfile(self.narrowest, self.widest, self.steps, True).tail_mu


def allocated_step(narrowest: float, widest: float, steps: int) -> EnclosedStep:
    """Return the loss at ``steps`` >= 2.

    Examples
    --------
    >>> allocated_step(1.0, 1.0, 100).tail_mu
    1.0000000000000004
    """
    remove, add = (AllocatedProfile(narrowest, widest, steps, way) for way in (True, False))
    return EnclosedStep(Allocation(narrowest, widest, steps), 1.0, remove, add)
