"""mu at a floor, and with none: where a curve lies above a Gaussian's (docs/proofs/claims.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import arb

from neyman_check.claims.statement import Proved, Statement, number
from neyman_check.curves.alone import beta_of
from neyman_check.curves.curve import Curve, Place
from neyman_check.deltas.exact import normal
from neyman_check.errors import NotProved

__all__ = ["below", "falls_to", "joined", "lowered", "mu", "tail_mu", "unheld"]


_SQUARES, _HALVINGS = 12, 48  # towards a fixed point below a floor: any choice is sound


def below(curve: Curve, m: arb, floor: arb) -> Iterator[tuple[arb, arb, Place, bool]]:
    """The lines that hold f up, piece by piece from the floor to where G_m falls to it, and whether G_m is below."""
    last = beta_of(m, floor).upper()  # G_m is its own inverse: beyond, it is below the floor
    if not last.is_finite():
        raise NotProved("a Gaussian curve out of reach")
    for a, b, p in curve.lines(floor, last):
        yield a, b, p, all(1 - p.upper - p.t * x >= beta_of(m, x) for x in (a, b))


def mu(proved: Proved, s: Statement) -> bool:
    """At a floor. From above: f >= G_mu wherever alpha >= floor and f >= floor; from below: f < G_mu at such an alpha.

    Between two neighbours of a partition a line less G_mu is concave: its two ends decide. Where they do not cells may.
    """
    floor, m = number(s.given["floor"]), s.value
    if not (floor > 0 and floor < arb("0.5") and m >= 0):
        raise NotProved("a floor outside (0, 1/2)")
    if proved.alone is not None:
        return bool(m >= proved.alone if s.at_most else m <= proved.alone)
    if s.at_most:
        if not proved.curve.at_least(floor) >= floor:
            proved.spend(4 * (_SQUARES + _HALVINGS) * len(proved.curve.places))
        return _free(proved, m) or all(proved.cells.hold(m, *part, False, arb(0)) for part in unheld(proved, s))
    fixed = normal(-m / 2)  # that of G_m; that of f always counts
    if m <= 0 or falls_to(proved, fixed, fixed):
        return True
    at = number(s.given["at"])
    if not (at > 0 and at < 1):
        raise NotProved("an alpha outside (0, 1)")
    inside = at >= floor and proved.curve.at_least(at) >= floor
    return bool(inside) and falls_to(proved, at, beta_of(m, at))


def falls_to(proved: Proved, alpha: arb, beta: arb) -> bool:
    """Whether f(alpha) <= beta: by lines below delta, where they do not suffice by cells."""
    if beta >= 1 - alpha:
        return True
    found = [pair for pair, most in proved.curve.rises(alpha, beta) if not most <= beta]
    return all(proved.cells.under(alpha, beta, *pair) for pair in joined(found))


def lowered(curve: Curve, floor: arb) -> arb:
    """The floor, or below it an alpha <= f(alpha): where the whole curve lies below the floor."""
    low = high = floor
    for _ in range(_SQUARES):
        if curve.at_least(low) >= low:
            break
        low, high = low * low, low
    if not curve.at_least(low) >= low:  # what lies above it says nothing then
        raise NotProved("a curve whose fixed point is out of reach")
    for _ in range(_HALVINGS if low < floor else 0):
        middle = (low * high).sqrt().mid()
        low, high = (middle, high) if curve.at_least(middle) >= middle else (low, middle)
    return low


def tail_mu(proved: Proved, s: Statement) -> bool:
    """With no floor: of Gaussians from above in closed form; from below whatever holds at a floor."""
    return _free(proved, s.value) if s.at_most else mu(proved, s)


def _free(proved: Proved, m: arb) -> bool:
    """Whether G_m is below f with no floor at all, as far as that is known."""
    tail = proved.tail()
    return tail is not None and bool(m >= 0 and m * m >= tail)


def unheld(proved: Proved, s: Statement) -> list[tuple[arb, arb]]:
    """Intervals of eps on which tangents do not prove that mu is at most as stated."""
    m = s.value
    pieces = list(below(proved.curve, m, lowered(proved.curve, number(s.given["floor"]))))
    # of the tangent of G_m at alpha: eps falls in alpha
    found = [(_tangent(m, b), _tangent(m, a)) for a, b, _, holds in reversed(pieces) if not holds]
    return joined(found)


def joined(found: Sequence[tuple[arb, arb]]) -> list[tuple[arb, arb]]:
    """Neighbours as one."""
    joined: list[tuple[arb, arb]] = []
    for first, last in found:
        if joined and joined[-1][1].overlaps(first):
            first = joined.pop()[0]
        joined.append((first, last))
    return joined


def _tangent(m: arb, alpha: arb) -> arb:
    """Its eps."""
    return m * arb(2).sqrt() * (2 * alpha).erfcinv() - m * m / 2
