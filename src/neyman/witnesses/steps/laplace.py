"""Laplace noise in floats: whole, sampled, of a record exchanged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import gammaln

from neyman._validate import FloatArray
from neyman.witnesses.steps.base import Ended, Step, logsum

__all__ = ["ExchangedLaplaceStep", "LaplaceStep", "SampledLaplaceStep"]

_ANGLES = (0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.45)  # of ellipses that are tried
_LEGENDRE = 200  # nodes of a look at a step


@dataclass(frozen=True)
class LaplaceStep(Step):
    """Whole."""

    d: float
    times: int

    def log_moment(self, w: float) -> float:
        v = abs(w - 0.5)
        smooth = -math.expm1(-2.0 * v * self.d) / (4.0 * v) if v > 0.0 else 0.5 * self.d
        return self.times * ((v - 0.5) * self.d + math.log(0.5 * (1.0 + math.exp(-2.0 * v * self.d)) + smooth))

    def log_modulus(self, w: float, omega: float) -> float:
        v = abs(w - 0.5)
        rising, falling = (max(abs(1.0 + 0.5 * s / complex(v, omega)), 1.0) for s in (1, -1))
        return self.times * ((v - 0.5) * self.d + math.log(0.5 * (rising + falling * math.exp(-2.0 * v * self.d))))


@dataclass(frozen=True)
class SampledLaplaceStep(Ended):
    """Of a record added or removed."""

    d: float
    q: float
    times: int

    def log_moment(self, w: float) -> float:
        return self.times * self._log_one(w)

    def log_modulus(self, w: float, omega: float) -> float:
        mass = np.array([0.0, -self.d]) - math.log(2.0)
        ends = np.array([-self.d, self.d])
        log = self._log_r(ends)
        turns = (w + 1.0) * log - 0.5 * (ends + self.d) - ends - math.log(2.0 * self.q * omega)
        return self.times * float(logsum(np.concatenate([mass + w * log, turns])))

    @property
    def ladder(self) -> tuple[float, float, int]:
        low, high = self._log_r(np.array([-self.d, self.d])).tolist()
        return self.times * low, high - low, self.times + 1

    def log_weights(self, height: float) -> FloatArray:
        high, low = np.logaddexp(self._smooth(height), self._atoms()).tolist()
        j, times = np.arange(self.times + 1.0), self.times
        chosen = gammaln(times + 1.0) - gammaln(j + 1.0) - gammaln(times - j + 1.0)
        return np.asarray(chosen + j * high + (times - j) * low)

    def _smooth(self, height: float) -> FloatArray:
        """log of bounds of what comes from the high and from the low end, atoms aside."""
        t = np.array([self.d, -self.d])
        log = self._log_r(t)
        scale = -0.5 * self.d + 0.5 * math.log(self.q) - math.log(4.0)
        taken = math.log(self.q) + t
        smooth = scale + log - 1.5 * taken - math.log(height)
        near = scale - 0.5 * taken + 0.5 * (log - math.log1p(-self.q)) + math.log(1.5 * math.pi)
        near -= math.log(-math.expm1(-math.pi * height))
        return np.asarray(np.minimum(smooth, near))

    def _atoms(self) -> FloatArray:
        return np.array([-self.d, 0.0]) - math.log(2.0)

    def witness(self, w: float, far: float, omega: float, nats: float) -> dict[str, Any]:
        nats += math.log(self.times)
        return {"here": self._rule(w, omega, nats), "far": self._rule(far, 0.0, nats)}

    def _rule(self, w: float, omega: float, nats: float) -> dict[str, Any]:
        number, angle = min((self._number(w, omega, nats, angle), angle) for angle in _ANGLES if angle < 0.5 * math.pi)
        return {"count": math.ceil(number), "angle": angle}

    def _number(self, w: float, omega: float, nats: float, angle: float) -> float:
        height = angle / self.d
        wide = math.hypot(1.0, height)
        edge = float(self._log_r(np.array([math.copysign(wide * self.d, w)]))[0])
        bend = 0.0 if w > 0.0 else w * math.log(math.cos(0.5 * angle))
        turn = float(np.angle(1.0 - self.q + self.q * np.exp(min(wide * self.d, 700.0) + 1j * angle)))
        rho = math.log(wide + height)
        room = nats + 0.5 * (wide - 1.0) * self.d + w * edge + bend + omega * turn - self._log_one(w)
        return max(room + math.log(2.0 * self.d / rho), 1.0) / (2.0 * rho) + 1.0

    def _log_one(self, w: float) -> float:
        x, weight = _gauss()
        t = self.d * x
        smooth = np.log(0.25 * self.d * weight) - 0.5 * (t + self.d) + w * self._log_r(t)
        lone = np.array([0.0, -self.d]) - math.log(2.0) + w * self._log_r(np.array([-self.d, self.d]))
        return float(logsum(np.concatenate([smooth, lone])))

    def _log_r(self, t: FloatArray) -> FloatArray:
        return np.logaddexp(math.log1p(-self.q), math.log(self.q) + t)


class ExchangedLaplaceStep(SampledLaplaceStep):
    """Of a record exchanged for another: two halves, one at 1 - w."""

    listed = True

    def log_moment(self, w: float) -> float:
        found = logsum(np.array([self._front(one) + self._log_one(one) for one in (w, 1.0 - w)]))
        low = float(self._log_r(np.array([-self.d]))[0])
        return self.times * float(found + np.log1p(-np.exp(low - found)))

    def log_modulus(self, w: float, omega: float) -> float:
        low, high = self._log_r(np.array([-self.d, self.d])).tolist()
        parts: list[float] = []
        for one in (w, 1.0 - w):
            turns = [(one + 1.0) * low + self.d, (one + 1.0) * high - 2.0 * self.d]
            parts += [self._front(one) + x - math.log(2.0 * self.q * omega) for x in turns]
            parts.append(self._front(one) + one * high - self.d - math.log(2.0))
        return self.times * float(logsum(np.array(parts)))

    def _front(self, w: float) -> float:
        return (1.0 - w) * float(self._log_r(np.array([-self.d]))[0])

    @property
    def ladder(self) -> tuple[float, float, int]:
        low, high = self._log_r(np.array([-self.d, self.d])).tolist()
        return self.times * (low - high), high - low, 2 * self.times + 1

    def log_weights(self, height: float) -> FloatArray:
        low, high = self._log_r(np.array([-self.d, self.d])).tolist()
        smooth = self._smooth(height)
        most, least = float(np.logaddexp(smooth, self._atoms())[0]), float(smooth[1])
        logs = np.array([high + most, low + math.log(2.0) + least, low + most])
        whole = float(logsum(logs))
        power, base, n = np.ones(1), np.exp(logs - whole), self.times
        while n:
            power = np.convolve(power, base) if n % 2 else power
            base, n = np.convolve(base, base), n // 2
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(power) + self.times * whole)

    def _number(self, w: float, omega: float, nats: float, angle: float) -> float:
        return max(super()._number(w, omega, nats, angle), super()._number(1.0 - w, omega, nats, angle))


@cache
def _gauss() -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(_LEGENDRE)
