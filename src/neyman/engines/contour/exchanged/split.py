"""Exchanged records at deep delta: contours of a part of the law, with what the rest can add.

Where a step hardly ever sees the record a loss is either small, as of steps in which it is not seen, or one step's
large one. A contour of the whole law has no saddle there: e^K explodes with the large losses before it reaches the
small ones, and where one large loss makes up delta, e^K is nearly that of the small ones alone, which cancels. With A =
S + M + H, small, middling and huge losses (``losses/gaussian/paths/exchanged_part.py``), all three positive measures,

    delta(eps) = I[(S + M)^T - S^T] + I[S^T] + what H adds,       I[S^T] <= c^c / (1 + c)^{1 + c} S(c + 1)^T e^{-c eps},

what H adds is between 0 and T times its mass, and (S + M)^T - S^T = M ((S + M)^{T-1} + ... + S^{T-1}). Its modulus is
at most T times the bound on |M| times the (T-1)th power of those on |S + M| and |S|: the log of that is convex in w.
Without small losses that are parted it is (S + M)^T.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import WALKED
from neyman.engines.contour.estimate import Book, Estimate, entered
from neyman.engines.contour.exchanged.steps import SHARE, ExchangedSteps
from neyman.engines.contour.hyperbola.arc import WrappedArc
from neyman.engines.contour.parts import Parts
from neyman.losses.gaussian.paths.exchanged_part import ExchangedPart
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import LARGEST_EXPONENT, ROOM, SLIGHT, TINY, UNIT

__all__ = ["PartedArc", "PartedSteps", "log_chernoff"]


def log_chernoff(c: FloatArray, k: FloatArray, epsilon: FloatArray) -> FloatArray:
    """log of the least of the bounds on delta that e^k = E e^{c L} at each ``c`` > 0 proves."""
    pull = np.multiply.outer(epsilon, c)
    shape = c * np.log(c) - (1.0 + c) * np.log1p(c)
    room = 8.0 * WALKED * (1.0 + np.abs(k) + np.abs(shape)) + SLIGHT * (pull + (1.0 + c) * np.log1p(c))
    return np.min(k - pull + shape + room, axis=1, initial=0.0)


@dataclass(frozen=True)
class PartedSteps:
    """``times`` steps of one kind, parted at ``low`` (0: not at all) and at ``high``, as an ``Arc`` asks for them: K is
    log((S + M)^T - S^T).
    """

    steps: ExchangedSteps
    low: float
    high: float

    parted = True
    span = None
    drift = 0.0
    shift = 0.0
    edge = 0.0

    @property
    def parts(self) -> Parts:
        return self.steps.parts

    @property
    def sector(self) -> float:
        return self.steps.sector

    @property
    def terms(self) -> int:
        return 4 * self.steps.terms

    @property
    def bound_terms(self) -> int:
        return 2 * self.steps.bound_terms

    @property
    def times(self) -> int:
        return self.steps.bent[0][1]

    @cached_property
    def _each(self) -> dict[str, tuple[ExchangedPart, ExchangedPart, ExchangedPart]]:
        """M, S + M and S, on every path."""
        named = {
            "bent": self.steps.bent, "straight": self.steps.straight,
            "bounding": self.steps.bounding, "upright": self.steps.upright,
        }  # fmt: skip
        ends = (self.low, self.high), (0.0, self.high), (0.0, self.low)
        return {
            name: (ExchangedPart(law, *ends[0]), ExchangedPart(law, *ends[1]), ExchangedPart(law, *ends[2]))
            for name, ((law, _), *_) in named.items()
        }

    def log_bounds(self, w: ComplexArray, rotated: bool) -> FloatArray:
        middle, most, small = self._each["bounding" if rotated else "upright"]
        if not self.low > 0.0:
            return self.times * most.log_bound(w)
        bound = math.log(self.times) + middle.log_bound(w)
        if self.times == 1:
            return bound
        return bound + (self.times - 1) * np.logaddexp(middle.log_bound(w), small.log_bound(w))

    def log_caps(self, c: FloatArray) -> FloatArray:
        """As that of the whole steps."""
        a, some = c + 0.5 + 0j, slice(0, 3 if self.low > 0.0 else 2)
        return np.max([part.log_cap(a) for each in self._each.values() for part in each[some]], axis=0) + math.log(
            self.times
        )

    def log_far(self, w: ComplexArray) -> FloatArray:
        return self.log_bounds(w, rotated=True)

    def log_values(self, w: ComplexArray, rotated: bool) -> tuple[ComplexArray, FloatArray]:
        """K(w), with the bound on its error."""
        middle, most, _ = self._each["bent" if rotated else "straight"]
        whole, beside = most.moment(w)
        times = self.times
        with np.errstate(over="ignore", invalid="ignore", under="ignore", divide="ignore"):
            if not self.low > 0.0:
                size = np.maximum(np.abs(whole), TINY)
                log_found = times * np.log(np.where(np.abs(whole) > TINY, whole, TINY))
                error = times * np.log1p(beside / size) + 16.0 * UNIT * np.abs(log_found)
            else:
                value, off = middle.moment(w)
                small = whole - value
                total, power = np.ones(len(w), complex), small.copy()
                for _ in range(times - 1):
                    total = total * whole + power
                    power = power * small
                largest = np.maximum(np.abs(whole), np.abs(small)) + beside + off
                found = value * total
                found = np.where(np.abs(value) > 0.1 * np.abs(whole), whole**times - small**times, found)
                fault = times * largest ** (times - 1) * (off + 16.0 * times * UNIT * np.abs(value))
                fault += times * (times - 1) * largest ** max(times - 2, 0) * np.abs(value) * (beside + off)
                # where the middling losses are no small part, each power is off by itself
                each = (np.abs(whole) + beside) ** (times - 1) * beside
                each = each + (np.abs(small) + beside + off) ** (times - 1) * (beside + off)
                apart = times * (each + 16.0 * UNIT * (np.abs(whole) ** times + np.abs(small) ** times))
                fault = np.where(apart < fault, apart, fault)
                size = np.maximum(np.abs(found), TINY)
                log_found = np.log(np.where(np.abs(found) > TINY, found, TINY))
                error = np.log1p(fault / size) + 16.0 * UNIT * (1.0 + np.abs(log_found))
        sound = np.isfinite(log_found) & np.isfinite(error)
        return np.where(sound, log_found, 0.0), np.where(sound, error * (1.0 + SHARE), math.inf)


@dataclass(frozen=True)
class PartedArc(WrappedArc):
    """An arc of a part of the law, what bounds the small losses (c and T log S there), and T times the mass of the huge
    ones.
    """

    small: tuple[FloatArray, FloatArray]
    beyond: float

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """As ``Arc.integrate``: what was parted adds something between 0 and its bound."""
        value, slope, error, log_scale = self.arc.integrate(epsilon, book)
        log_rest = np.full(len(epsilon), math.log(max(self.beyond, TINY)))
        if len(self.small[0]):
            log_rest = np.logaddexp(log_rest, log_chernoff(*self.small, epsilon))
        with np.errstate(over="ignore", under="ignore"):
            most = np.exp(np.minimum(log_rest - log_scale, LARGEST_EXPONENT)) * (1.0 + ROOM)
        entered(book, "parting", 0.5 * most)
        return Estimate(value + 0.5 * most, slope, error + 0.5 * most * (1.0 + 4.0 * UNIT), log_scale)
