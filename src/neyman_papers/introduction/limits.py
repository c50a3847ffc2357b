"""What becomes of many compositions: nearly Gaussian for some mechanisms, and never for others."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy import special

from neyman.accounting import account
from neyman.guarantees import Guarantee
from neyman.mechanisms import ApproximateMechanism, Tabulated
from neyman_papers.cases import fit
from neyman_papers.introduction.laplace import COPIES, many_laplace
from neyman_papers.verdict import Statement

__all__ = ["any_limit_statement", "limit_statement"]

_STEP = 0.02  # between values of mu that are tried
_MUS = np.arange(_STEP, 8.0, _STEP)  # beyond: nearly all or nothing, which neither of them is
_STEEPEST = 0.5 / math.sqrt(2.0 * math.pi)  # of the Bayes error of G_mu at any prior, by mu: below phi(mu / 2) / 2


def limit_statement() -> Statement:
    """Regret of GDP falls as copies grow."""
    regrets = [fit(many_laplace(n)) for n in COPIES]
    falls = all(b[0].regret < a[1].regret for a, b in pairwise(regrets))
    shown = ", ".join(f"{n}: {high.regret:.2g}" for n, (high, _) in zip(COPIES, regrets, strict=True))
    return Statement(falls, f"regret of GDP for n Laplace mechanisms of scale sqrt(n), n = {shown}")


def any_limit_statement() -> Statement:
    """Two that do not become Gaussian, however often: what they leak now and then is leaked often enough.

    n mechanisms that are (0, 1/n)-DP have f(0) = (1 - 1/n)^n, which tends to 1/e. Randomised response that is asked
    with probability 1/n, and says whether it was, is asked about once in n: the number is Poisson's, and f has corners.
    """
    n, keep = 1000, math.exp(3.0) / (1.0 + math.exp(3.0))
    leaky = account(ApproximateMechanism(0.0, 1.0 / n) ** n)
    asked = account(
        Tabulated([1.0 - 1.0 / n, keep / n, (1.0 - keep) / n], [1.0 - 1.0 / n, (1.0 - keep) / n, keep / n]) ** n
    )
    far = [_from_gaussian(g) for g in (leaky, asked)]
    return Statement(
        min(far) < 0.01,
        f"{n} mechanisms that are (0, 1/{n})-DP: f(0) = {float(leaky.beta(0.0)):.3f}, at least {far[0]:.3f} from "
        f"every GDP, "
        f"which is max(0, 1/e - alpha) in the limit; {n} times randomised response, epsilon 3, asked with probability "
        f"1/{n} and told whether: at least {far[1]:.3f} from every GDP. Where no single step decides, as the "
        f"theorem of Dong "
        f"et al. asks, it holds: {limit_statement().evidence}",
    )


def _from_gaussian(g: Guarantee) -> float:
    """The least distance from G_mu over all mu, from below: by Bayes errors on a grid of priors and of mu."""
    prior, mu = np.linspace(0.01, 0.99, 99)[:, None], _MUS[None, :]
    cut = 0.5 * mu + np.log(prior / (1.0 - prior)) / mu
    gaussian = prior * special.ndtr(-cut) + (1.0 - prior) * special.ndtr(cut - mu)
    ours = np.asarray(g.bayes_error(prior.ravel()))[:, None]
    return float(np.min(np.max(np.abs(gaussian - ours), axis=0))) - 0.5 * _STEP * _STEEPEST
