"""Laplace noise as a Renyi divergence needs it: two lone outcomes, and smooth parts between them."""

from __future__ import annotations

import math

import numpy as np

from neyman.losses.laplace.bins import LaplaceLaw
from neyman.losses.readings.powers import PowerLaw
from neyman.losses.readings.smooth_part import SmoothPart
from neyman.numerics.rounding import UNIT

__all__ = ["laplace_powers"]


def laplace_powers(law: LaplaceLaw) -> PowerLaw:
    """Return the same ``law``."""
    loss, log_q = law.atoms
    parts = tuple(
        SmoothPart(
            -piece.d, piece.d, piece.log_weight - 0.5 * piece.d, -0.5, 0.0, 1.0, 0.0, piece.rate,
            (1.0 if piece.sign < 0.0 else 0.0, 0.0), (piece.sign, 0.0), piece.sign * piece.level,
        )
        for piece in law.pieces
    )  # fmt: skip
    error = 8.0 * UNIT * (np.abs(loss) + law.rate * math.expm1(min(law.d, 1.0)))
    return PowerLaw(parts, loss, log_q, error, 16.0 * UNIT * (1.0 + law.d + float(np.max(np.abs(loss)))))
