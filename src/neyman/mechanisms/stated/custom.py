"""A mechanism given by the distribution functions of its privacy loss."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, reals
from neyman.losses.base import Step
from neyman.mechanisms.stated.black_box import BlackBox

__all__ = ["CustomLoss"]

Distribution = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class CustomLoss(BlackBox):
    """A pair of output laws P and Q known by the law of L = log dP/dQ, under the adjacency in use.

    What is certified rests on the two functions being right to float64: each value within 4 * 2^-53 of itself. Near 1
    that hides a tail: delta(eps) is known to about e^eps 1e-15 at best, and a tolerance that asks for more is refused.
    Two of these are equal when their functions are the same objects and their supports are equal. Sampled, it has no
    guarantee under adjacency "replace".

    Parameters
    ----------
    p_cdf, q_cdf : callable
        P(L <= x) and Q(L <= x), for an array of x.
    support : (float, float)
        Finite ends, low < high, that hold all values of L.

    Raises
    ------
    InvalidParameter
        If a function cannot be called or the support is no interval.

    Examples
    --------
    >>> import numpy as np
    >>> from neyman import CustomLoss
    >>> def p_cdf(x):  # randomised response with epsilon = 1
    ...     return np.where(x < -1.0, 0.0, np.where(x < 1.0, 1.0 / (1.0 + np.e), 1.0))
    >>> def q_cdf(x):
    ...     return np.where(x < -1.0, 0.0, np.where(x < 1.0, np.e / (1.0 + np.e), 1.0))
    >>> CustomLoss(p_cdf, q_cdf, support=(-1.0, 1.0)).support
    (-1.0, 1.0)
    """

    kind: ClassVar[str] = "custom_loss"

    p_cdf: Distribution
    q_cdf: Distribution
    support: tuple[float, float]

    def __post_init__(self) -> None:
        for name in ("p_cdf", "q_cdf"):
            if not callable(getattr(self, name)):
                raise InvalidParameter(name, getattr(self, name), "a function of an array")
        object.__setattr__(self, "support", _interval(self.support))

    @classmethod
    def from_log_densities(cls, log_p: Distribution, log_q: Distribution, support: tuple[float, float]) -> CustomLoss:
        """Return the same from log densities of L under P and under Q, smooth on ``support``: there log_p - log_q = L.

        Examples
        --------
        >>> import numpy as np
        >>> from neyman import CustomLoss, account
        >>> def log_p(x):  # the loss of a Gaussian mechanism with mu = 1, as far as nine deviations
        ...     return -0.5 * (x - 0.5) ** 2 - 0.5 * np.log(2.0 * np.pi)
        >>> loss = CustomLoss.from_log_densities(log_p, lambda x: log_p(x) - x, (-9.5, 9.5))
        >>> round(float(account(loss, tolerance=1e-3).delta(1.0)), 4)
        0.1269
        """
        from neyman.losses.custom.step import DistributionOfDensity

        for name, density in (("log_p", log_p), ("log_q", log_q)):
            if not callable(density):
                raise InvalidParameter(name, density, "a function of an array")
        low, high = _interval(support)
        x = np.linspace(low, high, 101)
        apart = float(np.max(np.abs(log_p(x) - log_q(x) - x)))
        if not apart <= 1e-9 * (1.0 + max(abs(low), abs(high))):
            raise InvalidParameter("log_q", apart, "log_p(x) - x at every x", "The value is the largest difference.")
        return cls(DistributionOfDensity(log_p, low, high), DistributionOfDensity(log_q, low, high), (low, high))

    @property
    def law(self) -> Hashable:
        """The kind, which functions they are, and the support."""
        return self.order

    @property
    def order(self) -> tuple[Any, ...]:
        """Sort key among steps: functions have no order but that of their identity."""
        return self.kind, self.support, id(self.p_cdf), id(self.q_cdf)

    def to_node(self) -> dict[str, object]:
        """Refuse: there is no dict form."""
        raise InvalidParameter(
            "mechanism", self, "made of numbers to become a dict",
            "A CustomLoss holds functions; a Tabulated of the same law can be written.",
        )  # fmt: skip

    def _pair(self, rate: float) -> Step:
        from neyman.losses.custom.step import CustomStep

        return CustomStep(self.p_cdf, self.q_cdf, *self.support, rate)


def _interval(value: object) -> tuple[float, float]:
    allowed = "two finite numbers (low, high) with low < high"
    try:
        ends = reals("support", value)
    except (InvalidParameter, ValueError):
        raise InvalidParameter("support", value, allowed) from None
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise InvalidParameter("support", value, allowed)
    return float(ends[0]), float(ends[1])
