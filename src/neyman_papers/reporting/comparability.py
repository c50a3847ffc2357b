"""What the reporting paper says of comparing by one number: of promises it holds, of mechanisms it need not."""

from __future__ import annotations

import math

import numpy as np

from neyman import risk
from neyman.accounting import account
from neyman.comparison import compare
from neyman.conversions import psi_from
from neyman.guarantees import GDP, ApproximateDP, Guarantee, Profile, PureDP
from neyman.mechanisms import ApproximateMechanism, Gaussian
from neyman_papers.cases import CIFAR_RATE, FINE_TUNING, FROM_SCRATCH, census, dpsgd, fit, laplace, response
from neyman_papers.reporting.regrets import one_pair
from neyman_papers.verdict import Ours, Statement

__all__ = ["comparability"]

_CLOSE = 0.01  # the paper's own threshold of regret


def comparability() -> dict[str, Ours]:
    """All of them."""
    first, second = ApproximateDP(1.0, 0.01), ApproximateDP(2.0, 0.1)
    fixed = compare(ApproximateDP(1.0, 1e-5), ApproximateDP(2.0, 1e-5)).order
    promises = [compare(GDP(less), GDP(more)).order for less, more in ((0.2, 0.21), (1.0, 1.57), (1.57, 2.702))]
    leaky = account(ApproximateMechanism(1.0, 0.01))
    return {
        "1/incomparable": Statement(
            compare(first, second).order == "incomparable",
            "(1, 0.01) and (2, 0.1): the first implies the second, though their deltas are not the same",
        ),
        "1/whole": Statement(
            compare(*(account(Gaussian(1.0 / psi_from(*pair))) for pair in ((8.0, 1e-9), (6.0, 1e-5)))).order
            == "more_private",
            "Gaussian mechanisms of (8, 1e-9) and of (6, 1e-5): ranked at every epsilon; where profiles cross, neither "
            "mechanism is the more private",
        ),
        "1/fixed": Statement(fixed == "more_private", "(1, 1e-5) and (2, 1e-5); epsilon, rho and mu: the row of "
                                                      "Table 1"),
        "5/comparable": Statement(all(order == "more_private" for order in promises), "mu 0.2 and 0.21, 1 and 1.57, "
                                  "1.57 and 2.702: the promise with the smaller mu implies the other, whatever the "
                                  "mechanisms"),
        "d2/mechanisms": _mechanisms(),
        "a3/collection": _collection(),
        "3/compact": _compact(),
        "3/pair": _pairs(),
        "6/pure": _pure(),
        "7/any": Statement(math.isfinite(leaky.mu()), "randomised response that reveals the record with probability "
                           f"0.01: its profile and f are known exactly, f(0) = {float(leaky.beta(0.0)):.2f}, and no "
                           "finite mu holds"),
        "7/derived": _derived(),
    }  # fmt: skip


def _collection() -> Statement:
    """Two promises of one mechanism beside each of them alone."""
    pairs = {(1.0, 0.05), (2.0, 0.001)}
    both = Profile(*(list(side) for side in zip(*sorted(pairs), strict=True)))
    lost = {pair: compare(both, ApproximateDP(*pair)) for pair in sorted(pairs)}
    return Statement(
        all(found.order == "more_private" and found.bounds[0].lower > 1e-3 for found in lost.values()),
        "(1, 0.05) and (2, 0.001) of one mechanism: together the stronger promise, by "
        + " and ".join(f"{found.bounds[0].lower:.4f}" for found in lost.values())
        + " of Bayes error, than either alone; a collection of one is the pair",
    )


def _mechanisms() -> Statement:
    """Desideratum 2 as it is printed: of mechanisms, by the least parameters that they have."""
    pairs = {
        "epsilon": ("randomised response, 1, and Laplace noise, 1.05", response(1.0), laplace(1.0 / 1.05)),
        "mu": ("a Gaussian mechanism, 0.833, and randomised response, 1.232", account(Gaussian(1.2)), response(1.0)),
    }
    orders = {key: compare(one, other).order for key, (_, one, other) in pairs.items()}
    trained = [dpsgd(*row) for row in ((24.0, CIFAR_RATE, 1156), (15.8, CIFAR_RATE, 500))]
    apart = compare(*trained)
    shown = "; ".join(f"{key}: {said}: {orders[key]}" for key, (said, *_) in pairs.items())
    return Statement(
        all(order == "more_private" for order in orders.values()) and apart.order == "more_private",
        f"{shown}. The runs of epsilon = 2 in Tables 4 and 5, mu {fit(trained[0])[0].mu:.4f} and "
        f"{fit(trained[1])[0].mu:.4f}: {apart.order}, {max(apart.divergence, apart.reverse):.0e} apart",
    )


def _compact() -> Statement:
    """Pairs of mechanisms that one or two numbers do not tell apart, and their curves do."""
    gaussian = account(Gaussian(1.0 / response(1.0).mu()))
    rho = account(Gaussian(1.0 / math.sqrt(2.0 * laplace().zcdp())))
    both = account(Gaussian(1.0 / GDP(1.0).mu())), laplace(1.0 / GDP(1.0).epsilon(1e-5))
    cases = {
        "epsilon": (response(1.0), laplace()),
        "mu": (response(1.0), gaussian),
        "rho": (laplace(), rho),
        "(epsilon, 1e-5)": both,
    }
    gaps = {key: compare(*pair).distance for key, pair in cases.items()}
    return Statement(
        min(gaps.values()) > _CLOSE,
        "mechanisms that share a number, and how far apart they are: "
        + ", ".join(f"{key} {gap:.3f}" for key, gap in gaps.items()),
    )


def _pairs() -> Statement:
    """What one pair at delta 1e-5 loses."""
    cases: dict[str, Guarantee] = {f"epsilon {e:g} of Table 4": dpsgd(n, CIFAR_RATE, t)
                                   for e, (n, t) in FROM_SCRATCH.items() if e in (1.0, 8.0)}  # fmt: skip
    cases |= {"epsilon 1 of Table 5": dpsgd(FINE_TUNING[1.0][0], CIFAR_RATE, FINE_TUNING[1.0][1]), "TopDown": census()}
    lost = {name: compare(g, one_pair(g)).bounds[0].lower for name, g in cases.items()}
    return Statement(
        min(lost.values()) > _CLOSE,
        "regret of epsilon at delta 1e-5: " + ", ".join(f"{name} {value:.3f}" for name, value in lost.items()),
    )


def _pure() -> Statement:
    """GDP of the weakest mechanism that is epsilon-DP, over epsilon."""
    lost = {e: fit(response(e))[0].regret for e in (0.1, 0.2, 1.0, 2.0, 10.0)}
    return Statement(
        min(lost.values()) > _CLOSE,
        "regret for randomised response, epsilon " + ", ".join(f"{e:g}: {value:.2g}" for e, value in lost.items()),
    )


def _derived() -> Statement:
    """Risks by mu beside those by the curve."""
    g = dpsgd(9.4, CIFAR_RATE, 2000)
    summary = GDP(fit(g)[0].mu)
    low = np.array([1e-9, 1e-6])
    ratio = np.asarray(summary.roc(low)) / np.asarray(g.roc(low))
    both = [float(risk.reconstruction(each, 0.1)) for each in (summary, g)]
    pure = PureDP(1.0).roc(1e-6), GDP(response(1.0).mu()).roc(1e-6)
    return Statement(
        None,
        f"DP-SGD of Section 5, by mu and by the curve: advantage {summary.advantage:.4f} and {g.advantage:.4f}, "
        f"reconstruction of one in ten {both[0]:.4f} and {both[1]:.4f}, TPR at FPR 1e-9 and 1e-6 a fraction of "
        f"{ratio[0] - 1.0:.4f} and {ratio[1] - 1.0:.4f} more. Randomised response, epsilon 1: TPR at FPR 1e-6 "
        f"{float(pure[1]):.2e} and {float(pure[0]):.2e}",
    )
