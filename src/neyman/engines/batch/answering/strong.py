"""Settings so strong that the whole curve lies below the floor: mu is that of the fixed point, alpha = beta.

The fixed point of the curve of both directions is (1 - delta(0)) / 2, the same for either of them, and mu is -2 Phi^-1
of it. 1 - delta(0) is an integral along Re z = -1/2, between the poles; the trapezoid rule of spacing 2 pi / R returns

    S = 1 - delta(0) + copies,        0 <= copies = sum over k != 0 of e^{-kR/2} (1 - delta(kR)) <= 2 / expm1(R / 2),

since 1 - delta(-v) <= e^{-v}. And 1 - delta(eps) <= e^{K(-1/2) + eps/2}, so that the regret is at most e^{K(-1/2)} / 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.cut import cut
from neyman.engines.batch.laying.nodes import nodes
from neyman.engines.batch.laying.settings import Settings
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.functions.normal import PROBIT_ERROR, probit, probit_near
from neyman.numerics.rounding import ROOM, SMALLEST, UNIT

__all__ = ["Strong", "strong"]

_CUT, _COPIES, _PEAK = 26.0, 26.0, 4.0  # e-folds from 1 - delta(0) to what is cut, and to copies; from e^K to that
_SUM = 64.0  # certifies, units: kernel, weights and a sum in pairs, relative to the moduli
_FURTHER = 1.35  # times where a Gaussian is cut, which the grid in x is made for
_MOST = 400  # nodes
_LEAST = -650.0  # log p that ``probit_near`` is asked for


class Strong(NamedTuple):
    """Bounds on mu, NaN where the fixed point is not certain to be at most the floor, and on the regret from above."""

    lower: FloatArray
    upper: FloatArray
    regret: FloatArray


def strong(settings: Settings, floor: float) -> Strong:
    """mu of all settings whose fixed point is certain to lie below the floor."""
    half = np.full((len(settings.sigma), 1), 0.5)
    nothing = np.zeros(len(half))
    log_a, sd = _look(Axis.spanned(settings, nothing, half[:, 0], nothing))
    k = settings.steps[:, None] * log_a
    below = _PEAK + np.log1p(sd)
    fall = _CUT + below
    first = np.sqrt(2.0 * fall) / sd
    spacing = math.pi / (_COPIES + below - k)
    axis = Axis.spanned(settings, nothing, half[:, 0], _FURTHER * first[:, 0])
    shift = np.sqrt(2.0 * fall / settings.steps[:, None]) * settings.sigma[:, None]
    place, log_beyond = cut(axis, half, np.ones_like(half), first, k - fall, shift)  # A(1/2) <= 1, by Jensen
    counts = np.ceil(place / spacing) + 1.0
    log_beyond = np.where(counts <= _MOST, log_beyond, np.inf)
    count = np.minimum(np.where(np.isfinite(counts), counts, 2.0), _MOST).astype(np.int64)
    lower, upper, scale, height = _integral(axis, half, spacing, count)
    # all in units of e^scale: 1 - delta(0) itself may be no float, or one without digits
    with np.errstate(over="ignore", under="ignore"):
        beyond = np.exp(log_beyond[:, 0] - scale) * (1.0 + ROOM)
        apart = math.pi / spacing[:, 0]
        copies = 2.0 * np.exp(-apart - scale) / -np.expm1(-apart) * (1.0 + ROOM)
    return _judged(lower - beyond - copies, upper + beyond, scale, height, floor)


def _look(axis: Axis) -> tuple[FloatArray, FloatArray]:
    """log A(1/2), and the deviation of the loss of all steps under that tilt: they steer."""
    tilted = np.exp(axis.log_weight + 0.5 * axis.loss)
    whole = tilted.sum(axis=1)
    mean = (tilted * axis.loss).sum(axis=1) / whole
    variance = (tilted * (axis.loss - mean[:, None]) ** 2).sum(axis=1) / whole
    return np.log(whole)[:, None], np.sqrt(axis.settings.steps * variance)[:, None]


def _integral(
    axis: Axis, half: FloatArray, spacing: FloatArray, count: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The sum over the nodes from both sides, in units of e^scale; that scale; and K(-1/2) from above."""
    found = nodes(axis, half, spacing, count)
    k: ComplexArray = axis.settings.steps[:, None] * found.log_a[:, 0]
    error: FloatArray = axis.settings.steps[:, None] * found.error[:, 0]
    error = error + 4.0 * UNIT * (4.0 + 2.0 * np.abs(k.real) + np.abs(k.imag))
    place = np.arange(k.shape[1])
    omega = spacing * place
    kernel = (spacing / math.pi) / (0.25 + omega * omega) * np.where(place == 0, 0.5, 1.0) * (place < count)
    scale = k.real[:, 0]
    size = np.exp(k.real - scale[:, None]) * kernel
    moved = np.where(kernel > 0.0, np.expm1(error), 0.0)
    unknown = (size * moved).sum(axis=1) + _SUM * UNIT * size.sum(axis=1)
    total = (size * np.cos(k.imag)).sum(axis=1)
    return total - unknown, total + unknown, scale, scale + error[:, 0]


def _judged(lower: FloatArray, upper: FloatArray, scale: FloatArray, height: FloatArray, floor: float) -> Strong:
    """mu from 1 - delta(0), where that is certain to be at most twice the floor; the regret from K(-1/2)."""
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        most, least = (scale + np.log(gap) for gap in (upper, lower))
        known = (lower > 0.0) & (most <= math.log(2.0 * floor) * (1.0 + ROOM))
        logs = (np.where(known, gap, -1.0) - math.log(2.0) for gap in (least, most))
        highest, lowest = (_mu(log_p, side) for log_p, side in zip(logs, (1.0, -1.0), strict=True))
        regret = 0.5 * np.exp(height) * (1.0 + ROOM) + SMALLEST
    lowest, highest = np.where(known, lowest, np.nan), np.where(known, highest, np.nan)
    return Strong(lowest, highest, regret)


def _mu(log_p: FloatArray, side: float) -> FloatArray:
    """-2 Phi^-1(p), from above (``side`` 1) or from below (-1); the logarithm, by which z moves by 0.9 + |z| / 2 times
    as much, errs by 8 units of itself.
    """
    z, error = probit_near(np.maximum(log_p, _LEAST))
    found = -2.0 * z + side * 2.0 * (error + 8.0 * UNIT * (1.0 + np.abs(z)))
    return np.where(log_p > _LEAST, found, -2.0 * probit(log_p) * (1.0 + side * (PROBIT_ERROR + ROOM)))
