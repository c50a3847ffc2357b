"""The one place that chooses an engine for a composition: closed form, contour, and the lattice where the contour is
not sharp.
"""

from __future__ import annotations

from functools import partial

from neyman.engines.backed import BackedProfile
from neyman.engines.closed_form import GaussianProfile, PerfectProfile, SubsampledGaussianProfile
from neyman.engines.contour import ContourProfile
from neyman.engines.contour_walk import Parts, Walk
from neyman.engines.lattice import LatticeProfile
from neyman.engines.meeting import Meeting
from neyman.engines.profile import Profile
from neyman.losses.base import Step
from neyman.losses.gaussian import GaussianStep
from neyman.losses.sampling_transform import SamplingTransform
from neyman.losses.subsampled_gaussian import SubsampledGaussianStep

__all__ = ["profiles"]

_FEW = 4  # distinct steps up to which a lattice is held ready

Losses = tuple[tuple[Step, int], ...]


def profiles(losses: Losses, tolerance: float) -> tuple[Profile, Profile]:
    """Certified profiles of a composition in the directions "remove" and "add" (one object twice where they agree).

    ``tolerance`` is the relative width aimed for of the bracket of delta(eps) wherever delta >= 1e-30.
    """
    gaussians = [step.mu for step, _ in losses if isinstance(step, GaussianStep)]
    sampled = tuple((step, times) for step, times in losses if isinstance(step, SubsampledGaussianStep))
    if not sampled:
        same = GaussianProfile(gaussians[0]) if gaussians else PerfectProfile()
        return same, same
    if not gaussians and len(sampled) == 1 and sampled[0][1] == 1:
        step = sampled[0][0]
        return SubsampledGaussianProfile(step.sigma, step.rate, "remove"), SubsampledGaussianProfile(
            step.sigma, step.rate, "add"
        )
    steps = tuple((SamplingTransform(step.sigma, step.rate), times) for step, times in sampled)
    mu = gaussians[0] if gaussians else 0.0
    parts = Parts(steps, mu, "remove")
    contours = [ContourProfile(*pair) for pair in zip((parts, parts.reversed), Walk.pair(parts), strict=True)]
    meeting = Meeting(contours[0], contours[1])
    remove, add = (
        BackedProfile(
            contour,
            meeting,
            partial(LatticeProfile, losses, direction, tolerance) if len(losses) <= _FEW else None,
            tolerance,
        )
        for contour, direction in zip(contours, ("remove", "add"), strict=True)
    )
    return remove, add
