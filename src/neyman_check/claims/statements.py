"""From proved deltas to what a report claims (docs/proofs/claims.md): one function for each quantity.

Each is given the curve, the statement's numbers and the side, and says whether that follows. Whatever is not there, or
does not follow, is not proved: nothing here decides that a claim is false, but for the deltas themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from flint import arb

from neyman_check.claims import concentrated
from neyman_check.claims.references import REFERENCES, gaussian, pure
from neyman_check.curves.alone import apart_from, beta_of
from neyman_check.curves.cells import Cells
from neyman_check.curves.curve import Curve, Place, Reference
from neyman_check.deltas.exact import normal
from neyman_check.errors import NotProved
from neyman_check.laws.base import Law

__all__ = [
    "MORE",
    "QUANTITIES",
    "Proved",
    "Statement",
    "apart",
    "below",
    "lowered",
    "untold",
]


_FINER, _MOST_PARTS = (500, 2000, 8000), 100  # places more, of areas, and between two neighbours
_EACH = 100  # units of work that each takes
_SQUARES, _HALVINGS = 12, 48  # towards a fixed point below a floor: any choice is sound


class Statement(NamedTuple):
    """``quantity`` at ``given`` is at most, or at least, ``value`` (a float, exactly)."""

    quantity: str
    given: Mapping[str, float | str]
    at_most: bool
    value: arb


class Proved(NamedTuple):
    """What was proved of the mechanism: the curve that deltas leave, that of attacks, mu^2 with no floor, cells, and mu
    of one Gaussian alone.

    The null hypothesis of an attack is that the record is absent: of "add" alone that is the reversed pair.
    """

    curve: Curve
    attack: Curve
    symmetric: bool
    tail: Callable[[], arb | None]  # found when first asked for
    laws: Sequence[Law]
    ways: Sequence[bool]  # "remove", and "add"
    spend: Callable[[int], None]  # counts work that depends on the laws
    cells: Cells
    alone: arb | None
    areas: dict[int, tuple[arb, arb]]  # once found, by how many places were put between


def _holds(value: arb, statement: Statement) -> bool:
    """Whether a ball lies on the right side of what is stated."""
    return bool(value <= statement.value if statement.at_most else value >= statement.value)


def _number(given: float | str) -> arb:
    if isinstance(given, str):
        raise NotProved("a word where a number belongs")
    return arb(given)


def _places(proved: Proved) -> list[Place]:
    return proved.curve.places[1:]


def _delta(proved: Proved, s: Statement, at: arb) -> bool:
    """delta falls in eps: a place before says what is most, one after what is least."""
    if s.at_most:
        return bool(proved.curve.delta_at_most(at) <= s.value)
    return bool(s.value <= 0 or proved.curve.delta_at_least(at) >= s.value)


def delta(proved: Proved, s: Statement) -> bool:
    """At an eps."""
    return _delta(proved, s, _number(s.given["epsilon"]))


def advantage(proved: Proved, s: Statement) -> bool:
    """delta at eps = 0."""
    return _delta(proved, s, arb(0))


def epsilon(proved: Proved, s: Statement) -> bool:
    """The least eps >= 0: at most e where delta(e) <= d is proved; at least where delta(e) > d is."""
    d = _number(s.given["delta"])
    if s.at_most:
        return bool(s.value >= 0 and proved.curve.delta_at_most(s.value) <= d)
    return bool(s.value <= 0 or proved.curve.delta_at_least(s.value) > d)


def beta(proved: Proved, s: Statement) -> bool:
    """f(alpha)."""
    at = _number(s.given["alpha"])
    return _falls_to(proved, at, s.value) if s.at_most else bool(proved.curve.at_least(at) >= s.value)


def _tpr(proved: Proved, fpr: arb, at_most: bool) -> arb:
    """1 - f of an attack."""
    return 1 - (proved.attack.at_least(fpr) if at_most else proved.attack.at_most(fpr))


def tpr(proved: Proved, s: Statement) -> bool:
    """Of the best attack."""
    name = "fpr" if "fpr" in s.given else "baseline"
    return _holds(_tpr(proved, _number(s.given[name]), s.at_most), s)


def relative_risk(proved: Proved, s: Statement) -> bool:
    """tpr over the baseline."""
    base = _number(s.given["baseline"])
    if not base > 0:
        raise NotProved("a baseline of 0")
    return _holds((_tpr(proved, base, s.at_most) / base).max(arb(1)), s)


def posterior(proved: Proved, s: Statement) -> bool:
    """Bayes' rule at a prior and a false positive rate; it grows with the true positive rate."""
    prior, fpr = _number(s.given["membership_prior"]), _number(s.given["fpr"])
    if not (prior > 0 and prior < 1 and fpr > 0):
        raise NotProved("a prior or a rate of 0")
    right = prior * _tpr(proved, fpr, s.at_most)
    return _holds(right / (right + (1 - prior) * fpr), s)


def bayes_error(proved: Proved, s: Statement) -> bool:
    """(1 - pi) (1 - delta at e^eps = pi / (1 - pi)), no more than either prior."""
    value = _bayes(proved, _number(s.given["prior"]), not s.at_most)
    return _holds(value, s)


def accuracy(proved: Proved, s: Statement) -> bool:
    """1 less the Bayes error."""
    return _holds(1 - _bayes(proved, _number(s.given["prior"]), s.at_most), s)


def _bayes(proved: Proved, prior: arb, from_below: bool) -> arb:
    if not (prior > 0 and prior < 1 and (proved.symmetric or prior == arb("0.5"))):
        raise NotProved("a Bayes error at a prior of 0, or of one direction alone at another than 1/2")
    odds = (prior / (1 - prior)).log()
    if from_below:
        return ((1 - prior) * (1 - proved.curve.delta_at_most(odds))).max(arb(0))
    return ((1 - prior) * (1 - proved.curve.delta_at_least(odds))).min(prior.min(1 - prior))


def fixed_point(proved: Proved, s: Statement) -> bool:
    """f falls: f(a) >= a says that it is at least a."""
    if s.at_most:
        return _falls_to(proved, s.value, s.value)
    return bool(proved.curve.at_least(s.value) >= s.value)


def auc(proved: Proved, s: Statement) -> bool:
    """1 less the area below f: by the places, then by more of them that cells tell."""
    for count in (0, *_FINER):
        if count not in proved.areas:
            proved.areas[count] = _area(proved, count)
        less, more = proved.areas[count]
        if _holds(1 - less if s.at_most else 1 - more, s):
            return True
        if not proved.cells:
            return False
    return False


def _area(proved: Proved, count: int) -> tuple[arb, arb]:
    if not (count or proved.cells):
        return proved.curve.area()
    try:
        return (_finer(proved, count) if count else proved.curve).area()
    except NotProved:  # closer places than bounds are
        return arb(0), arb(1)


def _finer(proved: Proved, count: int) -> Curve:
    """Places between places, where the area is known worst: any will do."""
    places, cells = proved.curve.places, proved.cells
    proved.spend(_EACH * (count + len(places)))
    falls = [(p.upper - q.lower) / (q.t - p.t) for p, q in pairwise(places)]
    weights = [0.0]  # of a polygon's error in each cell, to the power 1/3
    for i in range(1, len(falls)):
        bend = abs(falls[i - 1] - falls[min(i + 1, len(falls) - 1)])
        weight = float((bend * bend * (places[i + 1].t - places[i].t)).mid())
        weights.append(weight ** (1 / 3) if 0.0 < weight < math.inf else 0.0)
    found: list[Place] = []
    for (left, right), weight in zip(pairwise(places), weights, strict=True):
        found.append(left)
        parts = min(int(count * weight / (sum(weights) or 1.0)), _MOST_PARTS)
        for j in range(1, parts):
            at = (left.epsilon + (right.epsilon - left.epsilon) * j / parts).mid()
            told = cells.delta(at)
            if told is not None and left.epsilon < at and at < right.epsilon:
                found.append(Place(at, at.exp(), *told))
    return Curve([*found[1:], places[-1]])


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
    floor, m = _number(s.given["floor"]), s.value
    if not (floor > 0 and floor < arb("0.5") and m >= 0):
        raise NotProved("a floor outside (0, 1/2)")
    if proved.alone is not None:
        return bool(m >= proved.alone if s.at_most else m <= proved.alone)
    if s.at_most:
        if not proved.curve.at_least(floor) >= floor:
            proved.spend(4 * (_SQUARES + _HALVINGS) * len(proved.curve.places))
        return _free(proved, m) or all(proved.cells.hold(m, *part, False, arb(0)) for part in untold(proved, s))
    fixed = normal(-m / 2)  # that of G_m; that of f always counts
    if m <= 0 or _falls_to(proved, fixed, fixed):
        return True
    at = _number(s.given["at"])
    if not (at > 0 and at < 1):
        raise NotProved("an alpha outside (0, 1)")
    inside = at >= floor and proved.curve.at_least(at) >= floor
    return bool(inside) and _falls_to(proved, at, beta_of(m, at))


def _falls_to(proved: Proved, alpha: arb, beta: arb) -> bool:
    """Whether f(alpha) <= beta: by lines below delta, where they do not suffice by cells."""
    if beta >= 1 - alpha:
        return True
    found = [pair for pair, most in proved.curve.rises(alpha) if not most <= beta]
    return all(proved.cells.under(alpha, beta, *pair) for pair in _joined(found))


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


def zcdp(proved: Proved, s: Statement) -> bool:
    """rho, of the direction in which it is larger."""
    if s.at_most:
        return all(concentrated.at_most(proved.laws, way, s.value, proved.spend) for way in proved.ways)
    order = _number(s.given["order"])
    return bool(s.value <= 0) or any(
        concentrated.at_least(proved.laws, way, s.value, order, proved.spend) for way in proved.ways
    )


MORE = ("regret", "divergence", "epsilon_regret")  # by how much another profile tells more


def apart(proved: Proved, s: Statement) -> list[arb]:
    """Cell by cell, at most: how much more the other tells, or less."""
    more = s.quantity in MORE
    return (proved.curve.falls_short if more else proved.curve.surpasses)(_other(proved, s))


def _other(proved: Proved, s: Statement) -> Reference:
    """G_mu of the mu that is given, or a reference point."""
    if "reference" in s.given:
        return REFERENCES[str(s.given["reference"])]()
    if s.quantity == "epsilon_regret":
        e = _number(s.given["epsilon"])
        if not e >= 0:
            raise NotProved("an epsilon below 0")
        return pure(e)
    m = _number(s.given["mu"])
    if not m > 0:
        raise NotProved("a divergence from a mu of 0")
    return gaussian(m)


def untold(proved: Proved, s: Statement) -> list[tuple[arb, arb]]:
    """Intervals of eps on which tangents do not prove that mu, or a divergence, is at most as stated."""
    if s.quantity in ("mu", "tail_mu"):
        m = s.value
        pieces = list(below(proved.curve, m, lowered(proved.curve, _number(s.given["floor"]))))
        # of the tangent of G_m at alpha: eps falls in alpha
        found = [(_tangent(m, b), _tangent(m, a)) for a, b, _, holds in reversed(pieces) if not holds]
    else:
        ends = [p.epsilon for p in proved.curve.places] + [arb.pos_inf()]
        pairs = zip(pairwise(ends), apart(proved, s), strict=True)
        found = [pair for pair, value in pairs if not value <= s.value]
    return _joined(found)


def _joined(found: Sequence[tuple[arb, arb]]) -> list[tuple[arb, arb]]:
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


def divergence(proved: Proved, s: Statement) -> bool:
    """The largest (delta_other - delta) / (1 + e^eps) for those of ``MORE``, of the opposite for the others."""
    other = _other(proved, s)
    if proved.alone is not None and other.mu is not None:
        pair = (proved.alone, other.mu) if s.quantity in MORE else (other.mu, proved.alone)
        return _holds(apart_from(*pair), s)
    if s.at_most:
        parts = untold(proved, s)
        less = s.quantity in MORE
        return not parts or (
            other.mu is not None and all(proved.cells.hold(other.mu, *part, less, s.value) for part in parts)
        )
    if s.value <= 0:
        return True
    for p in _places(proved):
        known = other.delta(p.t)
        ahead = known - p.upper if s.quantity in MORE else p.lower - known
        if ahead / (1 + p.t) >= s.value:
            return True
    return False


QUANTITIES: dict[str, tuple[Callable[[Proved, Statement], bool], tuple[str, ...]]] = {
    "delta": (delta, ("epsilon",)), "epsilon": (epsilon, ("delta",)), "advantage": (advantage, ()),
    "beta": (beta, ("alpha",)), "tpr": (tpr, ("fpr",)), "attribute_inference": (tpr, ("baseline",)),
    "reconstruction": (tpr, ("baseline",)), "singling_out": (tpr, ("baseline",)),
    "relative_risk": (relative_risk, ("baseline",)), "posterior": (posterior, ("membership_prior", "fpr")),
    "bayes_error": (bayes_error, ("prior",)), "accuracy": (accuracy, ("prior",)), "fixed_point": (fixed_point, ()),
    "auc": (auc, ()), "mu": (mu, ("floor",)), "tail_mu": (tail_mu, ()), "regret": (divergence, ("floor", "mu")),
    "shortfall": (divergence, ("floor", "mu")), "divergence": (divergence, ("reference",)),
    "reverse": (divergence, ("reference",)), "epsilon_regret": (divergence, ("epsilon",)),
    "zcdp": (zcdp, ()),
}  # fmt: skip
"""Each quantity, and what it is given; "at most" and "at least" are the two sides of each."""
