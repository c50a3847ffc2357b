"""Choosing among mechanisms that share one (epsilon, delta): utility against what each costs beyond a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from neyman._errors import InvalidParameter
from neyman._validate import inside, positive, reals
from neyman.comparison.compare import compare
from neyman.engines.choose import profiles
from neyman.guarantees import Guarantee, OptimisticGuarantee
from neyman.guarantees.sides import Sides
from neyman.mechanisms import DPSGD

__all__ = ["Candidate", "Choice", "least_noise", "pareto"]

_TOLERANCE = 1e-6
_WIDTH = 1e-9  # relative, of the noise
_LEAST, _MOST = 0.05, 1e6


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


def least_noise(sample_rate: float, steps: int, epsilon: float, delta: float) -> float:
    """Return the least noise multiplier with which DP-SGD is certainly (epsilon, delta)-DP.

    Parameters
    ----------
    sample_rate, steps
        As for ``DPSGD``; one record is added or removed.
    epsilon : float
        > 0.
    delta : float
        In (0, 1).

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or no noise multiplier from 0.05 to 1e6 will do.

    Notes
    -----
    The answer meets the target by its certified bound, and is at most a relative 1e-8 above the least that does.

    Examples
    --------
    >>> round(least_noise(0.32768, 2000, 8.0, 1e-5), 3)
    8.838
    """
    target, mass = positive("epsilon", epsilon), inside("delta", delta, 0.0, 1.0)

    def over(log_noise: float) -> float:
        """log of the certified delta at that epsilon, less that of the target: falling."""
        mechanism = DPSGD(noise_multiplier=math.exp(log_noise), sample_rate=sample_rate, steps=steps)
        remove, add = profiles(mechanism.losses(), _TOLERANCE)
        upper = float(Sides.of(remove, add, "add_or_remove").bracket(np.array([target])).upper[0])
        return math.log(max(upper, 1e-300)) - math.log(mass)

    low = high = 0.0
    while over(high) > 0.0:  # small steps: tiny noise is the dearest to account for
        low, high = high, high + 1.0
        if high > math.log(_MOST):
            raise InvalidParameter("epsilon", target, f"reachable with a noise multiplier up to {_MOST:g}")
    while low == high or over(low) <= 0.0:
        low, high = low - 0.4, low
        if low < math.log(_LEAST):
            raise InvalidParameter("epsilon", target, f"one that needs a noise multiplier of {_LEAST:g} or more")
    found = float(brentq(over, low, high, xtol=_WIDTH, rtol=1e-12))
    for step in (0.0, 1.0, 2.0, 4.0, 8.0):
        if over(found + step * _WIDTH) <= 0.0:
            return math.exp(found + step * _WIDTH) * (1.0 + 4e-16)
    return math.exp(high)
