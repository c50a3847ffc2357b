"""The finite part of a composition of discrete laws, outcome by outcome."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from neyman._validate import FloatArray
from neyman.numerics.rounding import ROOM, UNIT

__all__ = ["BOUNDED", "Atoms"]

BOUNDED = 1e-9  # certifies: more than what rounding does to the log of a bound


@dataclass(frozen=True)
class Atoms:
    """Ascending losses with log sqrt(p q): each loss within ``slack`` + ``stretch`` |loss|, each mass within
    ``relative``, all but ``dropped``. On a full lattice loss = unit * (first + j), where ``first`` is exact.
    ``overlap`` is the log of a bound on the sum of sqrt(p q) over what is left out, which may be far below its mass.
    """

    loss: FloatArray
    log_w: FloatArray
    slack: float
    stretch: float
    relative: float
    dropped: float
    unit: float | None
    first: float
    end: Fraction | None
    overlap: float = -math.inf
    ended: bool = False  # what is left out lies between the first and the last

    @property
    def log_overlap(self) -> float:
        """log of the sum of sqrt(p q), from above, over all that can happen."""
        whole = float(np.logaddexp.reduce(self.log_w, initial=-math.inf))
        room = self.relative + 4.0 * UNIT * (16.0 + len(self.log_w)) * (
            1.0 + (abs(whole) if math.isfinite(whole) else 0.0)
        )
        return min(float(np.logaddexp(whole + room, self.overlap)), 0.0)

    def trimmed(self, log_least: float) -> Atoms:
        """Without the outcomes that weigh less than that under both laws, and less than that beside the others of what
        both show; they are counted as left out.
        """
        log_most = self.log_w + 0.5 * np.abs(self.loss)
        kept = (log_most >= log_least) | (self.log_w >= self.log_w.max() + log_least)
        kept[[0, -1]] = True
        if kept.all():
            return self
        rest, room = self.log_w[~kept], 1.0 + self.relative + ROOM * len(kept)
        dropped = (self.dropped + float(np.sum(np.exp(log_most[~kept])))) * room
        overlap = float(np.logaddexp(self.overlap, np.logaddexp.reduce(rest))) + self.relative + BOUNDED
        return replace(
            self, loss=self.loss[kept], log_w=self.log_w[kept], dropped=dropped, unit=None, end=None, overlap=overlap,
            ended=self.dropped == 0.0 or self.ended,
        )  # fmt: skip

    @property
    def log_p(self) -> FloatArray:
        return self.log_w + 0.5 * self.loss

    @property
    def log_q(self) -> FloatArray:
        return self.log_w - 0.5 * self.loss
