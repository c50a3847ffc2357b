"""Choosing among mechanisms that share one (epsilon, delta): utility against what each costs beyond a baseline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neyman._errors import InvalidParameter
from neyman._validate import reals
from neyman.comparison.compare import compare
from neyman.guarantees import Guarantee, OptimisticGuarantee

__all__ = ["Candidate", "Choice", "pareto"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mechanism that might be run: its guarantee, and how useful its output is (larger is better)."""

    name: str
    guarantee: Guarantee
    utility: float


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate weighed: ``excess`` is Delta(baseline || candidate), from above, in the attacker's Bayes error.

    ``efficient``: no other candidate has at least its utility and at most its excess, and one of them better.
    """

    name: str
    utility: float
    excess: float
    efficient: bool


def pareto(candidates: Iterable[Candidate], baseline: Guarantee) -> tuple[Choice, ...]:
    """Return every candidate with its excess vulnerability over ``baseline``, by rising excess.

    Parameters
    ----------
    candidates : iterable of Candidate
        At least one; names distinct, utilities finite.
    baseline : Guarantee
        What the excess is measured from, of the same adjacency.

    Raises
    ------
    InvalidParameter
        If there are no candidates, two of one name, or one that cannot be compared with the baseline.

    Notes
    -----
    Kaissis et al. (2024), Section 5. The excess is certified from above, 1e-10 wide where the profiles are as sharp;
    candidates closer than that may be ranked either way.

    Examples
    --------
    >>> import neyman as ny
    >>> from neyman.comparison import Candidate, pareto
    >>> base = ny.account(ny.Gaussian(1.0))
    >>> rows = [Candidate("a", base, 0.7), Candidate("b", ny.account(ny.Gaussian(0.9)), 0.8),
    ...         Candidate("c", ny.account(ny.Laplace(1.0)), 0.6)]
    >>> [(row.name, row.efficient) for row in pareto(rows, base)]
    [('a', True), ('c', False), ('b', True)]
    """
    rows = list(candidates) if isinstance(candidates, Iterable) else [candidates]
    for row in rows:
        if not isinstance(row, Candidate):
            raise InvalidParameter("candidates", row, "some Candidate(name, guarantee, utility)")
    names = [row.name for row in rows]
    if not rows or any(names.count(name) > 1 for name in names):
        raise InvalidParameter("candidates", names, "at least one candidate, all of different names")
    _promise("baseline", baseline)
    excess: list[float] = []
    for row in rows:
        if _promise("candidates", row.guarantee).adjacency != baseline.adjacency:
            raise InvalidParameter("candidates", row.name, f"guarantees for the adjacency {baseline.adjacency!r}")
        if reals("utility", row.utility).ndim:
            raise InvalidParameter("utility", row.utility, "a finite number")
        excess.append(compare(baseline, row.guarantee).divergence)
    pairs = [(float(row.utility), cost) for row, cost in zip(rows, excess, strict=True)]
    found = [
        Choice(row.name, *pair, not any(_beats(other, pair) for other in pairs))
        for row, pair in zip(rows, pairs, strict=True)
    ]
    return tuple(sorted(found, key=lambda choice: (choice.excess, -choice.utility)))


def _promise(name: str, value: object) -> Guarantee:
    """Refuse lower bounds, too: an excess read from them would not be certified."""
    if not isinstance(value, Guarantee) or isinstance(value, OptimisticGuarantee):
        raise InvalidParameter(name, value, "a Guarantee", "Account for a mechanism first: ny.account(mechanism).")
    return value


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] >= other[0] and one[1] <= other[1]
