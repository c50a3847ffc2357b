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

__all__ = ["Outcomes", "gaussian_delta", "normal"]

_MOST = 100_000  # outcomes


class _Outcome(NamedTuple):
    loss: arb
    mass: arb


class Outcomes:
    """One direction."""

    def __init__(self, laws: Sequence[Law], remove: bool) -> None:
        square, kept = arb(0), arb(1)
        found = [_Outcome(arb(0), arb(1))]
        for law in laws:
            if isinstance(law, Gaussian):
                square += law.square
            elif isinstance(law, FiniteLaw):
                kept *= law.kept(remove)
                found = _together(found, _powers(law, remove))
            else:
                raise NotProved("a law that has no outcomes")
        self.mu, self.kept, self.outcomes = square.sqrt(), kept, found

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


def _powers(law: FiniteLaw, remove: bool) -> list[_Outcome]:
    """How often each outcome came: multinomials. The last count follows from the others."""
    pairs = [(p, q) if remove else (q, p) for p, q in law.outcomes]
    kinds = [((p / q).log(), p) for p, q in pairs if p != 0 and q != 0]
    if not kinds:
        return []
    number = int(fmpz.bin_uiui(law.times + len(kinds) - 1, len(kinds) - 1)) if law.times < 10**6 else _MOST + 1
    if number > _MOST:
        raise NotProved(f"more than {_MOST} outcomes")
    found: list[_Outcome] = []
    _counted(kinds, law.times, arb(0), arb(1), found)
    return found


def _counted(kinds: list[tuple[arb, arb]], left: int, loss: arb, mass: arb, found: list[_Outcome]) -> None:
    (own, chance), *others = kinds
    if not others:
        found.append(_Outcome(loss + own * left, mass * chance**left))
        return
    term = mass
    for k in range(left + 1):  # term: mass * binomial(left, k) * chance^k
        _counted(others, left - k, loss + own * k, term, found)
        term = term * chance * (left - k) / (k + 1)


def _together(first: list[_Outcome], second: list[_Outcome]) -> list[_Outcome]:
    if len(first) * len(second) > _MOST:
        raise NotProved(f"more than {_MOST} outcomes")
    return [_Outcome(a.loss + b.loss, a.mass * b.mass) for a in first for b in second]
