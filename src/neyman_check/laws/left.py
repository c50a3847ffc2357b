"""What a polyline of x leaves out to its left, where a sampled record is hardly seen (Lemma 8 of docs/proofs/paths.md).

There G = (1 - q)(1 + v), v = q e^u / (1 - q), and the powers of v are multiples of normal densities: terms of the
binomial series have a closed form, and the rest of it is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import acb, arb

__all__ = ["TERMS", "Left", "above"]

TERMS = 8


class Left:
    """The integral of phi G^w from minus infinity to ``first``, q < 1."""

    def __init__(self, s: arb, q: arb, first: arb) -> None:
        self._log, ratio = (1 - q).log(), q / (1 - q)
        self._top = (1 + ratio * ((2 * first - 1) / (2 * s * s)).exp()).log()
        self._masses = [
            ratio**k * (arb(k * k - k) / (2 * s * s)).exp() * above((k - first) / s) for k in range(TERMS + 1)
        ]

    def value(self, w: acb, terms: int) -> acb:
        """So many terms of it."""
        total, chosen = acb(0), acb(1)
        for k in range(terms):
            total += chosen * self._masses[k]
            chosen = chosen * (w - k) / (k + 1)
        return total * (w * self._log).exp()

    def off(self, points: Sequence[acb], terms: int) -> arb:
        """What they err by at each of the points, or anywhere on the segment between two of them."""
        most = self._masses[terms]
        for k in range(terms):
            most *= _largest([abs(w - k) for w in points]) / (k + 1)
        grown = [(w.real * self._log + ((w.real - terms) * self._top).max(arb(0))).exp() for w in points]
        return most * _largest(grown)

    def terms(self, points: Sequence[acb]) -> int:
        """How many are best."""
        best, least = 0, self.off(points, 0)
        for terms in range(1, TERMS + 1):
            off = self.off(points, terms)
            if off < least:
                best, least = terms, off
        return best


def above(u: arb) -> arb:
    """P(Z > u) of a normal Z."""
    return (u / arb(2).sqrt()).erfc() / 2


def _largest(values: Sequence[arb]) -> arb:
    most = values[0]
    for value in values[1:]:
        most = most.max(value)
    return most
