"""Randomised response: the true answer, or one of the others."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from neyman._validate import between, whole
from neyman.losses.discrete.steps import RandomizedResponseStep
from neyman.mechanisms.additive.scale import LARGEST_LOSS
from neyman.mechanisms.stated.black_box import BlackBox

__all__ = ["RandomizedResponse", "pure_law", "pure_loss"]

MOST = 10**9  # answers among which one is chosen


@dataclass(frozen=True, slots=True, eq=False)
class RandomizedResponse(BlackBox):
    """One of k answers, the true one e^epsilon times as likely as each other (Warner 1965; Kairouz et al. 2016).

    Epsilon is the one that holds under the adjacency in use: the pair is the same for all of them. Sampled, it has no
    guarantee under adjacency "replace".

    Parameters
    ----------
    epsilon : float
        In [0, 700].
    k : int, default 2
        Number of possible answers, a whole number from 2 to 1e+9.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import PureMechanism, RandomizedResponse
    >>> RandomizedResponse(epsilon=1.0, k=4)
    RandomizedResponse(epsilon=1.0, k=4)
    >>> RandomizedResponse(epsilon=1.0) == PureMechanism(1.0)
    True
    """

    kind: ClassVar[str] = "randomized_response"

    epsilon: float
    k: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", between("epsilon", self.epsilon, 0.0, LARGEST_LOSS) + 0.0)  # no -0.0
        object.__setattr__(self, "k", whole("k", self.k, 2, MOST))

    @property
    def law(self) -> Hashable:
        """The kind and both numbers."""
        return self.kind, self.epsilon, self.k

    def _pair(self, rate: float) -> RandomizedResponseStep:
        return RandomizedResponseStep(self.epsilon, self.k, rate)


def pure_law(epsilon: float) -> Hashable:
    """Return the law of two answers, the worst that is epsilon-DP."""
    return RandomizedResponse.kind, epsilon, 2


def pure_loss(epsilon: float, rate: float) -> RandomizedResponseStep:
    """Return its loss."""
    return RandomizedResponseStep(epsilon, 2, rate)
