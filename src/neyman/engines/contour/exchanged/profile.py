"""Few sampled Gaussian steps of which a record is exchanged, by bent contours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import WALKED
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.exchanged.split import PartedArc, log_chernoff
from neyman.engines.contour.exchanged.steps import APART, FURTHER, STEEPEST, ExchangedSteps
from neyman.engines.contour.exchanged.thresholds import Cuts
from neyman.engines.contour.hyperbola.arc import Arc
from neyman.engines.contour.on_demand import ByArcs
from neyman.engines.contour.straight.coverage import curvature
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.numerics.rounding import ROOM, SMALLEST, UNIT
from neyman.profiles.effort import Effort
from neyman.profiles.profile import Bracket

__all__ = ["ExchangedArcs"]

_RUNGS = np.geomspace(1e-3, 1e17, 400)  # c of the ladder that plans: beyond it c + 1 is c to a float
_STEEP = 1e4  # K beyond which no contour begins
_DEARER = 5.0  # e-folds that this may cost
_MANY = 300  # steps up to which deep deltas are parted
_SHALLOW = -12.0  # log of a bound on delta above which the whole law is tried first
_LOST = 9.0  # e-folds that may cancel along an arc of the whole law
_STRETCH = 30.0  # how far below its own eps an arc is laid out to serve
_UNSEEN = 2e-172  # certifies: 2 N(-28) = 1.62e-172, what a step's grid of 28 sigma + 2 leaves out under either law
_ASKED = 1e-33  # least delta for which one is laid


class ExchangedArcs(ByArcs[Arc | PartedArc]):
    """``steps`` of which a record is exchanged, and an unsampled Gaussian of ``mu`` besides; the same in both
    directions.

    Examples
    --------
    >>> p = ExchangedArcs([(ReplacedGaussianStep(1.0, 1e-4), 2)], 0.0, 3.0)
    >>> b = p.bracket(np.zeros(1))
    >>> bool(b.upper[0] - b.lower[0] < 1e-9 * b.upper[0])
    True
    """

    sharp, beside = 3e-7, (0.8, 1.25)

    def __init__(
        self, steps: Sequence[tuple[ReplacedGaussianStep, int]], mu: float, tail_mu: float, effort: Effort | None = None
    ) -> None:
        super().__init__(tail_mu, effort)
        self._steps: ExchangedSteps | None = None
        self._cuts: Cuts | None = None
        self._log_beyond = 0.0  # log of a bound on delta from ``_deep`` on
        self._unseen = _UNSEEN * sum(times for _, times in steps)
        with suppress(ArithmeticError):
            self._steps = ExchangedSteps.along(steps, mu)
            if len(steps) == 1 and mu == 0.0 and steps[0][1] <= _MANY:
                self._cuts = Cuts(self._steps, steps[0][0])

    def bracket(self, epsilon: FloatArray) -> Bracket:
        found = self._found(epsilon).bracket().within(self._chernoff(epsilon))
        # laws end with their grids: what lies beyond, where a record may be seen at last, counts as revealed
        with np.errstate(over="ignore"):
            share = self._unseen * np.exp(-found.log_gap_lower) * (1.0 + 4.0 * UNIT)
        gap = np.where(share < 0.5, found.log_gap_lower * (1.0 + 4.0 * UNIT) - 2.0 * share, -math.inf)
        upper = np.minimum((found.upper + self._unseen) * (1.0 + 2.0 * UNIT), 1.0)
        return Bracket(found.lower, upper, gap, found.log_gap_upper)

    @cached_property
    def _ladder(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """c > 0, K(c) and log(e^K - 1), as far as they are within reach."""
        if self._steps is None:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        k, error = self._steps.log_values(_RUNGS + 1.0 + 0j, rotated=False)
        out = np.flatnonzero(~((error < WALKED * (1.0 + k.real)) & (k.real < _STEEP) & (k.real > 0.0)))
        stop = int(out[0]) if len(out) else len(_RUNGS)
        k = k.real[:stop]
        return _RUNGS[:stop], k, np.where(k < 1.0, np.log(np.expm1(np.minimum(k, 1.0))), k)

    @cached_property
    def _starts(self) -> int:
        """Of how many c a contour may start: where all paths are one."""
        c, k, _ = self._ladder
        if self._steps is None:
            return 0
        # a scale is at most c, as 1/scale^2 is more than c^-2
        apart = self._steps.log_caps((1.0 + FURTHER) * c) > APART + np.log(np.minimum(k, 1.0))
        return int(np.argmax(apart)) if apart.any() else len(c)

    def _chernoff(self, epsilon: FloatArray) -> Bracket:
        """What the ladder alone proves."""
        log_upper = log_chernoff(*self._ladder[:2], epsilon)
        log_upper = np.where(epsilon >= self._deep, np.minimum(log_upper, self._log_beyond + ROOM), log_upper)
        with np.errstate(under="ignore", divide="ignore"):
            upper = np.exp(log_upper) * (1.0 + ROOM) + SMALLEST
            gap = np.log1p(-np.minimum(upper, 1.0)) * (1.0 + 4.0 * UNIT) - SMALLEST
        zero = np.zeros(len(epsilon))
        return Bracket(zero, np.minimum(upper, 1.0), gap, zero.copy())

    def _found(self, epsilon: FloatArray) -> Estimates:
        found = Estimates.empty(len(epsilon))
        if self._steps is None or not len(self._ladder[0]):
            return found
        return self._served(found, np.flatnonzero(self._chernoff(epsilon).upper >= _ASKED), epsilon)

    def _lay(self, epsilon: float) -> Iterator[Arc | PartedArc]:
        """Arcs for that eps, the more promising first: of the whole law, or of a part of it."""
        c, _, grown = (each[: self._starts] for each in self._ladder)
        height = float(np.min(grown - c * epsilon - np.log1p(c), initial=math.inf))
        cuts = None if not epsilon > 0.0 else self._cuts
        plainly = cuts is None or height > _SHALLOW or height < cuts.log_least(epsilon) + _LOST
        for parted in (False, True) if plainly else (True, False):
            if not parted:
                arc = self._lay_plain(epsilon)
            elif cuts is not None:
                cut = cuts.at(epsilon)
                if cut.log_most < math.log(_ASKED):
                    if epsilon < self._deep:
                        self._deep, self._log_beyond = epsilon, cut.log_most
                    return
                arc = cut.arc(epsilon, self._effort)
            else:
                arc = None
            if arc is not None:
                yield arc

    def _lay_plain(self, epsilon: float) -> Arc | None:
        c, k, grown = (each[: self._starts] for each in self._ladder)
        if not len(c):
            return None
        height = grown - c * epsilon - np.log(c * (c + 1.0))
        flat = np.flatnonzero(height <= height.min() + 1.0)
        places = [int(flat[(len(flat) - 1) * part // 4]) for part in (4, 3, 2, 0)]
        # e^K itself dies where e^K - 1 does not, which matters where e^{-z eps} does not
        whole = np.flatnonzero((k >= 1.0) & (k < 4.0) & (height <= height.min() + _DEARER))[:1]
        for best in dict.fromkeys([*whole.tolist(), *places]):
            place = float(c[best])
            bend = max(curvature(c, height, best), curvature(c, k, best) * (grown[best] >= 0.0))
            if not bend * place**2 < STEEPEST:
                continue
            span = epsilon / _STRETCH, max(3.0 * epsilon, 0.05 / place)
            with suppress(ArithmeticError):
                if self._steps is not None:
                    arc = Arc.lay(self._steps, place, bend + place**-2 + (place + 1.0) ** -2, span, self._effort)
                    if arc is not None:
                        return arc
        return None
