"""Discrete steps as a Renyi divergence needs them: outcomes, or a smooth part on the integers."""

from __future__ import annotations

import math

import numpy as np

from neyman.losses.discrete.theta_renyi import log_theta
from neyman.losses.readings.outcomes import Outcomes
from neyman.losses.readings.powers import PowerLaw
from neyman.losses.readings.smooth_part import SmoothPart
from neyman.numerics.rounding import UNIT

__all__ = ["listed_powers", "powers_on_integers"]


def powers_on_integers(sigma: float, shift: int, rate: float, two_sided: bool) -> PowerLaw:
    """Return the law of discrete Gaussian noise."""
    bend = 1.0 / sigma**2
    rise, down = shift * bend, float(two_sided)
    part = SmoothPart(
        -math.inf, math.inf, -log_theta(sigma), 0.0, bend, rise, 0.5 * shift * rise, rate, (0.0, down), (1.0, -down)
    )
    return PowerLaw((part,), integers=True)


def listed_powers(whole: Outcomes) -> PowerLaw:
    """Return the law of a list of outcomes, what is revealed among them."""
    table, log_whole, off = whole.whole()
    error = table.slack + (table.stretch + 2.0 * UNIT) * np.abs(table.loss)
    shares = (room / -log for log, room in zip(log_whole, off, strict=True) if -math.inf < log < 0.0)
    vague = 4.0 * UNIT + max(shares, default=0.0)
    relative = table.relative + 2.0 * UNIT * float(np.max(np.abs(table.log_q), initial=0.0))
    nothing = max(whole.infinite) >= 1.0  # no finite loss
    return PowerLaw((), table.loss, table.log_q, error, relative, False, log_whole, vague, table.dropped > 0.0, nothing)
