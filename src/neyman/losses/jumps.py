"""The rare jumps of one sampled step: what its bulk (``SoftBulk``) leaves of the law, cut at ``cut``.

A_j(w) = int (1 - g(x)) phi(x) r(x)^w dx over x < cut is integrated along z = end + s e^{i theta}: where omega is large,
e^{-omega arg r} damps all but the nearest jumps, and the tilt costs little, since 1 - g dies like e^{-Re z^2/width^2}.
The trapezoid is certified on the two parallels i tau away: there the modulus is the moment generating function of a
positive measure, convex in omega, hence largest at an end of each block.
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

__all__ = ["Jumps"]

_UNIT = 2.0**-53
_FADED = 70.0  # e-folds of 1 - g at the lower end of a line
_TILTS = (0.0, 0.12, 0.3, 0.5)
_PARALLELS = np.array([0.15, 0.5, 1.5, 4.0])  # in widths
_COARSE = 0.25  # widths: grid of the bounds
_RATIO = 4.0  # between the ends of a block of omega
_SPECIAL = 2e-13  # relative error of the error function of complex argument
_CHUNK = 1 << 13
_DEAD = 50.0


@dataclass(frozen=True)
class _Path:
    """One tilted line with its parallels: log modulus of the density, and the loss, on a coarse grid of s."""

    turn: complex
    s: FloatArray
    tau: FloatArray
    log_modulus: FloatArray
    loss: ComplexArray

    def log_terms(self, w: complex) -> FloatArray:
        return self.log_modulus + w.real * self.loss.real - w.imag * self.loss.imag


@dataclass(frozen=True)
class Jumps:
    """A_j(w + i omega) of the jumps of ``law`` above ``end``, soft over ``width``, cut at ``cut``."""

    law: SamplingTransform
    end: float
    width: float
    cut: float

    def on_line(self, w: float, omega: FloatArray, margin: float) -> tuple[ComplexArray, FloatArray]:
        """A_j at ``omega`` >= 0 (1-d, ascending), with a bound on the error of each value.

        ``margin``: how many e-folds below A_j(w) the quadrature error must lie.
        """
        value, error = np.empty(len(omega), complex), np.empty(len(omega))
        first = 1.0 / max(float(log_ratio(np.array(self.cut), self.law.sigma, self.law.rate)), 1e-300)
        start = 0
        while start < len(omega):
            top = max(_RATIO * float(omega[start]), first)
            stop = max(start + 1, int(np.searchsorted(omega, top, side="right")))
            value[start:stop], error[start:stop] = self._block(w, omega[start:stop], margin)
            start = stop
        return value, error

    def _block(self, w: float, omega: FloatArray, margin: float) -> tuple[ComplexArray, FloatArray]:
        level = self._log_size(w)
        plans = [self._plan(path, w, (float(omega[0]), float(omega[-1])), level - margin) for path in self._paths]
        enough = min(plan[3] for plan in plans) + 2.0
        path, step, last, log_error = min((p for p in plans if p[3] <= enough), key=lambda p: (p[2] - p[0].s[0]) / p[1])
        s = path.s[0] + step * np.arange(math.ceil((last - path.s[0]) / step) + 1)
        offset = s * (path.turn if path.turn.imag else 1.0)
        log_density, loss = self._along(offset)
        weight = np.exp(log_density + w * loss) * (step * path.turn)
        value: ComplexArray = np.empty(len(omega), complex)
        rows = max(1, _CHUNK // len(s))
        size = np.empty(len(omega))
        spread = np.abs(loss)
        # of the error function, only what it differs from 1 is unsure
        special = _SPECIAL * np.minimum(np.abs(np.expm1(self._log_share(offset))), 1.0) if path.turn.imag else 0.0
        for i in range(0, len(omega), rows):
            terms = np.exp(1j * np.multiply.outer(omega[i : i + rows], loss)) * weight
            value[i : i + rows] = terms.sum(axis=1)
            modulus = np.abs(terms)
            each = special + _UNIT * (32.0 + np.abs(log_density) + 2.0 * np.multiply.outer(omega[i : i + rows] + w, spread))
            size[i : i + rows] = np.einsum("ij,ij->i", modulus, each)
        return value, size + math.exp(log_error)

    def _plan(self, path: _Path, w: float, ends: tuple[float, float], target: float) -> tuple[_Path, float, float, float]:
        """The widest step that is good enough along ``path``, where to stop, and the log of the error bound."""
        both = np.stack([path.log_terms(complex(w, omega)) for omega in ends]).max(axis=0)
        ds = math.log(1.5 * float(path.s[1] - path.s[0]))
        # each parallel with its mirror image and the path between them; beyond a place, all that is left
        three = np.max([both[:1] + np.zeros((len(path.tau), 1)), both[1 : 1 + len(path.tau)], both[1 + len(path.tau) :]], axis=0)
        rest = np.logaddexp.accumulate(three[:, ::-1], axis=1)[:, ::-1] + ds
        turns = np.maximum(rest[:, 0] + math.log(2.0) - target, 1.0)
        # a strip that has not died where the line begins is no use
        begins = np.maximum(three[:, 0], target)
        best = int(np.argmax(np.where(begins <= begins.min() + 1.0, path.tau / turns, 0.0)))
        tau = float(path.tau[best])
        step = 2.0 * math.pi * tau / float(turns[best])
        alive = np.flatnonzero(rest[best] > target)
        stop = min(int(alive[-1]) + 1, len(path.s) - 1)
        end = float(three[best, stop]) + math.log(2.0 * (step + tau))
        if stop == len(path.s) - 1:  # the way back to the real axis
            height = float(path.s[-1] * path.turn.imag) + tau + step
            end = max(end, self._log_edge(w) + math.log(2.0 * height) + 0.5 * (height / self.law.sigma) ** 2)
        else:
            end = float(np.logaddexp(end, rest[best, stop]))
        begin = float(three[best, 0]) + math.log(2.0 * (step + tau + self.width))
        return path, step, float(path.s[stop]), float(np.logaddexp.reduce([target, end, begin]))

    def _log_size(self, w: float) -> float:
        """log A_j(w), nearly."""
        path = self._paths[0]
        return float(np.logaddexp.reduce(path.log_terms(complex(w, 0.0))[0]) + math.log(path.s[1] - path.s[0]))

    def _log_edge(self, w: float) -> float:
        """Log of the integrand where the law is cut."""
        return float(self.law.log_density(self.cut)) + w * float(log_ratio(np.array(self.cut), self.law.sigma, self.law.rate))

    @cached_property
    def _paths(self) -> tuple[_Path, ...]:
        # |Im t| < pi, short of the zero of r
        room = 0.8 * math.pi * self.law.sigma**2
        reach = self.cut - self.end
        paths: list[_Path] = []
        for theta in _TILTS:
            if theta > 0.0 and reach * math.tan(theta) > 0.7*room:
                continue
            turn = complex(math.cos(theta), math.sin(theta))
            # where 1 - g has died, even 1.5 widths beside a tilted line
            fade, lean = math.cos(2.0 * theta), 1.5 * math.sin(2.0 * theta)
            low = -self.width * (lean + math.sqrt(lean**2 + _FADED * fade)) / fade
            high = reach / math.cos(theta)
            s = np.linspace(low, high, math.ceil((high - low) / (_COARSE * self.width)) + 1)
            tau = np.minimum(_PARALLELS * self.width, 0.25 * room)
            shifts = np.concatenate([[0.0], -tau, tau])
            log_density, loss = self._along((s + 1j * shifts[:, None]) * turn)
            paths.append(_Path(turn, s, tau, log_density.real, np.asarray(loss, complex)))
        return tuple(paths)

    def _along(self, offset: Any) -> tuple[Any, Any]:
        """Log density and loss at ``end`` + ``offset``."""
        z = self.end + offset
        log_density = SamplingTransform.log_density(self.law, z) + self._log_share(offset)
        return log_density, log_ratio(z, self.law.sigma, self.law.rate)

    def _log_share(self, offset: Any) -> Any:
        """log(1 - g)."""
        return log_ndtr(math.sqrt(2.0) * offset / self.width)
