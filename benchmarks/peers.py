"""The contestants: each takes the (noise multiplier, sample rate, steps) of a case, answers mu, regret, epsilon(1e-5).

A contestant answers what it can; `lower` values are there when it claims a bracket. Imports happen in `load`, so that a
missing package is told apart from one that fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["CONTESTANTS", "OURS", "Contestant"]

Steps = list[tuple[float, float, int]]
Answer = dict[str, float]
DELTA = 1e-5
OURS = "neyman"


@dataclass(frozen=True)
class Contestant:
    """How to load and call one library; `module` is imported to see whether it is there, `install` is the pip name."""

    module: str
    install: str
    load: Callable[[], Callable[[Steps], Answer]]


def _ours() -> Callable[[Steps], Answer]:
    """The whole answer: mu, regret, epsilon at three deltas, a curve of 256 points, and both bounds."""
    import numpy as np

    import neyman as ny

    deltas = np.array([DELTA, 1e-6, 1e-9])

    def solve(steps: Steps) -> Answer:
        mechanism = ny.compose([ny.DPSGD(*step) for step in steps]) if len(steps) > 1 else ny.DPSGD(*steps[0])
        g = ny.account(mechanism)
        report = g.gdp()
        upper, lower = g.epsilon(deltas), g.optimistic.epsilon(deltas)
        g.curve(256)
        return {
            "mu": float(report.mu),
            "mu_lower": float(g.optimistic.mu()),
            "regret": float(report.regret),
            "epsilon": float(upper[0]),
            "epsilon_lower": float(lower[0]),
        }

    return solve


def _connect_the_dots(steps: Steps, grid: float) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    composed = None
    for sigma, q, t in steps:
        pld = privacy_loss_distribution.from_gaussian_mechanism(
            sigma, sampling_prob=q, value_discretization_interval=grid, use_connect_dots=True
        ).self_compose(t)
        composed = pld if composed is None else composed.compose(pld)
    return composed


def _gdpnum(grid: float) -> Callable[[], Callable[[Steps], Answer]]:
    """Its own path for DP-SGD: the loss distribution by dp_accounting, then mu and regret from the converter."""

    def load() -> Callable[[Steps], Answer]:
        from gdpnum import PLDConverter

        def solve(steps: Steps) -> Answer:
            pld = _connect_the_dots(steps, grid)
            mu, regret = PLDConverter(pld).get_mu_and_regret()
            return {"mu": float(mu), "regret": float(regret), "epsilon": float(pld.get_epsilon_for_delta(DELTA))}

        return solve

    return load


def _dp_accounting() -> Callable[[Steps], Answer]:
    import dp_accounting.pld.privacy_loss_distribution  # noqa: F401  (loaded before the clock starts)

    def solve(steps: Steps) -> Answer:
        pld = _connect_the_dots(steps, 1e-4)
        return {"epsilon": float(pld.get_epsilon_for_delta(DELTA))}

    return solve


def _prv_accountant(error: float) -> Callable[[], Callable[[Steps], Answer]]:
    """Epsilon to within ``error``."""

    def load() -> Callable[[Steps], Answer]:
        from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

        def solve(steps: Steps) -> Answer:
            accountant = PRVAccountant(
                [PoissonSubsampledGaussianMechanism(q, sigma) for sigma, q, _ in steps],
                max_self_compositions=[t for *_, t in steps],
                eps_error=error,
                delta_error=1e-10,
            )
            lower, _, upper = accountant.compute_epsilon(DELTA, [t for *_, t in steps])
            if not math.isfinite(upper):
                raise ArithmeticError(f"epsilon is {upper}")
            return {"epsilon": float(upper), "epsilon_lower": float(lower)}

        return solve

    return load


CONTESTANTS: dict[str, Contestant] = {
    OURS: Contestant("neyman", ".", _ours),
    "gdpnum 1e-4": Contestant("gdpnum", "gdpnum", _gdpnum(1e-4)),
    "gdpnum 1e-3": Contestant("gdpnum", "gdpnum", _gdpnum(1e-3)),
    "dp_accounting 1e-4": Contestant("dp_accounting", "dp-accounting", _dp_accounting),
    "prv_accountant 0.01": Contestant("prv_accountant", "prv-accountant", _prv_accountant(0.01)),
    "prv_accountant 0.1": Contestant("prv_accountant", "prv-accountant", _prv_accountant(0.1)),
}
