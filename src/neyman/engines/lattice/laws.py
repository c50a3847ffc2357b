"""From the name of a step to its law on a lattice."""

from __future__ import annotations

from neyman._errors import InvalidParameter
from neyman.losses.base import Step
from neyman.losses.bins import Shape
from neyman.losses.custom import CustomStep
from neyman.losses.custom_grid import CustomGrid
from neyman.losses.discrete import DiscreteStep
from neyman.losses.discrete_grid import DiscreteGrid
from neyman.losses.gaussian import GaussianStep
from neyman.losses.grid import GridLaw
from neyman.losses.laplace import LaplaceStep
from neyman.losses.laplace_law import LaplaceLaw
from neyman.losses.replaced_gaussian import ReplacedGaussianStep
from neyman.losses.replaced_grid import ReplacedGrid
from neyman.losses.subsampled_gaussian import SubsampledGaussianStep

__all__ = ["grid_law"]


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
