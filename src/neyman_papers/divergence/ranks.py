"""How the divergence paper ranks mechanisms: as Blackwell does, where curves cross, and as they are composed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from neyman.accounting import account
from neyman.comparison import compare, dominance_bound, moments
from neyman.guarantees import GDP
from neyman.mechanisms import Gaussian, Laplace
from neyman_papers.cases import laplace
from neyman_papers.divergence.series import gauss
from neyman_papers.verdict import Ours, Statement

__all__ = ["ranks"]


def ranks() -> dict[str, Ours]:
    """All of them."""
    forth, back = compare(gauss(), laplace()).bounds
    strict, reverse = compare(laplace(), laplace(1.2)).bounds
    same, epsilon = account(Gaussian(1.0)), np.linspace(0.0, 8.0, 81)
    known = float(np.max(np.abs(np.asarray(same.delta(epsilon)) - np.asarray(GDP(same.mu()).delta(epsilon)))))
    scales = [math.sqrt(n) for n in (1, 4, 16, 64)]
    private = all(compare(laplace(b), laplace(a)).order == "more_private" for a, b in pairwise(scales))
    return {
        "1/only": Statement(
            known > 1e-9,
            "a Gaussian mechanism, sigma 1, which satisfies DP across a continuum of pairs, too: its one number mu = "
            f"{same.mu():g} gives the whole profile",
        ),
        "1/generalise": Statement(
            strict.upper <= 1e-12 and min(reverse.lower, forth.lower, back.lower) > 0.0,
            f"Laplace 1 to Laplace 1.2, which it dominates: 0; the other way {reverse.lower:.4f}; Gauss and Laplace, "
            f"which are not ranked: {forth.lower:.4f} and {back.lower:.4f}. With 0 for D the clauses of Theorem 2 are "
            "those of Theorem 1",
        ),
        "3/both": Statement(
            min(forth.lower, back.lower) > 0.0,
            f"Gauss and Laplace, whose curves cross: {forth.lower:.5f} and {back.lower:.5f}, above 0 for certain",
        ),
        "4/progressively": Statement(
            private, "Laplace, b = sqrt(N), of which N together keep a level of privacy: N = 4, 16, 64 each more "
            "private, one by one, than the one before"
        ),
        "4/unequal": _unequal(),
    }  # fmt: skip


def _unequal() -> Statement:
    """N Laplace against N~ Gaussian mechanisms, N / N~ = 5 / 4: the bound and the divergence times sqrt(min)."""
    held, shown, one, other = True, [], Laplace(1.0), Gaussian(1.2)
    last = math.inf
    for n, m in ((5, 4), (10, 8), (20, 16)):
        root = math.sqrt(min(n, m))
        bound = dominance_bound(moments(one), n, moments(other), m)
        found = compare(account(one**n), account(other**m)).bounds[0].upper
        held &= bound.applies and found <= bound.value and found * root <= last
        last = found * root
        shown.append(f"{n} and {m}: {max(last, 1e-12):.1e}, {bound.value * root:.3f}")
    return Statement(held, "Laplace(1) and Gauss(1.2), the divergence, to 1e-12, and its bound (equation 14), both "
                     f"times sqrt(min(N, N~)), for N and N~ {'; '.join(shown)}")  # fmt: skip
