"""Joint laws whose transform is known, as that of random allocation is: contours before the laws that enclose them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from neyman.engines.combine.before import before
from neyman.engines.combine.fallback import FallbackProfile
from neyman.engines.combine.outward import outward_profiles
from neyman.engines.combine.total_variation import TotalVariation
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.laws import transform
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.rules.composition import Losses
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import EnclosedStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.numerics.sums.norm import together
from neyman.profiles.effort import Effort
from neyman.profiles.pair import Pair

__all__ = ["epochs"]

_SHARE = 0.3, 1.0  # of all effort that one contour, and all of them, are worth


def epochs(losses: Losses, tolerance: float, effort: Effort, behind: Callable[[], Pair]) -> Pair | None:
    """Profiles of a composition with enclosed steps, all of which have a transform; ``behind`` where contours are not
    sharp. None where one has none, or there is one step and nothing to compose.
    """
    if sum(times for _, times in losses) < 2 or any(isinstance(step, DiscreteStep) for step, _ in losses):
        return None
    below, above = (tuple((step.ends[side], times) for step, times in losses) for side in (0, 1))
    parts = [_parts(side) for side in ((above,) if below == above else (below, above))]
    if any(one is None for one in parts):
        return None
    tail_mu = together((step.tail_mu, times) for step, times in losses)
    made = [_along(one, tail_mu, tolerance, effort) for one in parts if one is not None]
    pairs = [pair for pair in made if pair is not None]
    if len(pairs) < len(made):
        return None
    found = pairs[0] if len(pairs) == 1 else outward_profiles(pairs[0], pairs[1])
    return before(found, cache(behind), tolerance)


def _parts(losses: Losses) -> Parts | None:
    """The transforms of all steps; None where one has none."""
    if any(type(step).transform is EnclosedStep.transform for step, _ in losses if isinstance(step, EnclosedStep)):
        return None
    mu = next((step.mu for step, _ in losses if isinstance(step, GaussianStep)), 0.0)
    laws = [(transform(step), times) for step, times in losses if not isinstance(step, GaussianStep)]
    steps = tuple((law, times) for law, times in laws if law is not None)
    return Parts(steps, mu, "remove") if len(steps) == len(laws) else None


def _along(parts: Parts, tail_mu: float, tolerance: float, effort: Effort) -> Pair | None:
    """Contours in both directions; None where some moments are out of reach that these need."""
    each, walks = effort.part(*_SHARE), Walk.pair(parts)
    if not all(walk.useful().any() for walk in walks):
        return None
    sides = zip((parts, parts.reversed), walks, strict=True)
    remove, add = (ContourProfile(law, walk, tail_mu, each) for law, walk in sides)
    meeting = TotalVariation(remove, add)
    return Pair(*(FallbackProfile(one, meeting, None, tolerance, effort=effort) for one in (remove, add)))
