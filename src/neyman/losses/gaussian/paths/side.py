"""One sampled Gaussian step along a rotated ray or a parallel to it, as its moduli are bounded (``rotated.py``)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.paths.sums import steepness
from neyman.losses.gaussian.transform import ComplexArray
from neyman.numerics.rounding import AMPLE, UNIT

__all__ = ["Side"]


@dataclass(frozen=True)
class Side:
    """The ray (``shift`` 0) or a parallel: losses, bounds on the log of the weights, and on what lies beyond."""

    loss: ComplexArray
    log_modulus: FloatArray  # with all that rounding and, of a parallel, a cell may hide but for e^{wS}
    units: FloatArray  # rounding error of each, in units of 2^-53
    log_before: float  # log of all before the first
    log_beyond: float  # log of all beyond the last, times e^{pull |S' - S|}

    def log_ends(self, w: ComplexArray, turn: tuple[float, float], pull: float) -> FloatArray:
        """log of a bound on all of |f e^{wS}| beyond both ends, convex in w; inf where w tilts more than ``pull``."""
        steepest = steepness(w, *turn)
        before = self.log_before + np.maximum(steepest, 0.0) * abs(self.loss[0])
        last = self.log_beyond + (w * self.loss[-1]).real + 8.0 * UNIT * np.abs(w * self.loss[-1])
        return np.logaddexp(before, np.where(steepest <= pull, last, math.inf)) + AMPLE
