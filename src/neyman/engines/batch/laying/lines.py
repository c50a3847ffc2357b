"""The lines of a batch: weights on their nodes, and what they say at any eps >= 0.

The trapezoid rule of spacing 2 pi / R on Re z = c > 0 gives

    S(eps) = delta + right + 1 / expm1(cR) - e^eps / expm1((c+1)R) + left,        right, left >= 0,
    right <= e^{K(c') - c' eps} / expm1((c'-c)R),     left <= e^{K_other(c'') + (1+c'') eps} / expm1((c+1+c'')R),

whatever c' > c and c'' > 0; what is cut off adds at most e^{-c eps} B(W)^T / (pi W). Between the poles, -1/2 <= c < 0,
S(eps) = delta - 1 - right - left, with c' = c'' = 0 (``between``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.cut import cut
from neyman.engines.batch.laying.ladder import Ladder, tilts
from neyman.engines.batch.laying.nodes import nodes
from neyman.engines.batch.laying.plan import Plan
from neyman.engines.batch.laying.settings import Settings
from neyman.engines.batch.laying.turned import SUM_UNITS, turned
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import UNIT

__all__ = ["ROUNDED", "Aliases", "Lines", "Reading"]

ROUNDED = 16.0  # certifies, units: of an exponent made of K, cR and c eps, relative to their moduli
_WHOLE = 1e-12  # relative: how far A(1) = 1 and A(0) = 1 are known
_APART = 1e-6  # of R c: aliases that are nearer are not bounded
_MOST = 400  # nodes of a line
_FURTHER = 1.35  # times where a Gaussian is cut, which the grid in x is made for


class Aliases(NamedTuple):
    """e^{height - c' eps} at the right and e^{height + (1 + c'') eps} at the left bound the aliases of a line.

    Columns: K there, c there, distance of that c from the line times R.
    """

    right: tuple[FloatArray, FloatArray, FloatArray]
    left: tuple[FloatArray, FloatArray, FloatArray]


class Reading(NamedTuple):
    """delta between ``lower`` and ``upper``, e^eps Q(L > eps), about, and bounds on 1 - delta, which lines between the
    poles know when it is small: setting, direction, eps.
    """

    lower: FloatArray
    upper: FloatArray
    slope: FloatArray
    gap_lower: FloatArray
    gap_upper: FloatArray


@dataclass(frozen=True)
class Lines:
    """Of one line in each direction of each setting: axes are setting, direction, and (of ``weight``) node."""

    c: FloatArray
    spread: FloatArray
    scale: FloatArray
    weight: ComplexArray  # e^{K - scale} / (z (z + 1)) times the spacing / pi
    count: IntArray
    fault: FloatArray  # what the weights err by, in all
    log_beyond: FloatArray  # B(W)^T / (pi W)
    aliases: Aliases
    tails: tuple[FloatArray, FloatArray]  # log b and c of tails b e^{-c eps} above delta, several

    @property
    def spacing(self) -> FloatArray:
        """From node to node."""
        return 2.0 * math.pi / self.spread

    @property
    def z(self) -> ComplexArray:
        """The nodes."""
        return self.c[..., None] + 1j * self.spacing[..., None] * np.arange(self.weight.shape[2])

    @property
    def kernel(self) -> ComplexArray:
        """spacing / pi / (z (z + 1)) where there are nodes, half of it at the first, else 0."""
        z = self.z
        found = (self.spacing / math.pi)[..., None] / (z * (z + 1.0))
        found[..., 0] *= 0.5
        return found * (np.arange(z.shape[2]) < self.count[..., None])

    def read(self, epsilon: FloatArray) -> Reading:
        """Bounds on delta at eps >= 0, one row a setting, the same for both directions."""
        at = np.broadcast_to(epsilon[:, None, :], (*self.c.shape, epsilon.shape[1]))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            value, slope = turned(self.weight, self.z, self.spacing, at)
            lift = np.exp(self.scale[..., None] - self.c[..., None] * at)
            near, far = self.poles(at)
            value, slope = value * lift, slope * lift - far
            size = np.abs(self.weight).sum(axis=2)[..., None]
            right, left = alias_bounds(self.aliases, at)
            error = self.blur(at, self.fault[..., None], size) * lift + np.exp(
                self.log_beyond[..., None] - self.c[..., None] * at
            )
            units = self.exponents(at)
            copies, above = right + left, self.c[..., None] > 0.0
            masses = np.where(above, near + far, 0.0)
            error = error + units * (masses + size * lift) + _WHOLE * masses + 2.0 * UNIT * np.abs(value)
            gap_lower, gap_upper = -value - error - copies, error - value
            value = value - near + far
            error = error + 2.0 * UNIT * np.abs(value)
            upper = value + error + np.where(above, 0.0, copies)
            lower = value - error - np.where(above, copies, 0.0)
        upper = np.where(np.isfinite(upper), np.clip(upper, 0.0, 1.0), 1.0)
        upper = np.minimum(upper, self.tail(epsilon))
        lower = np.where(np.isfinite(lower), np.clip(lower, 0.0, 1.0), 0.0)
        gap_lower = np.where(np.isfinite(gap_lower) & ~above, np.maximum(gap_lower, 0.0), 1.0 - upper)
        gap_upper = np.where(np.isfinite(gap_upper) & ~above, np.minimum(gap_upper, 1.0), 1.0 - lower)
        return Reading(lower, upper, slope, gap_lower, gap_upper)

    def poles(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The copies of the poles: 1 / expm1(cR) and e^eps / expm1((c+1)R); where c < 0 none, but delta is 1 more."""
        near, far = self.c * self.spread, (self.c + 1.0) * self.spread
        rest_near, rest_far = (apart + np.log(-np.expm1(-apart)) for apart in (near, far))
        copies = np.exp(0.0 * epsilon - rest_near[..., None]), np.exp(epsilon - rest_far[..., None])
        return np.where(near[..., None] > 0.0, copies[0], -1.0), np.where(near[..., None] > 0.0, copies[1], 0.0)

    def exponents(self, epsilon: FloatArray) -> FloatArray:
        """What rounding leaves unknown of terms e^{K - c eps}, e^{cR} and e^{eps - (c+1)R}, relative."""
        c = self.c[..., None]
        size = 2.0 + np.abs(self.scale)[..., None] + (c + 1.0) * self.spread[..., None] + 2.0 * (c + 1.0) * epsilon
        return ROUNDED * UNIT * size

    def tail(self, epsilon: FloatArray) -> FloatArray:
        """The least of Chernoff's bounds on delta at each eps: setting, direction, eps."""
        log_b, c = self.tails
        exponent = log_b[..., None] - c[..., None] * epsilon[:, None, None, :]
        return np.exp(np.minimum(exponent.min(axis=2), 0.0))

    def blur(self, epsilon: FloatArray, fault: FloatArray, size: FloatArray) -> FloatArray:
        """What a sum over nodes may be off, but for e^{scale - c eps}: weights by ``fault``, the sum by ``SUM_UNITS``
        units a node of ``size``, the sum of their moduli; the phase omega eps by 4 units of itself.
        """
        count = self.weight.shape[2]
        reach = self.spacing * np.maximum(self.count - 1, 0)
        return fault + UNIT * size * (SUM_UNITS * (2.0 + count) + 4.0 * reach[..., None] * epsilon)


def alias_bounds(aliases: Aliases, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds on ``right`` and ``left`` at eps."""
    found: list[FloatArray] = []
    for (k, c, apart), rise in zip(aliases, (-aliases.right[1], 1.0 + aliases.left[1]), strict=True):
        exponent = k[..., None] + rise[..., None] * epsilon - (apart + np.log(-np.expm1(-apart)))[..., None]
        room = ROUNDED * UNIT * (2.0 + np.abs(k) + apart + c)[..., None] * (1.0 + epsilon)
        found.append(np.exp(exponent + room))
    return found[0], found[1]


def lines(settings: Settings, ladder: Ladder, plan: Plan, further: float = _FURTHER) -> tuple[Lines, ...]:
    """The lines of a plan, each in both directions: of ``Plan.made`` the shallow and the steep one. ``further``: to how
    many times where a Gaussian is cut the grid in x is made; where a line ends farther away its nodes know less.
    """
    shape, flat = plan.rung.shape, (len(settings.sigma), -1)
    c, variance, k = (np.take_along_axis(a, plan.rung, 2) for a in (ladder.c, ladder.variance, ladder.k))
    sd = np.sqrt(np.minimum(variance, ladder.variance[:, :, :1]))  # the narrow bulk rules the cut
    first = np.sqrt(2.0 * plan.fall) / sd
    w = tilts(c)
    axis = Axis.spanned(settings, w.min(axis=(1, 2)), w.max(axis=(1, 2)), further * first.max(axis=(1, 2)))
    whole = np.exp(k / settings.steps[:, None, None])
    shift = np.sqrt(2.0 * plan.fall / settings.steps[:, None, None]) * settings.sigma[:, None, None]
    goal = k - plan.fall
    place, log_beyond = cut(axis, *(a.reshape(flat) for a in (w, whole, first, goal, shift)))
    spacing = (2.0 * math.pi / plan.spread).reshape(flat)
    count = np.ceil(place / spacing) + 1.0
    log_beyond = np.where(count <= _MOST, log_beyond, np.inf)
    count = np.minimum(np.where(np.isfinite(count), count, 2.0), _MOST).astype(np.int64)
    found = nodes(axis, w.reshape(flat), spacing, count)
    times = settings.steps[:, None, None]
    kappa, error = times * found.log_a, times * found.error
    sign = np.repeat(np.array([1.0, -1.0]), shape[2])[None, :, None]
    kappa = kappa.real + 1j * sign * kappa.imag
    return tuple(
        _one(plan, ladder, i, c, kappa.reshape(*shape, -1)[:, :, i], error.reshape(*shape, -1)[:, :, i],
             count.reshape(shape)[:, :, i], log_beyond.reshape(shape)[:, :, i])
        for i in range(shape[2])
    )  # fmt: skip


def _one(
    plan: Plan, ladder: Ladder, line: int, c: FloatArray, kappa: ComplexArray, error: FloatArray, count: IntArray,
    log_beyond: FloatArray,
) -> Lines:  # fmt: skip
    """One line in both directions, cut where all of its own nodes end."""
    kappa, error = kappa[..., : int(count.max())], error[..., : int(count.max())]
    own, spread = c[:, :, line], plan.spread[:, :, line]
    scale = kappa[..., 0].real
    aliases = Aliases(
        _alias(ladder.c, ladder.k, plan.right[:, :, line], own, spread, -1.0),
        _alias(ladder.c[:, ::-1], ladder.k[:, ::-1], plan.left[:, :, line], 1.0 + own, spread, 1.0),
    )
    bare = Lines(own, spread, scale, kappa, count, scale, log_beyond, aliases, ladder.tails)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        grown = np.exp(np.minimum(kappa.real - scale[..., None], 1.0) + 1j * kappa.imag)
        size = np.exp(np.minimum(kappa.real - scale[..., None], 1.0))
        error = error + 4.0 * UNIT * (4.0 + np.abs(kappa.imag) + np.abs(kappa.real) + np.abs(scale)[..., None])
        moved = np.where(error < 1.0, size * np.expm1(np.minimum(error, 1.0)), size + size * np.exp(error))
        kernel = bare.kernel
        fault = (np.where(kernel == 0.0, 0.0, moved) * np.abs(kernel)).sum(axis=2)
    fault = np.where(np.isfinite(fault), fault, np.inf)
    return Lines(own, spread, scale, grown * kernel, count, fault, log_beyond, aliases, ladder.tails)


def _alias(
    c: FloatArray, k: FloatArray, rung: IntArray, own: FloatArray, spread: FloatArray, sign: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """K and c at a rung, and how far it lies from the line, times R; nothing is known where that is not positive."""
    there, height = (np.take_along_axis(a, rung[..., None], 2)[..., 0] for a in (c, k))
    apart = (own + sign * there if sign > 0.0 else there - own) * spread
    return np.where(apart > _APART, height, np.inf), there, np.where(apart > _APART, apart, 1.0)
