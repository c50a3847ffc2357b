"""Mechanisms: what a curator runs, as immutable values with an algebra."""

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
from neyman.mechanisms.training import Training, training

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
