"""mu at the floor itself: the local mu of f where alpha is the floor, from above and from below.

f(alpha) = sup over x = e^eps of 1 - delta - x alpha. From above one tangent is enough. From below the infimum of
P(x) = delta + x alpha, which is convex, lies no deeper than secants drawn on from outside allow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.laying.lines import Lines
from neyman.numerics.functions.normal import PROBIT_ERROR, probit_gap, probit_near
from neyman.numerics.rounding import LARGEST_EXPONENT, SCANT, TINY, UNIT

__all__ = ["Foot", "foot"]

_SEARCH = 4  # secants drawn to where alpha is the floor
_SIDE = 1e-5 * 4.0 ** np.arange(7)  # of 1 / (c + 1), within which alpha falls to 1/e: the fan about it
_FAN = np.concatenate([-_SIDE[::-1], [0.0], _SIDE])  # on both sides
# certifies, units: what rounding of log alpha, by 4 of itself, moves a local mu by, times min(1, mu). At a given excess
# it is (1 - phi(z) / phi(z')) alpha / phi(z) of that, z and z' the probits, |z'| <= z: no more than 1 / z, and than mu
_ALPHA = 8.0
_LOGS = 4.0  # certifies, units of 2 + |z|: what rounding of another log p, by as much, moves its probit by
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
    upper, gap = read.upper.max(axis=1), read.gap_lower.min(axis=1)
    mu = _tangent(epsilon, upper, gap, floor)
    best = np.argmin(mu, axis=1)[:, None]
    at, delta, gap = (np.take_along_axis(part, best, 1)[:, 0] for part in (epsilon, upper, gap))
    y = np.expm1(epsilon)
    power = _infimum(y, read.lower.max(axis=1), upper, floor)
    loss = _infimum(y, -read.gap_upper.min(axis=1), -read.gap_lower.min(axis=1), floor)
    return Foot(at, _through(power, -loss, floor), _tangent(at, delta, gap, floor, True))


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


def _tangent(
    epsilon: FloatArray, upper: FloatArray, gap: FloatArray, floor: float, sharply: bool = False
) -> FloatArray:  # fmt: skip
    """The local mu at the floor that the tangent 1 - delta - e^eps alpha allows; inf where beta is below the floor."""
    with np.errstate(over="ignore"):
        load = np.exp(np.minimum(epsilon, LARGEST_EXPONENT)) * floor
        excess = (upper + np.expm1(np.minimum(epsilon, LARGEST_EXPONENT)) * floor) * (1.0 + SCANT) + 4.0 * UNIT * load
        beta = np.maximum(1.0 - (upper + load) * (1.0 + SCANT) - UNIT, (gap - load * (1.0 + SCANT)) * (1.0 - SCANT))
    known = (beta >= floor) & (epsilon < LARGEST_EXPONENT)
    excess, beta = (np.where(known, part, 0.5) for part in (excess, beta))
    found = _local_mu(excess, beta, floor, 1.0)
    if sharply:
        found = np.minimum(found, _sharply(excess, beta, floor, 1.0))
    return np.where(known, found, np.inf)


def _through(power: FloatArray, beta: FloatArray, floor: float) -> FloatArray:
    """The local mu at the floor of a power that is certain, with a ``beta`` that it certainly has no more than; 0 where
    it is not above the floor.
    """
    excess = (power - floor) * (1.0 - SCANT) - 2.0 * UNIT * power
    some = excess > TINY
    excess = np.where(some, excess, 0.5)
    beta = np.minimum(1.0 - np.minimum(excess + floor, 1.0 - UNIT), np.maximum(beta, floor))
    found = np.maximum(_local_mu(excess, beta, floor, -1.0), _sharply(excess, beta, floor, -1.0))
    return np.where(some, np.maximum(found, 0.0), 0.0)


def _local_mu(excess: FloatArray, beta: FloatArray, floor: float, side: float) -> FloatArray:
    """mu through the point of this excess and beta at the floor, from above (``side`` 1) or from below (-1)."""
    log_floor = np.log(floor)
    found = probit_gap(np.full(excess.shape, log_floor), np.log(excess) * (1.0 - side * 4.0 * UNIT), np.log(beta))
    return found * (1.0 + side * PROBIT_ERROR) - side * _ALPHA * UNIT * log_floor * np.minimum(found, 1.0)


def _sharply(excess: FloatArray, beta: FloatArray, floor: float, side: float) -> FloatArray:
    """The same by nearer probits, whose difference knows less of a small mu."""
    power = excess + floor
    small = power < 0.5
    log_p = np.log(np.where(small, power, np.minimum(beta, 0.5)))
    (end, error), (start, more) = probit_near(log_p), probit_near(np.log(np.full(1, floor)))
    error = error + more + _LOGS * UNIT * (4.0 + np.abs(end) + np.abs(start))
    found = np.where(small, end, -end) - start
    return found * (1.0 + side * SCANT) + side * error


def _infimum(y: FloatArray, lower: FloatArray, upper: FloatArray, floor: float) -> FloatArray:
    """Lower bounds on the infimum over x of P = d + x alpha, alpha the floor, from bounds on d, delta or delta - 1, at
    rising y = x - 1; -inf where the first or last step does not fall towards it, so that there may be less outside.
    """
    load = (1.0 + y) * floor
    low = (lower + load) - 8.0 * UNIT * (np.abs(lower) + load)
    high = (upper + load) + 8.0 * UNIT * (np.abs(upper) + load)
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
    size = np.maximum(np.abs(a), np.abs(b)) + np.maximum(np.abs(rise), np.abs(fall)) * width
    least = (least - 16.0 * UNIT * size).min(axis=1)
    found = np.minimum(np.minimum(least, ends), np.minimum(low[:, 1], low[:, -2]))
    return np.where(inside & np.isfinite(found), found - SCANT * np.abs(found), -np.inf)
