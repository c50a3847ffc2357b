"""Compositions of Gaussians and finite laws alone, outcome by outcome (docs/proofs/outcomes.md).

    delta(eps) = sum over outcomes of the finite part of P(outcome) d(eps - L(outcome)) + P(L = inf),

d that of all Gaussians together: N(mu / 2 - x / mu) - e^x N(-mu / 2 - x / mu) at x, (1 - e^x)_+ where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import arb, fmpz

from neyman_check.errors import NotProved
from neyman_check.laws import FiniteLaw, Gaussian, Law
from neyman_check.line import Ball
from neyman_check.work import Work

__all__ = ["Outcomes", "gaussian_delta", "normal"]

_MOST = 100_000  # outcomes
_EACH = 30  # units of work that one takes at each eps


class _Outcome(NamedTuple):
    loss: arb
    mass: arb


class Outcomes:
    """One direction."""

    def __init__(self, laws: Sequence[Law], remove: bool, work: Work) -> None:
        self.remove = remove
        square, kept = arb(0), arb(1)
        found = [_Outcome(arb(0), arb(1))]
        for law in laws:
            if isinstance(law, Gaussian):
                square += law.square
            elif isinstance(law, FiniteLaw):
                kept *= law.kept(remove)
                found = _together(found, _powers(law, remove, work), work)
            else:
                raise NotProved("a law that has no outcomes")
        self.mu, self.kept, self.outcomes = square.sqrt(), kept, found
        self.each = _EACH * len(found)

    def delta(self, epsilon: arb) -> Ball:
        """At any real eps."""
        total = sum((one.mass * self._alone(epsilon - one.loss) for one in self.outcomes), arb(0))
        whole = total + 1 - self.kept
        return Ball(whole, whole)

    def _alone(self, x: arb) -> arb:
        return gaussian_delta(self.mu, x) if self.mu > 0 else (1 - x.exp()).nonnegative_part()


def gaussian_delta(mu: arb, epsilon: arb) -> arb:
    """delta of a Gaussian mechanism, mu > 0."""
    return normal(mu / 2 - epsilon / mu) - epsilon.exp() * normal(-mu / 2 - epsilon / mu)


def normal(x: arb) -> arb:
    """The distribution function of the normal law."""
    return (-x / arb(2).sqrt()).erfc() / 2


def _powers(law: FiniteLaw, remove: bool, work: Work) -> list[_Outcome]:
    """How often each outcome came: multinomials. The last count follows from the others."""
    pairs = [(p, q) if remove else (q, p) for p, q in law.outcomes]
    kinds = [((p / q).log(), p) for p, q in pairs if p != 0 and q != 0]
    if not kinds:
        return []
    top, others = law.times + len(kinds) - 1, len(kinds) - 1
    _affordable(int(fmpz.bin_uiui(top, others)) if law.times <= _MOST or not others else _MOST + 1, work)
    found: list[_Outcome] = []
    left_over = [(law.times, _Outcome(arb(0), arb(1)))]
    for own, chance in kinds[:-1]:
        still: list[tuple[int, _Outcome]] = []
        for left, (loss, mass) in left_over:
            term = mass
            for k in range(left):  # term: mass * binomial(left, k) * chance^k
                still.append((left - k, _Outcome(loss + own * k, term)))
                term = term * chance * (left - k) / (k + 1)
            found.append(_Outcome(loss + own * left, term))
        left_over = still
    own, chance = kinds[-1]
    return found + [_Outcome(loss + own * left, mass * chance**left) for left, (loss, mass) in left_over]


def _together(first: list[_Outcome], second: list[_Outcome], work: Work) -> list[_Outcome]:
    _affordable(len(first) * len(second), work)
    return [_Outcome(a.loss + b.loss, a.mass * b.mass) for a in first for b in second]


def _affordable(number: int, work: Work) -> None:
    if number > _MOST:
        raise NotProved(f"more than {_MOST} outcomes")
    work.spend(_EACH * number)
