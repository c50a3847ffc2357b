"""Target: what a guarantee is asked to keep within, and when it certainly does or does not; several at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from neyman._answering import Answering
from neyman._errors import InvalidParameter
from neyman.guarantees import Guarantee, OptimisticGuarantee, PessimisticGuarantee

if TYPE_CHECKING:
    from neyman.calibration.limit import Limit

__all__ = ["All", "Target", "promise"]


class Target(metaclass=Answering):
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

    @property
    def ordered(self) -> bool:
        """Whether a more private guarantee meets whatever a less private one meets."""
        return all(part.ordered for part in self.parts)

    @abstractmethod
    def excess(self, side: Guarantee) -> float:
        """Return how far over the limit the number of ``side`` is, in log mu; its sign is exact: met up to 0.

        Of a guarantee it is the certified excess, of its ``optimistic`` twin that from the other side. The scale is
        that of a Gaussian mechanism with the same number (approximate), on which noise, steps and rates are nearly
        straight.
        """

    def excess_beside(self, guarantee: PessimisticGuarantee, near: PessimisticGuarantee) -> float:
        """Return the excess of the twin of ``guarantee``: positive where this is certainly missed. ``near`` is a
        guarantee much like it of which more is known: where it helps, no more is looked for than it takes beside that.
        """
        return self.excess(guarantee.optimistic)

    def told_by(self, guarantee: PessimisticGuarantee) -> bool:
        """Whether the guarantee itself hands out the numbers that are limited: whether their brackets are as narrow as
        it is held to.
        """
        return all(part.told_by(guarantee) for part in self.parts)

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
        return All(self, other)


class All(Target):
    """Every one of several targets; the strictest decides. ``t1 & t2`` is ``All(t1, t2)``.

    Parameters
    ----------
    *targets : Target
        At least one. Conjunctions among them are taken apart.

    Raises
    ------
    InvalidParameter
        If there is none, or one is no target.

    Examples
    --------
    >>> import neyman as ny
    >>> both = ny.targets.Mu(1.0) & ny.targets.Advantage(0.3)
    >>> both, both.met_by(ny.GDP(0.7))
    (All(Mu(value=1.0, floor=1e-10), Advantage(value=0.3)), True)
    """

    def __init__(self, *targets: Target) -> None:
        for target in targets:
            if not isinstance(target, Target):
                raise InvalidParameter(
                    "targets", target, "targets", "Such as ny.targets.Epsilon(8.0, delta=1e-5).", topic="target"
                )
        if not targets:
            raise InvalidParameter("targets", targets, "at least one target", topic="target")
        self._targets: tuple[Limit, ...] = tuple(one for target in targets for one in target.parts)

    @property
    def parts(self) -> tuple[Limit, ...]:
        """The limits that it is made of."""
        return self._targets

    @property
    def gaussian_mu(self) -> float:
        """The least of theirs."""
        return min(target.gaussian_mu for target in self._targets)

    def excess(self, side: Guarantee) -> float:
        """Return the largest of their excesses: one that is missed is enough."""
        return max(target.excess(side) for target in self._targets)

    def excess_beside(self, guarantee: PessimisticGuarantee, near: PessimisticGuarantee) -> float:
        """Return the largest of theirs."""
        return max(target.excess_beside(guarantee, near) for target in self._targets)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, All) and other._targets == self._targets

    def __hash__(self) -> int:
        return hash(self._targets)

    def __repr__(self) -> str:
        return f"All({', '.join(map(repr, self._targets))})"


def promise(guarantee: object) -> Guarantee:
    """Return the guarantee that the argument is; bounds from the other side promise nothing."""
    if not isinstance(guarantee, Guarantee) or isinstance(guarantee, OptimisticGuarantee):
        advice = "Account for a mechanism first: ny.account(mechanism)."
        raise InvalidParameter("guarantee", guarantee, "a Guarantee", advice)
    return guarantee
