"""Mechanisms: what a curator runs, as immutable values with an algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._first_use import on_first_use

if TYPE_CHECKING:
    from neyman.mechanisms.additive.discrete_gaussian import DiscreteGaussian
    from neyman.mechanisms.additive.discrete_laplace import DiscreteLaplace
    from neyman.mechanisms.additive.gaussian import Gaussian
    from neyman.mechanisms.additive.laplace import Laplace
    from neyman.mechanisms.base import Mechanism
    from neyman.mechanisms.composition import Composition, compose
    from neyman.mechanisms.sampled.allocated import Allocated
    from neyman.mechanisms.sampled.dpsgd import DPSGD
    from neyman.mechanisms.sampled.poisson import PoissonSampled
    from neyman.mechanisms.sampled.training import Training, training
    from neyman.mechanisms.serialise import mechanism_from_dict
    from neyman.mechanisms.stated.approximate import ApproximateMechanism
    from neyman.mechanisms.stated.custom import CustomLoss
    from neyman.mechanisms.stated.pure import PureMechanism
    from neyman.mechanisms.stated.randomized_response import RandomizedResponse
    from neyman.mechanisms.stated.tabulated import Tabulated

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
    "neyman.mechanisms.sampled.allocated": ("Allocated",),
    "neyman.mechanisms.stated.approximate": ("ApproximateMechanism",),
    "neyman.mechanisms.base": ("Mechanism",),
    "neyman.mechanisms.composition": ("Composition", "compose"),
    "neyman.mechanisms.stated.custom": ("CustomLoss",),
    "neyman.mechanisms.additive.discrete_gaussian": ("DiscreteGaussian",),
    "neyman.mechanisms.additive.discrete_laplace": ("DiscreteLaplace",),
    "neyman.mechanisms.sampled.dpsgd": ("DPSGD",),
    "neyman.mechanisms.additive.gaussian": ("Gaussian",),
    "neyman.mechanisms.additive.laplace": ("Laplace",),
    "neyman.mechanisms.sampled.poisson": ("PoissonSampled",),
    "neyman.mechanisms.stated.pure": ("PureMechanism",),
    "neyman.mechanisms.stated.randomized_response": ("RandomizedResponse",),
    "neyman.mechanisms.sampled.training": ("Training", "training"),
    "neyman.mechanisms.serialise": ("mechanism_from_dict",),
    "neyman.mechanisms.stated.tabulated": ("Tabulated",),
}

__getattr__, __dir__ = on_first_use(__name__, _FILES)
