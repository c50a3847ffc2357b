"""At how many copies one mechanism comes to dominate another, up to a given divergence: emergent dominance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, choice, inside, whole
from neyman.engines.choose import profiles
from neyman.guarantees.questions.epsilon import spread
from neyman.guarantees.questions.regret import Divergence, divergence
from neyman.mechanisms import Mechanism
from neyman.numerics.exact.decimals import outward
from neyman.numerics.rounding import UNIT
from neyman.profiles.pair import Adjacency, Pair

__all__ = ["Dominance", "dominates_after"]

_TOLERANCE = 1e-6  # relative width of a bracket of delta that is aimed for
_FINEST = 1e-12  # the least absolute width of a divergence that is asked for
_ONE_BY_ONE = 64  # copies up to which all smaller numbers are looked at
_ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")


@dataclass(frozen=True, slots=True)
class Dominance:
    """``copies`` of a dominate ``copies_of_b`` of b up to ``divergence``: Delta(a^copies || b^copies_of_b) is no more.

    ``before`` is a certified lower bound on the same for the number tried before, one step less (0 where there is none,
    or it cannot be told). ``ratio`` is (k, m) where both numbers grow in steps of k and m, None where that of b is
    fixed. ``smallest``: every smaller number of copies, in that ratio, certifiably fails; other numbers of either, such
    as 5 against 5 where 6 against 5 were tried, are not looked at.
    """

    copies: int
    divergence: float
    before: float
    smallest: bool
    copies_of_b: int
    ratio: tuple[int, int] | None = (1, 1)

    def __str__(self) -> str:
        """The sentence for a person."""
        least = 1 if self.ratio is None else self.ratio[0]
        fewer = "fewer" if self.ratio in (None, (1, 1)) else "fewer in this ratio"
        said = f"; {fewer} certainly do not" if self.smallest and self.copies > least else ""
        does, of_a = ("dominates", "1 copy") if self.copies == 1 else ("dominate", f"{self.copies} copies")
        return (
            f"{of_a} of a approximately {does} {self.copies_of_b} of b: whoever runs the latter "
            f"instead gives away at most {outward(self.divergence, 4)} of the attacker's Bayes error{said}."
        )


def dominates_after(
    a: Mechanism,
    b: Mechanism,
    delta: float,
    most: int = 100_000,
    adjacency: str = "add_or_remove",
    *,
    ratio: tuple[int, int] = (1, 1),
    copies_of_b: int | None = None,
) -> Dominance:
    """Return a number of self-compositions at which ``a`` is less private than ``b`` everywhere, up to ``delta``.

    Parameters
    ----------
    a, b : Mechanism
        What is repeated.
    delta : float
        The Delta-divergence that is let pass, in (0, 1/2): the attacker's Bayes error against b is nowhere smaller than
        against a by more than that ("approximate dominance", ``approximately_dominates``).
    most : int
        The largest number of copies of ``a`` that is tried, from 1 to 10^9.
    adjacency : str
        As for ``account``.
    ratio : tuple of two int
        (k, m): k n copies of a are set against m n copies of b, n = 1, 2, ...; from 1 to 10^9. (1, 1): as many.
    copies_of_b : int, optional
        If given, copies of a are set against this many of b, however many those of a are; from 1 to 10^18.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, a mechanism promises nothing for this adjacency, or it does not hold at
        any number of copies that was tried.

    Notes
    -----
    Numbers are doubled until the certified upper bound is at most ``delta``, then the last doubling is bisected: it
    holds at ``copies``, and not, or not certifiably, one step before. At a fixed ratio the divergence need not fall
    steadily: that of Laplace(20) from Laplace(10) grows from 0.012 at one copy to 0.156 at a thousand before it falls.
    Where n is 64 or less, all smaller numbers are looked at, one by one, and the smallest that does is returned;
    beyond, fewer copies that were not tried may do, and in any case more may not. Against a fixed number of copies of
    b it falls steadily, as more copies of a never give away less, and the smallest is found by bisection.

    Kaissis et al. (2024), Section 4: at a fixed ratio it tends to 0 where k / m is above (eta_b / eta_a)^2, see
    ``emergent_dominance``. It may tend to 0 in the other direction too, where both come to give away all: that a number
    is found does not say that ``a`` is the one that comes near the less private Gaussian mechanism.

    Examples
    --------
    >>> from neyman import Gaussian, Laplace
    >>> found = dominates_after(Laplace(1.0), Gaussian(1.2), 0.005)
    >>> found.copies, found.divergence <= 0.005 < found.before, found.smallest
    (3, True, True)
    >>> found = dominates_after(Gaussian(2.0), Gaussian(1.0), 1e-3, copies_of_b=25)  # mu = sqrt(n) / 2 against 5
    >>> found.copies, found.copies_of_b, found.smallest
    (96, 25, True)
    """
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Mechanism):
            raise InvalidParameter(name, value, "a Mechanism")
    limit, largest = inside("delta", delta, 0.0, 0.5), whole("most", most, 1, 10**9)
    kind: Adjacency = choice("adjacency", adjacency, _ADJACENCIES)
    for mechanism in (a, b):
        mechanism.check_adjacency(kind)
    numbers = _numbers(ratio, copies_of_b, largest)

    def at(n: int) -> Divergence:
        return _after((a, numbers.of_a(n)), (b, numbers.of_b(n)), max(_FINEST, 1e-3 * limit), kind)

    found = _by_doubling(at, limit, numbers)
    if numbers.fixed is not None:
        return replace(found, smallest=found.copies == 1 or found.before > limit)
    n = found.copies // numbers.k
    if n > _ONE_BY_ONE:
        return found
    before, certain = 0.0, True
    for fewer in range(1, n):
        least = _at_least(*_copies((a, numbers.of_a(fewer)), (b, numbers.of_b(fewer)), kind))
        if least <= limit:
            tried = at(fewer)
            if tried.upper <= limit:
                return numbers.found(fewer, tried.upper, before, certain)
            least, certain = tried.lower, certain and tried.lower > limit
        before = least
    return numbers.found(n, found.divergence, before, certain)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """k n copies of a against m n of b, or against a ``fixed`` number; n is at most ``last``."""

    k: int
    m: int
    fixed: int | None
    last: int

    def of_a(self, n: int) -> int:
        return self.k * n

    def of_b(self, n: int) -> int:
        return self.m * n if self.fixed is None else self.fixed

    def found(self, n: int, divergence: float, before: float, smallest: bool) -> Dominance:
        ratio = (self.k, self.m) if self.fixed is None else None
        return Dominance(self.of_a(n), divergence, before, smallest, self.of_b(n), ratio)


def _numbers(ratio: tuple[int, int], copies_of_b: int | None, most: int) -> _Numbers:
    allowed = "two whole numbers, copies of a and copies of b"
    if not isinstance(ratio, (tuple, list)) or len(ratio) != 2:
        raise InvalidParameter("ratio", ratio, allowed)
    k, m = (whole(f"ratio[{i}]", part, 1, 10**9) for i, part in enumerate(ratio))
    if copies_of_b is None:
        if k > most:
            raise InvalidParameter("most", most, f"a number of copies of a of at least {k}, that of the ratio")
        return _Numbers(k, m, None, min(most // k, MAX_COUNT // m))
    if (k, m) != (1, 1):
        raise InvalidParameter("copies_of_b", copies_of_b, "None where there is a ratio", "Give one of the two.")
    return _Numbers(1, 1, whole("copies_of_b", copies_of_b, 1, MAX_COUNT), most)


def _by_doubling(at: Callable[[int], Divergence], limit: float, numbers: _Numbers) -> Dominance:
    """Some number at which it holds, the last doubling bisected."""
    low, high, found = 0, 1, at(1)
    before = 0.0
    while found.upper > limit:
        if high >= numbers.last:
            advice = f"Delta is between {found.lower:.3g} and {found.upper:.3g} there: another mechanism may dominate."
            raise InvalidParameter("most", numbers.of_a(high), "a number of copies at which it holds", advice)
        low, high, before = high, min(2 * high, numbers.last), found.lower
        found = at(high)
    while high - low > 1:
        middle = (low + high) // 2
        tried = at(middle)
        if tried.upper <= limit:
            high, found = middle, tried
        else:
            low, before = middle, tried.lower
    return numbers.found(high, found.upper, before, smallest=False)


_Repeated = tuple[Mechanism, int]


def _after(a: _Repeated, b: _Repeated, sharp: float, adjacency: Adjacency) -> Divergence:
    """Delta(a^n || b^m)."""
    if a[0] == b[0] and a[1] >= b[1]:  # more of the same gives away no less
        return Divergence(0.0, 0.0, 0.0)
    return divergence(*_copies(a, b, adjacency), sharp)


def _copies(a: _Repeated, b: _Repeated, adjacency: Adjacency) -> tuple[Pair, Pair]:
    """Both, as often as they run."""
    pair: list[Pair] = []
    for mechanism, n in (a, b):
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
