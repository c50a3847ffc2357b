"""From the name of a step to its law on a lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from neyman._errors import InvalidParameter
from neyman.losses.base import Step
from neyman.losses.custom.bins import CustomGrid
from neyman.losses.custom.step import CustomStep
from neyman.losses.discrete.bins import DiscreteGrid
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.gaussian.bins import Shape
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.replaced import ReplacedGaussianStep
from neyman.losses.gaussian.replaced_bins import ReplacedGrid
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.bins import LaplaceLaw
from neyman.losses.laplace.step import LaplaceStep
from neyman.losses.readings.bins import GridLaw

__all__ = ["grid_law", "largest_loss"]


def grid_law(step: Step) -> GridLaw:
    """Return the law of ``step``, given that it reveals nothing."""
    if isinstance(step, SubsampledGaussianStep):
        return Shape(step.sigma, step.rate)
    if isinstance(step, GaussianStep):
        return Shape(1.0 / step.mu, 1.0)
    if isinstance(step, ReplacedGaussianStep):
        return ReplacedGrid(step)
    if isinstance(step, LaplaceStep):
        return LaplaceLaw(step)
    if isinstance(step, CustomStep):
        return CustomGrid(step)
    if isinstance(step, DiscreteStep):
        return DiscreteGrid(step.table().whole()[0])
    raise InvalidParameter("step", step, "a step whose law a lattice can hold")


def largest_loss(laws: Sequence[tuple[GridLaw, int]], remove: bool) -> float:
    """The largest loss of a composition, rounded up: to the last bit where that of every law is known exactly."""
    exact: Fraction | None = Fraction(0)
    for law, times in laws:
        exact = None if exact is None or law.exact_end is None else exact + times * law.exact_end
    if exact is None:
        return math.fsum(times * law.end(remove) for law, times in laws) * (1.0 + 1e-14)
    return float(exact) if Fraction(float(exact)) >= exact else math.nextafter(float(exact), math.inf)
