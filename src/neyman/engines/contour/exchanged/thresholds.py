"""Where the law of exchanged records is parted for a given eps (``split.py``).

**The mass beyond a length**, from above, along the real axis of eta. There (``ExchangedLaw``) x / sigma^2 = X = eta +
asinh(y), y = sinh(eta) / kappa, and both halves of a loss weigh F = phi(x) m(t(+-x)) dx/deta. With c = X' - 1 =
cosh(eta) / sqrt(kappa^2 + sinh(eta)^2) <= 1,

    0 <= c' <= y / (1 + y^2)^{3/2} <= 0.385,   |c''| <= sqrt(1/kappa^2 + y^2) |1 - 2 y^2| / (1 + y^2)^{5/2} <= 1/2,

and X c' <= 0.385 log kappa + 2 asinh(y) y / (1 + y^2)^{3/2}, at most 0.385 log kappa + 0.8, since asinh(kappa y) <= log
kappa + asinh(y). log m(t) is convex in t, with a slope in [0, 1]. So log F bends by at most

    M = sigma^2 (4.8 + 0.385 log kappa) + 0.385 + 0.65,

and on a cell of width h lies at most M h^2/8 above its chord, whose exponential integrates to at most the mean of its
ends; the share beyond the length is at most that of the cell's larger loss. From the last node on, log F falls at the
rate sigma^2 X - 1 - 0.385 at least.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.engines.closed_form.replaced import ReplacedGaussianProfile
from neyman.engines.contour.cumulant import WALKED
from neyman.engines.contour.exchanged.split import PartedArc, PartedSteps, log_chernoff
from neyman.engines.contour.exchanged.steps import APART, FURTHER, STEEPEST, ExchangedSteps
from neyman.engines.contour.hyperbola.arc import Arc
from neyman.engines.contour.straight.coverage import curvature
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.paths.exchanged_part import ORDER, ExchangedPart
from neyman.numerics.rounding import AMPLE, TINY
from neyman.profiles.effort import Effort

__all__ = ["Cut", "Cuts"]

_RATIO = 1.12  # of lengths that are next to each other
_LEAN, _TURN, _DRAG = 0.385, 0.65, 0.8  # of c', of (log(1 + c))'' and of X c'
_ROUNDED = 1e-9  # more than weights, shares and sums err by, relatively
_PARTS = (0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)  # of eps, where small losses may be parted
_PULLS = np.geomspace(0.3, 1e4, 100)  # c eps at which parts are looked at
_NOTHING = 21.0  # e-folds that what is left out must lie below delta
_SOONER, _LATER = 0.8, 1.5  # the eps served beside, as shares
_FLOOR = -72.0  # log of a delta (5e-32) below which it is only bounded
_WIDE = 3.0  # scales of the bulk: below, paths turn too steeply for a soft cut
_REACH, _THINNED = 40.0, 4  # of eps, how far lengths are looked at; and every which of them
_BELOW = 2.0  # e-folds that delta lies below what its saddle says, about


@dataclass(frozen=True)
class Cut:
    """One parting, what it says of delta, and how it goes along the real axis."""

    steps: PartedSteps
    small: tuple[FloatArray, FloatArray]
    beyond: float
    c: FloatArray
    k: FloatArray
    log_guess: float  # of log delta, about
    log_most: float  # a bound on log delta

    def arc(self, epsilon: float, effort: Effort) -> PartedArc | None:
        """The contour through the saddle."""
        if len(self.c) < 3:
            return None
        height = self.k - self.c * epsilon - np.log(self.c * (self.c + 1.0))
        best = int(np.argmin(height))
        place, bend = float(self.c[best]), curvature(self.c, height, best)
        span = _SOONER * epsilon, _LATER * epsilon
        turn = bend + place**-2 + (place + 1.0) ** -2
        furthest = (
            np.array([place + FURTHER / math.sqrt(turn)]) if 0.0 < turn * place**2 < STEEPEST else np.array([math.inf])
        )
        if not self.steps.log_caps(furthest)[0] <= APART + min(float(self.k[best]), 0.0):
            return None
        with suppress(ArithmeticError):
            arc = Arc.lay(self.steps, place, turn, span, effort)
            return None if arc is None else PartedArc(arc, self.small, self.beyond)
        return None


class Cuts:
    """The partings of ``steps``, all of them of one kind."""

    def __init__(self, steps: ExchangedSteps, kind: ReplacedGaussianStep) -> None:
        self._steps = steps
        self._single = ReplacedGaussianProfile(kind.sigma, kind.rate, kind.tail_mu)

    def at(self, epsilon: float) -> Cut:
        """The parting for that eps."""
        log_least = self.log_least(epsilon)
        # what is below anything asked for need not be followed further down
        return self._parted(epsilon, max(self._about(epsilon) - _BELOW, log_least, _FLOOR), log_least)

    def log_least(self, epsilon: float) -> float:
        """log delta of one step alone, from below."""
        least = float(self._single.bracket(np.array([epsilon])).lower[0])
        return math.log(least) if least > 0.0 else -math.inf

    def _about(self, epsilon: float) -> float:
        """About log delta: Chernoff's bound on what lies below a length, and the mass beyond, of the best length."""
        law, times = self._steps.straight[0]
        loss, log_weight = law.loss.real, law.log_weight.real
        keep = np.flatnonzero(loss < _REACH * epsilon)[::_THINNED]
        if len(keep) < 2:
            return 0.0
        c = np.geomspace(0.3, 300.0, 50)[:, None] / epsilon
        power = (c + 0.5) * loss[keep]
        power = np.logaddexp(power, -power) + log_weight[keep] + math.log(_THINNED)
        with np.errstate(under="ignore", over="ignore", divide="ignore"):
            k = np.logaddexp.accumulate(power, axis=1)
            mass = np.log(np.cumsum(np.exp(np.abs(0.5 * loss) + log_weight)[::-1])[::-1][keep])
            bound = times * k - c * epsilon - np.log1p(c)
            return float(np.min(np.logaddexp(bound.min(axis=0), math.log(times) + mass)))

    def _parted(self, epsilon: float, guess: float, log_least: float) -> Cut:
        high = np.flatnonzero(self._masses <= guess - _NOTHING)
        length = float(self._lengths[high[0]]) if len(high) else math.inf
        beyond = math.exp(float(self._masses[high[0]])) if len(high) else 0.0
        c = _PULLS / epsilon
        for low in (*(part * epsilon for part in _PARTS), 0.0):
            if not low < 0.7 * length or (low > 0.0 and not low > _WIDE * self._steps.straight[0][0].scale):
                continue
            small = (c, self._small(c, low)) if low > 0.0 else (c[:0], c[:0])
            log_small = float(log_chernoff(*small, np.array([epsilon * _SOONER]))[0]) if low > 0.0 else -math.inf
            if log_small < guess - _NOTHING:
                break
        else:
            low, small, log_small = 0.0, (c[:0], c[:0]), -math.inf
        steps = PartedSteps(self._steps, low, length)
        k, error = steps.log_values(c + 1.0 + 0j, rotated=False)
        sound = error < WALKED * (1.0 + np.abs(k.real))
        stop = len(c) if sound.all() else int(np.argmin(sound))
        c, k = c[:stop], k.real[:stop]
        if not stop:
            return Cut(steps, small, beyond, c, k, guess, 0.0)
        most = np.logaddexp(float(log_chernoff(c, k, np.array([epsilon]))[0]), log_small)
        most = float(np.logaddexp(most, math.log(max(beyond, TINY)))) + AMPLE
        height = float(np.min(k - c * epsilon - np.log1p(c)))
        return Cut(steps, small, beyond, c, k, max(height - _BELOW, log_least), most)

    def _small(self, c: FloatArray, low: float) -> FloatArray:
        """T log S, from above, but for what Chernoff's bounds leave room for."""
        law, times = self._steps.straight[0]
        value, error = ExchangedPart(law, 0.0, low).moment(c + 1.0 + 0j)
        with np.errstate(divide="ignore", over="ignore"):
            return times * np.log(np.abs(value) + error)

    @cached_property
    def _lengths(self) -> FloatArray:
        law = self._steps.straight[0][0]
        first, last = 0.1 * law.scale, float(law.loss.real[-1])
        return first * _RATIO ** np.arange(math.ceil(math.log(last / first) / math.log(_RATIO)))

    @cached_property
    def _masses(self) -> FloatArray:
        """log of T times the mass beyond each of the lengths, from above; falling."""
        times = self._steps.straight[0][1]
        loss, mass, rest = self._cells
        with np.errstate(under="ignore", divide="ignore"):
            inside = np.searchsorted(loss, 0.1 * self._lengths)  # nearer, no more is beyond than there
            least = float(special.gammainc(ORDER, 0.01))
            beyond = [
                float(special.gammainc(ORDER, (loss[i:] / length) ** 2) @ mass[i:]) + least * float(mass[:i].sum())
                for i, length in zip(inside.tolist(), self._lengths.tolist(), strict=True)
            ]
            return np.log(times * (np.array(beyond) + rest) * (1.0 + _ROUNDED) + 1e-160)

    @cached_property
    def _cells(self) -> tuple[FloatArray, FloatArray, float]:
        """Of each cell the larger loss and the mass at most, of both signs together; and the mass beyond the last."""
        law = self._steps.straight[0][0]
        log_kappa, s2 = -math.log(law.scale), law.sigma**2
        loss = law.loss.real
        bend = s2 * (4.0 + _DRAG + _LEAN * log_kappa) + _LEAN + _TURN
        with np.errstate(over="ignore", under="ignore"):
            weight = np.exp(law.log_weight.real + 0.5 * loss) + np.exp(law.log_weight.real - 0.5 * loss)
        weight[0] *= 2.0  # half of it belongs to the other half of the law
        mass = 0.5 * (weight[:-1] + weight[1:]) * math.exp(0.125 * bend * law.step**2)
        # X at the last node, within a rounding
        fall = s2 * (law.step * (len(loss) - 1) + 0.5 * float(loss[-1])) - 1.0 - 2.0 * _LEAN
        return loss[1:], mass, float(weight[-1]) / (fall * law.step) if fall > 0.0 else math.inf
