"""How far a line must go when its transforms never die: looked at, cell by cell, instead of bounded once for all.

The transform of a law with atoms does not fall to nothing, and a bound for every omega beyond W is poor until W is
large. But between, the product of many such transforms is tiny almost everywhere, and that can be seen: over a cell of
width eta around omega

    |A(w + i omega')| <= |A(w + i omega)| + (eta / 2) A(w) sd(w),

because the derivative of A(w + i omega) e^{-i omega mean} is at most E[|L - mean| e^{wL}]. A shorter line leaves out
nodes of the trapezoid rule, not a stretch of an integral, and between two nodes the product may be as good as nothing:
what a cell [a, b] weighs is the number of its nodes k h times the largest term there,

    (h / pi) #{k: a <= k h <= b} max |e^K| / a^2,

and all nodes from W on, where |e^K| <= B, weigh at most (B / pi) (h / W^2 + 1 / W): the first, and an integral.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour_walk import WALKED, Parts

__all__ = ["shortened"]

_WORTH = 150.0  # nodes from which a look pays
_LOOKS = 1 << 23  # cells times laws that are looked at
_ENOUGH = 200  # steps looked at where each alone has fallen
_TERMS = 32.0  # of a transform that is worth a look; the others count in full
_WIDTH = 0.15  # of a cell, in standard deviations of one step
_WIDENING = (
    1 << 18
)  # cells that widen: of 1e11 steps there are as many (fewer shorten fewer lines: no bound rests on it)
_SAME = 8.0 * 2.0**-53  # how far rounding moves a node, relatively
_ROUNDED = 16.0 * 2.0**-53  # relative rounding of K, beside ``WALKED``, as of the aliases of ``contour_line``


def shortened(
    parts: Parts, cuts: FloatArray, c: float, sd: float, spread: float, end: tuple[float, float], goal: float
) -> tuple[float, float]:
    """Return a cut before ``end``, and the log of the bound on all beyond it; ``end`` itself where a look does not pay.

    ``end`` is a cut with the log of the bound beyond it, ``goal`` what the bound may be; ``spread`` the distance of the
    aliases.
    """
    last, log_tail = end
    spacing = 2.0 * math.pi / spread
    if parts.mu > 0.0 or not math.isfinite(last) or last / spacing < _WORTH:
        return end
    w = np.array([float(parts.argument(np.array([c]))[0])])
    looks = [law.moments(w) for law, _ in parts.steps]
    deviation = np.sqrt([float(look.variance[0]) for look in looks])
    # where one step alone has fallen, a few of many show enough
    every = min(max(1, int(parts.count) // _ENOUGH), len(parts.steps))
    edge = _edges(5.0 / sd, last, float(deviation.max()), _LOOKS * every // len(parts.steps))
    if edge is None:
        return end
    middle, half = 0.5 * (edge[1:] + edge[:-1]), 0.5 * np.diff(edge)
    far = int(np.searchsorted(middle, 1.0 / float(np.median(deviation))))
    top, fallen = 0.0, np.zeros(len(middle))
    for i, ((law, times), look, cut) in enumerate(zip(parts.steps, looks, cuts, strict=True)):
        log_a = float(look.log_a[0])
        top += times * log_a
        seen = slice(0, len(middle) if i % every == 0 else far)
        if not len(middle[seen]) or law.terms(float(w[0]), last) > _TERMS:
            continue
        value, error = law.on_line(float(w[0]), middle[seen], float(cut), 40.0)
        share = np.exp(value.real - log_a) * (1.0 + error) + half[seen] * deviation[i] * (1.0 + 1e-3)
        fallen[seen] += times * np.log(np.minimum(share, 1.0))
    with np.errstate(divide="ignore"):
        log_nodes = np.log(_nodes(edge, spacing) * (spacing / math.pi))
    log_part = top + fallen + log_nodes - 2.0 * np.log(edge[:-1])
    log_rest = log_tail + math.log1p(spacing / last)
    rounded = WALKED + _ROUNDED * (abs(top) + float(np.abs(fallen).max()))
    beyond = np.logaddexp(np.logaddexp.accumulate(log_part[::-1])[::-1], log_rest) + rounded
    enough = np.flatnonzero(beyond <= goal)
    return (float(edge[enough[0]]), float(beyond[enough[0]])) if len(enough) else end


def _nodes(edge: FloatArray, spacing: float) -> FloatArray:
    """How many multiples of ``spacing`` lie in each closed cell; one on an edge counts in both."""
    first, last = np.ceil(edge[:-1] / spacing * (1.0 - _SAME)), np.floor(edge[1:] / spacing * (1.0 + _SAME))
    return np.maximum(last - first + 1.0, 0.0)


def _edges(first: float, last: float, deviation: float, most: int) -> FloatArray | None:
    """Cells that widen with the square of omega, up to a share of 1 / deviation; None where they are too many."""
    if 1.0 / (first * deviation * _WIDTH) > _WIDENING:  # about as many, since 1 / edge falls evenly
        return None
    widest, edges = _WIDTH / deviation, [first]
    while edges[-1] < last and _WIDTH * edges[-1] ** 2 * deviation < widest:
        edges.append(edges[-1] + _WIDTH * edges[-1] ** 2 * deviation)
    if len(edges) + (last - edges[-1]) / widest > most:
        return None
    rest = np.arange(edges[-1] + widest, last, widest) if edges[-1] < last else np.zeros(0)
    return np.unique(np.append(np.minimum(np.concatenate([edges, rest]), last), last)) if first < last else None
