"""delta of one and of two sampled Gaussian steps by error functions, and quadrature over one output."""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray

__all__ = ["one_step", "two_steps"]


def one_step(epsilon: FloatArray, sigma: float, q: float, remove: bool) -> FloatArray:
    """delta of one step at any real eps, by its own threshold in x: erfc and nothing else; 0 beyond the support."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.exp(epsilon if remove else -epsilon)  # of the mixture to the plain law
        t = 0.5 + sigma**2 * np.log((ratio - (1.0 - q)) / q)
    t = np.where(ratio > 1.0 - q, t, -np.inf)
    erfc = np.vectorize(math.erfc)

    def above(x: FloatArray) -> FloatArray:
        return 0.5 * erfc(np.clip(x / math.sqrt(2.0), -40.0, 40.0))

    plain, took = above(t / sigma), above((t - 1.0) / sigma)
    if remove:
        return (1.0 - q) * plain + q * took - np.exp(epsilon) * plain
    found = (1.0 - plain) - np.exp(np.minimum(epsilon, 700.0)) * (1.0 - (1.0 - q) * plain - q * took)
    return np.where(np.isfinite(t), found, 0.0)


def two_steps(epsilon: float, sigma: float, q: float, remove: bool) -> float:
    """delta of two steps: the second in closed form, the first by quadrature over x."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = np.linspace(-12.0 * sigma, 1.0 + 12.0 * sigma, 400)
    half = 0.5 * np.diff(edges)[:, None]
    x = (edges[:-1, None] + half * (1.0 + nodes)).ravel()
    w = (half * weights).ravel() / (sigma * math.sqrt(2.0 * math.pi))
    plain, took = np.exp(-0.5 * (x / sigma) ** 2), np.exp(-0.5 * ((x - 1.0) / sigma) ** 2)
    loss = np.log1p(q * np.expm1((2.0 * x - 1.0) / (2.0 * sigma**2)))
    mass, loss = ((1.0 - q) * plain + q * took, loss) if remove else (plain, -loss)
    return float((w * mass) @ one_step(epsilon - loss, sigma, q, remove))
