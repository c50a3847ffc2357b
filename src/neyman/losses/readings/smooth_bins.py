"""Masses of a smooth law between edges, divided between the two ends of each bin, by Gauss-Legendre quadrature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.functions.gauss import gauss

__all__ = ["QUADRATURE", "smooth_bins"]

QUADRATURE = 1e-13  # relative error of seven nodes on a piece along which the logarithm of the density hardly bends
_AT_ONCE = 1 << 17  # pieces
_NODES, _WEIGHTS = gauss(7)  # of one panel


def smooth_bins(
    place: FloatArray, start: FloatArray, h: float, longest: float,
    seen: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Return, per bin, what goes to its lower and its upper end, and the log of their scale.

    Bin j is ``place[j] .. place[j + 1]``, where the loss runs from ``start[j]`` to at most ``start[j]`` + ``h``; at any
    place the logarithm of the density of the law without the record, and the loss, are what is ``seen``. Bins are cut
    into pieces no longer than ``longest``.
    """
    width = np.diff(place)
    pieces = np.maximum(np.ceil(width / longest), 1.0).astype(np.int64)
    stop = np.cumsum(pieces)
    lower, upper, scale = np.zeros(len(width)), np.zeros(len(width)), np.full(len(width), -np.inf)
    for begin in range(0, int(stop[-1]), _AT_ONCE):
        piece = np.arange(begin, min(begin + _AT_ONCE, int(stop[-1])))
        owner = np.searchsorted(stop, piece, side="right")
        half = 0.5 * width[owner] / pieces[owner]
        middle = place[owner] + half * (2.0 * (piece - (stop - pieces)[owner]) + 1.0)
        at = middle[:, None] + half[:, None] * _NODES
        log_mass, loss = seen(at)
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        bins = slice(int(owner[0]), int(owner[-1]) + 1)
        top = np.maximum(scale[bins], np.maximum.reduceat(log_mass.max(axis=1), first))
        with np.errstate(under="ignore"):
            mass = half[:, None] * _WEIGHTS * np.exp(log_mass - top[owner - owner[0], None])
            before = np.exp(scale[bins] - top)  # of a bin that the pieces before began
        share = np.expm1(np.clip(loss - start[owner, None], 0.0, h)) / np.expm1(h)
        upper[bins] = upper[bins] * before + np.add.reduceat((mass * share).sum(axis=1), first)
        lower[bins] = lower[bins] * before + np.add.reduceat((mass * (1.0 - share)).sum(axis=1), first)
        scale[bins] = top
    return lower, upper, scale
