"""The discrete Laplace (geometric) mechanism: add two-sided geometric noise to a count."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from neyman._validate import whole
from neyman.losses.discrete.steps import DiscreteLaplaceStep
from neyman.mechanisms.additive.scale import LARGEST_LOSS, noise
from neyman.mechanisms.sampled.unsampled import Unsampled

__all__ = ["DiscreteLaplace", "discrete_laplace_noise"]

WIDEST = 1e15  # scale over sensitivity at most
FURTHEST = 10**6  # the losses between two centres are listed one by one


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteLaplace(Unsampled):
    """A whole number released with noise of mass proportional to e^{-|x| / scale} on the integers.

    It is epsilon-DP with epsilon = sensitivity / scale (Ghosh, Roughgarden and Sundararajan 2012). For vectors see
    ``Laplace``.

    Parameters
    ----------
    scale : float
        Scale of the noise, finite, > 0 and between 1/700 and 1e+15 times the sensitivity.
    sensitivity : int, default 1
        The largest change when ONE record is added or removed, a whole number from 1 to 1e+6. When a record is replaced
        the query moves by up to twice this.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import DiscreteLaplace
    >>> DiscreteLaplace(scale=2.0)
    DiscreteLaplace(scale=2.0, sensitivity=1)
    """

    kind: ClassVar[str] = "discrete_laplace"

    scale: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        sensitivity = whole("sensitivity", self.sensitivity, 1, FURTHEST)
        object.__setattr__(self, "scale", discrete_laplace_noise("scale", self.scale, sensitivity))
        object.__setattr__(self, "sensitivity", sensitivity)

    @property
    def law(self) -> Hashable:
        """The kind and both numbers: on the integers there is no other spelling."""
        return self.kind, self.scale, self.sensitivity

    def loss_at(self, rate: float, replace: bool) -> DiscreteLaplaceStep:
        """Return the loss."""
        if rate < 1.0:
            return DiscreteLaplaceStep(self.scale, self.sensitivity, rate, two_sided=replace)
        return DiscreteLaplaceStep(self.scale, self.sensitivity * (2 if replace else 1))


def discrete_laplace_noise(name: str, value: object, sensitivity: int = 1) -> float:
    """Return a scale whose ratio to the sensitivity the engines can hold."""
    return noise(name, value, sensitivity, 1.0 / LARGEST_LOSS, WIDEST)
