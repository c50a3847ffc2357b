"""Mechanisms: what a curator runs, as immutable values with an algebra."""

from neyman.mechanisms.base import Mechanism
from neyman.mechanisms.composition import Composition, compose
from neyman.mechanisms.dpsgd import DPSGD
from neyman.mechanisms.gaussian import Gaussian
from neyman.mechanisms.poisson import PoissonSampled
from neyman.mechanisms.serialise import mechanism_from_dict

__all__ = ["DPSGD", "Composition", "Gaussian", "Mechanism", "PoissonSampled", "compose", "mechanism_from_dict"]
