"""What rho alone leaves to a test: bounds on its profile (docs/proofs/renyi.md, "What rho alone promises").

A test accepts with probability p under P and a under Q. rho says that at every order t > 1, in both orders of the pair,

    g(p, a) = p^t a^{1-t} + (1 - p)^t (1 - a)^{1-t} <= e^{rho t (t - 1)}.

Points are told by d1 = log(p / a) > 0 > d2 = log((1 - p) / (1 - a)).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from flint import arb

from neyman_check.claims.concentrated import at_most
from neyman_check.curves.curve import Reference, hull
from neyman_check.errors import NotProved
from neyman_check.laws.base import FiniteLaw

__all__ = ["inside", "region", "tangent"]


def _point(d1: arb, d2: arb) -> tuple[arb, arb, arb, arb]:
    """p, 1 - p, a and 1 - a."""
    if not (d1 > 0 and d2 < 0):
        raise NotProved("a test that is no better than a guess")
    below = -(d2 - d1).expm1()
    p, left = -d2.expm1() / below, -(-d1).expm1() / below
    return p, d2.exp() * left, p * (-d1).exp(), left


def tangent(rho: arb, order: arb, d1: arb, d2: arb) -> tuple[arb, arb]:
    """t and a bound on the profile there (Lemma R2): of the tangent plane of g at the point, which need not be near."""
    p, rest, a, _ = _point(d1, d2)
    s = order - 1
    g = p * (s * d1).exp() + rest * (s * d2).exp()
    rise = order * (s * d2).exp() * (s * (d1 - d2)).expm1()
    t = s * (order * d2).exp() * (order * (d1 - d2)).expm1() / rise
    return t, p - t * a + ((rho * order * s).exp() - g) / rise


def region(rho: arb, points: Sequence[Sequence[float]]) -> Reference:
    """The profile of rho alone, at most: between the tangents at these points, and those of the pair exchanged."""
    found: list[tuple[arb, arb]] = []
    for order, d1, d2 in points:
        if not order > 1.0:
            raise NotProved("an order that is not above 1")
        t, most = tangent(rho, arb(order), arb(d1), arb(d2))
        if t > 0 and t.is_finite() and most.is_finite():
            found.append((t.upper(), most.upper().min(arb(1))))
            found.append(((1 / t).upper(), (1 - (1 - most) / t).upper().min(arb(1))))
    corners = [(arb(0), arb(1)), *sorted(found, key=lambda one: float(one[0]))]
    kept = [corners[0]]
    for corner in (corners[i] for i in hull([(t.mid(), most.mid()) for t, most in corners])[1:]):
        if corner[0] > kept[-1][0]:
            kept.append(corner)
    starts = [float(t) for t, _ in kept]
    least = list(accumulate((most for _, most in kept), lambda a, b: min(a, b, key=float)))  # it falls

    def delta(t: arb) -> arb:
        i = min(max(bisect_right(starts, float(t.mid())) - 1, 0), len(kept) - 1)
        (t0, most0), (t1, most1) = kept[i], kept[min(i + 1, len(kept) - 1)]
        if t >= t0 and t <= t1 and t0 < t1:  # below the chord
            return most0 + (most1 - most0) * (t - t0) / (t1 - t0)
        while i >= 0 and not kept[i][0] <= t:
            i -= 1
        return least[i] if i >= 0 else arb(1)

    return Reference(delta, _nothing)


def _nothing(t: arb) -> tuple[arb, arb]:
    return (arb(1) - t, arb(-1)) if t < 1 else (arb(0), arb(0))


def inside(rho: arb, d1: arb, d2: arb, spend: Callable[[int], None]) -> tuple[arb, arb]:
    """p and a of a test that two laws with that rho allow: those of its own two answers."""
    p, rest, a, left = _point(d1, d2)
    pair = FiniteLaw(((p, a), (rest, left)), 1)
    if not all(at_most([pair], way, rho, spend) for way in (True, False)):
        raise NotProved("a test that rho does not surely allow")
    return p, a
