"""Mechanisms: what a curator runs, as immutable values with an algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._first_use import on_first_use
from neyman.mechanisms.training import Training, training  # a file has its name: not on first use

if TYPE_CHECKING:
    from neyman.mechanisms.allocated import Allocated
    from neyman.mechanisms.approximate import ApproximateMechanism
    from neyman.mechanisms.base import Mechanism
    from neyman.mechanisms.composition import Composition, compose
    from neyman.mechanisms.custom import CustomLoss
    from neyman.mechanisms.discrete_gaussian import DiscreteGaussian
    from neyman.mechanisms.discrete_laplace import DiscreteLaplace
    from neyman.mechanisms.dpsgd import DPSGD
    from neyman.mechanisms.gaussian import Gaussian
    from neyman.mechanisms.laplace import Laplace
    from neyman.mechanisms.poisson import PoissonSampled
    from neyman.mechanisms.pure import PureMechanism
    from neyman.mechanisms.randomized_response import RandomizedResponse
    from neyman.mechanisms.serialise import mechanism_from_dict
    from neyman.mechanisms.tabulated import Tabulated

__all__ = [
    "DPSGD",
    "Allocated",
    "ApproximateMechanism",
    "Composition",
    "CustomLoss",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Gaussian",
    "Laplace",
    "Mechanism",
    "PoissonSampled",
    "PureMechanism",
    "RandomizedResponse",
    "Tabulated",
    "Training",
    "compose",
    "mechanism_from_dict",
    "training",
]

_FILES = {
    "neyman.mechanisms.allocated": ("Allocated",),
    "neyman.mechanisms.approximate": ("ApproximateMechanism",),
    "neyman.mechanisms.base": ("Mechanism",),
    "neyman.mechanisms.composition": ("Composition", "compose"),
    "neyman.mechanisms.custom": ("CustomLoss",),
    "neyman.mechanisms.discrete_gaussian": ("DiscreteGaussian",),
    "neyman.mechanisms.discrete_laplace": ("DiscreteLaplace",),
    "neyman.mechanisms.dpsgd": ("DPSGD",),
    "neyman.mechanisms.gaussian": ("Gaussian",),
    "neyman.mechanisms.laplace": ("Laplace",),
    "neyman.mechanisms.poisson": ("PoissonSampled",),
    "neyman.mechanisms.pure": ("PureMechanism",),
    "neyman.mechanisms.randomized_response": ("RandomizedResponse",),
    "neyman.mechanisms.serialise": ("mechanism_from_dict",),
    "neyman.mechanisms.tabulated": ("Tabulated",),
}

__getattr__, __dir__ = on_first_use(__name__, _FILES)
