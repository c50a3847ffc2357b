"""A - 1 of every line, but for what turns along it, by sums in which the first order, which cancels, is left out.

With v = r - 1, whose mean is 0, and W = p e^{wL} (p the weights of the axis; ``losses/gaussian/centred`` says it of one
law, and how each term is rounded),

    A(w + i omega) - 1 = level + i omega lean + sum W g(omega L),        g(u) = e^{iu} - 1 - iu,
    level = sum p (e^{wL} - 1 - wL + w (L - v)),        lean = sum p ((e^{wL} - 1) L + L - v).

Where v < -0.3, log(1 + v) amplifies what v is off: of rates above 1/2 L - v is taken from L itself there, which errs by
``LOSS_UNITS`` + 5 |t| units (and by no more elsewhere), and is 6.3 times L - v at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.settings import LOSS_UNITS
from neyman.numerics.functions.curved import exp_less, log_curved
from neyman.numerics.rounding import LARGEST_EXPONENT, SECOND_ORDER, TINY, UNIT

__all__ = ["Centred"]

_RARE, _DEEP = 0.5, -0.3  # rates from which, and v up to which, L - v is taken from L
_LARGEST = 600.0  # t of floats e^t that may be multiplied
_REACH, _NEAR = 0.25, 3.0  # steer: share of the last omega, and |zL| there, up to which the second order tells less
# certifies, units, of |zL|^2 and twice |z (L - v)|: half of what p (25), e^a - 1 - a (20) and a sum in pairs (23) err
# by, and what L does: 8, and 4.5 (1 + |t|) since t is off by 3 units of itself
_UNITS = 64.0
_EACH, _ALL = 4.0, 12.0  # certifies, units: for (x/s)^2 and 1.5 |t| besides; of the terms of large losses themselves
# certifies, units, and such of |t|: of rates above 1/2, what L errs by; of L - v from it, 6.3 times that and 5.3 (8 + 3
# |t|) of v
_OFTEN, _FROM_LOSS = (LOSS_UNITS, 5.0), (700.0, 50.0)


@dataclass(frozen=True)
class Centred:
    """Axes: setting, line, and of ``tilted``, W, node of the axis. ``level`` and ``lean`` are as above, ``rest`` is
    p (L - v), of one line for all.
    """

    axis: Axis
    w: FloatArray
    last: FloatArray  # omega, at most
    tilted: FloatArray
    level: FloatArray
    lean: FloatArray
    rest: FloatArray
    units: FloatArray  # of what each place errs by, for its second order

    @classmethod
    def of(cls, axis: Axis, w: FloatArray, last: FloatArray) -> Centred:
        """The sums for each ``w``, on lines up to ``last``."""
        loss, weight = axis.loss[:, None, :], np.exp(axis.log_weight)[:, None, :]
        a, (rest, units) = w[..., None] * loss, _rest(axis)
        less, bent = exp_less(np.minimum(a, LARGEST_EXPONENT))
        large = axis.large(a)
        tilted, less = axis.grown(a, less, large)
        bent *= weight
        if large is not None:
            bent = np.where(large, less - weight * a, bent)
        bent += w[..., None] * rest
        less *= loss
        less += rest
        return cls(axis, w, last, tilted, bent.sum(axis=2), less.sum(axis=2), rest, units)

    def doubt(self, omega: FloatArray, tables: tuple[float, float]) -> FloatArray:
        """Bound on what A - 1 errs by, one more axis for ``omega``. ``tables``: units that sum W g(omega L) errs by of
        sum W (omega L)^2, over some places, and of sum W |omega L| over all others.
        """
        axis, w = self.axis, self.w
        z, whole = np.abs(w)[..., None] + omega, self.tilted.sum(axis=2)
        nothing, one = np.zeros((len(w), 1)), np.ones((len(w), 1))
        # of sum p, which is taken to be 1, and of sum p v, which is taken to be 0
        level = axis.ends(nothing) + axis.aliased(nothing, nothing)
        mean = level + axis.ends(one) + SECOND_ORDER * axis.aliased(one, nothing) + _overflown(axis)
        fixed = SECOND_ORDER * axis.aliased(w, self.last) * whole + axis.ends(w) + level
        size = np.abs(axis.loss)[:, None, :]
        near = size * (np.abs(w) + _REACH * self.last)[..., None] <= _NEAR
        second, first = np.where(near, size, 0.0), np.where(near, 0.0, size)
        turned = tables[0] * (self.tilted * second * second).sum(axis=2)[..., None] * omega
        turned = (turned + tables[1] * (self.tilted * first).sum(axis=2)[..., None]) * omega
        return UNIT * turned + self._rounded(z, second, first) + z * mean[..., None] + fixed[..., None] + TINY

    def _rounded(self, z: FloatArray, second: FloatArray, first: FloatArray) -> FloatArray:
        """What level, lean and the terms of the sum are rounded by: of each loss its second order counts, or its
        first.
        """
        axis, w, units = self.axis, self.w, self.units
        weight = np.maximum(np.exp(axis.log_weight)[:, None, :], self.tilted)
        square = (axis.x / axis.settings.sigma[:, None])[:, None, :] ** 2
        far = np.where(first > 0.0, weight, 0.0)
        bent = (units * weight * second * second).sum(axis=2)[..., None]
        rest = 2.0 * (units * np.abs(self.rest)).sum(axis=2)[..., None]
        steep = (4.0 * units * far * first).sum(axis=2)[..., None]
        level = (_EACH * far * (_ALL + square + np.abs(w)[..., None] * first)).sum(axis=2)[..., None]
        return UNIT * (z * (z * bent + rest + steep) + level)


def _rest(axis: Axis) -> tuple[FloatArray, FloatArray]:
    """p (L - v), and the units of what each place errs by; setting, one line, place."""
    t, rate = axis.settings.tilt(axis.x), axis.settings.rate[:, None]
    v = rate * np.expm1(np.minimum(t, _LARGEST))
    units = _UNITS + _EACH * ((axis.x / axis.settings.sigma[:, None]) ** 2 + 1.5 * np.abs(t))
    left, often = log_curved(v), rate > _RARE
    if np.any(often):
        deep = often & (v < _DEEP)
        left = np.where(deep, axis.loss - v, left)
        more = (np.where(deep, two, one) for one, two in zip(_OFTEN, _FROM_LOSS, strict=True))
        units = units + np.where(often, next(more) + next(more) * np.abs(t), 0.0)
    return (np.exp(axis.log_weight) * left)[:, None, :], units[:, None, :]


def _overflown(axis: Axis) -> FloatArray:
    """What p v is at most where e^t is no float."""
    t = axis.settings.tilt(axis.x)
    return np.exp(np.where(t > _LARGEST, axis.log_weight + t, -np.inf)).sum(axis=1)[:, None]
