"""What an audit found, of whatever kind: the few questions that a verdict asks of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from neyman._upward import Carded
from neyman._validate import FloatArray, unit_interval
from neyman.guarantees import Guarantee

__all__ = ["Evidence", "Needed", "OperatingPoint", "one_by_one"]


def one_by_one(asked: FloatArray, answer: Callable[[float], float]) -> float | FloatArray:
    """Return the ``answer`` at each number, in their shape; a float for one alone."""
    found = [answer(one) for one in asked.ravel().tolist()]
    return found[0] if asked.ndim == 0 else np.array(found).reshape(asked.shape)


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Where a claim is refuted, or comes nearest to it.

    Attributes
    ----------
    description : str
        What was seen there and what the claim allows, as a clause that ends a sentence; its numbers are rounded so that
        they stay true.
    threshold : float or None
        Of the scores, where the evidence is about scores; the record is said to be in where the score is larger.
    alpha, beta : float or None
        The observed false positive rate (of records that are out) and false negative rate (of those that are in).
    alpha_upper, beta_upper : float or None
        Their certified upper bounds. They refute a trade-off function f where ``beta_upper < f(alpha_upper)``.
    allowed : float or None
        f(alpha_upper), the least false negative rate that the claim allows at ``alpha_upper``.
    """

    description: str
    threshold: float | None = None
    alpha: float | None = None
    beta: float | None = None
    alpha_upper: float | None = None
    beta_upper: float | None = None
    allowed: float | None = None


@dataclass(frozen=True, slots=True)
class Needed:
    """About how many canaries a side an audit of the same kind needs to reach ``share`` of the claimed mu.

    Attributes
    ----------
    share : float
        Which part of the claimed mu the certified lower bound is to reach, in (0, 1).
    strongest : int or None
        If the attack is as strong as the claim allows. None where more than 10^12 would be needed.
    observed : int or None
        With the attack as observed. None where it is too weak ever to get there.
    """

    share: float
    strongest: int | None
    observed: int | None


class Evidence(Carded, ABC):
    """A certified lower bound on what a mechanism leaks, from attacks on it.

    With probability at least ``confidence`` over the attack's randomness, every bound below is true at once.
    """

    @property
    @abstractmethod
    def confidence(self) -> float:
        """The probability, in (0, 1), with which the bounds hold."""

    @property
    @abstractmethod
    def method(self) -> str:
        """How the bounds are certified, in words."""

    @property
    @abstractmethod
    def canaries(self) -> int:
        """How many scores (or guesses) the evidence rests on, both sides together."""

    @property
    @abstractmethod
    def mu(self) -> float:
        """A lower bound on mu, >= 0, rounded down; 0 where nothing better than guessing is proved."""

    @property
    @abstractmethod
    def advantage(self) -> float:
        """A lower bound on the best membership advantage TPR - FPR, in [0, 1], rounded down."""

    @overload
    def epsilon(self, delta: float) -> float: ...
    @overload
    def epsilon(self, delta: Sequence[Any] | NDArray[Any]) -> FloatArray: ...
    def epsilon(self, delta: float | Sequence[Any] | NDArray[Any]) -> float | FloatArray:
        """Return a lower bound on epsilon at ``delta``, >= 0, rounded down; from both directions of the test.

        Parameters
        ----------
        delta : float or array
            In [0, 1].

        Raises
        ------
        InvalidParameter
            If ``delta`` lies outside [0, 1].
        """
        return one_by_one(unit_interval("delta", delta), self._epsilon)

    @abstractmethod
    def _epsilon(self, delta: float) -> float:
        """``epsilon`` at one delta in [0, 1]."""

    @abstractmethod
    def p_value(self, claim: Guarantee) -> float:
        """Return a valid p-value, in [0, 1], of the hypothesis that ``claim`` holds, rounded up.

        Where ``claim`` holds, it is at most p with probability at most p. For bands that hold at every threshold at
        once it is the least error probability at which they refute the claim.

        Parameters
        ----------
        claim : Guarantee
            As it is stated; tests whose null hypothesis is that the record is absent read it through
            ``neyman.risk.attacked.membership``.
        """

    @abstractmethod
    def operating_point(self, claim: Guarantee) -> OperatingPoint:
        """Return where ``claim`` is refuted, or comes nearest to it."""

    def needed(self, claim: Guarantee, share: float = 0.9) -> Needed | None:
        """Return how many canaries a side would be needed to reach ``share`` of the claimed mu.

        None where the evidence does not plan.
        """
        return None
