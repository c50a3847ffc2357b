"""A step as a Renyi divergence needs it: lone outcomes, and smooth parts on the line or on the integers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.readings.smooth_part import SmoothPart
from neyman.losses.whole import demand_whole, total
from neyman.numerics.functions.gauss import gauss

__all__ = ["PowerLaw"]

_WEIGHED = 1e-9  # error of the plain sum of a smooth part: far below any loss of mass that matters
_NONE = np.zeros(0)  # no outcomes
_PANEL, _REACH = 0.7, 13.0  # longest panel of a flat part; deviations at which sums over others end: e^-84
_NODES, _WEIGHTS = gauss(8)  # of one panel


@dataclass(frozen=True, eq=False)
class PowerLaw:
    """The two laws given that nothing is revealed: ``log_whole`` are the logs of P(L < inf) and Q(L > -inf).

    Outcomes have their ``loss`` within ``loss_error`` and their mass under Q within a relative ``relative``. With
    ``integers`` the density of a smooth part is a mass on each integer.
    """

    parts: tuple[SmoothPart, ...] = ()
    loss: FloatArray = field(default_factory=lambda: _NONE)
    log_q: FloatArray = field(default_factory=lambda: _NONE)
    loss_error: FloatArray = field(default_factory=lambda: _NONE)
    relative: float = 0.0
    integers: bool = False
    log_whole: tuple[float, float] = (0.0, 0.0)
    vague: float = 0.0  # relative error of each of ``log_whole``
    cut: bool = False  # whether outcomes were left out
    known: bool = False  # whether it weighs 1 by what made it, or has nothing to weigh

    def weighed(self, law: object) -> PowerLaw:
        """Itself, if lone outcomes and smooth parts together are the whole of ``law``: the latter by a plain sum, to
        ``_WEIGHED``.

        Raises
        ------
        NotCertified
            If they do not sum to 1 under P and under Q.
        """
        if self.known:
            return self
        for side, under in ((1, "P"), (0, "Q")):
            mass, rounding = total(self.log_q + side * self.loss)
            off = rounding + mass * (self.relative + 2.0 * side * float(np.max(self.loss_error, initial=0.0)))
            for part in self.parts:
                z, log_width = _nodes_of(part, self.integers)
                log_density, loss, *_ = part.at(z)
                mass += total(log_density + side * loss + log_width)[0]
            demand_whole(law, under, mass, off + (_WEIGHED if self.parts else 0.0))
        return self


def _nodes_of(part: SmoothPart, integers: bool) -> tuple[FloatArray, FloatArray | float]:
    """Where a part is looked at, and the log of what each look stands for."""
    if part.bend == 0.0:
        panels = math.ceil((part.high - part.low) / _PANEL)
        half = 0.5 * (part.high - part.low) / panels
        middle = part.low + half * (2.0 * np.arange(panels) + 1.0)
        return (middle[:, None] + half * _NODES).ravel(), np.tile(np.log(half * _WEIGHTS), panels)
    # normal laws about 0 and, where a record takes part, rise / bend on either side of it: far apart, each by itself
    spread = 1.0 / math.sqrt(part.bend)
    gap = max(1.0, math.floor(0.25 * spread)) if integers else 0.25 * spread
    reach, shift = math.ceil(_REACH * spread / gap), round(part.rise / part.bend / gap)
    near = np.arange(-reach, reach + 1.0)
    place = np.unique(np.concatenate([near, near + shift, near - shift]))
    return gap * place, math.log(gap)
