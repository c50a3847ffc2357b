"""Profiles of discrete laws from their outcomes: from one list of them, or from two that compose to the whole."""

from __future__ import annotations

from collections.abc import Sequence

from neyman._errors import NotCertified
from neyman.engines.atoms import Atoms, parted
from neyman.engines.atoms_profile import AtomsProfile
from neyman.engines.profile import Profile
from neyman.engines.shifted import ShiftedProfile
from neyman.losses.outcomes import Outcomes

__all__ = ["lists", "outcome_by_outcome"]


def lists(tables: Sequence[tuple[Outcomes, int]]) -> tuple[Atoms, ...]:
    """The list of all outcomes, or two; nothing where they are too many, or floats cannot hold them: another engine
    then weighs its own laws.
    """
    try:
        return parted(tables)
    except NotCertified:
        return ()


def outcome_by_outcome(
    parts: tuple[Atoms, ...], directions: tuple[str, ...], tail_mu: float
) -> tuple[Profile, Profile]:
    """By one list, or by the longer one read at each outcome of the other; one profile stands for both directions."""
    ways = [direction == "remove" for direction in directions]
    if len(parts) == 1:
        sums: list[Profile] = [AtomsProfile(parts[0], remove, tail_mu) for remove in ways]
        return sums[0], sums[-1]
    outer, inner = parts
    sides = {remove: AtomsProfile(inner, remove, tail_mu) for remove in (True, False)}
    read = [ShiftedProfile(outer, remove, sides[remove], sides[not remove], tail_mu) for remove in ways]
    return read[0], read[-1]
