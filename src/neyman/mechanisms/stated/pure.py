"""The worst mechanism that is epsilon-DP."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from neyman._validate import between
from neyman.losses.discrete.steps import RandomizedResponseStep
from neyman.mechanisms.additive.scale import LARGEST_LOSS
from neyman.mechanisms.stated.black_box import BlackBox
from neyman.mechanisms.stated.randomized_response import pure_law, pure_loss

__all__ = ["PureMechanism"]


@dataclass(frozen=True, slots=True, eq=False)
class PureMechanism(BlackBox):
    """A mechanism of which only epsilon-DP is known; accounted as the worst one, randomised response with two answers.

    Every epsilon-DP mechanism is a post-processing of that one (Kairouz, Oh and Viswanath 2017). Epsilon is
    the one that holds under the adjacency in use; sampled, it has no guarantee under adjacency "replace".

    Parameters
    ----------
    epsilon : float
        In [0, 700].

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import PureMechanism
    >>> PureMechanism(0.5) ** 3
    PureMechanism(epsilon=0.5) ** 3
    """

    kind: ClassVar[str] = "pure_mechanism"

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", between("epsilon", self.epsilon, 0.0, LARGEST_LOSS) + 0.0)  # no -0.0

    @property
    def law(self) -> Hashable:
        """That of two answers."""
        return pure_law(self.epsilon)

    def _pair(self, rate: float) -> RandomizedResponseStep:
        return pure_loss(self.epsilon, rate)
