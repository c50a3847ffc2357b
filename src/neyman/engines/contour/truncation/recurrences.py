"""Where a line need be looked at when its transforms return, but never together: few islands on a long way.

The transform of a discrete Gaussian comes back to its full size once a period, and a product of many comes back only
where all of them do. Between multiples of its period each transform falls, so its largest value on any stretch is
known (``DiscreteGaussianTransform.log_share``), and whatever cannot rise above the depth

    log |e^K| <= K(c) - D + log(omega / omega_0),    omega >= omega_0,

is left out of the trapezoid rule: all such nodes together weigh at most e^{K(c) - D} (1 + log(last / omega_0) +
h / omega_0) / (pi omega_0), with h the spacing.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.parts import Parts
from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform
from neyman.numerics.rounding import ROOM

__all__ = ["islands"]

# stretches that are looked at, at once: 100 bytes each. A return of some 20 deviations is 300 pieces and 20 nodes or
# more: where there are more of them, no line along them is worth its time
_MOST = 1 << 22
_COARSE = 4.0  # width of the first stretches, in deviations of the narrowest return
_SPLIT, _SPLITS = 8, 2  # pieces that a stretch is cut in, and how often
_ROUNDED = 1e-6  # of an angle, and more than what rounding does to it

Law = tuple[DiscreteGaussianTransform, int]


def islands(parts: Parts, sd: float, top: float, last: float, spacing: float, goal: float) -> tuple[FloatArray, float]:
    """Return the stretches of (0, last) that count, 2 by their number and ascending, and the log of the bound on all
    the others' nodes; all of it where a look does not pay.

    ``top`` is K(c), ``goal`` what the log of the bound may be.
    """
    first, whole = 2.0 ** math.floor(math.log2(3.0 / sd)), np.array([[0.0], [last]])
    if not last > first:
        return whole, -math.inf
    loss = math.log((1.0 + math.log(last / first) + spacing / first) / (math.pi * first))
    laws = parts.discrete_gaussians
    # in round numbers, so that neighbouring lines share one look
    depth = 4.0 * math.ceil(0.25 * (top + loss - goal))
    if not depth > 0.0:
        return whole, -math.inf
    edges = _looked(laws, depth, first, 2.0 ** math.ceil(math.log2(last)))
    # what is left out lies beyond the first of it, or is not bounded
    if edges is None or not edges.size or edges[0, 0] > 0.0 or edges[1, 0] < first:
        return whole, -math.inf
    edges = np.minimum(edges[:, edges[0] < last], last)
    return edges, goal


@lru_cache(maxsize=16)
def _looked(laws: tuple[Law, ...], depth: float, first: float, last: float) -> FloatArray | None:
    """Where the product may rise above the depth."""
    order = sorted(laws, key=lambda pair: _share(*pair, depth))
    finest = min(law.sigma / law.shift / math.sqrt(times) for law, times in laws)
    edges = _returns(*order[0], depth, last, finest)
    if edges is None:
        return None
    for turn in range(_SPLITS + 1):
        if turn and edges.shape[1] * _SPLIT > _MOST:
            return None
        if turn:
            cut = np.linspace(edges[0], edges[1], _SPLIT + 1)
            edges = np.stack([cut[:-1].T.ravel(), cut[1:].T.ravel()])
        edges = _alive(edges, order, depth, first)
    return _joined(edges)


def _share(law: DiscreteGaussianTransform, times: int, depth: float) -> float:
    """How much of its period a return takes, down to the depth."""
    return min(math.sqrt(2.0 * depth / times) / (law.sigma * math.pi), 1.0)


def _returns(law: DiscreteGaussianTransform, times: int, depth: float, last: float, finest: float) -> FloatArray | None:
    """Stretches that hold every return of one law; None where they are too many."""
    radius = np.linspace(0.0, math.pi, 1025)
    deep = np.flatnonzero(times * law.log_share(radius) <= -depth)
    reach = (float(radius[deep[0]]) if len(deep) else math.pi) + _ROUNDED
    count = math.floor(last * law.pitch / (2.0 * math.pi)) + 2
    pieces = math.ceil(2.0 * reach / law.pitch / (_COARSE * finest))
    if count * pieces > _MOST:
        return None
    cut = np.linspace(-reach, reach, pieces + 1)
    starts = np.add.outer(2.0 * math.pi * np.arange(count), cut[:-1]).ravel()
    ends = np.add.outer(2.0 * math.pi * np.arange(count), cut[1:]).ravel()
    edges = np.clip(np.stack([starts, ends]) / law.pitch, 0.0, last)
    return edges[:, edges[1] > edges[0]]


def _alive(edges: FloatArray, laws: list[Law], depth: float, first: float) -> FloatArray:
    """Those stretches on which the product may rise above the depth."""
    height = depth - np.log(np.maximum(edges[1] / first, 1.0))
    for law, times in laws:
        middle, half = 0.5 * (edges[0] + edges[1]) * law.pitch, 0.5 * (edges[1] - edges[0]) * law.pitch
        away = np.abs(middle - 2.0 * math.pi * np.rint(middle / (2.0 * math.pi)))
        height += times * law.log_share(np.maximum(away - half - _ROUNDED, 0.0))
        keep = height > 0.0
        edges, height = edges[:, keep], height[keep]
    return edges


def _joined(edges: FloatArray) -> FloatArray:
    """Neighbours that touch as one."""
    if not edges.size:
        return edges
    apart = edges[0, 1:] > edges[1, :-1] * (1.0 + ROOM)
    return np.stack([edges[0, np.append(True, apart)], edges[1, np.append(apart, True)]])
