"""Ours for what the passage and the blog post state."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.comparison import compare
from neyman.guarantees import GDP, RDP, ZCDP, ApproximateDP, Guarantee, PureDP
from neyman.mechanisms import Gaussian, Laplace
from neyman_papers.cases import fit, laplace, response
from neyman_papers.verdict import Ours, Statement

__all__ = ["COPIES", "limit_statement", "many_laplace", "passage"]

COPIES = (1, 4, 16)


@cache
def many_laplace(copies: int) -> Guarantee:
    """So many Laplace mechanisms of scale sqrt(copies): about as private together as one of scale 1."""
    return account(Laplace(math.sqrt(copies)) ** copies)


def limit_statement() -> Statement:
    """Regret of GDP falls as copies grow."""
    regrets = [fit(many_laplace(n)) for n in COPIES]
    falls = all(b[0].regret < a[1].regret for a, b in pairwise(regrets))
    shown = ", ".join(f"{n}: {high.regret:.2g}" for n, (high, _) in zip(COPIES, regrets, strict=True))
    return Statement(falls, f"regret of GDP for n Laplace mechanisms of scale sqrt(n), n = {shown}")


def _embedding() -> Statement:
    """f from the profile by its tangents, and the profile from f."""
    epsilon = np.linspace(-8.0, 8.0, 3201)
    alpha = np.linspace(0.005, 0.995, 100)
    worst = 0.0
    for g in (laplace(), response(1.0), account(Gaussian(1.0))):
        delta = np.asarray(g.delta(epsilon))
        f = np.max(1.0 - delta[:, None] - np.exp(epsilon)[:, None] * alpha, axis=0)
        fine, some = np.linspace(0.0, 1.0, 20001), slice(1600, 2001, 50)
        back = np.max(1.0 - np.asarray(g.beta(fine)) - np.exp(epsilon[some])[:, None] * fine, axis=1)
        worst = max(
            worst, float(np.max(np.abs(f - np.asarray(g.beta(alpha))))), float(np.max(np.abs(back - delta[some])))
        )
    return Statement(worst < 1e-3, f"Laplace, randomised response, Gauss: within {worst:.0e}, on grids")


def _special() -> Statement:
    """Pure, approximate, Renyi and zero-concentrated DP each have a curve, which all keep who keep them."""
    kinds = (PureDP(1.0), ApproximateDP(1.0, 1e-3), RDP([2.0, 8.0], [1.0, 4.0]), ZCDP(0.5))
    kept = (response(1.0), response(1.0), account(Gaussian(1.0)), account(Gaussian(1.0)))
    alpha = np.linspace(0.0, 1.0, 401)
    fine = all(
        bool(np.all(np.asarray(g.optimistic.beta(alpha)) >= np.asarray(kind.beta(alpha)) - 1e-12))
        for kind, g in zip(kinds, kept, strict=True)
    )
    said = "epsilon 1 and (1, 1e-3) by randomised response; two orders and rho 1/2 by a Gaussian mechanism, mu 1"
    return Statement(fine, said)


def _variants() -> Statement:
    """Whether the curve of (2, 1/2)-RDP gives that promise back.

    The polygon through points of the curve is above it, so that its divergence of order 2, log of the sum of
    (change of beta)^2 / (change of alpha), is at most that of the curve.
    """
    alpha = np.unique(np.concatenate([np.geomspace(1e-9, 0.1, 400), np.linspace(0.0, 1.0, 801)]))
    beta = np.asarray(RDP([2.0], [0.5]).optimistic.beta(alpha))
    least = float(np.log(np.sum(np.diff(beta) ** 2 / np.diff(alpha))))
    said = f"(2, 0.5)-RDP: a mechanism with all its (epsilon, delta) may have a divergence of order 2 of {least:.3f}"
    return Statement(least <= 0.5, f"{said}, at least; of a mechanism itself they determine the divergences")


def passage() -> dict[str, Ours]:
    """All of the passage."""
    alpha = np.linspace(0.001, 0.999, 99)
    g = account(Gaussian(0.8))
    apart = float(np.max(np.abs(np.asarray(g.beta(alpha)) - special.ndtr(special.ndtri(1.0 - alpha) - 1.25))))
    rng = np.random.default_rng(7)
    thresholds = np.sort(rng.normal(size=200))
    attacker = special.ndtr(thresholds - 1.25) - np.asarray(g.beta(special.ndtr(-thresholds)))
    two = account(Gaussian(1.0) * Gaussian(0.5)).mu()
    many = account(Gaussian(2.0) ** 100)
    added, exact = 100.0 * account(Gaussian(2.0)).epsilon(1e-7), many.epsilon(1e-5)
    return {
        "embedding": _embedding(),
        "special": _special(),
        "variants": _variants(),
        "dilemma": Statement(
            bool(np.all(np.diff(special.ndtr(-thresholds)) <= 0.0) and np.all(np.diff(special.ndtr(thresholds - 1.25))
                 >= 0.0)), "200 thresholds against mu = 1.25: where one error falls the other rises"
        ),
        "harder": Statement(
            compare(GDP(0.5), GDP(1.0)).order == "more_private"
            and GDP(0.5).delta(1.0) < GDP(1.0).optimistic.delta(1.0),
            "mu 0.5 against 1: every error is larger, delta(1) is smaller",
        ),
        "errors": Statement(
            bool(np.all(attacker >= -1e-12)), "200 thresholds against mu = 1.25: none below f by more than "
                                              f"{max(0.0, -attacker.min()):.0e}"
        ),
        "gaussian": Statement(apart < 1e-9, f"sigma = 0.8: within {apart:.0e}"),
        "two": Statement(abs(two - math.sqrt(5.0)) < 1e-6, f"mu 1 and 2: {two:.9f}"),
        "many": Statement(abs(many.mu() - 5.0) < 1e-6 and GDP(5.0).mu() == 5.0, "a hundred of mu 0.5: "
            f"{many.mu():.9f}"),
        "limit": limit_statement(),
        "loose": Statement(
            added > 3.0 * exact, f"a hundred Gaussians of sigma 2, delta 1e-5: {added:.1f} by adding, {exact:.2f} "
                                 "exactly"
        ),
    }  # fmt: skip
