"""The transforms of steps: the characteristic functions of their losses, weighed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neyman.losses.base import Step
from neyman.losses.gaussian.many.bounds import log_unturned
from neyman.losses.gaussian.many.lines import weigh
from neyman.losses.gaussian.many.moments import moments_of
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.readings.transform import Transform

__all__ = ["stubborn", "transform", "transforms"]

_FALLEN = 8.0  # e-folds that a transform must fall at last for a contour to be sharp
_EASILY = 4.0  # times that: as much as is believed without a look
_FAR = 1e9  # deviations of a frequency, where it has long done so or never does


def transform(step: Step) -> Transform | None:
    """Return the transform of ``step``, given that it reveals nothing; None where a contour has no use for it.

    Raises
    ------
    NotCertified
        If the law it is the transform of does not weigh 1.
    """
    return transforms([step])[0]


def transforms(steps: Sequence[Step]) -> list[Transform | None]:
    """The same of each step."""
    laws = [step.transform() for step in steps]
    weigh([law for law in laws if law is not None])
    return laws


def stubborn(steps: tuple[tuple[Transform, int], ...]) -> bool:
    """Whether the transform of the composition is never small along the line Re z = 1, however far."""
    plain = ((law, times) for law, times in steps if type(law) is SamplingTransform)
    if any(-times * log_unturned(law, 0.0, _FAR) > _EASILY * _FALLEN for law, times in plain):
        return False
    w, fall = np.array([2.0]), 0.0
    looks = moments_of([law for law, _ in steps], w)
    narrow = min(1.0, math.sqrt(float(np.fmin.reduce(looks.variance[:, 0]))))
    far = np.array([_FAR / narrow])
    for (law, times), log_a in zip(steps, looks.log_a[:, 0].tolist(), strict=True):
        fall += times * (float(law.log_estimate(w, far, np.ones(1), math.inf)[0][0]) - log_a)
        if fall < -_FALLEN:
            return False
    return True
