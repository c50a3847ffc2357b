"""What the sensitivity paper says of promises, of one number against many, and of the Gaussian law, by examples."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare
from neyman.conversions import gaussian_delta, gaussian_epsilon, psi_from
from neyman.guarantees import ApproximateDP
from neyman.mechanisms import ApproximateMechanism, Gaussian, Tabulated
from neyman_papers.cases import laplace, response
from neyman_papers.verdict import NEAR, Ours, Statement
from neyman_papers.words import within

__all__ = ["promises"]

_DELTA = 1e-5  # at which epsilon is told
_EPSILON: FloatArray = np.linspace(0.0, 4.0, 41)
_FPR: FloatArray = np.linspace(0.001, 0.999, 99)


def promises() -> dict[str, Ours]:
    """All of them."""
    group = float(ApproximateDP(0.5, 1e-3).group(2).delta(1.0))
    known = 1e-3 * (1.0 + math.exp(0.5))
    twice = float(account(ApproximateMechanism(0.5, 1e-3) ** 2).delta(1.0))
    products = {e: e / psi_from(e, _DELTA) for e in (1.0, 1e-2, 1e-4, 1e-6, 1e-8)}
    means, sigma = np.array([0.6, 0.8]), 2.0
    distance = math.sqrt(float(means @ np.linalg.inv(sigma**2 * np.eye(2)) @ means))
    apart = compare(account(Gaussian(1.0) * Gaussian(1.0)), account(Gaussian(1.0, math.sqrt(2.0)))).distance
    curve = special.ndtr(1.5 + special.ndtri(_FPR))
    return {
        "3/beneficial": Statement(
            group <= known * (1.0 + NEAR) and twice <= 2e-3,
            f"(0.5, 1e-3): groups of two have (1, {group:.6f}), by the known rule (1, {known:.6f}); twice it composes "
            f"to (1, {twice:.6f}), by adding to (1, 0.002)",
        ),
        "def2/bounded": Statement(
            min(products.values()) > 0.01,
            "Delta = 1, delta = 1e-5, the least sigma times epsilon: "
            + ", ".join(f"{product:.2g} at epsilon {e:g}" for e, product in products.items()),
        ),
        "def3/symmetric": Statement(
            _alike("delta") < NEAR,
            f"laws (0.9, 0.1) and (1/2, 1/2), and the other order: the same profile {within(_alike('delta'))}",
        ),
        "def4/asymmetric": _both_orders(),
        "mahalanobis": Statement(
            abs(distance - 0.5) < NEAR and abs(account(Gaussian(sigma)).mu() - distance) < NEAR,
            f"means (0, 0) and (0.6, 0.8), covariance 4 I: {distance:g}, and psi = 1 / 2",
        ),
        "4.2/infinite": _one_pair(),
        "loss/particular": _particular(),
        **_lines(),
        "roc/increasing": Statement(bool(np.all(np.diff(curve) > 0.0)), "psi = 1.5, at 99 rates"),
        "lemma-7/vector": Statement(
            apart < NEAR, "two dimensions, each mean moved by 1, sigma 1, and one dimension, moved by sqrt(2): the "
                           "same curve"),
        "6/impossible": _from_renyi(),
    }  # fmt: skip


def _alike(what: str) -> float:
    """How far two laws and the same in the other order are apart as promises: in delta, or in Renyi divergence."""
    one, other = account(Tabulated([0.9, 0.1], [0.5, 0.5])), account(Tabulated([0.5, 0.5], [0.9, 0.1]))
    if what == "delta":
        return float(np.max(np.abs(np.asarray(one.delta(_EPSILON)) - np.asarray(other.delta(_EPSILON)))))
    return abs(float(one.renyi(2.0)) - float(other.renyi(2.0)))


def _particular() -> Statement:
    """The probability that the loss exceeds 1/2, by the slope of the profile, of others that are as private at 0."""
    e, step, shown, off = 0.5, 1e-4, [], []
    for name, g in {"Laplace, b = 1": laplace(), "randomised response, epsilon 1": response(1.0)}.items():
        psi = 2.0 * float(special.ndtri(0.5 * (1.0 + g.advantage)))  # of the normal loss with the same delta(0)
        slope = (float(g.delta(e + step)) - float(g.delta(e - step))) / (2.0 * step)
        found, normal = float(g.delta(e)) - slope, float(special.ndtr(0.5 * psi - e / psi))
        off.append(abs(found - normal))
        shown.append(f"{name} {found:.4f}, and {normal:.4f}")
    return Statement(
        min(off) > 0.01,
        "the loss exceeds 1/2 with a probability that a normal loss with the same delta(0) has not: "
        + "; ".join(shown),
    )


def _lines() -> dict[str, Ours]:
    """What Corollary 4 says of a curve, and of the curve that it allows."""
    epsilon, delta, x = 1.0, 0.05, np.linspace(0.0, 1.0, 20001)
    curve = special.ndtr(1.0 + special.ndtri(x[1:-1]))
    bend = float(np.max(np.abs(np.diff(curve, 2))))
    best = np.asarray(ApproximateDP(epsilon, delta).roc(x))
    nearest = float(x[np.argmin(np.hypot(x, 1.0 - best))])
    vertex = (1.0 - delta) / (1.0 + math.exp(epsilon))
    return {
        "corollary-4/linear": Statement(bend < NEAR, f"psi = 1: TPR {curve[1999]:.4f}, {curve[9999]:.4f}, "
                                        f"{curve[17999]:.4f} at FPR 0.1, 0.5, 0.9, not on a line"),
        "corollary-4/vertex": Statement(abs(nearest - vertex) < 1e-4, f"(1, 0.05): FPR {nearest:.4f}; the two lines "
                                                                      f"meet at {vertex:.4f}"),
    }  # fmt: skip


def _both_orders() -> Statement:
    """Definition 4 asks of all pairs of adjacent databases, (D, D') and (D', D) alike."""
    p, q = np.array([0.9, 0.1]), np.array([0.5, 0.5])
    forth, back = (math.log(float(np.sum(a * a / b))) for a, b in ((p, q), (q, p)))
    return Statement(
        _alike("renyi") > NEAR,
        f"laws (0.9, 0.1) and (1/2, 1/2), order 2: the divergences are {forth:.4f} and {back:.4f}; what holds for all "
        f"pairs of adjacent databases is the larger, in either order {within(_alike('renyi'))}",
    )


def _one_pair() -> Statement:
    """Two Gaussian mechanisms compared by one exact pair each."""
    psi = (0.7, 1.3)
    pairs = [(gaussian_epsilon(p, _DELTA), _DELTA) for p in psi]
    back = [psi_from(*pair) for pair in pairs]
    off = max(abs(a - b) for a, b in zip(back, psi, strict=True))
    gap = max(abs(gaussian_delta(b, float(e)) - gaussian_delta(p, float(e)))
              for p, b in zip(psi, back, strict=True) for e in _EPSILON)  # fmt: skip
    return Statement(
        off > 1e-6 or gap > 1e-6,
        f"psi 0.7 and 1.3, epsilon {pairs[0][0]:.4f} and {pairs[1][0]:.4f} at delta 1e-5: each pair alone gives psi "
        f"back {within(off)}, and the whole profile {within(gap)}; the larger epsilon is the larger psi",
    )


def _from_renyi() -> Statement:
    """One order of a Gaussian mechanism gives psi, and psi gives the profile."""
    order, psi = 4.0, 1.3
    rho = float(account(Gaussian(1.0 / psi)).renyi(order))
    found = math.sqrt(2.0 * rho / order)
    off = max(abs(gaussian_delta(found, float(e)) - gaussian_delta(psi, float(e))) for e in _EPSILON)
    return Statement(
        off > 1e-6,
        f"a Gaussian mechanism that has exactly (4, {rho:.4f})-RDP: psi = sqrt(2 rho / alpha) = {found:.4f}, and with "
        f"it every (epsilon, delta) {within(off)}",
    )
