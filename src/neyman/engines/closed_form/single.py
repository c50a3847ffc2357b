"""One step, taken once, where that has a closed form."""

from __future__ import annotations

from neyman.engines.closed_form.pairs import GaussianProfile, LaplaceProfile, SampledProfile, SubsampledGaussianProfile
from neyman.engines.closed_form.replaced import ReplacedGaussianProfile, ReplacedLaplaceProfile
from neyman.losses.base import Step
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.replaced import ReplacedGaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from neyman.profiles.profile import Profile

__all__ = ["single"]

Losses = tuple[tuple[Step, int], ...]


def single(losses: Losses) -> tuple[Profile, Profile] | None:
    """One step, once: where that has a closed form."""
    (step, times), *others = losses
    if others or times > 1:
        return None
    if isinstance(step, GaussianStep):
        return _twice(GaussianProfile(step.mu, step.least))
    if isinstance(step, SubsampledGaussianStep):
        return (
            SubsampledGaussianProfile(step.sigma, step.rate, "remove"),
            SubsampledGaussianProfile(step.sigma, step.rate, "add"),
        )
    if isinstance(step, ReplacedGaussianStep):
        return _twice(ReplacedGaussianProfile(step.sigma, step.rate, step.tail_mu))
    if isinstance(step, LaplaceStep) and step.two_sided and step.rate < 1.0:
        return _twice(ReplacedLaplaceProfile(step.scale, step.rate, step.tail_mu))
    if isinstance(step, LaplaceStep) and not step.two_sided:
        whole = LaplaceProfile(step.scale, step.tail_mu)
        if step.rate == 1.0:
            return _twice(whole)
        return SampledProfile((whole, whole), step.rate, "remove"), SampledProfile((whole, whole), step.rate, "add")
    return None


def _twice(profile: Profile) -> tuple[Profile, Profile]:
    return profile, profile
