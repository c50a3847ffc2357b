"""What sampling with probability q does to a privacy loss: t becomes m(t) = log(1 - q + q e^t).

Three forms make m accurate everywhere, real or complex:

- log1p(q expm1(t)) where q <= 1/2 or Re(q expm1(t)) > -1/2: on the real line what rounding does is amplified by 1.5
  at most, relative to |m|;
- log((1 - q) + q e^t) otherwise: on the real line a sum of positive terms, 1 - q is exact, and |m| is at least log 2.
  The first form would cancel there, and log(1 - q) + log1p(e^t q / (1 - q)) cancels where the loss is small beside
  log(1 - q): an error in proportion to log(1 - q), however small the loss, adds up step by step;
- t + log q where e^t overflows.

Complex t: with R = 1 - q + q e^{Re t} and r = 1 - q + q e^t both are accurate to |m| R / |r|, and R / |r| is at most
1 / cos(Im t / 2). No form can do better: that is what moving t by a rounding does to m.

The inverse is never taken of m itself, of which 1 - q + q e^t cannot be had back where it is near 1 - q: losses are
measured from that of a known t_0, m = m(t_0) + g, g >= 0, where with s = m'(t_0)

    t = t_0 + log1p(expm1(g) / s)        or, from the end of the law (t_0 = -inf),        t = log(expm1(g) (1 - q) / q):

no term is negative. An error of d in log(expm1(g) / s) moves the loss by (1 - e^-g) d at most.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.functions.few import every, some
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import UNIT
from neyman.numerics.sums.turns import cosine_and_sine

__all__ = [
    "MIXED_ERROR",
    "above",
    "above_end",
    "above_error",
    "mixed",
    "mixed_at",
    "mixed_each",
    "mixed_lines",
    "mixed_turned",
    "slope",
    "wavering",
]

MIXED_ERROR = 8.0 * UNIT  # of ``mixed``, relative (2.8 units seen); for complex t twice that over cos(Im t / 2)
_SQUARED = 300.0  # e^300 may still be squared
_TURNED = (
    32.0 * UNIT
)  # certifies: of log |r| and arg r by real arithmetic, for each of the exponents, and to 1 (3 seen)
_HUGE = 600.0  # e^600 may be squared by no one, but added to anything
_FAINT = 1e-250  # a slope below may have lost digits to underflow
_ALL = 40.0  # certifies: t + log q from where 1 - q is e^-40 of r at most, no digit of log r


def mixed(t: Any, rate: float) -> Any:
    """Return log(1 - rate + rate e^t) for real t, or complex t with |Im t| < pi; 0 < rate <= 1.

    Error bound: ``MIXED_ERROR``, relative (or the smallest positive float); for complex t, relative to the modulus,
    2 / cos(Im t / 2) times as much.

    Examples
    --------
    >>> float(mixed(-1e-20, 0.9999)), round(float(mixed(-800.0, 0.75)), 12)
    (-9.999e-21, -1.38629436112)
    """
    if rate == 1.0:
        return t
    huge = t.real > _HUGE
    if not np.count_nonzero(huge):
        return _moderate(t, rate)
    with np.errstate(over="ignore", invalid="ignore"):
        far = t + math.log(rate)
        half = np.exp(0.5 * np.where(huge & (far.real < _HUGE), t, 0.0))
        rare = log1p(rate * half * half - rate)
    large = np.where(far.real < _HUGE, rare, far)
    return np.where(huge, large, _moderate(np.where(huge, 0.0, t), rate))


def _moderate(t: Any, rate: float) -> Any:
    grown = rate * np.expm1(t)
    if rate <= 0.5:
        return log1p(grown)
    low = grown.real < -0.5
    if not np.count_nonzero(low):
        return log1p(grown)
    at = np.where(low, t, 0.0)
    with np.errstate(under="ignore"):
        deep = np.log((1.0 - rate) + rate * np.exp(at))
    return np.where(low, deep, log1p(np.where(low, 0.0, grown)))


def mixed_at(t: float, turn: float, rate: float) -> tuple[float, float]:
    """Return the real and the imaginary part of ``mixed`` at one place t + i ``turn``, to 1e-12.

    Examples
    --------
    >>> mixed_at(-800.0, 0.0, 0.75)
    (-1.3862943611198906, 0.0)
    """
    far = t + math.log(rate)
    if far > _ALL:
        return far, turn
    grown = math.exp(far)
    level, imag = grown * math.cos(turn), grown * math.sin(turn)
    whole, real = (1.0 - rate) + level, level - rate
    size = 0.5 * math.log1p(real * (2.0 + real) + imag * imag) if real > -0.5 else math.log(math.hypot(whole, imag))
    return size, math.atan2(imag, whole)


def mixed_each(t: FloatArray, turn: FloatArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ``mixed_at`` of each of many places, each with a rate of its own.

    Examples
    --------
    >>> size, phase = mixed_each(np.array([-800.0]), np.zeros(1), np.array([0.75]))
    >>> float(size[0]) == mixed_at(-800.0, 0.0, 0.75)[0], float(phase[0])
    (True, 0.0)
    """
    far = t + np.log(rate)
    size, phase = _log_of(np.exp(np.minimum(far, _ALL)), turn, rate)
    if some(large := far > _ALL):
        size, phase = np.where(large, far, size), np.where(large, turn, phase)
    return size, phase


def mixed_turned(t: float, turn: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """Return ``mixed_each`` of many turns at one t, to the same bits.

    Examples
    --------
    >>> size, phase = mixed_turned(-800.0, np.zeros(1), 0.75)
    >>> float(size[0]), float(phase[0])
    (-1.3862943611198906, 0.0)
    """
    far = t + float(np.log(rate))
    return (np.full(len(turn), far), turn) if far > _ALL else _log_of(float(np.exp(far)), turn, rate)


def _log_of(grown: Any, turn: FloatArray, rate: Any) -> tuple[FloatArray, FloatArray]:
    """The parts of log(1 - rate + grown e^{i turn})."""
    cosine, sine = cosine_and_sine(turn)
    level, imag = grown * cosine, grown * sine
    whole, real = (1.0 - rate) + level, level - rate
    size, phase = 0.5 * np.log1p(np.maximum(real * (2.0 + real) + imag * imag, -0.75)), np.arctan2(imag, whole)
    if not every(near := real > -0.5):
        with np.errstate(divide="ignore"):
            size = np.where(near, size, np.log(np.hypot(whole, imag)))
    return size, phase


def mixed_lines(t: FloatArray, turn: FloatArray, rate: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the real and the imaginary part of ``mixed`` at every t + i turn, a row for each turn, and how far either
    may be off: by real arithmetic, which is several times as fast. It loses a few units of 1 and of t, over the least
    |r|^2 there may be: (1 - rate)^2 sin^2 of the turn, beyond pi / 2.

    Leading axes, if any, are of laws with a ``rate`` each, which is at most 1/2, and t at most 300. Beyond, 1 - rate is
    nothing beside the other term, unless the rate is.

    Examples
    --------
    >>> size, phase, off = mixed_lines(np.array([0.5, 2.0]), np.array([0.0, 1.0]), 0.25)
    >>> bool(abs(size[1, 1] + 1j * phase[1, 1] - mixed(2.0 + 1j, 0.25)) <= off)
    True
    """
    most = np.maximum.reduce(t, axis=-1, initial=0.0)
    if np.ndim(rate) == 0 and (rate > 0.5 or (most > _SQUARED and _SQUARED + math.log(rate) < _ALL)):
        found = mixed(t + 1j * turn[:, None], rate)
        size, phase = found.real, found.imag
        wide = 2.0 / math.cos(0.5 * float(np.max(np.abs(turn), initial=0.0)))
        return size, phase, wide * MIXED_ERROR * np.max(np.abs(found), initial=0.0)
    each, angle = np.asarray(rate)[..., None, None], turn[..., None]
    far = np.flatnonzero(t > _SQUARED) if np.ndim(rate) == 0 and most > _SQUARED else []
    grown = each * np.exp(np.minimum(t, _SQUARED))[..., None, :]
    cosine, sine = cosine_and_sine(angle)
    real, imag = grown * cosine - each, grown * sine
    size, phase = 0.5 * np.log1p(real * (2.0 + real) + imag * imag), np.arctan2(imag, 1.0 + real)
    if len(far):
        size[:, far], phase[:, far] = t[far] + math.log(rate), angle
    furthest = np.maximum.reduce(np.abs(turn), axis=-1, initial=0.5 * math.pi)
    nearest = 0.25 * np.sin(np.minimum(furthest, math.pi)) ** 2
    return size, phase, _TURNED * (1.0 + most) / nearest


def wavering(t: FloatArray, rate: float) -> FloatArray:
    """Return m''(t) = p (1 - p), p = m'(t).

    Examples
    --------
    >>> float(wavering(np.array([0.0]), 0.5)[0])
    0.25
    """
    small = np.exp(-np.abs(t + (math.log(rate) - math.log1p(-rate))))
    return small / (1.0 + small) ** 2


def slope(t: Any, rate: float) -> Any:
    """Return m'(t) = rate e^t / (1 - rate + rate e^t) for real |t| < 700, to 6 units in the last place.

    Examples
    --------
    >>> float(slope(0.0, 0.25)), float(slope(600.0, 1e-200))
    (0.25, 1.0)
    """
    with np.errstate(under="ignore"):
        up, down = rate * np.exp(np.minimum(t, 0.0)), (1.0 - rate) * np.exp(-np.maximum(t, 0.0))
        low, high = up / ((1.0 - rate) + up), rate / (rate + down)
    return np.where(np.asarray(t) > 0.0, high, low)


def above(start: float, gap: FloatArray, rate: float) -> FloatArray:
    """Return by how much t lies above ``start`` where m(t) = m(start) + ``gap``, gap >= 0.

    The loss there is off by no more than ``above_error``.

    Examples
    --------
    >>> t = -30.0 + above(-30.0, np.array([1e-3]), 0.06)
    >>> float((mixed(t, 0.06) - mixed(-30.0, 0.06))[0].round(12))
    0.001
    """
    if rate == 1.0:
        return gap
    steepness = float(slope(start, rate))
    if steepness > _FAINT and not np.any(gap > _HUGE):
        with np.errstate(over="ignore"):
            near = np.log1p(np.expm1(gap) / steepness)
        if np.all(np.isfinite(near)):
            return near
    log_steepness = math.log(rate) + (start - float(mixed(start, rate)))
    return np.logaddexp(0.0, _log_expm1(gap) - log_steepness)


def above_end(gap: FloatArray, rate: float) -> FloatArray:
    """Return t where m(t) = log(1 - rate) + ``gap``, gap >= 0; rate < 1.

    Examples
    --------
    >>> above_end(np.array([0.0, math.log(2.0)]), 0.5).round(12)
    array([-inf,   0.])
    """
    with np.errstate(divide="ignore"):
        return _log_expm1(gap) - (math.log(rate) - math.log1p(-rate))


def above_error(start: float, gap: FloatArray, rate: float) -> float:
    """Return a bound on what ``above``, added to ``start``, and a rounding of it, do to the loss at any ``gap``."""
    most = float(np.max(gap, initial=0.0))
    if rate == 1.0 or most == 0.0:
        return 4.0 * UNIT * (abs(start) + most)
    rise = float(above(start, np.array([most]), rate)[0])
    # of log(expm1(g) / s), and of t
    own = 16.0 + 4.0 * (abs(start) + abs(math.log(rate)) + abs(math.log(most)))
    return UNIT * (own * -math.expm1(-most) + 4.0 * float(slope(start + rise, rate)) * (abs(start) + rise))


def _log_expm1(gap: FloatArray) -> FloatArray:
    """log(e^gap - 1), to a few units in the last place of itself and of 1."""
    with np.errstate(divide="ignore"):
        return np.where(
            gap < 1.0, np.log(np.expm1(np.minimum(gap, 1.0))), gap + np.log1p(-np.exp(-np.maximum(gap, 1.0)))
        )
