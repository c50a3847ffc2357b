"""The certifier of hyperbolas in floats: it believes nothing of a witness.

The laws are laid out along their rays, the edges of the strip are bounded, and nodes are spaced and summed anew.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.hyperbola.arc import Arc
from neyman.engines.contour.hyperbola.rotated import Steps
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.witness import ArcWitness
from neyman.profiles.effort import Effort

__all__ = ["certified_arc"]

_NEAR = 1e-12  # relative: the largest loss is rounded
_LABOUR = 4e9  # nominal nanoseconds that a hyperbola may take
_NANO = 1e-9  # seconds


def certified_arc(parts: Parts, witness: ArcWitness, epsilon: FloatArray) -> Estimates:
    """What follows for delta at each ``epsilon`` >= 0 (1-d) from the hyperbola alone: perhaps nothing.

    ``parts`` are the law: transforms of sampled Gaussians, with their counts, beside the mu of all others.
    """
    found = Estimates.empty(len(epsilon))
    arc = _laid(parts, witness) if witness.sound and parts.sampled else None
    if arc is not None:
        # above the largest loss e^{K - z eps} grows along the hyperbola, and nothing bounds what lies beyond its end
        found.put(np.flatnonzero(epsilon < parts.largest_loss * (1.0 - _NEAR)), arc, epsilon)
    return found


def _laid(parts: Parts, witness: ArcWitness) -> Arc | None:
    if not Steps.work(parts, witness.reach) <= _LABOUR:
        return None
    try:
        with np.errstate(all="ignore"):
            steps = Steps.along(parts, witness.reach, witness.depth)
            span = witness.low, witness.high
            return Arc.lay(steps, witness.c, witness.curvature, span, Effort(_NANO * _LABOUR))
    except (ArithmeticError, ValueError):  # no law is laid out so, or no float holds it
        return None
