"""Quantiles of the loss: inf {x: F(x) >= p}, enclosed by places where the bracket of F decides.

Every end is certified where it stands: the lower one at an x with F(x) < p, the upper one at an x with F(x) >= p; how
the search came there does not matter. They are as far apart as the bracket of F is wide there, on either side of a jump
about 1e-10 of the law's spread.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.guarantees.loss.tails import tails
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["quantiles", "upper_quantiles"]

_FARTHEST = 1e150  # where nobody looks for a quantile any more
_CLOSE = 1e-10  # of the spread of the law, or of the place: no bracket tells more
_SECTIONS = 4  # in which an interval is parted at once
_ROUNDS = 60  # of parting at most: steers
_DOUBLINGS, _GROWTH = 800, 4.0  # looks away from 0 at most, each so many times as far: steers


def quantiles(pair: Pair, p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds on the least x with P(L <= x) >= p, for each ``p`` in (0, 1) (1-d)."""

    def surely_less(x: FloatArray, p: FloatArray) -> BoolArray:
        return tails(pair, x).below_upper < p

    def surely_reached(x: FloatArray, p: FloatArray) -> BoolArray:  # from the right, so that it fails from some x on
        return tails(pair, -x).below_lower >= p

    return _both(pair, p, p > 1.0 - pair.forward.revealed + UNIT, surely_less, surely_reached)


def upper_quantiles(pair: Pair, p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds on the largest x with P(L >= x) >= p, for each ``p`` in (0, 1) (1-d)."""

    def surely_reached(x: FloatArray, p: FloatArray) -> BoolArray:
        return tails(pair, x).above_lower >= p

    def surely_less(x: FloatArray, p: FloatArray) -> BoolArray:
        return tails(pair, -x).above_upper < p

    return _both(pair, p, p <= pair.forward.revealed, surely_reached, surely_less)


_Holds = Callable[[FloatArray, FloatArray], BoolArray]


def _both(pair: Pair, p: FloatArray, endless: BoolArray, right: _Holds, left: _Holds) -> tuple[FloatArray, FloatArray]:
    """The last x where ``right`` holds, and, read at -x, where ``left`` does; inf where the quantile is ``endless``."""
    if float(pair.forward.bracket(np.zeros(1)).upper[0]) == 0.0:  # nothing is given away: L is 0
        return np.zeros(p.size), np.zeros(p.size)
    low, high, unit = np.full(p.size, np.inf), np.full(p.size, np.inf), spread(pair.forward)
    asked = p[~endless]
    if asked.size:
        low[~endless] = _last(lambda x: right(x, np.repeat(asked, x.size // asked.size)), asked.size, unit)
        high[~endless] = -_last(lambda x: left(x, np.repeat(asked, x.size // asked.size)), asked.size, unit)
    return low, high


def _last(holds: Callable[[FloatArray], BoolArray], n: int, unit: float) -> FloatArray:
    """About the largest x at which a condition holds that fails from some x on; -inf where none was found.

    It holds at every x that is returned.
    """
    start = holds(np.zeros(n))
    low, high = np.where(start, 0.0, -unit), np.where(start, unit, 0.0)  # at ``high`` it fails, once it is found
    for _ in range(_DOUBLINGS):
        going = np.maximum(-low, high) < _FARTHEST
        beyond = np.where(start, high, low)
        going &= holds(np.where(going, beyond, 0.0)) == start
        if not going.any():
            break
        low = np.where(going, np.where(start, high, low * _GROWTH), low)
        high = np.where(going, np.where(start, high * _GROWTH, beyond), high)
    never = ~start & (low <= -_FARTHEST)
    settled = never | (start & (high >= _FARTHEST))
    part = np.arange(1, _SECTIONS) / _SECTIONS
    for _ in range(_ROUNDS):
        settled |= high - low <= _CLOSE * np.maximum(unit, np.abs(low))
        if settled.all():
            break
        inner = np.where(settled[:, None], 0.0, low[:, None] + (high - low)[:, None] * part)
        right = np.cumprod(holds(inner.ravel()).reshape(inner.shape), axis=1).sum(axis=1)
        edges, at = np.column_stack([low, inner, high]), np.arange(n)
        low, high = np.where(settled, low, edges[at, right]), np.where(settled, high, edges[at, right + 1])
    return np.where(never, -np.inf, low)
