"""Where a cumulant is walked at first: rungs of a ladder of c > 0, as far apart as saddle points want them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.readings.transform import Transform
from neyman.numerics.functions.grids import evenly, geometric

__all__ = ["RATIO", "evenly_apart", "foreseeable", "foreseen"]

_Triple = tuple[FloatArray, FloatArray, FloatArray]

RATIO = 1.16  # from one rung to the next
# of how far rungs are from 0 where they lie evenly: how far apart, and as far as a normal law reaches
_STEP, _NORMAL = 0.14, 2.75
_VALLEY = 9.8  # deviations of the noise at which jumps begin, beyond which they may be cut off
_LARGEST = 300.0  # of an exponent


def evenly_apart(low: float, high: float, knee: float) -> FloatArray:
    """Ascending c, each ``RATIO`` times the one before; from the ``knee`` on, where tilted means would lie too far
    apart, evenly, as far as a normal law reaches.
    """
    count = 1 + math.ceil(math.log(high / low) / math.log(RATIO))
    rungs = geometric(low, high, count)
    last = min(_NORMAL * knee, high)
    if not low < knee < last:
        return rungs
    even = evenly(knee, last, 1 + math.ceil((last - knee) / (_STEP * knee)))
    return np.concatenate([rungs[rungs < knee], even, rungs[rungs > last]])


def foreseeable(law: Transform) -> TypeGuard[SamplingTransform]:
    """Whether it is a sampled Gaussian, and the losses at which its jumps begin are so near that they are nowhere cut
    off, so that K grows with them.
    """
    if type(law) is not SamplingTransform:
        return False
    return 0.5 / law.sigma - law.sigma * math.log(law.rate) < _VALLEY


def foreseen(c: FloatArray, laws: Sequence[tuple[SamplingTransform, int]], variance: float) -> _Triple:
    """About K, K' and K'' at ``c`` >= 0, of ``laws`` that are taken so often, and hardly ever take a record: a normal
    one with that ``variance`` at 0, and jumps.

    A(w) is about 1 + q^w e^{w (w - 1) / 2 s^2}, of which the latter are steps that jump, by log q + (2 w - 1) / 2 s^2,
    from where that rises.
    """
    sigma, rate, times = np.array([(law.sigma, law.rate, float(often)) for law, often in laws]).T[:, :, None]
    log_rate, s2 = np.log(rate), sigma * sigma
    rise = log_rate + (c + 0.5) / s2
    odds = np.where(rise > 0.0, (1.0 + c) * (log_rate + 0.5 * c / s2), -math.inf)
    share = 1.0 / (1.0 + np.exp(np.minimum(-odds, _LARGEST)))
    jumps = times * share
    k = np.add.reduce(times * np.logaddexp(0.0, odds), axis=0)
    mean = np.add.reduce(jumps * rise, axis=0)
    spread = np.add.reduce(jumps * (1.0 / s2 + (1.0 - share) * rise * rise), axis=0)
    return 0.5 * variance * c * (c + 1.0) + k, variance * (c + 0.5) + mean, variance + spread
