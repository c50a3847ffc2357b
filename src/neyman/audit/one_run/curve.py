"""How many correct guesses a whole trade-off function allows, in one training run.

With the notation of ``one_run_epsilon.py``: the same events, measured by the trade-off function f instead of by
(epsilon, delta), averaged over coins and canaries (1 - f is concave), say for the counts A = {i + 1, ..., r} that

    E[(r - C) 1(C >= i)] / m >= (k - 1) f(1 - E[C 1(C >= i + 1)] / m)                                          (2)

(Mahloujifar, Melis and Chaudhuri 2025, Auditing f-differential privacy in one run, Algorithm 3). Written with the tail
probabilities G_i = P(C >= i) and W_i = G_(i+1) + ... + G_r,

    (r - i) G_i >= W_i + m (k - 1) f(1 - (i G_(i+1) + W_i) / m),                                               (3)

whose right side increases with every G_l, l > i. So if G_c >= tau, then G_i >= g_i for the least sequence that fulfils
(3): g_c = tau, g_l = 0 above c, and downwards g_i = the larger of g_(i+1) and what (3) asks. If some g_i exceeds 1,
P(C >= c) < tau. Once g_i = g_(i+1) the sequence stays where it is. All terms are positive and each is rounded down.
"""

from __future__ import annotations

import math

from neyman.audit.one_run.counts import Count
from neyman.audit.tangents import DOWN, Lines, Tangents

__all__ = ["LEAST", "curve_bound", "impossible"]

LEAST = 1e-12  # no smaller p-value is looked for
_SHARP = 1e-4  # relative, of a p-value


def impossible(lines: Lines, count: Count, tail: float) -> bool:
    """Whether P(C >= correct) >= ``tail`` contradicts the claim behind ``lines``.

    Examples
    --------
    >>> import neyman as ny
    >>> lines = Tangents.of(ny.GDP(0.5)).lines
    >>> impossible(lines, Count(correct=95, guesses=100, canaries=1000), 0.05)
    True
    >>> impossible(lines, Count(correct=75, guesses=100, canaries=1000), 0.05)
    False
    """
    slope, offset, start = lines.slope, lines.offset, lines.start
    last = len(start) - 1
    m, r = float(count.canaries), count.guesses
    scale = m * (count.choices - 1)
    g = above = tail  # g_(i+1) and W_i
    k = 0
    for i in range(count.correct - 1, -1, -1):
        y = (i * g + above) / m * DOWN
        while k < last and start[k + 1] <= y:
            k += 1
        forced = slope[k] * (y * DOWN) - offset[k]
        asked = (above + scale * forced) / (r - i) * DOWN if forced > 0.0 else above / (r - i)
        if asked <= g:
            return False
        g = asked
        if g > 1.0:
            return True
        above = (above + g) * DOWN
    return False


def curve_bound(tangents: Tangents, count: Count, least: float = LEAST) -> float:
    """Return an upper bound of P(C >= correct) under the claim: never below ``least``, sharp to a relative 1e-4.

    Examples
    --------
    >>> import neyman as ny
    >>> bound = curve_bound(Tangents.of(ny.GDP(0.5)), Count(correct=95, guesses=100, canaries=1000))
    >>> 0.0005 < bound < 0.0006
    True
    """
    lines = tangents.lines
    if count.correct == 0 or not impossible(lines, count, 1.0):
        return 1.0
    if impossible(lines, count, least):
        return least
    low, high = math.log(least), 0.0
    while high - low > _SHARP:
        middle = 0.5 * (low + high)
        if impossible(lines, count, math.exp(middle)):
            high = middle
        else:
            low = middle
    return min(1.0, math.exp(high) * (1.0 + 1e-12))
