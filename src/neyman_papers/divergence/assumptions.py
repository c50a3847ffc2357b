"""What the divergence paper assumes, recalls and quotes beside its theorems, each asked of an example."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare, dominance_bound, moments
from neyman.mechanisms import ApproximateMechanism, Gaussian, Laplace, Tabulated
from neyman_papers.cases import dpsgd, laplace
from neyman_papers.divergence.series import gauss
from neyman_papers.verdict import Ours, Statement
from neyman_papers.words import within

__all__ = ["assumptions"]

_ALPHA: FloatArray = np.linspace(0.0, 1.0, 401)
_CONJUGATE = {"equation 25": "f*", "the words after it": "T*"}


def assumptions() -> dict[str, Ours]:
    """All of them."""
    ranked = compare(dpsgd(2.0, 0.1, 400), dpsgd(3.0, 0.1, 400)).order
    leaky, n = account(ApproximateMechanism(1.0, 0.01)), 10**6
    a, b = Gaussian(1.0), Gaussian(1.2)
    bound = dominance_bound(moments(a), n, moments(b), n)
    left = account(b**n).fixed_point  # of the more private of them
    ten = account(Laplace(1.0) ** 10)
    order = np.array([1.5, 2.0, 8.0])
    off = float(np.max(np.abs(np.asarray(ten.renyi(order)) - 10.0 * np.asarray(laplace().renyi(order)))))
    named = ", ".join(f"{where}: {symbol}" for where, symbol in _CONJUGATE.items())
    return {
        "1/excluded": Statement(
            ranked == "incomparable",
            f"DP-SGD, noise 2 and 3, rate 0.1, 400 steps each: the curves never cross, the second is {_SAID[ranked]}",
        ),
        "sym": _symmetric(),
        "4/scaling": Statement(
            bound.applies and bound.value < 0.01 and left < 1e-300,
            f"a million Gaussian mechanisms, sigma 1 and 1.2, unscaled: the theorem applies, and bounds the divergence "
            f"by {bound.value:.1e}; both compositions are blatantly non-private by then (R* below 1e-300), which is "
            "why it vanishes",
        ),
        "a/only": Statement(
            float(leaky.beta(0.0)) < 1.0 and all(float(g.beta(0.0)) > 1.0 - 1e-9 for g in (gauss(), laplace())),
            f"randomised response that reveals the record with probability 0.01: P is 0 where Q is not, the loss is "
            f"infinite with probability {1.0 - float(leaky.beta(0.0)):.2f}; Gauss and Laplace: each law is positive "
            "where the other is, and no loss is infinite",
        ),
        "a/exact": _exact(),
        "a/adds": Statement(off < 1e-6, f"ten Laplace mechanisms, orders 1.5, 2, 8: {within(off)} of ten times one"),
        "a/binary": _binary(),
        "eq25/star": Statement(len(set(_CONJUGATE.values())) == 1, named),
    }  # fmt: skip


_SAID = {"less_private": "nowhere below the first", "more_private": "nowhere above the first",
         "equal": "the same", "incomparable": "not ranked", "undecided": "not told apart"}  # fmt: skip


def _symmetric() -> Statement:
    """One asymmetric step, composed as it is, and made symmetric first: the largest f below f and its mirror image."""
    law = Tabulated([0.9, 0.1], [0.5, 0.5])
    corners = np.array([0.0, 0.1, 0.5, 1.0])
    f = np.asarray(account(law).beta(corners))
    mirrored = Tabulated(-np.diff(f), np.diff(corners))
    same = compare(account(law), account(mirrored)).distance
    found = {n: (account(law**n).advantage, account(mirrored**n).advantage) for n in (1, 4)}
    apart = max(abs(other - one) for one, other in found.values())
    shown = [f"N = {n}: {one:.4f} and {other:.4f}" for n, (one, other) in found.items()]
    return Statement(
        apart < 1e-6 if same < 1e-6 else None,
        "laws (0.9, 0.1) and (1/2, 1/2), in either order, and the pair that has the symmetric curve of both orders: "
        f"the same curve once, and composed not: advantage {', '.join(shown)}",
    )


def _exact() -> Statement:
    """The profile from f, and f from that profile, on grids."""
    fine, epsilon = np.linspace(0.0, 1.0, 8001), np.linspace(-6.0, 6.0, 1201)
    inner, off = _ALPHA[2:-2], 0.0
    for g in (gauss(), laplace()):
        slopes = np.exp(epsilon)
        profile = 1.0 + np.max(-slopes[:, None] * fine - np.asarray(g.beta(fine)), axis=1)
        back = np.max(1.0 - profile[:, None] - slopes[:, None] * inner, axis=0)
        off = max(off, float(np.max(np.abs(back - np.asarray(g.beta(inner))))))
    return Statement(off < 1e-3, f"Gauss and Laplace: f to delta and back {within(off)}, on grids")


def _binary() -> Statement:
    """The divergence of order 2 between the outcomes of a test, of the best test, against that of the mechanism."""
    alpha = np.concatenate([np.geomspace(1e-12, 1e-2, 400), np.linspace(0.01, 0.999, 400)])
    f = np.asarray(gauss().beta(alpha))
    most, true = float(np.max(np.log((1.0 - f) ** 2 / alpha + f**2 / (1.0 - alpha)))), float(gauss().renyi(2.0))
    return Statement(
        most < true - 0.1 and math.isfinite(most),
        f"Gauss, order 2: no test has a divergence above {most:.3f} between its outcomes, the mechanism has "
        f"{true:.3f}: tests do not find all of a Renyi divergence, as they do of delta(epsilon)",
    )
