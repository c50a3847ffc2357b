"""A line of a law on a lattice: one period of its transform tells all, by a kernel in which all periods are folded.

With losses on o + h Z the integrand of ``line`` is the same in every period but for its kernel, and

    sum_k e^{-z_k eps} / (z_k (z_k + 1)) = h e^{-z x} (1 / (1 - e^{-z h}) - e^{eps - x} / (1 - e^{-(z + 1) h})),

with z_k = z + 2 pi i k / h and x the first place of the lattice from eps on. The trapezoid rule over all of the line is
thus a finite sum, and its aliases are what they were, as long as the distance between them is a multiple of h.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.straight.line import Line
from neyman.engines.contour.straight.plan import Plan
from neyman.engines.contour.straight.reading import Reading
from neyman.engines.contour.truncation.period import Fold
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import TURN, TURNED, UNIT
from neyman.numerics.sums.inner import inner
from neyman.numerics.sums.turns import cosine_and_sine

__all__ = ["FoldedLine"]

# certifies: relative, of a kernel and its argument: a few elementary functions, cosines and sines by tangents
_ROUNDED = (8.0 + TURNED - TURN) * UNIT


@dataclass(frozen=True)
class FoldedLine(Line):
    """The nodes of one planned line within half a period."""

    kind = "straight line over one period"

    fold: Fold = field(default_factory=lambda: Fold(1.0, 0.0, ()))
    second: ComplexArray = field(default_factory=lambda: np.zeros(0, complex))

    @classmethod
    def of(
        cls, walk: Walk, plan: Plan, values: ComplexArray, faults: FloatArray, scale: float, log_truncation: float,
        lost: float, shift: float, masses: tuple[float, float],
    ) -> FoldedLine:  # fmt: skip
        fold = plan.fold
        if fold is None:
            raise TypeError("a line of a law that lies on no lattice")
        omega = plan.omega()
        z = plan.c + 1j * omega
        share = np.full(len(omega), 2.0 * fold.unit / plan.spread)
        share[0] *= 0.5
        kernels = share / -np.expm1(-z * fold.unit), share / -np.expm1(-(z + 1.0) * fold.unit)
        first, second = values * kernels[0], values * kernels[1]
        size = np.abs(first) + np.abs(second)
        # both kernels round, also where they cancel; a place rounds with eps, and may be taken for its neighbour
        mass, lean = float(size.sum()), inner(size, omega + abs(plan.c) + 1.0) + 1.0
        wobble = inner(faults, np.abs(kernels[0]) + np.abs(kernels[1])) + _ROUNDED * (mass + fold.unit * lean)
        return cls(
            plan.c, plan.spread, omega, first, scale, log_truncation, mass, wobble, lean, lost, shift, walk, plan,
            masses, fold, second,
        )  # fmt: skip

    @cached_property
    def _read(self) -> Reading:
        return Reading(self._sums, self.c, None, self.omega, self.weight)  # at places of the lattice

    def _sums(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        place = self.fold.first(epsilon)
        ahead = place - epsilon
        turn = np.multiply.outer(place, self.omega)
        cosine, sine = cosine_and_sine(turn)
        one = cosine @ self.weight.real + sine @ self.weight.imag
        two = np.exp(-ahead) * (cosine @ self.second.real + sine @ self.second.imag)
        near = np.exp(-self.c * ahead)
        return near * (one - two), near * two
