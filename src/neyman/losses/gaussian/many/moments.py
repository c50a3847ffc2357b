"""Moments of many laws at real tilts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.many.block import ENTRIES, LONG, Block, chunks, nodes_of, parted
from neyman.losses.gaussian.many.looks import STEEPEST, steps_of
from neyman.losses.gaussian.transform import FINE, LIMIT, MARGIN, SMOOTH
from neyman.losses.readings.tilted import of_each_kind, tilted_moments
from neyman.losses.readings.transform import Moments, Transform

__all__ = ["lost_of", "moments_of", "summed"]


def moments_of(laws: Sequence[Transform], w: FloatArray) -> Moments:
    """``moments`` of each law at real ``w``: arrays with one row for each law."""
    if len(laws) == 1:
        found = laws[0].moments(w)
        return Moments(found.log_a[None], found.mean[None], found.variance[None], found.cut[None])
    out = Moments(*(np.empty((len(laws), len(w))) for _ in range(4)))
    plain, alone = parted(laws)
    if len(plain):
        block, some = Block.of(laws, plain), [laws[i] for i in plain.tolist()]
        out.put(plain, of_each_kind(w, lambda tilts: _tilted(block, some, tilts)))
    for i in alone.tolist():
        out.put(i, laws[i].moments(w))
    return out


def lost_of(laws: Sequence[Transform], cuts: FloatArray) -> FloatArray:
    """e^``log_lost`` of each law, which has a row of ``cuts``."""
    if len(laws) == 1:
        return np.exp(laws[0].log_lost(cuts[0]))[None]
    out = np.empty(cuts.shape)
    plain, alone = parted(laws)
    if len(plain):
        u = (cuts[plain] - 1.0) / Block.of(laws, plain).sigma[:, None]
        out[plain] = np.where(u > 1.0, np.exp(-0.5 * u * u), 1.0)
    for i in alone.tolist():
        out[i] = np.exp(laws[i].log_lost(cuts[i]))
    return out


def summed(times: Sequence[float], rows: FloatArray) -> FloatArray:
    """Of all laws, which have a row each, so many ``times``."""
    return times[0] * rows[0] if len(times) == 1 else np.add.reduce(np.array(times)[:, None] * rows, axis=0)


def _tilted(block: Block, laws: Sequence[Transform], w: FloatArray) -> Moments:
    """``moments`` of plain laws at tilts that share a grid."""
    out = Moments(*(np.empty((len(laws), len(w))) for _ in range(4)))
    step = np.minimum(steps_of(block, float(w.min()), 0.0, MARGIN), SMOOTH * math.sqrt(2.0) * block.sigma)
    low, top = block.ends(float(np.abs(w).max()), float(w.max()), math.inf)
    count = np.ceil((top - low) / step)
    alone = ~(count < LONG)
    if np.abs(w).max() > STEEPEST:  # a look makes the grid coarser
        alone |= step <= FINE * block.sigma
    for i in np.flatnonzero(alone).tolist():
        out.put(i, laws[i].moments(w))
    for some, most in chunks(np.flatnonzero(~alone), count, len(w)):
        out.put(some, _on_grid(block[some], w, low[some], top[some], most))
    return out


def _on_grid(block: Block, w: FloatArray, low: FloatArray, top: FloatArray, count: int) -> Moments:
    """The same on grids of so many places."""
    x, step = nodes_of(low, top, count)
    loss, density = block.log_ratio(x)[:, None], block.log_density(x)[:, None]
    ends = (LIMIT * block.sigma)[:, None], 0.0
    return Moments(*tilted_moments(w, x[:, None], step[:, None], loss, density, ends, ENTRIES))
