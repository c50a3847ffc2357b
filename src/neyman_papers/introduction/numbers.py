"""Ours for what the passage and the blog post state."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.comparison import compare
from neyman.guarantees import GDP, RDP, ZCDP, ApproximateDP, PureDP
from neyman.mechanisms import Gaussian
from neyman_papers.cases import laplace, response
from neyman_papers.introduction.limits import any_limit_statement
from neyman_papers.verdict import Ours, Statement
from neyman_papers.words import within

__all__ = ["passage"]


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
    return Statement(worst < 1e-3, f"Laplace, randomised response, Gauss: {within(worst)}, on grids")


def _special() -> Statement:
    """Whether each promise of pure, approximate, Renyi and zero-concentrated DP is that of some f, no more, no less."""
    alpha = np.linspace(0.0, 1.0, 401)
    kinds = (PureDP(1.0), ApproximateDP(1.0, 1e-3), RDP([2.0, 8.0], [1.0, 4.0]), ZCDP(0.5))
    kept = (response(1.0), response(1.0), account(Gaussian(1.0)), account(Gaussian(1.0)))
    implied = all(
        bool(np.all(np.asarray(g.optimistic.beta(alpha)) >= np.asarray(kind.beta(alpha)) - 1e-12))
        for kind, g in zip(kinds, kept, strict=True)
    )
    said = "each of the four implies f-DP with a curve of its own; for pure and approximate DP that curve says the same"
    return Statement(implied and _order_2()[-1] <= 0.5, f"{said}, for (2, 0.5)-RDP it says less: {_cuts()}")


def _variants() -> Statement:
    """Whether the curve of (2, 1/2)-RDP gives that promise back."""
    return Statement(
        _order_2()[-1] <= 0.5,
        f"(2, 0.5)-RDP: a mechanism with all its (epsilon, delta) may have an infinite divergence of order 2: "
        f"{_cuts()}",
    )


_ENDS = (1e-8, 1e-11, 1e-14)  # the least alpha > 0 of each polygon


@cache
def _order_2() -> tuple[float, ...]:
    """The divergence of order 2 of polygons through the curve of (2, 1/2)-RDP, ever closer to alpha = 0.

    A polygon through points of the curve is above it, so that its divergence, log of the sum of (change of beta)^2 /
    (change of alpha), is at most that of the curve.
    """
    found: list[float] = []
    for end in _ENDS:
        alpha = np.unique(np.concatenate([np.geomspace(end, 0.1, 300), np.linspace(0.0, 1.0, 201)]))
        beta = np.asarray(RDP([2.0], [0.5]).optimistic.beta(alpha))
        found.append(float(np.log(np.sum(np.diff(beta) ** 2 / np.diff(alpha)))))
    return tuple(found)


def _cuts() -> str:
    shown = ", ".join(f"{value:.2f} ({end:g})" for value, end in zip(_order_2(), _ENDS, strict=True))
    return (
        "near 0 its curve is 1 - sqrt((e^0.5 - 1) alpha), so that the integral of f'^2 diverges like log(1 / alpha); "
        f"polygons that start at some alpha have {shown}"
    )


def _subsets() -> Statement:
    """Randomised response: the type II errors of all subsets of its answers, and of a test that flips a coin."""
    keep = math.e / (1.0 + math.e)
    alpha, errors = 0.1, {0.0: 1.0, 1.0 - keep: 1.0 - keep, keep: keep, 1.0: 0.0}  # of the four subsets
    least = min(second for first, second in errors.items() if first <= alpha)
    coin = 1.0 - alpha / (1.0 - keep) * keep  # the answer that speaks for H1 is rejected upon, now and then
    return Statement(
        least <= coin + 1e-9,
        f"randomised response, epsilon 1, type I error at most 0.1: a subset has a type II error of {least:g}, a test "
        f"that flips a coin {coin:.4f}, and f(0.1) = {float(response(1.0).beta(alpha)):.4f}",
    )


def _as_others() -> Statement:
    """The rule of zCDP beside that of GDP."""
    one, two = account(Gaussian(1.0)), account(Gaussian(0.5))
    both = account(Gaussian(1.0) * Gaussian(0.5))
    return Statement(
        None,
        f"Gaussian mechanisms, mu 1 and 2: rho {one.zcdp():g} and {two.zcdp():g} add up to {both.zcdp():g} = mu^2 / 2, "
        f"mu = {both.mu():.6f}: zCDP has the same rule for rho = mu^2 / 2, and of any mechanisms",
    )


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
            bool(np.all(attacker >= -1e-12)), "200 thresholds against mu = 1.25: none below f"
        ),
        "gaussian": Statement(apart < 1e-9, f"sigma = 0.8: {within(apart)}"),
        "two": Statement(abs(two - math.sqrt(5.0)) < 1e-6, f"mu 1 and 2: {two:.9f}"),
        "subset": _subsets(),
        "unique": _as_others(),
        "many": Statement(abs(many.mu() - 5.0) < 1e-6 and GDP(5.0).mu() == 5.0, "a hundred of mu 0.5: "
            f"{many.mu():.9f}"),
        "limit": any_limit_statement(),
        "loose": Statement(
            added > 3.0 * exact, f"a hundred Gaussians of sigma 2, delta 1e-5: {added:.1f} by adding, {exact:.2f} "
                                 "exactly"
        ),
    }  # fmt: skip
