"""By how much one profile tells more than another, in Bayes error (docs/proofs/claims.md, docs/proofs/curve.md)."""

from __future__ import annotations

from itertools import pairwise

from flint import arb

from neyman_check.claims.mu import joined, unheld
from neyman_check.claims.references import REFERENCES, gaussian, pure
from neyman_check.claims.region import inside, region
from neyman_check.claims.statement import Proved, Statement, fits, number, places, points
from neyman_check.curves.alone import apart_from
from neyman_check.curves.curve import Reference
from neyman_check.errors import NotProved

__all__ = ["MORE", "apart", "divergence", "untold", "zcdp_regret"]

_TANGENT = 500  # units of work of a tangent of what rho alone promises

MORE = ("regret", "divergence", "epsilon_regret", "zcdp_regret")  # by how much another profile tells more


def apart(proved: Proved, s: Statement) -> list[arb]:
    """Cell by cell, at most: how much more the other tells, or less."""
    more = s.quantity in MORE
    return (proved.curve.falls_short if more else proved.curve.surpasses)(_other(proved, s))


def _other(proved: Proved, s: Statement) -> Reference:
    """G_mu of the mu that is given, or a reference point."""
    if "reference" in s.given:
        return REFERENCES[str(s.given["reference"])]()
    if s.quantity == "epsilon_regret":
        e = number(s.given["epsilon"])
        if not e >= 0:
            raise NotProved("an epsilon below 0")
        return pure(e)
    if s.quantity == "zcdp_regret":
        return region(_rho(s), points(s.given["touching"]))
    m = number(s.given["mu"])
    if not m > 0:
        raise NotProved("a divergence from a mu of 0")
    return gaussian(m)


def untold(proved: Proved, s: Statement) -> list[tuple[arb, arb]]:
    """Intervals of eps on which tangents do not prove that mu, or a divergence, is at most as stated."""
    if s.quantity in ("mu", "tail_mu"):
        return unheld(proved, s)
    ends = [p.epsilon for p in proved.curve.places] + [arb.pos_inf()]
    pairs = zip(pairwise(ends), apart(proved, s), strict=True)
    return joined([pair for pair, value in pairs if not value <= s.value])


def divergence(proved: Proved, s: Statement) -> bool:
    """The largest (delta_other - delta) / (1 + e^eps) for those of ``MORE``, of the opposite for the others."""
    other = _other(proved, s)
    if proved.alone is not None and other.mu is not None:
        pair = (proved.alone, other.mu) if s.quantity in MORE else (other.mu, proved.alone)
        return fits(apart_from(*pair), s)
    if s.at_most:
        parts = untold(proved, s)
        less = s.quantity in MORE
        return not parts or (
            other.mu is not None and all(proved.cells.hold(other.mu, *part, less, s.value) for part in parts)
        )
    if s.value <= 0:
        return True
    for p in places(proved):
        known = other.delta(p.t)
        ahead = known - p.upper if s.quantity in MORE else p.lower - known
        if ahead / (1 + p.t) >= s.value:
            return True
    return False


def _rho(s: Statement) -> arb:
    rho = number(s.given["rho"])
    if not rho >= 0:
        raise NotProved("a rho below 0")
    return rho


def zcdp_regret(proved: Proved, s: Statement) -> bool:
    """The same of what rho alone promises; from below it is a matter of one test that rho allows."""
    if s.at_most:
        proved.spend(_TANGENT * len(points(s.given["touching"])))
        return divergence(proved, s)
    if s.value <= 0:
        return True
    for d1, d2 in points(s.given["inside"]):
        p, a = inside(_rho(s), arb(d1), arb(d2), proved.spend)
        if any((p - place.t * a - place.upper) / (1 + place.t) >= s.value for place in places(proved)):
            return True
    return False
