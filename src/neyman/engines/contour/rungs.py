"""Where a cumulant is walked at first: rungs of a ladder of c > 0, as far apart as saddle points want them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.functions.grids import evenly, geometric

if TYPE_CHECKING:
    from neyman.losses.gaussian.transform import SamplingTransform

__all__ = ["RATIO", "STEP", "evenly_apart", "foreseeable", "foreseen"]

_Triple = tuple[FloatArray, FloatArray, FloatArray]

RATIO = 1.16  # from one rung to the next
# of how far rungs are from 0 where they lie evenly: how far apart, and as far as a normal law reaches
STEP, _NORMAL = 0.14, 2.75
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
    even = evenly(knee, last, 1 + math.ceil((last - knee) / (STEP * knee)))
    return np.concatenate([rungs[rungs < knee], even, rungs[rungs > last]])


def foreseeable(law: SamplingTransform) -> bool:
    """Whether the losses at which jumps begin are so near that they are nowhere cut off, so that K grows with them."""
    return 0.5 / law.sigma - law.sigma * math.log(law.rate) < _VALLEY


def foreseen(c: FloatArray, law: SamplingTransform, times: int, variance: float) -> _Triple:
    """About K, K' and K'' at ``c`` >= 0, of a law of which so many steps hardly ever take a record: a normal one with
    that ``variance`` at 0, and jumps.

    A(w) is about 1 + q^w e^{w (w - 1) / 2 s^2}, of which the latter are steps that jump, by log q + (2 w - 1) / 2 s^2,
    from where that rises.
    """
    s2 = law.sigma**2
    w = 1.0 + c
    rise = math.log(law.rate) + (w - 0.5) / s2
    odds = np.where(rise > 0.0, w * (math.log(law.rate) + 0.5 * c / s2), -math.inf)
    share = 1.0 / (1.0 + np.exp(np.minimum(-odds, _LARGEST)))
    k = 0.5 * variance * c * (c + 1.0) + times * np.logaddexp(0.0, odds)
    jumps = times * share
    return k, variance * (c + 0.5) + jumps * rise, variance + jumps * (1.0 / s2 + (1.0 - share) * rise * rise)
