"""From a mechanism to what it promises: arguments checked, losses composed."""

from __future__ import annotations

from neyman._validate import choice, inside, positive
from neyman.guarantees.algebra.composition import composition
from neyman.guarantees.computed import ComposedGuarantee
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT, Effort
from neyman.profiles.pair import Adjacency

__all__ = ["ADJACENCIES", "USUAL_ADJACENCY", "promise_of"]

ADJACENCIES: tuple[Adjacency, ...] = ("add_or_remove", "add", "remove", "replace")
USUAL_ADJACENCY = "add_or_remove"


def promise_of(
    mechanism: Mechanism, adjacency: str = USUAL_ADJACENCY, tolerance: float = 1e-6, effort: float = EFFORT
) -> ComposedGuarantee:
    """Return the certified guarantee: see ``account``.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.
    """
    kind = choice("adjacency", adjacency, ADJACENCIES)
    width = inside("tolerance", tolerance, 0.99e-12, 1.0)
    allowed = Effort(positive("effort", effort))
    mechanism.check_adjacency(kind)
    computed = composition(mechanism.losses(replace=kind == "replace"), kind, width, allowed, mechanism=mechanism)
    computed.remember((promise_of, (mechanism, kind, width, allowed.seconds)))
    return computed
