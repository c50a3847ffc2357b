"""A composition in one direction, as contours see it: its steps, how often each is taken, and what kind they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.readings.transform import Transform
from neyman.profiles.pair import Direction

if TYPE_CHECKING:
    from neyman.engines.contour.truncation.period import Fold
    from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform

__all__ = ["Parts"]

_DISTINCT = 32  # distinct steps up to which they are parted
_MANY = 200  # steps from which they are parted before any contour is bent
_SAMPLE = 24  # steps of a long mix that stand for all in a first guess
_PROBE = 8  # the same, where it is told whether a dearer way pays


@dataclass(frozen=True)
class Parts:
    """A composition in one direction: steps with their counts, and the mu of all unsampled Gaussians together, which is
    within an ulp of the exact one.
    """

    steps: tuple[tuple[Transform, int], ...]
    mu: float
    direction: Direction
    fold: Fold | None = None  # the lattice of all losses, where it has one that is to be made use of
    # where the last line of either direction was cut, and how many of its deviations that is: others are alike
    cut_before: dict[Direction, tuple[float, float]] = field(default_factory=dict, compare=False)

    @overload
    def argument(self, c: float) -> float: ...
    @overload
    def argument(self, c: FloatArray) -> FloatArray: ...
    def argument(self, c: float | FloatArray) -> float | FloatArray:
        """The w at which the transforms are taken for Re z = c."""
        return c + 1.0 if self.direction == "remove" else -c

    @property
    def reversed(self) -> Parts:
        """The same composition in the other direction."""
        return replace(self, direction="add" if self.direction == "remove" else "remove")

    @cached_property
    def largest_loss(self) -> float:
        """No loss lies above this: delta is exactly 0 from there on."""
        if self.mu > 0.0:
            return math.inf
        return sum(times * law.largest(self.direction == "remove") for law, times in self.steps)

    @cached_property
    def laws(self) -> tuple[Transform, ...]:
        """The distinct steps."""
        return tuple(law for law, _ in self.steps)

    @cached_property
    def times(self) -> FloatArray:
        """How often each is taken."""
        return np.array([float(times) for _, times in self.steps])

    @cached_property
    def gaussians(self) -> tuple[tuple[SamplingTransform, int], ...]:
        """The steps that are sampled Gaussians, whose laws can be rotated and parted."""
        return tuple((law, times) for law, times in self.steps if type(law) is SamplingTransform)

    @cached_property
    def least_noise(self) -> float:
        """The least noise multiplier of those."""
        return min((law.sigma for law, _ in self.gaussians), default=math.inf)

    @property
    def sampled(self) -> bool:
        """Whether that is all of them."""
        return len(self.gaussians) == len(self.steps)

    @property
    def rough(self) -> bool:
        """Whether some of the transforms do not die along a line."""
        return not all(isinstance(law, SamplingTransform) for law, _ in self.steps)

    @cached_property
    def discrete_gaussians(self) -> tuple[tuple[DiscreteGaussianTransform, int], ...]:
        """The steps that are discrete Gaussians, whose transforms return period after period, with nothing between."""
        from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform

        return tuple((law, times) for law, times in self.steps if isinstance(law, DiscreteGaussianTransform))

    @property
    def parted(self) -> bool:
        """Whether the law can be parted into bulk and jumps; in the direction "add" there are none."""
        return self.direction == "remove" and len(self.steps) <= _DISTINCT and self.sampled

    @property
    def parted_first(self) -> bool:
        """Whether that is the first thing to try where a line is long: of few steps an arc is cheaper."""
        return self.parted and self.many

    @property
    def many(self) -> bool:
        """Whether there are so many steps that none of them alone decides how far a line goes."""
        return self.count >= _MANY

    @property
    def few(self) -> slice | None:
        """Of many steps a few that tell a first guess from an absurd one; None where there are not many."""
        return self._every(_SAMPLE)

    @property
    def fewest(self) -> slice | None:
        """Of these even fewer, that tell what pays."""
        return self._every(_PROBE)

    def _every(self, size: int) -> slice | None:
        count = len(self.steps)
        return None if count <= 2 * size else slice(0, size * (count // size), count // size)

    def sample(self, few: slice | None = None) -> Parts:
        """Those ``few`` (or ``Parts.few``), counted for all; all of them where there are not many."""
        few = self.few if few is None else few
        if few is None:
            return self
        those, count = self.steps[few], len(self.steps)
        return replace(self, steps=tuple((law, times * count // len(those)) for law, times in those))

    @cached_property
    def ends(self) -> dict[tuple[float, ...], tuple[float, float]]:
        """Where lines may be cut, as far as it was looked for: the same for all eps that a line serves."""
        return {}

    @cached_property
    def count(self) -> float:
        """Number of steps, all told."""
        return float(sum(times for _, times in self.steps)) + 1.0
