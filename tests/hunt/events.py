"""Explicit tests: "k outputs or more lie above x" has two binomial error rates; delta is at least what they show."""

from __future__ import annotations

import math

from flint import arb

from tests.hunt.pairs import Balls, Pair, clipped
from tests.hunt.steps import Noise

__all__ = ["Counting"]

_MOST = 3000
"""Runs up to which counts beyond one are looked at."""


class Counting(Pair):
    """``times`` runs of additive noise, seen through how many outputs exceed one of a few thresholds."""

    def __init__(self, noise: Noise, times: int) -> None:
        self.times = times
        low, high = (-1.0, 2.0) if noise.kind == "Laplace" else (-6.0 * float(noise.s), 1.0 + 6.0 * float(noise.s))
        cuts = [low + (high - low) * i / 12 for i in range(13)] + [0.5]
        self.rates = [(noise.tails(arb(x), True), noise.tails(arb(x), False)) for x in cuts]

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The best of these tests; from above nothing but 1."""
        best, order = arb(0), epsilon.exp()
        for (p, q), (p_not, q_not) in self.rates:
            for count in self._counts(float(p.mid()), float(q.mid())):
                at_least = (self._tail(x, y, count) for x, y in ((p, p_not), (q, q_not)))
                above_p, above_q = at_least
                best = best.max((1 - above_q) - order * (1 - above_p) if add else above_p - order * above_q)
        return clipped(best, arb(1), epsilon)

    def _counts(self, p: float, q: float) -> list[int]:
        if self.times > _MOST:
            return [1]
        mean, sd = self.times * p, math.sqrt(self.times * p * (1.0 - p))
        wanted = {1, *(math.ceil(mean + f * sd) for f in (-3, -2, -1, 0, 1, 2)), math.ceil(self.times * 0.5 * (p + q))}
        return sorted(k for k in wanted if 1 <= k <= self.times)

    def _tail(self, p: arb, p_not: arb, count: int) -> arb:
        """P(Bin(times, p) >= count)."""
        if count == 1:
            return 1 - p_not**self.times
        return arb(p).beta_lower(arb(count), arb(self.times - count + 1), regularized=True)
