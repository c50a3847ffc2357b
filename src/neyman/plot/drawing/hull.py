"""Both certified ends of a symmetric trade-off curve at many alphas, from the profile at many eps at once.

``beta`` looks for the tangent of each alpha, which takes seconds where delta comes from Renyi divergences; delta itself
comes cheap in bulk. Each eps = log x gives lines under f, of slope -x and (f is its own inverse) -1/x, and the best of
them is a lower bound on f. Above: gap(x) = 1 - delta is concave, so that the secants through two neighbours bound it
beyond them, and f(alpha) = max over x >= 1 of gap - x alpha and of (gap - alpha) / x is attained at a corner of those
bounds. Both ends are certified; what lies between them falls with the square of the step, below what a picture shows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees import PessimisticGuarantee
from neyman.guarantees.questions.curve.tradeoff import line

__all__ = ["Hull", "UpperHull"]

_STEP = 0.02  # in eps: lines then lose 1e-4 of what they bound, or less
_FEWEST, _MOST = 600, 4000  # lines at least and at most, up to the end
_ROOM = 1e-9  # of an upper bound: rounding of the corners is far less
_ROUNDING = 1e-12  # certifies, relative: of a load, whose exponent is a sum, and of a corner
_SCALES = np.geomspace(1e-9, 600.0, 240)  # eps at which the end is looked for
_FARTHER = 40  # more lines, up to the last of the scales, for alphas next to 0
_PART = 64  # alphas at a time


class Hull:
    """Lower bounds on f, upper bounds on 1 - f; ``optimistic`` has the other ends.

    Parameters
    ----------
    guarantee : PessimisticGuarantee
        A symmetric one: what it says holds for both orders of a pair.
    nearest : float
        In (0, 1): from this alpha on the bounds are sharp.
    """

    def __init__(self, guarantee: PessimisticGuarantee, nearest: float) -> None:
        profile = guarantee.sides.forward
        delta = profile.bracket(_SCALES).upper
        with np.errstate(divide="ignore"):
            beyond = np.flatnonzero(np.log(delta) - _SCALES <= np.log(0.1 * nearest))
        end = float(_SCALES[beyond[0]]) if beyond.size else float(_SCALES[-1])
        near = np.linspace(0.0, end, int(np.clip(end / _STEP, _FEWEST, _MOST)) + 1)
        far = np.geomspace(end, max(_SCALES[-1], 2.0 * end), _FARTHER + 1)[1:]
        self.epsilon = np.append(near, far)
        self.found = profile.bracket(self.epsilon)
        self.optimistic = UpperHull(self)

    def beta(self, alpha: FloatArray) -> FloatArray:
        """Certified lower bounds on f."""
        return _parted(self._beta, alpha)

    def roc(self, fpr: FloatArray) -> FloatArray:
        """Certified upper bounds on 1 - f, small ones from their own small terms."""
        return _parted(self._roc, fpr)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        e, gap = self.epsilon[:, None], self.found.log_gap_lower[:, None]
        steep, flat = line(gap, e, alpha), line(gap - e, -e, alpha)
        return np.maximum(np.max(np.maximum(steep, flat), axis=0), 0.0)

    def _roc(self, fpr: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", under="ignore", over="ignore"):
            load = np.exp(self.epsilon[:, None] + np.log(fpr)) * (1.0 + _ROUNDING)
        power = np.min(self.found.upper[:, None] + load, axis=0) * (1.0 + _ROUNDING)
        return np.minimum(np.minimum(power, np.nextafter(1.0 - self._beta(fpr), np.inf)), 1.0)


class UpperHull:
    """Upper bounds on f, lower bounds on 1 - f."""

    def __init__(self, hull: Hull) -> None:
        x, found = np.exp(hull.epsilon), hull.found
        gap = np.exp(found.log_gap_lower), np.exp(found.log_gap_upper)
        # the neighbour below x = 1 is the mirror of the one above: gap(1 / x) = gap(x) / x
        before = gap[0][1] / x[1], gap[1][1] / x[1]
        y = np.append(1.0 / x[1], x)
        low, high = (np.append(first, rest) for first, rest in zip(before, gap, strict=True))
        self.x, self.gap = _corners(y, low, high)
        self.delta = -_corners(y, -np.append(1.0 - before[0], found.upper), -np.append(1.0 - before[1], found.lower))[1]
        self.delta = np.maximum(self.delta, 0.0)
        self.steepest = (high[-1] - low[-2]) / (y[-1] - y[-2]) * (1.0 + _ROOM)
        self.falling = (found.upper[-2] - found.lower[-1]) / (y[-1] - y[-2]) * (1.0 + _ROOM)
        self.last = float(x[-1])

    def beta(self, alpha: FloatArray) -> FloatArray:
        """Certified upper bounds on f."""
        return _parted(self._beta, alpha)

    def roc(self, fpr: FloatArray) -> FloatArray:
        """Certified lower bounds on 1 - f."""
        return _parted(self._roc, fpr)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        steep = np.max(self.gap[:, None] - self.x[:, None] * alpha, axis=0)
        beyond = np.where(alpha < self.steepest, 1.0 - self.last * alpha, 0.0)  # farther out than any corner
        bound = np.maximum(np.maximum(steep, beyond), self._flat(alpha)) + _ROOM * (1.0 - alpha)
        return np.clip(bound, 0.0, 1.0 - alpha)

    def _flat(self, alpha: FloatArray) -> FloatArray:
        """The largest (gap - alpha) / x."""
        within = np.max((self.gap[:, None] - alpha) / self.x[:, None], axis=0)
        return np.maximum(within, np.minimum(self.steepest, (1.0 - alpha) / self.last))

    def _roc(self, fpr: FloatArray) -> FloatArray:
        steep = np.min(self.delta[:, None] + self.x[:, None] * fpr, axis=0)
        beyond = np.where(fpr < self.falling, self.last * fpr, np.inf)
        bound = np.minimum(np.minimum(steep, beyond) * (1.0 - _ROOM), 1.0 - self._flat(fpr) - _ROOM * (1.0 - fpr))
        return np.clip(bound, fpr, 1.0)


def _corners(x: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The corners, from the second ``x`` on, of what secants leave above a concave function in [``low``, ``high``].

    They are both ends of each stretch, and where the secant of the stretch before meets the one of the stretch behind.
    """
    start, wide, at_start, at_end = x[1:-1], np.diff(x)[1:], high[1:-1], high[2:]
    before = (high[1:-1] - low[:-2]) / np.diff(x)[:-1]
    behind = (low[3:] - high[2:-1]) / np.diff(x)[2:]
    bend = before[:-1] - behind
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = (at_end[:-1] - at_start[:-1] - behind * wide[:-1]) / bend
    inside = (bend > 0.0) & (meet >= 0.0) & (meet <= wide[:-1])
    step = np.append(np.where(inside, meet, 0.0), wide[-1])  # nothing is known behind the last stretch
    room = _ROUNDING * np.maximum(np.abs(high[1:-1]), np.abs(low[1:-1]))
    return np.concatenate([x[1:], start + step]), np.concatenate([high[1:], at_start + before * step + room])


def _parted(function: Callable[[FloatArray], FloatArray], alpha: FloatArray) -> FloatArray:
    """A few alphas at a time: with all lines at once they would fill the memory."""
    parts = [function(alpha[i : i + _PART]) for i in range(0, alpha.size, _PART)]
    return np.concatenate(parts) if parts else alpha.copy()
