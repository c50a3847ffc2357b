"""Ours for the statements of the blog post."""

from __future__ import annotations

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.comparison import compare
from neyman.guarantees import GDP, PERFECT, ApproximateDP, PureDP
from neyman.mechanisms import Gaussian
from neyman_papers.cases import CIFAR_RATE, census, dpsgd, fit, laplace, response
from neyman_papers.introduction.limits import any_limit_statement
from neyman_papers.verdict import Number, Ours, Statement
from neyman_papers.words import within

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


def _coloured() -> Statement:
    """The two areas of Figure 4, mu = 2, as the false positive rate falls."""
    rate = np.linspace(0.5, 0.01, 50)
    threshold, missed = special.ndtri(1.0 - rate), np.asarray(GDP(2.0).beta(rate))
    return Statement(
        bool(np.all(np.diff(threshold) > 0.0) and np.all(np.diff(missed) > 0.0)),
        f"mu = 2, 50 rates: as the area of false positives shrinks from 0.5 to 0.01 the threshold moves right, from "
        f"{threshold[0]:.2f} to {threshold[-1]:.2f}, and that of false negatives grows from {missed[0]:.4f} to "
        f"{missed[-1]:.4f}",
    )


def _tests() -> dict[str, Ours]:
    """Tests between N(0, 1) and N(2, 1): on the likelihood ratio, and on the distance from either mean."""
    alpha = np.linspace(0.01, 0.99, 99)
    green = special.ndtr(special.ndtri(1.0 - alpha) - 2.0)  # false negatives of "X above t"
    far = -special.ndtri(0.5 * alpha)  # reject where |X| is above it
    near = np.sqrt(special.chndtrix(alpha, 1.0, 4.0))  # reject where |X - 2| is below it
    others = {
        "|X|": special.ndtr(far - 2.0) - special.ndtr(-far - 2.0),
        "|X - 2|": 2.0 * special.ndtr(-near),
    }
    shown = ", ".join(f"{name} {missed[9]:.3f}" for name, missed in others.items())
    best = bool(np.all([missed >= green - 1e-12 for missed in others.values()]))
    x, step = np.linspace(-12.0, 14.0, 26001), 1e-3
    p, q = (np.exp(-0.5 * (x - mean) ** 2) * step / np.sqrt(2.0 * np.pi) for mean in (0.0, 2.0))
    place = np.argsort(-q / p, kind="stable")
    off = float(np.max(np.abs(np.interp(alpha, np.cumsum(p[place]), 1.0 - np.cumsum(q[place]))
                              - np.asarray(GDP(2.0).beta(alpha)))))  # fmt: skip
    return {
        "figure-2": Statement(off < 1e-5, f"mu = 2: the trade-off function of these two laws, cut into 26,001 pieces, "
                                          f"is G_mu {within(off)}"),
        "neyman-pearson": Statement(best, f"mu = 2, FPR 0.1: a threshold on the ratio misses {green[9]:.3f}, tests by "
                                          f"{shown}; none is better at 99 rates"),
        "green": Statement(best, f"mu = 2, FPR 0.1: the area is {green[9]:.4f}, and tests miss at least that, by "
                                 f"{shown}; at 99 rates"),
    }  # fmt: skip


def _converted() -> dict[str, Ours]:
    """From one pair to Gaussian DP, and a result on (epsilon, delta) that is of use for f."""
    pair, rate = ApproximateDP(1.0, 1e-5), 0.1
    epsilon = np.linspace(0.0, 3.0, 31)
    known = rate * np.asarray(GDP(1.0).delta(epsilon))
    sampled = account(Gaussian(1.0).poisson(rate), adjacency="remove")
    off = float(np.max(np.abs(np.asarray(sampled.delta(np.log1p(rate * np.expm1(epsilon)))) - known)))
    return {
        "convert/gaussian": Statement(
            bool(np.isfinite(pair.mu())),
            f"(1, 1e-5): f(0) = {float(pair.beta(0.0)):.5f}, below that of every Gaussian DP, which is 1; the other "
            f"way mu = 1 has delta(1) = {float(GDP(1.0).delta(1.0)):.4f}",
        ),
        "existing": Statement(
            off < 1e-6, "sampling at rate 0.1 turns (epsilon, delta) into (log(1 + 0.1 (e^epsilon - 1)), 0.1 delta): "
            f"so read of the profile of mu = 1, it gives that of the sampled mechanism, record removed, {within(off)}"
        ),
    }  # fmt: skip


def _gaussian() -> dict[str, Ours]:
    """What is said of Gaussian differential privacy and of its figures, mu = 2."""
    alpha, g, two = np.linspace(0.001, 0.999, 99), account(Gaussian(0.5)), GDP(2.0)
    x = np.linspace(-3.0, 5.0, 81)
    ratio = np.exp(-0.5 * (x - 2.0) ** 2) / np.exp(-0.5 * x * x)  # of the densities of N(2, 1) and N(0, 1)
    above, below = special.ndtr(-x), special.ndtr(x - 2.0)
    sgd = fit(dpsgd(9.4, CIFAR_RATE, 2000))[0]
    return {
        "mechanism": Statement(
            float(np.max(np.abs(np.asarray(g.beta(alpha)) - np.asarray(two.beta(alpha))))) < 1e-9, "sigma 0.5: mu 2"
        ),
        "sgd": Number.computed(
            sgd.regret, f"regret of mu = {sgd.mu:.4f} for DP-SGD with noise 9.4, rate 0.32768, 2000 steps, floor 1e-10"
        ),
        "ratio": Statement(bool(np.all(np.diff(ratio) > 0.0)), "mu = 2, X from -3 to 5"),
        "rates": Statement(
            float(np.max(np.abs(np.asarray(two.beta(above)) - below))) < 1e-9,
            "mu = 2, 81 thresholds: the formula turns P(X > t) under H0 into P(X < t) under H1",
        ),
        "red": _coloured(),
        "lower": Statement(bool(np.all(np.diff(np.asarray(two.beta(alpha))) < 0.0)), "mu = 2, at 99 rates"),
    }


def _laws() -> dict[str, Ours]:
    """What is said of the laws behind a curve, and of the values of a curve."""
    others = {"Laplace, b = 1": laplace(), "randomised response, epsilon 1": response(1.0)}
    kept = {name: g.satisfies(GDP(g.tail_mu)).outcome == "yes" for name, g in others.items()}
    mus = ", ".join(f"{name} {g.tail_mu:.4f}" for name, g in others.items())
    pair, alike = np.asarray(ApproximateDP(1.0, 0.05).beta(np.linspace(0.0, 1.0, 401))), PERFECT
    epsilon = dpsgd(9.4, CIFAR_RATE, 2000).epsilon(1e-5)
    return {
        "h0": Statement(
            not any(kept.values()), f"mu-GDP as well, mu: {mus}; neither has a normal output, and one of them has two "
            "answers"
        ),
        "form": Statement(
            not any(kept.values()), f"mu-GDP as well, mu: {mus}: the definition bounds the curve, whatever the laws"
        ),
        "domain": Statement(
            bool(np.max(pair) > 1.0 - 1e-9),
            f"(1, 0.05): alpha goes from 0 to 1, beta(alpha) from {np.min(pair):g} to {np.max(pair):g}: beta is the "
            "value"
        ),
        "line": Statement(
            bool(np.allclose(np.asarray(alike.beta(np.array([0.1, 0.5]))), [0.9, 0.5], rtol=0.0, atol=1e-12))
            and alike.delta(0.0) == 0.0, "the curve 1 - alpha: advantage and delta(0) are 0"
        ),
        "sgd/private": Statement(
            bool(np.isfinite(epsilon)), f"noise 9.4, rate 0.32768, 2000 steps: epsilon {epsilon:.4f} at delta 1e-5"
        ),
    }  # fmt: skip


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
    pair = np.asarray(ApproximateDP(1.0, 0.05).beta(np.linspace(0.0, 1.0, 401)))
    return {
        "boundary": Statement(
            bool(np.all(np.diff(pair) <= 1e-12) and np.all(np.diff(pair, 2) >= -1e-9)
                 and np.all(pair <= 1.0 - np.linspace(0.0, 1.0, 401))), "(1, 0.05), at 401 points"
        ),
        "higher": Statement(
            compare(GDP(0.6), BASE).order == "more_private" and GDP(0.6).bayes_error(0.5) > BASE.bayes_error(0.5),
            "mu 0.6 and 1: a guess from even odds errs more often against the higher curve",
        ),
        "kinked": Statement(
            FRIENDS["kinked, crosses f"].beta(0.0) < 1.0, "that of (0.8, 0.1): straight pieces, f(0) = 0.9"
        ),
        **_gaussian(),
        **_laws(),
        **_tests(),
        **_converted(),
        "example": Number.computed(mu, f"mu with G_mu(0.05) = {GDP(mu).beta(0.05):.3f}"),
        "shape": _shaped(),
        "figure-1": Statement(
            list(outcomes.values()) == ["yes", "no", "no"], "; ".join(f"{k}: {v}" for k, v in outcomes.items())
        ),
        "tight": Statement(
            added > 1.5 * exact, f"ten Gaussians of sigma 3, delta 1e-5: {added:.2f} by adding pairs, {exact:.3f} "
                                 "exactly"
        ),
        "limit": any_limit_statement(),
        "formula": Statement(apart < 1e-9, f"mu = 2: {within(apart)}"),
        "less": Statement(compare(GDP(0.9), GDP(1.0)).order == "more_private", "mu 0.9 against 1"),
        "half": Number.computed(100.0 * GDP(0.5).advantage),
        "six": Statement(six < 0.01, f"its point closest to the origin has both errors at {six:.5f}"),
        "convert": Statement(back < 1e-9, f"mu = 1, epsilon to delta and back: {within(back)}"),
    }  # fmt: skip
