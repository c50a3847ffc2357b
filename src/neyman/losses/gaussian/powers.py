"""Gaussian noise, sampled, as a Renyi divergence needs it: one smooth part on the line."""

from __future__ import annotations

import math

from neyman.losses.readings.powers import PowerLaw
from neyman.losses.readings.smooth_part import SmoothPart

__all__ = ["gaussian_powers"]


def gaussian_powers(sigma: float, widest: float, rate: float, two_sided: bool) -> tuple[PowerLaw, PowerLaw]:
    """Return the laws of the widest noise and of the narrowest; ``two_sided`` where Q, too, is a mixture."""
    return _law(widest, rate, float(two_sided)), _law(sigma, rate, float(two_sided))


def _law(sigma: float, rate: float, down: float) -> PowerLaw:
    """On z = x / sigma."""
    rise = 1.0 / sigma
    constant = -0.5 * math.log(2.0 * math.pi)
    part = SmoothPart(-math.inf, math.inf, constant, 0.0, 1.0, rise, 0.5 * rise * rise, rate, (0.0, down), (1.0, -down))
    return PowerLaw((part,))
