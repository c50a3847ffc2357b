"""Simulated audits whose truth is known: how often a bound exceeds it, and how large bounds are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

import neyman as ny
from neyman.audit import Audit

METHODS = ("simultaneous", "fixed", "split", "dkw")
QUESTIONS = ("mu", "epsilon", "advantage", "tpr", "any")
DELTA, FPR = 1e-3, 0.01

Draw = Callable[[np.random.Generator, int, float], tuple[Any, Any]]


def gaussian(rng: np.random.Generator, n: int, mu: float) -> tuple[Any, Any]:
    return rng.normal(mu, 1.0, n), rng.normal(0.0, 1.0, n)


def tied(rng: np.random.Generator, n: int, mu: float) -> tuple[Any, Any]:
    """A few dozen values."""
    within, outside = gaussian(rng, n, mu)
    return np.round(within, 1), np.round(outside, 1)


def binary(rng: np.random.Generator, n: int, mu: float) -> tuple[Any, Any]:
    within, outside = gaussian(rng, n, mu)
    return (within > 0.5 * mu).astype(int), (outside > 0.5 * mu).astype(int)


@dataclass(frozen=True)
class Simulated:
    """How many of ``replications`` audits exceeded the truth, by question, and their bounds on mu."""

    replications: int
    exceeded: dict[str, int]
    mus: Any

    def share(self, question: str) -> float:
        return self.exceeded[question] / self.replications

    def allowed(self, question: str, level: float = 0.05, doubt: float = 1e-6) -> bool:
        """Whether the count is one that a rate of ``level`` exceeds with a probability of more than ``doubt``."""
        return bool(self.exceeded[question] <= stats.binom.isf(doubt, self.replications, level))


def audit(method: str, within: Any, outside: Any, mu: float, seed: int, confidence: float = 0.95) -> Audit:
    threshold = 0.5 * mu if method == "fixed" else None
    return ny.audit.from_scores(within, outside, confidence, method=method, threshold=threshold, seed=seed)  # type: ignore[arg-type]


def simulate(
    method: str, mu: float, n: int, replications: int, draw: Draw = gaussian, seed: int = 0, confidence: float = 0.95
) -> Simulated:
    rng = np.random.default_rng([seed, n, int(100 * mu), METHODS.index(method)])
    truth = ny.GDP(mu)
    limits = mu, truth.epsilon(DELTA), truth.advantage, truth.roc(FPR)
    above = np.zeros((replications, 4), dtype=bool)
    mus = np.empty(replications)
    for one in range(replications):
        found = audit(method, *draw(rng, n, mu), mu, one, confidence)
        bounds = found.mu, found.epsilon(DELTA), found.advantage, found.tpr(FPR)
        above[one] = np.array(bounds) > np.array(limits)
        mus[one] = found.mu
    counts = [*above.sum(axis=0).tolist(), int(above.any(axis=1).sum())]
    return Simulated(replications, dict(zip(QUESTIONS, counts, strict=True)), mus)
