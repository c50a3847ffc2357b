"""The step of each law, and those of normal noise and of listed laws."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.witnesses.steps.base import Step, logsum
from neyman.witnesses.steps.laplace import ExchangedLaplaceStep, LaplaceStep, SampledLaplaceStep
from neyman.witnesses.steps.returning import Returning
from neyman.witnesses.steps.sampled import ExchangedStep, SampledStep
from neyman.witnesses.steps.shift import ComplexArray
from neyman_check.errors import NotProved
from neyman_check.laws.base import FiniteLaw, Gaussian, Law
from neyman_check.laws.exchanged import ExchangedLaplace
from neyman_check.laws.integers import DiscreteGaussian
from neyman_check.laws.laplace import Laplace, SampledLaplace
from neyman_check.laws.sampled import ExchangedGaussian, SampledGaussian

__all__ = ["listed_step", "step_of"]


def step_of(law: Law) -> Step:
    """The same law."""
    if isinstance(law, Gaussian):
        return _Normal(float(law.square.mid()))
    if isinstance(law, (SampledGaussian, ExchangedGaussian)):
        made = SampledStep if isinstance(law, SampledGaussian) else ExchangedStep
        return made(float(law.s.mid()), float(law.q.mid()), law.times)
    if isinstance(law, FiniteLaw) and law.lost == 0:
        return listed_step(law)
    if isinstance(law, Laplace):
        return LaplaceStep(float(law.d.mid()), law.times)
    if isinstance(law, (SampledLaplace, ExchangedLaplace)):
        kind = SampledLaplaceStep if isinstance(law, SampledLaplace) else ExchangedLaplaceStep
        return kind(float(law.d.mid()), float(law.q.mid()), law.times)
    if isinstance(law, DiscreteGaussian):
        return Returning(math.sqrt(law.square), law.shift, law.times)
    raise NotProved("a law that no line is laid for, and more outcomes than are listed")


def listed_step(law: FiniteLaw) -> Step:
    """Of what is listed."""
    logs = [(float(loss.mid()), float(q.log().mid())) for loss, q in law.losses]
    return _Finite(np.array([a for a, _ in logs]), np.array([b for _, b in logs]), law.times)


@dataclass(frozen=True)
class _Normal(Step):
    square: float
    times = 1

    @property
    def bounded(self) -> bool:
        return False

    def log_moment(self, w: float) -> float:
        return 0.5 * self.square * (w * w - w)

    def log_modulus(self, w: float, omega: float) -> float:
        return 0.5 * self.square * (w * w - w - omega * omega)

    def log_most(self, w: ComplexArray, about: float) -> FloatArray:
        return 0.5 * self.square * (w.real**2 - w.real + about * (about - 2.0 * w.imag))


@dataclass(frozen=True)
class _Finite(Step):
    losses: FloatArray
    weights: FloatArray
    times: int

    def log_moment(self, w: float) -> float:
        return self.times * float(logsum(self.weights + w * self.losses))

    def log_modulus(self, w: float, omega: float) -> float:
        return self.log_moment(w)
