"""Sections 2 to 4 and Appendices D and E of the reporting paper: its equations, asked of examples."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman import risk
from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare
from neyman.guarantees import GDP, RDP, ApproximateDP, Guarantee, PureDP
from neyman.mechanisms import DPSGD, ApproximateMechanism, Gaussian, Laplace, Tabulated
from neyman_papers.cases import CIFAR_RATE, FROM_SCRATCH, census, dpsgd, fit, laplace, response
from neyman_papers.reporting.literal import widest
from neyman_papers.verdict import NEAR, Number, Ours, Statement, outward
from neyman_papers.words import within

__all__ = ["definitions", "limits_of_gdp", "profiles_and_curves"]

_ALPHA: FloatArray = np.linspace(0.0, 1.0, 401)
_ORDERS: FloatArray = np.concatenate([1.0 + np.geomspace(1e-2, 1.0, 20), np.geomspace(2.1, 64.0, 30)])
_RATIOS: FloatArray = np.linspace(0.0, 1.0, 21)


def _gap(a: object, b: object) -> float:
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def definitions() -> dict[str, Ours]:
    """Section 2: curves, the bracket of mu, the divergence and its symmetrised form."""
    a = _ALPHA
    pair = np.maximum(np.maximum(0.0, 1.0 - 0.05 - math.e * a), (1.0 - 0.05 - a) / math.e)
    mu = np.append(special.ndtr(special.ndtri(1.0 - a[:-1]) - 1.3), 0.0)
    high, low = fit(dpsgd(9.4, CIFAR_RATE, 2000))
    c = compare(account(Gaussian(1.0)), laplace())
    more, less = laplace(1.2), laplace()
    prior, epsilon = np.linspace(0.0, 1.0, 201), np.linspace(-3.0, 3.0, 121)
    ranked = (
        compare(more, less).order == "more_private"
        and bool(np.all(np.asarray(more.optimistic.delta(epsilon)) <= np.asarray(less.delta(epsilon)) + NEAR))
        and bool(np.all(np.asarray(more.bayes_error(prior)) >= np.asarray(less.bayes_error(prior)) - NEAR))
    )
    return {
        "eq2": Statement(_gap(ApproximateDP(1.0, 0.05).beta(a), pair) < NEAR, "(1, 0.05), at 401 points"),
        "eq4": Statement(_gap(GDP(1.3).beta(a), mu) < NEAR, "mu = 1.3, at 401 points"),
        "2.4": _by_profile(),
        "eq5/tight": Statement(high.mu - low.mu < 1e-6 * high.mu, f"DP-SGD of Section 5, floor 1e-10: the least mu is "
                                                                  f"{high.mu:.9f}, certified from both sides"),
        "2/shift": _shift(),
        "eq7": Statement(c.distance == max(c.divergence, c.reverse), f"Gauss and Laplace: {c.divergence:.4f} and "
                                                                     f"{c.reverse:.4f}, so {c.distance:.4f}"),
        "eq7/metric": _metric((laplace(), response(1.0), GDP(1.0))),
        "blackwell": Statement(ranked, "Laplace 1.2 and 1: curve, profile and Bayes error rank them alike"),
        "1a/valid": Statement(laplace().satisfies(PureDP(1.0)).outcome == "yes", "b = 1, epsilon = 1"),
        "1c/dpsgd/pure": Statement(_never_pure(), "delta(epsilon) is positive, for certain, up to epsilon 60"),
        "1/profiles": _all_fit(),
    }  # fmt: skip


def _by_profile() -> Statement:
    """Theorem 2.4, on a grid of epsilon."""
    epsilon, alpha, off = np.linspace(-8.0, 8.0, 3201)[:, None], np.linspace(0.005, 0.995, 100), 0.0
    for g in (laplace(), response(1.0), GDP(1.0)):
        delta = np.asarray(g.delta(epsilon.ravel()))[:, None]
        f = np.maximum(1.0 - delta - np.exp(epsilon) * alpha, np.exp(-epsilon) * (1.0 - delta - alpha))
        off = max(off, _gap(np.maximum(np.max(f, axis=0), 0.0), g.beta(alpha)))
    return Statement(off < 1e-5, f"Laplace, randomised response, Gauss: {within(off)}, by 3201 values of epsilon")


def _shift() -> Statement:
    """Fig. 2: the regret is the least shift."""
    g, (high, low) = response(1.0), fit(response(1.0))
    summary, gaps = GDP(high.mu), []
    for kappa in (high.regret, 0.99 * low.regret):
        alpha = np.linspace(0.0, 1.0 - kappa, 4001)
        gaps.append(float(np.max(np.asarray(g.optimistic.beta(alpha + kappa)) - kappa - summary.beta(alpha))))
    return Statement(gaps[0] < 1e-6 < gaps[1], f"randomised response: {high.regret:.5f} suffices, one percent less "
                                               f"leaves f above its summary by {gaps[1]:.1e}")  # fmt: skip


def _metric(cases: tuple[Guarantee, ...]) -> Statement:
    one, two, three = (compare(cases[i], cases[j]).distance for i, j in ((0, 1), (1, 2), (0, 2)))
    fine = one <= two + three and two <= one + three and three <= one + two
    same = compare(cases[0], cases[0]).distance
    return Statement(fine and same == 0.0, f"Laplace, randomised response, Gauss: {one:.4f}, {two:.4f}, {three:.4f}")


def _never_pure() -> bool:
    g = dpsgd(9.4, CIFAR_RATE, 2000).optimistic
    return bool(np.all(np.asarray(g.delta(np.linspace(0.0, 60.0, 13))) > 0.0))


def _all_fit() -> Statement:
    regrets = [fit(dpsgd(noise, CIFAR_RATE, steps))[0].regret for noise, steps in FROM_SCRATCH.values()]
    regrets.append(fit(census())[0].regret)
    return Statement(
        max(regrets) < 0.01, f"regrets at floor 1e-10: at most {outward(max(regrets), 3, up=True)} (Table 4, TopDown)"
    )


def profiles_and_curves() -> dict[str, Ours]:
    """Sections 3 and 4, Appendix D: desiderata, the algorithm, advantage and Bayes errors."""
    g = dpsgd(9.4, CIFAR_RATE, 2000)
    budgets = [account(Laplace(1.0)), account(Laplace(1.0) ** 2)]
    grown = budgets[1].epsilon(0.0) > budgets[0].epsilon(0.0) and budgets[1].zcdp() > budgets[0].zcdp()
    grown = bool(grown and account(Gaussian(1.0) ** 2).mu() > 1.4)
    rdp = compare(RDP([2.0], [0.5]), RDP([8.0], [1.0]))
    top = float(np.max(1.0 - _ALPHA - np.asarray(g.beta(_ALPHA))))
    others = [
        float(attack(g, b)) - b for attack in (risk.attribute_inference, risk.reconstruction) for b in (0.01, 0.1, 0.5)
    ]
    both = account(Gaussian(2.0) * Gaussian(3.0)).gdp()
    high, low = fit(g)
    summary, prior = GDP(high.mu), np.linspace(0.0, 1.0, 4001)
    gain = np.asarray(g.bayes_error(prior)) - np.asarray(summary.optimistic.bayes_error(prior))
    worst = float(np.max(gain))
    by_hand = account(DPSGD(1.0, 0.001, 1000)).gdp()
    lost = account(Gaussian(1.0)).regret(RDP(_ORDERS, 0.5 * _ORDERS))
    rows = [dpsgd(n, CIFAR_RATE, t) for n, t in (FROM_SCRATCH[1.0], FROM_SCRATCH[8.0])]
    apart = [widest(row).lower * fit(row)[0].regret for row in rows]
    return {
        "d1": Statement(grown, "two Laplace, two Gaussian mechanisms: epsilon, rho and mu are larger than of one"),
        "d2/rdp": Statement(rdp.order == "incomparable", "(2, 0.5)-RDP and (8, 1)-RDP"),
        "d3/renyi": Statement(lost > 1e-3, f"a Gaussian mechanism, mu 1, by its divergences at 50 orders: regret "
                                           f"{lost:.3f}; by its mu 0"),
        "alg1": Number.computed(by_hand.mu, f"1000 mini-batches: regret {by_hand.regret:.2g}, floor 1e-10"),
        "eq8": Statement(abs(top - g.advantage) < 1e-5 and abs(g.delta(0.0) - g.advantage) < NEAR,
                         f"DP-SGD of Section 5: {g.advantage:.5f}, which is delta(0)"),
        "eq8/others": Statement(max(others) <= g.advantage, f"by at most {max(others):.4f} over baselines 0.01, 0.1, "
                                                            f"0.5; the advantage is {g.advantage:.4f}"),
        "4/loglog": Statement(max(apart) < 1e-6, f"Table 4, floor 1e-10: f and f_mu differ by at least {apart[0]:.1e} "
                                                 f"(noise 40) and {apart[1]:.1e} (noise 9.4) somewhere"),
        "eq28": Statement(abs(worst - high.regret) < 1e-6, f"DP-SGD of Section 5: {worst:.7f}, regret "
                                                           f"{low.regret:.7f}"),
        "d/point": Statement(high.regret < 0.01 and worst < 0.01, f"{worst:.2e}, of a regret of {high.regret:.2e}"),
        "1/zcdp": Statement(None, f"DP-SGD of Section 5: rho = {g.zcdp():.6f}, and T / (2 sigma^2) = "
                                  f"{2000 / (2 * 9.4**2):.6f}"),
        "5/pair": Statement(g.epsilon(1e-5) <= 8.0, f"epsilon(1e-5) is at most {g.epsilon(1e-5):.4f}"),
        "5/gaussian": Statement(both.regret < 1e-7, f"sigma 2 and 3: mu {both.mu:.6f}, regret below 1e-7"),
        "8/finite": Statement(high.mu >= low.mu > 0.0, f"DP-SGD of Section 5, 2000 steps: {high.mu:.6f} is promised, "
                                                       f"no less than {low.mu:.6f} would do"),
    }  # fmt: skip


def limits_of_gdp() -> dict[str, Ours]:
    """Section 6 and Appendix E: what GDP does not describe, and total variation."""
    g, mu = response(1.0), fit(response(1.0))[0].tail_mu
    summary, at = GDP(mu), 1.0 / (1.0 + math.e)
    ends = [abs(float(each.beta(x)) - float(summary.beta(x))) for each in (g,) for x in (0.0, 1.0)]
    power = float(summary.optimistic.roc(1e-6)) / float(g.roc(1e-6))
    leaky = account(ApproximateMechanism(1.0, 0.01))
    pure = compare(laplace(), summary)
    variation = max(abs(GDP(m).advantage - (2.0 * float(special.ndtr(0.5 * m)) - 1.0)) for m in (0.3, 1.0, 3.0))
    forms = [2.0 * float(special.ndtri(x)) for x in (math.e * at, 1.0 - at)] + [-2.0 * float(special.ndtri(at))]
    missed = _gap(np.interp(_ALPHA, [at, 1.0], [at, 0.0]), g.beta(_ALPHA))  # the points that are printed
    rho = [account(_bounded_range(1.0, float(s))).zcdp() for s in _RATIOS[1:-1]]
    return {
        "6.1/ends": Statement(max(ends) < NEAR, "epsilon 1: both curves end in (0, 1) and (1, 0)"),
        "6.1/low": Statement(power > 2.0, f"epsilon 1: at FPR 1e-6 it allows {power:.3g} times the TPR of "
                                          f"randomised response"),
        "6.1/any": Statement(pure.order == "more_private", f"Laplace, b = 1, and mu = {mu:.4f}"),
        "6.2/leaky": Statement(math.isinf(leaky.mu()) and leaky.beta(0.0) < 1.0, "randomised response that reveals "
                               f"the record with probability 0.01: f(0) = {leaky.beta(0.0):.2f}, no finite mu"),
        "6/exponential": Statement(max(rho) <= 0.125 * (1.0 + NEAR), f"epsilon = 1, the {len(rho)} worst pairs of "
                                   f"losses in [t - 1, t] (bounded range): rho at most {max(rho):.6f}"),
        "e30": Statement(variation < NEAR, f"mu 0.3, 1, 3: {within(variation)}"),
        "e32": Statement(max(forms) - min(forms) < NEAR, f"epsilon 1: {forms[0]:.9f}"),
        "e/points": Statement(missed < NEAR, f"epsilon 1: the curve between ({at:.4f}, {at:.4f}) and (1, 0) is "
                              f"that line; where alpha is below {at:.4f} it starts from (0, 1), which is not among the "
                              f"three, and lies up to {missed:.4f} above what the three say"),
        "e35": Statement(compare(g, summary).order == "more_private", "epsilon = 1: nowhere below that of its mu"),
        "e/worst": Statement(laplace().satisfies(PureDP(1.0)).outcome == "yes" and _gap(PureDP(1.0).beta(_ALPHA),
                             g.beta(_ALPHA)) < NEAR, "Laplace, b = 1, is nowhere below randomised "
                             "response, epsilon 1"),
    }  # fmt: skip


def _bounded_range(epsilon: float, share: float) -> Tabulated:
    """Two outcomes with losses t and t - epsilon, t = share epsilon: the worst pairs of the exponential mechanism."""
    up, down = math.exp(share * epsilon), math.exp(share * epsilon - epsilon)
    first = (1.0 - down) / (up - down)
    return Tabulated([up * first, 1.0 - up * first], [first, 1.0 - first])
