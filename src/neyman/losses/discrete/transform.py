"""The transform of a discrete law: a sum. It does not die along a line, but beside smooth steps it need not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.outcomes import Outcomes
from neyman.losses.readings.transform import ComplexArray, Moments, Transform, logged
from neyman.numerics.rounding import ROOM, UNIT
from neyman.numerics.sums.fourier_sum import turned_sum

__all__ = ["DiscreteTransform"]

_NOTHING, _LITTLE = 1e-19, 1e-3  # shares of a law that need not be turned, where it is summed and where it is looked at
_EVENLY = 8.0  # places evenly apart, as looks are, that are turned for the price of one
_ENTRIES = 1 << 21  # of a table that is worked on at a time
_VALLEY = 46.0  # e-folds by which a tilted law must have died where its list ends
_DEPTHS = (20.0, 14.0, 9.0, 5.0, 2.0)  # of a valley that it is cut at the end of where it has not: the first there is
_UNITS = 32.0  # certifies: of a weight, its turn and a sum in pairs; what grows with the list and its logs is added
_REST = 1.01  # certifies: times the weights that are not turned, each known to far less than a hundredth


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
        rows = max(1, _ENTRIES // len(self.table.loss))
        parts = [self._moments(w[i : i + rows]) for i in range(0, max(len(w), 1), rows)]
        return Moments(*(np.concatenate(x) for x in zip(*parts, strict=True)))

    def _moments(self, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        t = self.table
        log_weight = np.multiply.outer(w, t.loss) + t.log_q
        cut = self._cut_off(log_weight) if t.dropped > 0.0 else np.full(len(w), math.inf)
        peak = log_weight.max(axis=1)
        weight = np.exp(log_weight - peak[:, None])
        total = weight.sum(axis=1)
        mean = weight @ t.loss / total
        variance = (weight * (t.loss - mean[:, None]) ** 2).sum(axis=1) / total
        return peak + np.log(total), mean, variance, cut

    def _cut_off(self, log_weight: FloatArray) -> FloatArray:
        """The loss from which each tilted law is left out where its list ends in a rise: the end of the last valley
        before, the deepest there is. What is left out is set to nothing; nan where there is none, or where the list
        begins in a fall.
        """
        cut = np.full(len(log_weight), math.inf)
        for i in np.flatnonzero(log_weight[:, -1] > log_weight.max(axis=1) - _VALLEY):
            row = log_weight[i]
            below = np.maximum.accumulate(row) - row
            depth = next((depth for depth in _DEPTHS if below.max() >= depth), math.inf)
            last = int(np.flatnonzero(below >= depth)[-1]) if depth < math.inf else 0
            cut[i] = self.table.loss[last] if last else math.nan
            row[max(last, 1) :] = -math.inf
        cut[log_weight[:, 0] > log_weight.max(axis=1) - _VALLEY] = math.nan
        return cut

    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        sum_, peak, error, _ = self._turned(w, omega, cut, _NOTHING)
        return logged(sum_, error, peak)

    def looked(self, w: float, omega: FloatArray, cut: float) -> FloatArray:
        """By the outcomes that weigh most: the others are a thousandth, however they are turned."""
        sum_, _, error, total = self._turned(w, omega, cut, _LITTLE)
        return (np.abs(sum_) + error) / total * (1.0 + 8.0 * UNIT)

    def _turned(
        self, w: float, omega: FloatArray, cut: float, least: float
    ) -> tuple[ComplexArray, float, FloatArray, float]:
        """A(w + i omega) e^-peak of the law cut there, the peak, a bound on the error, and A(w) e^-peak; without the
        outcomes on either side that together weigh at most ``least`` of the whole, which are counted as error.
        """
        t = self.table
        kept = slice(0, self._count(cut))
        loss = t.loss[kept]
        log_weight = t.log_q[kept] + w * loss
        peak = float(log_weight.max())
        weight = np.exp(log_weight - peak)
        total, spread = float(weight.sum()), float(weight @ np.abs(loss))
        heavy = _heavy(weight, 0.5 * least * total)
        rest = float(weight[: heavy.start].sum() + weight[heavy.stop :].sum())
        value = turned_sum(omega, loss[heavy], weight[heavy], one=True)
        units = UNIT * (_UNITS + (heavy.stop - heavy.start) / 8.0 + abs(peak))
        off = t.off(float(t.log_q[kept][heavy].min()))
        moved = (t.slack * total + (t.stretch + units) * spread) * (omega + abs(w))
        error = moved + (off + units + 4.0 * UNIT * float(np.abs(log_weight[heavy]).max())) * total
        return value, peak, error + _REST * rest, total

    def _count(self, cut: float) -> int:
        """The outcomes before a cut."""
        return max(int(np.searchsorted(self.table.loss, cut)), 1)

    def log_bound(self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float) -> FloatArray:
        return self.moments(w).log_a + ROOM

    def log_lost(self, cut: FloatArray) -> FloatArray:
        """What the list leaves out, and what lies beyond a cut, under whichever law has more there."""
        t = self.table
        dropped = math.log(t.dropped) if t.dropped > 0.0 else -math.inf
        out = np.full(np.shape(cut), dropped)
        at = np.searchsorted(t.loss, cut)  # nan sorts last, as inf does
        for i in np.ndindex(np.shape(cut)):
            if at[i] < len(t.loss):
                out[i] = np.logaddexp(self._log_beyond[at[i]], dropped)
        return out

    @cached_property
    def _log_beyond(self) -> FloatArray:
        """log of the mass from each outcome on, from above."""
        t = self.table
        log_most = t.log_q + np.maximum(t.loss, 0.0)
        log_sum = np.logaddexp.accumulate(log_most[::-1])[::-1]
        far = float(np.abs(t.loss[[0, -1]]).max())
        off = (
            t.relative
            + t.slack
            + t.stretch * far
            + 4.0 * UNIT * (16.0 + len(t.loss)) * float(np.abs(log_sum).max() + 1.0)
        )
        return log_sum + off

    def terms(self, w: float, omega: float) -> float:
        return self._count_heavy(w, _NOTHING)

    def looked_terms(self, w: float, omega: float) -> float:
        return self._count_heavy(w, _LITTLE) / _EVENLY

    def _count_heavy(self, w: float, least: float) -> float:
        log_weight = self.table.log_q + w * self.table.loss
        weight = np.exp(log_weight - float(log_weight.max()))
        heavy = _heavy(weight, 0.5 * least * float(weight.sum()))
        return float(heavy.stop - heavy.start)


def _heavy(weight: FloatArray, least: float) -> slice:
    """All but what comes before and after and weighs no more than ``least`` on either side."""
    first = int(np.searchsorted(np.cumsum(weight), least, side="right"))
    last = int(np.searchsorted(np.cumsum(weight[::-1]), least, side="right"))
    return slice(first, len(weight) - last)
