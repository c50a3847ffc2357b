"""The lattice that all losses of a composition lie on, and which laws are moved onto it, by how little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform
from neyman.numerics.exact.common_unit import common_unit
from neyman.numerics.rounding import UNIT

__all__ = ["FOLDED", "Fold", "folded"]

FOLDED = 0.91  # log of (pi / 2)^2: the kernel of all periods is at most so much larger than that of one
_SAME = 1e-9  # how far, relatively, a law may be moved

Laws = tuple[tuple[DiscreteGaussianTransform, int], ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Losses are ``offset`` + ``unit`` times whole numbers; law i was stretched by at most ``moved[i]`` to that end."""

    unit: float
    offset: float
    moved: tuple[float, ...]

    @property
    def half(self) -> float:
        """Half the period of the transform."""
        return math.pi / self.unit

    def whole(self, spread: float) -> float:
        """The least odd multiple of the unit from ``spread`` on: then no node is its own mirror image."""
        if not spread < math.inf:
            return spread
        count = math.ceil(spread / self.unit)
        return (count + 1 - count % 2) * self.unit

    def first(self, epsilon: FloatArray) -> FloatArray:
        """The first place of the lattice at or above each ``epsilon``."""
        return self.offset + self.unit * np.ceil((epsilon - self.offset) / self.unit)

    def error(self, laws: Laws, w: float) -> float:
        """Bound on what moving the laws does to delta, and to 1 - delta, in units of e^{K(c) - c eps}.

        Stretching the losses of a discrete Gaussian by 1 + r, |r| <= ``moved``, multiplies its masses by e^t with
        |t| <= r ((x - shift)^2 / sigma^2 + 2) and moves each loss L by r L at most; (1 - e^{eps - L})_+, its complement
        and its slope are below e^{c (L - eps)} for -1 <= c. The expectations are those of the tilted law.
        """
        at, total = np.array([w]), 0.0
        for (law, times), moved in zip(laws, self.moved, strict=True):
            look = law.moments(at)
            mean, variance = float(look.mean[0]), float(look.variance[0])
            away = mean / law.pitch - 0.5 * law.shift
            squares = (variance / law.pitch**2 + away**2) / law.sigma**2
            total += times * moved * (squares + 2.0 + abs(mean) + math.sqrt(variance))
        return 2.0 * total if total < _SAME else math.inf


def folded(laws: Sequence[tuple[DiscreteGaussianTransform, int]]) -> tuple[Laws, Fold] | None:
    """Return the same laws moved onto the lattice they share to all visible digits; None where they share none."""
    unit = common_unit([law.pitch for law, _ in laws])
    if unit is None:
        return None
    multiples = [round(law.pitch / unit) for law, _ in laws]
    onto = tuple(
        (DiscreteGaussianTransform(math.sqrt(law.shift / (m * unit)), law.shift), times)
        for (law, times), m in zip(laws, multiples, strict=True)
    )
    moved = tuple(
        abs(law.pitch - m * unit) / (m * unit) + 8.0 * UNIT for (law, _), m in zip(laws, multiples, strict=True)
    )
    halves = sum(times * m * law.shift for (law, times), m in zip(laws, multiples, strict=True))
    return onto, Fold(unit, 0.5 * unit * (halves % 2), moved)
