"""Named roads between the languages of differential privacy, each the formula of one paper, rounded to its safe side.

>>> import neyman as ny
>>> round(ny.conversions.psi_from(8.0, 1e-5), 2)
1.67
"""

from __future__ import annotations

import sys

from neyman._answering import Room
from neyman.conversions.asymptotic import Asymptotic
from neyman.conversions.binormal import binormal_auc, binormal_roc
from neyman.conversions.classical import classical_sigma
from neyman.conversions.dpsgd_limits import asymptotic_dpsgd_poisson, asymptotic_dpsgd_uniform
from neyman.conversions.gaussian import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_tail_epsilon,
    psi_from,
    sigma_from_psi,
)
from neyman.conversions.gaussian_renyi import gaussian_renyi
from neyman.conversions.laplace import laplace_epsilon
from neyman.conversions.limits import gdp_limit, gdp_limit_of
from neyman.conversions.page import GaussianPage, Line
from neyman.conversions.renyi import (
    rdp_best,
    rdp_epsilon_cks,
    rdp_improved_a,
    rdp_improved_b,
    rdp_profile_cks,
    rdp_standard,
)

__all__ = [
    "Asymptotic",
    "GaussianPage",
    "Line",
    "asymptotic_dpsgd_poisson",
    "asymptotic_dpsgd_uniform",
    "binormal_auc",
    "binormal_roc",
    "classical_sigma",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_renyi",
    "gaussian_tail_epsilon",
    "gdp_limit",
    "gdp_limit_of",
    "laplace_epsilon",
    "psi_from",
    "rdp_best",
    "rdp_epsilon_cks",
    "rdp_improved_a",
    "rdp_improved_b",
    "rdp_profile_cks",
    "rdp_standard",
    "sigma_from_psi",
]

sys.modules[__name__].__class__ = Room


def __getattr__(name: str) -> object:
    """Answer a name that is not there with the one that is meant."""
    from neyman._answering import answered  # read where something went wrong
    from neyman._guesses import room_name

    raise answered(room_name("conversions", name, tuple(__all__)), name)
