"""Gauss's rule on a segment of the complex plane, and what it errs by (Lemma 7 of docs/proofs/paths.md)."""

from __future__ import annotations

from functools import lru_cache

from flint import acb, arb, ctx

from neyman_check.laws.base import EXP, demand

__all__ = ["ARCS", "ROOT", "Segment"]

ROOT = 40 * EXP  # units of work that a node of Gauss takes
_QUARTER = 8  # arcs of a quarter of an ellipse
ARCS = 4 * _QUARTER


class Segment:
    """From ``start`` to ``end``, with ``count`` nodes and the ellipse of parameter ``rho`` about it."""

    def __init__(self, start: acb, end: acb, count: int, rho: arb) -> None:
        demand(count >= 1 and rho > 1 and rho.is_finite(), "an ellipse that is none")
        self.middle, self.half = (start + end) / 2, (end - start) / 2
        self.count = count
        self.long, self.wide = (rho + 1 / rho) / 2, (rho - 1 / rho) / 2  # half axes about [-1, 1]
        self.error = abs(self.half) * rho ** (-2 * count) / (1 - rho**-2) * 16 / 3  # times a bound on the ellipse

    def nodes(self) -> list[tuple[acb, acb]]:
        """Nodes and weights."""
        return [(self.middle + self.half * x, self.half * weight) for x, weight in _legendre(self.count, ctx.prec)]

    def corners(self) -> list[acb]:
        """Of a rectangle that holds the ellipse."""
        return [self.middle + self.half * acb(s * self.long, t * self.wide) for s in (1, -1) for t in (1, -1)]

    def arcs(self) -> list[acb]:
        """Boxes that cover the ellipse's boundary."""
        turns = [arb.pi() * k / (2 * _QUARTER) for k in range(ARCS + 1)]
        x, y = [self.long * t.cos() for t in turns], [self.wide * t.sin() for t in turns]
        boxes = (acb(x[k].union(x[k + 1]), y[k].union(y[k + 1])) for k in range(ARCS))  # monotone within a quarter
        return [self.middle + self.half * box for box in boxes]

    def apart(self, point: arb) -> arb:
        """The distance of a real point from that rectangle, at least."""
        seen = (point - self.middle) / self.half
        beside = [(abs(seen.real) - self.long).max(arb(0)), (abs(seen.imag) - self.wide).max(arb(0))]
        return abs(acb(beside[0], beside[1])) * abs(self.half)


@lru_cache(maxsize=512)
def _legendre(count: int, _: int) -> list[tuple[arb, arb]]:
    """At the precision of whoever asks."""
    return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]
