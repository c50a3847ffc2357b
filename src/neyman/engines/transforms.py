"""From the name of a step to its transform."""

from __future__ import annotations

from neyman.losses.base import Step
from neyman.losses.discrete import DiscreteGaussianStep, DiscreteStep
from neyman.losses.discrete_gaussian_transform import DiscreteGaussianTransform
from neyman.losses.discrete_transform import DiscreteTransform
from neyman.losses.laplace import LaplaceStep
from neyman.losses.laplace_transform import LaplaceTransform
from neyman.losses.replaced_gaussian import ReplacedGaussianStep
from neyman.losses.replaced_transform import ReplacedTransform
from neyman.losses.sampling_transform import SamplingTransform
from neyman.losses.subsampled_gaussian import SubsampledGaussianStep
from neyman.losses.transform import Transform

__all__ = ["transform"]


def transform(step: Step) -> Transform | None:
    """Return the transform of ``step``, given that it reveals nothing; None where a contour has no use for it.

    Raises
    ------
    NotCertified
        If the law it is the transform of does not weigh 1.
    """
    law = _transform(step)
    return None if law is None else law.weighed()


def _transform(step: Step) -> Transform | None:
    if isinstance(step, SubsampledGaussianStep):
        return SamplingTransform(step.sigma, step.rate)
    if isinstance(step, ReplacedGaussianStep):
        return ReplacedTransform(step.sigma, step.rate)
    if isinstance(step, LaplaceStep):
        return LaplaceTransform(step)
    if isinstance(step, DiscreteGaussianStep) and step.rate == 1.0 and DiscreteGaussianTransform.serves(step.sigma):
        return DiscreteGaussianTransform(step.sigma, step.shift)
    if isinstance(step, DiscreteStep):
        return DiscreteTransform(step.table().whole()[0])
    return None
