"""Many plain sampled Gaussian steps: what their readings share, with the law as the leading axis of every array.

The formulas are those of one law (``SamplingTransform``), and so are the ends of the grids. Their spacing is that of
one law or, so that all laws of a block have as many places, finer. What is stated of the grid of one law holds of a
finer one with the same ends: the alias falls with the spacing, and the walls stand where they stood.

Laws that are not plain, that are few, or whose grids are long are asked one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.losses.gaussian.growth import CLEAR, LINES
from neyman.losses.gaussian.transform import DEVIATIONS, LIMIT, SamplingTransform
from neyman.losses.readings.transform import Transform
from neyman.losses.sampling import mixed_each
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import AMPLE

__all__ = ["ENTRIES", "LONG", "Block", "chance", "chunks", "nodes_of", "parted"]

_FEW = 8  # laws that are asked one by one
ENTRIES = 1 << 14  # of a table: 128 kB, more than which is taken from the system and given back each time
LONG = 1 << 11  # places of a grid from which a law is asked alone
_FIRST, _NONE = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)  # places of one law alone
_ALIKE = 0.75  # of the places of the longest grid of a block: those of the others, at least
_LARGEST = 300.0  # of the exponents t of a loss, whose squares are floats: ``mixed`` has another form beyond 600


@dataclass(frozen=True)
class Block:
    """The noise and the rate of some plain laws."""

    sigma: FloatArray
    rate: FloatArray

    @classmethod
    def of(cls, laws: Sequence[Transform], plain: IntArray) -> Block:
        """That of those laws."""
        own = [laws[i] for i in plain.tolist()]
        values = [(law.sigma, law.rate) for law in own if isinstance(law, SamplingTransform)]
        return cls(*np.array(values).T)

    def __getitem__(self, some: Any) -> Block:
        return Block(self.sigma[some], self.rate[some])

    def ends(self, reach: float, w: float, cut: FloatArray | float) -> tuple[FloatArray, FloatArray]:
        """``SamplingTransform.ends``."""
        low = -np.minimum(LIMIT * self.sigma, DEVIATIONS * self.sigma + reach * self.rate)
        top = np.minimum(LIMIT * self.sigma + 1.0, DEVIATIONS * self.sigma + 1.0 + max(0.0, w))
        return low, np.minimum(top, cut)

    def step(self, w: float, omega: float, margin: float, lines: FloatArray = LINES) -> FloatArray:
        """Steps on the real axis whose alias lies ``margin`` e-folds below A(w), without a look."""
        s2 = (self.sigma**2)[:, None]
        y = np.minimum(self.sigma[:, None] * lines, CLEAR * math.pi * s2)
        growth = 0.5 * y**2 / s2 + omega * y / s2 - max(0.0, -w) * np.log(np.cos(y / (2.0 * s2)))
        return np.max(2.0 * math.pi * y / (growth + margin), axis=1)

    def log_ratio(self, z: Any) -> Any:
        """One row for each law: ``mixed`` for rates up to 1/2 and no exponent beyond 600."""
        t = (2.0 * z - 1.0) / (2.0 * self.sigma * self.sigma)[:, None]
        return log1p(self.rate[:, None] * np.expm1(t))

    def log_density(self, x: FloatArray) -> FloatArray:
        """The same."""
        return -0.5 * (x / self.sigma[:, None]) ** 2 - np.log(self.sigma * math.sqrt(2.0 * math.pi))[:, None]


def chance(block: Block, x: FloatArray) -> FloatArray:
    """p = q e^t / r(x), from above, at one place of each law."""
    t = (2.0 * x - 1.0) / (2.0 * block.sigma**2)
    return np.exp(np.minimum(t + np.log(block.rate) - mixed_each(t, 0.0 * t, block.rate)[0] + AMPLE, 0.0))


def parted(laws: Sequence[Transform], few: int = _FEW) -> tuple[IntArray, IntArray]:
    """Which of them are taken together, if they are no ``few``, and which one by one."""
    if len(laws) == 1:
        law = laws[0]
        together = few <= 1 and type(law) is SamplingTransform and _is_plain(law)
        return (_FIRST, _NONE) if together else (_NONE, _FIRST)
    plain: BoolArray = np.array([type(law) is SamplingTransform and _is_plain(law) for law in laws], dtype=np.bool_)
    if np.count_nonzero(plain) < few:
        plain[:] = False
    return np.flatnonzero(plain), np.flatnonzero(~plain)


def _is_plain(law: SamplingTransform) -> bool:
    """Whether its loss is log1p(rate expm1(t)) wherever a grid may be."""
    return law.rate <= 0.5 and (2.0 * law.limit - 1.0) / (2.0 * law.sigma**2) <= _LARGEST


def nodes_of(low: FloatArray, top: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Middles of so many cells between ``low`` and ``top``, one row for each law; and their width."""
    step = (top - low) / count
    return top[:, None] - step[:, None] * np.arange(count - 0.5, 0.0, -1.0), step


def chunks(which: IntArray, count: FloatArray, rows: int) -> Iterator[tuple[IntArray, int]]:
    """Laws that have nearly as many places, and how many that is at most: tables of so many rows fit the cache."""
    if len(which) == 1:
        yield which, int(count[which[0]])
        return
    order = which[np.argsort(-count[which], kind="stable")]
    i = 0
    while i < len(order):
        most = int(count[order[i]])
        size = max(1, ENTRIES // (most * rows))
        alike = int(np.searchsorted(-count[order], -_ALIKE * most, side="right")) - i
        yield order[i : i + min(size, alike)], most
        i += min(size, alike)
