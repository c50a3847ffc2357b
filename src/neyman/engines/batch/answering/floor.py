"""mu at the floor itself: the local mu of f where alpha is the floor, from above and from below.

f(alpha) = sup over x = e^eps of 1 - delta - x alpha. From above one tangent is enough. From below the infimum of
P(x) = delta + x alpha, which is convex, lies no deeper than secants drawn on from outside allow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.laying.lines import Lines
from neyman.numerics.functions.normal import PROBIT_ERROR, probit_gap
from neyman.numerics.rounding import LARGEST_EXPONENT, SCANT, TINY, UNIT

__all__ = ["Foot", "foot"]

_SEARCH = 4  # secants drawn to where alpha is the floor
_SIDE = 1e-5 * 4.0 ** np.arange(7)  # of 1 / (c + 1), within which alpha falls to 1/e: the fan about it
_FAN = np.concatenate([-_SIDE[::-1], [0.0], _SIDE])  # on both sides
# certifies: what rounding of log alpha, by 4 units of itself, moves its probit by: alpha / phi(z) <= 1 / |z| and
# |log alpha| <= 1 + 2 z^2, for |z| <= 38; near z = 0, 3 units
_ALPHA = 400.0 * UNIT
_CLOSE, _BEGIN = 1e-9, 0.97  # relative: where a secant tells nothing any more; where the first begins
_NEAREST, _FARTHEST = 0.3, 1.5  # of the guess: how far it may be off


@dataclass(frozen=True)
class Foot:
    """Of each setting the eps of the tangent at the floor, the local mu there from both sides (``upper`` is inf and
    ``lower`` 0 where nothing is known).
    """

    epsilon: FloatArray
    lower: FloatArray
    upper: FloatArray


def foot(line: Lines, last: FloatArray, floor: float) -> Foot:
    """Find the foot of each curve, with the steep lines and a guess of the last eps."""
    near = _reached(line, last, np.log(floor))
    epsilon = np.maximum(near[:, None] + _FAN / (line.c.max(axis=1) + 1.0)[:, None], 0.0)
    read = line.read(epsilon)
    lower, upper = read.lower.max(axis=1), read.upper.max(axis=1)
    mu = _tangent(epsilon, upper, floor)
    best = np.argmin(mu, axis=1)[:, None]
    power = _power(np.expm1(epsilon), lower, upper, floor)
    above = np.take_along_axis(mu, best, 1)[:, 0]
    return Foot(np.take_along_axis(epsilon, best, 1)[:, 0], _through(power, floor), above)


def _reached(line: Lines, last: FloatArray, log_floor: float) -> FloatArray:
    """About the eps at which alpha is the floor."""

    def score(epsilon: FloatArray) -> FloatArray:
        read = line.read(epsilon[:, None])
        larger = np.argmax(read.upper[:, :, 0], axis=1)
        slope = read.slope[np.arange(len(epsilon)), larger, 0]
        return np.log(np.maximum(slope, TINY)) - epsilon - log_floor

    old, new = _BEGIN * last, last
    before = score(old)
    for _ in range(_SEARCH):
        here = score(new)
        step = np.where(np.abs(new - old) > _CLOSE * np.abs(new), -here * (new - old) / _apart(here - before), 0.0)
        old, before = new, here
        new = np.clip(np.where(np.isfinite(step), new + step, new), _NEAREST * last, _FARTHEST * last)
    return new


def _apart(change: FloatArray) -> FloatArray:
    return np.where(change == 0.0, np.inf, change)


def _tangent(epsilon: FloatArray, upper: FloatArray, floor: float) -> FloatArray:
    """The local mu at the floor that the tangent 1 - delta - e^eps alpha allows; inf where beta is below the floor."""
    with np.errstate(over="ignore"):
        load = np.exp(np.minimum(epsilon, LARGEST_EXPONENT)) * floor
        excess = (upper + np.expm1(np.minimum(epsilon, LARGEST_EXPONENT)) * floor) * (1.0 + SCANT) + 4.0 * UNIT * load
        beta = 1.0 - (upper + load) * (1.0 + SCANT) - UNIT
    known = (beta >= floor) & (epsilon < LARGEST_EXPONENT)
    log_alpha = np.full(excess.shape, np.log(floor))
    log_excess, log_beta = (np.log(np.where(known, part, 0.5)) for part in (excess, beta))
    found = probit_gap(log_alpha, log_excess * (1.0 - 4.0 * UNIT), log_beta)
    return np.where(known, found * (1.0 + PROBIT_ERROR) + _ALPHA, np.inf)


def _through(power: FloatArray, floor: float) -> FloatArray:
    """The local mu at the floor of a power that is certain; 0 where it is not above the floor."""
    excess = (power - floor) * (1.0 - SCANT) - 2.0 * UNIT * power
    some = excess > TINY
    excess = np.where(some, excess, 0.5)
    beta = 1.0 - np.minimum(excess + floor, 1.0 - UNIT)
    found = probit_gap(np.full(excess.shape, np.log(floor)), np.log(excess), np.log(beta))
    return np.where(some, np.maximum(found * (1.0 - PROBIT_ERROR) - _ALPHA, 0.0), 0.0)


def _power(y: FloatArray, lower: FloatArray, upper: FloatArray, floor: float) -> FloatArray:
    """Lower bounds on inf P, from bounds on delta at rising y = e^eps - 1; 0 where the first or last step does not fall
    towards it, so that there may be less outside.
    """
    low = (lower + (1.0 + y) * floor) * (1.0 - 8.0 * UNIT)
    high = (upper + (1.0 + y) * floor) * (1.0 + 8.0 * UNIT)
    step = np.diff(y, axis=1)
    left = (low[:, 1:] - high[:, :-1]) / step  # of the secant that ends at each point but the first
    right = (high[:, 1:] - low[:, :-1]) / step  # of that which begins at each point but the last
    inside = (high[:, 1] <= low[:, 0]) & (high[:, -2] <= low[:, -1]) & (step > 0.0).all(axis=1)
    ends = np.minimum(low[:, 1] - right[:, 1] * step[:, 0], low[:, -2] + left[:, -2] * step[:, -1])
    # between the second and the last but one: the higher of two lines, lowest at an end or where they meet
    a, b, width, rise, fall = low[:, 1:-2], low[:, 2:-1], step[:, 1:-1], left[:, :-2], right[:, 2:]
    meet = np.clip((a - b + fall * width) / np.where(fall - rise > 0.0, fall - rise, np.inf), 0.0, width)
    least = np.minimum(np.maximum(a, b - fall * width), np.maximum(a + rise * width, b))
    least = np.minimum(least, np.maximum(a + rise * meet, b - fall * (width - meet)))
    size = np.maximum(a, b) + np.maximum(np.abs(rise), np.abs(fall)) * width
    least = (least - 16.0 * UNIT * size).min(axis=1)
    found = np.minimum(np.minimum(least, ends), np.minimum(low[:, 1], low[:, -2]))
    return np.where(inside & np.isfinite(found), found * (1.0 - SCANT), 0.0)
