"""From proved deltas to what a report claims (docs/proofs/claims.md): one function for each quantity.

Each is given the curve, the statement's numbers and the side, and says whether that follows. Whatever is not there, or
does not follow, is not proved: nothing here decides that a claim is false, but for the deltas themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from flint import arb

from neyman_check import concentrated
from neyman_check.curve import Curve, Place, Reference
from neyman_check.errors import NotProved
from neyman_check.exact import normal
from neyman_check.laws import Law
from neyman_check.references import REFERENCES, gaussian, pure

__all__ = ["MORE", "QUANTITIES", "Proved", "Statement", "apart", "below"]


_SQUARES, _HALVINGS = 12, 48  # towards a fixed point below a floor: any choice is sound


class Statement(NamedTuple):
    """``quantity`` at ``given`` is at most, or at least, ``value`` (a float, exactly)."""

    quantity: str
    given: Mapping[str, float | str]
    at_most: bool
    value: arb


class Proved(NamedTuple):
    """What was proved of the mechanism: the curve that deltas leave, that of attacks, mu^2 with no floor.

    The null hypothesis of an attack is that the record is absent: of "add" alone that is the reversed pair.
    """

    curve: Curve
    attack: Curve
    symmetric: bool
    tail: arb | None
    laws: Sequence[Law]
    ways: Sequence[bool]  # "remove", and "add"
    spend: Callable[[int], None]  # counts work that depends on the laws


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
        return any(p.epsilon <= at and p.upper <= s.value for p in proved.curve.places)
    return bool(s.value <= 0) or any(p.epsilon >= at and p.lower >= s.value for p in proved.curve.places)


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
        return any(p.epsilon <= s.value and p.upper <= d for p in _places(proved)) and bool(s.value >= 0)
    return bool(s.value <= 0) or any(p.epsilon >= s.value and p.lower > d for p in _places(proved))


def beta(proved: Proved, s: Statement) -> bool:
    """f(alpha)."""
    at = _number(s.given["alpha"])
    return _holds(proved.curve.at_most(at) if s.at_most else proved.curve.at_least(at), s)


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
    t, found = prior / (1 - prior), prior.min(1 - prior) if not from_below else arb(0)
    for p in proved.curve.places:
        if from_below and p.t <= t:
            found = found.max((1 - prior) * (1 - p.upper))
        if not from_below and p.t >= t:
            found = found.min((1 - prior) * (1 - p.lower))
    return found


def fixed_point(proved: Proved, s: Statement) -> bool:
    """f falls: f(a) >= a says that it is at least a."""
    if s.at_most:
        return bool(proved.curve.at_most(s.value) <= s.value)
    return bool(proved.curve.at_least(s.value) >= s.value)


def auc(proved: Proved, s: Statement) -> bool:
    """1 less the area below f."""
    less, more = proved.curve.area()
    return _holds(1 - less if s.at_most else 1 - more, s)


def below(curve: Curve, m: arb, floor: arb) -> Iterator[tuple[Place, bool]]:
    """The lines that hold f up, piece by piece from the floor to where G_m falls to it, and whether G_m is below."""
    last = _gaussian_beta(m, floor).upper()  # G_m is its own inverse: beyond, it is below the floor
    if not last.is_finite():
        raise NotProved("a Gaussian curve out of reach")
    for a, b, p in curve.lines(floor, last):
        yield p, all(1 - p.upper - p.t * x >= _gaussian_beta(m, x) for x in (a, b))


def mu(proved: Proved, s: Statement) -> bool:
    """At a floor. From above: f >= G_mu wherever alpha >= floor and f >= floor; from below: f < G_mu at such an alpha.

    Between two neighbours of a partition a line less G_mu is concave: its two ends decide.
    """
    floor, m = _number(s.given["floor"]), s.value
    if not (floor > 0 and floor < arb("0.5") and m >= 0):
        raise NotProved("a floor outside (0, 1/2)")
    if s.at_most:
        if not proved.curve.at_least(floor) >= floor:
            proved.spend(4 * (_SQUARES + _HALVINGS) * len(proved.curve.places))
        return _free(proved, m) or all(holds for _, holds in below(proved.curve, m, lowered(proved.curve, floor)))
    fixed = normal(-m / 2)  # that of G_m; that of f always counts
    if m <= 0 or proved.curve.at_most(fixed) < fixed:
        return True
    at = _number(s.given["at"])
    if not (at > 0 and at < 1):
        raise NotProved("an alpha outside (0, 1)")
    inside = at >= floor and proved.curve.at_least(at) >= floor
    return bool(inside and proved.curve.at_most(at) < _gaussian_beta(m, at))


def lowered(curve: Curve, floor: arb) -> arb:
    """The floor, or below it an alpha <= f(alpha): where the whole curve lies below the floor."""
    low = high = floor
    for _ in range(_SQUARES):
        if curve.at_least(low) >= low:
            break
        low, high = low * low, low
    for _ in range(_HALVINGS if low < floor else 0):
        middle = (low * high).sqrt().mid()
        low, high = (middle, high) if curve.at_least(middle) >= middle else (low, middle)
    return low


def _gaussian_beta(m: arb, alpha: arb) -> arb:
    """G_m at alpha in (0, 1)."""
    return normal(arb(2).sqrt() * (2 * alpha).erfcinv() - m)


def tail_mu(proved: Proved, s: Statement) -> bool:
    """With no floor: of Gaussians from above in closed form; from below whatever holds at a floor."""
    return _free(proved, s.value) if s.at_most else mu(proved, s)


def _free(proved: Proved, m: arb) -> bool:
    """Whether G_m is below f with no floor at all, as far as that is known."""
    return proved.tail is not None and bool(m >= 0 and m * m >= proved.tail)


def zcdp(proved: Proved, s: Statement) -> bool:
    """rho, of the direction in which it is larger."""
    if s.at_most:
        return all(concentrated.at_most(proved.laws, way, s.value, proved.spend) for way in proved.ways)
    order = _number(s.given["order"])
    return bool(s.value <= 0) or any(concentrated.at_least(proved.laws, way, s.value, order) for way in proved.ways)


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


def divergence(proved: Proved, s: Statement) -> bool:
    """The largest (delta_other - delta) / (1 + e^eps) for those of ``MORE``, of the opposite for the others."""
    if s.at_most:
        return all(_holds(one, s) for one in apart(proved, s))
    other = _other(proved, s)
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
