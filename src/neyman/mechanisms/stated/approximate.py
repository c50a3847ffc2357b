"""The worst mechanism that is (epsilon, delta)-DP."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from neyman._errors import InvalidParameter
from neyman._validate import between, probability
from neyman.losses.base import Step
from neyman.losses.discrete.steps import ApproximateStep
from neyman.mechanisms.additive.scale import LARGEST_LOSS
from neyman.mechanisms.stated.black_box import BlackBox
from neyman.mechanisms.stated.randomized_response import pure_law, pure_loss

__all__ = ["ApproximateMechanism"]


@dataclass(frozen=True, slots=True, eq=False)
class ApproximateMechanism(BlackBox):
    """A mechanism of which only (epsilon, delta)-DP is known; accounted as the worst one.

    With probability delta the record is revealed, otherwise randomised response with two answers: every
    (epsilon, delta)-DP mechanism is a post-processing of that (Kairouz, Oh and Viswanath 2017). Both numbers
    are those that hold under the adjacency in use; sampled, it has no guarantee under adjacency "replace".

    Parameters
    ----------
    epsilon : float
        In [0, 700].
    delta : float
        In [0, 1); with 0 it is ``PureMechanism(epsilon)``.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import ApproximateMechanism, PureMechanism
    >>> ApproximateMechanism(epsilon=0.1, delta=1e-9)
    ApproximateMechanism(epsilon=0.1, delta=1e-09)
    >>> ApproximateMechanism(0.1, 0.0) == PureMechanism(0.1)
    True
    """

    kind: ClassVar[str] = "approximate_mechanism"

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        delta = probability("delta", self.delta)
        if not delta < 1.0:
            raise InvalidParameter("delta", self.delta, "a number in [0, 1)", "At 1 everything may be revealed.")
        object.__setattr__(self, "epsilon", between("epsilon", self.epsilon, 0.0, LARGEST_LOSS) + 0.0)  # no -0.0
        object.__setattr__(self, "delta", delta + 0.0)

    @property
    def law(self) -> Hashable:
        """The kind and both numbers, or that of two answers."""
        return (self.kind, self.epsilon, self.delta) if self.delta else pure_law(self.epsilon)

    def _pair(self, rate: float) -> Step:
        return ApproximateStep(self.epsilon, self.delta, rate) if self.delta else pure_loss(self.epsilon, rate)
