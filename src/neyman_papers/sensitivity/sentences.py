"""Sentences of the sensitivity paper beside its lemmas, each asked of examples that can refute it."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.conversions import asymptotic_dpsgd_poisson, rdp_improved_b
from neyman.guarantees import GDP
from neyman.mechanisms import Gaussian
from neyman_papers.cases import dpsgd, laplace
from neyman_papers.verdict import NEAR, Ours, Statement
from neyman_papers.words import within

__all__ = ["sentences"]


def sentences() -> dict[str, Ours]:
    """All of them."""
    g = account(Gaussian(1.0))
    least, true = 0.5, float(g.renyi(2.0))
    largest, apart = 1e6, abs(float(laplace().renyi(1e6)) - laplace().epsilon(0.0))
    return {
        "pure/infinite": Statement(
            apart < 1e-5,
            f"Laplace, b = 1: the divergence of order {largest:g} is epsilon = 1 {within(apart)}; Gauss, psi = 1: "
            f"it is "
            f"{float(g.renyi(largest)):.0f} and grows with the order, and no (epsilon, 0) holds",
        ),
        "lemma-7/iff": Statement(
            true <= least,
            f"psi = 1, order 2: the divergence is {true:.6f}. (2, alpha psi^2 / 2 = 1)-RDP holds, (2, "
            f"{least:g})-RDP does "
            "not",
        ),
        "4.13": _conjugate(),
        "5/tighter": _by_orders(),
        "6.5": _looser(),
    }


def _conjugate() -> Statement:
    """sup and inf of t y - R(y) over y, at t = e."""
    y: FloatArray = np.linspace(0.0, 1.0, 200001)
    line = math.e * y - special.ndtr(1.0 + special.ndtri(y))
    top, bottom, delta = float(np.max(line)), float(np.min(line)), float(GDP(1.0).delta(1.0))
    return Statement(
        abs(top + delta) < 1e-6,
        f"psi = 1, t = e: the conjugate, the supremum over y of t y - R(y), is {top:.4f} = t - 1; the infimum is "
        f"{bottom:.5f}, and delta(1) = {delta:.5f}",
    )


def _by_orders() -> Statement:
    """Epsilon by Renyi divergences, by the asymptotic formula for Poisson sampling (Bu et al.), and exactly."""
    orders = np.concatenate([np.arange(1.1, 11.0, 0.1), np.arange(11.0, 64.0)])
    shown, tighter = [], False
    for sigma in (0.4, 1.0):
        g = dpsgd(sigma, 0.01, 1000)
        by_renyi = float(rdp_improved_b(orders, np.asarray(g.renyi(orders)), 1e-5))
        by_limit, exact = GDP(asymptotic_dpsgd_poisson(sigma, 0.01, 1000).mu).epsilon(1e-5), g.epsilon(1e-5)
        tighter |= by_renyi < exact
        shown.append(
            f"sigma {sigma:g}: {by_renyi:.2f} by RDP, {exact:.2f} by f-DP, {by_limit:.2f} by its asymptotic formula"
        )
    return Statement(tighter, f"Poisson sampling at rate 0.01, 1000 steps, epsilon at delta 1e-5: {'; '.join(shown)}")


def _looser() -> Statement:
    """Equation 6.5 under its printed condition: nowhere below equation 6.4, which holds."""
    fine = True
    for order in (1.5, 2.0, 4.0, 16.0, 64.0):
        zeta = (1.0 - 1.0 / order) ** (order - 1.0) / order
        for delta in np.linspace(1.0 / order, 0.999, 25):
            for rho in (0.0, 0.01, 0.5, 3.0):
                power = (order - 1.0) * rho
                first = rho - math.log(delta / zeta) / (order - 1.0)
                second = math.log1p(math.expm1(power) / (order * delta)) / (order - 1.0)
                fine &= min(first, second) >= rho + math.log1p(-delta) - NEAR
    return Statement(
        fine,
        "orders 1.5 to 64, order times delta at least 1: equation 6.5 is nowhere below equation 6.4, which holds "
        "there. "
        "So it must be: delta (1 - delta)^(alpha - 1) is at most zeta_alpha, and alpha times it at most 1",
    )
