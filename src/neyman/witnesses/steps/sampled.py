"""Sampled Gaussian steps in floats: of a record added or removed, and of one exchanged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import gammaln

from neyman._validate import FloatArray
from neyman.witnesses.steps.base import Step, logsum
from neyman.witnesses.steps.shift import ComplexArray, Shifter

__all__ = ["ExchangedStep", "SampledStep"]

_ANGLES = (0.01, 0.03, 0.1, 0.3, 0.6, 1.0, 1.45)  # of strips that are tried
_WHOLE = 20_000  # largest order between whose neighbours a moment is bounded
_STEEPEST = 1.5  # angle of the line that a grid lies on
_LEAST, _MOST = 1e-3, 1.45  # angles by which the bound beyond the cut is shifted
_SPARE = 6.0  # more e-folds for the ends of a grid than for its step
_LOOK = 1201  # nodes of a look at a modulus
_SEEN = 0.17  # noise beside which a record is seen where it takes part
_LONGEST = 20_000  # nodes of a grid


@dataclass(frozen=True)
class SampledStep(Step):
    """Of a record added or removed."""

    s: float
    q: float
    times: int
    exchanged = False

    def log_moment(self, w: float) -> float:
        return _log_moment(self, w)  # the same tilts are looked at for every eps

    def summed(self, w: float) -> float:
        """log A(w)^times by a sum over a grid."""
        low, high = self._reach(w, 45.0)
        h = 0.15 * min(self.s, self.s * self.s)
        if not (high - low) / h < _LONGEST:
            return math.inf
        x = np.arange(low, high, h)
        weight = -0.5 * (x / self.s) ** 2
        weight -= logsum(weight)
        power = self._told(x, w, 0.0)[0]
        if float(np.max(np.abs(power))) < 1.0:
            return self.times * math.log1p(float(np.exp(weight) @ np.expm1(power)))
        return self.times * float(logsum(power + weight))

    @property
    def shifter(self) -> Shifter:
        return Shifter(self.s, self.q, self.exchanged, self.times)

    @property
    def end(self) -> float:
        return math.inf if self.exchanged else -self.times * math.log1p(-self.q)

    @property
    def seen(self) -> bool:
        return not self.exchanged and self.s < _SEEN

    @property
    def bounded(self) -> bool:
        return False

    def log_most(self, w: ComplexArray, about: float) -> FloatArray:
        return np.zeros(len(w))

    def log_modulus(self, w: float, omega: float) -> float:
        return self.times * min(self._damped(w, omega, angle) for angle in self._shifts(omega))

    def witness(self, w: float, far: float, omega: float, nats: float) -> dict[str, Any]:
        nats += math.log(self.times)
        return {"here": self._grid(w, nats), "far": self._grid(far, nats), "cut": self._cut(w, omega, nats)}

    def _grid(self, w: float, nats: float) -> dict[str, Any]:
        room = nats + self._room(w)

        def step(angle: float) -> float:
            y = angle * self.s**2
            return 2.0 * math.pi * y / (room + 2.0 * angle * y + self._bend(w, 2.0 * angle))

        natural = math.sqrt(0.5 * room) / self.s
        angle = max((t for t in (0.3 * natural, natural, *_ANGLES) if t < _STEEPEST), key=step)
        shifted = 0.5 * (angle * self.s) ** 2 + self._bend(w, angle)  # what terms beyond the ends have grown by
        return {**self._laid(w, step(angle), nats + shifted), "angle": float(angle)}

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
        nats += self._bend(w, 0.0)
        s, tilt = self.s, w * self.q
        if w < 0.0:
            below = min(s * _far(nats + w * math.log1p(-self.q)), s * _far(nats + self._lean(w)) - tilt)
            return -below, s * _far(nats) + 1.0
        grown = (w * w - w) / (2.0 * s * s)
        tail = min(math.log(self.q) + grown, max(w * math.log(2.0 * self.q) + grown, w * math.log(2.0)))
        high = w + s * _far(nats + max(tail, 0.0))
        bell = self._bell(w)
        if bell is not None:
            high = min(high, bell[1] + bell[2] * _far(nats + bell[0]))
        return -s * _far(nats), high + 1.0

    def _room(self, w: float) -> float:
        """log of the bound on a moment."""
        if w > 1.0:
            most = max(0.0, math.log(self.q) + (w * w - w) / (2.0 * self.s**2)) + 1.0
            bell = self._bell(w)
            most, n = most if bell is None else min(most, bell[0]), int(w)
            return min(most, (n + 1 - w) * self._whole(n) + (w - n) * self._whole(n + 1)) if n <= _WHOLE else most
        return 0.0 if w >= 0.0 else min(w * math.log1p(-self.q), self._lean(w))

    def _lean(self, w: float) -> float:
        """log of the bound on a moment by the tangent of log G."""
        tilt = w * self.q
        return (tilt * tilt - tilt) / (2.0 * self.s**2)

    def _bell(self, w: float) -> tuple[float, float, float] | None:
        """The same by a parabola above log G, and mean and deviation under it."""
        left = 1.0 - w / (4.0 * self.s**2)
        if not left > 0.0:
            return None
        tilt, bend = w * self.q, w / (8.0 * self.s**2)
        power = (tilt * tilt - tilt + 0.5 * bend) / (2.0 * self.s**2 * left) - 0.5 * math.log(left)
        return power, (tilt - bend) / left, self.s / math.sqrt(left)

    def _whole(self, n: int) -> float:
        """log of the moment of a whole order."""
        k = np.arange(n + 1.0)
        chosen = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
        rare = (n - k) * math.log1p(-self.q) + k * math.log(self.q)
        return float(logsum(chosen + rare + k * (k - 1.0) / (2.0 * self.s**2)))

    def _bend(self, w: float, angle: float) -> float:
        if w >= 0.0:
            return 0.0
        whole = 1.0 - self.q * (1.0 - math.cos(angle))
        return w * max(math.log(math.cos(0.5 * angle)), math.log(whole) if angle < 0.5 * math.pi else -math.inf)

    def _shifts(self, omega: float) -> list[float]:
        near = omega * self.q / self.s**2  # best where hardly anything is learnt in one step
        tried = [*np.geomspace(_LEAST, _MOST, 10).tolist(), *(near * f for f in (0.25, 0.5, 0.75, 1.0, 1.3))]
        return [angle for angle in tried if 0.0 < angle <= _MOST]

    def _damped(self, w: float, omega: float, angle: float) -> float:
        s = self.s
        x = np.linspace(-9.0 * s, 9.0 * s + max(w, 0.0) + 1.0, _LOOK)
        power, loss = self._told(x, w, angle)
        weight = -0.5 * (x / s) ** 2
        weight -= logsum(weight)
        damped = power - omega * loss
        if float(np.max(np.abs(damped))) < 1.0:  # of many steps, each of which tells next to nothing
            return 0.5 * angle**2 * s * s + math.log1p(float(np.exp(weight) @ np.expm1(damped)))
        return 0.5 * angle**2 * s * s + float(logsum(weight + damped))

    def _told(self, x: FloatArray, w: float, angle: float) -> tuple[FloatArray, FloatArray]:
        """log of the modulus of what A(w) is the expectation of, at an angle, and the imaginary part of the loss."""
        log, turn = self._log_g((2.0 * x - 1.0) / (2.0 * self.s**2), angle)
        return w * log, turn

    def _log_g(self, t: FloatArray, angle: float) -> tuple[FloatArray, FloatArray]:
        with np.errstate(over="ignore", divide="ignore"):
            near = np.log1p(self.q * np.expm1(np.minimum(t, 1.0)))
            far = np.logaddexp(math.log1p(-self.q), math.log(self.q) + t)
        log = np.where(t < 1.0, near, far)
        taken = np.exp(math.log(self.q) + t - log)  # |G|^2 is less than on the real axis by 4 (1 - p) p sin^2
        less = 4.0 * (1.0 - taken) * taken * math.sin(0.5 * angle) ** 2
        turn = np.arctan2(taken * math.sin(angle), 1.0 - 2.0 * taken * math.sin(0.5 * angle) ** 2)
        return log + 0.5 * np.log1p(-less), turn


class ExchangedStep(SampledStep):
    """Of a record exchanged for another: symmetric, so that tilts right of 1 are all there are."""

    exchanged = True

    def log_moment(self, w: float) -> float:
        return super().log_moment(max(w, 1.0 - w))

    def log_modulus(self, w: float, omega: float) -> float:
        return super().log_modulus(max(w, 1.0 - w), omega)

    def turned(self, w: ComplexArray) -> ComplexArray:
        return np.where(w.real > 0.5, w, 1.0 - np.conj(w))

    def witness(self, w: float, far: float, omega: float, nats: float) -> dict[str, Any]:
        return super().witness(max(w, 1.0 - w), max(far, 1.0 - far), omega, nats)

    def _bend(self, w: float, angle: float) -> float:
        return (1.0 - w) * (math.log1p(-self.q) + math.log(math.cos(0.5 * angle)))

    def _told(self, x: FloatArray, w: float, angle: float) -> tuple[FloatArray, FloatArray]:
        one, turn = super()._told(x, 1.0, angle)
        other, back = super()._told(-x, 1.0, -angle)
        return w * one + (1.0 - w) * other, turn - back


@lru_cache(4096)
def _log_moment(step: SampledStep, w: float) -> float:
    return step.summed(w)


def _far(nats: float) -> float:
    """Deviations beyond which a normal law has a mass of e^-nats."""
    return math.sqrt(2.0 * max(nats, 0.0))
