"""``account``: from what was run to what it promises."""

from __future__ import annotations

from neyman._errors import InvalidParameter
from neyman._validate import choice, inside
from neyman.engines.choose import profiles
from neyman.guarantees.composed import ComposedGuarantee
from neyman.losses.gaussian import GaussianStep
from neyman.mechanisms import Mechanism

__all__ = ["ADJACENCIES", "account"]

ADJACENCIES = ("add_or_remove", "add", "remove", "replace")


def account(mechanism: Mechanism, adjacency: str = "add_or_remove", tolerance: float = 1e-6) -> ComposedGuarantee:
    losses = mechanism.losses()
    remove, add = profiles(losses, tolerance)
    return ComposedGuarantee(remove, add, adjacency)
