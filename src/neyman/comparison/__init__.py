"""Which of two guarantees is more private, where, and by how much: beyond any single (epsilon, delta).

>>> import neyman as ny
>>> c = ny.compare(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
>>> round(c.divergence, 8), round(c.reverse, 8), c.order
(0.00527221, 0.03413855, 'incomparable')
"""

from __future__ import annotations

import sys

from neyman._answering import Room
from neyman.comparison.approximate import ApproximateDominance, approximately_dominates
from neyman.comparison.canonical import CanonicalPair, canonical_pair, levy_distance
from neyman.comparison.compare import Comparison, compare
from neyman.comparison.crossings import Crossing
from neyman.comparison.design import Candidate, Choice, pareto
from neyman.comparison.emergent import Dominance, dominates_after
from neyman.comparison.eventual import EmergentDominance, emergent_dominance
from neyman.comparison.hyperprior import UQuadratic, Weighted, WeightedEstimate
from neyman.comparison.moments import DominanceBound, Moments, dominance_bound, moments
from neyman.comparison.stretches import Stretch

__all__ = [
    "ApproximateDominance",
    "Candidate",
    "CanonicalPair",
    "Choice",
    "Comparison",
    "Crossing",
    "Dominance",
    "DominanceBound",
    "EmergentDominance",
    "Moments",
    "Stretch",
    "UQuadratic",
    "Weighted",
    "WeightedEstimate",
    "approximately_dominates",
    "canonical_pair",
    "compare",
    "dominance_bound",
    "dominates_after",
    "emergent_dominance",
    "levy_distance",
    "moments",
    "pareto",
]

sys.modules[__name__].__class__ = Room
