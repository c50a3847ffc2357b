"""Losses that are discrete: each step names a law, ``table()`` lists its outcomes."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from neyman.losses.base import Step
from neyman.numerics.rounding import UNIT

if TYPE_CHECKING:
    from neyman.losses.readings.bins import GridLaw
    from neyman.losses.readings.outcomes import Outcomes
    from neyman.losses.readings.powers import PowerLaw
    from neyman.losses.readings.transform import Transform

__all__ = [
    "ApproximateStep",
    "DiscreteGaussianStep",
    "DiscreteLaplaceStep",
    "DiscreteNoiseStep",
    "DiscreteStep",
    "RandomizedResponseStep",
    "TabulatedStep",
]


_KEPT = 128.0  # width of a law whose list of outcomes is short enough to be kept


class DiscreteStep(Step):
    """A step with countably many outcomes."""

    __slots__ = ()

    rate: float  # with which a record takes part

    @property
    def symmetric(self) -> bool:
        """Unless a record may stay out of it."""
        return self.rate == 1.0

    @abstractmethod
    def _outcomes(self) -> Outcomes:
        """The outcomes."""

    def table(self) -> Outcomes:
        """The outcomes, with their masses under P and Q.

        Raises
        ------
        NotCertified
            If these do not sum to 1, within the error they state.
        """
        return self._outcomes().weighed(self)

    def within(self, other: Step) -> bool:
        """At a smaller rate, unless more is known."""
        if not isinstance(other, type(self)):
            return False
        return self.rate <= other.rate and self == replace(cast("Any", other), rate=self.rate)

    @property
    def tail_mu(self) -> float:
        """The largest mu at a vertex of the trade-off curve."""
        from neyman.losses.discrete.tail_mu import outcomes_mu

        return outcomes_mu(self.table())

    def transform(self) -> Transform:
        from neyman.losses.discrete.transform import DiscreteTransform

        return DiscreteTransform(self.table().whole()[0])

    def bins(self) -> GridLaw:
        from neyman.losses.discrete.bins import DiscreteGrid

        return DiscreteGrid(self.table().whole()[0])

    def powers(self) -> tuple[PowerLaw, PowerLaw]:
        from neyman.losses.discrete.powers import listed_powers

        law = listed_powers(self.table())
        return law, law

    def largest_loss(self, remove: bool) -> float:
        table = self.table()
        if table.infinite[0 if remove else 1] > 0.0 or table.dropped > 0.0:
            return math.inf
        last = float(table.loss[-1] if remove else -table.loss[0]) if len(table.loss) else 0.0
        return max(last + table.slack + table.stretch * abs(last), 0.0) * (1.0 + 4.0 * UNIT)


class DiscreteNoiseStep(DiscreteStep):
    """Whole-number noise, which also knows a record exchanged for another."""

    __slots__ = ()

    two_sided: bool

    @property
    def symmetric(self) -> bool:
        """Unless a record may stay out of it; exchanged, it is one of each."""
        return self.rate == 1.0 or self.two_sided

    @property
    @abstractmethod
    def _width(self) -> float:
        """Of the noise and what it hides: there are at most some hundred times as many outcomes."""

    def table(self) -> Outcomes:
        return _told(self) if self._width <= _KEPT else super().table()


@lru_cache(maxsize=32)
def _told(step: DiscreteNoiseStep) -> Outcomes:
    """The table of a step, which the rules of a composition ask for again and again; nobody may write into it."""
    table = DiscreteStep.table(step)
    for array in (table.loss, table.log_q, table.place):
        if array is not None:
            array.flags.writeable = False
    return table


@dataclass(frozen=True, slots=True)
class DiscreteGaussianStep(DiscreteNoiseStep):
    """Integers x with mass proportional to e^{-(x - m)^2 / (2 sigma^2)}, m = ``shift`` against m = 0.

    With ``rate`` < 1 the shifted law is mixed with that of m = 0; with ``two_sided`` the other side is mixed with that
    of m = -``shift``.

    Examples
    --------
    >>> DiscreteGaussianStep(sigma=2.0, shift=1).table().unit
    0.25
    """

    sigma: float
    shift: int
    rate: float = 1.0
    two_sided: bool = False

    @property
    def tail_mu(self) -> float:
        """Of the mechanism when it is not sampled."""
        from neyman.losses.discrete.tail_mu import discrete_gaussian_mu

        return discrete_gaussian_mu(self.sigma, 2 * self.shift if self.two_sided else self.shift)

    def transform(self) -> Transform:
        from neyman.losses.discrete.theta_transform import DiscreteGaussianTransform
        from neyman.losses.discrete.transform import DiscreteTransform

        if self.rate == 1.0 and DiscreteGaussianTransform.serves(self.sigma):
            return DiscreteGaussianTransform(self.sigma, self.shift)
        return DiscreteTransform(self.table().whole()[0])

    def powers(self) -> tuple[PowerLaw, PowerLaw]:
        from neyman.losses.discrete.powers import powers_on_integers

        law = powers_on_integers(self.sigma, self.shift, self.rate, self.two_sided)
        return law, law

    @property
    def _width(self) -> float:
        return self.sigma + self.shift

    def _outcomes(self) -> Outcomes:
        """The outcomes, as far as either mass is a float."""
        from neyman.losses.readings.outcomes import discrete_gaussian

        return discrete_gaussian(self.sigma, self.shift, self.rate, self.two_sided)


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceStep(DiscreteNoiseStep):
    """Integers x with mass proportional to e^{-|x - m| / scale}, m = ``shift`` against m = 0; sampled as above.

    Examples
    --------
    >>> DiscreteLaplaceStep(scale=2.0, shift=1).table().loss
    array([-0.5,  0.5])
    """

    scale: float
    shift: int
    rate: float = 1.0
    two_sided: bool = False

    def within(self, other: Step) -> bool:
        """Wider, as for ``LaplaceStep``, or at a smaller rate."""
        if not isinstance(other, DiscreteLaplaceStep):
            return False
        alike = self.shift == other.shift and self.two_sided == other.two_sided
        return alike and self.scale >= other.scale and self.rate <= other.rate

    @property
    def _width(self) -> float:
        return self.scale + self.shift

    def _outcomes(self) -> Outcomes:
        """The outcomes, equal losses together."""
        from neyman.losses.readings.outcomes import discrete_laplace

        return discrete_laplace(self.scale, self.shift, self.rate, self.two_sided)


@dataclass(frozen=True, slots=True)
class RandomizedResponseStep(DiscreteStep):
    """The true one of k answers e^epsilon times as likely as each other; sampled as above.

    Examples
    --------
    >>> RandomizedResponseStep(epsilon=1.0, k=2).table().loss
    array([-1.,  1.])
    """

    epsilon: float
    k: int = 2
    rate: float = 1.0

    def within(self, other: Step) -> bool:
        """A smaller epsilon, of as many answers or of two, which are the worst; or a smaller rate."""
        if not isinstance(other, RandomizedResponseStep) or other.k not in (2, self.k):
            return False
        return self.epsilon <= other.epsilon and self.rate <= other.rate

    def _outcomes(self) -> Outcomes:
        """Two outcomes, and a third that says nothing where k > 2."""
        from neyman.losses.readings.outcomes import k_ary

        return k_ary(self.epsilon, self.k, 0.0).sampled(self.rate)


@dataclass(frozen=True, slots=True)
class ApproximateStep(DiscreteStep):
    """With probability ``delta`` the record is revealed, else randomised response; sampled as above.

    Examples
    --------
    >>> ApproximateStep(epsilon=1.0, delta=1e-6).table().infinite
    (1e-06, 1e-06)
    """

    epsilon: float
    delta: float
    rate: float = 1.0

    def within(self, other: Step) -> bool:
        """A smaller epsilon, delta or rate."""
        if not isinstance(other, ApproximateStep):
            return False
        return self.epsilon <= other.epsilon and self.delta <= other.delta and self.rate <= other.rate

    def _outcomes(self) -> Outcomes:
        """Two finite outcomes and two infinite ones."""
        from neyman.losses.readings.outcomes import k_ary

        return k_ary(self.epsilon, 2, self.delta).sampled(self.rate)


@dataclass(frozen=True, slots=True)
class TabulatedStep(DiscreteStep):
    """Any two laws on the same finite set; sampled as above.

    Examples
    --------
    >>> TabulatedStep(p=(0.75, 0.25), q=(0.25, 0.75)).table().log_q.round(4)
    array([-0.2877, -1.3863])
    """

    p: tuple[float, ...]
    q: tuple[float, ...]
    rate: float = 1.0

    @property
    def symmetric(self) -> bool:
        return False

    def _outcomes(self) -> Outcomes:
        """The outcomes, equal losses together."""
        from neyman.losses.readings.outcomes import worst_of

        return worst_of(self.p, self.q).sampled(self.rate)
