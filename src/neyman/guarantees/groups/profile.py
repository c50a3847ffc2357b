"""The profile of a group: f^(k) = 1 - (1 - f) applied k times, when ``k`` records change one after another.

Above: with laws M_0 = Q, ..., M_k = P one record apart and eps = e_1 + ... + e_k however it is divided,

    delta_k(eps) <= delta(e_k) + e^{e_k} (delta(e_{k-1}) + e^{e_{k-1}} (... delta(e_1))),

and the best division attains it (duality). 1 - delta is divided likewise, from its own small terms. Below: the ROC
curve applied k times to one alpha, by certified lower bounds: delta_k(eps) >= sum of excess powers - (e^eps - 1) alpha.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.engines.region.profile import RegionProfile
from neyman.guarantees.envelope.profile import EnvelopeProfile
from neyman.guarantees.groups.roc_chain import EDGE, RocSteps
from neyman.guarantees.groups.straight import StraightCurve, StraightSteps, straight
from neyman.guarantees.questions.curve.achieved import AchievedCurve
from neyman.guarantees.questions.curve.excess import excess_at, revealed
from neyman.guarantees.questions.epsilon import epsilon_upper, spread
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.numerics.functions.normal import probit
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import allowance, cut_short
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile

__all__ = ["GroupedProfile", "multiple"]

_FARTHEST = 690.0  # eps from which a bound from below is 0; e^690 is a float
_LARGEST = sys.float_info.max
_COMMON = 3.0  # score of an alpha at which every curve is known
_LOAD = 1e-7  # e^eps alpha that is next to nothing: steers
_MANY, _TELLING = 4, 1e-9  # steps from which a region is known by points, and the mu from which floats hold them
_TAIL = 1e-12  # delta beyond which one record's curve is not looked at, where looking is dear
_CURVE = 1e8  # nominal nanoseconds that it takes to know the curve of one record, where nothing is dear
_LOOK = 3e5  # nominal nanoseconds of a step of one alpha, beside that of the curve
_LOWEST = 37.0  # score of an alpha about 1e-300, below which its neighbours are no longer told apart


def multiple(value: float, times: int, up: bool = True) -> float:
    """Return times * value, rounded up (or down)."""
    if not math.isfinite(value) or value == 0.0:
        return value
    exact = times * Fraction(value)
    if exact > _LARGEST:
        return math.inf if up else _LARGEST
    return at_least(exact) if up else at_most(exact)


def _later(terms: FloatArray) -> FloatArray:
    """For each step the sum over those after it."""
    after = np.zeros_like(terms)
    after[:-1] = np.cumsum(terms[:0:-1], axis=0)[::-1]
    return after


def _score_at(epsilon: FloatArray) -> FloatArray:
    """The score of an alpha at which the load e^eps alpha is next to nothing."""
    return -probit(np.log(_LOAD) - epsilon)


class GroupedProfile(Profile):
    """delta of ``times`` records added or removed, from the profiles ``of`` one (its ``forward`` is this pair's).

    ``known``: what holds of the group besides; neither says everything.
    """

    width_is = "enclosure"  # between a division of eps, and what a chain of tests attains

    def __init__(self, of: Pair, times: int, known: Profile | None = None) -> None:
        self.of = of
        self.times = times
        self._known = known
        self._natural: float | None = None
        self._last: tuple[FloatArray, FloatArray, FloatArray] | None = None

    @property
    def start(self) -> float:
        """Where solvers begin: looked for by whoever asks first, who pays for it, and again if that was cut short."""
        if self._natural is None:
            found = spread(self.of.forward)
            if cut_short():
                return found
            self._natural = found
        return self._natural

    @property
    def method(self) -> str:
        """As for one record."""
        return self.of.method

    @property
    def tail_mu(self) -> float:
        """k times that of one: G_mu applied k times is G_{k mu}."""
        mu = multiple(self.of.tail_mu, self.times)
        return mu if self._known is None else min(mu, self._known.tail_mu)

    @property
    def end(self) -> float:
        """k times the largest loss."""
        return multiple(self.of.forward.end, self.times)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        """Bounds at each ``epsilon``."""
        score, parts = self._split(epsilon)
        upper, log_gap_lower = self._above(parts)
        if math.isfinite(self.end) and math.isfinite(self.of.forward.tail_mu):
            upper = np.where(epsilon >= self.end, 0.0, upper)
            log_gap_lower = np.where(epsilon >= self.end, 0.0, log_gap_lower)
        other = None if self._known is None else self._known.bracket(epsilon)
        if other is not None:
            upper = np.minimum(upper, other.upper)
            log_gap_lower = np.maximum(log_gap_lower, other.log_gap_lower)
        kept = epsilon.copy()  # solvers may go on writing into theirs
        return Bracket.late(upper, log_gap_lower, lambda: self._inside(kept, score, parts, upper, other))

    def _inside(
        self, epsilon: FloatArray, score: FloatArray, parts: FloatArray, upper: FloatArray, known: Bracket | None
    ) -> tuple[FloatArray, FloatArray]:
        """Lower bounds on delta, upper bounds on log(1 - delta): dearer than the others, and not always asked for."""
        lower, work = np.zeros_like(epsilon), _LOOK * self.times
        if allowance().take(work):
            lower = self._below(epsilon, score, parts)
        vague = np.flatnonzero(lower < 0.5 * upper)
        if len(vague) and allowance().take(work):  # the curve is not known as far out as that
            nearer = np.maximum(_score_at(epsilon[vague]), _COMMON)
            nearer = np.minimum(nearer, score[vague])
            lower[vague] = np.maximum(lower[vague], self._below(epsilon[vague], nearer, self._steps.chain(nearer)[1]))
        lower = np.maximum(lower, self.revealed)
        if known is not None:
            lower = np.minimum(lower, known.lower)
        lower = np.minimum(lower, upper)
        with np.errstate(divide="ignore"):
            return lower, np.minimum(np.log1p(-lower) + 4.0 * UNIT, 0.0)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        """Approximate e^eps Q(L > eps)."""
        score, parts = self._split(epsilon)
        with np.errstate(divide="ignore"):
            own = np.where(epsilon < self.end, np.exp(np.minimum(epsilon + special.log_ndtr(-score), 0.0)), 0.0)
        if self._known is None:
            return own
        better = self._known.bracket(epsilon).upper < self._above(parts)[0]
        return np.where(better, self._known.slope(epsilon), own)

    def touched(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Where the chain begins and ends, or what is known besides touches."""
        if self._straight or math.isfinite(self.end):
            return None
        score, parts = self._split(epsilon)
        found = self._last is not None and np.array_equal(self._last[0], epsilon)  # else there was no effort left
        if not found or not isinstance(self._steps, RocSteps):
            return None
        last = self._steps.end(score)
        own = special.log_ndtr(-score), special.log_ndtr(-last), special.log_ndtr(last)
        if self._known is None:
            return own
        better, known = self._known.bracket(epsilon).upper < self._above(parts)[0], self._known.touched(epsilon)
        if known is None:
            return None if np.any(better) else own
        first, second, third = (np.where(better, *both) for both in zip(known, own, strict=True))
        return first, second, third

    @property
    def revealed(self) -> float:
        """What even the first of the alphas, 0, leads to."""
        return self._revealed

    @cached_property
    def _revealed(self) -> float:
        if self._known is not None or math.isfinite(self.of.tail_mu):
            return 0.0
        if self._straight:
            return float(self._below(np.zeros(1), np.array([EDGE]), np.zeros((self.times, 1)))[0])
        one = max(self.of.forward.revealed, revealed(self.of))
        return -math.expm1(self.times * math.log1p(-one)) * (1.0 - 8.0 * UNIT) if one < 1.0 else 1.0

    @property
    def _straight(self) -> bool:
        return straight(self.of, self.times)

    @cached_property
    def _achieved(self) -> AchievedCurve | StraightCurve | None:
        """What tests attain on one record, where it is straight between corners, or where every single question of it
        is dear: promises that hold at once, and those of Renyi divergences where steps are many.
        """
        if self._straight:
            return StraightCurve(self.of)
        one = self.of.forward
        if isinstance(one, RegionProfile) and self.times > _MANY and self.start > _TELLING:
            parts: tuple[Pair, ...] = (self.of,)
        elif isinstance(one, EnvelopeProfile):
            parts = one.parts
        else:
            return None
        return AchievedCurve(parts, float(epsilon_upper(one, np.array([_TAIL]), self.start)[0]))

    @cached_property
    def _steps(self) -> RocSteps | StraightSteps:
        return StraightSteps(self.of, self.times) if self._straight else RocSteps(self.of, self.times, self.start)

    def _split(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The first score and each step's eps: the best ones, or equal ones where the effort does not suffice."""
        if self._last is None or not np.array_equal(self._last[0], epsilon):
            known = "_steps" in self.__dict__ or allowance().take(_CURVE)
            if not (known and allowance().take(self._steps.work(len(epsilon)))):
                equal = epsilon / self.times * (1.0 - 4.0 * UNIT)
                return np.full_like(epsilon, EDGE), np.broadcast_to(equal, (self.times, len(epsilon)))
            far = np.where(epsilon >= self.end, 2.0 * self.end + 1.0, epsilon)  # level there, and clear of rounding
            self._last = epsilon.copy(), *self._steps.split(far)
        return self._last[1], self._last[2]

    def _above(self, parts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """delta rounded up and log(1 - delta) rounded down, for this division of eps."""
        e, size = parts, np.sum(np.abs(parts), axis=0)
        delta, gap, complement = self._terms(e)
        room = UNIT * len(e) * (24.0 + 2.0 * size)  # sums of up to so many terms, also in the exponent
        with np.errstate(all="ignore"):
            weight = np.exp(_later(e))
            alarms = np.where(delta > 0.0, weight * delta, 0.0)
            total = np.sum(alarms, axis=0)
            # any one step parts false alarms, of those before it, from misses, of those after it
            first, taken = (
                weight * gap,
                _later(alarms[::-1])[::-1] + _later(np.where(complement > 0.0, weight * complement, 0.0)),
            )
            kept = np.max(
                np.nan_to_num(first - taken - room * (first + taken), nan=0.0, neginf=0.0, posinf=0.0), axis=0
            )
            upper = np.nan_to_num(total * (1.0 + room), nan=1.0, posinf=1.0)
            log_gap = np.log(np.where(kept > 1e-290, kept, 0.0))
            upper = np.minimum(np.where(kept > 0.0, np.minimum(upper, 1.0 - kept + UNIT), upper), 1.0)
            direct = np.log1p(-upper) - 4.0 * UNIT * (1.0 + np.abs(np.log1p(-upper)))
        return upper, np.minimum(np.maximum(log_gap - 4.0 * UNIT * (1.0 + np.abs(log_gap)), direct), 0.0)

    def _terms(self, e: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """delta up, 1 - delta down and delta + e^eps - 1 up at each real eps, each from its own small terms."""
        delta, gap, complement = np.empty(e.size), np.empty(e.size), np.empty(e.size)
        flat = e.ravel()
        up, down = flat >= 0.0, flat < 0.0
        with np.errstate(over="ignore", under="ignore"):
            if np.any(up):
                b = self.of.forward.bracket(flat[up])
                delta[up], gap[up] = b.upper, np.exp(b.log_gap_lower)
                complement[up] = b.upper + np.expm1(flat[up])
            if np.any(down):
                b = self.of.backward.bracket(-flat[down])
                weight = np.exp(flat[down])
                delta[down] = -np.expm1(flat[down]) + weight * b.upper
                gap[down] = weight * np.exp(b.log_gap_lower)
                complement[down] = weight * b.upper
        return delta.reshape(e.shape), gap.reshape(e.shape), complement.reshape(e.shape)

    def _below(self, epsilon: FloatArray, score: FloatArray, parts: FloatArray) -> FloatArray:
        """sum of excess powers - (e^eps - 1) alpha_0, rounded down."""
        first = special.ndtr(-np.minimum(score, _LOWEST))
        if self._straight:  # also from alpha = 0
            first = np.where(score < EDGE, first, 0.0)
        alpha, excess = first.copy(), np.zeros_like(first)
        for e in parts:
            dear = self._achieved
            gained = excess_at(self.of, alpha, e, self.start) if dear is None else dear.excess(alpha)
            excess = (excess + gained) * (1.0 - 2.0 * UNIT)
            alpha = np.minimum((alpha + gained) * (1.0 - 2.0 * UNIT), 1.0)
        load = np.expm1(np.minimum(epsilon, _FARTHEST)) * first
        value = excess - load - 8.0 * UNIT * (excess + load)
        return np.where(epsilon < _FARTHEST, np.clip(np.nan_to_num(value, nan=0.0), 0.0, 1.0), 0.0)
