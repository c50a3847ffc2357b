"""Sections 1 to 4 of the divergence paper: what it states of Bayes errors, of the divergence and of dominance."""

from __future__ import annotations

import math

import numpy as np
from scipy import integrate

from neyman import join, meet
from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare, dominance_bound, moments
from neyman.guarantees import BLATANT, PERFECT, Guarantee
from neyman.mechanisms import Gaussian, Laplace, Mechanism
from neyman_papers.cases import dpsgd, laplace, response
from neyman_papers.divergence.series import gauss, same_pair
from neyman_papers.introduction.limits import limit_statement
from neyman_papers.verdict import NEAR, Ours, Statement

__all__ = ["bayes", "dominance", "emergence", "never"]

_PRIOR: FloatArray = np.linspace(0.0, 1.0, 2001)
_ALPHA: FloatArray = np.linspace(0.0, 1.0, 2001)


def _cases() -> dict[str, Guarantee]:
    return {
        "Gauss": gauss(),
        "Laplace": laplace(),
        "randomised response": response(1.0),
        "DP-SGD": dpsgd(2.0, 0.1, 400),
    }


def bayes() -> dict[str, Ours]:
    """Notation and Section 2: total variation, the prior, the Bayes error function."""
    cases = _cases()
    said = ", ".join(cases)
    fine = True
    for g in cases.values():
        error = np.asarray(g.bayes_error(_PRIOR))
        fine &= bool(
            error[0] == error[-1] == 0.0
            and np.all(error <= np.minimum(_PRIOR, 1.0 - _PRIOR) + 1e-12)
            and np.all(np.diff(error, 2) <= NEAR)
        )
    least = {name: float(np.min(1.0 - _ALPHA - np.asarray(g.beta(_ALPHA)))) for name, g in cases.items()}
    most = {name: g.advantage for name, g in cases.items()}
    shown = ", ".join(f"{name} {least[name] + 0.0:.0f} and {most[name]:.4f}" for name in cases)
    few, many = same_pair()
    crossed = compare(few.guarantee, many.guarantee).crossings
    at = sorted(abs(0.5 * (x.low + x.high)) for x in crossed)
    return {
        "tv/min": Statement(all(abs(least[n] - most[n]) < 1e-6 for n in cases), f"least and "
                            f"largest 1 - alpha - f: {shown}"),
        "s2/shape": Statement(fine, f"{said}, at 2001 priors"),
        "prior": _prior(),
        "1/everywhere": Statement(len({round(x, 3) for x in at}) == 1, "our two runs: the profiles cross at epsilon "
                                  + ", ".join(f"{x:.3f}" for x in dict.fromkeys(round(x, 3) for x in at))
                                  + " (and at minus that) and nowhere else"),
        "pair": Statement(
            abs(few.guarantee.delta(4.0) - many.guarantee.delta(4.0)) < 1e-4 and many.divergence[0] > 1e-3,
            f"two runs with (4, {few.guarantee.delta(4.0):.3f}): {many.divergence[0]:.4f} of Bayes error apart",
        ),
        "theorem-1": _equivalent(),
    }  # fmt: skip


def _prior() -> Statement:
    """Equation 1 against the error of a guesser, for two laws whose curve is not symmetric.

    P = (1, 0), Q = (1/2, 1/2): f(alpha) = (1 - alpha) / 2. Who sees the second outcome knows that H1 holds; who sees
    the first takes the likelier hypothesis, and errs with the lesser of P(H0) and P(H1) / 2.
    """
    pi, alpha = 0.2, _ALPHA
    printed = float(np.min(pi * alpha + (1.0 - pi) * 0.5 * (1.0 - alpha)))
    null, member = min(pi, 0.5 * (1.0 - pi)), min(1.0 - pi, 0.5 * pi)
    return Statement(abs(printed - member) < 1e-12, f"laws (1, 0) and (1/2, 1/2), pi = 0.2: equation 2 gives "
                     f"{printed:.3f}; the least error is {null:.3f} if pi is P(H0), and {member:.3f} if it is that "
                     "of membership")  # fmt: skip


def _equivalent() -> Statement:
    """Theorem 1 on a pair that is ranked, and on one that is not."""
    epsilon, good = np.linspace(-6.0, 6.0, 481), []
    for a, b, ranked in ((laplace(), laplace(1.2), True), (gauss(), laplace(), False)):
        curves = bool(np.all(np.asarray(a.beta(_ALPHA)) <= np.asarray(b.optimistic.beta(_ALPHA)) + NEAR))
        profiles = bool(np.all(np.asarray(a.delta(epsilon)) >= np.asarray(b.optimistic.delta(epsilon)) - NEAR))
        errors = bool(np.all(np.asarray(a.bayes_error(_PRIOR)) <= np.asarray(b.optimistic.bayes_error(_PRIOR)) + NEAR))
        good.append(curves == profiles == errors == ranked)
    return Statement(all(good), "Laplace 1 and 1.2: all three hold; Gauss and Laplace: none of them")


def dominance() -> dict[str, Ours]:
    """Sections 3.2 to 3.4: approximate dominance, the metric, the extremes, the lattice."""
    c = compare(gauss(), laplace())
    kappa = c.distance
    inside = _between(gauss(), laplace(), kappa)
    a, b = (np.asarray(g.bayes_error(_PRIOR)) for g in (gauss(), laplace()))
    fine = np.linspace(0.0, 1.0, 40001)
    most = float(np.max(np.abs(np.asarray(gauss().bayes_error(fine)) - np.asarray(laplace().bayes_error(fine)))))
    off = []
    for n in (10, 100, 1000):
        grid = np.linspace(0.0, 1.0, n + 1)
        found = float(np.max(np.asarray(laplace().bayes_error(grid)) - np.asarray(gauss().bayes_error(grid))))
        off.append((c.reverse - found) * n)
    either, both = join(gauss(), laplace()), meet(gauss(), laplace())
    bounds = all(
        compare(either, g).order == "less_private" and compare(both, g).order == "more_private"
        for g in (gauss(), laplace())
    )
    cases = _cases()
    closest = all(
        np.min(np.hypot(_ALPHA, np.asarray(g.beta(_ALPHA)))) >= math.sqrt(2.0) * g.fixed_point - 1e-6
        for g in cases.values()
    )
    epsilon = np.array([-1.0, 0.0, 1.0])
    profile = np.asarray(PERFECT.delta(epsilon))
    zero = max(abs(g.delta(0.0) - g.advantage) for g in cases.values())
    return {
        "theorem-2": _approximate(c.bounds[0].lower, c.bounds[0].upper),
        "grid": Statement(max(off) <= 1.0, "Delta(Laplace || Gauss), N = 10, 100, 1000: off by "
                          + ", ".join(f"{max(x, 0.0):.2g} / N" for x in off)),
        "worst": Statement(abs(float(np.max(a - b)) - c.divergence) < 1e-6, f"Gauss and Laplace: "
                           f"{c.divergence:.6f}, at prior {c.prior:.4f}"),
        "eq6": Statement(abs(most - kappa) < 1.0 / 40000, f"Gauss and Laplace: {most:.7f} at 40,001 priors, "
                         f"{kappa:.7f}"),
        "lemma-1": Statement(inside, f"Gauss and Laplace, {kappa:.6f}, at 2001 error rates"),
        "lemma-1/zero": Statement(compare(gauss(), account(Gaussian(2.0, 2.0))).distance == 0.0 < kappa, "Gauss, and "
                                  "the same with sensitivity and noise doubled: 0; Gauss and Laplace: not 0"),
        "levy": _levy(kappa),
        "perfect": Statement(bool(np.all(profile == 0.0)), f"1 + f*(-e^epsilon) at epsilon -1, 0, 1: {profile[0]:.4f}, "
                                                           f"{profile[1]:.0f}, {profile[2]:.0f}"),
        "blatant": Statement(bool(np.all(np.asarray(BLATANT.delta(epsilon)) == 1.0) and BLATANT.beta(0.0) == 0.0),
                             "f = 0, R = 0, delta = 1"),
        "lemma-3/zero": Statement(zero < NEAR, "the advantage is delta(0), of Gauss, Laplace, randomised response, "
                                                "DP-SGD"),
        "lemma-4/closest": Statement(closest, "Gauss, Laplace, randomised response, DP-SGD, at 2001 error rates"),
        "origin": Statement(BLATANT.fixed_point == 0.0 and BLATANT.bayes_error(0.5) == 0.0
                            and min(g.fixed_point for g in cases.values()) > 0.0, "of f = 0 it is; of "
                            "Gauss, Laplace, randomised response, DP-SGD it is not"),
        "lattice": Statement(bounds, "Gauss and Laplace: of the greatest lower and the least upper bound of their "
                             "curves one is less private than both, the other more"),
        "partial": Statement(compare(gauss(), laplace()).order == "incomparable", "Gauss and Laplace are not ranked"),
    }  # fmt: skip


def _between(one: Guarantee, other: Guarantee, kappa: float) -> bool:
    """Equation 7, curves continued by 1 on the left and by 0 on the right."""
    left, right = _ALPHA - kappa, _ALPHA + kappa
    low = np.where(right <= 1.0, one.beta(np.minimum(right, 1.0)), 0.0) - kappa
    high = np.where(left >= 0.0, one.optimistic.beta(np.maximum(left, 0.0)), 1.0) + kappa
    return bool(np.all(low <= np.asarray(other.optimistic.beta(_ALPHA)) + 1e-12) and np.all(
        np.asarray(other.beta(_ALPHA)) <= high + 1e-12))  # fmt: skip


def _approximate(lower: float, upper: float) -> Statement:
    """Theorem 2: each of its three conditions holds from the divergence on, and none of them a little below it."""
    epsilon, good = np.linspace(-6.0, 6.0, 4801), []
    delta = np.asarray(laplace().delta(epsilon)) - np.asarray(gauss().delta(epsilon))
    error = np.asarray(gauss().bayes_error(_PRIOR)) - np.asarray(laplace().bayes_error(_PRIOR))
    for d, expected in ((upper * 1.001, True), (lower * 0.99, False)):
        moved = np.where(_ALPHA + d <= 1.0, gauss().beta(np.minimum(_ALPHA + d, 1.0)), 0.0) - d
        curves = bool(np.all(moved <= np.asarray(laplace().beta(_ALPHA)) + 1e-12))
        good.append(
            curves
            == bool(np.all(delta <= d * (1.0 + np.exp(epsilon)) + 1e-12))
            == bool(np.all(error <= d + 1e-12))
            == expected
        )
    return Statement(
        all(good), f"Gauss and Laplace: true of {upper * 1.001:.6f}, false of {lower * 0.99:.6f}, all three"
    )


def _levy(kappa: float) -> Statement:
    """The distance of Levy between the distribution functions f(1 - x), by halving on a grid."""
    x = np.linspace(-0.1, 1.1, 2401)

    def law(g: Guarantee, at: FloatArray) -> FloatArray:
        return np.where(at >= 1.0, 1.0, np.where(at < 0.0, 0.0, g.beta(np.clip(1.0 - at, 0.0, 1.0))))

    low, high = 0.0, 0.5
    for _ in range(40):
        e = 0.5 * (low + high)
        held = np.all(law(gauss(), x - e) - e <= law(laplace(), x) + 1e-12) and np.all(
            law(laplace(), x) <= law(gauss(), x + e) + e + 1e-12
        )
        low, high = (low, e) if held else (e, high)
    return Statement(abs(high - kappa) < 1e-5, f"Gauss and Laplace: {high:.6f} by its definition, {kappa:.6f}")


def emergence() -> dict[str, Ours]:
    """Section 4: moments of the loss, Lemma 6, Theorem 3."""
    m, n = moments(Gaussian(1.0)), moments(Laplace(1.0))
    x = np.linspace(-1.0, 1.0, 400001)
    density = 0.25 * np.exp(-0.5 * (x + 1.0))  # of the loss under H0, between its atoms
    second = 0.5 + 0.5 * math.exp(-1.0) + float(integrate.trapezoid(x * x * density, x))
    return {
        "moments": Statement(abs(n.v1 - math.exp(-1.0)) < 1e-9 and abs(n.v2 - second) < 1e-8
                             and abs(m.eta - 0.5) < 1e-9,
                             f"Laplace: v1 = {n.v1:.9f} = 1/e, v2 = {n.v2:.6f}; Gauss: eta = {m.eta:.6f} = mu / 2"),
        "towards": limit_statement(),
        "lemma-6": never(1.05, scaled=True),
        "6/inevitable": never(1.2, scaled=False),
        "theorem-3": _bounded(),
    }  # fmt: skip


def never(sigma: float, scaled: bool) -> Statement:
    """Laplace mechanisms against Gaussian ones, of a smaller K / s and of a smaller eta: 1 / (2 sigma).

    N Laplace mechanisms of scale b are (N / b)-DP: delta(N / b) = 0, where N Gaussian ones have a positive delta.
    Clause 2 of Theorem 1 fails for every N, whether b is 1 or sqrt(N), with which all conditions of Lemma 6 hold.
    """
    holds, shown = False, []
    for n in (1, 4, 16):
        b = math.sqrt(n) if scaled else 1.0
        mine, other = account(Laplace(b) ** n), account(Gaussian(sigma * b) ** n)
        most, least = float(mine.delta(n / b)), float(other.optimistic.delta(n / b))
        holds |= most >= least
        shown.append(f"N = {n}: {most:g} and at least {least:.1e}")
    scale = "sqrt(N)" if scaled else "1"
    said = f"Laplace, b = {scale}, and Gauss, sigma = {sigma:g} b, N times: delta(N / b) of the first and of the second"
    return Statement(holds, f"{said}, {'; '.join(shown)}")


def _bounded() -> Statement:
    """Theorem 3 where it applies."""
    cases: tuple[tuple[Mechanism, int, Mechanism, int], ...] = (
        (Laplace(1.0), 16, Gaussian(1.2), 16), (Laplace(1.0), 64, Laplace(1.2), 64),
        (Gaussian(1.0).poisson(0.1), 400, Gaussian(2.0).poisson(0.1), 400), (Laplace(1.0), 20, Gaussian(1.2), 16),
    )  # fmt: skip
    held, shown = True, []
    for a, n, b, m in cases:
        bound = dominance_bound(moments(a), n, moments(b), m)
        found = compare(account(a**n), account(b**m)).bounds[0].upper
        held &= bound.applies and found <= bound.value
        shown.append(f"{max(found, 1e-12):.1e} <= {bound.value:.1e}")
    return Statement(held, f"four pairs that meet its condition, to 1e-12: {', '.join(shown)}")
