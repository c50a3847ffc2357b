"""Appendix A of the divergence paper: what it recalls, as it is printed."""

from __future__ import annotations

import math

import numpy as np
from scipy import integrate, special

from neyman._validate import FloatArray
from neyman.guarantees import BLATANT, PERFECT
from neyman_papers.cases import laplace, response
from neyman_papers.divergence.series import gauss
from neyman_papers.lossless import without_loss
from neyman_papers.verdict import Ours, Statement
from neyman_papers.words import within

__all__ = ["appendix"]

_ALPHA: FloatArray = np.linspace(0.01, 0.99, 99)


def appendix() -> dict[str, Ours]:
    """Equations 21 to 29, and the sentences around them."""
    kept, rejected = float(special.ndtr(1.0)), float(special.ndtr(-1.0))
    loss = np.linspace(-3.0, 3.0, 61)  # thresholds on the loss, x - 1/2 of the output x
    cuts, powers = special.ndtr(-loss - 0.5), special.ndtr(loss - 0.5)
    missed = float(special.ndtr(1.6448536 - 1.0) - special.ndtr(-1.6448536 - 1.0))
    two = np.array([np.asarray(PERFECT.beta(_ALPHA)), np.asarray(BLATANT.beta(_ALPHA))])
    gaussian = special.ndtr(special.ndtri(1.0 - _ALPHA) - 1.0)
    # the loss X of Laplace noise under H0 has an atom of e^-1 / 2 at its largest value, 1, where F_Y is 1
    alpha = 0.1
    by_law, true = 1.0, float(laplace().beta(alpha))
    epsilon = np.linspace(-3.0, 3.0, 61)
    tails = special.ndtr(0.5 - epsilon) - np.exp(epsilon) * special.ndtr(-0.5 - epsilon)
    fine = np.linspace(0.0, 1.0, 20001)
    conjugate = np.max(-np.exp(epsilon)[:, None] * fine - np.asarray(gauss().beta(fine)), axis=1)
    profile = max(_gap(tails, gauss().delta(epsilon)), _gap(1.0 + conjugate, gauss().delta(epsilon)))
    x = np.linspace(-40.0, 41.0, 810001)
    p, q = 0.5 * np.exp(-np.abs(x)), 0.5 * np.exp(-np.abs(x - 1.0))
    variation = 0.5 * float(integrate.trapezoid(np.abs(p - q), x))
    stick = max(
        abs(float(integrate.trapezoid(np.maximum(p - math.exp(e) * q, 0.0), x)) - laplace().delta(e))
        for e in (-0.5, 0.0, 0.5)
    )
    least = float(np.min(fine + np.asarray(laplace().beta(fine))))
    shape = np.asarray(response(1.0).beta(np.linspace(0.0, 1.0, 401)))
    return {
        "a/phi": Statement(abs(kept - rejected) < 1e-9, f"a test at 1 of N(0, 1): if 0 encodes 'reject', E[phi] is "
                                                       f"{kept:.4f} under H0; its type I error is {rejected:.4f}"),
        "a/np": Statement(_gap(powers, gauss().beta(cuts)) < 1e-9, "Gauss: thresholds on the loss draw the "
                          f"whole curve; a test on |output| above 1.645 misses {missed:.3f}, the curve "
                          f"{float(gauss().beta(0.1)):.3f}"),
        "eq21": Statement(bool(np.allclose(np.max(two, axis=0), np.min(two, axis=0))), "two pairs of databases, one "
                          "alike and one told apart: the supremum of their curves is 1 - alpha, the infimum 0"),
        "eq22": Statement(bool(np.all(np.asarray(BLATANT.beta(_ALPHA)) <= np.min(two, axis=0))), "two pairs of "
                                                                                                 "databases, "
                          "one alike and one told apart: T(P, Q) = 0 is below both curves, as the equation asks of "
                          "all"),
        "eq24": Statement(_gap(gaussian, gauss().beta(_ALPHA)) < 1e-9, "Gauss, at 99 error rates"),
        "eq24/atoms": Statement(abs(by_law - true) < 1e-9, f"Laplace, alpha = 0.1: F_Y(F_X^-1(0.9)) = F_Y(1) = 1, and "
                                                           f"f = {true:.4f} = 1 - e alpha"),
        "eq25": Statement(profile < 1e-4, f"Gauss, epsilon -3 to 3: {within(profile)}, on a grid"),
        "eq26": Statement(stick < 1e-7, f"Laplace: {within(stick)}, by quadrature"),
        "eq27": Statement(abs(variation - laplace().advantage) < 1e-8, f"Laplace: {variation:.7f}, by quadrature"),
        "eq28": Statement(abs(least - 1.0 + laplace().advantage) < 1e-6, f"Laplace: least alpha + beta {least:.7f}"),
        "shape": Statement(bool(np.all(np.diff(shape) <= 0.0) and np.all(np.diff(shape, 2) >= -1e-9)
                                and _gap(shape[[0, -1]], [1.0, 0.0]) < 1e-12) and float(BLATANT.beta(0.0)) == 1.0,
                           "randomised response, at 401 points: all of it; blatant non-privacy, f = 0 in Section "
                           "3.4: f(0) is "
                           f"{float(BLATANT.beta(0.0)):g}"),
        "a/lossy": without_loss(),
    }  # fmt: skip


def _gap(a: object, b: object) -> float:
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))
