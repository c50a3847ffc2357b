"""Dominating pairs whose delta is known in balls: closed forms, finite laws, one sampled step, mixtures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, cmp_to_key

from flint import arb

from tests.reference import closed, exact

__all__ = ["Balls", "Best", "Finite", "Formula", "Given", "Loose", "Mixed", "Pair", "Reversed", "clipped"]

Balls = tuple[arb, arb]
"""A lower and an upper bound; each is believed at its own far end."""


class Pair(ABC):
    """Two laws (P, Q), known by their profile."""

    @abstractmethod
    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """E_P[(1 - e^(epsilon - L))_+] from below and from above; ``add``: of the reversed pair."""


def clipped(low: arb, high: arb, epsilon: arb) -> Balls:
    """What holds anyway: (1 - e^epsilon)_+ <= delta <= 1."""
    return low.lower().max(arb(0)).max(1 - epsilon.exp()), high.upper().min(arb(1))


class Formula(Pair):
    """A profile by formula; the reversed pair's by delta(e) -> 1 - e^e + e^e delta(-e) where no other is given."""

    def __init__(self, profile: Callable[[arb], arb], add: Callable[[arb], arb] | None = None) -> None:
        self.profile = profile
        self.add = add or (lambda e: 1 - e.exp() + e.exp() * profile(-e))

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The formula."""
        value = self.add(epsilon) if add else self.profile(epsilon)
        return clipped(value, value, epsilon)

    @staticmethod
    def gaussian(mu: arb) -> Formula:
        """mu-GDP."""
        profile = lambda e: closed.gaussian_delta(mu, e)  # noqa: E731
        return Formula(profile, profile)


class Finite(Pair):
    """Finitely many outcomes: delta = sum (p - e^eps q)_+."""

    def __init__(self, law: exact.Law, missing: float = 0.0) -> None:
        self.law, self.missing = law, arb(missing)

    @cached_property
    def _sorted(self) -> tuple[list[arb], list[arb], list[arb]]:
        """By falling p/q: the ratios, and the sums of p and of q up to each."""
        ratio = [(arb.pos_inf() if q == 0 else p / q, p, q) for p, q in self.law]
        ratio.sort(key=cmp_to_key(lambda one, other: _order(one[0].mid(), other[0].mid())))
        p, q, sums = arb(0), arb(0), ([arb(0)], [arb(0)])
        for _, a, b in ratio:
            p, q = p + a, q + b
            sums[0].append(p)
            sums[1].append(q)
        return [one[0] for one in ratio], *sums

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The best test is a set {p/q > e^eps}: that of a float search, and its neighbours, from below; all outcomes
        whose ratio is not provably smaller from above.
        """
        ratios, ps, qs = self._sorted
        order = (-epsilon if add else epsilon).exp()
        low, high = 0, len(ratios)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if ratios[middle] > order else (low, middle)
        near = range(max(low - 2, 0), min(low + 3, len(ps)))
        if add:  # 1 - Q(set) weighed from the other end: sum over the complement
            values = [(qs[-1] - qs[i]) - epsilon.exp() * (ps[-1] - ps[i]) for i in near]
        else:
            values = [ps[i] - order * qs[i] for i in near]
        best = values[0]
        for value in values[1:]:
            best = best.max(value)
        return clipped(best - self.missing, best + self.missing, epsilon)


def _order(one: arb, other: arb) -> int:
    return -1 if one > other else int(one < other)


class Loose(Pair):
    """A pair of which some mass was left out, under either law."""

    def __init__(self, pair: Pair, missing: float) -> None:
        self.pair, self.missing = pair, arb(missing)

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        low, high = self.pair.delta(epsilon, add)
        return clipped(low - self.missing, high + self.missing, epsilon)


class Given(Pair):
    """A profile by two bounds."""

    def __init__(self, bounds: Callable[[arb, bool], Balls]) -> None:
        self.bounds = bounds

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The bounds."""
        return clipped(*self.bounds(epsilon, add), epsilon)


class Reversed(Pair):
    """The pair with its laws exchanged."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """That of the other direction."""
        return self.pair.delta(epsilon, not add)


class Mixed(Pair):
    """A finite law composed with anything: delta(eps) = sum p delta_rest(eps - log p/q)."""

    def __init__(self, law: exact.Law, rest: Pair) -> None:
        self.law, self.rest = law, rest

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The sum over the outcomes."""
        low = high = arb(0)
        for p, q in self.law:
            if add:
                p, q = q, p
            if p == 0:
                continue
            a, b = (arb(1), arb(1)) if q == 0 else self.rest.delta(epsilon - (p / q).log(), add)
            low, high = low + p * a, high + p * b
        return clipped(low, high, epsilon)


class Best(Pair):
    """Several accounts of one pair, intersected; if they contradict each other, one of the oracles is wrong."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = pairs

    def delta(self, epsilon: arb, add: bool = False) -> Balls:
        """The intersection."""
        low, high = arb(0), arb(1)
        for pair in self.pairs:
            a, b = pair.delta(epsilon, add)
            low, high = low.max(a), high.min(b)
        if low > high:
            raise ArithmeticError(f"oracles contradict each other at {epsilon.str(20)}: {low.str(20)} > {high.str(20)}")
        return low, high
