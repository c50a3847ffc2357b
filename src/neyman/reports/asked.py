"""A guarantee under questioning: certified brackets of its numbers, each computed once."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from neyman.accountants.tables import FPR_TABLE
from neyman.accounting import account
from neyman.guarantees import GDP, ZCDP, ComposedGuarantee, Guarantee, Opaque, PureDP
from neyman.guarantees.questions.regret import divergence
from neyman.guarantees.questions.report import GDPReport
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.risk import tpr

__all__ = ["Asked", "Bracket", "guarantee_of"]

Bracket = tuple[float, float]


def guarantee_of(mechanism: Mechanism, adjacency: str, tolerance: float, effort: float = EFFORT) -> Guarantee:
    """Return what ``mechanism`` promises; a single stated guarantee promises itself, with its own sharper bounds.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.
    """
    if isinstance(mechanism, Opaque) and adjacency == mechanism.adjacency == mechanism.guarantee.adjacency:
        return mechanism.guarantee
    return account(mechanism, adjacency=adjacency, tolerance=tolerance, effort=effort)


class Asked:
    """A guarantee at one floor, asked for brackets; the truth lies between the two ends of each."""

    def __init__(self, guarantee: Guarantee, floor: float) -> None:
        self.guarantee = guarantee
        self.optimistic = guarantee.optimistic
        self.floor = floor

    @cached_property
    def gdp(self) -> tuple[GDPReport, GDPReport]:
        """The summary from below and from above."""
        above = self.guarantee.gdp(self.floor)  # first: the optimistic one builds on it
        return self.optimistic.gdp(self.floor), above

    @property
    def mu(self) -> Bracket:
        """The least mu at the floor."""
        below, above = self.gdp
        return below.mu, above.mu

    @property
    def regret(self) -> Bracket:
        """What the least mu at the floor gives away."""
        below, above = self.gdp
        return below.regret, above.regret

    @property
    def tail_mu(self) -> Bracket:
        """The mu that holds with no floor: at least that of the floor."""
        below, above = self.gdp
        return below.mu, above.tail_mu

    @property
    def shortfall(self) -> Bracket:
        """What the curve may lose to that of mu below the floor."""
        return 0.0, self.gdp[1].shortfall

    @cached_property
    def zcdp(self) -> Bracket:
        """The least rho."""
        return self.optimistic.zcdp(), self.guarantee.zcdp()

    @cached_property
    def _table(self) -> dict[float, Bracket]:
        """The true positive rates of the default table, asked for at once."""
        grid = np.array(FPR_TABLE)
        ends = (np.asarray(tpr(g, grid).value) for g in (self.optimistic, self.guarantee))
        return {rate: (float(a), float(b)) for rate, a, b in zip(FPR_TABLE, *ends, strict=True)}

    def tpr(self, fpr: float) -> Bracket:
        """The largest true positive rate of a membership attack at this false positive rate."""
        if fpr in self._table:
            return self._table[fpr]
        return float(tpr(self.optimistic, fpr).value), float(tpr(self.guarantee, fpr).value)

    def epsilon(self, delta: float) -> Bracket:
        """The least epsilon at this delta."""
        above = self.guarantee.epsilon(delta)  # first: the optimistic one builds on it
        return min(self.optimistic.epsilon(delta), above), above

    @cached_property
    def zcdp_regret(self) -> Bracket:
        """What the least rho alone gives away."""
        return self._stating(*(ZCDP(rho) for rho in self.zcdp))

    @cached_property
    def epsilon_regret(self) -> Bracket:
        """What the least epsilon at delta 0 alone gives away."""
        return self._stating(*(PureDP(epsilon) for epsilon in self.epsilon(0.0)))

    def to(self, other: Guarantee) -> Bracket:
        """Delta(this || other)."""
        found = divergence(self.guarantee.sides, other.sides)
        return found.lower, found.upper

    def back(self, other: Guarantee) -> Bracket:
        """Delta(other || this)."""
        found = divergence(other.sides, self.guarantee.sides)
        return found.lower, found.upper

    @property
    def unlimited(self) -> bool:
        """Whether no finite mu holds at the floor."""
        return math.isinf(self.mu[1])

    @property
    def counted(self) -> bool:
        """Whether it was computed from losses that are all known, so that every question is a quick one."""
        g = self.guarantee
        mechanism = g.mechanism if isinstance(g, ComposedGuarantee) else None
        if isinstance(g, (GDP, PureDP)):
            return True
        return mechanism is not None and not any(_boxed(step) for step, _ in mechanism.parts)

    def _stating(self, least: Guarantee, most: Guarantee) -> Bracket:
        return divergence(self.guarantee.sides, least.sides).lower, divergence(self.guarantee.sides, most.sides).upper


def _boxed(step: Mechanism) -> bool:
    from neyman.mechanisms import PoissonSampled

    return isinstance(step.of if isinstance(step, PoissonSampled) else step, Opaque)
