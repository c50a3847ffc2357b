"""Two settings side by side: who is safer, what the choice costs at most, and where their curves change places."""

from __future__ import annotations

import math
import re

import numpy as np

from neyman._errors import InvalidParameter, NotCertified
from neyman.comparison.compare import Comparison
from neyman.explorer.answering.numbers import Shown
from neyman.guarantees import Guarantee
from neyman.guarantees.questions.regret import Divergence
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.numerics.exact.decimals import outward

__all__ = ["compared"]

_TRIED = 33  # places between which curves are taken for straight
_ORDERS = {
    "more_private": "a", "less_private": "b", "equal": "equal", "incomparable": "neither", "undecided": "undecided"
}  # fmt: skip
_COST = "Choosing {} instead of {} costs at most {} of the attacker's Bayes error."
_ONE = re.compile(r"\b[ab]\b(?! billion)")  # in the verdict and the sentence on attackers, which have no other "a"


def compared(a: PessimisticGuarantee, b: PessimisticGuarantee) -> dict[str, object]:
    """Return the comparison of two guarantees for the same neighbours.

    Examples
    --------
    >>> import neyman as ny
    >>> found = compared(ny.GDP(0.5), ny.GDP(1.0))
    >>> found["order"], found["divergence"]["b_over_a"]["text"]
    ('a', '0')
    """
    if a.adjacency != b.adjacency:
        raise InvalidParameter("B", b.adjacency, f"a run for the neighbours of A, {a.adjacency!r}")
    found = Comparison(a, b)
    forth, back = found.bounds
    return {
        "divergence": {"a_over_b": _number(forth, "B", "A"), "b_over_a": _number(back, "A", "B")},
        "order": _ORDERS[found.order], "crossings": _crossings(found), "sentence": _sentence(found),
    }  # fmt: skip


def _sentence(found: Comparison) -> str:
    """That of ``ny.compare``, in which the two are called A and B, as on the page."""
    told = _ONE.sub(lambda one: one[0].upper(), f"{found.verdict} {found.attackers}".strip())
    forth, back = (outward(one.upper, 3) for one in found.bounds)
    at = f", at prior {found.prior:.3g} (P(record absent))" if found.bounds[0].lower > 0.0 else ""
    costs = f"{_COST.format('B', 'A', forth).removesuffix('.')}{at}; choosing A instead of B at most {back}."
    return " ".join(part for part in (told, costs, found.note) if part)


def _number(found: Divergence, chosen: str, instead_of: str) -> dict[str, object]:
    shown = Shown(found.lower, found.upper, from_below=False, says="")
    return {**shown.to_dict(), "says": _COST.format(chosen, instead_of, shown.text)}


def _crossings(found: Comparison) -> list[dict[str, object]]:
    """Where the curves change places; ``alpha`` says where to put a mark, and is no bound."""
    try:
        crossings = found.crossings
    except NotCertified:
        return []
    return [
        {"alpha": _about(found, one.epsilon), "epsilon": one.epsilon, "prior": one.prior, "text": str(one)}
        for one in crossings
    ]


def _about(found: Comparison, epsilon: float) -> float:
    """The false positive rate at which the curves meet (approximate): it lies between those at which each touches the
    line of that slope, since there either is below the other.
    """
    ends = sorted(_touching(guarantee, epsilon) for guarantee in (found.a, found.b))
    at = np.linspace(ends[0], ends[1], _TRIED)
    gap = np.asarray(found.a.beta(at)) - np.asarray(found.b.beta(at))
    changes = np.flatnonzero(np.sign(gap[:-1]) != np.sign(gap[1:]))
    if changes.size == 0:
        return 0.5 * sum(ends)
    i = int(changes[0])
    return float(at[i] + (at[i + 1] - at[i]) * gap[i] / (gap[i] - gap[i + 1]))


def _touching(guarantee: Guarantee, epsilon: float) -> float:
    """The false positive rate at which the curve touches the line of slope -e^epsilon (approximate)."""
    side = guarantee.sides.forward if epsilon >= 0.0 else guarantee.sides.backward
    e = np.array([abs(epsilon)])
    touching = float(side.slope(e)[0]) * math.exp(-abs(epsilon))
    other = 1.0 - float(side.bracket(e).upper[0]) - math.exp(abs(epsilon)) * touching
    return min(max(touching if epsilon >= 0.0 else other, 0.0), 1.0)
