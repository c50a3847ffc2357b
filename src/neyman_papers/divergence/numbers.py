"""Ours for the numbers and statements of the divergence paper."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.comparison import UQuadratic, compare, dominance_bound, moments
from neyman.guarantees import BLATANT, GDP, PERFECT, Guarantee
from neyman.mechanisms import Gaussian, Laplace, Mechanism
from neyman_papers.cases import dpsgd, laplace, response
from neyman_papers.divergence.series import gauss
from neyman_papers.verdict import Number, Ours, Statement

__all__ = ["canonical", "laws", "tightness", "weighed"]


def canonical() -> dict[str, Ours]:
    """Gauss against Laplace, Fig. 2, 3 and 8."""
    c = compare(gauss(), laplace())
    forth, back = c.bounds
    first = c.crossings[0]
    prior = [1.0 / (1.0 + float(np.exp(-end))) for end in (first.low, first.high)]
    kappa = forth.upper
    alpha = np.linspace(0.0, 1.0 - kappa, 2001)
    shifted = np.asarray(gauss().beta(alpha + kappa)) - kappa
    restored = bool(np.all(shifted <= np.asarray(laplace().optimistic.beta(alpha)) + 1e-12))
    places = [x.prior for x in c.crossings]
    inside = gauss().bayes_error(0.5) > laplace().optimistic.bayes_error(0.5)
    outside = [laplace().bayes_error(p) > gauss().optimistic.bayes_error(p) for p in (0.1, 0.3, 0.7, 0.9)]
    return {
        "2/crosses": Statement(c.order == "incomparable", f"sigma = 1, b = 1: at priors {places[0]:.4f}, "
                                                          f"{places[-1]:.4f}"),
        "2/restores": Statement(restored, f"sigma = 1, b = 1: by {kappa:.6f}, at 2001 points"),
        "3/prior": Number(min(prior), max(prior), note="P(record absent); the other crossing is its mirror image"),
        "3/forth": Number(forth.lower, forth.upper),
        "3/back": Number(back.lower, back.upper),
        "3/smaller": Statement(forth.upper < back.lower, f"{forth.upper:.5f} against {back.lower:.5f}"),
        "3/narrow": Statement(
            inside and all(outside), f"between {places[0]:.3f} and {places[-1]:.3f}, by at most {forth.upper:.4f}"
        ),
        "corollary-1": _three_roads(forth.lower, forth.upper),
    }  # fmt: skip


def _three_roads(lower: float, upper: float) -> Statement:
    """Delta(Gauss || Laplace) by Bayes errors, by profiles and by shifting f, each on a grid."""
    prior = np.linspace(1e-4, 1.0 - 1e-4, 20001)
    epsilon = np.linspace(-6.0, 6.0, 20001)
    alpha = np.linspace(0.0, 1.0, 20001)
    by_errors = float(np.max(gauss().bayes_error(prior) - np.asarray(laplace().bayes_error(prior))))
    gap = np.asarray(laplace().delta(epsilon)) - np.asarray(gauss().delta(epsilon))
    by_profiles = float(np.max(gap / (1.0 + np.exp(epsilon))))
    low, high, goal = 0.0, 0.5, np.asarray(laplace().beta(alpha))
    for _ in range(50):
        kappa = 0.5 * (low + high)
        moved = np.where(alpha + kappa <= 1.0, gauss().beta(np.minimum(alpha + kappa, 1.0)), 0.0) - kappa
        low, high = (low, kappa) if np.all(moved <= goal) else (kappa, high)
    roads = (high, by_profiles, by_errors)
    agree = all(abs(road - lower) < 1e-6 for road in roads) and upper - lower < 1e-9
    return Statement(agree, "by f {:.7f}, by delta {:.7f}, by Bayes error {:.7f}, on grids".format(*roads))


def laws() -> dict[str, Ours]:
    """Lemmas and sections 2 to 4, over a few mechanisms."""
    cases: dict[str, Guarantee] = {
        "Gauss": gauss(), "Laplace": laplace(), "randomised response": response(1.0), "DP-SGD": dpsgd(2.0, 0.1, 400),
    }  # fmt: skip
    said = ", ".join(cases)
    private = {name: compare(PERFECT, g).bounds[0] for name, g in cases.items()}
    blatant = {name: compare(g, BLATANT).bounds[0] for name, g in cases.items()}
    half = all(abs(private[n].upper - 0.5 * g.advantage) < 1e-6 for n, g in cases.items())
    fixed = all(abs(blatant[n].upper - g.fixed_point) < 1e-6 for n, g in cases.items())
    between = all(
        compare(PERFECT, g).order == "more_private" and compare(g, BLATANT).order == "more_private"
        for g in cases.values()
    )
    sums = [(private[n].lower + blatant[n].lower, private[n].upper + blatant[n].upper) for n in cases]
    peak = all(g.bayes_error(0.5) >= np.max(g.optimistic.bayes_error(np.linspace(0.0, 1.0, 201))) - 1e-6
               for g in cases.values())  # fmt: skip
    g = gauss()
    star, point = g.bayes_error(0.5), g.fixed_point
    return {
        "lemma-2": Statement(between, said),
        "lemma-3": Statement(half, said),
        "lemma-4": Statement(fixed, said),
        "lemma-5": Number(min(low for low, _ in sums), max(high for _, high in sums), note=f"of {said}"),
        "s2/half": Statement(peak, said),
        "s2/lossless": _lossless(),
        "8/star": Statement(abs(star - point) < 1e-12, f"Gauss, sigma = 1: {star:.9f}"),
        "renyi": _renyi(),
        "metric": _triangle(tuple(cases.values()), said),
        "ranked": Statement(
            all(
                compare(GDP(mu), GDP(1.0)).order == order
                for mu, order in ((0.3, "more_private"), (1.1, "less_private"))
            ),
            "mu 0.3, 1.0 and 1.1",
        ),
        **_composed(),
    }


def _lossless() -> Statement:
    """f from R by eq. 4, on a grid of priors."""
    prior = np.linspace(0.0, 0.9995, 4000)
    error = np.asarray(gauss().bayes_error(prior))
    alpha = np.linspace(0.01, 0.99, 99)
    back = np.max(-np.outer(alpha, prior / (1.0 - prior)) + error / (1.0 - prior), axis=1)
    gap = float(np.max(np.abs(back - np.asarray(gauss().beta(alpha)))))
    return Statement(gap < 1e-5, f"Gauss, sigma = 1: to {gap:.0e} from 4000 priors")


def _renyi() -> Statement:
    """Less noise dominates; Gauss has larger divergences than Laplace, yet does not dominate it."""
    order = np.concatenate([[1.0], np.geomspace(1.05, 1000.0, 60)])
    small, large, other = (np.asarray(g.renyi(order)) for g in (laplace(1.2), laplace(), gauss()))
    dominates = compare(laplace(1.2), laplace()).order == "more_private" and bool(np.all(large >= small))
    converse = compare(gauss(), laplace()).order == "incomparable" and bool(np.all(other >= large))
    said = (
        "Laplace(1) dominates Laplace(1.2); Gauss(1) has larger divergences than Laplace(1) at orders 1 to 1000, and "
        "their curves cross"
    )
    return Statement(dominates and converse, said)


def _triangle(cases: tuple[Guarantee, ...], said: str) -> Statement:
    pairs = combinations(range(len(cases)), 2)
    distance = {frozenset(pair): compare(cases[pair[0]], cases[pair[1]]).distance for pair in pairs}
    fine = all(
        distance[frozenset((i, k))] <= distance[frozenset((i, j))] + distance[frozenset((j, k))] + 1e-9
        for i, j, k in permutations(range(len(cases)), 3)
    )
    return Statement(fine, said)


def _composed() -> dict[str, Ours]:
    """What composition keeps, and what it brings."""
    ten = compare(account(Laplace(1.0) ** 10), account(Laplace(1.2) ** 10)).order
    a, b = Laplace(1.0), Gaussian(1.2)
    copies = (1, 4, 16)
    found = [compare(account(a**n), account(b**n)).divergence for n in copies]
    shown = ", ".join(f"N = {n}: {value:.1e}" for n, value in zip(copies, found, strict=True))
    larger = moments(a).eta > moments(b).eta
    fast = all(value <= found[0] / n**0.5 + 1e-9 for n, value in zip(copies, found, strict=True))
    return {
        "composed": Statement(ten == "less_private", "Laplace 1.0 against 1.2, ten times each"),
        "emerges": Statement(larger and fast, f"Laplace(1) against Gauss(1.2): {shown}"),
    }


def tightness() -> dict[str, Ours]:
    """The example of Theorem 3."""
    steps: tuple[tuple[Mechanism, int], ...] = (
        (Gaussian(2.0).poisson(9e-4), 1_400_000), (Gaussian(3.0).poisson(9e-4), 3_400_000),
    )  # fmt: skip
    (a, n), (b, m) = steps
    bound = dominance_bound(moments(a), n, moments(b), m)
    alone = 0.56 * moments(a).error / n**0.5
    mine, other = account(a**n), account(b**m)
    forth, back = compare(mine, other).bounds
    epsilons = mine.epsilon(5e-7), other.epsilon(5e-7)
    box = _over_the_rounding(moments(a).eta, moments(b).eta)
    return {
        "t3/predicted": Number.computed(bound.value, f"its first term alone: {alone:.3g}"),
        "t3/computed": Number(forth.lower, forth.upper, note=f"the other direction: at most {back.upper:.1g}. {box}"),
        "t3/applies": Statement(
            bound.applies, f"N / N~ = {bound.ratio:.5f}, eta~^2 / eta^2 = {bound.needed:.5f}. {box}"
        ),
        "t3/jft": Statement(
            max(epsilons) <= 8.0,
            f"epsilon(5e-7) of the two mechanisms is at most {epsilons[0]:.4f} and {epsilons[1]:.4f}",
        ),
    }


def _over_the_rounding(eta: float, other: float) -> str:
    """What the rounding of N and N~ to two digits leaves open; mu is 2 eta sqrt(N) (equation 12, in the limit)."""
    ends = [
        2.0 * (other * math.sqrt(m) - eta * math.sqrt(n))
        for n, m in ((1.45e6, 3.35e6), (1.4e6, 3.4e6), (1.35e6, 3.45e6))
    ]
    mu = 2.0 * eta * math.sqrt(1.4e6)
    needed = -2.0 * float(special.ndtri(special.ndtr(-0.5 * mu) - 7.5e-4)) - mu
    return (
        f"mu~ - mu is {ends[1]:.4f}, and from {ends[0]:.4f} to {ends[2]:.4f} over all N and N~ that round to the "
        f"stated two "
        f"digits; the condition holds where it is 0 or less, and a divergence that rounds to 8e-4 needs {needed:.4f}"
    )


def weighed() -> dict[str, Ours]:
    """Fig. 4 with mechanisms of our own."""
    from scipy import stats

    from neyman_papers.divergence.series import sgms

    c = compare(*(account(mechanism) for mechanism in sgms()))
    beliefs = {"beta": stats.beta(0.5, 0.5), "quadratic": UQuadratic()}
    pairs = {"none": (c.divergence, c.reverse)}
    for name, law in beliefs.items():
        found = c.weighted(law)
        pairs[name] = (found.divergence, found.reverse)
    chosen = "M: (0.36, 0.0155, 30), M~: (0.22, 0.0065, 30), noise, rate, steps"
    numbers: dict[str, Ours] = {
        f"4/{name}/{way}": Number.computed(value, chosen)
        for name, pair in pairs.items()
        for way, value in zip(("forth", "back"), pair, strict=True)
    }
    first = {name: forth < back for name, (forth, back) in pairs.items()}
    return numbers | {
        "4/kept": Statement(first["beta"] == first["none"], chosen),
        "4/turned": Statement(first["quadratic"] != first["none"], chosen),
    }
