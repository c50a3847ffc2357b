"""How far the transform of a sampled step falls through the part of its law that turns: where losses are hardly ever
large, most of it stands still, and says next to nothing on any parallel of the axis.

The law is cut softly in two, as for ``SoftJumps``. Both parts are positive measures, so that for every omega' >= omega

    |A(w + i omega')| <= A_b(w) + |A_j(w + i omega')| <= A(w) - A_j(w) + J(omega),

J being the bound on the transform of the part whose losses are large, shifted as it alone deserves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman.losses.gaussian.parts.soft_jumps import SoftJumps
from neyman.losses.gaussian.shifted_bound import log_lines
from neyman.losses.gaussian.transform import SamplingTransform

__all__ = ["CUTS", "TurningPart"]

# where a law is cut: the log of how much likelier the record took part there than not, and how softly, in sigma
CUTS = ((3.0, 1.0), (6.0, 1.0), *((odds, 0.5) for odds in (3.0, 1.0, -1.0, -3.0, -4.0, -5.0, -6.0, -8.0, -10.0)))
_ROUNDED = 1e-9  # relative error of a sum of exponentials, whose exponents are rounded: up to 10^6 of them


@dataclass(frozen=True)
class TurningPart:
    """A law at the real w > 0, cut in two: logs of A(w), from above, and of A_j(w), from below."""

    law: SoftJumps
    w: float
    cut: float
    log_whole: float
    log_part: float

    @classmethod
    def of(
        cls, law: SamplingTransform, w: float, cut: float, place: tuple[float, float], log_whole: float
    ) -> TurningPart:
        """Cut ``law``, which ends at ``cut``, at one of ``CUTS``; ``log_whole`` is no less than log A(w)."""
        odds, softness = place
        end = 0.5 + law.sigma**2 * (odds - math.log(law.rate) + math.log1p(-law.rate))
        part = SoftJumps(law.sigma, law.rate, end, softness * law.sigma)
        top = part.ends(abs(w), w, min(cut, part.limit))[1]
        least = log_lines(part, w, 0.0, np.zeros(1), top)[1]
        return cls(part, w, cut, log_whole, least)

    @property
    def least(self) -> float:
        """No bound on log |A| is below this."""
        share = math.exp(min(self.log_part - self.log_whole, 0.0))
        return self.log_whole + (math.log1p(-share) if share < 1.0 else -math.inf)

    def log_bound(self, omega: float) -> float:
        """Upper bound on log |A(w + i omega')| for every omega' >= ``omega`` > 0."""
        if not self.log_whole < math.inf:
            return math.inf
        left = self.law.log_bound_at(self.w, omega, self.cut)
        fallen = math.exp(min(self.log_part - self.log_whole, 0.0)) - math.exp(min(left - self.log_whole, 0.0))
        return self.log_whole + math.log1p(-fallen * (1.0 - _ROUNDED)) if 0.0 < fallen < 1.0 else self.log_whole
