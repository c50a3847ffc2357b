"""Whom a report asks: what a mechanism promises, and how much may be asked of it."""

from __future__ import annotations

from neyman.accounting import account
from neyman.guarantees import GDP, ComposedGuarantee, Guarantee, Opaque, PureDP
from neyman.mechanisms import Mechanism, PoissonSampled
from neyman.profiles.effort import EFFORT

__all__ = ["counted", "guarantee_of"]


def guarantee_of(mechanism: Mechanism, adjacency: str, tolerance: float, effort: float = EFFORT) -> Guarantee:
    """Return what ``mechanism`` promises; a single stated guarantee promises itself, with its own sharper bounds.

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.
    """
    if isinstance(mechanism, Opaque) and adjacency == mechanism.adjacency == mechanism.guarantee.adjacency:
        return mechanism.guarantee
    return account(mechanism, adjacency=adjacency, tolerance=tolerance, effort=effort)


def counted(guarantee: Guarantee) -> bool:
    """Whether it was computed from losses that are all known, so that every question is a quick one."""
    if isinstance(guarantee, (GDP, PureDP)):
        return True
    mechanism = guarantee.mechanism if isinstance(guarantee, ComposedGuarantee) else None
    return mechanism is not None and not any(_boxed(step) for step, _ in mechanism.parts)


def _boxed(step: Mechanism) -> bool:
    return isinstance(step.of if isinstance(step, PoissonSampled) else step, Opaque)
