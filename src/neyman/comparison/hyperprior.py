"""How a comparison looks to a defender with beliefs about the attacker's prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.guarantees.sides import Sides

__all__ = ["UQuadratic", "Weighted", "weighted_divergence"]

_FAR = 36.0  # |eps| looked at: a prior of 2e-16
_CELLS, _ROUNDS = 1024, 6


class UQuadratic:
    """The U-quadratic law on [0, 1], density 12 (x - 1/2)^2: an attacker who is sure of something.

    Examples
    --------
    >>> float(UQuadratic().pdf(0.0))
    3.0
    """

    def pdf(self, x: Any) -> FloatArray:
        """The density."""
        return np.asarray(12.0 * (np.asarray(x, dtype=np.float64) - 0.5) ** 2)

    def support(self) -> tuple[float, float]:
        """Where it lives."""
        return 0.0, 1.0


@dataclass(frozen=True, slots=True)
class Weighted:
    """Both divergences with the Bayes errors weighted by a hyper-prior's density.

    ``divergence`` is max over priors of density(prior) (R_a - R_b), ``reverse`` that of (R_b - R_a): found by search,
    not certified, for the density is somebody's own function. ``preferred`` is "a", "b" or "either".
    """

    divergence: float
    reverse: float
    preferred: Literal["a", "b", "either"]


def weighted(a: Sides, b: Sides, hyperprior: Any) -> Weighted:
    """Weigh both ways; the guarantee whose choice costs less is preferred."""
    density = _density(hyperprior)
    forth, back = weighted_divergence(a, b, density), weighted_divergence(b, a, density)
    near = abs(forth - back) <= 1e-9 * max(forth, back)
    return Weighted(forth, back, "either" if near else ("a" if forth > back else "b"))


def weighted_divergence(mine: Sides, other: Sides, density: Any) -> float:
    """max over priors of density (R_mine - R_other), at least 0."""
    low, high, best = -_FAR, _FAR, 0.0
    for _ in range(_ROUNDS):
        epsilon = np.linspace(low, high, _CELLS)
        prior = 1.0 / (1.0 + np.exp(-epsilon))
        gain = other.bracket(epsilon).upper - mine.bracket(epsilon).lower
        with np.errstate(over="ignore"):
            value = density(prior) * gain / (1.0 + np.exp(epsilon))
        value = np.where(np.isfinite(value), value, 0.0)
        at = int(np.argmax(value))
        best = max(best, float(value[at]))
        low, high = float(epsilon[max(at - 2, 0)]), float(epsilon[min(at + 2, _CELLS - 1)])
    return best


def _density(hyperprior: Any) -> Any:
    """Its density, after a look at whether it is one on [0, 1]."""
    pdf: Any = getattr(hyperprior, "pdf", None)
    support: Any = getattr(hyperprior, "support", None)
    allowed = "a frozen continuous distribution of scipy.stats on [0, 1], or UQuadratic()"
    if not callable(pdf) or not callable(support):
        raise InvalidParameter("hyperprior", hyperprior, allowed)
    ends: Any = support()
    low, high = (float(end) for end in ends)
    if not (0.0 <= low < high <= 1.0):
        raise InvalidParameter("hyperprior", (low, high), allowed, "Its support must lie in [0, 1].")
    some = np.asarray(pdf(np.array([0.3, 0.5])), dtype=np.float64)
    if some.shape != (2,) or not bool(np.all((some >= 0.0) & (some < math.inf))):
        raise InvalidParameter("hyperprior", some.tolist(), allowed)
    return pdf
