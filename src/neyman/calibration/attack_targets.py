"""Targets in the language of attacks: what they may achieve at most, as ``neyman.risk`` bounds it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from neyman._errors import InvalidParameter
from neyman._validate import between, inside
from neyman.calibration.gaussian_reading import mu_of_advantage, mu_of_bayes_error, mu_of_power
from neyman.calibration.limit import Limit

__all__ = ["TPR", "Advantage", "BayesError", "Posterior", "Reconstruction"]


def _within(name: str, value: object, low: float, high: float, advice: str = "") -> float:
    """A number strictly between two that the message shows in full."""
    number = inside(name, value, 0.0, 1.0)
    if not low < number < high:
        raise InvalidParameter(name, value, f"a number in ({low!r}, {high!r})", advice)
    return number


@dataclass(frozen=True)
class Advantage(Limit):
    """A membership attack's true less false positive rate is at most ``value``: see ``risk.advantage``.

    Parameters
    ----------
    value : float
        In (0, 1).

    Raises
    ------
    InvalidParameter
        If it lies outside.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.targets.Advantage(0.5).met_by(ny.PureDP(1.0))
    True
    """

    quantity: ClassVar[str] = "advantage"
    _vague: ClassVar[bool] = True
    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", inside("value", self.value, 0.0, 1.0))

    @property
    def aside(self) -> tuple[str, float]:
        """delta(0), which it is."""
        return "delta", 0.0

    def reading(self, number: float) -> float:
        """The mu of the same advantage."""
        return mu_of_advantage(number)


@dataclass(frozen=True)
class TPR(Limit):
    """A membership attack that wrongly accuses with probability ``fpr`` rightly accuses with ``value`` at most.

    Parameters
    ----------
    value : float
        The largest true positive rate, in (fpr, 1).
    fpr : float
        The false positive rate, in (0, 1): see ``risk.tpr``.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.targets.TPR(0.5, fpr=0.01).met_by(ny.GDP(2.3)), ny.targets.TPR(0.5, fpr=0.01).met_by(ny.GDP(2.4))
    (True, False)
    """

    quantity: ClassVar[str] = "tpr"
    value: float
    fpr: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "fpr", inside("fpr", self.fpr, 0.0, 1.0))
        advice = "Any attack reaches its false positive rate."
        object.__setattr__(self, "value", _within("value", self.value, self.fpr, 1.0, advice))

    @property
    def aside(self) -> tuple[str, float]:
        """The local mu there, which says the same."""
        return "local mu", self.fpr

    def reading(self, number: float) -> float:
        """The mu of the same power."""
        return mu_of_power(number, self.fpr)


@dataclass(frozen=True)
class Reconstruction(Limit):
    """What is reconstructed with chance ``baseline`` without the output is so with ``success`` at most given it.

    Parameters
    ----------
    success : float
        The largest chance given the output, in (baseline, 1).
    baseline : float
        The chance without it, in (0, 1): see ``risk.reconstruction``.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.targets.Reconstruction(0.3, baseline=0.1).met_by(ny.GDP(0.7))
    True
    """

    quantity: ClassVar[str] = "reconstruction"
    success: float
    baseline: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "baseline", inside("baseline", self.baseline, 0.0, 1.0))
        advice = "Nothing keeps success below its baseline."
        object.__setattr__(self, "success", _within("success", self.success, self.baseline, 1.0, advice))

    @property
    def aside(self) -> tuple[str, float]:
        """The local mu there, which says the same."""
        return "local mu", self.baseline

    def reading(self, number: float) -> float:
        """The mu of the same power."""
        return mu_of_power(number, self.baseline)


@dataclass(frozen=True)
class BayesError(Limit):
    """The best guess whether a record was used errs with probability ``value`` at least.

    Parameters
    ----------
    value : float
        The least error, in (0, min(prior, 1 - prior)).
    prior : float
        P(record ABSENT), in (0, 1): see ``risk.bayes_error``.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.targets.BayesError(0.3, prior=0.5).met_by(ny.GDP(1.0))
    True
    """

    quantity: ClassVar[str] = "bayes_error"
    value: float
    prior: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", inside("prior", self.prior, 0.0, 1.0))
        least = min(self.prior, 1.0 - self.prior) * (1.0 - 1e-12)  # nearer, rounding alone decides
        advice = "Always saying the likelier errs no more often."
        object.__setattr__(self, "value", _within("value", self.value, 0.0, least, advice))

    @property
    def aside(self) -> tuple[str, float]:
        """delta where the slope is the odds of the prior; that of 1 - prior has the same error, both directions being
        asked.
        """
        return "delta", abs(math.log(self.prior) - math.log1p(-self.prior))

    def of_delta(self, delta: float) -> float:
        """The error."""
        return min(self.prior, 1.0 - self.prior) * (1.0 - delta)

    def reading(self, number: float) -> float:
        """The mu of the same error."""
        return mu_of_bayes_error(number, self.prior)


@dataclass(frozen=True)
class Posterior(Limit):
    """Of the people whom an attack accuses, a share of ``value`` at most had their record used.

    Parameters
    ----------
    value : float
        The largest posterior: above the prior, and below what accusing everyone who was used would give.
    membership_prior : float
        P(record PRESENT), in (0, 1).
    fpr : float
        The attack accuses at least so many of those whose record was left out, in [0, 1): see ``risk.posterior``. At 0,
        any attack whatever.

    Raises
    ------
    InvalidParameter
        If a number lies outside its domain.

    Examples
    --------
    >>> import neyman as ny
    >>> ny.targets.Posterior(0.9, membership_prior=0.5, fpr=0.01).missed_by(ny.GDP(1.0))
    True
    """

    quantity: ClassVar[str] = "posterior"
    value: float
    membership_prior: float
    fpr: float

    def __post_init__(self) -> None:
        prior = inside("membership_prior", self.membership_prior, 0.0, 1.0)
        if not between("fpr", self.fpr, 0.0, 1.0) < 1.0:
            raise InvalidParameter("fpr", self.fpr, "a number in [0, 1)")
        fpr = float(self.fpr)
        most = prior / (prior + (1.0 - prior) * fpr)  # everyone is accused whose record was used
        advice = "Below lies the prior, which any attack reaches; above, what every mechanism meets."
        object.__setattr__(self, "value", _within("value", self.value, prior, most, advice))
        object.__setattr__(self, "membership_prior", prior)
        object.__setattr__(self, "fpr", fpr)

    @property
    def aside(self) -> tuple[str, float] | None:
        """The local mu at the false positive rate, which says the same."""
        return ("local mu", self.fpr) if self.fpr > 0.0 else None

    def reading(self, number: float) -> float:
        """The mu of the power behind it; at a false positive rate of 0 the epsilon."""
        if number >= 1.0:
            return math.inf
        odds = number / (1.0 - number) * ((1.0 - self.membership_prior) / self.membership_prior)
        return mu_of_power(odds * self.fpr, self.fpr) if self.fpr > 0.0 else math.log(max(odds, 1.0))
