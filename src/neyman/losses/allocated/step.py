"""The loss of one of t steps, chosen at random for each record: a joint law, known by its profile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.losses.base import Step
from neyman.losses.enclosed.step import EnclosedStep

if TYPE_CHECKING:
    from neyman.losses.readings.transform import Transform

__all__ = ["AllocatedStep", "Allocation", "allocated_step"]

_NOTHING = 1e-23  # delta that compositions leave to infinity: profiles are known to 1e-28 e^eps
_CELLS = 384  # of Renyi divergences
_FARTHEST = 40.0  # eps beyond which it is not looked for
_LEAST_NOISE, _MOST_NOISE = 0.15, 16.0  # between which transforms are worth their time
_LONGEST = 2e4  # nodes of a Mellin integral


@dataclass(frozen=True)
class Allocation:
    """Which law it is: ``steps``, and the ends between which noise over sensitivity lies."""

    narrowest: float
    widest: float
    steps: int

    @property
    def tail_mu(self) -> float:
        """That of the Gaussian mechanism of the one step: whoever is told it learns no less."""
        from neyman.losses.allocated.profile import AllocatedProfile

        return AllocatedProfile(self.narrowest, self.widest, self.steps, True).tail_mu


class AllocatedStep(EnclosedStep):
    """One that is enclosed only as far as its profile is known sharply: what lies beyond is left to infinity."""

    @property
    def only_promised(self) -> bool:
        """No: the profile is that of the mechanism."""
        return False

    @property
    def cells(self) -> int:
        """Few: what is far out, where lines are dear, says little more than ``tail_mu``."""
        return _CELLS

    def divergence(self, order: FloatArray, remove: bool, upper: bool) -> tuple[FloatArray, BoolArray]:
        """Bounds on D_t, and where nothing is sharper: "remove" at whole orders."""
        from neyman.losses.allocated.moments import LARGEST_ORDER, divergences

        if not remove:
            return super().divergence(order, remove, upper)
        law = cast(Allocation, self.promise)
        sigma = law.narrowest if upper else law.widest
        whole = (order == np.floor(order)) & (order > 1.0) & (order <= LARGEST_ORDER)
        found = divergences(sigma, law.steps, order, upper)
        return found, whole & (np.isfinite(found) if upper else found > 0.0)

    @property
    def ends(self) -> tuple[Step, Step]:
        """That of the larger noise, and that of the smaller: they differ where it was rounded on the way."""
        law = cast(Allocation, self.promise)
        if law.narrowest == law.widest:
            return self, self
        lesser, greater = (allocated_step(noise, noise, law.steps) for noise in (law.widest, law.narrowest))
        return lesser, greater

    def transform(self) -> Transform | None:
        """By Mellin integrals; None where these are too long, and while the noise is known only between two ends."""
        from neyman.losses.allocated.mellin.transform import allocated_transform

        law = cast(Allocation, self.promise)
        if law.narrowest < law.widest or not _LEAST_NOISE <= law.narrowest <= _MOST_NOISE:
            return None
        found = allocated_transform(law.narrowest, law.steps)
        return found if found.terms(1.0, 0.0) <= _LONGEST and found.known else None

    @cached_property
    def reach(self) -> float:
        """The first eps > 0 from which delta is known to be at most ``_NOTHING`` in both directions."""
        low, high = 0.0, min(self._above(0.0), _FARTHEST)
        while high < _FARTHEST and self._above(high) > _NOTHING:
            low, high = high, min(2.0 * high, _FARTHEST)
        while high - low > 1e-2 * high:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._above(middle) <= _NOTHING else (middle, high)
        return high

    def _above(self, epsilon: float) -> float:
        return max(float(one.bracket(np.array([epsilon])).upper[0]) for one in (self.forward, self.backward))


def allocated_step(narrowest: float, widest: float, steps: int) -> EnclosedStep:
    """Return the loss at ``steps`` >= 2.

    Examples
    --------
    >>> allocated_step(1.0, 1.0, 100).tail_mu
    1.0000000000000004
    """
    from neyman.losses.allocated.profile import AllocatedProfile

    remove, add = (AllocatedProfile(narrowest, widest, steps, way) for way in (True, False))
    return AllocatedStep(Allocation(narrowest, widest, steps), 1.0, remove, add, quick=True)
