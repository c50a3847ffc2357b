"""The mu of several mechanisms together: the Euclidean norm, where squares would leave float64."""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["together"]

_ROOM = 1e-14  # two roundings before the norm, which hypot knows to one unit in the last place


def together(mus: Iterable[tuple[float, int]]) -> float:
    """Return sqrt(sum of n mu^2) over pairs (mu >= 0, n > 0), rounded up; inf where no float64 is that large.

    Examples
    --------
    >>> round(together([(3.0, 1), (2.0, 4)]), 12), together([(1e-200, 4)]) >= 2e-200, together([(1e308, 4)])
    (5.0, True, inf)
    """
    found = math.hypot(*(mu * math.sqrt(n) for mu, n in mus))
    return math.nextafter(found * (1.0 + _ROOM), math.inf) if found > 0.0 else found
