"""The loss of a Laplace step: two atoms, and between them one smooth piece, or two mirrored ones.

With d = 1 / b and t(x) = (|x| - |x - 1|) / b in [-d, d], the law F_0 has the mass 1/2 at t = -d, e^{-d} / 2 at t = d and
between them the density e^{-(t + d) / 2} / 4. The loss is m(t) = log(1 - q + q e^t); when a record is exchanged it is
m(t) - m(-d) where x > 0, and minus that, mirrored, where x < 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.grid import BinSplit, GridLaw, Reach, Tilted
from neyman.losses.laplace import LaplaceStep
from neyman.losses.outcomes import mixed
from neyman.losses.smooth_bins import QUADRATURE, smooth_bins

__all__ = ["LaplaceLaw", "Piece"]

_UNIT = 2.0**-53
_SAME = 1e-12  # relative distance at which the upper atom is moved onto an edge
_LOOK = 600  # points of a look at the law


@dataclass(frozen=True, slots=True)
class Piece:
    """t in (-d, d) with loss ``sign`` (m(t) - ``level``) and log density ``log_weight`` - (t + d) / 2 under Q, plus m(t)
    where the loss is mirrored.
    """

    d: float
    rate: float
    sign: float
    level: float
    log_weight: float

    def loss(self, t: FloatArray) -> FloatArray:
        return self.sign * (mixed(t, self.rate) - self.level)

    def log_q(self, t: FloatArray) -> FloatArray:
        log_density = self.log_weight - 0.5 * (t + self.d)
        return log_density + mixed(t, self.rate) if self.sign < 0.0 else log_density

    def place(self, loss: FloatArray) -> FloatArray:
        """The t at which the loss is ``loss``, within -d .. d."""
        m = self.sign * loss + self.level
        with np.errstate(divide="ignore", invalid="ignore"):
            small = np.log1p(np.expm1(np.minimum(m, 1.0)) / self.rate)
            large = m - math.log(self.rate) + np.log1p(-(1.0 - self.rate) * np.exp(-np.maximum(m, 1.0)))
        t = m if self.rate == 1.0 else np.where(m < 1.0, small, large)
        return np.clip(np.nan_to_num(t, nan=-self.d, neginf=-self.d), -self.d, self.d)


@dataclass(frozen=True)
class LaplaceLaw(GridLaw):
    """The law that a ``LaplaceStep`` names."""

    step: LaplaceStep

    @property
    def d(self) -> float:
        return 1.0 / self.step.scale

    @cached_property
    def ends(self) -> tuple[float, float]:
        """m(-d) and m(d)."""
        low, high = mixed(np.array([-self.d, self.d]), self.step.rate)
        return float(low), float(high)

    @cached_property
    def atoms(self) -> tuple[FloatArray, FloatArray]:
        """Losses and log masses under Q."""
        low, high = self.ends
        log_q = np.array([0.0, -self.d]) - math.log(2.0)
        if not self.step.two_sided:
            return np.array([low, high]), log_q
        # x < -1 and x > 1 have the mass e^{-d} / 2 each without the record, that of the other side with it
        log_far = -self.d - math.log(2.0)
        return np.array([low - high, high - low]), np.array([log_far + high, log_far + low])

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """By ascending loss."""
        low, _ = self.ends
        quarter = -math.log(4.0)
        if not self.step.two_sided:
            return (Piece(self.d, self.step.rate, 1.0, 0.0, quarter),)
        return (
            Piece(self.d, self.step.rate, -1.0, low, quarter),
            Piece(self.d, self.step.rate, 1.0, low, quarter + low),
        )

    @property
    def base(self) -> float:
        return float(self.atoms[0][0])

    @property
    def unit(self) -> float | None:
        """The distance of the two atoms."""
        return float(self.atoms[0][1] - self.atoms[0][0])

    @property
    def exact(self) -> bool:
        """A lattice does not hold the smooth part."""
        return False

    def end(self, remove: bool) -> float:
        return float(self.atoms[0][1] if remove else -self.atoms[0][0]) * (1.0 + 8.0 * _UNIT)

    @cached_property
    def _seen(self) -> tuple[FloatArray, FloatArray]:
        """Losses and log masses on a grid: for looks, not for answers."""
        t = self.d * np.linspace(-1.0, 1.0, 2 * _LOOK + 1)[1::2]
        width = math.log(2.0 * self.d / _LOOK)
        loss = [self.atoms[0], *(piece.loss(t) for piece in self.pieces)]
        log_q = [self.atoms[1], *(piece.log_q(t) + width for piece in self.pieces)]
        return np.concatenate(loss), np.concatenate(log_q)

    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        loss, log_q = self._seen
        log_weight = log_q + z * loss
        peak = float(np.max(log_weight))
        weight = np.exp(log_weight - peak)
        total = float(np.sum(weight))
        mean = float(weight @ loss) / total
        spread = float(weight @ (loss - mean) ** 2) / total
        return Tilted(peak + math.log(total), mean, spread, (0.0, self.unit or 0.0))

    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        return 0, max(math.ceil((self.unit or 0.0) / h * (1.0 - _SAME)), 1)

    def span(self, reach: Reach) -> float:
        return self.unit or 0.0

    def bins(self, h: float, first: int, last: int) -> BinSplit:
        edge = self.base + h * np.arange(last + 1)
        lower, upper = np.zeros(last), np.zeros(last)
        log_scale, variation = np.zeros(last), np.full(last, 3.0 * h)
        for piece in self.pieces:
            place = piece.place(np.clip(edge, self.base, self.base + (self.unit or 0.0)))
            ends = place if piece.sign > 0.0 else place[::-1]
            start = edge[:-1] if piece.sign > 0.0 else edge[:-1][::-1]
            low, high, scale = smooth_bins(ends, start, h, 0.25, piece.log_q, piece.loss)
            width = np.diff(ends)
            if piece.sign < 0.0:
                low, high, scale, width = low[::-1], high[::-1], scale[::-1], width[::-1]
            size = np.exp(scale)
            lower, upper, variation = lower + low * size, upper + high * size, variation + 1.5 * width
        if len(self.pieces) > 1:  # where two pieces meet, the density may jump
            variation[np.abs(edge[:-1] + 0.5 * h) <= h] = math.inf
        mass = np.exp(self.atoms[1])
        lower[0] += mass[0]
        height = float(self.atoms[0][1]) - float(edge[-2])
        off = abs(h - height)
        if off <= _SAME * (1.0 + abs(float(edge[-1]))):
            upper[-1] += mass[1]
        else:
            share = math.expm1(height) / math.expm1(h)
            lower[-1] += mass[1] * (1.0 - share)
            upper[-1] += mass[1] * share
            variation[-1], off = math.inf, 0.0
        far = 1.0 + float(np.abs(edge[[0, -1]]).max())
        return BinSplit(
            self.base, first, h, lower, upper, log_scale, variation, QUADRATURE + 16.0 * _UNIT * (2.0 + self.d),
            off + 16.0 * _UNIT * (far + self.d), (-math.inf, -math.inf), (-math.inf, -math.inf),
        )  # fmt: skip
