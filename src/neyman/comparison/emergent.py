"""At how many copies one mechanism comes to dominate another, up to a given divergence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import choice, inside, whole
from neyman.engines.choose import profiles
from neyman.guarantees.opaque import check_adjacency
from neyman.guarantees.questions.epsilon import spread
from neyman.guarantees.questions.regret import Divergence, divergence
from neyman.mechanisms import Mechanism
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Adjacency, Pair

__all__ = ["Dominance", "dominates_after"]

_TOLERANCE = 1e-6
_FINEST = 1e-12
_ONE_BY_ONE = 64  # copies up to which all smaller numbers are looked at
_ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")


@dataclass(frozen=True, slots=True)
class Dominance:
    """``copies`` of a dominate as many of b up to ``divergence``: Delta(a^copies || b^copies) is at most that.

    ``before`` is a certified lower bound on the same for one copy less (0 where copies is 1, or it cannot be told).
    ``smallest``: every smaller number of copies was looked at, and certifiably fails.
    """

    copies: int
    divergence: float
    before: float
    smallest: bool


def dominates_after(
    a: Mechanism, b: Mechanism, delta: float, most: int = 100_000, adjacency: str = "add_or_remove"
) -> Dominance:
    """Return a number of self-compositions at which ``a`` is less private than ``b`` everywhere, up to ``delta``.

    Parameters
    ----------
    a, b : Mechanism
        What is repeated.
    delta : float
        The Delta-divergence that is let pass, in (0, 1/2): the attacker's Bayes error against b^n is nowhere smaller
        than against a^n by more than that.
    most : int
        The largest number of copies tried, from 1 to 10^9.
    adjacency : str
        As for ``account``.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, a mechanism promises nothing for this adjacency, or it does not hold at
        any number of copies that was tried.

    Notes
    -----
    Numbers are doubled until the certified upper bound is at most ``delta``, then the last doubling is bisected: it
    holds at ``copies``, and not, or not certifiably, at ``copies`` - 1. The divergence need not fall steadily: that of
    Laplace(20) from Laplace(10) grows from 0.012 at one copy to 0.156 at a thousand before it falls. Where that is 64
    or less, all smaller numbers are looked at, one by one, and the smallest that does is returned; beyond, fewer copies
    that were not tried may do, and in any case more may not. Kaissis et al. (2024), Section 4: it tends to 0 where eta
    of a is the larger (see ``moments``).

    Examples
    --------
    >>> from neyman import Gaussian, Laplace
    >>> found = dominates_after(Laplace(1.0), Gaussian(1.2), 0.005)
    >>> found.copies, found.divergence <= 0.005 < found.before, found.smallest
    (3, True, True)
    """
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Mechanism):
            raise InvalidParameter(name, value, "a Mechanism")
    limit, largest = inside("delta", delta, 0.0, 0.5), whole("most", most, 1, 10**9)
    kind: Adjacency = choice("adjacency", adjacency, _ADJACENCIES)
    for mechanism in (a, b):
        check_adjacency(mechanism, kind)

    def at(n: int) -> Divergence:
        return _after(a, b, n, max(_FINEST, 1e-3 * limit), kind)

    found = _by_doubling(at, limit, largest)
    if found.copies > _ONE_BY_ONE:
        return found
    before, certain = 0.0, True
    for n in range(1, found.copies):
        least = _at_least(*_copies(a, b, n, kind))
        if least <= limit:
            tried = at(n)
            if tried.upper <= limit:
                return Dominance(n, tried.upper, before, certain)
            least, certain = tried.lower, certain and tried.lower > limit
        before = least
    return Dominance(found.copies, found.divergence, before, certain)


def _by_doubling(at: Callable[[int], Divergence], limit: float, largest: int) -> Dominance:
    """Some number at which it holds, the last doubling bisected."""
    low, high, found = 0, 1, at(1)
    before = 0.0
    while found.upper > limit:
        if high >= largest:
            advice = f"Delta is between {found.lower:.3g} and {found.upper:.3g} there: another mechanism may dominate."
            raise InvalidParameter("most", largest, "a number of copies at which it holds", advice)
        low, high, before = high, min(2 * high, largest), found.lower
        found = at(high)
    while high - low > 1:
        middle = (low + high) // 2
        tried = at(middle)
        if tried.upper <= limit:
            high, found = middle, tried
        else:
            low, before = middle, tried.lower
    return Dominance(high, found.upper, before, smallest=False)


def _after(a: Mechanism, b: Mechanism, n: int, sharp: float, adjacency: Adjacency) -> Divergence:
    """Delta(a^n || b^n)."""
    return Divergence(0.0, 0.0, 0.0) if a == b else divergence(*_copies(a, b, n, adjacency), sharp)


def _copies(a: Mechanism, b: Mechanism, n: int, adjacency: Adjacency) -> tuple[Pair, Pair]:
    """Both, n times."""
    pair: list[Pair] = []
    for mechanism in (a, b):
        remove, add = profiles((mechanism**n).losses(replace=adjacency == "replace"), _TOLERANCE)
        pair.append(Pair.of(remove, add, adjacency))
    return pair[0], pair[1]


def _at_least(mine: Pair, other: Pair) -> float:
    """A certified lower bound on Delta(mine || other), from a few eps."""
    reach = spread(other.forward)
    epsilon = np.concatenate([[0.0], np.geomspace(1e-3, 4.0, 24) * reach])
    branches = [(mine.forward, other.forward), (mine.backward, other.backward)][
        : 1 if mine.symmetric and other.symmetric else 2
    ]
    return max(
        float(np.max((theirs.bracket(epsilon).lower - ours.bracket(epsilon).upper) / (1.0 + np.exp(epsilon))))
        for ours, theirs in branches
    ) * (1.0 - 64.0 * UNIT)
