"""Discrete laws that share no lattice, by contours: behind a veil of Gaussian noise, thin, and paid for.

A composition M of laws whose transforms never die is read as M beside a Gaussian mechanism of mu = sqrt(s), tiny, whose
transform does die. With h(s) the delta of both together, delta_M = h(0) <= h(s), for no composition is more private
than its part. What the veil adds is paid for: h'(s) is half the density p_s(eps) of the loss of both under P, and

    phi_r(x) <= sqrt(s / r) e^{(s - r) / 8} phi_s(x)    for r <= s,        phi_r the density of N(r / 2, r) at x,

gives h(s) - h(0) <= s e^{s / 8} p_s, while the same inequality read at r >= s gives h(4s) - h(s) >= s e^{-3s / 8} p_s.
Hence two veils enclose what is behind them, whatever the law:

    h(s) - e^{s / 2} (h(4s) - h(s)) <= delta_M(eps) <= h(s).

What a veil costs goes with the square of its mu over the deviation of the loss; how far a line must go, with its
inverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.combine.fallback import FallbackProfile
from neyman.engines.combine.total_variation import TotalVariation
from neyman.engines.contour.profile import ContourProfile
from neyman.engines.lattice.profile import LatticeProfile
from neyman.numerics.rounding import UNIT
from neyman.profiles.profile import Bracket

__all__ = ["THIN", "VEIL", "SmoothedProfile"]

VEIL = 2e-6  # mu of the thin veil of discrete Gaussians; that of the other is twice as much
THIN = 6e-5  # the same of other laws, in deviations of their loss: 1e-6 of a delta of 1e-30
_TINY = 4.0 * UNIT  # relative, of an exponential and a product


class SmoothedProfile(FallbackProfile):
    """What two veils enclose; ``near`` and ``far`` are the contours, and the meetings at eps = 0, behind mu = ``veil``
    and twice that. No loss of what is behind them lies above ``end``.
    """

    def __init__(
        self, near: tuple[ContourProfile, TotalVariation], far: tuple[ContourProfile, TotalVariation],
        lattice: Callable[[], LatticeProfile] | None, tolerance: float, points: int, veil: float, end: float,
    ) -> None:  # fmt: skip
        super().__init__(*near, lattice, tolerance, points)
        self.source = None  # no bracket of one veil is that of both
        self._far = FallbackProfile(*far, None, tolerance)
        self._room = math.exp(0.5 * veil**2) * (1.0 + _TINY)
        self._last = end

    @property
    def end(self) -> float:
        return self._last

    @property
    def labour(self) -> float:
        return super().labour + self._far.labour

    def _by_contour(self, epsilon: FloatArray, rough: bool = False) -> Bracket:
        # what is told by a difference of two is sharp or nothing
        near, far = super()._by_contour(epsilon), self._far.bracket(epsilon)
        room = self._room
        lower = near.lower - room * (np.maximum(far.upper - near.lower, 0.0) + _TINY * far.upper)
        # 1 - delta likewise, in units of its bound from the thin veil
        with np.errstate(invalid="ignore", over="ignore"):
            rest = np.exp(np.minimum(far.log_gap_lower - near.log_gap_upper, 0.0))
            more = np.log1p(room * (np.maximum(1.0 - rest, 0.0) + _TINY))
        most = np.where(near.log_gap_upper > -math.inf, near.log_gap_upper + more, -math.inf)
        with np.errstate(divide="ignore"):
            most = np.minimum(most, np.log1p(-np.clip(lower, 0.0, 1.0)) * (1.0 - _TINY) + _TINY)
        upper = near.upper
        if self._last < math.inf:  # beyond the largest loss only the veil is left
            beyond = epsilon >= self._last
            upper, least, most = (np.where(beyond, 0.0, x) for x in (upper, near.log_gap_lower, most))
            return Bracket(np.clip(lower, 0.0, upper), upper, least, np.minimum(most, 0.0))
        return Bracket(np.clip(lower, 0.0, upper), upper, near.log_gap_lower, np.minimum(most, 0.0))
