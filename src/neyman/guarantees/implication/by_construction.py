"""What follows from how guarantees were made, with no number compared: one profile is below another by construction.

Floating point could not tell: a guarantee and the join that holds it agree to the last bit over whole intervals.
"""

from __future__ import annotations

from neyman.engines.closed_form.pairs import BlatantProfile, GaussianProfile, PerfectProfile
from neyman.guarantees.envelope.profile import EnvelopeProfile
from neyman.guarantees.groups.profile import GroupedProfile
from neyman.profiles.pair import MaximumProfile, Pair
from neyman.profiles.profile import Profile

__all__ = ["implied"]


def implied(mine: Pair, other: Pair) -> bool:
    """Whether delta of ``mine`` is at most that of ``other`` at all real eps, by construction."""
    if isinstance(other.forward, EnvelopeProfile) and isinstance(other.backward, EnvelopeProfile):
        # below every part, and convex itself
        return mine.forward is other.forward or all(implied(mine, part) for part in other.forward.parts)
    if not _below(mine.forward, other.forward):
        return False
    return (mine.symmetric and other.symmetric) or _below(mine.backward, other.backward)


def _below(mine: Profile, other: Profile) -> bool:
    """Whether ``mine`` is at most ``other`` at every eps >= 0, by construction."""
    if mine is other or isinstance(mine, PerfectProfile) or isinstance(other, BlatantProfile):
        return True
    if isinstance(other, GaussianProfile) and mine.tail_mu <= other.mu:
        return True
    if isinstance(other, MaximumProfile) and (_below(mine, other.first) or _below(mine, other.second)):
        return True
    if isinstance(mine, MaximumProfile) and _below(mine.first, other) and _below(mine.second, other):
        return True
    if isinstance(mine, EnvelopeProfile) and any(_below(part.forward, other) for part in mine.parts):
        return True
    if not isinstance(other, GroupedProfile):
        return False
    if isinstance(mine, GroupedProfile) and mine.times <= other.times and implied(mine.of, other.of):
        return True
    return _below(mine, other.of.forward)  # a group is never better protected than one of its members
