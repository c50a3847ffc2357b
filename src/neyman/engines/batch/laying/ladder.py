"""The cumulant K of each setting on a ladder of real c > 0, in both directions, from above.

K_remove(c) = T log A(1 + c) and K_add(c) = T log A(-c): one quadrature serves both. Directions are the second axis of
every array, "remove" first; K of one direction at -1 - c is that of the other at c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.settings import Settings
from neyman.numerics.rounding import ELEMENTARY, UNIT

__all__ = ["Ladder", "tilts"]

# in units of 1 / deviation: where a first look is taken
_FIRST = np.array([0.12, 0.3, 0.55, 0.85, 1.2, 1.6, 2.0, 2.45, 2.9, 3.4, 3.9, 4.5, 5.2, 6.0, 7.0, 8.3, 10.0, 12.5])
_SHALLOW, _DEEP = np.linspace(0.0, 1.0, 8), np.linspace(0.35, 1.0, 14)  # the rungs, geometric and even
_STEP = 0.3  # of the deepest: where the even ones begin
_DEEPER = 34.0  # e-folds below the floor at which the deepest rung stands
_HIGHEST = 250.0  # of K
_TAIL = 1e-9  # certifies: room for rounding of log b - c eps, whose moduli are 1e5 at most
_STEEPEST = 1e4  # tilts beyond are not looked at: grids would be too long


def tilts(c: FloatArray) -> FloatArray:
    """The w at which A is taken, of c whose second axis is the direction."""
    w = np.empty_like(c)
    w[:, 0], w[:, 1] = 1.0 + c[:, 0], -c[:, 1]
    return w


@dataclass(frozen=True)
class Ladder:
    """c, K (from above), K' and K'': axes are setting, direction, rung. ``deviation``: of the loss under P, roughly."""

    c: FloatArray
    k: FloatArray
    mean: FloatArray
    variance: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, settings: Settings, log_floor: float) -> Ladder:
        """The ladder for eps down to where alpha is the floor."""
        nothing, one = np.zeros(len(settings.sigma)), np.ones(len(settings.sigma))
        start = cls.at(settings, Axis.spanned(settings, nothing, one, nothing), np.zeros((len(one), 2, 1)), nothing)
        deviation = np.sqrt(start.variance[:, 0, 0])
        c = np.minimum(np.repeat((_FIRST / deviation[:, None])[:, None, :], 2, axis=1), _STEEPEST)
        axis = Axis.spanned(settings, -c[:, 1, -1], 1.0 + c[:, 0, -1], nothing)
        look = cls.at(settings, axis, c, deviation, plain=True)
        deep = (look.k - c * look.mean < log_floor - _DEEPER) | ~(look.k < _HIGHEST)
        last = np.where(deep.any(axis=2), np.argmax(deep, axis=2), c.shape[2] - 1)
        most = np.take_along_axis(c, last[..., None], axis=2)
        low = np.minimum(_FIRST[0] / deviation[:, None, None], _STEP * most)
        c = np.concatenate([low * (_STEP * most / low) ** _SHALLOW, most * _DEEP], axis=2)
        axis = Axis.spanned(settings, -c[:, 1, -1], 1.0 + c[:, 0, -1], nothing)
        return cls.at(settings, axis, c, deviation)

    @cached_property
    def tails(self) -> tuple[FloatArray, FloatArray]:
        """log b and c of b e^{-c eps} >= delta(eps): 1 - e^{-t} is at most c^c / (1 + c)^{1 + c} times e^{ct}; inf
        where c <= 0.
        """
        c = self.c
        with np.errstate(divide="ignore", invalid="ignore"):
            log_b = self.k - np.log1p(c) - c * np.log1p(1.0 / c)
        return np.where(np.isnan(log_b) | (c <= 0.0), np.inf, log_b + _TAIL * (1.0 + np.abs(self.k))), c

    @classmethod
    def at(cls, settings: Settings, axis: Axis, c: FloatArray, deviation: FloatArray, plain: bool = False) -> Ladder:
        """Just these c; ``plain``: K as it comes, for a look."""
        count, rungs = c.shape[0], c.shape[2]
        w, times = tilts(c).reshape(count, -1), settings.steps[:, None]
        tilted, less = axis.terms(w)
        whole, rest, weight = tilted.sum(axis=2), less.sum(axis=2), np.exp(axis.log_weight)
        mean = np.matmul(tilted, axis.loss[:, :, None])[:, :, 0] / whole
        square = np.matmul(tilted, axis.loss[:, :, None] ** 2)[:, :, 0] / whole
        above = rest if plain else rest + _error(axis, w, tilted, weight, whole)
        k = times * np.log1p(above)
        k = k + 2.0 * ELEMENTARY * UNIT * np.abs(k)
        shape = (count, 2, rungs)
        sign = np.array([1.0, -1.0])[:, None]
        return cls(
            c, k.reshape(shape), sign * (times * mean).reshape(shape),
            np.maximum(times * (square - mean * mean), 0.0).reshape(shape), deviation,
        )  # fmt: skip


def _error(axis: Axis, w: FloatArray, tilted: FloatArray, weight: FloatArray, whole: FloatArray) -> FloatArray:
    """Bound on what A(w) - 1 errs by: of the rule, of its ends, of rounding.

    The term phi h (e^{wL} - 1), of modulus at most |wL| (phi h + phi h e^{wL}), errs by units of that; sums in pairs by
    no more than as many as there are terms.
    """
    units = (axis.units + UNIT * axis.x.shape[1]) * np.abs(axis.loss)
    spread = np.matmul(tilted, units[:, :, None])[:, :, 0] + (weight * units).sum(axis=1)[:, None]
    nothing = np.zeros_like(w)  # that of sum p, which is taken to be 1, belongs to the sum of p (e^{wL} - 1)
    aliased = axis.aliased(w, nothing) * whole + axis.aliased(nothing, nothing)
    missing = axis.ends(w) + axis.ends(nothing)
    return 2.0 * aliased + 2.0 * missing + np.abs(w) * spread + math.ulp(0.0)
