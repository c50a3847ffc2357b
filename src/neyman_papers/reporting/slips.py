"""Places of the reporting paper that say another thing than is meant, and what is wrong with each, by an example."""

from __future__ import annotations

import math

import numpy as np

from neyman.accounting import account
from neyman.comparison import compare
from neyman.guarantees import GDP, PureDP
from neyman.mechanisms import ApproximateMechanism, Gaussian
from neyman_papers.cases import fit, laplace
from neyman_papers.verdict import Ours, Statement
from neyman_papers.words import within

__all__ = ["slips"]

_NEAR = 1e-6  # numbers of ours as near as that agree, distances from a comparison among them
_WORDS = {2: "two", 3: "three"}
_DIFFERENCES = ("No reliance on asymptotic expressions", "Freedom from distributional assumptions",
                "Correctness guarantee")  # fmt: skip

_PARTS = {"Fig. 5": ("(a)", "(b)"), "the details of Fig. 8": ("Fig. 7",)}
_REFERENCES = (("Fig. 5", "(middle)"), ("Fig. 5", "(right)"), ("the details of Fig. 8", "Fig. 8"))


def slips() -> dict[str, Ours]:
    """All of them."""
    lap, gaussian = laplace(), account(Gaussian(1.0))
    summary, pure = GDP(fit(lap)[0].mu), PureDP(1.0)
    shown, meant = lap.regret(summary), lap.regret(pure)
    step, printed = (lap.advantage + 2.0 * compare(lap, other).distance for other in (pure, summary))
    ends = float(lap.beta(1.0)) - 1.0, float(GDP(1.0).beta(1.0))  # of the inequality at kappa = 1 and alpha = 0, and 1
    alpha = np.linspace(0.0, 1.0, 401)
    holds = bool(np.all(np.asarray(gaussian.beta(alpha)) <= np.asarray(GDP(gaussian.mu()).beta(alpha)) + 1e-12))
    orders = 1.0 + np.geomspace(1e-2, 63.0, 60)
    apart = float(np.max(np.abs(np.asarray(gaussian.renyi(orders)) - gaussian.zcdp() * orders)))
    leaky = account(ApproximateMechanism(1.0, 0.01))
    return {
        "a5/differences": Statement(
            _WORDS[len(_DIFFERENCES)] == "two", f"{_WORDS[len(_DIFFERENCES)]} are listed: {'; '.join(_DIFFERENCES)}"
        ),
        "a5/assumptions": Statement(
            math.isfinite(leaky.mu()),
            "randomised response that reveals the record with probability 0.01: its loss is infinite with that "
            "probability, and there is no finite mu, a bound by mu*",
        ),
        "c2/display": Statement(
            abs(shown - meant) < _NEAR,
            f"Laplace, f~ of epsilon = 1: the display gives {shown:.5f}, the regret of mu*; that of f~ is {meant:.5f}",
        ),
        "d/proof": Statement(
            abs(step - printed) < _NEAR,
            f"Laplace, f~ of epsilon = 1: the line before is {step:.5f}; with f_mu it is {printed:.5f}",
        ),
        "c1/one": Statement(
            ends[0] < 0.0 < ends[1],
            f"Laplace: f(alpha + 1) - 1 is {ends[0]:g} at alpha = 0; f_mu(1) = {ends[1]:g}, which is not positive",
        ),
        "c1/zero": Statement(not holds, "a Gaussian mechanism, mu 1: f = f_mu*, so that at kappa = 0 the inequality "
                                        "holds, at 401 points"),
        "eq6/domain": _domain(),
        "f/references": Statement(
            all(named in _PARTS[where] for where, named in _REFERENCES), "; ".join(
                f"{where}: {named} for {' or '.join(_PARTS[where])}" for where, named in _REFERENCES
            ),
        ),
        "c3/must": Statement(
            apart > _NEAR,
            f"a Gaussian mechanism, mu 1: its epsilon(t) is rho t, rho = {gaussian.zcdp():g}, at 60 orders "
            f"{within(apart)}: both are one and the same promise, and lose the same",
        ),
    }  # fmt: skip


def _domain() -> Statement:
    """Equation 6 asks of every alpha in [0, 1], and f is defined there."""
    kappa, alpha = 0.005, np.linspace(0.0, 1.0, 401)
    beyond = alpha + kappa > 1.0
    return Statement(
        not bool(np.any(beyond)),
        f"kappa = {kappa:g}: alpha + kappa is above 1, where f: [0, 1] -> [0, 1] has no value, at "
        f"{int(np.sum(beyond))} of 401 points",
    )
