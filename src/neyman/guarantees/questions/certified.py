"""certificate(epsilon): who answered in each direction, and the terms of the error."""

from __future__ import annotations

import numpy as np

from neyman.profiles.certificate import CertifiedDelta
from neyman.profiles.pair import Adjacency, LargestProfile, MaximumProfile, Pair

__all__ = ["certified_delta"]


def certified_delta(sides: Pair, adjacency: Adjacency, at: float) -> CertifiedDelta:
    """Why delta lies where it does at one real eps."""
    branch = sides.forward if at >= 0.0 else sides.backward
    if isinstance(branch, MaximumProfile) and not isinstance(branch, LargestProfile):
        # the reversed pair of "remove" is that of "add"
        order = ("remove", "add") if at >= 0.0 else ("add", "remove")
        names = dict(zip(order, (branch.first, branch.second), strict=True))
    else:
        names = {"both" if sides.symmetric else adjacency: branch}
    found = {name: one.certificate(abs(at)) for name, one in names.items()}
    bracket = sides.bracket(np.array([at]))
    return CertifiedDelta(at, float(bracket.lower[0]) + 0.0, float(bracket.upper[0]), found)
