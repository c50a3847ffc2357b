"""Contour inversion: the certified profile of a composition from a handful of contours."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.contour.cumulant import WALKED, Walk
from neyman.engines.contour.estimate import SHARP, Estimates, Reading
from neyman.engines.contour.hyperbolas import Bends
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.saddles import expected_fall, expected_scores
from neyman.engines.contour.splits import Partings
from neyman.engines.contour.straight.line import ROUNDED
from neyman.engines.contour.straight.lines import StraightLines
from neyman.engines.contour.straight.stacked import StackedLines
from neyman.numerics.functions.few import every, largest
from neyman.numerics.rounding import SLIGHT, UNIT
from neyman.profiles.effort import Effort, allowance, cut_short
from neyman.profiles.profile import Bracket, Fall, Profile

if TYPE_CHECKING:
    from neyman.profiles.certificate import Certificate

__all__ = ["ContourProfile"]

_ENOUGH, _STEERED = 3e-7, 1e-4  # relative error above which dearer contours are worth trying; of what only steers
_VAGUE = 0.03  # relative error above which the slope that was integrated beside it is not believed
_DEEP = -115.0  # log of a delta (1e-50) below which an answer is welcome but no effort is made
_ASKED = -69.1  # log of the least delta that is held to the tolerance
_NEARLY = -7.0  # log of a 1 - delta that is worth a long line, which alone knows it
_CERTAIN, _INVISIBLE = -40.0, -745.0  # log of one that is no float beside 1, and of one that is none at all
_FIXED = 5.0  # eps up to which the fixed point of a curve is sought, and 1 - delta asked for even then
_TINY = 16.0 * UNIT  # relative, of an exponential and a few products
_CHERNOFF = 1e-6  # certifies: more than the log of that bound errs by
_LEAST = 1e-322  # certifies: more than an exponential of it loses where it underflows
_BRIEF, _LONG = 2500, 9000  # nodes of a parted law's line: at first, and where nothing else is sharp


class ContourProfile(Profile):
    """Profile of a composition in one direction, for eps >= 0: sharp where enough of its steps are smooth."""

    @property
    def method(self) -> str:
        return "transform"

    def __init__(
        self, parts: Parts, walk: Walk | None = None, tail_mu: float = math.inf, effort: Effort | None = None
    ) -> None:
        self._parts = parts
        effort = Effort() if effort is None else effort
        self._tail_mu = tail_mu
        self._walk = Walk.along(parts) if walk is None else walk
        self._bends = Bends(parts, self._walk, effort)
        self._partings = Partings(parts, self._walk, effort)
        self._lines = StraightLines(parts, self._walk, lambda terms: self._bends.rotations_within(terms), effort)
        self._stacked, self._side = StackedLines([self._lines]), 0
        # of the last places: the question that cut it short, how sharp it was to be, and what was found
        self._last: tuple[bytes, int, float, Reading] | None = None

    @classmethod
    def pair(cls, parts: Parts, tail_mu: float, effort: Effort) -> tuple[ContourProfile, ContourProfile]:
        """That of ``parts`` and that of the other direction, whose lines answer together."""
        sides = zip((parts, parts.reversed), Walk.pair(parts), strict=True)
        first, second = (cls(law, walk, tail_mu, effort) for law, walk in sides)
        first._stacked = second._stacked = StackedLines([first._lines, second._lines])
        second._side = 1
        return first, second

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def end(self) -> float:
        return self._parts.largest_loss * (1.0 + SLIGHT)

    @property
    def short(self) -> bool:
        """Whether the lines that serve it have few nodes, all of them."""
        return self._lines.short

    @property
    def labour(self) -> float:
        return self._lines.labour

    def within(self, nodes: float, deepest: float = _ASKED) -> bool:
        """Whether they have so few: those that serve deltas above e^``deepest``, about."""
        return self._lines.within(nodes, deepest)

    def light(self, nodes: float) -> bool:
        """Whether those of them cost no more than so many nodes, where they are asked anything."""
        return self._lines.light(nodes)

    def stands(self, deepest: float, count: int) -> FloatArray:
        """Up to so many eps > 0 from its first line's place to that of one as deep as e^``deepest``."""
        right = (self._walk.c > 0.0) & (self._walk.depth > deepest) & (self._walk.mean > 0.0)
        mean = self._walk.mean[right]
        return mean[np.unique(np.linspace(0, len(mean) - 1, count).astype(np.int64))] if len(mean) else mean

    @property
    def expected(self) -> tuple[FloatArray, FloatArray] | None:
        return self._expected

    @cached_property
    def _expected(self) -> tuple[FloatArray, FloatArray] | None:
        return expected_scores(self._walk)

    def fall(self, log_alpha: float) -> Fall | None:
        return expected_fall(self._walk, log_alpha)

    def kept(self, epsilon: FloatArray) -> Bracket:
        return self._evaluated(epsilon).bracket

    def bracket(self, epsilon: FloatArray) -> Bracket:
        b = self.kept(epsilon)
        return Bracket(b.lower.copy(), b.upper.copy(), b.log_gap_lower.copy(), b.log_gap_upper.copy(), b.sharp)

    def rough(self, epsilon: FloatArray) -> Bracket:
        b = self.steering(epsilon)
        return Bracket(b.lower.copy(), b.upper.copy(), b.log_gap_lower.copy(), b.log_gap_upper.copy(), b.sharp)

    def steering(self, epsilon: FloatArray) -> Bracket:
        """``rough``, for who only reads it: it is kept."""
        return self._evaluated(epsilon, _STEERED).bracket

    def certificate(self, epsilon: float) -> Certificate:
        own = super().certificate(epsilon)
        return self._evaluated(np.array([epsilon])).found.certificate(epsilon, own) or own

    def final(self, epsilon: FloatArray) -> BoolArray:
        """Where no other engine is sharper: the rounding of the law's transform is all that is left of the errors, or
        delta is 1 to all its digits.
        """
        return self._evaluated(epsilon).found.final

    def slope(self, epsilon: FloatArray) -> FloatArray:
        reading = self._evaluated(epsilon, _STEERED)
        bracket, slope = reading.bracket, reading.slopes()
        if bracket.sharp:
            return slope
        found = reading.found
        vague = (~(found.error <= _VAGUE * np.abs(found.value))).nonzero()[0]
        if len(vague):  # the slope of the exponential that Chernoff fits there
            c, height = self._chernoff(epsilon[vague])
            slope[vague] = np.clip(c[np.argmin(height, axis=1)] * bracket.upper[vague], 0.0, 1.0)
        return slope

    def _evaluated(self, epsilon: FloatArray, enough: float = _ENOUGH) -> Reading:
        """Once for the bracket and the slope that solvers ask for together; what was cut short for want of effort, for
        that question alone.
        """
        place, last = epsilon.tobytes(), self._last
        if last is None or last[0] != place or last[2] > enough or (last[1] and last[1] != allowance().question):
            found = self._evaluate(epsilon, enough, place)
            sharp = found.bracket.sharp
            question = 0 if sharp or not cut_short() else allowance().question
            known = sharp or enough <= _ENOUGH or found.within(_ENOUGH)
            last = self._last = place, question, _ENOUGH if known else enough, found
        return last[3]

    def _cap(self, bracket: Bracket, poor: IntArray, epsilon: FloatArray) -> None:
        """No bound need be worse than Chernoff's."""
        log_rest = self._log_rest(epsilon[poor])
        with np.errstate(under="ignore"):
            bracket.lower[poor] = np.maximum(bracket.lower[poor], -np.expm1(log_rest) * (1.0 - _TINY))
        bracket.log_gap_upper[poor] = np.minimum(bracket.log_gap_upper[poor], log_rest)
        log_tail = np.minimum(self._log_chernoff(epsilon[poor]) + _CHERNOFF, 0.0)
        # of what is known to be more none is so deep
        if np.any((log_tail > _ASKED) & (bracket.lower[poor] <= math.exp(_ASKED))):
            log_tail = np.where(epsilon[poor] >= self._negligible, np.minimum(log_tail, _ASKED), log_tail)
        with np.errstate(under="ignore"):
            bracket.upper[poor] = np.minimum(bracket.upper[poor], np.exp(log_tail) + _LEAST)
        bracket.lower[poor] = np.minimum(bracket.lower[poor], bracket.upper[poor])
        with np.errstate(divide="ignore"):
            gap = np.log1p(-bracket.upper[poor]) * (1.0 + _TINY) - _TINY
        bracket.log_gap_lower[poor] = np.maximum(bracket.log_gap_lower[poor], gap)

    @cached_property
    def _deep(self) -> float:
        """The eps from which delta is certainly below e^_DEEP."""
        right = (self._walk.c > 0.0) & (self._walk.log_lost < _DEEP - 1.0)
        return float(np.min((self._walk.k[right] - _DEEP + 1.0) / self._walk.c[right], initial=math.inf))

    @cached_property
    def _negligible(self) -> float:
        """The eps from which delta is certainly below e^_ASKED, for other reasons than Chernoff's."""
        return self._partings.deep(_ASKED)

    def _log_chernoff(self, epsilon: FloatArray) -> FloatArray:
        """log of the best of Chernoff's bounds on delta."""
        return np.min(self._chernoff(epsilon)[1], axis=1, initial=0.0)

    def _chernoff(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The c > 0 of the walk, and log of e^{K(c) - c eps} + what the law at that c has lost: bounds on delta."""
        right = self._walk.c > 0.0
        c, k = self._walk.c[right], self._walk.k[right]
        pull = np.multiply.outer(epsilon, c)
        log_tail = k - pull + ROUNDED * (np.abs(k) + pull)
        return c, np.logaddexp(log_tail, self._walk.log_lost[right])

    def _log_rest(self, epsilon: FloatArray) -> FloatArray:
        """log of the best of Chernoff's bounds on 1 - delta = E_P[min(1, e^{eps - L})], by the c between the poles."""
        if not self._blatant:  # nobody asks for those
            return np.zeros(len(epsilon))
        c, k, log_lost = self._between
        pull = np.multiply.outer(epsilon, c)
        log_rest = k - pull + ROUNDED * (np.abs(k) + np.abs(pull)) + WALKED
        return np.min(np.logaddexp(log_rest, log_lost), axis=1, initial=0.0)

    @cached_property
    def _blatant(self) -> bool:
        return bool(self._between[1].min(initial=0.0) < _NEARLY)

    @cached_property
    def _between(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The c of the walk between the poles, K there, and log of what the law has lost."""
        walk = self._walk
        between = (walk.c > -1.0) & (walk.c < 0.0) & (walk.k < 0.0)
        return walk.c[between], walk.k[between], walk.log_lost[between]

    def _evaluate(self, epsilon: FloatArray, enough: float, place: bytes) -> Reading:
        """By short lines and what was laid before, and where they are not sharp ``enough`` by dearer means."""
        if len(epsilon) and not (self._blatant or self._partings.laid):
            reading = self._stacked.read(self._side, epsilon, place)
            if reading is not None:
                if reading.bracket.sharp or (self._open(epsilon) and reading.within(enough)):
                    return reading
                return self._followed(reading.found.copied(), epsilon, enough)
        log_rest = self._log_rest(epsilon)
        found = self._settled(epsilon, log_rest)
        if self._partings.laid:
            self._partings.recall(found, epsilon)
        without = self._lines.serve(found, (~(found.error <= SHARP * np.abs(found.value))).nonzero()[0], epsilon)
        return self._sharpened(found, epsilon, log_rest, without, enough)

    def _followed(self, found: Estimates, epsilon: FloatArray, enough: float) -> Reading:
        """What all short lines said at once, as if each had been asked."""
        settled = self._settled(epsilon, np.zeros(len(epsilon)))
        known = (settled.error == 0.0).nonzero()[0]
        found.settled[:] = settled.settled
        if len(known):
            found.take(known, settled)
        return self._sharpened(found, epsilon, np.zeros(len(epsilon)), known[:0], enough)

    def _sharpened(
        self, found: Estimates, epsilon: FloatArray, log_rest: FloatArray, without: IntArray, enough: float
    ) -> Reading:
        """What short lines ``found``, and dearer means where that is not sharp ``enough``."""
        if found.within(enough):
            bracket = found.bracket()
            bracket.sharp = every(bracket.sharp_places())
            return Reading(found, bracket)
        self._sharpen(found, epsilon, log_rest, without, enough)
        bracket = found.bracket()
        poor = (~(found.error <= _ENOUGH * np.abs(found.value))).nonzero()[0]
        if len(poor):
            self._cap(bracket, poor, epsilon)
        return Reading(found, bracket)

    def _sharpen(
        self, found: Estimates, epsilon: FloatArray, log_rest: FloatArray, without: IntArray, enough: float
    ) -> None:
        """By ever dearer means, until all is sharp: parted laws, arcs, long lines; ``without`` short lines are these
        places.
        """
        poor = self._poor(found, epsilon, enough)
        sure = poor[(log_rest[poor] < _NEARLY) & ~found.settled[poor]]
        if len(sure):
            self._lines.force(found, sure, epsilon)
        poor = self._dear(found, epsilon, enough)
        if not len(poor):
            return
        if self._parts.parted_first:
            self._partings.serve(found, poor, epsilon, _BRIEF)
        self._bends.serve(found, without[found.blunt(without, enough) & ~found.final[without]], epsilon)
        for late in (False, True) if self._parts.parted_first else (True, False):
            poor = self._dear(found, epsilon, enough)
            if len(poor):
                asked = poor[epsilon[poor] < self._negligible] if late else poor
                self._partings.serve(found, asked, epsilon, _LONG, late)
        poor = self._dear(found, epsilon, enough)
        if len(poor):
            self._lines.force(found, poor, epsilon)
            # of fine lines, each of which has to be planned, those that only steer want none where something is known
            poor = self._dear(found, epsilon, enough if enough <= _ENOUGH else _VAGUE)
            self._lines.sharpen(found, poor, epsilon, self._log_guess(found, epsilon)[poor])

    def _poor(self, found: Estimates, epsilon: FloatArray, enough: float) -> IntArray:
        """The places that are not sharp ``enough``, where delta is not too small to care."""
        poor = (~(found.error <= enough * np.abs(found.value))).nonzero()[0]
        return poor[epsilon[poor] <= self._deep] if len(poor) else poor

    def _dear(self, found: Estimates, epsilon: FloatArray, enough: float) -> IntArray:
        """Those where something dearer may be sharper."""
        poor = self._poor(found, epsilon, enough)
        return poor[~found.final[poor]]

    def _log_guess(self, found: Estimates, epsilon: FloatArray) -> FloatArray:
        """log delta, as far as it is known."""
        with np.errstate(divide="ignore", invalid="ignore"):
            known = np.log(np.maximum(found.value, 0.0)) + found.log_scale
        return np.where((found.error < found.value) & np.isfinite(known), known, self._log_chernoff(epsilon) - 6.0)

    def _open(self, epsilon: FloatArray) -> bool:
        """Whether nothing is settled at any ``epsilon`` without a contour, unless all is blatant."""
        last = largest(epsilon)
        return last <= self._deep and last < self._parts.largest_loss

    def _settled(self, epsilon: FloatArray, log_rest: FloatArray) -> Estimates:
        """A blank sheet on which all is settled that needs no contour: delta is exactly 0, or below anything asked
        for.
        """
        found = Estimates.empty(len(epsilon))
        found.settled[:] = epsilon > self._deep
        if self._blatant:
            found.final[log_rest < _CERTAIN] = True  # delta is 1, and 1 - delta for straight lines
            found.settled[(log_rest < _INVISIBLE) & (epsilon > _FIXED)] = True
        if math.isfinite(self._parts.largest_loss):
            beyond = epsilon >= self._parts.largest_loss * (1.0 + SLIGHT)
            found.error[beyond], found.settled[beyond] = 0.0, True
        return found
