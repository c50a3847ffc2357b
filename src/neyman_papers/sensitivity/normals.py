"""What the sensitivity paper says of normal laws, of tests between them and of the loss, each asked of an example."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.conversions import binormal_roc, gaussian_delta, gaussian_renyi
from neyman.guarantees import GDP
from neyman.mechanisms import Gaussian
from neyman_papers.cases import laplace, response
from neyman_papers.verdict import NEAR, Ours, Statement
from neyman_papers.words import within

__all__ = ["normals"]

_PRINTED = {
    "equation 3.4": "P(M(q(D) in S)) <= e^epsilon P(M(q(D') in S)) + delta",
    "equation 3.10": "Phi(Phi^-1(1 - alpha) - mu))",
}


def normals() -> dict[str, Ours]:
    """All of them."""
    psi = epsilon = 1.0
    above, beyond = (float(special.ndtr(0.5 * psi * sign - epsilon / psi)) for sign in (1.0, -1.0))
    delta = float(gaussian_delta(psi, epsilon))
    won = [account(Gaussian(1.0 / p)).advantage for p in (0.05, 0.1, 0.5, 1.0, 3.0)]
    gdp = {"Laplace, b = 1": laplace(), "randomised response, epsilon 1": response(1.0)}
    only = any(g.satisfies(GDP(g.tail_mu)).outcome == "yes" for g in gdp.values())
    lone, quoted = account(Gaussian(2.0)), 4.0 / (2.0 * 2.0**2)  # Corollary 3 of Mironov: alpha / (2 sigma^2)
    several = account(Gaussian(2.0, math.sqrt(2.0)))  # two coordinates, each moved by 1
    off = max(abs(float(lone.renyi(4.0)) - quoted), abs(float(several.renyi(4.0)) - 2.0 * quoted),
              abs(float(gaussian_renyi(4.0, 3.0, 2.0, 2.0)) - 9.0 * quoted))  # fmt: skip
    added = [float(GDP(1.0).renyi(t)) + float(GDP(2.0).renyi(t)) for t in (2.0, 8.0)]
    psis = [math.sqrt(2.0 * rho / t) for rho, t in zip(added, (2.0, 8.0), strict=True)]
    composed = account(Gaussian(1.0) * Gaussian(0.5)).mu()
    return {
        "4.1/magnitude": Statement(
            above + beyond <= delta,
            f"psi = 1, epsilon = 1: the loss is above 1 with probability {above:.4f} and below -1 with {beyond:.4f}; "
            f"delta is {delta:.4f}",
        ),
        "lemma-1/profile": Statement(
            abs(above - delta) < NEAR, f"psi = 1, epsilon = 1: the left side of equation 4.4 is {above:.4f}, the "
            f"profile {delta:.4f}"
        ),
        "3/strong": Statement(
            all(b > a for a, b in pairwise(won)) and won[0] < 0.05,
            "advantage of an attacker at psi 0.05, 0.1, 0.5, 1, 3: " + ", ".join(f"{value:.3f}" for value in won),
        ),
        "3/specialisation": Statement(
            not only, "mu-GDP as well, mu: " + ", ".join(f"{name} {g.tail_mu:.4f}" for name, g in gdp.items())
            + ": neither is Gaussian, and neither has a sigma",
        ),
        "3/parentheses": Statement(
            all(_meant(text) for text in _PRINTED.values()),
            "; ".join(f"{where}: {text}" for where, text in _PRINTED.items()),
        ),
        "3/neyman-pearson": _most_powerful(),
        "corollary-2/best": _not_best(),
        "lemma-7/general": Statement(
            off < NEAR, f"order 4, sigma 2: alpha / (2 sigma^2) where one number moves by 1, twice that where two "
            f"coordinates do, nine times where one moves by 3: {within(off)}"
        ),
        "5/composition": Statement(
            max(abs(p - composed) for p in psis) < 1e-6,
            f"psi 1 and 2, orders 2 and 8: the rho add up to that of psi {psis[0]:.6f}, and Corollary 8 has "
            f"{composed:.6f}",
        ),
    }  # fmt: skip


def _meant(text: str) -> bool:
    """Whether parentheses match, and none holds "in S" together with what lies in S."""
    return text.count("(") == text.count(")") and "(D) in S)" not in text.replace("(D')", "(D)")


def _most_powerful() -> Statement:
    """Two tests between N(0, 1) and N(1, 1) at the same FPR: by the likelihood ratio, and by the distance from 0."""
    fpr = np.linspace(0.05, 0.95, 19)
    ratio = special.ndtr(1.0 + special.ndtri(fpr))
    cut = -special.ndtri(0.5 * fpr)
    far = special.ndtr(-cut - 1.0) + special.ndtr(1.0 - cut)
    best = np.asarray(account(Gaussian(1.0)).optimistic.roc(fpr))
    off = float(np.max(np.abs(ratio - best)))
    return Statement(
        off < 1e-6 and bool(np.all(far < ratio)),
        f"psi = 1, 19 rates: thresholds on the ratio have the TPR of the best test {within(off)}; a test by |output| "
        f"has {far[9]:.3f} where they have {ratio[9]:.3f}",
    )


def _not_best() -> Statement:
    """N(0, I) against N((1, 0), 4 I): along the difference of the means, and by the likelihood ratio.

    The ratio grows with the distance from c = -(1, 0) / 3, where its exponent |x|^2 / 2 - |x - m|^2 / 8 is least: under
    either law the square of that distance, over the variance, is chi-square with two degrees and some non-centrality.
    """
    x = 0.1
    shift = np.array([1.0 / 3.0, 4.0 / 3.0])  # of the two means from c
    cut = float(special.chndtrix(1.0 - x, 2.0, shift[0] ** 2))
    best = 1.0 - float(special.chndtr(cut / 4.0, 2.0, shift[1] ** 2 / 4.0))
    binormal = float(np.asarray(binormal_roc(np.array([x]), 1.0, 1.0, 2.0))[0])
    equal = float(np.asarray(binormal_roc(np.array([x]), 1.0, 1.0, 1.0))[0])
    return Statement(
        None,
        f"N(0, I) and N((1, 0), 4 I) in two dimensions, FPR 0.1: equation 4.5 gives {binormal:.4f}, the TPR of "
        f"thresholds along the difference of the means; the best test has {best:.4f}. Of equal variances it is the "
        f"best: {equal:.4f}, and {float(GDP(1.0).roc(x)):.4f}",
    )
