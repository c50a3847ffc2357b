"""Many sampled Gaussian steps at once: the readings that ``SamplingTransform`` gives law by law, with the law as the
leading axis of every array.

The formulas are those of one law. So are the ends of the grids; their spacing is that of the law or, so that all laws of
a block have as many places, finer. Errors that are stated for the grid of one law hold on a finer one with the same
ends: the alias falls with the spacing, and the walls stand where they stood.

Laws that are not plain, that are few, or whose grids are long are asked one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.losses.gaussian.transform import (
    MARGIN,
    CLEAR,
    DEVIATIONS,
    FINE,
    LIMIT,
    LINES,
    SMOOTH,
    SamplingTransform,
)
from neyman.losses.readings.tilted import tilted_moments
from neyman.losses.readings.transform import Moments, Transform
from neyman.numerics.log1p import log1p

__all__ = ["moments_of"]

_FEW = 8  # laws that are asked one by one
_ENTRIES = 1 << 14  # of a table: 128 kB, more than which is taken from the system and given back each time
_LONG = 1 << 11  # places of a grid from which a law is asked alone
_LARGEST = 600.0  # of the exponents t of a loss: beyond, ``mixed`` has another form
_TILTS = np.array([-256.0, -64.0, -16.0, 0.0, 16.0, 64.0])  # where tilts are parted: each group has a grid of its own


@dataclass(frozen=True)
class _Block:
    """The noise and the rate of some plain laws."""

    sigma: FloatArray
    rate: FloatArray

    @classmethod
    def of(cls, laws: Sequence[SamplingTransform]) -> _Block:
        return cls(np.array([law.sigma for law in laws]), np.array([law.rate for law in laws]))

    def __getitem__(self, some: IntArray) -> _Block:
        return _Block(self.sigma[some], self.rate[some])

    def ends(self, reach: float, w: float, cut: FloatArray | float) -> tuple[FloatArray, FloatArray]:
        """``SamplingTransform.ends``."""
        low = -np.minimum(LIMIT * self.sigma, DEVIATIONS * self.sigma + reach * self.rate)
        top = np.minimum(LIMIT * self.sigma + 1.0, DEVIATIONS * self.sigma + 1.0 + max(0.0, w))
        return low, np.minimum(top, cut)

    def step(self, w: float, omega: float, margin: float) -> FloatArray:
        """Steps on the real axis whose alias lies ``margin`` e-folds below A(w), without a look."""
        s2 = (self.sigma**2)[:, None]
        y = np.minimum(self.sigma[:, None] * LINES, CLEAR * math.pi * s2)
        growth = 0.5 * y**2 / s2 + omega * y / s2 - max(0.0, -w) * np.log(np.cos(y / (2.0 * s2)))
        return np.max(2.0 * math.pi * y / (growth + margin), axis=1)

    def log_ratio(self, x: FloatArray) -> FloatArray:
        """One row for each law; no exponent beyond ``_LARGEST``."""
        t = (2.0 * x - 1.0) / (2.0 * self.sigma * self.sigma)[:, None]
        return log1p(self.rate[:, None] * np.expm1(t))

    def log_density(self, x: FloatArray) -> FloatArray:
        """The same."""
        return -0.5 * (x / self.sigma[:, None]) ** 2 - np.log(self.sigma * math.sqrt(2.0 * math.pi))[:, None]


def moments_of(laws: Sequence[Transform], w: FloatArray) -> Moments:
    """``moments`` of each law at real ``w``: arrays with one row for each law."""
    out = [np.empty((len(laws), len(w))) for _ in range(4)]
    plain, alone = _parted(laws)
    if len(plain):
        block = _Block.of([law for law in laws if type(law) is SamplingTransform and _is_plain(law)])
        groups = np.searchsorted(_TILTS, w, side="right")
        for group in np.unique(groups):
            at = np.flatnonzero(groups == group)
            served = _tilted(block, laws, plain, w[at])
            for target, value in zip(out, served, strict=True):
                target[np.ix_(plain, at)] = value
    for i in alone.tolist():
        one = laws[i].moments(w)
        for target, value in zip(out, (one.log_a, one.mean, one.variance, one.cut), strict=True):
            target[i] = value
    return Moments(*out)


def _parted(laws: Sequence[Transform]) -> tuple[IntArray, IntArray]:
    """Which of them are taken together, and which one by one."""
    plain = np.array([type(law) is SamplingTransform and _is_plain(law) for law in laws], dtype=np.bool_)
    if np.count_nonzero(plain) < _FEW:
        plain[:] = False
    return np.flatnonzero(plain), np.flatnonzero(~plain)


def _is_plain(law: SamplingTransform) -> bool:
    """Whether its loss is log1p(rate expm1(t)) wherever a grid may be."""
    return law.rate <= 0.5 and (2.0 * law.limit - 1.0) / (2.0 * law.sigma**2) <= _LARGEST


def _tilted(block: _Block, laws: Sequence[Transform], plain: IntArray, w: FloatArray) -> list[FloatArray]:
    """``moments`` of the plain laws at tilts that share a grid."""
    out = [np.empty((len(plain), len(w))) for _ in range(4)]
    step = np.minimum(block.step(float(w.min()), 0.0, MARGIN), SMOOTH * math.sqrt(2.0) * block.sigma)
    low, top = block.ends(float(np.abs(w).max()), float(w.max()), math.inf)
    count = np.ceil((top - low) / step)
    alone = (step <= FINE * block.sigma) | ~(count < _LONG)
    for i in np.flatnonzero(alone).tolist():
        one = laws[plain[i]].moments(w)
        for target, value in zip(out, (one.log_a, one.mean, one.variance, one.cut), strict=True):
            target[i] = value
    for some, most in _chunks(np.flatnonzero(~alone), count, len(w)):
        few = block[some]
        spacing = (top[some] - low[some]) / most
        x = top[some, None] - spacing[:, None] * np.arange(most - 0.5, 0.0, -1.0)
        loss, density = few.log_ratio(x)[:, None], few.log_density(x)[:, None]
        ends = (LIMIT * few.sigma)[:, None], 0.0
        rows = max(1, _ENTRIES // x.size)
        for i in range(0, len(w), rows):
            tilts = slice(i, i + rows)
            found = tilted_moments(w[tilts], x[:, None], spacing[:, None], loss, density, ends)
            for target, value in zip(out, found, strict=True):
                target[some, tilts] = value
    return out


def _chunks(which: IntArray, count: FloatArray, rows: int) -> Iterator[tuple[IntArray, int]]:
    """Laws that have nearly as many places, and how many that is at most: tables of so many rows fit the cache."""
    order = which[np.argsort(-count[which], kind="stable")]
    i = 0
    while i < len(order):
        most = int(count[order[i]])
        size = max(1, _ENTRIES // (most * rows))
        yield order[i : i + size], most
        i += size


