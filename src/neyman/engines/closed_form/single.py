"""One step, taken once, where that has a closed form; Laplace steps of one scale, several times."""

from __future__ import annotations

from neyman.engines.closed_form.pairs import GaussianProfile, LaplaceProfile, SampledProfile, SubsampledGaussianProfile
from neyman.losses.base import Step
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from neyman.numerics.sums.norm import together
from neyman.profiles.pair import DIRECTIONS, Pair

__all__ = ["single"]

Losses = tuple[tuple[Step, int], ...]


def single(losses: Losses) -> Pair | None:
    """One step, once, or one of plain Laplace noise several times: where that has a closed form."""
    (step, times), *others = losses
    if others:
        return None
    if times > 1:
        return _several(step, times)
    if isinstance(step, GaussianStep):
        return Pair.both([GaussianProfile(step.mu, step.least)])
    if isinstance(step, SubsampledGaussianStep):
        return Pair.both([SubsampledGaussianProfile(step.sigma, step.rate, way) for way in DIRECTIONS])
    if isinstance(step, ReplacedGaussianStep):
        from neyman.engines.closed_form.replaced import ReplacedGaussianProfile

        return Pair.both([ReplacedGaussianProfile(step.sigma, step.rate, step.tail_mu)])
    if isinstance(step, LaplaceStep) and step.two_sided and step.rate < 1.0:
        from neyman.engines.closed_form.replaced import ReplacedLaplaceProfile

        return Pair.both([ReplacedLaplaceProfile(step.scale, step.rate, step.tail_mu)])
    if isinstance(step, LaplaceStep) and not step.two_sided:
        whole = LaplaceProfile(step.scale, step.tail_mu)
        if step.rate == 1.0:
            return Pair.both([whole])
        return Pair.both([SampledProfile((whole, whole), step.rate, way) for way in DIRECTIONS])
    return None


def _several(step: Step, times: int) -> Pair | None:
    if not isinstance(step, LaplaceStep):
        return None
    from neyman.engines.closed_form.several_laplace import several_laplace

    found = several_laplace(step, times, together([(step.tail_mu, times)]))
    return None if found is None else Pair.both([found])
