"""Laws given as functions, for ``CustomLoss``: the loss of Laplace noise of sensitivity 1, written down anew."""

from __future__ import annotations

import numpy as np

import neyman as ny

__all__ = ["laplace"]


def laplace(scale: float) -> ny.CustomLoss:
    """P(L <= x) and Q(L <= x): atoms at both ends, density e^((x - d) / 2) / 4 between under P, d = 1 / scale."""
    d = 1.0 / scale

    def p_cdf(x: np.ndarray) -> np.ndarray:
        inside = 0.5 * np.exp(0.5 * (np.clip(x, -d, d) - d))
        return np.where(x < -d, 0.0, np.where(x < d, inside, 1.0))

    def q_cdf(x: np.ndarray) -> np.ndarray:
        inside = 1.0 - 0.5 * np.exp(-0.5 * (np.clip(x, -d, d) + d))
        return np.where(x < -d, 0.0, np.where(x < d, inside, 1.0))

    return ny.CustomLoss(p_cdf, q_cdf, (-d, d))
