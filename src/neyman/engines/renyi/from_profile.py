"""Renyi divergences from two certified profiles, of a pair and of its reversal, and nothing else.

D_t rests on G_t (see `gap`), and for every f-divergence E_Q[f(r)] = int f''(k) (C(k) - (1 - k)_+) dk with C(k) =
delta(log k) (Sason and Verdu 2016, Theorem 9), so that

    G_t = int_0^inf e^{(t - 1) e} delta(e) de + int_0^inf e^{-t e} delta_reversed(e) de.

delta is convex in k = e^e: between two places it lies below the chord of upper bounds, and above the two lines that
extend the neighbouring chords. Both are integrated exactly: over a cell of width h the two ends of a chord weigh

    h^2 exp[0, h, (s + 1) h] / (e^h - 1)    and    h^2 exp[0, s h, (s + 1) h] / (e^h - 1).

Cells are halved where the two bounds differ. Beyond the last place there is nothing (bounded losses), or at most what a
Gaussian of `tail_mu` has; or a delta that no longer falls.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.engines.renyi.gap import of_gap
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, SLIGHT, SMALLEST, TINY, UNIT
from neyman.numerics.sums.second_difference import second_difference
from neyman.profiles.profile import Profile

__all__ = ["profile_divergence"]

_TINY = 1e-300  # more than the smallest floats may be off
_LEAST = 1e-290  # delta down to which a profile is read
_FURTHEST = 1e5  # eps up to which it is
_LOOKED = 400  # places where the end is looked for
_CELLS = 256  # at first
_MOST = 1 << 13  # at last
_WIDTH = 3e-8  # relative gap of the two bounds at which halving stops
_ROUNDS = 12  # of halving, at most
_ENTRIES = 1 << 20  # of a matrix of orders and cells
_SHORTEST, _NEAREST = 1e-12, 1e-6  # the first place at which the end is looked for; of the first cell, the first within
_WORTH = 0.1  # of an even share of the gap, that a cell must have to be halved
_UNITS = 64.0  # certifies: of the log of a cell, beside what its exponents and the sum over all cells err by


def profile_divergence(
    forward: Profile, backward: Profile, order: FloatArray, upper: bool, cells: int = _MOST
) -> FloatArray:
    """Return bounds on D_t(P || Q) from above (``upper``) or below, at each ``order`` t > 0 (1-d).

    Relative width about 1e-6 where the profiles are that sharp and smooth and the orders move little of the weight to
    deltas below 1e-290; ``cells`` is how many a profile is divided into. Inf (from above) for t >= 1 where neither the
    largest loss nor `tail_mu` is finite.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # orders whose exponents are no floats leave nothing known
        first = _Half(forward, order - 1.0, cells).log_integral(order - 1.0, upper)
        second = _Half(backward, -order, cells).log_integral(-order, upper)
        total = np.logaddexp(first, second)
    total = np.where(np.isnan(total), math.inf if upper else -math.inf, total)
    room = 8.0 * UNIT * np.where(np.isfinite(total), 1.0 + np.abs(total), 0.0)
    out = of_gap(order, total + (room if upper else -room), upper)
    if upper and math.isfinite(forward.tail_mu):
        with np.errstate(over="ignore"):
            line = 0.5 * forward.tail_mu**2 * order * (1.0 + 8.0 * UNIT) + (_TINY if forward.tail_mu > 0.0 else 0.0)
        out = np.minimum(np.minimum(out, line), forward.end)
    return out


class _Half:
    """delta of one profile at places that suit the tilts ``s``."""

    def __init__(self, profile: Profile, s: FloatArray, cells: int) -> None:
        self._profile = profile
        self._most = cells
        self._reach = self._reached()
        if self._reach == 0.0:  # no loss is finite and above 0: `_tail` has all there is
            self._read(np.zeros(1))
            return
        place = self._reach * np.linspace(0.0, 1.0, _CELLS + 1)
        near = np.geomspace(_NEAREST, 1.0, _CELLS // 4) * float(place[1])
        self._refine(np.union1d(place, near), np.quantile(s, np.linspace(0.0, 1.0, min(len(s), 5))))

    def _reached(self) -> float:
        """The largest loss, or where delta is no longer read."""
        end = min(self._profile.end, _FURTHEST)
        place = np.minimum(np.geomspace(_SHORTEST, _FURTHEST, _LOOKED), end)
        seen = np.flatnonzero(self._profile.bracket(place).upper > _LEAST)
        return max(float(place[min(seen[-1] + 1, _LOOKED - 1)]) if len(seen) else 0.0, _SHORTEST if end > 0.0 else 0.0)

    def _refine(self, place: FloatArray, s: FloatArray) -> None:
        self._read(place)
        for _ in range(_ROUNDS):
            above, below = self._cells(s, True), self._cells(s, False)
            most = np.max(above, axis=1, keepdims=True)
            if not bool(np.all(np.isfinite(most))):
                return
            gap = np.exp(above - most) - np.exp(np.minimum(below - most, 0.0))
            share = np.max(gap / np.exp(above - most).sum(axis=1, keepdims=True), axis=0)
            room = self._most - len(self.place)
            if not (float(share.sum()) > _WIDTH and room > 0):
                return
            worst = np.argsort(share)[::-1][: min(room, len(share))]
            worst = worst[share[worst] > _WORTH * _WIDTH / len(share)]
            if not len(worst):
                return
            middle = 0.5 * (self.place[worst] + self.place[worst + 1])
            self._read(np.union1d(self.place, middle))

    def _read(self, place: FloatArray) -> None:
        self.place = place
        bracket = self._profile.bracket(place)
        # what convexity and monotony add is used below; here only that delta falls
        self.upper = np.minimum.accumulate(bracket.upper)
        self.lower = np.maximum.accumulate(bracket.lower[::-1])[::-1]

    def log_integral(self, s: FloatArray, upper: bool) -> FloatArray:
        """log of a bound on the integral of e^{s e} delta(e) over e > 0."""
        rows = max(1, _ENTRIES // len(self.place))
        found = np.full(len(s), -math.inf)
        if self._reach > 0.0:
            parts = [np.logaddexp.reduce(self._cells(s[i : i + rows], upper), axis=1) for i in range(0, len(s), rows)]
            found = np.concatenate(parts)
        room = UNIT * (_UNITS + 0.25 * len(self.place) + 8.0 * np.abs(s) * self._reach)
        room = room + 8.0 * UNIT * np.where(np.isfinite(found), np.abs(found), 0.0)
        return np.logaddexp(found, self._tail(s, upper)) + (room if upper else -room)

    def _tail(self, s: FloatArray, upper: bool) -> FloatArray:
        end, mu, last = self._profile.end, self._profile.tail_mu, self._reach
        value = float(self.upper[-1] if upper else self.lower[-1] if last >= end else 0.0)
        with np.errstate(divide="ignore"):
            constant = (
                np.where(s < 0.0, math.log(value) + s * last - np.log(np.maximum(-s, SMALLEST)), math.inf)
                if value > 0.0
                else np.full_like(s, -math.inf)
            )
        if not upper:
            return np.where(s < 0.0, constant, -math.inf) if math.isinf(mu) else np.full_like(s, -math.inf)
        if math.isfinite(mu) and (last >= end or mu == 0.0):
            return np.full_like(s, -math.inf)
        if value == 0.0:
            return constant
        if math.isinf(mu):
            return constant
        # delta is below its last value up to ``far``, where the Gaussian takes over: e^{s e} <= e^{(s - r) far + r e},
        # and int_E^inf e^{r e} P(L > e) de <= E_P[e^{rL}; L > E] / r
        far = max(last, 0.5 * mu * mu + mu * math.sqrt(max(-2.0 * math.log(value), 0.0)))
        level = math.log(value) + np.maximum(s * far, s * last) + math.log(far - last + TINY)
        r = np.maximum(s, 0.0) + 0.5
        with np.errstate(over="ignore"):
            tail = (
                0.5 * r * (r + 1.0) * mu * mu + log_ndtr(((r + 0.5) * mu * mu - far) / mu) - np.log(r) + (s - r) * far
            )
            tail = tail + AMPLE + SLIGHT * (r + 1.0) ** 2 * mu * mu
        return np.minimum(constant, np.logaddexp(level, tail) + AMPLE)

    def _cells(self, s: FloatArray, upper: bool) -> FloatArray:
        """log of the integral of e^{s e} times the bound, for each s and cell."""
        start, h = self.place[:-1], np.diff(self.place)
        if upper:
            return _chords(s[:, None], start, h, self.upper[:-1], self.upper[1:])
        split, value = self._valley()
        left = _chords(s[:, None], start, split, self.lower[:-1], value)
        right = _chords(s[:, None], start + split, h - split, value, self.lower[1:])
        return np.logaddexp(left, right)

    def _valley(self) -> tuple[FloatArray, FloatArray]:
        """Where in each cell the lines that extend the neighbouring chords meet, and no more than delta there.

        With x = e^{e - start} - 1, the first is lower_i + a x with a from i - 1 (upper) to i (lower), at least -k_i;
        the second leaves the far end with the slope from i + 1 (lower) to i + 2 (upper), at most 0.
        """
        h = np.diff(self.place)
        width = np.expm1(np.minimum(h, LARGEST_EXPONENT))
        k = np.exp(np.minimum(self.place[:-1], LARGEST_EXPONENT))
        low, high = self.lower, self.upper
        before = np.append(-k[0], (low[1:-1] - high[:-2]) / -np.expm1(-h[:-1]))
        before = np.maximum(before, -k) * (1.0 + 8.0 * UNIT)
        with np.errstate(over="ignore"):
            after = np.append((high[2:] - low[1:-1]) / (width[1:] * np.exp(h[:-1])), 0.0)
        after = np.minimum(after, 0.0) * (1.0 - 8.0 * UNIT)
        # lower_i + a x = lower_{i+1} - b (width - x)
        gap = low[1:] - low[:-1] - after * width
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.where(before < after, gap / (before - after), 0.5 * width)
        x = np.clip(np.nan_to_num(x), 0.0, width)
        split = np.minimum(np.log1p(x), h)
        x = np.expm1(split)
        value = np.minimum(low[:-1] + before * x * (1.0 + 8.0 * UNIT), low[1:] - after * np.maximum(width - x, 0.0))
        value = np.where(value > 0.0, value * (1.0 - 8.0 * UNIT) - 8.0 * UNIT * low[:-1], -1.0)
        return split, value


def _chords(s: FloatArray, start: FloatArray, h: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """log of int e^{s e} over [start, start + h] of the chord, in e^e, from ``left`` to ``right``; nothing where either
    is negative.
    """
    safe = np.maximum(h, TINY)
    log_base = s * start + 2.0 * np.log(safe) - np.log(np.expm1(np.minimum(safe, LARGEST_EXPONENT)))
    turn, more = s * h, (s + 1.0) * h
    fine = (left >= 0.0) & (right >= 0.0) & (h > 0.0)
    out = np.full(turn.shape, -math.inf)
    for value, point in ((left, np.broadcast_to(h, turn.shape)), (right, turn)):
        top, weight = second_difference(point, more)
        with np.errstate(divide="ignore"):
            out = np.logaddexp(out, np.log(np.where(fine, value, 0.0)) + log_base + top + np.log(weight))
    return out
