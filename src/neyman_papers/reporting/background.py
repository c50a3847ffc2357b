"""Appendices A and C of the reporting paper: what it recalls of accounting and of conversions, asked of examples."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy import integrate, special

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare
from neyman.conversions import asymptotic_dpsgd_poisson, rdp_best, rdp_profile_cks
from neyman.guarantees import GDP, RDP, ZCDP, ApproximateDP
from neyman.mechanisms import ApproximateMechanism, Gaussian, Laplace, RandomizedResponse
from neyman_papers.cases import CIFAR_RATE, dpsgd, fit, laplace, response
from neyman_papers.introduction.limits import any_limit_statement
from neyman_papers.verdict import NEAR, Number, Ours, Statement
from neyman_papers.words import within

__all__ = ["accountants", "appendix_a", "appendix_c"]

_COPIES = 3  # of randomised response: a law of few losses, so that every breakpoint can be listed


def _gap(a: object, b: object) -> float:
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def appendix_a() -> dict[str, Ours]:
    """A.1, A.2, A.5 and A.6: composition, Renyi divergences, the limit, curves of promises."""
    sums = account(ApproximateMechanism(0.5, 1e-3) * ApproximateMechanism(1.0, 1e-2))
    added = account(Laplace(1.0) * Gaussian(2.0))
    order = np.array([1.5, 2.0, 8.0])
    apart = _gap(added.renyi(order), laplace().renyi(order) + account(Gaussian(2.0)).renyi(order))
    orders = 1.0 + np.geomspace(0.01, 63.0, 400)
    renyi = float(rdp_best(orders, 100.0 * 0.125 * orders, 1e-5))
    summed = 100.0 * account(Gaussian(2.0)).epsilon(1e-7)
    g = dpsgd(9.4, CIFAR_RATE, 2000)
    limit = GDP(asymptotic_dpsgd_poisson(9.4, CIFAR_RATE, 2000).mu)
    above, below = compare(g, limit).bounds  # the limit's delta above the true one, and below it
    one = fit(account(Gaussian(1.0).poisson(0.1)))[1].regret
    return {
        "a1/basic": Statement(sums.delta(1.5) <= 1e-3 + 1e-2, f"(0.5, 1e-3) and (1, 1e-2): delta(1.5) is at most "
                                                              f"{sums.delta(1.5):.5f}"),
        "a1/hockey": _hockey_stick(),
        "a1/kairouz": _kairouz(),
        "a2/added": Statement(apart < 1e-8, f"Laplace 1 and Gauss 2, orders 1.5, 2, 8: {within(apart)}"),
        "a2/tighter": Statement(renyi < summed, f"a hundred Gaussians of sigma 2, delta 1e-5: {renyi:.2f} by Renyi "
                                                f"divergences, {summed:.1f} by adding pairs of delta 1e-7"),
        "a5/limit": any_limit_statement(),
        "a5/profile": Statement(
            above.lower <= 0.0,
            f"DP-SGD of Section 5: the limit's delta is too small near epsilon {abs(below.epsilon):.2f}, by "
            f"{below.lower * (1.0 + math.exp(abs(below.epsilon))):.1e}, and too large near "
            f"{abs(above.epsilon):.2f}, by "
            f"{above.lower * (1.0 + math.exp(abs(above.epsilon))):.1e}",
        ),
        "a5/deviates": Statement(one > 1e-3, f"one step, noise 1, rate 0.1: regret at least {one:.4f}"),
        **_regions(),
    }  # fmt: skip


def _hockey_stick() -> Statement:
    """The divergence of Laplace laws by quadrature."""
    off = 0.0
    for epsilon in (-0.5, 0.0, 0.3, 0.9):
        x = np.linspace(-40.0, 41.0, 810001)
        p, q = 0.5 * np.exp(-np.abs(x)), 0.5 * np.exp(-np.abs(x - 1.0))
        found = float(integrate.trapezoid(np.maximum(q - math.exp(epsilon) * p, 0.0), x))
        off = max(off, abs(found - laplace().delta(epsilon)))
    return Statement(off < 1e-7, f"Laplace, epsilon -0.5 to 0.9: {within(off)}, by quadrature")


def _kairouz() -> Statement:
    """The closed form for equal promises (Kairouz et al. 2015, Theorem 3.3)."""
    epsilon, delta, n = 0.5, 1e-3, 5
    g, off = account(ApproximateMechanism(epsilon, delta) ** n), 0.0
    for i in range(n // 2 + 1):
        terms = [
            math.comb(n, j) * (math.exp((n - j) * epsilon) - math.exp((n - 2 * i + j) * epsilon)) for j in range(i)
        ]
        inside = sum(terms) / (1.0 + math.exp(epsilon)) ** n
        off = max(off, abs(1.0 - (1.0 - delta) ** n * (1.0 - inside) - g.delta((n - 2 * i) * epsilon)))
    return Statement(off < NEAR, f"(0.5, 1e-3) five times: {within(off)}")


def _regions() -> dict[str, Ours]:
    """A.6: the inequalities of orders above, below and at 1, and of several orders together."""
    alpha = np.linspace(0.01, 0.99, 99)
    off = {}
    for name, t in (("above", 4.0), ("below", 0.6), ("at", 1.0)):
        beta = np.asarray(RDP([t], [0.4]).beta(alpha))
        off[name] = float(np.max(np.abs(np.maximum(_spent(t, alpha, beta), _spent(t, beta, alpha))[beta > 0.0] - 0.4)))
    single = [np.asarray(RDP([t], [e]).beta(alpha)) for t, e in ((2.0, 0.5), (8.0, 1.0))]
    both = np.asarray(RDP([2.0, 8.0], [0.5, 1.0]).beta(alpha))
    least = float(np.max(both - np.minimum(*single)))
    pair = np.maximum(np.maximum(0.0, 1.0 - math.e * alpha - 0.05), (1.0 - alpha - 0.05) / math.e)
    dense = np.geomspace(1.01, 200.0, 60)
    one, other = np.asarray(ZCDP(0.5).beta(alpha)), np.asarray(RDP(dense, 0.5 * dense).beta(alpha))
    return {
        **{f"a6/{name}": Statement(gap < 1e-6, f"order {t}, epsilon 0.4: equality on the curve {within(gap)}")
           for (name, gap), t in zip(off.items(), ("4", "0.6", "1"), strict=True)},
        "a6/adp": Statement(_gap(ApproximateDP(1.0, 0.05).beta(alpha), pair) < NEAR, "(1, 0.05)"),
        "a6/minimum": Statement(least <= NEAR if bool(np.all(both >= np.maximum(*single) - NEAR)) else None,
                                f"(2, 0.5) and (8, 1): together the curve is nowhere below the larger of the two, and "
                                f"above the smaller by up to {least:.3f}"),
        "a6/zcdp": Statement(float(np.max(np.abs(one - other))) < 5e-3, f"rho 0.5: within "
                             f"{float(np.max(np.abs(one - other))):.0e} of 60 orders from 1.01 to 200"),
    }  # fmt: skip


def _spent(t: float, alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """The Renyi divergence of order t between the error rates of a test, one way."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if t == 1.0:
            return alpha * np.log(alpha / (1.0 - beta)) + (1.0 - alpha) * np.log((1.0 - alpha) / beta)
        power = (1.0 - beta) ** t * alpha ** (1.0 - t) + beta**t * (1.0 - alpha) ** (1.0 - t)
        return np.log(power) / (t - 1.0)


def accountants() -> dict[str, Ours]:
    """A.3 and A.4, and C.1: losses, their sums, breakpoints, Algorithm 2, and mu from breakpoints."""
    x, p_x, p_y = _losses()
    g = account(RandomizedResponse(1.0) ** _COPIES)
    beyond, below = 1.0 - np.cumsum(p_x), np.cumsum(p_y)
    kinks = np.clip(beyond, 0.0, 1.0)
    alpha = np.linspace(0.0, 0.999, 400)
    off = _gap(_algorithm_2(alpha, x, p_x, p_y), g.beta(alpha))
    slope = np.diff(np.asarray(g.beta(np.sort(np.append(kinks, 1.0))))) / np.diff(np.sort(np.append(kinks, 1.0)))
    between = _gap(-np.exp(x[::-1]), slope)
    mus = special.ndtri(1.0 - beyond[:-1]) - special.ndtri(below[:-1])
    high, low = fit(g)
    epsilon = np.linspace(0.0, 4.0, 41)
    normal = np.array([_expected(float(e), 0.5, 1.0) for e in epsilon])
    summed = np.array([_expected(float(e), 1.0, math.sqrt(2.0)) for e in epsilon])
    lap = _gap([_of_laplace(float(e)) for e in (0.0, 0.3, 0.9)], laplace().delta([0.0, 0.3, 0.9]))
    weaker, stronger = account(Laplace(1.2) * Gaussian(2.0)), account(Laplace(1.0) * Gaussian(1.5))
    return {
        "a.6": Statement(weaker.satisfies(stronger).outcome == "yes", "Laplace 1.2 with Gauss 2, below Laplace 1 with "
                                                                      "Gauss 1.5"),
        "a.7": Statement(_gap(normal, GDP(1.0).delta(epsilon)) < 1e-8 and lap < 1e-8, "Gauss and Laplace, by "
                                                                                      "quadrature: within 1e-8"),
        "a.7/sum": Statement(_gap(summed, account(Gaussian(1.0) ** 2).delta(epsilon)) < 1e-8, "two Gaussian "
                             "mechanisms, mu 1: within 1e-8"),
        "a4/shape": _shaped(),
        "a.8": _dominated(),
        "a.9": _conjugate(),
        "a.9/half": _half(),
        "a.10": Statement(between < 1e-6, f"randomised response, epsilon 1, three times: straight between the "
                                          f"{kinks.size} breakpoints, slopes {within(between)}"),
        "alg2": Statement(off < NEAR and not _undefined_at_one(p_x), f"three randomised responses, epsilon 1: "
                          f"{within(off)} at 400 rates below 1; at alpha = 1 line 1 gives t = 0, and line 2 reads 0 "
                          f"/ 0"),
        "c.1": Statement(abs(float(np.max(mus)) - high.mu) < 1e-6 and high.mu - low.mu < 1e-6
                         and _defined(beyond, below),
                         f"three randomised responses, epsilon 1: {float(np.max(mus)):.9f} over the breakpoints but "
                         f"(0, 1), "
                         f"{high.mu:.9f} over all rates; at (0, 1) the maximum of equation 21 is over inf - inf"),
    }  # fmt: skip


def _losses() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Losses of three randomised responses with epsilon 1, and their laws under P and under Q, by binomials."""
    keep = math.e / (1.0 + math.e)
    k = np.arange(_COPIES + 1)
    many = special.comb(_COPIES, k)
    under_p = many * (1.0 - keep) ** k * keep ** (_COPIES - k)
    return 2.0 * k - _COPIES, under_p, under_p[::-1]


def _algorithm_2(alpha: FloatArray, x: FloatArray, p_x: FloatArray, p_y: FloatArray) -> FloatArray:
    """Algorithm 2 of the paper, line by line."""
    beyond = np.append(1.0, 1.0 - np.cumsum(p_x))
    beyond[-1] = 0.0
    found = []
    for a in alpha:
        t = int(np.argmax(beyond <= a))
        gamma = (a - beyond[t]) / p_x[t - 1]
        found.append(float(np.sum(p_y[:t])) - gamma * p_y[t - 1])
    return np.array(found)


def _undefined_at_one(p_x: FloatArray) -> bool:
    """Whether line 2 divides 0 by 0 at alpha = 1: there t = 0, beyond x_0 = -inf lies all, and at x_0 nothing."""
    return 1.0 - float(np.sum(p_x)) < NEAR


def _defined(beyond: FloatArray, below: FloatArray) -> bool:
    """Whether equation 21 is a number at every breakpoint of Theorem A.10."""
    with np.errstate(invalid="ignore"):
        each = special.ndtri(1.0 - np.clip(beyond, 0.0, 1.0)) - special.ndtri(np.clip(below, 0.0, 1.0))
    return bool(np.all(np.isfinite(each)))


def _expected(epsilon: float, mean: float, deviation: float) -> float:
    """E[1 - e^(epsilon - Y)]+ of a normal Y, by quadrature."""
    y = np.linspace(epsilon, max(mean + 12.0 * deviation, epsilon + 1.0), 200001)
    density = np.exp(-0.5 * ((y - mean) / deviation) ** 2) / (deviation * math.sqrt(2.0 * math.pi))
    return float(integrate.trapezoid(-np.expm1(epsilon - y) * density, y))


def _of_laplace(epsilon: float) -> float:
    """The same of Laplace noise of scale 1: an atom of 1/2 at 1, and between -1 and 1 a density."""
    y = np.linspace(epsilon, 1.0, 200001)
    density = 0.25 * np.exp(0.5 * (y - 1.0))
    return -0.5 * math.expm1(epsilon - 1.0) + float(integrate.trapezoid(-np.expm1(epsilon - y) * density, y))


def _shaped() -> Statement:
    alpha, fine = np.linspace(0.0, 1.0, 401), True
    for g in (laplace(), response(1.0), dpsgd(9.4, CIFAR_RATE, 2000)):
        f = np.asarray(g.beta(alpha))
        fine &= bool(np.all(np.diff(f) <= NEAR) and np.all(np.diff(f, 2) >= -NEAR) and np.all(f <= 1.0 - alpha))
    return Statement(fine, "Laplace, randomised response, DP-SGD of Section 5, at 401 points")


def _dominated() -> Statement:
    yes = laplace(1.2).satisfies(laplace()).outcome == "yes"
    no = laplace(0.8).satisfies(laplace()).outcome == "no"
    return Statement(yes and no, "f of Laplace, b = 1: b = 1.2 satisfies it, b = 0.8 does not")


def _conjugate() -> Statement:
    """Theorem A.9: delta(epsilon) = 1 + f*(-e^epsilon), on a grid of error rates."""
    alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, 20001), np.geomspace(1e-9, 1e-3, 2000)]))
    epsilon, off = np.linspace(-3.0, 3.0, 25), 0.0
    for g in (laplace(), response(1.0), GDP(1.0), dpsgd(9.4, CIFAR_RATE, 2000)):
        conjugate = np.max(-np.exp(epsilon)[:, None] * alpha - np.asarray(g.beta(alpha)), axis=1)
        off = max(off, _gap(1.0 + conjugate, g.delta(epsilon)))
    return Statement(off < 1e-4, f"Laplace, randomised response, Gauss, DP-SGD, epsilon -3 to 3: {within(off)} by "
                     "22,000 error rates")  # fmt: skip


def _half() -> Statement:
    """Of a symmetric curve: delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon)."""
    epsilon = np.linspace(0.0, 3.0, 31)
    off = max(
        _gap(g.delta(-epsilon), -np.expm1(-epsilon) + np.exp(-epsilon) * np.asarray(g.delta(epsilon)))
        for g in (laplace(), GDP(1.0), dpsgd(9.4, CIFAR_RATE, 2000))
    )
    return Statement(off < 1e-8, f"Laplace, Gauss, DP-SGD: the other half follows {within(off)}")


def appendix_c() -> dict[str, Ours]:
    """C.1 to C.3: the bisection, the divergence by profiles, profiles of Renyi divergences."""
    g, report = response(1.0), fit(response(1.0))[0]
    summary = GDP(report.mu)
    alpha = np.linspace(0.0, 1.0, 2001)
    goal = np.asarray(summary.beta(alpha))

    def left(kappa: float) -> float:
        """How far the shifted curve is above its summary somewhere."""
        moved = np.where(alpha + kappa <= 1.0, g.beta(np.minimum(alpha + kappa, 1.0)), 0.0) - kappa
        return float(np.max(moved - goal))

    worst = [left(float(kappa)) for kappa in np.linspace(0.0, 1.0, 41)]
    falls = all(b < a + 1e-12 for a, b in pairwise(worst)) and worst[0] > 0.0 > worst[-1]
    epsilon = np.linspace(-6.0, 6.0, 4801)
    gap = (np.asarray(summary.delta(epsilon)) - np.asarray(g.delta(epsilon))) / (1.0 + np.exp(epsilon))
    by_profiles = float(np.max(gap))
    low, high = 0.0, 1.0
    for _ in range(10):
        kappa = 0.5 * (low + high)
        low, high = (low, kappa) if left(kappa) <= 0.0 else (kappa, high)
    order = np.array([2.0, 4.0, 8.0])
    single = [np.asarray(rdp_profile_cks([t], [0.5 * t], epsilon[2400:])) for t in order]
    true = np.asarray(GDP(1.0).delta(epsilon[2400:]))
    valid = all(bool(np.all(curve >= true * (1.0 - 1e-9))) for curve in single)
    best = np.minimum.reduce(single)
    joined = _gap(best, rdp_profile_cks(order, 0.5 * order, epsilon[2400:]))
    return {
        "c1/interval": Statement(falls, "randomised response, 41 values of kappa: what is left falls with kappa"),
        "c1/lower": Statement(low <= report.regret, f"ten halvings: returned {low:.4f}, not above {report.regret:.4f}"),
        "c.3": Statement(abs(by_profiles - report.regret) < 1e-6, f"randomised response: {by_profiles:.7f} by "
                                                                  f"profiles, {report.regret:.7f} by curves"),
        "c2/valid": Statement(valid and joined < 1e-12, "mu 1, orders 2, 4, 8: each profile is above the true one, "
                                                        "and so is their minimum"),
        "c2/time": Number.seconds(_seconds(), "seconds here for the regret of 50 orders, by the optimal road"),
        "c3/rho": _rho(),
        "c3/exact": _whole_orders(),
    }  # fmt: skip


def _seconds() -> float:
    import time

    orders = np.geomspace(1.1, 64.0, 50)
    start = time.perf_counter()
    laplace().regret(RDP(orders, np.asarray(laplace().renyi(orders))))
    return time.perf_counter() - start


def _whole_orders() -> Statement:
    """The divergences of one step at whole orders, a binomial sum (Mironov et al. 2019), times the steps."""
    noise, steps, off = 9.4, 2000, 0.0
    for order in (2, 4, 8):
        terms = [
            math.comb(order, k) * (1.0 - CIFAR_RATE) ** (order - k) * CIFAR_RATE**k
            * math.exp(0.5 * (k * k - k) / noise**2)
            for k in range(order + 1)
        ]  # fmt: skip
        by_hand = steps * math.log(sum(terms)) / (order - 1)
        off = max(off, abs(float(dpsgd(noise, CIFAR_RATE, steps).renyi(float(order))) / by_hand - 1.0))
    return Statement(off < 1e-9, f"DP-SGD of Section 5, orders 2, 4, 8: within a fraction of {off:.0e}")


def _rho() -> Statement:
    """Equation 25, on a grid of orders."""
    g = dpsgd(9.4, CIFAR_RATE, 2000)
    orders = 1.0 + np.geomspace(1e-3, 1e4, 300)
    ratio = np.asarray(g.renyi(orders)) / orders
    return Statement(float(np.max(ratio)) <= g.zcdp() * (1.0 + 1e-9), f"DP-SGD of Section 5: the largest ratio of 300 "
                     f"orders is {float(np.max(ratio)):.6f}; over all it is {g.zcdp():.6f}, which no grid "
                     "reaches")  # fmt: skip
