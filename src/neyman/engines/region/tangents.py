"""What one Renyi divergence allows a test: the region of (false positive rate a, power p), seen from its tangents.

D_t(P||Q) <= rho_t, post-processed to the two answers of a test, bounds E(a, p) = a phi(p/a) + (1-a) phi((1-p)/(1-a)) by
kappa, with the convex generator phi(r) = (r^t - 1 - t (r-1)) / (t-1) (t = 1: r log r - r + 1), kappa = (e^{(t-1) rho_t}
- 1) / (t-1); for D_t(Q||P) take r phi(1/r). E is convex, so at ANY point z the tangent plane of E bounds the region:

    p - x a <= p_z - x a_z + (kappa - E(z)) / E_p(z)     with x = -E_a / E_p at z.

The bound is therefore certified whatever the accuracy of z, and off by the square of its error only. With d1 = log(p/a)
> 0 > d2 = log((1-p)/(1-a)), y = d1 - d2 and e(z) = log((e^z - 1) / z), the slope is

    log x = d2 + e(t y) - e((t-1) y)   (P||Q),      log x = d1 - e(t y) + e((t-1) y)   (Q||P),

which gives y for each d2 (Newton), and d2, as small as it may be, is then moved until E = kappa (bisection).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.functions.few import every, some
from neyman.numerics.rounding import LARGEST_EXPONENT, TINY, UNIT

__all__ = ["LEAST_RHO", "Orders", "Tangent", "log_expm1_ratio", "steered", "steered_rise"]

_SERIES = 1e-2  # below this t |d| the generator is summed, for its leading terms cancel
_TERMS = 9  # highest power of t d that is summed, where that is at most 1e-2
_HALVINGS, _CHORDS = 10, 5  # of the interval in which log(-d2) lies, then false position
_TURNED_HALVINGS = 26  # E leaps there, and chords go astray
_LEAST, _MOST = -745.0, 18.0  # log of -d2
_NEAR = 1e-3  # below this e'(z) is its first two terms
_SUMMED = 0.5  # and e(z) its series: B_2k / (2k (2k)!)
# certifies: of that series, k from 1 on; the next term is 2 units of e(z) where z is 1/2
_BERNOULLI = np.array([
    1.0 / 24.0, -1.0 / 2880.0, 1.0 / 181440.0, -1.0 / 9676800.0, 1.0 / 479001600.0, -691.0 / 15692092416000.0
])  # fmt: skip
_STEPS, _SLOW = 2, 6  # of Newton
_BORNE = 1e-3  # of a curvature: a rest that is no more is borne, and not taken for noise
LEAST_RHO = 1e-290  # a smaller bound is taken for this one: squares underflow
# steps, how far beside the first the second point lies, and how far a step may go
_SECANTS, _BESIDE, _ASTRAY = 3, 1e-4, 0.1
# steps towards points that are nearly known: how many, how far one goes in log(-d2) and times y, and the last
_REFINEMENTS, _AWAY, _GROWS, _SETTLED = 6, 0.2, 8.0, 1e-6
_FURTHEST = 1e280  # of a point: that times any order is a float, and beyond it every point tells the same
_STEERED, _BENT = 1e-9, 1e-4  # the least |z| for points that are only looked for, and that of derivatives there
_UNITS = 64.0  # certifies: what few sums and functions err by, beside what grows with their arguments
_ROUNDED = 32.0 * UNIT  # certifies: of delta and 1 - delta at a point, products of few functions
_SHRINKS, _FURTHEST_LOG = 0.3, 300.0  # times y, that a step of Newton takes at most; log of the largest y
_BEFORE = 48.0 * UNIT  # by how much slopes are sought below the one asked for: what is above is not taken


@np.errstate(divide="ignore")
def log_expm1_ratio(z: FloatArray) -> FloatArray:
    """log((e^z - 1) / z), to a few units of its last place: away from 0 both terms are of the order of their sum."""
    return _log_ratio(z)


def _log_ratio(z: FloatArray) -> FloatArray:
    """The same for those who ignore divisions by 0 already."""
    size = np.abs(z)
    near = size < _SUMMED
    summed = some(near)
    if summed and every(near):
        return z * (0.5 + z * _polynomial(z * z))
    far = np.maximum(size, _SUMMED) if summed else size
    found = np.maximum(z, 0.0) + np.log(-np.expm1(-far) / far)
    if not summed:
        return found
    small = np.where(near, z, 0.0)
    return np.where(near, small * (0.5 + small * _polynomial(small * small)), found)


def _polynomial(x: FloatArray) -> FloatArray:
    total = x * _BERNOULLI[-1]
    total += _BERNOULLI[-2]
    for coefficient in _BERNOULLI[-3::-1]:
        total *= x
        total += coefficient
    return total


def _rise(z: FloatArray) -> FloatArray:
    """The derivative of ``log_expm1_ratio``, for those who ignore overflows already."""
    near = np.abs(z) < _NEAR
    if not some(near):
        return -1.0 / np.expm1(-z) - 1.0 / z
    safe = np.where(near, 1.0, z)
    return np.where(near, 0.5 + z / 12.0, -1.0 / np.expm1(-safe) - 1.0 / safe)


def steered(z: FloatArray) -> FloatArray:
    """``log_expm1_ratio`` to an absolute 1e-16: at a sixth of the cost, where a point is only looked for."""
    size = np.maximum(np.abs(z), _STEERED)
    return np.maximum(z, 0.0) + np.log(-np.expm1(-size) / size)


def steered_both(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``steered`` and its derivative, about."""
    size = np.maximum(np.abs(z), _STEERED)
    short = np.expm1(-size)
    rise = -1.0 / short - 1.0 / size
    rise[size < _BENT] = 0.5
    return np.maximum(z, 0.0) + np.log(-short / size), np.where(z < 0.0, 1.0 - rise, rise)


def steered_rise(z: FloatArray) -> FloatArray:
    """Its derivative, about."""
    safe = np.where(np.abs(z) < _BENT, _BENT, z)
    return -1.0 / np.expm1(-safe) - 1.0 / safe


def _within(x: FloatArray, low: FloatArray | float, high: FloatArray | float) -> FloatArray:
    """``np.clip``, at a third of what that takes of few numbers."""
    return np.minimum(np.maximum(x, low), high)


@dataclass(frozen=True, slots=True)
class Tangent:
    """For each slope: certified bounds on the largest p - x a (from above) and on log of 1 - that (from below), and the
    point that comes nearest, by its logarithmic ratios and its a.
    """

    delta: FloatArray
    log_gap: FloatArray
    d1: FloatArray
    d2: FloatArray
    alpha: FloatArray

    def replaced(self, at: NDArray[np.intp], other: Tangent) -> Tangent:
        """These, with those of the ``other`` at some places."""
        found: list[FloatArray] = []
        for mine, theirs in zip(self.fields, other.fields, strict=True):
            column = np.array(mine)
            column[at] = theirs
            found.append(column)
        return Tangent(*found)

    def at(self, place: NDArray[np.intp]) -> Tangent:
        """Those at these places."""
        return Tangent(*(column[place] for column in self.fields))

    @property
    def fields(self) -> tuple[FloatArray, ...]:
        """All of it."""
        return self.delta, self.log_gap, self.d1, self.d2, self.alpha


class _Laid(NamedTuple):
    """What does not depend on the point: everything is divided by e to the ``scale``, for large orders overflow."""

    scale: FloatArray
    unit: FloatArray  # e to the -scale
    log_kappa: FloatArray
    kappa: FloatArray
    vague: FloatArray  # units by which kappa may be off


@dataclass(frozen=True)
class Orders:
    """Constraints side by side (all arrays broadcast): D_t(P||Q) <= rho, or D_t(Q||P) <= rho where ``turned``.

    What is private relies on those who ask: they ignore what is no float.
    """

    t: FloatArray
    rho: FloatArray
    turned: bool

    @cached_property
    def _laid(self) -> _Laid:
        scale, logarithm = np.maximum((self.t - 1.0) * self.rho, 0.0), np.log(np.maximum(self.rho, LEAST_RHO))
        log_kappa = logarithm + _log_ratio((self.t - 1.0) * self.rho) - scale
        vague = _UNITS + 8.0 * scale + 4.0 * np.abs(logarithm)
        return _Laid(scale, np.exp(-scale), log_kappa, np.exp(log_kappa), vague)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore")  # what is no float tells nothing
    def tangent(self, epsilon: FloatArray, nearest: tuple[FloatArray, FloatArray] | None = None) -> Tangent:
        """Bounds at slopes e^epsilon, epsilon >= 0, from the ``nearest`` points (d2 and y) if they are known."""
        t = self.t + 0.0 * epsilon
        d2, y = self._nearest(epsilon) if nearest is None else nearest
        # the slope of the point is kept below the slope asked for, whatever is rounded
        y = np.minimum(y, _FURTHEST)
        room = 16.0 * UNIT * (epsilon - d2 + (t + 1.0) * y)
        log_x = d2 + self._lean(y)
        kept = log_x + room <= epsilon
        log_x, d1 = log_x - room, d2 + y
        below = -np.expm1(-y)
        p, rest = -np.expm1(d2) / below, -np.expm1(-d1) / below  # p and 1 - a
        a = p * np.exp(-d1)
        held, size, _ = self._held(d1, d2, p, rest)
        error = UNIT * (self._laid.vague + 8.0 * (np.abs(t * d1) + np.abs(t * d2))) * (size + self._laid.kappa)
        over = (self._laid.kappa - held + error) / self._climb(d1, d2, y)
        delta = -p * np.expm1(log_x - d1) * (1.0 + _ROUNDED) + over + np.abs(over) * 8.0 * UNIT
        # a alone may underflow
        gap = (rest * np.exp(d2) + p * np.exp(log_x - d1)) * (1.0 - _ROUNDED * (1.0 + epsilon)) - over
        gap = gap - np.abs(over) * 8.0 * UNIT
        sane = kept & np.isfinite(delta) & (d2 < 0.0) & (d1 > 0.0) & np.isfinite(over)
        delta = np.where(sane, delta, 1.0)
        log_gap = np.where(sane & (gap > 0.0), np.log(np.where(gap > 0.0, gap, 1.0)), -np.inf)
        return self._at_the_axis(epsilon, Tangent(_within(delta, 0.0, 1.0), np.minimum(log_gap, 0.0), d1, d2, a))

    def held(self, d1: FloatArray, d2: FloatArray) -> FloatArray:
        """An upper bound on E / kappa at a point."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            below = -np.expm1(d2 - d1)
            value, size, raised = self._held(d1, d2, -np.expm1(d2) / below, -np.expm1(-d1) / below)
            error = UNIT * (_UNITS + 8.0 * (np.abs(self.t * d1) + np.abs(self.t * d2) + self._laid.scale)) * size
            share = (value + error) / self._laid.kappa * (1.0 + 2.0 * UNIT * self._laid.vague)
        return np.where(np.isnan(share) | (raised > LARGEST_EXPONENT) | (self.rho < LEAST_RHO), np.inf, share)

    def _lean(self, y: FloatArray) -> FloatArray:
        """log x - d2."""
        high, low = _log_ratio(np.array([self.t * y, (self.t - 1.0) * y]))
        lean = high - low
        return y - lean if self.turned else lean

    def _solved(self, goal: FloatArray, extra: int) -> FloatArray:
        """The log y of a lean of ``goal``, which rises between y / 2 and y (P||Q), or below y / 2: by Newton."""
        log_y = np.log((2.0 if self.turned else 1.5) * np.maximum(goal, TINY)) + np.zeros_like(self.t)
        for _ in range((_SLOW if self.turned else _STEPS) + extra):
            y = np.exp(log_y)
            rise = self._risen(y)
            move = np.nan_to_num((self._lean(y) - goal) / (rise * y))
            move = np.clip(-move, -2.0, 2.0) if self.turned else np.log(np.maximum(1.0 - move, _SHRINKS))
            log_y = np.clip(log_y + move, _LEAST, _FURTHEST_LOG)
        return log_y

    def _held(
        self, d1: FloatArray, d2: FloatArray, p: FloatArray, rest: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """E, scaled, the size of its terms, and the exponent of the largest before it is capped."""
        big, small = (-d2, -d1) if self.turned else (d1, d2)
        of_big, of_small = (rest, p) if self.turned else (p, rest)
        t, s, unit = self.t, self._laid.scale, self._laid.unit
        both = _log_ratio(np.array([(t - 1.0) * big, (t - 1.0) * small])) - s
        raised, capped = both[0], np.exp(np.minimum(both, LARGEST_EXPONENT))
        heavy, light = big * capped[0], np.exp(small) * small * capped[1]
        least = np.expm1(small) * unit
        first, size = heavy + np.expm1(-big) * unit, heavy
        second, rest_size = light - least, np.abs(least)
        few = t * np.abs(big) < _SERIES
        if some(few):
            summed = self._series(np.where(few, big, 0.0)) * np.exp(-big - s)
            first, size = np.where(few, summed, first), np.where(few, summed, size)
        few = t * np.abs(small) < _SERIES
        if some(few):
            summed = self._series(np.where(few, small, 0.0)) * unit
            second, rest_size = np.where(few, summed, second), np.where(few, summed, rest_size)
        return of_big * first + of_small * second, of_big * size + of_small * rest_size, raised

    def _series(self, d: FloatArray) -> FloatArray:
        """phi(e^d) for small t |d|: the sum over k >= 2 of t (1 + ... + t^(k-2)) d^k / k!."""
        power = d * d / 2.0
        total = self._weights[0] * power
        for k, weight in enumerate(self._weights[1:], 3):
            power *= d
            power /= k
            total += weight * power
        return total

    @cached_property
    def _weights(self) -> list[FloatArray]:
        """Those of the d^k / k!."""
        geometric, found = np.ones_like(self.t), [self.t]
        for _ in range(3, _TERMS + 1):
            geometric = geometric * self.t + 1.0
            found.append(self.t * geometric)
        return found

    def _climb(self, d1: FloatArray, d2: FloatArray, y: FloatArray) -> FloatArray:
        """E_p, scaled."""
        t, s = self.t, self._laid.scale
        log_climb = -t * d1 + _log_ratio(t * y) if self.turned else (t - 1.0) * d2 + _log_ratio((t - 1.0) * y)
        return t * y * np.exp(np.minimum(log_climb - s, LARGEST_EXPONENT))

    def _nearest(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """d2 and y of the point of about that slope, not above it, at which about E = kappa."""
        shape = np.broadcast_shapes(np.shape(self.t), np.shape(epsilon))
        goal = self._laid.log_kappa
        low, high = np.full(shape, _LEAST), np.full(shape, _MOST)
        short, over = np.full(shape, -np.inf), np.full(shape, np.inf)  # by how much E misses kappa there
        middle = 0.5 * (low + high)
        rounds = _TURNED_HALVINGS if self.turned else _HALVINGS + _CHORDS
        for done in range(1, rounds + 1):
            d2 = -np.exp(middle)
            miss = self._log_held(d2, np.exp(self._solved(epsilon - d2, 0))) - goal
            outside = miss > 0.0
            low, high = np.where(outside, low, middle), np.where(outside, middle, high)
            # an end that stays counts for half the next time, so that both ends move (Illinois)
            short = np.where(outside, 0.5 * short, miss)
            over = np.where(outside, miss, 0.5 * over)
            middle = 0.5 * (low + high)
            if done >= _HALVINGS and not self.turned:
                with np.errstate(invalid="ignore", divide="ignore"):
                    chord = low - short * (high - low) / (over - short)
                middle = np.where((chord > low) & (chord < high), chord, middle)
        d2 = -np.exp(self._polished(epsilon, middle))
        y = np.exp(self._solved(epsilon - d2, 3))
        aim = epsilon - _BEFORE * (epsilon - d2 + (self.t + 1.0) * y)
        y = np.exp(self._solved(aim - d2, 4))
        # the slope is what must be right: the last of its error is left to d2, unless that is too small to bear it
        rest = aim - d2 - self._lean(y)
        return np.where(np.abs(rest) <= _BORNE * np.abs(d2), d2 + rest, d2), y

    def refined(self, epsilon: FloatArray, log_d2: FloatArray, log_y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """d2 and y of the nearest points, from about where they are."""
        with np.errstate(all="ignore"):
            d2, y = self.contact(epsilon, log_d2, log_y)
            aim = epsilon - _BEFORE * (epsilon - d2 + (self.t + 1.0) * y)
            y = y - (self._lean(y) - (aim - d2)) / self._risen(y)
            # the slope is what must be right: the last of its error is left to d2, unless that is too small to bear it
            rest = aim - d2 - self._lean(y)
            return np.where(np.abs(rest) <= _BORNE * np.abs(d2), d2 + rest, d2), y

    def contact(self, epsilon: FloatArray, log_d2: FloatArray, log_y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same as near as steering goes, by Newton for both: d2 has all its digits, the slope may lack its last."""
        s, rho = self.t - 1.0, np.maximum(self.rho, LEAST_RHO)
        at, y = log_d2, np.exp(log_y)
        with np.errstate(all="ignore"):
            for _ in range(_REFINEMENTS):
                w = np.exp(at)
                (high, low), (climb, fall) = steered_both(np.array([self.t * y, s * y]))
                lean, rise = high - low, self.t * climb - s * fall
                lean, rise = (y - lean, 1.0 - rise) if self.turned else (lean, rise)
                rise = np.maximum(rise, TINY)
                step = _within((epsilon + w - lean) / rise, (_SHRINKS - 1.0) * y, _GROWS * y)
                unsettled, y = some(np.abs(step) > _SETTLED * y), y + step
                m = w + 0.0 * y if not self.turned else y - w
                by_m = 1.0 / rise - 1.0 if self.turned else 1.0  # how m moves with w, the slope being kept
                (low, left, most), (fall, back, most_rise) = steered_both(np.array([s * y, -y, s * (rho + m)]))
                # log(E / kappa), about, and how that moves
                miss = low - left + np.log(-np.expm1(-m)) - np.log(rho + m) - most
                moved = (s * fall + back) / rise + (1.0 / np.expm1(m) - 1.0 / (rho + m) - s * most_rise) * by_m
                move = -miss / (moved * w)
                move = np.where(np.isfinite(move), _within(move, -_AWAY, _AWAY), 0.0)
                at, after = at + move, w * np.expm1(move)
                y = _within(y + after / rise, _SHRINKS * y, 3.0 * y)
                if not unsettled and not some(np.abs(move) > _SETTLED):
                    break
        return -np.exp(at), y

    def _risen(self, y: FloatArray) -> FloatArray:
        """The derivative of ``_lean``."""
        rise = self.t * _rise(self.t * y) - (self.t - 1.0) * _rise((self.t - 1.0) * y)
        return np.maximum(1.0 - rise if self.turned else rise, TINY)

    def _polished(self, epsilon: FloatArray, at: FloatArray) -> FloatArray:
        """A few secants: an order held to all digits leaves more room for the others."""

        def missed(at: FloatArray) -> FloatArray:
            d2 = -np.exp(at)
            return self._log_held(d2, np.exp(self._solved(epsilon - d2, 3))) - self._laid.log_kappa

        before, off = at + _BESIDE, missed(at + _BESIDE)
        for _ in range(_SECANTS):
            miss = missed(at)
            with np.errstate(invalid="ignore", divide="ignore"):
                move = -miss * (at - before) / (miss - off)
            before, off = at, miss
            at = at + np.where(np.isfinite(move), np.clip(move, -_ASTRAY, _ASTRAY), 0.0)
        return at

    def _log_held(self, d2: FloatArray, y: FloatArray) -> FloatArray:
        """log E at a point; -inf where there is none yet."""
        d1 = d2 + y
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            below = -np.expm1(-y)
            value, _, _ = self._held(d1, d2, -np.expm1(d2) / below, -np.expm1(-d1) / below)
            log_value = np.log(np.maximum(value, 0.0))
        return np.where(d1 > 0.0, np.where(np.isnan(log_value), np.inf, log_value), -np.inf)

    def _at_the_axis(self, epsilon: FloatArray, found: Tangent) -> Tangent:
        """Where the region meets an axis, t > 1: D_t(Q||P) leaves p = 1 - e^-rho at a = 0 for all slopes beyond
        e^-rho t / (t-1), and D_t(P||Q) leaves p = 1 at a = e^-rho for all slopes below e^rho (t-1) / t.
        """
        lean = np.where(self.t > 1.0, np.log(self.t) - np.log(np.maximum(self.t - 1.0, 0.0)), np.inf)
        edge = lean - self.rho if self.turned else self.rho - lean
        room = 8.0 * UNIT * (1.0 + self.rho + np.where(np.isfinite(lean), np.abs(lean), 0.0))
        if self.turned:
            beyond = epsilon >= edge + room
            if not some(beyond):
                return found
            delta, log_gap, alpha = -np.expm1(-self.rho), -self.rho + 0.0 * epsilon, 0.0 * epsilon
        else:
            beyond = epsilon <= edge - room
            if not some(beyond):
                return found
            log_gap = np.minimum(epsilon - self.rho, 0.0)
            delta, alpha = -np.expm1(log_gap), np.exp(-self.rho) + 0.0 * epsilon
            log_gap = log_gap - 2.0 * UNIT * (epsilon + self.rho)
            delta = delta + 2.0 * UNIT * (epsilon + self.rho) * (1.0 - delta)
        delta = np.where(beyond, np.minimum(delta * (1.0 + 8.0 * UNIT), 1.0), found.delta)
        log_gap = np.where(beyond, log_gap * (1.0 + 2.0 * UNIT), found.log_gap)
        return Tangent(delta, log_gap, found.d1, found.d2, np.where(beyond, alpha, found.alpha))
