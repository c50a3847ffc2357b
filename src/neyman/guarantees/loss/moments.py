"""Moments of the loss, E_P[(L - c)^n], from delta of the pair and of its reversal: no density is needed.

For phi(L) = (L - c)^n the moment is E_Q[psi(e^L)] with psi(k) = k phi(log k), and for every such psi (Sason and Verdu
2016, Theorem 9, the tangent at k = 1 taken out)

    E_P[phi(L)] = phi(0) + int_0^inf w(t) delta(t) dt + int_0^inf w(-t) e^-t delta_reversed(t) dt,    w = phi' + phi''.

delta is convex in e^t: in each cell it lies below its chord of upper bounds and above the lines that extend the
neighbouring secants, or between its ends. The bounds are integrated with w by Gauss's rule of 6 nodes, exact for the
polynomials; beside exponentials, in cells of h <= 1/2, it errs by h^12 / 5e15 of the twelfth derivative: next to
nothing. Cells are halved where the bounds are apart. What lies beyond the last place is bounded by the end of the
losses, by the Gaussian of ``tail_mu`` or by a Renyi divergence (Markov: delta(t) <= e^{s (D_{1+s} - t)}); where nothing
bounds it the moment may be infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from neyman._validate import FloatArray
from neyman.engines.region.profile import RegionProfile
from neyman.guarantees.loss.bounds import Bounds
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.functions.gauss import gauss
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, SLIGHT, UNDERFLOW, UNIT
from neyman.profiles.pair import HeldTogether, Pair
from neyman.profiles.profile import Profile

__all__ = ["Decay", "moment"]

Decay = Callable[[], Sequence[tuple[float, float]]]
"""Pairs (s, log C) with delta(t) <= C e^{-s t} for all t, s > 0: of the pair and of its reversal."""

_ORDER = 6  # certifies: nodes of the rule above
_SHORT = 0.5  # the longest cell in which exponentials are integrated
_CELLS, _MOST, _FEW = 1024, 1 << 13, 1 << 9  # of the first look; places in all, and of profiles that are dear
_ROUNDS = 12  # of halving at most: steers
_WIDTH = 1e-10  # relative, of the whole, at which halving stops
_NEGLIGIBLE = 1e-24  # of delta(0): where nothing more is read
_FARTHEST = 80.0  # on the reversed side, where e^-t = 1.8e-35 weighs
_MOST_KNOTS = 2048  # of the profile that are places from the start, at most: steers
_ROOM = 16.0 * UNIT  # certifies: a difference of two numbers, and its quotient


def moment(pair: Pair, n: int, centre: float, decay: Decay) -> Bounds:
    """Certified bounds on E_P[(L - centre)^n], 1 <= n <= 4; infinite where that is so or cannot be ruled out."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what is no float any more is not known
        found = _bounds(pair, n, centre, decay)
    least = 0.0 if n % 2 == 0 else -math.inf
    lower, upper = (rest if math.isnan(one) else one for one, rest in zip(found, (least, math.inf), strict=True))
    return Bounds(max(lower, least), upper)


def _bounds(pair: Pair, n: int, centre: float, decay: Decay) -> Bounds:
    forward, backward = _Weighed(pair.forward, n, centre), _Weighed(pair.backward, n, centre, turned=True)
    tail = _beyond(forward, decay)
    if math.isinf(tail) and pair.forward.revealed > 0.0:
        return Bounds(math.inf, math.inf)
    start = float(np.float64(-centre) ** n)
    parts = forward.integral(), backward.integral()
    size = abs(start) + sum(part.size for part in parts)
    if not math.isfinite(size):
        return Bounds(-math.inf, math.inf)
    room = 8.0 * SLIGHT * size + (UNDERFLOW if size > 0.0 else 0.0)
    left = _moments_of_decay(1.0, backward.last, centre, n) * float(backward.upper[-1]) * math.exp(-backward.last)
    left = min(left, _beyond(backward, decay))
    low, high = (start + sum(part[i] for part in parts) for i in (0, 1))
    # beyond the last place w is positive on this side, and on the other of either sign
    return Bounds(low - left * (1.0 + SLIGHT) - room, high + (tail + left) * (1.0 + SLIGHT) + room)


class _Integral(NamedTuple):
    """Bounds, and the sum of all moduli that went in."""

    lower: float
    upper: float
    size: float


class _Weighed:
    """delta of one profile at places that suit the weight of one moment, from 0 to where next to nothing is left."""

    def __init__(self, profile: Profile, n: int, centre: float, turned: bool = False) -> None:
        self.profile, self.n, self.centre, self.turned = profile, n, centre, turned
        dear = isinstance(profile, (HeldTogether, RegionProfile))
        self._most = _FEW if dear else _MOST
        self.place, self.upper, self.lower = (np.zeros(0) for _ in range(3))
        self.last = self._reached()
        if self.last > 0.0:
            self._refine()
        else:
            self._read(np.zeros(1))

    def weight(self, t: FloatArray) -> FloatArray:
        """w at these t >= 0, with e^-t on the reversed side."""
        u = (-t if self.turned else t) - self.centre
        found = np.ones_like(u) if self.n == 1 else self.n * u ** (self.n - 2) * (u + (self.n - 1))
        return found * np.exp(-t) if self.turned else found

    def integral(self) -> _Integral:
        """Of weight and delta up to the last place."""
        if len(self.place) == 1:
            return _Integral(0.0, 0.0, 0.0)
        above, below, sign = self._found
        more, less = np.where(sign > 0.0, above, below) * sign, np.where(sign > 0.0, below, above) * sign
        return _Integral(float(less.sum()), float(more.sum()), float(above.sum()))

    def _reached(self) -> float:
        unit = spread(self.profile)
        if float(self.profile.bracket(np.zeros(1)).upper[0]) == 0.0:
            return 0.0
        mu = self.profile.tail_mu if unit >= 1e5 and math.isfinite(self.profile.tail_mu) else unit
        far = max(1e3 * unit, unit * (unit + 100.0), min(0.5 * mu * mu + 40.0 * mu, 1e300))
        last = self.profile.end if math.isfinite(self.profile.tail_mu) else math.inf
        far = max(far, last) if math.isfinite(last) else far  # a few losses may be much larger than most
        last = min(last, _FARTHEST) if self.turned else last
        place = np.unique(np.minimum(np.append(np.geomspace(1e-3 * unit, far, 200), far), last))
        if self.turned and place[-1] < last:
            place = np.append(place, last)
        seen = self.profile.bracket(place).upper
        small = seen <= _NEGLIGIBLE * float(seen[0])
        return float(place[int(np.argmax(small))] if small.any() else place[-1])

    def _refine(self) -> None:
        start = self.last * np.linspace(0.0, 1.0, min(_CELLS, self._most // 2) + 1)
        knots = self.profile.knots
        knots = knots[(knots > 0.0) & (knots < self.last)]
        knots = knots[:: 1 + len(knots) // _MOST_KNOTS]
        sign = -1.0 if self.turned else 1.0
        turns = sign * np.array([self.centre, self.centre - (self.n - 1)])
        turns = turns[(turns > 0.0) & (turns < self.last)]
        self._read(np.unique(np.concatenate([start, start[1] * np.geomspace(1e-6, 1.0, 24), knots, turns])))
        for _ in range(_ROUNDS):
            above, below, _ = self._found
            gap, room = above - below, self._most - len(self.place)
            total = float(gap.sum())
            if room < len(self.place) // 8 or not total > _WIDTH * float(above.sum()):
                return
            worst = np.argsort(gap)[::-1][:room]
            worst = worst[gap[worst] > 0.1 * total / len(gap)]
            middle = 0.5 * (self.place[worst] + self.place[worst + 1])
            middle = np.setdiff1d(middle, self.place)
            if not middle.size:
                return
            self._read(middle)

    def _read(self, more: FloatArray) -> None:
        """Add these places; delta falls, so that each bound is one for those beyond."""
        found = self.profile.bracket(more)
        order = np.argsort(np.concatenate([self.place, more]), kind="stable")
        self.place = np.concatenate([self.place, more])[order]
        self.upper = np.minimum.accumulate(np.concatenate([self.upper, found.upper])[order])
        self.lower = np.maximum.accumulate(np.concatenate([self.lower, found.lower])[order][::-1])[::-1]
        if len(self.place) > 1:
            self._found = self._cells()

    def _cells(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of each cell the integral of |w| times the bounds of delta from above and below, and the sign of w.

        On the reversed side, which ends at 80, no cell is long: at least 256 part it at first.
        """
        start, h = self.place[:-1], np.diff(self.place)
        short = h <= _SHORT
        width = np.expm1(np.where(short, h, 1.0))
        left, right = self.upper[:-1], self.upper[1:]
        node, share = gauss(_ORDER)
        at, part = 0.5 * (1.0 + node), 0.5 * share

        def over(begin: FloatArray, length: FloatArray, value: Callable[[FloatArray], FloatArray]) -> FloatArray:
            inner = begin[:, None] + length[:, None] * at
            return (np.abs(self.weight(start[:, None] + inner)) * value(inner)) @ part * length

        whole = np.zeros_like(h)
        chord = over(
            whole, h,
            lambda inner: left[:, None] + ((right - left) / width)[:, None] * np.expm1(np.minimum(inner, _SHORT)),
        )  # fmt: skip
        flat = over(whole, h, np.ones_like)
        above = np.where(short, np.minimum(chord, flat * left), flat * left)
        line, other, split = self._lines(h, width)
        valley = over(
            whole, split, lambda inner: self.lower[:-1, None] + line[:, None] * np.expm1(np.minimum(inner, _SHORT))
        ) + over(
            split, h - split,
            lambda inner: self.lower[1:, None]
            + other[:, None] * (np.expm1(np.minimum(inner, _SHORT)) - width[:, None]),
        )  # fmt: skip
        below = np.where(short, np.maximum(valley, flat * self.lower[1:]), flat * self.lower[1:])
        middle = start + 0.5 * h
        return above, np.minimum(below, above), np.where(self.weight(middle) < 0.0, -1.0, 1.0)

    def _lines(self, h: FloatArray, width: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Slopes of the secants beside each cell, in e^{t - start}, and where the lines through its ends meet."""
        low, high = self.lower, self.upper
        before = -np.expm1(-h[:-1])
        first = (low[1:-1] - high[:-2] - _ROOM * (low[1:-1] + high[:-2])) / before
        line = np.maximum(np.append(-math.inf, first), -np.exp(np.minimum(self.place[:-1], LARGEST_EXPONENT)))
        with np.errstate(over="ignore"):
            after = np.expm1(h[1:]) * np.exp(h[:-1])
            second = (high[2:] - low[1:-1] + _ROOM * (low[1:-1] + high[2:])) / after
        other = np.minimum(np.append(second, 0.0), 0.0)
        bent = line < other
        with np.errstate(invalid="ignore", over="ignore"):
            meet = (low[1:] - other * width - low[:-1]) / np.where(bent, line - other, 1.0)
        split = np.log1p(np.clip(np.where(bent, np.nan_to_num(meet), 0.0), 0.0, width))
        return line, other, np.minimum(split, h)


def _beyond(side: _Weighed, decay: Decay) -> float:
    """A bound on the integral of |w| delta beyond the last place, e^-t left aside; inf where there is none."""
    value, last, n, centre = float(side.upper[-1]), side.last, side.n, side.centre
    mu = side.profile.tail_mu
    if value == 0.0 or mu == 0.0 or (math.isfinite(mu) and last >= side.profile.end):
        return 0.0
    if math.isinf(mu):
        bounds = [_by_decay(s, c - s * last, last, centre, n) for s, c in decay()]
        return min(bounds, default=math.inf)
    # delta is below its last value up to ``far``, where the Gaussian takes over: its tail falls at a rate of z / mu
    z = max(1.0, math.sqrt(max(-2.0 * math.log(value), 0.0)))
    far = max(last, (0.5 * mu * mu + mu * z) * (1.0 + 8.0 * UNIT))
    z = (far / mu - 0.5 * mu) * (1.0 - 8.0 * UNIT) - 4.0 * UNIT * mu
    level = value * _largest_weight(far, centre, n) * (far - last)
    if not z > 0.5:
        return math.inf
    return (level + float(ndtr(-z)) * _moments_of_decay(z / mu, far, centre, n)) * (1.0 + AMPLE)


def _by_decay(s: float, log_level: float, last: float, centre: float, n: int) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(log_level)) * _moments_of_decay(s, last, centre, n) * (1.0 + AMPLE)


def _largest_weight(t: float, centre: float, n: int) -> float:
    """|w| is nowhere larger up to ``t``."""
    size = np.float64(t + abs(centre))
    return 1.0 if n == 1 else float(n * size ** (n - 2) * (size + (n - 1)))


def _moments_of_decay(rate: float, start: float, centre: float, n: int) -> float:
    """The integral of |w(t)| e^{-rate (t - start)} over t > ``start``, from above."""
    size, slow = np.float64(start + abs(centre)), np.float64(rate)

    def power(m: int) -> float:
        return float(sum(math.perm(m, j) * size ** (m - j) / slow ** (j + 1) for j in range(m + 1)))

    found = power(0) if n == 1 else n * (power(n - 1) + (n - 1) * power(n - 2))
    return found * (1.0 + SLIGHT)
