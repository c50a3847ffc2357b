"""A guarantee under questioning at one floor: what several quantities have in common is computed once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from neyman.guarantees import ZCDP, Guarantee, PureDP
from neyman.guarantees.questions.regret import divergence
from neyman.guarantees.questions.report import GDPReport
from neyman.quantities.places import FPR_TABLE
from neyman.risk import tpr

__all__ = ["Asked", "Bracket"]

Bracket = tuple[float, float]
"""Certified: the truth lies between."""


class Asked:
    """Where more is known of both sides together than of each: brackets, the truth between the two ends of each."""

    def __init__(self, guarantee: Guarantee, floor: float) -> None:
        self.guarantee = guarantee
        self.optimistic = guarantee.optimistic
        self.floor = floor

    @cached_property
    def above(self) -> GDPReport:
        """The summary at the floor, on the safe side."""
        return self.guarantee.gdp(self.floor)

    @cached_property
    def below(self) -> GDPReport:
        """The summary from the other side, which builds on the safe one."""
        self.above  # noqa: B018 (asked first)
        return self.optimistic.gdp(self.floor)

    @cached_property
    def rho(self) -> Bracket:
        """The least rho of zCDP."""
        return self.optimistic.zcdp(), self.guarantee.zcdp()

    @cached_property
    def epsilon(self) -> Bracket:
        """The least epsilon at delta 0."""
        above = self.guarantee.epsilon(0.0)  # first: the optimistic one builds on it
        return min(self.optimistic.epsilon(0.0), above), above

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

    def to(self, other: Guarantee) -> Bracket:
        """Delta(this || other)."""
        found = divergence(self.guarantee.sides, other.sides)
        return found.lower, found.upper

    def back(self, other: Guarantee) -> Bracket:
        """Delta(other || this)."""
        found = divergence(other.sides, self.guarantee.sides)
        return found.lower, found.upper

    @property
    def rho_regret(self) -> Bracket:
        """What the least rho alone gives away."""
        least, most = map(ZCDP, self.rho)
        return self.to(least)[0], self.to(most)[1]

    @property
    def epsilon_regret(self) -> Bracket:
        """What the least epsilon at delta 0 alone gives away."""
        least, most = map(PureDP, self.epsilon)
        return self.to(least)[0], self.to(most)[1]
