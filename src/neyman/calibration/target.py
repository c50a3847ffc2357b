"""Target: what a guarantee is asked to keep within, and when it certainly does or certainly does not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from neyman._errors import InvalidParameter
from neyman.guarantees import Guarantee, OptimisticGuarantee

if TYPE_CHECKING:
    from neyman.calibration.limit import Limit

__all__ = ["Target", "promise"]


class Target(ABC):
    """A limit that a guarantee meets or misses; ``t1 & t2`` asks for both.

    A target is met when the certified number, on the safe side, keeps within the limit, and missed when the number of
    the guarantee's ``optimistic`` twin, from the other side, does not. Where the limit lies between the two it is
    neither.
    """

    @property
    @abstractmethod
    def parts(self) -> tuple[Limit, ...]:
        """The limits that it is made of."""

    @property
    @abstractmethod
    def gaussian_mu(self) -> float:
        """The mu of the Gaussian mechanism that would just meet it (approximate)."""

    @abstractmethod
    def excess(self, side: Guarantee) -> float:
        """Return how far over the limit the number of ``side`` is, in log mu; its sign is exact: met up to 0.

        Of a guarantee it is the certified excess, of its ``optimistic`` twin that from the other side. The scale is
        that of a Gaussian mechanism with the same number (approximate), on which noise, steps and rates are nearly
        straight.
        """

    def met_by(self, guarantee: Guarantee) -> bool:
        """Whether the guarantee certainly meets this target.

        Raises
        ------
        InvalidParameter
            If ``guarantee`` is none.
        """
        return self.excess(promise(guarantee)) <= 0.0

    def missed_by(self, guarantee: Guarantee) -> bool:
        """Whether it certainly does not: by the bounds from the other side.

        Raises
        ------
        InvalidParameter
            If ``guarantee`` is none.
        """
        return self.excess(promise(guarantee).optimistic) > 0.0

    def __and__(self, other: Target) -> Target:
        if not isinstance(other, Target):
            return NotImplemented
        from neyman.calibration.conjunction import All  # conjunction.py builds on this file

        return All(self, other)


def promise(guarantee: object) -> Guarantee:
    """Return the guarantee that the argument is; bounds from the other side promise nothing."""
    if not isinstance(guarantee, Guarantee) or isinstance(guarantee, OptimisticGuarantee):
        advice = "Account for a mechanism first: ny.account(mechanism)."
        raise InvalidParameter("guarantee", guarantee, "a Guarantee", advice)
    return guarantee
