"""What the divergence paper says of summaries in one number, of priors, and of what computing the divergence takes."""

from __future__ import annotations

import math

import numpy as np
from scipy import integrate, special, stats

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import UQuadratic, compare
from neyman.mechanisms import Gaussian
from neyman_papers.cases import laplace
from neyman_papers.divergence.series import gauss
from neyman_papers.verdict import Ours, Statement

__all__ = ["summaries"]


def summaries() -> dict[str, Ours]:
    """All of them."""
    mu = 2.0 * float(special.ndtri(0.5 * (1.0 + laplace().advantage)))
    alike = account(Gaussian(1.0 / mu))
    apart = compare(alike, laplace()).distance
    (first, second), (third, fourth) = ([float(g.roc(fpr)) for g in (gauss(), laplace())] for fpr in (0.01, 0.3))
    return {
        "1/scalar": Statement(
            apart > 1e-3 and abs(alike.advantage - laplace().advantage) < 1e-9,
            f"Laplace, and Gauss with mu = {mu:.4f}: the same advantage, {alike.advantage:.4f}, and curves {apart:.4f} "
            "of Bayes error apart",
        ),
        "related/low": Statement(
            first > second and third < fourth,
            f"Gauss and Laplace: TPR {first:.4f} and {second:.4f} at FPR 0.01, {third:.4f} and {fourth:.4f} at 0.3: "
            "which protects better depends on the rate that is chosen",
        ),
        "3/oracle": _from_values(),
        "4/jeffreys": _jeffreys(),
        "4/informed": _informed(),
    }


def _from_values() -> Statement:
    """The divergence from N + 1 values of each curve, in one pass.

    A shift left and down by kappa keeps alpha - beta and takes 2 kappa from alpha + beta: with both curves in those
    coordinates the divergence is half of the largest gap, at a value of either.
    """
    one, other, off, shown = gauss(), laplace(), 0.0, []
    for n in (10, 100, 1000):
        alpha = np.linspace(0.0, 1.0, n + 1)
        sides: list[tuple[FloatArray, FloatArray]] = []
        for g in (one, other):
            beta = np.asarray(g.beta(alpha))
            sides.append((alpha - beta, alpha + beta))
        (u, v), (x, y) = sides
        at = np.concatenate([u, x])
        gap = float(np.max(np.interp(at, u, v) - np.interp(at, x, y))) / 2.0
        error = abs(gap - compare(one, other).divergence) * n
        off = max(off, error)
        shown.append(f"{error:.2g} / N")
    return Statement(off <= 1.0, f"Delta(Gauss || Laplace) from N + 1 values of each curve and one pass over them, "
                     f"N = 10, 100, 1000: off by {', '.join(shown)}")  # fmt: skip


def _jeffreys() -> Statement:
    """The square root of the information that one membership has on its probability, against Beta(1/2, 1/2)."""
    prior = np.linspace(0.01, 0.99, 99)
    information = sum(p * slope**2 for p, slope in ((prior, 1.0 / prior), (1.0 - prior, -1.0 / (1.0 - prior))))
    mass = float(integrate.quad(lambda p: (p * (1.0 - p)) ** -0.5, 0.0, 1.0)[0])
    off = float(np.max(np.abs(np.sqrt(information) / mass - stats.beta(0.5, 0.5).pdf(prior))))
    return Statement(off < 1e-6 and abs(mass - math.pi) < 1e-6, "the root of the information of one draw, over its "
                     "integral, pi, is that density, at 99 priors")  # fmt: skip


def _informed() -> Statement:
    """What the laws of the attacker's prior give to strong beliefs, below 0.1 and above 0.9."""
    strong = np.concatenate([np.linspace(1e-9, 0.1, 20001)[None], np.linspace(0.9, 1.0 - 1e-9, 20001)[None]])
    law = UQuadratic()
    mass = [float(np.sum(integrate.trapezoid(np.asarray(law.pdf(part)), part))) for part in strong]
    beta = 2.0 * float(stats.beta(0.5, 0.5).cdf(0.1))
    return Statement(
        sum(mass) > beta > 0.2,
        f"priors below 0.1 or above 0.9 have probability {sum(mass):.3f} by UQuadratic[0, 1], {beta:.3f} by "
        "Beta(0.5, 0.5), 0.2 by the uniform law",
    )
