"""delta(eps) where noise is large: the sum of t likelihood ratios less t, by straight lines in float64.

With X = sigma (Y - 1), which is nearly normal, V the sum of t of them, and K = sigma t (e^eps - 1) for "remove", the
same of -eps for "add",

    remove:  sigma t delta = E (V - K)_+,       add:  sigma t e^-eps delta = E (K - V)_+,

each (1 / 2 pi i) int e^{-rho K} psi(rho)^t / rho^2 d rho over Re rho = r, r > 0 for the first and r < 0 for the second,
psi(rho) = E e^{rho X}. Nothing cancels: psi is near 1 where phi, of Y itself, is e^{-s}.

**The law is cut** to |z| <= Z of each normal variable, so that psi is entire. That takes at most 2 t N(1 / sigma - Z)
off delta: E S over what is left out is at most t^2 times as much, and (S - K)_+ <= S, (K - S)_+ <= K.

**psi - 1**, as E X = 0, is the integral of n(z) (e^w - 1 - w), w = rho X, but for 2 N(-Z) + |rho| sigma 2 N(1 / sigma -
Z); by the trapezoid rule, Z midway between two nodes. By residues its error is that of int g(z) / (e^{-2 pi i z / h} -
1) round the upper half of a rectangle of height a, and of its mirror image: on the horizontal sides at most int |g(x +-
ia)| dx / (e^{2 pi a / h} - 1) each, on the halves of the vertical ones |1 / (e^{..} - 1)| is 1 / (1 + e^{2 pi y / h}).
There |e^w - 1 - w| <= |w|^2 / 2 max(1, e^{Re w}), and with E = Y(x)

    |X(x + iy)| <= |X(x)| + E y,     Re w <= r X(x) + E (|r| y^2 / (2 sigma) + |Im rho| y),

so that on a vertical side y^2 / 2 + Re w - 2 pi y / h, convex in y, is no more than at one of its ends.

**Lines**, spacing H, sum what is repeated at K + 2 pi m / H (Poisson's formula); E (V - x)_+ is at most e^{-bx}
psi(b)^t / (e b) for every b > 0. **Their cut**: with z moved up by beta, rho' = r cos(beta / sigma) - y sin(beta /
sigma),

    |psi(r + iy)| <= e^{beta^2 / 2 + sigma (rho' - r)} psi(rho') + n(Z) beta e^{beta^2 / 2} (e^l + e^l'),

l, l' the largest of Re (rho X) along the two vertical sides: all of it falls with y.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.allocated.lines.contour import few_bits
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, ROOM, SLIGHT, SMALLEST, UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.profile import Bracket

__all__ = ["Centred", "centred"]

Points = NDArray[np.complex128]

_SERIES, _NEAR = 18, 1.0  # certifying: the last power of w in e^w - 1 - w, of |w| up to 1: what is left is 1 / 19!
_POWERS, _EXPS = 64.0, 24.0  # certifying, units: of |w|^2, by that polynomial; of 1 + |w| + e^{Re w}, by functions
_PLACE = 12.0  # certifying, units of X: expm1, products, and that of rho and X
_WEIGHT = 64.0  # certifying, units: h n(z) but for z^2, a term of a product or a sum; log rho, twice, and of h
_SUMMED = 48.0  # certifying, units: a sum in pairs and exp of a complex number
_GOAL = 42.0  # -log of what a sum may err by, relatively
_STRIPS = np.array([1.5, 2.5, 4.0, 5.5, 7.0, 9.0])  # the a that are tried
_CELLS = 0.125  # of the bound along a horizontal side
_FIRST, _LAST, _APART = 0.5, 40.0, 2.0 ** (1.0 / 6.0)  # r times the root of t: the ends, and the ratio of neighbours
_OTHERS = (0.1, 0.3, 0.5, 0.7, 0.85, 1.2, 1.5, 2.0, 3.0)  # b over r
_SHIFTS = np.linspace(0.7, 1.05, 8)  # beta over y
_STEEPEST = 1.5  # beta over sigma at most
_MOST_NODES, _MOST_PLACES = 4000, 4000  # of a line, and of a sum for psi
_TRIED, _LONGER = 6, 1.1  # ends of a line, and the ratio of one to the last
_AT_ONCE = 1 << 17  # nodes times eps that are held at a time
_COST, _TERM_COST = 250.0, 60.0  # nanoseconds of a node of psi, of one of a line
_DEPTH, _MANY = 8.0, 1000  # of -log delta: lines are laid for a whole number of them, fewer than that
_VAGUE = 0.1  # a relative error from which nothing is known


@dataclass(frozen=True)
class _Sum:
    """The trapezoid rule for psi: nodes ``h`` times -``last`` to ``last``."""

    sigma: float
    h: float
    last: int

    @property
    def end(self) -> float:
        """Z."""
        return (self.last + 0.5) * self.h

    @cached_property
    def nodes(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """z, h n(z), X, and what X errs by."""
        z = np.arange(-self.last, self.last + 1.0) * self.h
        power = z / self.sigma - 0.5 / self.sigma**2
        x = self.sigma * np.expm1(power)
        weight = (self.h / math.sqrt(2.0 * math.pi)) * np.exp(-0.5 * z * z)
        return z, weight, x, UNIT * (_PLACE * np.abs(x) + (np.abs(z) + 2.0 / self.sigma) * np.exp(power) * 4.0)

    def excess(self, rho: Points) -> tuple[Points, FloatArray]:
        """psi - 1, and a bound on its error."""
        z, weight, x, moved = self.nodes
        w = rho[:, None] * x
        size = np.abs(w)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            near = size < _NEAR
            value, most, far = np.empty_like(w), np.maximum(np.exp(w.real), 1.0), w[~near]
            value[near], value[~near] = _second(w[near]), np.exp(far) - 1.0 - far
            rounded = np.where(near, _POWERS * size * size, _EXPS * (1.0 + size + most))
            rounded = rounded + (2.0 * z * z + _WEIGHT + len(z)) * np.minimum(0.5 * size * size, 2.0 + size) * most
            lost = UNIT * rounded + np.minimum(size, 2.0) * most * np.abs(rho)[:, None] * moved
            found, error = value @ weight, (lost @ weight) * (1.0 + AMPLE)
        if np.all(rho.real == rho.real[0]):
            missed = self.missed(rho.real[:1], np.max(np.abs(rho.imag), keepdims=True))
        else:
            missed = self.missed(rho.real, np.abs(rho.imag))
        tail = 2.0 * math.exp(float(log_ndtr(1.0 / self.sigma - self.end)))
        error = error + (missed + tail * (1.0 + self.sigma * np.abs(rho))) * (1.0 + AMPLE)
        return found, np.where(np.isfinite(error) & np.isfinite(found), error, np.inf)

    def missed(self, real: FloatArray, high: FloatArray) -> FloatArray:
        """What the sum errs by at each Re rho, up to |Im rho| = ``high``."""
        flat = log_horizontal(self.sigma, self.end, real, high)
        with np.errstate(under="ignore"):
            inside = 2.0 * math.pi * _STRIPS / self.h
            flat = flat - inside - np.log1p(-np.exp(-inside))
            y = np.append(0.0, _STRIPS)
            ends = [_log_most(self.sigma, (x, x), real[:, None], high[:, None], y) for x in (-self.end, self.end)]
            side = np.maximum(*ends)
            side = np.maximum(side[:, :1], side[:, 1:] - inside) + np.log(2.0 * _STRIPS)
            best = np.min(np.nan_to_num(np.logaddexp(flat, side), nan=np.inf, posinf=np.inf), axis=1)
            return np.asarray(2.0 * np.exp(np.minimum(best, LARGEST_EXPONENT)), dtype=np.float64)


def _second(w: Points) -> Points:
    """e^w - 1 - w by its power series."""
    found = np.full_like(w, 1.0 / math.factorial(_SERIES))
    for k in range(_SERIES - 1, 1, -1):
        found *= w
        found += 1.0 / math.factorial(k)
    return found * w * w


def _log_most(
    sigma: float, cell: tuple[FloatArray | float, FloatArray | float], real: FloatArray, high: FloatArray, y: FloatArray
) -> FloatArray:
    """log of |n(x + iy) (e^w - 1 - w)| from above, for x in a ``cell`` that does not hold 0 inside."""
    left, right = (np.asarray(x, dtype=np.float64) for x in cell)
    nearest = np.minimum(np.abs(left), np.abs(right))
    grown = np.exp(right / sigma - 0.5 / sigma**2)
    low, top = (sigma * np.expm1(x / sigma - 0.5 / sigma**2) for x in (left, right))
    size = np.hypot(real, high) * (np.maximum(np.abs(low), np.abs(top)) + grown * y)
    power = np.maximum(real * low, real * top) + grown * (np.abs(real) * y * y / (2.0 * sigma) + high * y)
    log = np.maximum(power, 0.0) + 2.0 * np.log(size) - 0.5 * nearest**2 + 0.5 * y * y
    room = ROOM * (1.0 + np.abs(power) + nearest**2 + y * y)
    return np.asarray(log - math.log(2.0) - 0.5 * math.log(2.0 * math.pi) + room, dtype=np.float64)


def log_horizontal(sigma: float, end: float, real: FloatArray, high: FloatArray) -> FloatArray:
    """log of the integral along the horizontal side of each of the strips, from above, a row for each Re rho."""
    half = np.append(np.arange(0.0, end, _CELLS), end)
    left, right = np.append(-half[:0:-1], half[:-1]), np.append(-half[-2::-1], half[1:])
    shape = (slice(None), None, None)
    log = _log_most(sigma, (left, right), real[shape], high[shape], _STRIPS[:, None]) + np.log(right - left)
    top = np.max(log, axis=-1)
    with np.errstate(under="ignore", invalid="ignore", over="ignore"):
        return np.asarray(top + np.log(np.sum(np.exp(log - top[..., None]), axis=-1)) + ROOM, dtype=np.float64)


class _Line(NamedTuple):
    """Nodes: rho, log of what stands before e^{-rho K}, its relative error; spacing; some b, log of psi(b)^t / (e b)
    from above; log of what is left beyond the last node, but for e^{-rK}; what the cut law takes off delta.
    """

    rho: Points
    log: Points
    off: FloatArray
    h: float
    b: FloatArray
    bound: FloatArray
    beyond: float
    lost: float

    def chernoff(self, k: FloatArray) -> FloatArray:
        """log of what it is summing at most at each K, by each b."""
        moved = self.b * k[:, None]
        return self.bound - moved + ROOM * (np.abs(self.bound) + np.abs(moved) + 1.0)

    def terms(self, k: FloatArray) -> dict[str, FloatArray]:
        """What the sum errs by at each K but for rounding."""
        r = float(self.rho[0].real)
        apart = np.abs(self.b - r) * (2.0 * math.pi / self.h) * (1.0 - SLIGHT)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            other = self.chernoff(k) - np.log(np.expm1(apart))
            sides = [other[:, np.abs(self.b) > abs(r)], other[:, np.abs(self.b) < abs(r)]]
            aliased = np.sum([np.exp(np.min(side, axis=1)) for side in sides], axis=0)
            return {"aliasing": aliased, "truncation": np.exp(self.beyond - r * k * (1.0 - ROOM)) * (1.0 + AMPLE)}


@dataclass(frozen=True)
class Centred:
    """That of ``t`` steps at noise ``sigma``."""

    sigma: float
    t: int

    @cached_property
    def _lines(self) -> dict[tuple[int, bool, int], _Line | None]:
        return {}

    @cached_property
    def _places(self) -> FloatArray:
        """|r|."""
        many = math.ceil(math.log(_LAST / _FIRST) / math.log(_APART))
        return np.array([few_bits(_FIRST * _APART**i / math.sqrt(self.t)) for i in range(many + 1)])

    @cached_property
    def _logs(self) -> dict[bool, FloatArray]:
        """About log psi at each r, of both signs."""
        z = np.linspace(-_LAST, _LAST, 2001)
        x = self.sigma * np.expm1(z / self.sigma - 0.5 / self.sigma**2)
        found = {}
        for remove in (True, False):
            r = self._places[:, None] * (1.0 if remove else -1.0)
            power = np.where(np.abs(z) <= 8.0 + 2.0 * np.abs(r), r * x - 0.5 * z * z, -np.inf)
            top = np.max(power, axis=1)
            whole = np.sum(np.exp(power - top[:, None]), axis=1) * (z[1] - z[0]) / math.sqrt(2.0 * math.pi)
            found[remove] = top + np.log(whole)
        return found

    def bracket(self, epsilon: FloatArray, remove: bool) -> Bracket:
        """Bounds at each eps; where there are none 0 and 1."""
        lower, upper = np.zeros_like(epsilon), np.ones_like(epsilon)
        for line, at, k in self._served(epsilon, remove):
            lower[at], upper[at] = self._summed(line, k, epsilon[at], remove)
        return Bracket.of_delta(lower, upper)

    def slope(self, epsilon: FloatArray, remove: bool) -> FloatArray:
        """-d delta / d eps, about; nan where there is no line."""
        found = np.full_like(epsilon, np.nan)
        for line, at, k in self._served(epsilon, remove):
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                term = np.asarray(np.exp(line.log - line.rho * k[:, None]), dtype=np.complex128)
                tail = np.sum((term * line.rho).real, axis=1)  # P(V > K), or less P(V < K)
                grown = np.exp(epsilon[at])
                put = 0.0 if remove else np.sum(term.real, axis=1) * grown / (self.sigma * self.t)
                found[at] = np.maximum(tail * grown if remove else -tail - put, 0.0)
        return found

    def explained(self, epsilon: float, remove: bool) -> tuple[int, dict[str, float]]:
        """How many nodes answer, and what they err by but for rounding."""
        for line, _, k in self._served(np.array([epsilon]), remove):
            whole = self.sigma * self.t * (1.0 if remove else math.exp(-epsilon))
            off = {name: float(value[0]) / whole for name, value in line.terms(k).items()}
            off["truncation"] += line.lost
            return len(line.rho), off
        return 0, {}

    def _served(self, epsilon: FloatArray, remove: bool) -> Iterator[tuple[_Line, NDArray[np.intp], FloatArray]]:
        """Lines, which eps they serve, and K at these."""
        k = self.sigma * self.t * np.expm1(epsilon if remove else -epsilon)
        size = self._logs[remove] * self.t - 2.0 * np.log(self._places)
        turns = np.maximum.accumulate(np.diff(size) / np.diff(self._places))  # the |K| from which the next r is better
        depth = np.ceil(-self._least(epsilon) / _DEPTH).astype(np.int64)
        both = np.searchsorted(turns, np.abs(k)) * _MANY + depth
        for one in np.unique(both).tolist():
            line = self._line(one // _MANY, remove, _DEPTH * (one % _MANY))
            if line is None:
                continue
            at, many = np.flatnonzero(both == one), max(_AT_ONCE // len(line.rho), 1)
            for some in (at[i : i + many] for i in range(0, len(at), many)):
                if allowance().take(_TERM_COST * len(line.rho) * len(some)):
                    yield line, some, k[some]

    def _least(self, epsilon: FloatArray) -> FloatArray:
        """About log of a bound on delta from below: whoever adds all outputs up sees a Gaussian mechanism."""
        mu = 1.0 / (self.sigma * math.sqrt(self.t))
        c = epsilon / mu
        log = -0.5 * c * c - np.log(math.sqrt(2.0 * math.pi) * (1.0 + c * c)) + math.log(mu)
        return np.maximum(log, -LARGEST_EXPONENT)

    def _summed(self, line: _Line, k: FloatArray, epsilon: FloatArray, remove: bool) -> tuple[FloatArray, FloatArray]:
        whole = self.sigma * self.t * np.exp(0.0 if remove else -epsilon)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            power = line.log - line.rho * k[:, None]
            term = np.asarray(np.exp(power), dtype=np.complex128)
            off = line.off + UNIT * (16.0 * np.abs(line.rho * k[:, None]) + 8.0 * np.abs(power.imag) + _SUMMED)
            value = np.sum(term.real, axis=1)
            error = np.sum(np.abs(term) * np.expm1(off), axis=1) * (1.0 + AMPLE) + sum(line.terms(k).values())
            lower = (value - error * (1.0 + AMPLE)) / whole * (1.0 - SLIGHT) - SMALLEST
            upper = ((value + error * (1.0 + AMPLE)) / whole + line.lost) * (1.0 + SLIGHT) + SMALLEST
            good = np.isfinite(lower) & np.isfinite(upper) & (error < _VAGUE * value)
            most = (np.exp(np.min(line.chernoff(k), axis=1)) * (1.0 + AMPLE) / whole + line.lost) * (1.0 + SLIGHT)
        upper = np.fmin(np.where(good, upper, 1.0), np.nan_to_num(most + SMALLEST, nan=1.0))
        return np.where(good, np.clip(lower, 0.0, 1.0), 0.0), np.clip(upper, 0.0, 1.0)

    def _line(self, place: int, remove: bool, depth: float) -> _Line | None:
        """That of one r, for a delta of e^-``depth`` or more."""
        key = place, remove, round(depth)
        if key not in self._lines:
            r = float(self._places[place]) * (1.0 if remove else -1.0)
            end = math.sqrt(2.0 * (_GOAL + depth + math.log(self.t))) + 1.0 / self.sigma
            made = self._planned(r, end)
            if made is None or allowance().take(_COST * made[0].last * 2 * made[2]):
                self._lines[key] = None if made is None else self._laid(r, *made)
            else:
                return None
        return self._lines[key]

    def _planned(self, r: float, end: float) -> tuple[_Sum, float, int, float] | None:
        """The sum for psi, the spacing, how many nodes, and log |psi|^t beyond them."""
        t = self.t
        top = float(np.interp(abs(r), self._places, self._logs[r > 0.0])) * t
        high = math.sqrt(2.0 * (_GOAL + 4.0) / t)
        rule, log = None, math.inf
        for _ in range(_TRIED):
            rule = self._rule(r, high, end)
            if rule is None:
                return None
            log = self._beyond(rule, r, high)
            if log <= top - _GOAL:
                break
            high *= _LONGER
        if rule is None or not log < math.inf:
            return None
        size = self._logs[r > 0.0] * t
        fall = t * float(np.interp(abs(r), self._places[1:], np.diff(self._logs[r > 0.0]) / np.diff(self._places)))
        room = 1.0
        for further in (self._places > abs(r), self._places < abs(r)):
            if not further.any():
                continue
            b = self._places[further]
            rise = size[further] - top - (b - abs(r)) * fall + np.log(abs(r) / b)
            room = max(room, float(np.min(np.maximum(rise + _GOAL + 4.0, 1.0) / np.abs(b - abs(r)))))
        h = few_bits(2.0 * math.pi / room)
        nodes = math.ceil(high / h) + 1
        return (rule, h, nodes, log) if nodes <= _MOST_NODES else None

    def _rule(self, r: float, high: float, end: float) -> _Sum | None:
        """The coarsest that is good enough up to |Im rho| = ``high``."""
        goal = _GOAL + 2.0 * max(-math.log(abs(r)), 0.0)
        flat = np.maximum(log_horizontal(self.sigma, end, np.array([r]), np.array([high])), 0.0)
        h = few_bits(float(np.nan_to_num(np.max(2.0 * math.pi * _STRIPS / (flat + goal)))))
        return _Sum(self.sigma, h, math.ceil(end / h)) if h * _MOST_PLACES > end else None

    def _real(self, rule: _Sum, r: FloatArray) -> FloatArray:
        """log psi at real points, from above."""
        value, error = rule.excess(np.asarray(r, dtype=np.complex128))
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(np.log1p(value.real + error), nan=np.inf, posinf=np.inf) + SLIGHT

    def _beyond(self, rule: _Sum, r: float, y: float) -> float:
        """log |psi(r + iy')|^t at most, for every y' >= y."""
        sigma, end = self.sigma, rule.end
        beta = y * _SHIFTS
        beta = beta[beta < _STEEPEST * sigma]
        if not len(beta):
            return math.inf
        turn = beta / sigma
        real = r * np.cos(turn) - y * np.sin(turn)
        sides = [
            sigma * np.maximum(r * (scale - 1.0), r * (scale * np.cos(turn) - 1.0))
            for scale in (math.exp(x / sigma - 0.5 / sigma**2) for x in (-end, end))
        ]
        edge = np.logaddexp(*sides) - 0.5 * end**2 + np.log(beta)
        room = ROOM * (1.0 + sigma * (np.abs(real) + abs(r)) + end**2 + np.abs(edge))
        found = 0.5 * beta**2 + np.logaddexp(sigma * (real - r) + self._real(rule, real), edge) + room
        return self.t * float(np.min(np.nan_to_num(found, nan=np.inf, posinf=np.inf))) + AMPLE

    def _laid(self, r: float, rule: _Sum, h: float, nodes: int, log_beyond: float) -> _Line:
        """The line with its nodes."""
        t = self.t
        rho = np.asarray(r + 1j * (np.arange(nodes) * h), dtype=np.complex128)
        value, error = rule.excess(rho)
        modulus = np.abs(1.0 + value)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log = t * log1p(value) - 2.0 * np.log(rho) + math.log(h / math.pi)
            off = t * (1.0 + ROOM) * error / np.maximum(modulus - error, 0.0)
            off = off + UNIT * (16.0 * t * np.abs(log1p(value)) + _WEIGHT + 16.0 * np.abs(np.log(rho)))
        log[0] -= math.log(2.0)
        b = r * np.array(_OTHERS)
        bound = t * self._real(rule, b) - 1.0 - np.log(np.abs(b))
        beyond = log_beyond - math.log(math.pi * (nodes - 1.0) * h) + ROOM
        lost = 2.0 * t * math.exp(float(log_ndtr(1.0 / self.sigma - rule.end))) * (1.0 + AMPLE)
        return _Line(rho, log, np.where(np.isnan(off), np.inf, off), h, b, bound, beyond, lost)


@lru_cache(maxsize=16)
def centred(sigma: float, t: int) -> Centred:
    """One for all who ask."""
    return Centred(sigma, t)
