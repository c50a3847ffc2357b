"""Where a line behind a veil is looked at: nodes at which all transforms come back together. Floats only choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from neyman._validate import FloatArray
from neyman.witnesses.plans.line import TooDear, laid
from neyman.witnesses.steps.base import Step
from neyman.witnesses.steps.returning import Returning

__all__ = ["veil"]

_THIN = 5e-6  # mu of the thin veil, in deviations of the loss: what it costs goes with its square
_SPARE = 8.0  # e-folds below a line's goal at which a stretch is left out
_SPLIT = 8  # pieces that a stretch is cut in
# of stretches that are looked at, and nodes that are kept: of more it is given up
_MOST_PIECES, _MOST_KEPT = 2_000_000, 20_000


def veil(
    steps: Sequence[Step], remove: bool, epsilon: float, reach: float, nats: float, log_most: float = math.inf,
    thin: float = _THIN,
) -> dict[str, Any]:  # fmt: skip
    """A veil for ``epsilon`` and those within ``reach`` standard deviations of it, good to ``nats`` e-folds; ``thin``
    is its mu in deviations of the loss.
    """
    base = laid(steps, remove, epsilon, reach, nats, log_most)
    square = (thin * base.deviation) ** 2
    depth = base.cumulant - base.goal + _SPARE
    nodes = int(math.sqrt(2.0 * depth / square) * base.period / (2.0 * math.pi)) + 2
    returning = [step for step in steps if isinstance(step, Returning)]
    h = 2.0 * math.pi / base.period
    kept = _kept(returning, h, square, nodes, depth)
    if len(kept) > _MOST_KEPT:
        raise TooDear
    breaks = np.flatnonzero(np.diff(kept) > 1)
    firsts, lasts = kept[np.append(0, breaks + 1)], kept[np.append(breaks, len(kept) - 1)]
    return {
        "direction": "remove" if remove else "add", "c": base.c, "far": base.far, "period": base.period,
        "nodes": nodes, "veil": square, "depth": depth,
        "runs": [[int(a), int(b)] for a, b in zip(firsts, lasts, strict=True)],
    }  # fmt: skip


def _kept(laws: Sequence[Returning], h: float, square: float, nodes: int, depth: float) -> FloatArray:
    """Nodes at which the product may be above the depth."""
    length = 8**7
    first = np.arange(0, nodes, length)
    while True:
        last = np.minimum(first + length - 1, nodes - 1)
        height = -0.5 * square * (first * h) ** 2
        for law in laws:
            height = height + law.log_share(first * h, last * h)
        first = first[height > -depth]
        if length == 1:
            return np.union1d(first, [0])
        length //= _SPLIT
        if len(first) * _SPLIT > _MOST_PIECES:
            raise TooDear
        first = np.add.outer(first, length * np.arange(_SPLIT)).ravel()
        first = first[first < nodes]
