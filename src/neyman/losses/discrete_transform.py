"""The transform of a discrete law: a sum. It does not die along a line, but beside smooth steps it need not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.outcomes import Outcomes
from neyman.losses.transform import ComplexArray, Moments, Transform
from neyman.numerics.turned_sum import turned_sum

__all__ = ["DiscreteTransform"]

_UNIT = 2.0**-53
_VALLEY = 46.0  # e-folds by which a tilted law must have died where its list ends


@dataclass(frozen=True, eq=False)
class DiscreteTransform(Transform):
    """A(w) of a law that is never infinite."""

    table: Outcomes

    def largest(self, remove: bool) -> float:
        """The last outcome; inf where some were left out."""
        if self.table.dropped > 0.0:
            return math.inf
        last = float(self.table.loss[-1] if remove else -self.table.loss[0])
        return last + self.table.slack + self.table.stretch * abs(last)

    def moments(self, w: FloatArray) -> Moments:
        t = self.table
        log_weight = np.multiply.outer(w, t.loss) + t.log_q
        peak = log_weight.max(axis=1)
        weight = np.exp(log_weight - peak[:, None])
        total = weight.sum(axis=1)
        mean = weight @ t.loss / total
        variance = (weight * (t.loss - mean[:, None]) ** 2).sum(axis=1) / total
        cut = np.full(len(w), math.inf)
        if t.dropped > 0.0:
            cut[np.maximum(log_weight[:, 0], log_weight[:, -1]) > peak - _VALLEY] = math.nan
        return Moments(peak + np.log(total), mean, variance, cut)

    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        t = self.table
        log_weight = t.log_q + w * t.loss
        peak = float(log_weight.max())
        weight = np.exp(log_weight - peak)
        value = turned_sum(omega, t.loss, weight, one=True)
        total, spread = float(weight.sum()), float(weight @ np.abs(t.loss))
        units = _UNIT * (32.0 + len(weight) / 8.0 + abs(peak))
        moved = (t.slack * total + (t.stretch + units) * spread) * (omega + abs(w))
        error = moved + (t.relative + units + 4.0 * _UNIT * float(np.abs(log_weight).max())) * total
        modulus = np.maximum(np.abs(value), 1e-300)
        return np.asarray(np.log(value) + peak, complex), error / modulus

    def log_bound(self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float) -> FloatArray:
        return self.moments(w).log_a + 1e-12

    def log_lost(self, cut: FloatArray) -> FloatArray:
        """What the list leaves out, wherever it is cut."""
        return np.full(np.shape(cut), math.log(self.table.dropped) if self.table.dropped > 0.0 else -math.inf)

    def terms(self, w: float, omega: float) -> float:
        return float(len(self.table.loss))
