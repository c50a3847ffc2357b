"""By how much tilted densities grow beside the real axis, at most, without a look."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.strip import Strip

__all__ = ["CLEAR", "LINES", "growth_at_most", "step_at_least"]

LINES = np.geomspace(0.05, 8.0, 12)  # standard deviations: parallels on which a step is judged
CLEAR = 0.9  # of pi s^2, where r may vanish: how far a strip reaches


def growth_at_most(law: Strip, w: float, omega: float, y: FloatArray) -> FloatArray:
    """Return the log of a bound on int |F| e^{omega arg r} along Im x = ``y`` over A(w): there |r| lies between
    cos(y / (2 s^2)) and 1 times its real value, and |arg r| <= y / s^2.
    """
    s2 = law.sigma**2
    grown = y**2 * law.bend + omega * y / s2
    return grown if w >= 0.0 else grown + w * np.log(np.cos(y / (2.0 * s2)))


def step_at_least(law: Strip, w: float, omega: float, margin: float) -> float:
    """Return a step of a grid on the real axis whose alias lies ``margin`` e-folds below A(w): what the furthest of the
    parallels allows, in floats.
    """
    s2 = law.sigma**2
    y = min(float(LINES[-1]) * law.sigma, CLEAR * math.pi * s2)
    grown = law.bend * y * y + omega * y / s2 + min(w, 0.0) * math.log(math.cos(0.5 * y / s2))
    return 2.0 * math.pi * y / (grown + margin)
