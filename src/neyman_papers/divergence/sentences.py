"""Sentences of the divergence paper between its theorems, each asked of examples that can refute it."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare, moments
from neyman.guarantees import GDP
from neyman.mechanisms import Gaussian, Laplace, Tabulated
from neyman_papers.cases import fit, laplace, response
from neyman_papers.divergence.series import gauss
from neyman_papers.divergence.theorems import never
from neyman_papers.verdict import NEAR, Ours, Statement
from neyman_papers.words import within

__all__ = ["sentences"]

_ALPHA: FloatArray = np.linspace(0.0, 1.0, 20001)


def sentences() -> dict[str, Ours]:
    """All of them."""
    return {
        "1/blackwell": _touching(),
        "3/upper": _excess(),
        "4/pinpoints": never(1.2, scaled=False),
        "4/only-eta": _same_eta(),
        "eq23": _no_tight_pair(),
        "eq26/same": _two_ways(),
        "b.1": _uniform_pair(),
    }


def _touching() -> Statement:
    """Curves that meet, and are ranked."""
    g = response(1.0)
    summary = GDP(fit(g)[0].tail_mu)
    at = np.array([0.0, 1.0 / (1.0 + math.e), 1.0])
    meet = float(np.max(np.abs(np.asarray(g.beta(at)) - np.asarray(summary.beta(at))))) < NEAR
    ranked = compare(g, summary).order == "more_private"
    return Statement(not (meet and ranked), f"randomised response, epsilon 1, and its mu = {summary.mu():.4f}: the "
                                            f"curves "
                     f"meet at alpha = 0, {at[1]:.4f} and 1, and are ranked: to meet is not to cross")  # fmt: skip


def _excess() -> Statement:
    """What Delta bounds: errors at any prior; not what curves differ by at one alpha, or profiles at one epsilon."""
    c = compare(gauss(), laplace())
    epsilon, prior = np.linspace(-6.0, 6.0, 20001), np.linspace(0.0, 1.0, 2001)
    curves = np.asarray(gauss().beta(_ALPHA)) - np.asarray(laplace().beta(_ALPHA))
    profiles = np.asarray(laplace().delta(epsilon)) - np.asarray(gauss().delta(epsilon))
    errors = np.asarray(gauss().bayes_error(prior)) - np.asarray(laplace().bayes_error(prior))
    pairs = ((c.divergence, curves, profiles, errors), (c.reverse, -curves, -profiles, -errors))
    holds = all(float(np.max(gap)) <= most + NEAR for most, *gaps in pairs for gap in gaps)
    shown = "; ".join(
        f"Delta = {most:.5f}, excess at most {np.max(f):.4f} at one alpha, {np.max(d):.4f} at one epsilon, "
        f"{np.max(r):.5f} "
        "at one prior"
        for most, f, d, r in pairs
    )
    return Statement(holds, f"Gauss and Laplace: {shown} (the other direction second)")


def _same_eta() -> Statement:
    """Two pairs with nearly the same eta and eta~: one mechanism dominates at once, the other never."""
    m, n, other = moments(Laplace(1.0)), moments(Gaussian(1.1)), moments(Gaussian(1.2))
    at_once = compare(account(Gaussian(1.1)), account(Gaussian(1.2))).order == "less_private"
    never_so = never(1.2, scaled=False).holds is False
    return Statement(
        not (at_once and never_so),
        f"eta~ = {other.eta:.3f} of a Gaussian mechanism, sigma = 1.2. One with sigma = 1.1 (eta = {n.eta:.3f}) "
        f"dominates it "
        f"from N = 1 on, a Laplace mechanism, b = 1 (eta = {m.eta:.3f}), for no N",
    )


def _no_tight_pair() -> Statement:
    """Equation 23 of a mechanism with two pairs of databases, one of which it hides better."""
    better, worse = np.asarray(laplace(2.0).beta(_ALPHA)), np.asarray(laplace().beta(_ALPHA))
    infimum = float(np.max(np.abs(np.minimum(better, worse) - worse)))
    apart = float(np.max(np.abs(better - worse)))
    return Statement(
        apart < NEAR,
        f"a count with Laplace noise, b = 1, databases that differ by 1 and by 1/2: curves {apart:.3f} apart, which no "
        f"T(P, Q) equals both; that of 1 is the infimum ({within(infimum)})",
    )


def _two_ways() -> Statement:
    """Equations 25 and 26 of laws whose curve is not symmetric."""
    p, q, epsilon = np.array([0.9, 0.1]), np.array([0.5, 0.5]), 0.3
    loss = np.log(q / p)
    first = float(np.sum(q[loss > epsilon]) - math.exp(epsilon) * np.sum(p[loss > epsilon]))
    second = float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))
    return Statement(abs(first - second) < NEAR, f"laws (0.9, 0.1) and (1/2, 1/2), epsilon = 0.3: equation 25 is "
                     f"{first:.4f}, the integral of [Q - e^epsilon P]+; equation 26 is {second:.4f}")  # fmt: skip


def _uniform_pair() -> Statement:
    """Lemma B.1 with W = f(1 - x) of Section 3.3, in cells of the unit interval."""
    nodes = np.linspace(0.0, 1.0, 201)
    f = np.asarray(laplace().beta(1.0 - nodes))
    law = np.diff(f)
    pair = account(Tabulated(np.full(law.size, 1.0 / law.size), law / np.sum(law)))
    off = float(np.max(np.abs(np.asarray(pair.beta(nodes)) - np.asarray(laplace().beta(nodes)))))
    return Statement(
        off < NEAR and bool(np.all(np.diff(law) >= -1e-12)),
        f"the CDF of W is f(1 - x), as Section 3.3 has it: the test 'U beyond 1 - alpha' has the errors alpha and "
        f"f(alpha), "
        f"and is the best, as the density of W rises. Laplace, b = 1, in 200 cells: the curve of the pair "
        f"{within(off)}",
    )
