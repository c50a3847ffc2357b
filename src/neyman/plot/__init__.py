"""Pictures of finished guarantees, each with a twin ``data`` that returns the numbers it draws.

>>> import neyman as ny
>>> ax = ny.plot.tradeoff(ny.GDP(1.0), ny.PureDP(1.0))
>>> ny.plot.tradeoff.data(ny.GDP(1.0)).curves
('1-GDP',)
"""

from __future__ import annotations

import sys

from neyman._answering import Room
from neyman.plot.bayes_errors import bayes_error
from neyman.plot.claim_and_audit import audit
from neyman.plot.differences import difference
from neyman.plot.drawing import style
from neyman.plot.drawing.columns import Columns
from neyman.plot.drawing.inline_svg import svg
from neyman.plot.envelope import envelope
from neyman.plot.likelihood_ratios import likelihood_ratio
from neyman.plot.local_mus import local_mu
from neyman.plot.loss_laws import privacy_loss
from neyman.plot.pareto_front import pareto
from neyman.plot.privacy_profile import profile
from neyman.plot.rdp_roads import rdp_conversions
from neyman.plot.regret_ruler import regret
from neyman.plot.roc_curve import roc
from neyman.plot.sweeps.sweep_as_lines import sweep_lines
from neyman.plot.sweeps.sweep_as_map import sweep_map
from neyman.plot.tangents import roc_tangent
from neyman.plot.tradeoff_curve import tradeoff
from neyman.plot.weighted_errors import weighted_bayes_error

__all__ = [
    "Columns",
    "audit",
    "bayes_error",
    "difference",
    "envelope",
    "likelihood_ratio",
    "local_mu",
    "pareto",
    "privacy_loss",
    "profile",
    "rdp_conversions",
    "regret",
    "roc",
    "roc_tangent",
    "style",
    "svg",
    "sweep_lines",
    "sweep_map",
    "tradeoff",
    "weighted_bayes_error",
]

sys.modules[__name__].__class__ = Room


def __getattr__(name: str) -> object:
    """Answer a name that is not there with the picture that is meant."""
    from neyman._answering import answered  # read where something went wrong
    from neyman._guesses import room_name

    raise answered(room_name("plot", name, tuple(__all__)), name)
