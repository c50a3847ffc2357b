"""Random allocation of a Gaussian mechanism: two batches by a rigorous integral, more of them from either side."""

from __future__ import annotations

from itertools import pairwise

from flint import acb, arb, ctx

from tests.hunt.balls import TooDear
from tests.hunt.pairs import Balls, Formula, Pair, clipped
from tests.reference.closed import normal_cdf, normal_quantile

__all__ = ["Allocated"]

_KNOWN = 1e-18  # relatively, of E (K - S)_+
_FAR = 30.0  # deviations
_PARTS = 16
_TESTS = [arb(p) for p in (-200, -60, -30, -16, -9, -5, -3, -2, -1)]  # logs of probabilities


class Allocated(Pair):
    """Each record is in one of ``batches``.

    Of two batches E (K - S)_+ is an integral over one of the two outputs. Of more: whoever is told two of which one is
    the record's learns no less (delta is convex in the pair), as does whoever is told the batch itself; and "is any
    output above x" is a test.
    """

    def __init__(self, sigma: float, batches: int) -> None:
        self.sigma, self.batches = arb(sigma), batches
        self._known: dict[str, arb] = {}

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        low, high = self._shown(epsilon, add), Formula.gaussian(1 / self.sigma).delta(epsilon)[1]
        try:
            two = self._of_two(epsilon, add)
        except TooDear:
            return clipped(low, high, epsilon)
        if self.batches == 2:
            low = low.max(two.lower())
        return clipped(low, high.min(two.upper()), epsilon)

    def _of_two(self, epsilon: arb, add: bool) -> arb:
        k = 2 * (-epsilon if add else epsilon).exp()
        key = k.str(50)
        if key not in self._known:
            self._known[key] = self._below(k)
        below = self._known[key]
        return below / k if add else (below - k + 2) / 2

    def _below(self, k: arb) -> arb:
        """E (K - S)_+ of two: over one output where its ratio is below K / 2, else over what it leaves of K."""
        sigma, root, tau = self.sigma, arb(2).sqrt(), (2 * arb.pi()).sqrt()
        half = 1 / (2 * sigma)

        def put(left: acb, d: acb, x: acb) -> acb:
            one, other = ((-place / root).erfc() / 2 for place in (d, d - 1 / sigma))
            return (left * one - other) * (-x * x / 2).exp() / tau

        def first(x: acb, analytic: bool) -> acb:
            left = k - ((x - half) / sigma).exp()
            return put(left, sigma * left.log(analytic=analytic) + half, x)

        def second(d: acb, analytic: bool) -> acb:
            left = ((d - half) / sigma).exp()
            return put(left, d, sigma * (k - left).log(analytic=analytic) + half) * left / (k - left)

        with ctx.workprec(max(ctx.prec, 320)):
            top = sigma * (k / 2).log() + half
            found = arb(0, 1e-150) * k  # both ends: left out is at most k N(-30) each
            for part in (first, second):
                end = top.min(arb(_FAR)) if part is first else top.min(arb(_FAR) + 1 / sigma)
                if end > -_FAR:
                    places = [arb(-_FAR) + (end + _FAR) * j / _PARTS for j in range(_PARTS + 1)]
                    for low, high in pairwise(places):
                        found += acb.integral(part, low, high, rel_tol=arb(10) ** -40, abs_tol=arb(10) ** -160).real
                    if part is first and end < top:  # left out, and more than the last is
                        found += k * normal_cdf(-end) * arb(0.5, 0.5)
                    if part is second and end < top:
                        found += k * normal_cdf(-arb(_FAR)) * arb(0.5, 0.5)
            if not found.rad() <= _KNOWN * abs(found) + 1e-60:
                raise TooDear
            return found

    def _shown(self, epsilon: arb, add: bool) -> arb:
        """By tests, from below."""
        t, best = self.batches, arb(0)
        for log in _TESTS:
            x = -normal_quantile((log.exp() / t).mid())
            none = normal_cdf(x) ** t
            with_record = normal_cdf(x) ** (t - 1) * normal_cdf(x - 1 / self.sigma)
            if add:
                best = best.max((none - epsilon.exp() * with_record).lower())
            else:
                best = best.max(((1 - with_record) - epsilon.exp() * (1 - none)).lower())
        return best
