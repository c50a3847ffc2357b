"""The Laplace mechanism: add two-sided exponential noise to a query."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from neyman._validate import positive
from neyman.losses.laplace.step import LaplaceStep
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.mechanisms.additive.scale import LARGEST_LOSS, noise
from neyman.mechanisms.sampled.unsampled import Unsampled

__all__ = ["Laplace", "laplace_noise"]

WIDEST = 1e15  # scale over sensitivity at most


@dataclass(frozen=True, slots=True, eq=False)
class Laplace(Unsampled):
    """A number of given sensitivity released with Laplace noise, of density e^{-|x| / scale} / (2 scale).

    It is epsilon-DP with epsilon = sensitivity / scale (Dwork, McSherry, Nissim and Smith 2006). A vector with fresh
    noise on each coordinate and its sensitivity in the L1 norm is no worse: move one coordinate after the other, and
    the trade-off curves concatenate to that of one long shift, the noise being log-concave. For a SAMPLED vector under
    adjacency "replace" no proof is known.

    Parameters
    ----------
    scale : float
        Scale of the noise (its mean absolute value), finite, > 0 and between 1/700 and 1e+15 times the sensitivity.
    sensitivity : float, default 1.0
        The largest change when ONE record is added or removed; finite, > 0. When a record is replaced the query moves
        by up to twice this.

    Raises
    ------
    InvalidParameter
        If a number is outside its domain.

    Examples
    --------
    >>> from neyman import Laplace
    >>> Laplace(scale=4.0, sensitivity=2.0) == Laplace(scale=2.0)
    True
    """

    kind: ClassVar[str] = "laplace"

    scale: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        sensitivity = positive("sensitivity", self.sensitivity)
        object.__setattr__(self, "scale", laplace_noise("scale", self.scale, sensitivity))
        object.__setattr__(self, "sensitivity", sensitivity)

    @property
    def law(self) -> Hashable:
        """The kind and the exact ratio of scale to sensitivity."""
        return self.kind, Fraction(self.scale) / Fraction(self.sensitivity)

    def loss_at(self, rate: float, replace: bool) -> LaplaceStep:
        """Return the loss, the scale rounded down, beside the scale rounded up."""
        exact = Fraction(self.scale) / Fraction(self.sensitivity)
        scale, widest = at_most(exact), at_least(exact)
        if rate < 1.0:
            return LaplaceStep(scale, rate, replace, widest)
        half = 0.5 if replace else 1.0
        return LaplaceStep(half * scale, widest=half * widest)


def laplace_noise(name: str, value: object, sensitivity: float = 1.0) -> float:
    """Return a scale whose ratio to the sensitivity the engines can hold."""
    return noise(name, value, sensitivity, 1.0 / LARGEST_LOSS, WIDEST)
