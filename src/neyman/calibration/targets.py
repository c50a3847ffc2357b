"""Targets: what risk is accepted, in any of the languages of privacy.

>>> import neyman as ny
>>> target = ny.targets.Epsilon(8.0, delta=1e-5) & ny.targets.Advantage(0.5)
>>> target.met_by(ny.GDP(1.2)), target.met_by(ny.GDP(1.5)), target.missed_by(ny.GDP(1.5))
(True, False, True)
"""

from __future__ import annotations

from typing import Any

from neyman.calibration.attack_targets import TPR, Advantage, BayesError, Posterior, Reconstruction
from neyman.calibration.curve_targets import Divergence, Epsilon, Mu, Regret
from neyman.calibration.target import All, Target

__all__ = [
    "TPR",
    "Advantage",
    "All",
    "BayesError",
    "Divergence",
    "Epsilon",
    "Mu",
    "Posterior",
    "Reconstruction",
    "Regret",
    "Target",
]


def __getattr__(name: str) -> Any:
    """Answer a name that is not there with the target that is meant."""
    from neyman._answering import answered  # read where something went wrong
    from neyman._guesses import room_name

    raise answered(room_name("targets", name, tuple(__all__)), name)
