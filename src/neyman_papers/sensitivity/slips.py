"""Places of the sensitivity paper that say another thing than is meant, and what is wrong with each, by an example."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.conversions import binormal_roc, gaussian_renyi
from neyman.mechanisms import Gaussian
from neyman_papers.verdict import NEAR, Ours, Statement

__all__ = ["slips"]

_NAMED = ("the profile", "the standard conversion", "improved (A)", "improved (B)")  # in the caption of Figure 6


def slips() -> dict[str, Ours]:
    """All of them."""
    sigma = 2.0
    printed, meant = account(Gaussian(math.sqrt(sigma))).mu(), 1.0 / sigma
    psi = epsilon = 1.0
    literal, other = special.ndtr(-0.5 * psi - epsilon / psi), special.ndtr(0.5 * psi - epsilon / psi)
    order, delta = 2.0, 1e-5
    cases = {"6.4": order * delta >= 1.0, "6.5": order * delta >= 1.0, "6.3": 0.0 < order * delta < 1.0}
    return {
        "def2/covariance": Statement(
            abs(printed - meant) < NEAR,
            f"sensitivity 1, sigma = {sigma:g}: noise of covariance sigma I has mu = {printed:.4f}, psi is {meant:g}",
        ),
        "lemma-1/inverse": Statement(
            abs(float(literal - other)) < NEAR,
            f"psi = 1, epsilon = 1: with D' as the base the loss is N(psi^2 / 2, psi), too, and at most -1 with "
            f"probability {float(literal):.4f}; it is at least 1 with probability {float(other):.4f}",
        ),
        "corollary-6/proof": _mirrored(),
        "corollary-10/order": _order(),
        "6.5/condition": Statement(
            any(cases[number] for number in ("6.4", "6.5")),
            f"order 2, delta 1e-5: alpha delta = {order * delta:g}, so that equations 6.4 and 6.5 both say nothing; "
            f"equation 6.3 holds{'' if cases['6.3'] else ' not'}",
        ),
        "6/three": Statement(len(_NAMED) == 3, f"{len(_NAMED)} are named: {', '.join(_NAMED)}"),
    }  # fmt: skip


def _mirrored() -> Statement:
    """Curves that rise in x, mirrored, and do not fall as their parameter grows."""
    x = np.array([0.1, 0.9])
    rises, falls = True, True
    for b in (1.0, 2.0):
        rises &= bool(np.all(np.diff(binormal_roc(np.linspace(0.01, 0.99, 99), 1.0, b, 1.0)) > 0.0))
    mirrored = [1.0 - np.asarray(binormal_roc(x, 1.0, b, 1.0)) for b in (1.0, 2.0)]
    falls = bool(np.all(mirrored[1] <= mirrored[0]))
    return Statement(
        falls if rises else None,
        "R_b(x) = Phi(1 + b Phi^-1(x)) rises strictly in x for b = 1 and 2, and 1 - R_b does not fall with b: at x = "
        f"0.1 from {mirrored[0][0]:.4f} to {mirrored[1][0]:.4f}",
    )


def _order() -> Statement:
    """Corollary 10 where alpha sigma_j^2 + (1 - alpha) sigma_i^2 is negative."""
    order, first, second = 3.0, 2.0, 1.0
    weight = order * second**2 + (1.0 - order) * first**2
    true = float(gaussian_renyi(order, 1.0, first, second))
    return Statement(
        math.isfinite(true) and weight > 0.0,
        f"order 3, sigma_i = 2, sigma_j = 1: alpha sigma_j^2 + (1 - alpha) sigma_i^2 = {weight:g}; the logarithm of a "
        f"negative number is asked for, and the divergence is {'finite' if math.isfinite(true) else 'infinite'}",
    )
