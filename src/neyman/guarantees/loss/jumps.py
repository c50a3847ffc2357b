"""Where much of a law lies in next to no room: at known bends of delta, at the ends of the losses and at 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees.loss.bounds import Bounds
from neyman.guarantees.loss.tails import tails
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["Jump", "jumps", "places"]

_BESIDE = 1e-6  # of the spread of the law, on either side of a jump
_LEAST = 1e-5  # of the mass: less may be a density
_MOST = 1024  # knots that are looked at


class Jump(NamedTuple):
    """A mass in next to no room: the loss lies between ``low`` and ``high`` with a chance within ``mass``."""

    low: float
    high: float
    mass: Bounds


def places(pair: Pair) -> FloatArray:
    """Where a law may jump, rising: at what is known of it, at its ends, and at 0 where two directions meet."""
    known = (pair.forward.knots[:_MOST], -pair.backward.knots[:_MOST])
    found = np.unique(np.concatenate([*known, [0.0, pair.forward.end, -pair.backward.end]]))
    return found[np.isfinite(found)]


def jumps(pair: Pair) -> tuple[Jump, ...]:
    """Those of L under P, by rising loss; the infinite losses are none of them."""
    room, middle = _BESIDE * spread(pair.forward), places(pair)
    apart = np.append(np.inf, np.diff(middle))
    middle = middle[apart > 2.0 * room]  # knots that are one but for rounding are one jump
    low, high = middle - room, middle + room
    found = tails(pair, np.concatenate([low, high]))
    first, last = slice(None, middle.size), slice(middle.size, None)
    least = np.maximum(
        found.below_lower[last] - found.below_upper[first], found.above_lower[first] - found.above_upper[last]
    )
    most = np.minimum(
        found.below_upper[last] - found.below_lower[first], found.above_upper[first] - found.above_lower[last]
    )
    return tuple(
        Jump(float(low[i]), float(high[i]), Bounds(float(least[i]) - UNIT, min(float(most[i]) + UNIT, 1.0)))
        for i in range(middle.size)
        if least[i] >= _LEAST
    )
