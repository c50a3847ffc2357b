"""Targets in the languages of the curve: a pair (epsilon, delta), mu and its regret, and what is given away to a
baseline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from neyman._errors import InvalidParameter
from neyman._validate import between, inside, positive
from neyman.calibration.gaussian_reading import mu_of_advantage, mu_of_delta
from neyman.calibration.limit import Limit, signed, sound
from neyman.calibration.target import promise
from neyman.guarantees import ComposedGuarantee, Guarantee, PessimisticGuarantee
from neyman.guarantees.given.pure import LARGEST_EPSILON
from neyman.guarantees.questions.regret import divergence
from neyman.quantities import QUANTITIES, Quantity
from neyman.quantities.places import At
from neyman.risk.attacked import promised

__all__ = ["Divergence", "Epsilon", "Mu", "Regret"]

_SHARP = 1e-9  # of the advantage: to which divergences are searched for
_LEAST_SHARP = 1e-13  # the same at least, absolute
_CLEARLY = 0.5  # of the width that a bracket may have


@dataclass(frozen=True)
class Epsilon(Limit):
    """(value, delta)-differential privacy: delta(value) is at most ``delta``.

    Parameters
    ----------
    value : float
        The largest epsilon, in (0, 700].
    delta : float
        In [0, 1); 0 asks for pure differential privacy, which no Gaussian noise has.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.targets.Epsilon(1.0, delta=0.0).met_by(ny.account(ny.Laplace(1.0)))
    True
    """

    quantity: ClassVar[str] = "epsilon"
    _vague: ClassVar[bool] = True
    value: float
    delta: float

    def __post_init__(self) -> None:
        advice = "Where epsilon is to be 0, delta is the advantage: Advantage(delta)."
        value = positive("value", self.value, advice)
        object.__setattr__(self, "value", between("value", value, 0.0, LARGEST_EPSILON))
        if not 0.0 <= between("delta", self.delta, 0.0, 1.0) < 1.0:
            raise InvalidParameter("delta", self.delta, "a number in [0, 1)", "Every mechanism meets delta = 1.")
        object.__setattr__(self, "delta", float(self.delta))

    @property
    def _asked(self) -> tuple[Quantity, At]:
        """delta(value), one evaluation of the profile; epsilon(0) where ``delta`` is 0."""
        if self.delta > 0.0:
            return QUANTITIES["delta"], (self.value,)
        return QUANTITIES["epsilon"], (0.0,)

    def told_by(self, guarantee: PessimisticGuarantee) -> bool:
        """Whether it hands out epsilon(delta), as it does where delta(value) is narrower than it has to be."""
        if self.delta > 0.0 and isinstance(guarantee, ComposedGuarantee):
            low, high = (sound(lambda: side.delta(self.value)) for side in (guarantee.optimistic, guarantee))  # noqa: B023
            if high - low <= _CLEARLY * guarantee.tolerance * high:
                return True
        return super().told_by(guarantee)

    @property
    def aside(self) -> tuple[str, float] | None:
        """delta(value)."""
        return ("delta", self.value) if self.delta > 0.0 else None

    @property
    def limit(self) -> float:
        """``delta``; ``value`` where that is 0."""
        return self.delta if self.delta > 0.0 else self.value

    def reading(self, number: float) -> float:
        """The mu of the same pair; of pure privacy epsilon itself."""
        if self.delta == 0.0:
            return number
        return mu_of_delta(math.log(number), self.value) if number > 0.0 else 0.0


@dataclass(frozen=True)
class Mu(Limit):
    """mu-Gaussian differential privacy wherever both error rates are ``floor`` or more: mu(floor) is at most ``value``.

    Parameters
    ----------
    value : float
        The largest mu, finite and > 0.
    floor : float
        In (0, 0.5).

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> target = ny.targets.Mu(1.0)
    >>> target.met_by(ny.account(ny.Gaussian(1.0))), target.met_by(ny.account(ny.Gaussian(0.99)))
    (True, False)
    """

    quantity: ClassVar[str] = "mu"
    _vague: ClassVar[bool] = True
    value: float
    floor: float = 1e-10

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", positive("value", self.value))
        object.__setattr__(self, "floor", inside("floor", self.floor, 0.0, 0.5))

    @property
    def aside(self) -> tuple[str, float]:
        """The local mu at the floor: usually the largest."""
        return "local mu", self.floor

    def excess_beside(self, guarantee: PessimisticGuarantee, near: PessimisticGuarantee) -> float:
        """By the place where mu of ``near`` is attained."""
        number = guarantee.least_mu_beside(self.floor, near)
        return signed(self.holds(number), self.reading(number), self.gaussian_mu)

    def reading(self, number: float) -> float:
        """Itself."""
        return number


@dataclass(frozen=True)
class Regret(Limit):
    """mu alone overstates what attackers can do by ``value`` at most: Delta(f || G_mu) at mu(floor) is at most that.

    Parameters
    ----------
    value : float
        The largest regret, in Bayes error, in (0, 0.5). Below 0.01, mu is practically the whole story.
    floor : float
        Of mu, in (0, 0.5).

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Notes
    -----
    Gomez et al., Gaussian DP for reporting differential privacy guarantees in machine learning, Section 2.5. Regret is
    small where hardly anything is told, and again where nearly everything is: it is not monotone in noise, steps or
    rate. What ``calibrate``, ``noise_for_dpsgd`` and ``rate_for_dpsgd`` return is therefore a parameter that certainly
    meets it beside one that certainly misses it, and no more: they go in steps from where so little is told that no
    regret could be larger toward where more is, and stop at the first that misses it; farther on it may be met again.
    Where no step misses it, they refuse and say what was tried. To keep a budget as well, join it: ``Epsilon(8.0, 1e-5)
    & Regret(0.01)``; ``steps_for_dpsgd`` takes it in no other way, and returns the most steps that keep the rest of it,
    where they keep the regret, too.

    Examples
    --------
    >>> import neyman as ny
    >>> target = ny.targets.Regret(0.01)
    >>> target.met_by(ny.account(ny.DPSGD(2.0, 0.1, 1000))), target.missed_by(ny.account(ny.Laplace(1.0)))
    (True, True)
    >>> found = ny.noise_for_dpsgd(ny.targets.Regret(0.01), sample_rate=0.1, steps=400)
    >>> found.guarantee.gdp().regret <= 0.01
    True
    """

    quantity: ClassVar[str] = "regret"
    ordered: ClassVar[bool] = False
    value: float
    floor: float = 1e-10

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", inside("value", self.value, 0.0, 0.5))
        object.__setattr__(self, "floor", inside("floor", self.floor, 0.0, 0.5))

    def reading(self, number: float) -> float:
        """The mu up to which no regret is larger: Delta(perfect privacy || G_mu) is half its advantage."""
        return mu_of_advantage(min(2.0 * number, 1.0))


@dataclass(frozen=True, init=False)
class Divergence(Limit):
    """Delta(baseline || guarantee) is at most ``value``: so much is given away, in the attacker's Bayes error, at most.

    Parameters
    ----------
    value : float
        In (0, 0.5): see ``compare``.
    baseline : Guarantee
        What it is compared with, for the same neighbours. ``baseline_guarantee``, its former name, is still taken.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain, or a guarantee is of other neighbours than the baseline.

    Examples
    --------
    >>> import neyman as ny
    >>> a, b = ny.GDP(1.0), ny.GDP(1.05)
    >>> ny.targets.Divergence(0.01, baseline=a).met_by(b), ny.compare(a, b).divergence < 0.01
    (True, True)
    """

    quantity: ClassVar[str] = "reverse"
    value: float
    baseline: Guarantee

    def __init__(
        self, value: float, baseline: Guarantee | None = None, *, baseline_guarantee: Guarantee | None = None
    ) -> None:
        object.__setattr__(self, "value", inside("value", value, 0.0, 0.5))
        if baseline is not None and baseline_guarantee is not None:
            raise InvalidParameter(
                "baseline_guarantee", baseline_guarantee, "left out", "It is the baseline's old name."
            )
        base = baseline if baseline_guarantee is None else baseline_guarantee
        try:
            object.__setattr__(self, "baseline", promise(base))
        except InvalidParameter as error:
            of = repr(base) if isinstance(base, str) else "m"
            advice = f"{error.advice} Write: ny.targets.Divergence({value!r}, ny.account({of}))"
            raise InvalidParameter("baseline", error.value, error.allowed, advice, topic="target") from None

    @property
    def baseline_guarantee(self) -> Guarantee:
        """The baseline, by its former name."""
        return self.baseline

    @property
    def label(self) -> str:
        """What the number is."""
        return "divergence from the baseline"

    def number(self, side: Guarantee) -> float:
        """The divergence."""
        base = self.baseline
        if side.adjacency != base.adjacency:
            raise InvalidParameter("baseline", base.adjacency, f"a guarantee for {side.adjacency!r}")
        found = divergence(base.sides, side.sides, self._sharp)
        return found.upper if promised(side) else found.lower

    def reading(self, number: float) -> float:
        """The mu whose advantage exceeds the baseline's by twice the divergence, as it would at a prior of 1/2."""
        return mu_of_advantage(min(self._advantage + 2.0 * number, 1.0))

    def excess(self, side: Guarantee) -> float:
        """Where next to nothing is given away, the advantage tells how far it is from where something is."""
        number = self.number(side)
        mu = self.reading(number)
        if number <= 8.0 * self._sharp:
            mu = min(mu, mu_of_advantage(sound(lambda: side.advantage)))
        return signed(self.holds(number), mu, self.gaussian_mu)

    @property
    def _sharp(self) -> float:
        return max(_SHARP * self._advantage, _LEAST_SHARP)

    @cached_property
    def _advantage(self) -> float:
        return sound(lambda: self.baseline.advantage)
