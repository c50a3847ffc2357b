"""Conversions of Renyi DP that lose nothing, and one that does: two of the papers say that all of them lose."""

from __future__ import annotations

import numpy as np

from neyman.conversions import rdp_best
from neyman.guarantees import GDP, RDP, PureDP
from neyman_papers.cases import response
from neyman_papers.verdict import NEAR, Statement

__all__ = ["without_loss"]


def without_loss() -> Statement:
    """Whether every conversion loses something: that of a Gaussian mechanism does, two others do not."""
    epsilon = np.linspace(-2.0, 2.0, 81)
    off = float(np.max(np.abs(np.asarray(PureDP(1.0).delta(epsilon)) - np.asarray(response(1.0).delta(epsilon)))))
    nothing = float(RDP([2.0], [0.0]).delta(0.0))
    fine = 1.0 + np.geomspace(0.01, 63.0, 400)
    lost = float(rdp_best(fine, 0.5 * fine, 1e-5)) - GDP(1.0).epsilon(1e-5)
    return Statement(
        lost > 0.0 and off > NEAR and nothing > NEAR,
        f"randomised response, epsilon 1: its divergence of order infinity is 1, which is (1, 0)-DP, and that gives "
        f"its whole profile{'' if off < NEAR else ' not'}; a divergence of 0 gives delta(0) = {nothing:g}. A Gaussian "
        f"mechanism, mu 1, delta 1e-5, by finite orders one by one: epsilon {lost:.3f} too large at the best of 400",
    )
