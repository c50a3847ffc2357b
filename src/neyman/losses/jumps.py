"""The rare jumps of one sampled step: what its bulk (``SoftBulk``) leaves of the law, cut at ``cut``.

A_j(w) = int (1 - g(x)) phi(x) r(x)^w dx over x < cut is integrated along z = end + s e^{i theta} and, at the end of the
law, straight back to the real axis. Where omega is large, e^{-omega arg r} damps all but the nearest jumps, and the
tilt costs little, since 1 - g dies like e^{-Re z^2/width^2}. The trapezoid is certified on the two parallels tau away:
the modulus there is the moment generating function of a positive measure, convex in omega, hence largest at an end of
each block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from neyman._validate import FloatArray
from neyman.losses.sampling_transform import ComplexArray, SamplingTransform, log_ratio
from neyman.numerics.rounding import COMPLEX_LOG_NDTR
from neyman.numerics.rounding import UNIT as _UNIT

__all__ = ["Jumps"]

_TILTS = (0.0, 0.12, 0.3, 0.5)
_PARALLELS = np.array([0.15, 0.5, 1.5, 4.0])  # in widths
_FADED = 70.0  # e-folds of 1 - g at the lower end of a line
_COARSE = 0.25  # widths: grid of the bounds
_SAFE = 4.0  # what a coarse sum of a positive function may miss
_RATIO = 4.0  # between the ends of a block of omega
_SPECIAL = COMPLEX_LOG_NDTR * _UNIT  # of 1 - g along the paths, relative
_CHUNK = 1 << 13


@dataclass(frozen=True)
class _Path:
    """One tilted line with its parallels: log modulus of the density, and the loss, on a coarse grid of s."""

    turn: complex
    s: FloatArray
    tau: FloatArray
    log_modulus: FloatArray  # the line itself, its parallels below, its parallels above
    loss: ComplexArray
    whole: bool  # as far as to the end of the law

    @property
    def gap(self) -> float:
        """Spacing of the grid."""
        return float(self.s[1] - self.s[0])

    def heights(self, w: float, ends: tuple[float, float]) -> FloatArray:
        """For each tau, log of the largest modulus on the line and the parallels, for any omega between the ends."""
        each = np.max([self.log_modulus + w * self.loss.real - omega * self.loss.imag for omega in ends], axis=0)
        count = len(self.tau)
        return np.maximum(each[0], np.maximum(each[1 : 1 + count], each[1 + count :]))


@dataclass(frozen=True)
class _Rule:
    """A trapezoid along a path: from its beginning to s = ``stop``."""

    path: _Path
    step: float
    stop: float
    log_error: float

    @property
    def count(self) -> int:
        return math.ceil((self.stop - self.path.s[0]) / self.step) + 1


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
        first = 1.0 / max(self._loss_at_cut, 1e-300)
        start = 0
        while start < len(omega):
            top = max(_RATIO * float(omega[start]), first)
            stop = max(start + 1, int(np.searchsorted(omega, top, side="right")))
            value[start:stop], error[start:stop] = self._block(w, omega[start:stop], margin)
            start = stop
        return value, error

    def _block(self, w: float, omega: FloatArray, margin: float) -> tuple[ComplexArray, FloatArray]:
        size, ends = self._log_size(w), (float(omega[0]), float(omega[-1]))
        rules = [self._rule(path, w, ends, size, size - margin) for path in self._paths]
        enough = min(rule.log_error for rule in rules) + 2.0
        rule = min((rule for rule in rules if rule.log_error <= enough), key=lambda rule: rule.count)
        turn = rule.path.turn
        offset = (rule.path.s[0] + rule.step * np.arange(rule.count)) * (turn if turn.imag else 1.0)
        log_share, log_normal, loss = self._along(offset)
        weight = np.exp(log_share + log_normal + w * loss) * (rule.step * turn)
        # of the error function, only what it differs from 1 is unsure; a node is a rounding of its place
        special = _SPECIAL * np.minimum(np.abs(np.expm1(log_share)), 1.0) if turn.imag else 0.0
        place = np.abs(self.end + offset) / self.law.sigma**2
        still = special + _UNIT * (32.0 + 4.0 * np.abs(log_share + log_normal))
        moving = _UNIT * (8.0 + 2.0 * place) * np.abs(loss)
        value: ComplexArray = np.empty(len(omega), complex)
        error = np.empty(len(omega))
        rows = max(1, _CHUNK // len(weight))
        for i in range(0, len(omega), rows):
            part = omega[i : i + rows]
            terms = np.exp(1j * np.multiply.outer(part, loss)) * weight
            value[i : i + rows] = terms.sum(axis=1)
            modulus = np.abs(terms)
            error[i : i + rows] = (modulus * still).sum(axis=1) + (part + w) * (modulus * moving).sum(axis=1)
        return value, error + math.exp(min(rule.log_error, 700.0))

    def _rule(self, path: _Path, w: float, ends: tuple[float, float], size: float, target: float) -> _Rule:
        """The widest step along ``path`` that is good enough, and where it may stop."""
        height = path.heights(w, ends)
        # beyond a place, all that is left
        rest = np.logaddexp.accumulate(height[:, ::-1], axis=1)[:, ::-1] + math.log(_SAFE * path.gap)
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
        wall = math.log(_SAFE * (step + tau + self.width))
        # where it stops, what is left from there (straight on, or along a parallel of the real axis, where arg r only
        # grows), and the way back to that axis at the end of the law
        away = float((path.s[-1] if path.whole else path.s[stop]) * path.turn.imag)
        faults = [target + 0.5, height[best, stop] + wall, height[best, 0] + wall, self._log_back(w, ends[0], away)]
        if stop < last or not path.whole:
            risen = 0.5 * (away / self.law.sigma) ** 2
            flat = size + math.log(_SAFE) + risen - ends[0] * float(path.loss[0, stop].imag)
            faults.append(min(flat, float(rest[best, stop])) if path.whole else flat)
        return _Rule(path, step, float(path.s[stop]), float(np.logaddexp.reduce(faults)))

    def _log_size(self, w: float) -> float:
        """log A_j(w), nearly."""
        path = self._paths[0]
        height = path.log_modulus[0] + w * path.loss[0].real
        return float(np.logaddexp.reduce(height)) + math.log(path.gap)

    def _log_back(self, w: float, omega: float, away: float) -> float:
        """Log of the bound on the integral from cut + i ``away`` down to the cut, for that omega and beyond."""
        if away == 0.0:
            return -math.inf
        y = away * np.concatenate([[0.0], np.geomspace(1e-6, 1.0, 60)])
        turn = np.imag(log_ratio(self.cut + 1j * y, self.law.sigma, self.law.rate))
        # |phi| grows, |r|^w does not, and |1 - g| stays below 2
        height = 0.5 * (y / self.law.sigma) ** 2 - omega * turn
        edge = float(SamplingTransform.log_density(self.law, self.cut)) + w * self._loss_at_cut
        higher = np.maximum(height[1:], height[:-1])
        return edge + math.log(2.0) + float(np.logaddexp.reduce(higher + np.log(np.diff(y))))

    @cached_property
    def _loss_at_cut(self) -> float:
        return float(log_ratio(np.array(self.cut), self.law.sigma, self.law.rate))

    @cached_property
    def _paths(self) -> tuple[_Path, ...]:
        # short of Im t = pi, where r may vanish
        room = 0.8 * math.pi * self.law.sigma**2
        reach = self.cut - self.end
        return tuple(self._path(theta, reach, room) for theta in _TILTS)

    def _path(self, theta: float, reach: float, room: float) -> _Path:
        turn = complex(math.cos(theta), math.sin(theta))
        # it begins where 1 - g has died, even 1.5 widths beside a tilted line
        fade, lean = math.cos(2.0 * theta), 1.5 * math.sin(2.0 * theta)
        low = -self.width * (lean + math.sqrt(lean**2 + _FADED * fade)) / fade
        high = reach / math.cos(theta)
        whole = high * math.sin(theta) <= 0.7 * room
        high = high if whole else 0.7 * room / math.sin(theta)
        s = np.linspace(low, high, math.ceil((high - low) / (_COARSE * self.width)) + 2)
        tau = np.minimum(_PARALLELS * self.width, 0.25 * room)
        shifts = np.concatenate([[0.0], -tau, tau])
        log_share, log_normal, loss = self._along((s + 1j * shifts[:, None]) * turn)
        return _Path(turn, s, tau, log_share.real + log_normal.real, np.asarray(loss, complex), whole)

    def _along(self, offset: Any) -> tuple[Any, Any, Any]:
        """log(1 - g), log phi and the loss at ``end`` + ``offset``."""
        z = self.end + offset
        log_share = log_ndtr(math.sqrt(2.0) * offset / self.width)
        return log_share, SamplingTransform.log_density(self.law, z), log_ratio(z, self.law.sigma, self.law.rate)
