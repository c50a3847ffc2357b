"""eps = 0, where the two directions of a composition meet: delta(0), the distance in total variation, is one number."""

from __future__ import annotations

import numpy as np

from neyman.engines.contour.profile import ContourProfile
from neyman.profiles.effort import cut_short
from neyman.profiles.profile import Bracket

__all__ = ["TotalVariation"]

_SHARP = 1e-9  # relative width on which a second opinion is no improvement
_KNOWN = 1e-6  # the same of 1 - delta, where that is the small one of the two


class TotalVariation:
    """Both directions' contours at eps = 0. What one of them knows, both know."""

    def __init__(self, remove: ContourProfile, add: ContourProfile) -> None:
        self._remove = remove
        self._add = add
        self._known: Bracket | None = None

    @property
    def directions(self) -> tuple[ContourProfile, ContourProfile]:
        """Both contours, in the order in which they are asked."""
        return self._add, self._remove

    @property
    def bracket(self) -> Bracket:
        """Bounds on delta(0), from one of the two if it is sharp: "add" first, whose large losses have an end."""
        if self._known is not None:
            return self._known
        zero = np.zeros(1)
        first = self._add.bracket(zero)
        found = first if _sharp(first) else first.within(self._remove.bracket(zero))
        if not cut_short():  # else the next question may know more
            self._known = found
        return found

    def slope(self, direction: ContourProfile) -> float:
        """Q(L > 0) in that direction, approximate: Q(L > 0) + P(L < 0) = 1 - delta(0)."""
        zero = np.zeros(1)
        add = self._add
        if direction is add or not _sharp(add.kept(zero)):
            return float(direction.slope(zero)[0])
        gap = float(np.exp(self.bracket.log_gap_upper[0]))
        return min(max(gap - float(add.slope(zero)[0]), 0.0), 1.0)


def _sharp(bracket: Bracket) -> bool:
    """Relative to delta, and where delta is near 1 relative to what is left: mu there is a probit of 1 - delta."""
    near = bracket.upper[0] - bracket.lower[0] <= _SHARP * bracket.upper[0]
    return bool(near and (bracket.lower[0] < 0.5 or bracket.log_gap_upper[0] - bracket.log_gap_lower[0] <= _KNOWN))
