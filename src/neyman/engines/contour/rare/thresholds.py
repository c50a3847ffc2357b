"""Where the law of rare steps is parted for a given eps, and through which saddle (``steps.py``).

Cuts and saddles are chosen by what is about true, on a coarse grid of real losses, and judged by what is certain: what
is cut off is bounded by Chernoff's bounds and by its mass, whatever was chosen.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.engines.contour.exchanged.split import PartedArc
from neyman.engines.contour.hyperbola.arc import Arc
from neyman.engines.contour.rare.between_poles import SplitArc
from neyman.engines.contour.rare.steps import Laws, RareSteps
from neyman.engines.contour.straight.coverage import curvature
from neyman.losses.gaussian.paths.exchanged_part import ORDER
from neyman.numerics.rounding import SLIGHT, TINY
from neyman.profiles.effort import Effort

__all__ = ["BACK", "FAR_BACK", "Outlook", "RareCuts"]

_RATIO = 1.15  # of lengths that are next to each other
_FAR = 600.0  # loss from which all weigh alike: e^600 times a weight is still a float
_THINNED = 4  # every which node of a law is enough for a guess
_NOTHING = 19.0  # e-folds that what is left out must lie below delta
_BELOW = 6.0  # e-folds that delta lies below a guess, about
_CANCELLED = 9.0  # e-folds that an integrand may lie above delta, about, and enough digits be left
_FLOOR = -75.0  # log of a delta below which it is only bounded
# c times eps at which saddles are looked for, on long grids and on short ones
_PULLS = np.geomspace(0.03, 3e3, 50), np.geomspace(1e-3, 3e3, 64)
_FINER, _TRIED = 6.0, 10  # lengths from which small losses are parted, as a share of where they would be cut hard
BACK, FAR_BACK = 0.2, 0.4  # shares of its eps by which the contour of a part, and of the whole, serves smaller ones
_PARTED, _EACH = (0.02, 0.7), 3  # shares of eps between which both are parted, and every which length is tried
_ROOM = 6.0  # c times how far from its own eps a contour serves


class Outlook(NamedTuple):
    """For an eps: the c looked at, log of Chernoff's bound on all losses up to each node, and log delta, about."""

    c: FloatArray
    bound: FloatArray
    guess: float


class RareCuts:
    """The partings in one direction (``sign``: 1.0 "remove", -1.0 "add")."""

    def __init__(self, laws: Laws, sign: float, effort: Effort) -> None:
        self.laws = laws
        self._sign = sign
        self._effort = effort

    def huge(self, guess: float) -> tuple[float, float]:
        """The length beyond which losses are cut off, and what they add to delta at most."""
        high = np.flatnonzero(self._masses <= max(guess - _BELOW, _FLOOR) - _NOTHING)
        length, beyond = math.inf, 0.0
        if len(high):
            length = float(self._lengths[high[0]])
            x, off = self.laws.part(length, math.inf).straight.excess(np.ones(1, complex))
            beyond = float(self.laws.times * (x.real + off)[0])
        return length, beyond

    def parted(self, epsilon: float, outlook: Outlook, length: float, beyond: float) -> PartedArc | None:
        """The contour of what lies between small and huge losses; of all but these where the small ones matter."""
        c, bound, guess = outlook
        s = self._coarse[0]
        fit = np.flatnonzero(bound < guess - _BELOW - _NOTHING)
        first = int(np.searchsorted(self._lengths, s[fit[-1]] / _FINER)) - 1 if len(fit) else -1
        for i in range(first, max(first - _TRIED, -1), -2):
            low = float(self._lengths[i])
            if self.log_about(epsilon, c, low) < guess - _BELOW - _NOTHING:
                small = self.certain(epsilon, c, low)
                steps = RareSteps(self.laws, 1.0, low, length)
                arc = self.through(steps, c, epsilon, BACK * epsilon, epsilon, guess + _CANCELLED)
                return None if arc is None else PartedArc(arc, small, beyond)
        steps = RareSteps(self.laws, 1.0, 0.0, length)
        arc = self.through(steps, c, epsilon, FAR_BACK * epsilon, ceiling=guess + _CANCELLED)
        return None if arc is None else PartedArc(arc, (c[:0], c[:0]), beyond)

    def split(self, epsilon: float, outlook: Outlook, length: float, beyond: float) -> SplitArc | None:
        """Two contours, of the small losses and of what lies between these and the huge ones, where both matter: each
        through its own saddle, parted where the larger of the two integrands is least. None where grids are long.
        """
        if not self.laws.short:
            return None
        lows = self._lengths[(self._lengths > _PARTED[0] * epsilon) & (self._lengths < _PARTED[1] * epsilon)][::_EACH]
        c = outlook.c
        fall = -c * epsilon - np.log1p(c) + self.laws.edge * (c + 1.0)
        best, least = 0.0, math.inf
        for low in lows.tolist():
            parts = (RareSteps(self.laws, 1.0, 0.0, low), RareSteps(self.laws, 1.0, low, length))
            heights = [part.about(c + 1.0) + fall for part in parts]
            top = max(float(np.min(height, where=np.isfinite(height), initial=math.inf)) for height in heights)
            if top < least:
                best, least = low, top
        if not best > 0.0:
            return None
        room = BACK * epsilon
        small = self.through(RareSteps(self.laws, 1.0, 0.0, best), c, epsilon, room)
        large = self.through(RareSteps(self.laws, 1.0, best, length), c, epsilon, room)
        return None if small is None or large is None else SplitArc(large, small, beyond)

    def _heights(self, c: FloatArray, length: float) -> FloatArray:
        """K of the losses below that length alone, about."""
        w = c + 1.0 if self._sign > 0.0 else -c
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            k = self.laws.times * np.log1p(self.laws.part(0.0, length).straight.about(w)) + self.laws.edge * w
        return np.where(np.isfinite(k), k, math.inf)

    def log_about(self, epsilon: float, c: FloatArray, length: float) -> float:
        """log of Chernoff's bound on the delta of the losses below that length alone, about."""
        return float(np.min(self._heights(c, length) - c * epsilon - np.log1p(c)))

    def certain(self, epsilon: float, c: FloatArray, length: float) -> tuple[FloatArray, FloatArray]:
        """The best c and its neighbours, and K there from above."""
        best = int(np.argmin(self._heights(c, length) - c * epsilon - np.log1p(c)))
        c = c[max(best - 1, 0) : best + 2]
        w = c + 1.0 if self._sign > 0.0 else -c
        x, off = self.laws.part(0.0, length).straight.excess(w + 0j)
        with np.errstate(divide="ignore", over="ignore"):
            return c, self.laws.times * np.log1p(x.real + off) + self.laws.edge * w + SLIGHT * np.abs(
                self.laws.edge * w
            )

    def through(
        self, steps: RareSteps, c: FloatArray, epsilon: float, room: float, ahead: float = 0.0,
        ceiling: float = math.inf,
    ) -> Arc | None:  # fmt: skip
        """The contour through the saddle among ``c``, for all losses within that ``room``, and within a few 1 / c; None
        where the log of its integrand, summed, is above ``ceiling``.
        """
        w = c + 1.0 if self._sign > 0.0 else -c
        k = steps.about(w)
        sound = np.flatnonzero(np.isfinite(k))
        if len(sound) < 3:
            return None
        k = k + steps.laws.edge * w
        c, k = c[sound], k[sound]
        height = k - c * epsilon - np.log(np.abs(c * (c + 1.0)))
        best = int(np.argmin(height))
        place = float(c[best])
        if float(height[best]) + math.log(abs(place)) > ceiling:
            return None
        bend = max(curvature(c, height, best), 0.0) + place**-2 + (place + 1.0) ** -2
        room, ahead = min(room, _ROOM / abs(place)), min(max(room, ahead), _ROOM / abs(place))
        return steps.arc(place, bend, (max(epsilon - room, 0.0), epsilon + ahead), self._effort)

    @cached_property
    def _coarse(self) -> tuple[FloatArray, FloatArray]:
        law = self.laws.straight
        return law.loss.real[::_THINNED], np.exp(law.log_weight.real[::_THINNED]) * _THINNED

    def outlook(self, epsilon: float) -> Outlook:
        """What is about true of delta."""
        laws = self.laws
        s, weight = self._coarse
        times = laws.times
        often = times * np.cumsum(weight[::-1])[::-1] > 1.0
        spread = math.sqrt(times * float(np.sum((weight * s * s)[often])))
        c = _PULLS[laws.short] / (epsilon + spread)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            terms = np.expm1(np.multiply.outer(c + 1.0, s)) * weight
            power = times * np.log1p(np.cumsum(terms, axis=1))
            fall = (laws.edge * (c + 1.0) - c * epsilon - np.log1p(c))[:, None]
            # without the single loss that is left where nothing happens, and with it
            k = np.where(power < 1.0, np.log(np.expm1(np.minimum(power, 1.0))), power)
            bound = np.min(np.where(np.isfinite(k), k, math.inf) + fall, axis=0)
            plain = np.min(np.where(np.isfinite(power), power, math.inf) + fall, axis=0)
            mass = np.log(times * np.cumsum((np.expm1(np.minimum(s, _FAR)) * weight)[::-1])[::-1])
        return Outlook(c, plain, float(np.min(np.logaddexp(bound, mass))))

    @cached_property
    def _lengths(self) -> FloatArray:
        s = self._coarse[0]
        first, last = float(s[len(s) // 8]), float(s[-1])
        return first * _RATIO ** np.arange(math.ceil(math.log(last / first) / math.log(_RATIO)))

    @cached_property
    def _masses(self) -> FloatArray:
        """log of T times the mass beyond each of the lengths with the record, about."""
        s, weight = self._coarse
        grown = weight * np.expm1(np.minimum(s, _FAR))
        rest = np.append(np.cumsum(grown[::-1])[::-1], 0.0)
        out = np.empty(len(self._lengths))
        for i, length in enumerate(self._lengths.tolist()):
            j, k = np.searchsorted(s, [length, 8.0 * length]).tolist()
            out[i] = float(special.gammainc(ORDER, (s[j:k] / length) ** 2) @ grown[j:k]) + float(rest[k])
        with np.errstate(divide="ignore"):
            return np.log(self.laws.times * out + TINY)
