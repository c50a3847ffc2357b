"""From how many copies on one mechanism dominates another, up to a given divergence."""

from __future__ import annotations

from dataclasses import dataclass

from neyman._errors import InvalidParameter
from neyman._validate import choice, inside, whole
from neyman.engines.choose import profiles
from neyman.guarantees.regret import Divergence, divergence
from neyman.guarantees.sides import Adjacency, Sides
from neyman.mechanisms import Mechanism

__all__ = ["Dominance", "dominates_after"]

_TOLERANCE = 1e-6
_FINEST = 2e-9
_ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")


@dataclass(frozen=True, slots=True)
class Dominance:
    """``copies`` of a dominate as many of b up to ``divergence``: Delta(a^copies || b^copies) is at most that.

    ``before`` is a certified lower bound on the same for one copy less (0 where copies is 1, or it cannot be told).
    """

    copies: int
    divergence: float
    before: float


def dominates_after(
    a: Mechanism, b: Mechanism, delta: float, most: int = 100_000, adjacency: str = "add_or_remove"
) -> Dominance:
    """Return from how many self-compositions on ``a`` is less private than ``b`` everywhere, up to ``delta``.

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
        If an argument lies outside its domain, or it does not hold at any number of copies that was tried.

    Notes
    -----
    Numbers are doubled until the certified upper bound is at most ``delta``, then the last doubling is bisected: it
    holds at ``copies``, and not, or not certifiably, at ``copies`` - 1. The divergence need not fall steadily; what
    happens between numbers that were not tried is not claimed. Kaissis et al. (2024), Section 4: it tends to 0 where
    eta of a is the larger (see ``moments``).

    Examples
    --------
    >>> from neyman import Gaussian, Laplace
    >>> found = dominates_after(Laplace(1.0), Gaussian(1.2), 0.005)
    >>> found.copies, found.divergence <= 0.005 < found.before
    (3, True)
    """
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Mechanism):
            raise InvalidParameter(name, value, "a Mechanism")
    limit, largest = inside("delta", delta, 0.0, 0.5), whole("most", most, 1, 10**9)
    kind: Adjacency = choice("adjacency", adjacency, _ADJACENCIES)

    def at(n: int) -> Divergence:
        pair: list[Sides] = []
        for mechanism in (a, b):
            remove, add = profiles((mechanism**n).losses(replace=kind == "replace"), _TOLERANCE)
            pair.append(Sides.of(remove, add, kind))
        return divergence(pair[0], pair[1], max(_FINEST, 1e-3 * limit))

    low, high, found = 0, 1, at(1)
    before = 0.0
    while found.upper > limit:
        if high >= largest:
            advice = f"Delta is between {found.lower:.3g} and {found.upper:.3g} there: another mechanism may dominate."
            raise InvalidParameter("most", most, "a number of copies at which it holds", advice)
        low, high, before = high, min(2 * high, largest), found.lower
        found = at(high)
    while high - low > 1:
        middle = (low + high) // 2
        tried = at(middle)
        if tried.upper <= limit:
            high, found = middle, tried
        else:
            low, before = middle, tried.lower
    return Dominance(high, found.upper, before)
