"""All: several targets at once."""

from __future__ import annotations

from neyman._errors import InvalidParameter
from neyman.calibration.limit import Limit
from neyman.calibration.target import Target
from neyman.guarantees import Guarantee

__all__ = ["All"]


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
                raise InvalidParameter("targets", target, "targets", "Such as ny.targets.Epsilon(8.0, delta=1e-5).")
        if not targets:
            raise InvalidParameter("targets", targets, "at least one target")
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, All) and other._targets == self._targets

    def __hash__(self) -> int:
        return hash(self._targets)

    def __repr__(self) -> str:
        return f"All({', '.join(map(repr, self._targets))})"
