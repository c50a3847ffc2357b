"""Which outcomes have a part in a delta: the others are no business of the lattices that find it.

Far out a law may hold outcomes so rare that no delta that is asked for shows them, and so large that under a steep tilt
they outweigh all the rest: windows then reach out to them, and no tilt has its mean where it is wanted. Lattices of
the common outcomes alone, the rest counted as revealed, serve deltas above a floor; the whole laws those below.
"""

from __future__ import annotations

import math

from neyman.losses.readings.bins import GridLaw

__all__ = ["FLOOR", "LEVELS", "Laws", "common"]

FLOOR = 1e-30  # below this delta the tolerance is not pursued
# least delta that lattices of common outcomes serve, and the log of the mass of those that are left out: with what is
# rarer still their masses come to a few times that, next to nothing beside the delta
_SERVED = (1e-15, -57.0), (FLOOR, -98.0)
LEVELS = len(_SERVED)  # the level of the whole laws

Laws = tuple[tuple[GridLaw, int], ...]


def common(laws: Laws, level: int) -> tuple[Laws, float, int]:
    """The laws of the first level, from ``level`` on, at which anything is left out, the least delta that they serve
    and the level.
    """
    for i in range(level, LEVELS):
        floor, rare = _SERVED[i]
        kept = tuple((law.common(rare - math.log(times)), times) for law, times in laws)
        if any(one is not law for (one, _), (law, _) in zip(kept, laws, strict=True)):
            return kept, floor, i
    return laws, FLOOR, LEVELS
