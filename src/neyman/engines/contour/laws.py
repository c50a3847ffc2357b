"""The transforms of steps: the characteristic functions of their losses, weighed."""

from __future__ import annotations

import math

import numpy as np

from neyman.losses.base import Step
from neyman.losses.readings.transform import Transform

__all__ = ["stubborn", "transform"]

_FALLEN = 8.0  # e-folds that a transform must fall at last for a contour to be sharp
_FAR = 1e9  # deviations of a frequency, where it has long done so or never does


def transform(step: Step) -> Transform | None:
    """Return the transform of ``step``, given that it reveals nothing; None where a contour has no use for it.

    Raises
    ------
    NotCertified
        If the law it is the transform of does not weigh 1.
    """
    law = step.transform()
    return None if law is None else law.weighed()


def stubborn(steps: tuple[tuple[Transform, int], ...]) -> bool:
    """Whether the transform of the composition is never small along the line Re z = 1, however far."""
    w, fall = np.array([2.0]), 0.0
    looks = [law.moments(w) for law, _ in steps]
    narrow = min(1.0, *(math.sqrt(float(look.variance[0])) for look in looks))
    far = np.array([_FAR / narrow])
    for (law, times), look in zip(steps, looks, strict=True):
        fall += times * float((law.log_estimate(w, far, np.ones(1), math.inf)[0] - look.log_a)[0])
        if fall < -_FALLEN:
            return False
    return True
