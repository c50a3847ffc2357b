"""Ours for the statements of the blog post."""

from __future__ import annotations

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.comparison import compare
from neyman.guarantees import GDP, ApproximateDP, PureDP
from neyman.mechanisms import Gaussian
from neyman_papers.cases import census, laplace, response
from neyman_papers.introduction.numbers import limit_statement
from neyman_papers.verdict import Number, Ours, Statement

__all__ = ["BASE", "FRIENDS", "statements"]

BASE = GDP(1.0)
"""The solid curve of Figure 1."""

FRIENDS = {"above f: f-DP": GDP(0.6), "crosses f": PureDP(1.2), "kinked, crosses f": ApproximateDP(0.8, 0.1)}
"""The other curves of Figure 1: one that is f-DP, two that are not."""


def _shaped() -> Statement:
    alpha = np.linspace(0.0, 1.0, 401)
    fine = True
    for g in (laplace(), response(1.0), census(), BASE):
        f = np.asarray(g.beta(alpha))
        fine &= bool(np.all(np.diff(f) <= 1e-9) and np.all(np.diff(f, 2) >= -1e-9) and np.all(f <= 1.0 - alpha))
    return Statement(fine, "Laplace, randomised response, TopDown, Gauss, at 401 points")


def statements() -> dict[str, Ours]:
    """All of them."""
    mu = float(special.ndtri(0.95) - special.ndtri(0.1))
    outcomes = {name: g.satisfies(BASE).outcome for name, g in FRIENDS.items()}
    ten = account(Gaussian(3.0) ** 10)
    added, exact = 10.0 * account(Gaussian(3.0)).epsilon(1e-6), ten.epsilon(1e-5)
    alpha = np.linspace(0.001, 0.999, 99)
    apart = float(np.max(np.abs(np.asarray(GDP(2.0).beta(alpha)) - special.ndtr(special.ndtri(1.0 - alpha) - 2.0))))
    six = GDP(6.0).fixed_point
    epsilon = np.linspace(0.0, 3.0, 31)
    back = max(
        abs(float(GDP(1.0).epsilon(float(d))) - e) for e, d in zip(epsilon, GDP(1.0).delta(epsilon), strict=True)
    )
    return {
        "example": Number.computed(mu, f"mu with G_mu(0.05) = {GDP(mu).beta(0.05):.3f}"),
        "shape": _shaped(),
        "figure-1": Statement(
            list(outcomes.values()) == ["yes", "no", "no"], "; ".join(f"{k}: {v}" for k, v in outcomes.items())
        ),
        "tight": Statement(
            added > 1.5 * exact, f"ten Gaussians of sigma 3, delta 1e-5: {added:.2f} by adding pairs, {exact:.3f} "
                                 "exactly"
        ),
        "limit": limit_statement(),
        "formula": Statement(apart < 1e-9, f"mu = 2: within {apart:.0e}"),
        "less": Statement(compare(GDP(0.9), GDP(1.0)).order == "more_private", "mu 0.9 against 1"),
        "half": Number.computed(100.0 * GDP(0.5).advantage),
        "six": Statement(six < 0.01, f"its point closest to the origin has both errors at {six:.5f}"),
        "convert": Statement(back < 1e-9, f"mu = 1, epsilon to delta and back: within {back:.0e}"),
    }  # fmt: skip
