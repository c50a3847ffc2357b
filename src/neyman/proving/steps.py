"""Kinds of steps in floats, as far as it takes to choose a line: nothing of this is believed by whoever checks it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman_check.laws import FiniteLaw, Gaussian, Law, SampledGaussian

__all__ = ["Step", "step_of"]

_ANGLES = (0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 2.5, 2.9)  # of strips that are tried
_LEAST, _MOST = 1e-3, 1.45  # angles by which the bound beyond the cut is shifted
_SPARE = 6.0  # more e-folds for the ends of a grid than for its step
_LOOK = 1201  # nodes of a look at a modulus
_LONGEST = 20_000  # nodes of a grid


class Step(ABC):
    """``times`` steps of a kind."""

    @abstractmethod
    def log_moment(self, w: float) -> float:
        """log A(w)^times; inf where it is out of reach."""

    @abstractmethod
    def log_modulus(self, w: float, omega: float) -> float:
        """log of a bound on |A(w + i omega')|^times beyond ``omega``."""

    def witness(self, w: float, far: float, omega: float, nats: float) -> dict[str, Any] | None:
        """Grids good to ``nats`` e-folds on the line at w to ``omega``, at ``far``, and beyond; None where none is."""
        return None


def step_of(law: Law) -> Step:
    """The same law."""
    if isinstance(law, Gaussian):
        return _Normal(float(law.square.mid()))
    if isinstance(law, SampledGaussian):
        return _Sampled(float(law.s.mid()), float(law.q.mid()), law.times)
    if isinstance(law, FiniteLaw):
        logs = [(float(loss.mid()), float(q.log().mid())) for loss, q in law.losses]
        return _Finite(np.array([a for a, _ in logs]), np.array([b for _, b in logs]), law.times)
    raise TypeError(law)


@dataclass(frozen=True)
class _Normal(Step):
    square: float

    def log_moment(self, w: float) -> float:
        return 0.5 * self.square * (w * w - w)

    def log_modulus(self, w: float, omega: float) -> float:
        return 0.5 * self.square * (w * w - w - omega * omega)


@dataclass(frozen=True)
class _Finite(Step):
    losses: FloatArray
    weights: FloatArray
    times: int

    def log_moment(self, w: float) -> float:
        return self.times * float(_logsum(self.weights + w * self.losses))

    def log_modulus(self, w: float, omega: float) -> float:
        return self.log_moment(w)


@dataclass(frozen=True)
class _Sampled(Step):
    s: float
    q: float
    times: int

    def log_moment(self, w: float) -> float:
        low, high = self._reach(w, 45.0)
        h = 0.15 * min(self.s, self.s * self.s)
        if not (high - low) / h < _LONGEST:
            return math.inf
        x = np.arange(low, high, h)
        log_g = self._log_g((2.0 * x - 1.0) / (2.0 * self.s**2))
        weight = -0.5 * (x / self.s) ** 2
        weight -= _logsum(weight)
        power = w * log_g
        if float(np.max(np.abs(power))) < 1.0:
            return self.times * math.log1p(float(np.exp(weight) @ np.expm1(power)))
        return self.times * float(_logsum(power + weight))

    def log_modulus(self, w: float, omega: float) -> float:
        return self.times * min(self._damped(w, omega, angle) for angle in self._shifts(omega))

    def witness(self, w: float, far: float, omega: float, nats: float) -> dict[str, Any]:
        nats += math.log(self.times)
        return {"here": self._grid(w, omega, nats), "far": self._grid(far, 0.0, nats), "cut": self._cut(w, omega, nats)}

    def _grid(self, w: float, omega: float, nats: float) -> dict[str, Any]:
        room = nats + self._room(w)

        def step(angle: float) -> float:
            y = angle * self.s**2
            return 2.0 * math.pi * y / (room + 0.5 * angle * y + omega * angle + self._bend(w, angle))

        natural = math.sqrt(2.0 * room) / self.s
        angle = max((t for t in (0.3 * natural, natural, *_ANGLES) if t < math.pi - 0.1), key=step)
        return {**self._laid(w, step(angle), nats), "angle": float(angle)}

    def _cut(self, w: float, omega: float, nats: float) -> dict[str, Any]:
        angle = min(self._shifts(omega), key=lambda t: self._damped(w, omega, t))
        room = nats + max(-self._damped(w, omega, angle), 0.0) + self._room(w)
        strip = min(self.s * math.sqrt(2.0 * room), (1.57 - angle) * self.s**2)
        spread = strip / self.s**2
        step = 2.0 * math.pi * strip / (room + 0.5 * spread * strip + self._bend(w, angle + spread))
        return {**self._laid(w, step, room), "angle": float(angle), "strip": float(strip)}

    def _laid(self, w: float, step: float, nats: float) -> dict[str, Any]:
        low, high = self._reach(w, nats + _SPARE)
        return {"low": float(low), "step": float(step), "count": int((high - low) / step) + 2}

    def _reach(self, w: float, nats: float) -> tuple[float, float]:
        room = self._room(w)
        below = self.s * math.sqrt(2.0 * (nats + (room if w < 0.0 else 0.0)))
        return -below, max(w, 0.0) + self.s * math.sqrt(2.0 * (nats + room)) + 1.0

    def _room(self, w: float) -> float:
        """log of the bound on a moment."""
        if w > 1.0:
            return max(0.0, math.log(self.q) + (w * w - w) / (2.0 * self.s**2)) + 1.0
        return 0.0 if w >= 0.0 else w * math.log1p(-self.q)

    def _bend(self, w: float, angle: float) -> float:
        return 0.0 if w >= 0.0 else w * math.log(math.cos(0.5 * angle))

    def _shifts(self, omega: float) -> list[float]:
        near = omega * self.q / self.s**2  # best where hardly anything is learnt in one step
        tried = [*np.geomspace(_LEAST, _MOST, 10).tolist(), *(near * f for f in (0.25, 0.5, 0.75, 1.0, 1.3))]
        return [angle for angle in tried if 0.0 < angle <= _MOST]

    def _damped(self, w: float, omega: float, angle: float) -> float:
        s, q = self.s, self.q
        x = np.linspace(-9.0 * s, 9.0 * s + max(w, 0.0) + 1.0, _LOOK)
        t = (2.0 * x - 1.0) / (2.0 * s * s)
        shift = np.maximum(t, 0.0)
        g = (1.0 - q) * np.exp(-shift) + q * np.exp(t - shift + 1j * angle)
        weight = -0.5 * (x / s) ** 2
        weight -= _logsum(weight)
        return 0.5 * angle**2 * s * s + float(_logsum(weight + w * (shift + np.log(np.abs(g))) - omega * np.angle(g)))

    def _log_g(self, t: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", divide="ignore"):
            near = np.log1p(self.q * np.expm1(np.minimum(t, 1.0)))
            return np.where(t < 1.0, near, np.logaddexp(np.log1p(-self.q), math.log(self.q) + t))


def _logsum(v: FloatArray) -> FloatArray:
    top = np.max(v)
    return top + np.log(np.sum(np.exp(v - top)))
