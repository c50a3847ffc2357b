"""Sentences of the reporting paper between its numbered statements, each asked of examples that can refute it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import integrate, special

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare
from neyman.conversions import rdp_best, rdp_improved_b
from neyman.guarantees import GDP, RDP, ApproximateDP, PureDP
from neyman.mechanisms import ApproximateMechanism, Gaussian, Tabulated
from neyman_papers.cases import CIFAR_RATE, census, dpsgd, fit, laplace, response
from neyman_papers.reporting.numbers import gaussian_mu
from neyman_papers.reporting.regrets import figure_1, regrets
from neyman_papers.verdict import NEAR, Number, Ours, Statement
from neyman_papers.words import within

__all__ = ["sentences"]


def sentences() -> dict[str, Ours]:
    """All of them, and Fig. 1, by whose regrets some are judged: in one process they are computed once."""
    return figure_1() | _sections() | _appendices()


def _sections() -> dict[str, Ours]:
    """Sections 1 to 6."""
    lap, sgd = regrets("laplace"), regrets("dpsgd")
    one_way = compare(GDP(5.0), GDP(0.1))
    g = dpsgd(9.4, CIFAR_RATE, 2000)
    rates, alpha = np.linspace(0.0, 1.0, 2001), np.linspace(0.01, 0.99, 99)
    best = float(np.max(0.5 * (np.asarray(g.roc(rates)) + 1.0 - rates)))
    prior, epsilon = np.linspace(0.0, 0.9995, 4000), np.linspace(-8.0, 8.0, 3201)
    by_errors = np.max((np.asarray(GDP(1.0).bayes_error(prior)) - np.outer(alpha, prior)) / (1.0 - prior), axis=1)
    by_profile = np.max(1.0 - np.asarray(GDP(1.0).delta(epsilon)) - np.outer(alpha, np.exp(epsilon)), axis=1)
    off = max(float(np.max(np.abs(each - np.asarray(GDP(1.0).beta(alpha))))) for each in (by_errors, by_profile))
    gumbel, exponential = _noisy_max()
    return {
        "1b/rate": Number(CIFAR_RATE, CIFAR_RATE, note="2^14 / 50000, as Section 5 has it"),
        "2/close": Statement(
            one_way.reverse <= 0.01 or one_way.divergence > 0.01,
            f"f of mu = 5 and f~ of mu = 0.1: Delta(f, f~) = {one_way.divergence:g}, Delta(f~, f) = "
            f"{one_way.reverse:.3f}",
        ),
        "t1/marks": _marks(),
        "d3/tighter": Statement(
            all(part["gdp"].upper < min(part["zcdp"].lower, part["rdp"].lower) for part in (lap, sgd)),
            f"percent, in Fig. 1 (c) and by ours: DP-SGD: GDP {sgd['gdp'].upper:.2f}, RDP at least "
            f"{sgd['rdp'].lower:.2f}; Laplace: GDP {lap['gdp'].upper:.2f}, RDP {lap['rdp'].upper:.2f}",
        ),
        "3/complete": Statement(
            None, f"a Gaussian mechanism, mu 1: f comes back from its profile, and from its Bayes errors (Kaissis et "
                  f"al. 2024, equation 4), {within(off)}"),
        "eq8/accuracy": Statement(
            abs(2.0 * best - 1.0 - g.advantage) < 1e-5,
            f"DP-SGD of Section 5, even odds: accuracy at most {best:.5f}; twice that minus 1 is "
            f"{2.0 * best - 1.0:.5f}, "
            f"the advantage {g.advantage:.5f}",
        ),
        "6/gumbel": Statement(
            float(np.max(np.abs(gumbel - exponential))) < 1e-6,
            f"scores 0, 1, 3, epsilon = 1: report-noisy-max with Gumbel noise, by quadrature, and the exponential "
            f"mechanism choose with the same probabilities {within(float(np.max(np.abs(gumbel - exponential))))}",
        ),
        "6/no-failure": Statement(
            account(_chosen((0.0, 1.0, 3.0), (1.0, 0.0, 3.0))).optimistic.beta(0.0) > 1.0 - NEAR,
            "scores 0, 1, 3 and 1, 0, 3: f(0) = 1, as all answers are possible on both data sets",
        ),
    }  # fmt: skip


def _marks() -> Statement:
    """Table 1 as far as the text of Section 3 fixes its marks, against ours."""
    sgd = regrets("dpsgd")
    accurate = {key for key in sgd if sgd[key].upper < 1.0}
    pairs = ((ApproximateDP(1.0, 0.1), ApproximateDP(2.0, 0.01)), (RDP([2.0], [0.5]), RDP([8.0], [1.0])))
    unordered = all(compare(*pair).order == "incomparable" for pair in pairs)
    ordered = all(compare(kind(1.0), kind(1.5)).order == "more_private" for kind in (PureDP, GDP))
    return Statement(
        unordered and ordered and accurate == {"gdp", "profile"},
        "concise: all but the profile, f and the curve of Renyi divergences; ordered: epsilon, rho and mu, not the "
        "pairs; accurate (regret below 0.01 for DP-SGD): GDP and the profile. So Section 3 has it, and so have ours",
    )


def _noisy_max() -> tuple[FloatArray, FloatArray]:
    """Probabilities of three answers: by the largest of score + Gumbel noise, and by exp(epsilon score / 2)."""
    scores = 0.5 * np.array([0.0, 1.0, 3.0])
    x = np.linspace(-8.0, 45.0, 200001)
    law, density = (np.exp(-np.exp(-(x[None, :] - scores[:, None]))), np.exp(-(x[None, :] - scores[:, None])))
    found = [float(integrate.trapezoid(density[i] * np.prod(law, axis=0), x)) for i in range(3)]
    return np.array(found), np.exp(scores) / np.sum(np.exp(scores))


def _chosen(one: tuple[float, ...], other: tuple[float, ...]) -> Tabulated:
    """The exponential mechanism, epsilon 1, on the scores of two neighbours."""
    laws = [np.exp(0.5 * np.array(scores)) for scores in (one, other)]
    return Tabulated(*(law / np.sum(law) for law in laws))


def _appendices() -> dict[str, Ours]:
    """Appendices A, C and D."""
    lap, sgd = regrets("laplace"), regrets("dpsgd")
    g, r = dpsgd(9.4, CIFAR_RATE, 2000), response(1.0)
    order = 8.0
    single = r.regret(RDP([order], [float(r.renyi(order))]))
    orders = np.concatenate([np.arange(1.1, 11.0, 0.1), np.arange(11.0, 64.0)])
    divergences = np.asarray(g.renyi(orders))
    by_renyi = {
        "Balle et al.": float(rdp_improved_b(orders, divergences, 1e-5)),
        "our best": float(rdp_best(orders, divergences, 1e-5)),
    }
    exact = g.epsilon(1e-5)
    mu = gaussian_mu(8.0, 1e-5).lower
    tail = float(special.ndtr(0.5 * mu - 8.0 / mu))
    return {
        "a2/precise": Statement(
            lap["zcdp"].upper <= lap["pair"].lower and sgd["zcdp"].upper <= sgd["pair"].lower and single <= NEAR,
            f"regret in percent: Laplace: zCDP {lap['zcdp'].lower:.2f}, its pair at delta 1e-5 "
            f"{lap['pair'].upper:.2f}; "
            f"DP-SGD: {sgd['zcdp'].lower:.2f} and {sgd['pair'].upper:.2f} (printed 4.83, 3.42, 21.80, 21.70); "
            f"randomised response, epsilon 1: its pair (1, 0) 0, order {order:g} alone {100.0 * single:.2f}",
        ),
        "a3/fft": Statement(
            exact < min(by_renyi.values()),
            f"DP-SGD of Section 5, delta 1e-5: epsilon {exact:.2f} exactly; from Renyi divergences "
            + ", ".join(f"{value:.2f} ({name})" for name, value in by_renyi.items()),
        ),
        "a4/iff": _every_curve(),
        "a4/support": _support(),
        "c1/any": _any_bound(),
        "d/failure": Statement(
            tail <= GDP(mu).delta(8.0),
            f"the Gaussian mechanism of (8, 1e-5), mu {mu:.4f}: the loss is higher than 8 with probability {tail:.3g}",
        ),
    }  # fmt: skip


def _every_curve() -> Statement:
    """The other direction of "if and only if": the pair whose density is -f'(1 - w) has any such f for its curve."""
    curves: dict[str, Callable[[FloatArray], FloatArray]] = {
        "(1 - sqrt(a))^2": lambda a: (1.0 - np.sqrt(a)) ** 2,
        "max(0, 0.9 - 2 a, (0.9 - a) / 2)": lambda a: np.maximum(np.maximum(0.0, 0.9 - 2.0 * a), (0.9 - a) / 2.0),
    }
    off, places = 0.0, np.linspace(0.0, 1.0, 51)
    for curve in curves.values():
        nodes = np.unique(np.concatenate([places, curve(places)]))  # as symmetric as the curve is
        f = curve(nodes)
        null, other = np.append(np.diff(nodes), 0.0), np.append(-np.diff(f), 1.0 - f[0])
        off = max(off, float(np.max(np.abs(np.asarray(account(Tabulated(null, other)).beta(nodes)) - f))))
    return Statement(
        off < NEAR,
        f"{' and '.join(curves)} on a grid: laws whose curve is f, a uniform one and one of density -f'(1 - w) "
        f"(with an atom of 1 - f(0) where the first has none): {within(off)}. The row above has the other direction",
    )


def _support() -> Statement:
    """Losses of both laws on one finite set: not where an outcome is possible under one of them alone."""
    leaky = account(ApproximateMechanism(1.0, 0.01))
    infinite = 1.0 - float(leaky.beta(0.0))
    return Statement(
        None,
        f"randomised response that reveals the record with probability 0.01: under H1 the loss is infinite with "
        f"probability {infinite:.2f}, under H0 never. A Gaussian mechanism: delta(30) = "
        f"{GDP(1.0).optimistic.delta(30.0):.0e}"
        " is positive, and a loss on a finite set has delta = 0 from its largest value on",
    )


def _any_bound() -> Statement:
    """Proposition C.2 of other bounds than GDP."""
    g = account(Gaussian(1.0))
    cases = {
        "(epsilon, delta)": (g, ApproximateDP(g.epsilon(1e-5), 1e-5)),
        "RDP": (g, RDP([2.0, 8.0], [1.0, 4.0])),
        "pure DP": (laplace(), PureDP(1.0)),
        "GDP of TopDown without a floor": (census(), GDP(fit(census())[0].tail_mu)),
    }
    found = {name: compare(bound, true) for name, (true, bound) in cases.items()}
    return Statement(
        all(c.divergence <= NEAR and c.distance == max(c.divergence, c.reverse) for c in found.values()),
        f"Delta(bound, f) = 0, within 1e-9, for {', '.join(found)}: where a bound lies below f nothing need be "
        f"symmetrised",
    )
