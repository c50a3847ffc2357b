"""Everything that is said of a guarantee at first sight, as plain numbers: every value in its certified bracket."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from neyman._errors import NotCertified
from neyman._upward import Carded, opened
from neyman._validate import FloatArray, inside
from neyman.guarantees import GDP, RDP, ZCDP, ComposedGuarantee, GDPReport, Given, Guarantee, Opaque, PureDP
from neyman.guarantees.given.pure import LARGEST_EPSILON
from neyman.guarantees.twins import PessimisticGuarantee
from neyman.mechanisms import Mechanism, PoissonSampled
from neyman.numerics.exact.short_exact import in_short
from neyman.quantities.places import FPR_TABLE, usual_deltas
from neyman.showing.headline import Headline, headline
from neyman.showing.interval import Interval, Refusals

__all__ = ["Summary"]


@dataclass(frozen=True)
class Summary(Carded):
    """A guarantee in a few numbers, each on its safe side and in its bracket; ``print`` shows the table.

    What cannot be certified to the tolerance is said so, in its row, and keeps no other number from being said.

    Attributes
    ----------
    guarantee : Guarantee
        Whose numbers these are.
    report : GDPReport or None
        mu, its regret and its floor; None where mu is not certified to the tolerance.
    mu, regret, advantage : Interval
        Certified brackets; ``regret`` is None where ``report`` is.
    fixed_point : float or None
        The error rate at which both kinds are equal, from below.
    deltas : tuple of float
        Where epsilon was asked for.
    epsilons, powers : tuple of Interval
        epsilon at each delta; the best true positive rate at each false positive rate of the table.
    refused : tuple of NotCertified
        What could not be certified.

    Examples
    --------
    >>> import neyman as ny
    >>> s = ny.account(ny.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)).summary()
    >>> print(s.headline)
    (epsilon <= 1.829, delta = 1e-5)-DP; the regret of mu, 0.0225, is above 0.01, so report the profile (epsilon at
    several deltas).
    >>> s.headline.report, s.epsilons[0].upper < 1.829
    ('profile', True)
    """

    guarantee: Guarantee
    report: GDPReport | None
    mu: Interval
    regret: Interval | None
    advantage: Interval
    fixed_point: float | None
    deltas: tuple[float, ...]
    epsilons: tuple[Interval, ...]
    powers: tuple[Interval, ...]
    refused: tuple[NotCertified, ...]
    floor: float

    @classmethod
    def of(cls, guarantee: Guarantee, deltas: Sequence[float] | None = None, floor: float = 1e-10) -> Summary:
        """Ask a guarantee; of an ``optimistic`` one, whoever it belongs to is summarised.

        Parameters
        ----------
        guarantee : Guarantee
            Of any kind.
        deltas : sequence of float, optional
            Where epsilon is asked for, each in (0, 1): see ``usual_deltas``.
        floor : float
            Least error rate at which mu is promised, in (0, 0.5).

        Raises
        ------
        InvalidParameter
            If a delta or the floor lies outside its domain.
        """
        safe = guarantee.pessimistic
        asked = usual_deltas(safe.dataset_size) if deltas is None else deltas
        at = tuple(inside("delta", delta, 0.0, 1.0) for delta in asked)
        best, ask = safe.optimistic, Refusals()
        report, mu, regret = _mu(safe, floor, ask)
        advantage = ask.bracket("delta", 1.0, lambda: (best.advantage, safe.advantage))
        fixed = _fixed_point(safe, ask)
        epsilons, powers = _epsilons(safe, np.array(at), ask), _powers(safe, ask)
        return cls(safe, report, mu, regret, advantage, fixed, at, epsilons, powers, tuple(ask.found), float(floor))

    @property
    def mechanism(self) -> Mechanism | None:
        """What was accounted for, where that is known."""
        return self.guarantee.mechanism if isinstance(self.guarantee, ComposedGuarantee) else None

    @property
    def subject(self) -> str:
        """What the numbers are about, in code; a long decimal that is a fraction is written as one."""
        return in_short(repr(self.guarantee if self.mechanism is None else self.mechanism), self.dataset_size)

    @property
    def setting(self) -> str:
        """Which data sets are neighbours, and how the numbers are certified."""
        parts = () if self.mechanism is None else self.mechanism.parts
        sampled = "Poisson sampling, " if any(isinstance(step, PoissonSampled) for step, _ in parts) else ""
        one = "one record" if self.dataset_size is None else f"one record of {self.dataset_size}"
        return f"adjacency {self.guarantee.adjacency}, {sampled}{one}; method: {self.guarantee.method}"

    @property
    def dataset_size(self) -> int | None:
        """How many records there are, where that is known."""
        return self.guarantee.dataset_size

    @cached_property
    def headline(self) -> Headline:
        """The number to report, and why that one."""
        stated = self._stated
        if isinstance(stated, (RDP, ZCDP)):  # numbers that add up over releases, which a mu at a floor does not
            return headline(None, self.deltas, self.epsilons, stated=repr(stated))
        words = None if stated is None or isinstance(stated, GDP) else repr(stated)
        return headline(self.report, self.deltas, self.epsilons, self._pure, self.dataset_size, words)

    @property
    def _stated(self) -> Guarantee | None:
        """The promise that was given, where no law is known behind it."""
        if isinstance(self.guarantee, Given):
            return self.guarantee
        return self.mechanism.guarantee if isinstance(self.mechanism, Opaque) else None

    @property
    def pure(self) -> float | None:
        """The least epsilon at delta 0, where the loss has an end."""
        return None if self._pure is None else self._pure[0]

    @cached_property
    def _pure(self) -> tuple[float, float] | None:
        """The least epsilon at delta 0 with what stating it alone gives away, where the loss has an end."""
        end = self.guarantee.sides.forward.end
        if self.report is None or not math.isfinite(end):
            return None
        try:
            epsilon = float(self.guarantee.epsilon(0.0))
            told = epsilon <= LARGEST_EPSILON  # a larger one promises nothing, and is no guarantee
            return (epsilon, self.guarantee.regret(PureDP(epsilon))) if told else None
        except NotCertified:
            return None

    def __str__(self) -> str:
        return opened("showing.table", "written")(self)

    def __repr__(self) -> str:
        return f"<Summary: {self.headline.number}>"


def _mu(safe: Guarantee, floor: float, ask: Refusals) -> tuple[GDPReport | None, Interval, Interval | None]:
    try:
        report, lower = safe.gdp(floor), safe.optimistic.gdp(floor)
        return report, Interval(lower.mu, report.mu), Interval(lower.regret, report.regret)
    except NotCertified as wide:
        ask.found.append(wide)
        ends = (wide.lower, wide.upper) if wide.quantity.startswith("mu") else (0.0, math.inf)
        return None, Interval(*ends, wide.reason), None


def _fixed_point(safe: Guarantee, ask: Refusals) -> float | None:
    try:
        return safe.fixed_point
    except NotCertified as wide:
        ask.found.append(wide)
        return None


def _epsilons(safe: PessimisticGuarantee, deltas: FloatArray, ask: Refusals) -> tuple[Interval, ...]:
    """The brackets of epsilon; where one is refused, of all that is known of each, and which are too wide."""
    best = safe.optimistic
    try:
        return _joined(best.epsilon(deltas), safe.epsilon(deltas))
    except NotCertified as wide:
        ask.found.append(wide)
        allowed = safe.tolerance if isinstance(safe, ComposedGuarantee) else 0.0
        known = _joined(best.epsilon(deltas), safe.upper_epsilon(deltas))
        return tuple(
            one if one.upper - one.lower <= allowed * one.upper else replace(one, refused=wide.reason) for one in known
        )


def _powers(safe: PessimisticGuarantee, ask: Refusals) -> tuple[Interval, ...]:
    rates = np.array(FPR_TABLE)
    try:
        return _joined(safe.optimistic.roc(rates), safe.roc(rates))
    except NotCertified as wide:
        ask.found.append(wide)
        return tuple(Interval(rate, 1.0, wide.reason) for rate in FPR_TABLE)


def _joined(lower: FloatArray, upper: FloatArray) -> tuple[Interval, ...]:
    return tuple(Interval(float(a), float(b)) for a, b in zip(lower, upper, strict=True))
