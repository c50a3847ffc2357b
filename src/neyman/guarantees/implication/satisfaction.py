"""Whether one guarantee implies another: yes, no (and where), or undecided within the certificates.

``g`` satisfies ``other`` when every bound on attacks that ``other`` promises holds for ``g``: f_g >= f_other, which is
delta_g(eps) <= delta_other(eps) for all real eps (Dong, Roth and Su 2022, Proposition 2.13; Blackwell's order).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from neyman._errors import NotCertified
from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import GaussianProfile
from neyman.guarantees.given.base import Given
from neyman.guarantees.guarantee import Guarantee
from neyman.guarantees.implication.by_construction import implied
from neyman.guarantees.implication.dominance import compared
from neyman.guarantees.implication.step_by_step import within
from neyman.guarantees.questions.answer import Satisfaction
from neyman.guarantees.questions.curve.tradeoff import excess_lower
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Pair

__all__ = ["satisfaction", "searched"]

_LARGEST = 690.0  # eps at most where a test that refutes is looked for: e^690 is a float
_MOST = 1.7e308  # a slope at most, nearly the largest float: less is on the safe side
_AROUND = np.array([1.0, 0.999, 1.001, 0.9, 1.1, 0.5, 2.0])  # times an alpha: where a test that refutes is looked for


_YES = Satisfaction("yes")


def satisfaction(g: Guarantee, other: Guarantee) -> Satisfaction:
    """Decide whether ``g`` satisfies ``other``: by what they are, by what exactly ``other`` states, then by search."""
    if g is other or g == other or _fewer(g, other) or implied(g.sides, other.sides):
        return _YES
    answer, known = _decided(g, other), g.optimistic.sides
    if answer.outcome == "no" and known is not g.sides:  # a promise may say less than is known of the curve behind it
        return searched(known, other.sides)
    return answer


def _decided(g: Guarantee, other: Guarantee) -> Satisfaction:
    """By what exactly ``other`` states, then by search, of what ``g`` promises."""
    kind = type(other).__name__ if isinstance(other, Given) else ""
    if kind in _CRITERIA:
        try:
            decided = _CRITERIA[kind](g, other)
        except NotCertified:  # a language that this guarantee cannot be told in sharply enough
            decided = None
        if decided is not None:
            return decided
    return searched(g.sides, other.sides)


def _fewer(g: Guarantee, other: Guarantee) -> bool:
    """Whether both were composed from known losses, those of ``g`` step by step within those of ``other``."""
    mine, theirs = (getattr(one, "losses", None) for one in (g, other))
    return mine is not None and theirs is not None and g.adjacency == other.adjacency and within(mine, theirs)


def searched(mine: Pair, other: Pair) -> Satisfaction:
    """Decide by search alone, from the brackets of both."""
    found = compared(mine, other)
    if found.failed:
        return _no(mine, other, found.epsilon, found.excess)
    if found.excess == 0.0:
        return _YES
    least = _larger_mu(mine, other)
    return _no(mine, other, 0.0, least) if least > 0.0 else Satisfaction("undecided", excess=found.excess)


def _larger_mu(mine: Pair, other: Pair) -> float:
    """A lower bound on delta_mine(0) - delta_other(0) of two Gaussians: in mu it rises with slope phi(mu / 2)."""
    a, b = mine.forward, other.forward
    if not (isinstance(a, GaussianProfile) and isinstance(b, GaussianProfile) and mine.symmetric and other.symmetric):
        return 0.0
    gap = max(a.mu * (1.0 - 8.0 * UNIT) - b.mu, 0.0)  # mu itself was rounded
    return gap * math.exp(-0.125 * min(a.mu, 1e3) ** 2) * 0.39


def _no(mine: Pair, other: Pair, epsilon: float, excess: float) -> Satisfaction:
    """With an alpha near the tangent's where the power is certainly larger than the ``other`` allows."""
    at = np.array([abs(epsilon)])
    branch = mine.forward if epsilon >= 0.0 else mine.backward
    slope = float(branch.slope(at)[0])
    # Q(L > eps), for eps < 0 as 1 - P(L > -eps) of the reversed pair
    away = 1.0 - float(branch.bracket(at).upper[0]) - slope
    alpha = slope * float(np.exp(-epsilon)) if epsilon >= 0.0 else away
    tries = np.clip(alpha * _AROUND, 0.0, 1.0)
    allowed = float(other.bracket(np.array([epsilon])).upper[0]) + np.expm1(min(epsilon, _LARGEST)) * tries
    gain = excess_lower(mine, tries, np.full(tries.shape, min(epsilon, _LARGEST)), spread(mine.forward)) - allowed
    return Satisfaction("no", float(tries[int(np.argmax(gain))]), epsilon, excess)


def _pairs(g: Guarantee, other: Guarantee) -> Satisfaction | None:
    """Finitely many (epsilon, delta) pairs hold or do not, in both directions; nothing else is promised."""
    epsilon = np.atleast_1d(_stated(other, "epsilon"))
    delta = np.broadcast_to(_stated(other, "delta"), epsilon.shape)
    both = [branch.bracket(epsilon) for branch in g.sides.branches]
    over = np.array([b.lower - delta for b in both])
    if np.max(over) > 0.0:
        side, at = np.unravel_index(int(np.argmax(over)), over.shape)
        sign = 1.0 if side == 0 else -1.0
        e = float(epsilon[at])
        excess = float(over[side, at]) * float(np.exp(min(0.0, sign * e))) * (1.0 - 4e-16 * (2.0 + e))
        return _no(g.sides, other.sides, sign * e, excess)
    if all(bool(np.all(b.upper <= delta)) for b in both):
        return _YES
    bounded = [_nothing_beyond(g, side, epsilon, delta) for side in range(len(both))]
    return _YES if all(bounded) else None


def _nothing_beyond(g: Guarantee, side: int, epsilon: FloatArray, delta: FloatArray) -> bool:
    """Whether the losses end where delta = 0 is asked for, and delta is certified at the others."""
    branch = g.sides.branches[side]
    ended = (epsilon >= branch.end) & np.isfinite(branch.tail_mu)
    return bool(np.all(ended | (branch.bracket(epsilon).upper <= delta)))


def _lines(g: Guarantee, other: Guarantee) -> Satisfaction | None:
    """f_g lies above every line b - s alpha that carries an edge: 1 - delta_g(log s) >= b, in rationals."""
    alphas, betas = (np.asarray(_stated(other, name), dtype=np.float64).tolist() for name in ("alpha", "beta"))
    slopes, heights = [], []
    for a, b, c, d in zip(alphas, betas, alphas[1:], betas[1:], strict=False):
        if b > d:
            slopes.append((Fraction(b) - Fraction(d)) / (Fraction(c) - Fraction(a)))
            heights.append(Fraction(b) + slopes[-1] * Fraction(a))
    at = np.log(np.array([_down(slope) for slope in slopes]))
    found = g.sides.bracket(at - 4.0 * UNIT * (1.0 + np.abs(at)))
    room = np.array([_down(1 - height) for height in heights])
    log_height = np.log(np.array([float(height) for height in heights]))
    fits = (found.upper <= room) | (found.log_gap_lower >= log_height + 4.0 * UNIT * (1.0 + np.abs(log_height)))
    return _YES if bool(np.all(fits)) else None


def _down(value: Fraction) -> float:
    if value >= Fraction(_MOST):  # the slope of a drop almost at alpha = 0
        return _MOST
    return math.nextafter(float(value), -math.inf) if Fraction(float(value)) > value else float(value)


def _concentrated(g: Guarantee, other: Guarantee) -> Satisfaction | None:
    """rho-zCDP says more than its trade-off curve: enough for yes, not needed."""
    return _YES if all(one.zcdp() <= _stated(other, "rho") for one in _directions(g)) else None


def _renyi(g: Guarantee, other: Guarantee) -> Satisfaction | None:
    """So do Renyi divergences at its orders."""
    orders, epsilons = (np.atleast_1d(_stated(other, name)) for name in ("order", "epsilon"))
    return _YES if all(bool(np.all(one.renyi(orders) <= epsilons)) for one in _directions(g)) else None


def _directions(g: Guarantee) -> tuple[Guarantee, ...]:
    return (g,) if g.sides.symmetric else (g, g.inverse())


def _stated(other: Guarantee, name: str) -> FloatArray:
    """One number, or the list of them, that ``other`` states under this name or its plural; 0 where it states none."""
    words = other.stated if isinstance(other, Given) else {}
    return np.asarray(words.get(name, words.get(f"{name}s", 0.0)), dtype=np.float64)


_CRITERIA: dict[str, Callable[[Guarantee, Guarantee], Satisfaction | None]] = {
    "PureDP": _pairs,
    "ApproximateDP": _pairs,
    "Profile": _pairs,
    "Tradeoff": _lines,
    "ZCDP": _concentrated,
    "RDP": _renyi,
}
