"""Which steps are so rare that bent contours serve them: asked of every composition, before any is laid."""

from __future__ import annotations

import math
from typing import NamedTuple

from neyman.losses.base import Step
from neyman.losses.gaussian.sampled import SubsampledGaussianStep

__all__ = ["Seldom", "seldom"]

# noise, rates, expected participations and e^{1.5 / sigma^2} / sqrt(T), about the skewness of the loss, that are served
_NOISE, _RATE, _OFTEN, _SKEWED = (0.05, 3.0), 2e-6, 40.0, 5e-4
_LITTLE, _SELDOM = 0.855, 3e-8  # noise beyond which lines are quicker, but for rates below that
_PLAIN, _FEW = 1.3, 10  # noise beyond which they are at any rate, of more steps than so few
_BEHIND = 0.5  # rates up to which these contours may be asked after lines
# (noise from and to), rates up to which and number of steps beyond which lattices are not fine enough, or long
_DEAR = (((0.12, 0.3), 1e-4), 2), (((0.08, 0.1), 0.02), 300)


class Seldom(NamedTuple):
    """Equal sampled Gaussian steps for which bent contours may be laid, and whether these come before lines."""

    step: SubsampledGaussianStep
    times: int
    first: bool


def seldom(losses: tuple[tuple[Step, int], ...]) -> Seldom | None:
    """Such steps, and nothing else; else None."""
    (step, times), *others = losses
    if others or not isinstance(step, SubsampledGaussianStep):
        return None
    first = _first(step, times)
    return Seldom(step, times, first) if first or _behind(step, times) else None


def _first(step: SubsampledGaussianStep, times: int) -> bool:
    """Whether so few steps count that bent contours are what serves: their sum is skewed, and most often nothing."""
    if not _NOISE[0] <= step.sigma <= _NOISE[1] or times * step.rate > _OFTEN:
        return False
    if any(low <= step.sigma <= high and step.rate <= rate and times > few for ((low, high), rate), few in _DEAR):
        return True
    if step.rate > (_RATE if step.sigma <= _LITTLE else _SELDOM):
        return False
    if step.sigma > _PLAIN and times > _FEW:
        return False
    return 1.5 / step.sigma**2 > math.log(_SKEWED) + 0.5 * math.log(times)


def _behind(step: SubsampledGaussianStep, times: int) -> bool:
    """Whether they may know what lines do not."""
    return _NOISE[0] <= step.sigma <= _NOISE[1] and step.rate <= _BEHIND and times * step.rate <= _OFTEN
