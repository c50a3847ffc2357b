"""A composition parted in two, for rare steps: many small losses on one scale, and few large jumps on another.

With each step's transform A = A_b + A_j, bulk and jumps,

    delta = I[e^{K_b}] + I[e^K - e^{K_b}],      I[F] = (1/2 pi i) int F(z) e^{-z eps} / (z (z + 1)) dz:

the bulk alone, and all that happens with at least one jump, each the hockey stick of a positive measure. The first is
inverted on the line through its own saddle, which the whole law does not have; the second on a line that suits the
jumps, where e^K - e^{K_b} is as small as the jumps are rare, and so are the errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour_line import Line, settled
from neyman.engines.contour_parting import Parting
from neyman.engines.contour_valley import Valleys
from neyman.engines.contour_walk import Parts, Walk
from neyman.engines.effort import Effort

__all__ = ["Split"]

_UNIT = 2.0**-53
_STRETCH = 1.6  # the eps it serves, relative to the one it is made for


@dataclass(frozen=True)
class Split:
    """Two lines, one through the bulk and one through the jumps, for eps in ``range``."""

    bulk: Line
    jumps: Line
    range: tuple[float, float]

    @classmethod
    def lay(
        cls, parts: Parts, walk: Walk, valleys: Valleys, epsilon: float, nodes: int, effort: Effort
    ) -> Split | None:
        """Part the law for ``epsilon`` >= 0; None where it cannot be done with lines of that many ``nodes``, or with so
        much effort.
        """
        place = valleys.place(epsilon)
        if place is None:
            return None
        mean, spread = float(valleys.mean[place.line]), 2.0 * float(valleys.deviation[place.line])
        span = (min(epsilon / _STRETCH, max(mean - spread, 0.0)), max(epsilon * _STRETCH, mean + spread))
        parting = Parting.of(parts, walk, valleys, place, span, effort)
        jumps = parting.jump_line(nodes)
        bulk = None if jumps is None else parting.bulk_line(nodes)
        return None if bulk is None or jumps is None else cls(bulk, jumps, span)

    @property
    def c(self) -> float:
        """Right of 0: delta itself is integrated."""
        return self.jumps.c

    @property
    def lost(self) -> float:
        """Mass of the law beyond all cuts."""
        return self.bulk.lost + self.jumps.lost

    def integrate(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """As ``Line.integrate``: mantissas of delta and of e^eps Q(L > eps), a bound on the error of the first, log
        scale.
        """
        both = [line.integrate(epsilon) for line in (self.bulk, self.jumps)]
        scale = np.maximum(both[0][3], both[1][3])
        value, slope, error = (np.zeros(len(epsilon)) for _ in range(3))
        with np.errstate(under="ignore"):
            for v, s, e, log_scale in both:
                share = np.exp(log_scale - scale)
                rounded = 8.0 * _UNIT * (1.0 + np.abs(log_scale) + np.abs(scale))
                value, slope = value + share * v, slope + share * s
                error = error + share * (1.0 + rounded) * e + rounded * share * np.abs(v)
        return settled(value, slope, error + 4.0 * _UNIT * np.abs(value), scale)
