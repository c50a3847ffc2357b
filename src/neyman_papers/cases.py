"""The mechanisms that more than one figure asks about, accounted for once in each process."""

from __future__ import annotations

import math
from functools import cache

from neyman.accounting import account
from neyman.guarantees import GDPReport, Guarantee
from neyman.mechanisms import DPSGD, DiscreteGaussian, Laplace, RandomizedResponse, compose
from neyman_papers.verdict import Number

__all__ = [
    "CENSUS_RHO",
    "CENSUS_SHARES",
    "CIFAR_RATE",
    "FINE_TUNING",
    "FROM_SCRATCH",
    "LARGER_RATE",
    "census",
    "dpsgd",
    "fit",
    "laplace",
    "mu_and_regret",
    "response",
]

CIFAR_RATE = 16384 / 50000
"""Batches of 16384 = 2^14 of 50,000 records (Gomez et al., Section 5 and Tables 4 and 5)."""

LARGER_RATE = 16384 / 60000
"""What explains the replacement values of Table 2 of Gomez et al."""

FROM_SCRATCH = {1.0: (40.0, 906), 2.0: (24.0, 1156), 3.0: (20.0, 1656), 4.0: (16.0, 1765), 6.0: (12.0, 2007),
                8.0: (9.4, 2000)}  # fmt: skip
"""Noise multiplier and updates by the epsilon printed above them (Gomez et al., Table 4)."""

FINE_TUNING = {1.0: (21.1, 250), 2.0: (15.8, 500), 4.0: (12.0, 1000), 8.0: (9.4, 2000)}
"""The same of Table 5."""

CENSUS_SHARES = (0.02, 0.274, 0.085, 0.131, 0.131, 0.238, 0.118, 0.003)
"""Of the budget by geographic level: the allocation of the US Census Bureau, 25 August 2022, as of Su et al. (2024)."""

CENSUS_RHO = 3.65  # rho of zCDP of the whole release
_QUERIES = 10  # discrete Gaussians at each level


@cache
def dpsgd(noise: float, rate: float, steps: int) -> Guarantee:
    """DP-SGD, neighbours by adding or removing one record."""
    return account(DPSGD(noise_multiplier=noise, sample_rate=rate, steps=steps))


@cache
def laplace(scale: float = 1.0) -> Guarantee:
    """Laplace noise on a query of sensitivity 1."""
    return account(Laplace(scale))


@cache
def response(epsilon: float) -> Guarantee:
    """Randomised response with two answers."""
    return account(RandomizedResponse(epsilon))


@cache
def census() -> Guarantee:
    """TopDown: at each level ten discrete Gaussians that share the level's part of rho."""
    return account(
        compose(
            DiscreteGaussian(math.sqrt(_QUERIES / (2.0 * share * CENSUS_RHO))) ** _QUERIES for share in CENSUS_SHARES
        )
    )


@cache
def fit(guarantee: Guarantee) -> tuple[GDPReport, GDPReport]:
    """The report at the default floor, from above and from below."""
    return guarantee.gdp(), guarantee.optimistic.gdp()


def mu_and_regret(guarantee: Guarantee, note: str = "") -> tuple[Number, Number]:
    """Both as certified brackets."""
    high, low = fit(guarantee)
    return Number(low.mu, high.mu, note=note), Number(low.regret, high.regret, note=note)
