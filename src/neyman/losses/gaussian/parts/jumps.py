"""The rare jumps of one sampled step: what its bulk (``SoftBulk``) leaves of the law, cut at ``cut``.

A_j(w) = int (1 - g(x)) phi(x) r(x)^w dx over x < cut is integrated along z = end + s e^{i theta} and, at the end of the
law, straight back to the real axis. Where omega is large, e^{-omega arg r} damps all but the nearest jumps, and the
tilt costs little, since 1 - g dies like e^{-Re z^2/width^2}. The trapezoid is certified on the two parallels tau away:
the modulus there is the moment generating function of a positive measure, convex in omega, hence largest at an end of
each block.

The modulus is bounded by exponentials of functions h with -h'' <= M along every line,

    M = 2/width^2 + 1/s^2 + |w + i omega| p (1 - p) / (s^4 cos^2(Im z / 2 s^2)),      p = q e^t / r at Re z,

by (x - end = width v, Im z = width u) |1 - g(z)| <= 1 - g(x) + c e^{u^2 - v^2} / sqrt(pi), c = min(|u|, 0.542) on the
real axis and 0.542 elsewhere, as of the bulk (``SoftBulk.log_smooth``): the exponents of both terms are concave or
quadratic. On a cell of a grid of spacing d such a function, or the largest of several, lies at most M d^2/8 above its
chord, and the exponential of a chord integrates to at most the mean of its ends: an integral is at most d times the sum
over the nodes, each raised by that.

A rule begins and ends half a step beyond its nodes. There the strip is crossed, between parallels tau away, with the
kernel 1/(1 + e^{2 pi |eta|/step}); across, log|F| lies at most M tau^2/8 above its chord, on a half of the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.gaussian.parts.bulk import DAWSON
from neyman.losses.gaussian.parts.soft_jumps import SoftJumps
from neyman.losses.gaussian.transform import ComplexArray, SamplingTransform, log_ratio
from neyman.losses.sampling import wavering
from neyman.numerics.rounding import COMPLEX_LOG_NDTR, LARGEST_EXPONENT, TINY, UNIT

__all__ = ["Jumps"]

_TILTS = (0.0, 0.12, 0.3, 0.5)  # angles of the paths that are tried: all are sound
_PARALLELS = np.array([0.15, 0.5, 1.5, 4.0])  # in widths
_FADED = 70.0  # e-folds of 1 - g at the lower end of a line
_MET = 2.5  # e-folds by which a rule may miss what is wanted of it
_COARSE = 0.25  # widths: grid of the bounds
_HIGHEST = 0.77 * math.pi  # of |Im t| on all lines and parallels, where r keeps away from 0
_STEEPEST = 3.7  # of log(p (1 - p) / cos^2(y/2)) in t = x + iy, |y| < 0.77 pi: 1 + tan(0.77 pi / 2) = 3.645
_ACROSS = 3.2  # what M may grow by between a line and its parallels: e^{3.7 tau / 2 s^2}, tau <= 0.2 pi s^2
_RATIO = 4.0  # between the ends of a block of omega
_SPECIAL = COMPLEX_LOG_NDTR * UNIT  # of 1 - g along the paths, relative
_NARROW = 1.3  # the same ratio of a block that is not divided
_USEFUL = 12.0  # e-folds of accuracy above which a rule is compared with what is known without one
_CHUNK = 1 << 13  # entries of a table that stays in the cache
_LONGEST = 1 << 20  # nodes of a rule: beyond, nothing is known but the size
_UNITS = 32.0  # certifies: of a term along a path, beside what its exponent errs by
_FEWER = 1e-3  # -log odds from which a bound on how far |r| changes is of use
_WAY = 1e-6, 1.0, 60  # of the way back to the cut: the first and the last of so many cells; any will do
_CLEAR, _SHORT = 0.8, 0.7  # of Im t = pi, where r may vanish: shares that lines may come to, and tilted paths of that
_GROWN = 300.0  # log of growth in a cell beyond which the bound that holds anywhere is the smaller


@dataclass(frozen=True)
class _Path:
    """One tilted line with its parallels: log modulus of the density, and the loss, on a coarse grid of s."""

    turn: complex
    s: FloatArray
    tau: FloatArray
    log_modulus: FloatArray  # of a bound on it: the line itself, its parallels below, its parallels above
    loss: ComplexArray
    turning: FloatArray  # of the same lines: second derivative of the loss, at most, in the cells beside each node
    bend: float  # the same of log_modulus
    whole: bool  # as far as to the end of the law

    @property
    def gap(self) -> float:
        """Spacing of the grid."""
        return float(self.s[1] - self.s[0])

    def heights(self, w: float, ends: tuple[float, float]) -> FloatArray:
        """For each tau, log of the largest modulus on the line and the parallels, for any omega between the ends."""
        each = np.max([self.log_modulus + w * self.loss.real - omega * self.loss.imag for omega in ends], axis=0)
        return self._highest(each)

    def curvature(self, w: float, omega: float) -> FloatArray:
        """M, for each tau, at each node."""
        return self.bend + math.hypot(w, omega) * self._highest(self.turning)

    def _highest(self, each: FloatArray) -> FloatArray:
        count = len(self.tau)
        return np.maximum(each[0], np.maximum(each[1 : 1 + count], each[1 + count :]))


@dataclass(frozen=True)
class _Rule:
    """Nodes along a path, in the middles of steps from s = ``stop`` back to its beginning."""

    path: _Path
    step: float
    stop: float
    log_error: float

    @property
    def count(self) -> int:
        return max(1, math.floor((self.stop - self.path.s[0]) / self.step + 0.5))

    def nodes(self) -> FloatArray:
        """Ascending s."""
        return self.stop - self.step * np.arange(self.count - 0.5, 0.0, -1.0)


@dataclass(frozen=True)
class Jumps:
    """A_j(w + i omega) of the jumps of ``law`` above ``end``, soft over ``width``, cut at ``cut``."""

    law: SamplingTransform
    end: float
    width: float
    cut: float

    def on_line(self, w: float, omega: FloatArray, margin: float) -> tuple[ComplexArray, FloatArray]:
        """A_j at ``omega`` >= 0 (1-d, ascending), for w >= 0, with a bound on the absolute error of each value.

        ``margin``: how many e-folds below A_j(w) the quadrature error should lie.
        """
        value, error = np.empty(len(omega), complex), np.empty(len(omega))
        first = 1.0 / max(self._loss_at_cut, TINY)
        start = 0
        while start < len(omega):
            top = max(_RATIO * float(omega[start]), first)
            stop = max(start + 1, int(np.searchsorted(omega, top, side="right")))
            value[start:stop], error[start:stop] = self._block(w, omega[start:stop], margin)
            start = stop
        return value, error

    def _block(self, w: float, omega: FloatArray, margin: float) -> tuple[ComplexArray, FloatArray]:
        size, ends = self._log_size(w), (float(omega[0]), float(omega[-1]))
        rule = self._chosen(w, ends, size, size - margin)
        # no transform is larger than at its real point
        log_most = size
        if rule.log_error > size - _USEFUL and ends[0] > 0.0:  # nor, of jumps that begin at ``end``, than this
            log_most = min(size, self._soft.log_bound_at(w, ends[0], self.cut))
        most = math.exp(log_most) if log_most < LARGEST_EXPONENT else math.inf
        if not rule.log_error < log_most or rule.count > _LONGEST:
            if ends[1] > _NARROW * ends[0] > 0.0 and len(omega) > 1:  # of a smaller range more may be known
                middle = min(max(int(np.searchsorted(omega, math.sqrt(ends[0] * ends[1]))), 1), len(omega) - 1)
                halves = [self._block(w, part, margin) for part in (omega[:middle], omega[middle:])]
                return np.concatenate([a for a, _ in halves]), np.concatenate([b for _, b in halves])
            return np.zeros(len(omega), complex), np.full(len(omega), most)
        turn = rule.path.turn
        offset = rule.nodes() * (turn if turn.imag else 1.0)
        log_share, log_normal, loss = self._along(offset)
        weight = np.exp(log_share + log_normal + w * loss) * (rule.step * turn)
        # of the error function, only what it differs from 1 is unsure; a node is a rounding of its place
        special = _SPECIAL * np.minimum(np.abs(np.expm1(log_share)), 1.0) if turn.imag else 0.0
        place = np.abs(self.end + offset) / self.law.sigma**2
        still = special + UNIT * (_UNITS + 4.0 * np.abs(log_share + log_normal))
        moving = UNIT * (8.0 + 2.0 * place) * np.abs(loss)
        value: ComplexArray = np.empty(len(omega), complex)
        error = np.empty(len(omega))
        rows = max(1, _CHUNK // len(weight))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what is no number is refused below
            for i in range(0, len(omega), rows):
                part = omega[i : i + rows]
                terms = np.exp(1j * np.multiply.outer(part, loss)) * weight
                value[i : i + rows] = terms.sum(axis=1)
                modulus = np.abs(terms)
                error[i : i + rows] = (modulus * still).sum(axis=1) + (part + w) * (modulus * moving).sum(axis=1)
        error = error + (math.exp(rule.log_error) if rule.log_error < LARGEST_EXPONENT else math.inf)
        return np.where(error < most, value, 0.0), np.where(error < most, error, most)

    def _chosen(self, w: float, ends: tuple[float, float], size: float, target: float) -> _Rule:
        """The first that is as good as wanted, else of the best the shortest."""
        rules: list[_Rule] = []
        for path in self._paths:
            rules.append(self._rule(path, w, ends, size, target))
            if rules[-1].log_error <= target + _MET:
                return rules[-1]
        enough = min(rule.log_error for rule in rules) + _MET
        return min((rule for rule in rules if rule.log_error <= enough), key=lambda rule: rule.count)

    def _rule(self, path: _Path, w: float, ends: tuple[float, float], size: float, target: float) -> _Rule:
        """The widest step along ``path`` that is good enough, and where it may stop."""
        height, curve = path.heights(w, ends), path.curvature(w, ends[1])
        # beyond a place, all that is left
        raised = height + 0.125 * path.gap**2 * curve
        rest = np.logaddexp.accumulate(raised[:, ::-1], axis=1)[:, ::-1] + math.log(path.gap)
        turns = np.maximum(rest[:, 0] + math.log(2.0) - target, 1.0)
        # a strip that has not died where the line begins is no use
        begins = np.maximum(height[:, 0], target)
        best = int(np.argmax(np.where(begins <= begins.min() + 1.0, path.tau / turns, 0.0)))
        tau = float(path.tau[best])
        step = 2.0 * math.pi * tau / float(turns[best])
        alive = np.flatnonzero(rest[best] > target)
        last = len(path.s) - 1
        clear = int(np.searchsorted(path.s, 2.0 * self.width))  # above the real axis, where 1 - g is nearly 1
        stop = min(max(int(alive[-1]) + 1 if len(alive) else 1, clear), last)
        # height + M tau^2 x (1 - x)/2 - turns x at most, x being the share of the way across
        bends = path.bend + _ACROSS * (curve[best, [0, stop]] - path.bend)
        across = np.maximum(0.5 * tau**2 * bends - turns[best], 0.0)
        wall = math.log(2.0 * (step + tau + self.width))
        before = self._log_before(path, best, w, ends[1], float(height[best, 0])) + float(across[0]) + wall
        # where it stops, what is left from there (straight on, or along a parallel of the real axis, where arg r only
        # grows), and the way back to that axis at the end of the law
        away = float((path.s[-1] if path.whole else path.s[stop]) * path.turn.imag)
        back = self._log_back(w, ends[0], away)
        faults = [target + 0.5, height[best, stop] + across[1] + wall, before, back]
        if stop < last or not path.whole:
            risen = 0.5 * (away / self.law.sigma) ** 2
            # 1 - g(x) > 0.97 there, and |1 - g(z)| < 1.04
            share = math.log(1.5) if clear <= stop else math.inf
            flat = size + share + risen - ends[0] * float(path.loss[0, stop].imag)
            faults.append(min(flat, float(rest[best, stop])) if path.whole else flat)
        return _Rule(path, step, float(path.s[stop]), float(np.logaddexp.reduce(faults)))

    def _log_before(self, path: _Path, index: int, w: float, omega: float, begins: float) -> float:
        """Log of a bound on the modulus where the path begins that from there backwards falls by 1 / width at least, on
        the line and both parallels.

        The share falls by 2 (|s| cos 2 theta - tau sin 2 theta)/width^2, the normal density rises by end/s^2 at most.
        |r| and |arg r| are at most those at the beginning on lines that are not tilted. On others, with rho = |q e^t|/
        (1 - q), (w + i omega) log r changes by |w + i omega| rho/((1 - rho) s^2) at most: slower than the share, and
        the modulus is at most ``begins``; else |log r| is below rho/(1 - rho).
        """
        first, square, s2, tau = -float(path.s[0]), path.turn**2, self.law.sigma**2, float(path.tau[index])
        share = 2.0 * (first * square.real - tau * abs(square.imag)) / self.width**2
        falls = share - (max(self.end, 0.0) + tau) / s2 - 1.0 / self.width
        if not falls > 0.0:
            return math.inf
        rows = [0, 1 + index, 1 + len(path.tau) + index]
        plain, loss = path.log_modulus[rows, 0], path.loss[rows, 0]
        if not path.turn.imag:
            return float(np.max(plain + w * float(loss[0].real) + omega * np.maximum(-loss.imag, 0.0)))
        place = self.end - first * path.turn.real + tau * path.turn.imag
        odds = math.log(self.law.rate) - math.log1p(-self.law.rate) + (2.0 * place - 1.0) / (2.0 * s2)
        if not odds < -_FEWER:
            return math.inf
        changes = math.hypot(w, omega) / math.expm1(-odds)
        return begins if changes < falls * s2 else float(np.max(plain)) + changes

    def _log_size(self, w: float) -> float:
        """log A_j(w), nearly, and from above."""
        path = next(self._paths)
        height = path.log_modulus[0] + w * path.loss[0].real
        raised = height + 0.125 * path.gap**2 * (path.bend + abs(w) * path.turning[0])
        return float(np.logaddexp(np.logaddexp.reduce(raised) + math.log(path.gap), height[0] + math.log(self.width)))

    def _log_back(self, w: float, omega: float, away: float) -> float:
        """Log of the bound on the integral from cut + i ``away`` down to the cut, for that omega and beyond."""
        if away == 0.0:
            return -math.inf
        y = away * np.concatenate([[0.0], np.geomspace(*_WAY)])
        turn = np.imag(log_ratio(self.cut + 1j * y, self.law.sigma, self.law.rate))
        # |phi| grows, |r|^w does not, arg r is concave or rises, and |1 - g| stays below 2
        higher = 0.5 * (y[1:] / self.law.sigma) ** 2 - omega * np.minimum(turn[1:], turn[:-1])
        edge = float(SamplingTransform.log_density(self.law, self.cut)) + w * self._loss_at_cut
        return edge + math.log(2.0) + float(np.logaddexp.reduce(higher + np.log(np.diff(y))))

    @cached_property
    def _soft(self) -> SoftJumps:
        return SoftJumps(self.law.sigma, self.law.rate, self.end, self.width)

    @cached_property
    def _loss_at_cut(self) -> float:
        return float(log_ratio(np.array(self.cut), self.law.sigma, self.law.rate))

    @property
    def _paths(self) -> Iterator[_Path]:
        """Those that may be taken, each laid when somebody looks for more than those before it."""
        # short of Im t = pi, where r may vanish
        room, reach = _CLEAR * math.pi * self.law.sigma**2, self.cut - self.end
        for theta in _TILTS:
            if theta not in self._laid:
                self._laid[theta] = self._path(theta, reach, room)
            path = self._laid[theta]
            # a line that begins far below the real axis, where r may vanish too, is none
            deep = -float(path.s[0]) * path.turn.imag + float(path.tau[-1])
            if path.turn.imag == 0.0 or deep <= _HIGHEST * self.law.sigma**2:
                yield path

    @cached_property
    def _laid(self) -> dict[float, _Path]:
        return {}

    def _path(self, theta: float, reach: float, room: float) -> _Path:
        turn = complex(math.cos(theta), math.sin(theta))
        # it begins where 1 - g has died, even 1.5 widths beside a tilted line
        fade, lean = math.cos(2.0 * theta), 1.5 * math.sin(2.0 * theta)
        low = -self.width * (lean + math.sqrt(lean**2 + _FADED * fade)) / fade
        high = reach / math.cos(theta)
        whole = high * math.sin(theta) <= _SHORT * room
        high = high if whole else _SHORT * room / math.sin(theta)
        s = np.linspace(low, high, math.ceil((high - low) / (_COARSE * self.width)) + 2)
        tau = np.minimum(_PARALLELS * self.width, 0.25 * room)
        shifts = np.concatenate([[0.0], -tau, tau])
        offset = (s + 1j * shifts[:, None]) * turn
        z, sigma = self.end + offset, self.law.sigma
        v, u = offset.real / self.width, np.abs(offset.imag) / self.width
        away = np.log(np.clip(u, DAWSON if theta else TINY, DAWSON) / math.sqrt(math.pi)) + u**2 - v**2
        log_modulus = np.logaddexp(log_ndtr(math.sqrt(2.0) * v), away)
        log_modulus = log_modulus + np.real(SamplingTransform.log_density(self.law, z))
        near = wavering((2.0 * z.real - 1.0) / (2.0 * sigma**2), self.law.rate) / np.cos(0.5 * z.imag / sigma**2) ** 2
        most = 0.25 / math.cos(0.5 * _HIGHEST) ** 2
        turning = np.minimum(near * math.exp(min(float(s[1] - s[0]) * _STEEPEST / sigma**2, _GROWN)), most) / sigma**4
        loss = np.asarray(log_ratio(z, sigma, self.law.rate), complex)
        return _Path(turn, s, tau, log_modulus, loss, turning, 2.0 / self.width**2 + 1.0 / sigma**2, whole)

    def _along(self, offset: Any) -> tuple[Any, Any, Any]:
        """log(1 - g), log phi and the loss at ``end`` + ``offset``."""
        z = self.end + offset
        log_share = log_ndtr(math.sqrt(2.0) * offset / self.width)
        return log_share, SamplingTransform.log_density(self.law, z), log_ratio(z, self.law.sigma, self.law.rate)
