"""What next to nothing says of a delta far out: Chernoff's bound, for a table of c.

(1 - e^{-x})_+ is at most g e^{c x} for every x, with log g = c log c - (c + 1) log(1 + c), its largest ratio. So with
K(c) = log E_P e^{cL} of one step, delta(eps) <= g e^{T K(c) - c eps} of T steps. Where losses are rarer than any
exponential brings back, those above some y are taken for a revelation: delta is at most T P(L > y) more than the same
of the others.

As log g + T K(c) is convex, the c that says most of an eps lies between the neighbours in the table whose chord has
slope eps. Any c holds: where rounding leaves the table not quite convex, no bound is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.outcomes import Outcomes
from neyman.numerics.rounding import AMPLE, ROOM, SMALLEST, UNIT

__all__ = ["Chernoff"]

_TILTS, _FLATTEST, _STEEPEST = 160, 0.1, 600.0  # how many; the first, over deviations, and the last, over the largest


class Chernoff:
    """An upper bound on delta of ``times`` steps in one direction: the least of those with the outcomes of the largest
    losses, so ``many`` of them, taken for a revelation.

    Examples
    --------
    >>> from neyman.losses.readings.outcomes import k_ary
    >>> bound = Chernoff(k_ary(0.1, 2, 0.0), 100, remove=True)
    >>> bound(np.array([0.0, 4.0, 9.99])).round(26)
    array([5.58521722e-01, 1.47340007e-04, 0.00000000e+00])
    """

    def __init__(self, table: Outcomes, times: int, remove: bool, many: Sequence[int] = (0,)) -> None:
        loss, log_p = (table.loss, table.log_p) if remove else (-table.loss[::-1], table.log_q[::-1])
        spread = np.sqrt(times * float(np.exp(log_p) @ loss**2))
        self._bounds = []
        for count in many:
            kept = slice(0, len(loss) - count)
            rest = 2.0 * times * (table.dropped + float(np.sum(np.exp(log_p[len(loss) - count :]))))
            c, logs = _logs(table, loss[kept], log_p[kept], times, spread)
            self._bounds.append((c, logs, np.maximum.accumulate(np.diff(logs) / np.diff(c)), rest))

    def __call__(self, epsilon: FloatArray) -> FloatArray:
        """The bound at each ``epsilon`` (1-d, finite, >= 0)."""
        out = np.ones(len(epsilon))
        for c, logs, chords, rest in self._bounds:
            own, log = np.searchsorted(chords, epsilon), np.zeros(len(epsilon))
            for at in (np.maximum(own - 1, 0), own, np.minimum(own + 1, len(c) - 1)):
                np.minimum(log, logs[at] - epsilon * c[at] * (1.0 - 4.0 * UNIT), out=log)
            with np.errstate(under="ignore"):
                np.minimum(out, np.exp(log) * (1.0 + AMPLE) + (rest + SMALLEST), out=out)
        return out


def _logs(
    table: Outcomes, loss: FloatArray, log_p: FloatArray, times: int, spread: float
) -> tuple[FloatArray, FloatArray]:
    """A table of c, and log g + T K(c) from above."""
    first = _FLATTEST / spread
    c = np.geomspace(first, max(_STEEPEST / float(np.max(np.abs(loss))), 2.0 * first), _TILTS)
    power = np.multiply.outer(c, loss) + log_p
    peak = power.max(axis=1)
    weight = np.exp(power - peak[:, None])
    total = weight.sum(axis=1)
    off = c * (weight @ (table.slack + table.stretch * np.abs(loss)) / total) + table.relative
    off += 4.0 * UNIT * ((weight * np.abs(power)).sum(axis=1) / total + 2.0 * np.abs(peak) + 8.0 + len(loss))
    logs = times * (peak + np.log(total) + 2.0 * off) + c * np.log(c) - (c + 1.0) * np.log1p(c)
    return c, logs + ROOM * (1.0 + c)
