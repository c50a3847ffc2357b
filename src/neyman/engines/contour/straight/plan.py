"""Where a vertical line stands, how far its aliases lie apart and where it is cut: decided from the real axis alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import LOST, Walk
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.aliases import beside
from neyman.engines.contour.straight.reading import NODE
from neyman.engines.contour.truncation.monotone import cut_by_parts, cut_off
from neyman.profiles.effort import ignored

if TYPE_CHECKING:
    from neyman.engines.contour.truncation.period import Fold

__all__ = ["Plan"]

_DIGITS = 34.0  # e-folds between the height of a line and each analytic error: 2e-15
_ALL_BUT_ONE, _LOG_DIGITS = -60.0, 17.0  # the same where 1 - delta is so small that its logarithm alone counts
_SUBTRACTED = _DIGITS + 7.0  # the same that the height of a line is below what may be subtracted from it: 1e-9 is left
_ROUGH_DIGITS = 21.0  # the same for what lies beyond the cut of transforms that never die
_TEDIOUS = 2.0 * math.pi * 400.0  # 2 pi times the nodes of a line that is worth a look whether fewer do
_LOUD = 0.5  # noise multiplier from which none do
_LABOUR = 2e9  # nodes times terms (times 2 pi) of a line that is worth its time
_HALF = 0.7  # e-folds: log 2, of two errors that share a goal


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Where a line stands and what it costs: decided from the real axis alone."""

    c: float
    index: int
    spread: float  # R, the distance of the aliases
    cut: float  # W, where the integral is cut
    log_truncation: float  # log of the bound on what lies beyond W, before the factor e^{-c eps}
    limit: float  # log of the mass that may be cut off
    right: int  # the c of the walk that bounds the aliases, on either side (the line's own: none does)
    left: int
    islands: FloatArray | None = None  # the stretches before the cut that count, where not all of it does
    fold: Fold | None = None  # of a law on a lattice, whose transform has a period
    level: float | None = None  # log of what the stretches were chosen to leave out at most

    @property
    def nodes(self) -> float:
        """Points of the trapezoid rule (inf: the line cannot be certified)."""
        spacing = 2.0 * math.pi / self.spread
        if not self.spread < math.inf:
            return math.inf
        if self.islands is None:
            return self.cut / spacing + 1.0
        return float(np.sum(self.islands[1] - self.islands[0])) / spacing + 2.0 * self.islands.shape[1]

    @property
    def labour(self) -> float:
        """What one eps takes, in nominal nanoseconds."""
        return NODE * self.nodes

    def omega(self) -> FloatArray:
        """Those points, ascending from 0."""
        spacing = 2.0 * math.pi / self.spread
        if self.islands is None:
            return spacing * np.arange(math.ceil(self.nodes) + 1)
        low, high = np.floor(self.islands[0] / spacing), np.ceil(self.islands[1] / spacing)
        runs = [np.arange(a, b + 1.0) for a, b in zip(low, high, strict=True)]
        return spacing * np.unique(np.concatenate([[0.0], *runs]))

    @classmethod
    def of_period(
        cls, parts: Parts, walk: Walk, places: tuple[int, int, int], spread: float, limit: float, level: float
    ) -> Plan:
        """The line of a law on a lattice, through the second of three ``places`` of the walk, over one period: but for
        stretches that come to e^``level`` together.
        """
        from neyman.engines.contour.truncation.period import FOLDED
        from neyman.engines.contour.truncation.recurrences import islands

        (left, index, right), fold = places, parts.fold
        if fold is None:
            raise TypeError("a line of a law that lies on no lattice")
        c, k, sd = float(walk.c[index]), float(walk.k[index]), math.sqrt(float(walk.variance[index]))
        some, log_rest = islands(parts, sd, k, fold.half, 2.0 * math.pi / spread, level)
        moved = fold.error(parts.discrete_gaussians, parts.argument(c))
        log_truncation = float(np.logaddexp(log_rest + FOLDED, k + math.log(moved)))
        return cls(c, index, spread, fold.half, log_truncation, limit, right, left, some, fold, level)

    @classmethod
    def make(
        cls, parts: Parts, walk: Walk, index: int, epsilon: tuple[float, float], extra: float = 0.0,
        limit: float = LOST, log_share: float = 0.0, most: float = math.inf,
        spend: Callable[[float], None] = ignored,
    ) -> Plan:  # fmt: skip
        """Plan the line through ``walk.c[index]`` for all eps in the closed interval ``epsilon``.

        ``extra`` e-folds of accuracy are for answers that lie far below the height of the line; ``log_share`` says how
        little of e^K is integrated. A line of more nodes than ``most`` is not followed to its end.
        ``spend`` is told how much work a look along it was, in nominal nanoseconds.
        """
        c, k = float(walk.c[index]), float(walk.k[index])
        sd = math.sqrt(float(walk.variance[index]))
        digits = _LOG_DIGITS if c < 0.0 and k < _ALL_BUT_ONE else _DIGITS
        target = k - math.log(abs(c) * (c + 1.0) * (sd + 1.0 / abs(c)) * 4.0) - digits - extra
        eps = np.array(epsilon)
        nearest = beside(walk, index, eps, target - c * eps, limit, _SUBTRACTED)
        if not 0.0 < sd < math.inf:
            return cls(c, index, math.inf, math.inf, -math.inf, limit, index, index)
        right, left = (place for _, place in nearest)
        spread = max(8.0 * sd, *(distance for distance, _ in nearest))
        furthest = most * 2.0 * math.pi / spread if spread < math.inf else math.inf
        cuts, goal = walk.cut_at(index, limit), min(target - log_share, k - 4.0)
        if parts.fold is not None:
            from neyman.engines.contour.truncation.period import FOLDED

            spread = parts.fold.whole(spread)
            return cls.of_period(parts, walk, (left, index, right), spread, limit, goal - FOLDED)
        if parts.mu > 0.0 and parts.discrete_gaussians:
            from neyman.engines.contour.truncation.recurrences import islands

            last, log_tail = cut_off(parts, cuts, c, sd, k, goal - _HALF, math.inf)
            some, log_rest = islands(parts, sd, k, last, 2.0 * math.pi / spread, goal - _HALF)
            log_truncation = float(np.logaddexp(log_tail, log_rest))
            return cls(c, index, spread, last, log_truncation, limit, right, left, some, level=goal - _HALF)
        if parts.rough:
            from neyman.engines.contour.truncation.cells import SPARE, shortened

            goal = max(goal, target + _DIGITS - _ROUGH_DIGITS)
            spare = SPARE if parts.mu > 0.0 else 0.0  # hardly further where a Gaussian falls beside them
            end = cut_off(parts, cuts, c, sd, k, goal - _HALF - spare, math.inf, spend)
            cut, log_tail, some = shortened(parts, cuts, c, sd, spread, end, goal, most, spend)
            w = parts.argument(c)
            if some is not None:
                return cls(c, index, spread, cut, log_tail, limit, right, left, some)
            if cut < math.inf and cut * spread * sum(law.terms(w, cut) for law, _ in parts.steps) > _LABOUR:
                cut = math.inf
        else:
            cut, log_tail = cut_off(parts, cuts, c, sd, k, goal, furthest)
            dear = cut * spread > _TEDIOUS and log_share == 0.0 and parts.least_noise < _LOUD
            if dear and parts.sampled and parts.many and parts.argument(c) > 0.0:
                cut, log_tail = cut_by_parts(parts, cuts, c, (cut, log_tail), goal, furthest, sd)
        return cls(c, index, spread, cut, log_tail, limit, right, left)
