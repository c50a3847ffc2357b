"""Masses of a smooth law between edges, divided between the two ends of each bin, by Gauss-Legendre quadrature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.gauss import gauss

__all__ = ["QUADRATURE", "smooth_bins"]

QUADRATURE = 1e-13  # relative error of seven nodes on a piece along which the logarithm of the density hardly bends
_NODES, _WEIGHTS = gauss(7)


def smooth_bins(
    place: FloatArray, start: FloatArray, h: float, longest: float, log_density: Callable[[FloatArray], FloatArray],
    loss: Callable[[FloatArray], FloatArray],
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Return, per bin, what goes to its lower and its upper end, and the log of their scale.

    Bin j is ``place[j] .. place[j + 1]``, where the loss runs from ``start[j]`` to at most ``start[j]`` + ``h`` and the
    law without the record has the density e^log_density. Bins are cut into pieces no longer than ``longest``.
    """
    width = np.diff(place)
    pieces = np.maximum(np.ceil(width / longest), 1.0).astype(np.int64)
    owner = np.repeat(np.arange(len(width)), pieces)
    first = np.append(0, np.cumsum(pieces)[:-1])
    half = 0.5 * width[owner] / pieces[owner]
    middle = place[owner] + half * (2.0 * (np.arange(len(owner)) - first[owner]) + 1.0)
    at = middle[:, None] + half[:, None] * _NODES
    log_mass = log_density(at)
    top = log_mass.max(axis=1)
    scale = np.maximum.reduceat(top, first)
    with np.errstate(under="ignore"):
        mass = half[:, None] * _WEIGHTS * np.exp(log_mass - scale[owner, None])
    share = np.expm1(np.clip(loss(at) - start[owner, None], 0.0, h)) / np.expm1(h)
    upper = np.add.reduceat((mass * share).sum(axis=1), first)
    lower = np.add.reduceat((mass * (1.0 - share)).sum(axis=1), first)
    return lower, upper, scale
