"""Parted laws of a composition (``Split``): laid when first needed, kept for their neighbours."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.parts import Parts
from neyman.profiles.effort import Effort

if TYPE_CHECKING:
    from neyman.engines.contour.bulk_jumps.split import Split
    from neyman.engines.contour.bulk_jumps.threshold import Valleys

__all__ = ["Partings"]

_STEPS, _STEP = 10, 1.4  # eps at which it is asked whether delta is negligible, each times the one before
_ENOUGH = 3e-7  # relative error that needs no other parting
_NEAR = 0.3  # of an eps: what a parting made for it cannot do so near, no other can
_AROUND = 0.6, 1.6  # of an eps where no parting was found: none is looked for between
_TRIES = 2  # failures after which no law is parted again


class Partings:
    """The partings of one composition in the direction "remove"; the other has no jumps."""

    def __init__(self, parts: Parts, walk: Walk, effort: Effort) -> None:
        self._parts = parts
        self._effort = effort
        self._walk = walk
        self._splits: list[Split] = []
        self._late: list[Split] = []
        self.laid = False  # whether anything was
        self._failed: dict[tuple[int, bool], list[tuple[float, float]]] = {}

    def recall(self, found: Estimates, epsilon: FloatArray) -> None:
        """Serve what the lines at hand reach: one parted before is cheaper than a long line through the whole."""
        for split in (*self._splits, *self._late):
            within = ((epsilon >= split.range[0]) & (epsilon <= split.range[1])).nonzero()[0]
            found.improve(within, split, epsilon)

    def serve(self, found: Estimates, at: IntArray, epsilon: FloatArray, nodes: int, late: bool = False) -> None:
        """Serve the places ``at`` from lines through the bulk and the jumps apart, of that many nodes at most; parted
        ``late``, where that is to be tried.
        """
        # the bulk alone adds next to nothing only where delta is small
        blunt = at[epsilon[at] > self._mean] if late else at
        failed = self._failed.setdefault((nodes, late), [])
        splits = self._late if late else self._splits
        while True:
            for split in splits:
                within = (epsilon[blunt] >= split.range[0]) & (epsilon[blunt] <= split.range[1])
                found.improve(blunt[within], split, epsilon)
                near = within & (np.abs(epsilon[blunt] - split.epsilon) <= _NEAR * split.epsilon)
                blunt = blunt[~(near | (within & ~found.blunt(blunt, _ENOUGH)))]
            for low, high in failed:
                blunt = blunt[(epsilon[blunt] < low) | (epsilon[blunt] > high)]
            if not len(blunt) or self._valleys is None or len(failed) >= (3 * _TRIES if late else _TRIES):
                return
            target = float(epsilon[blunt[len(blunt) // 2]])
            split = self._lay(self._valleys, target, nodes, late)
            if split is None and self._effort.spent:
                return
            if split is None:
                failed.append((_AROUND[0] * target, _AROUND[1] * target))
            else:
                splits.append(split)
                self.laid = True
                if late and split.off(target) > _ENOUGH:  # all was tried there
                    failed.append((_AROUND[0] * target, _AROUND[1] * target))

    def _lay(self, valleys: Valleys, epsilon: float, nodes: int, late: bool) -> Split | None:
        from neyman.engines.contour.bulk_jumps.split import Split

        lay = Split.late if late else Split.lay
        return lay(self._parts, self._walk, valleys, epsilon, nodes, self._effort)

    @cached_property
    def _mean(self) -> float:
        """Of the loss, with the record."""
        each = ((law.moments(np.ones(1)).mean, times) for law, times in self._parts.steps)
        return 0.5 * self._parts.mu**2 + sum(times * float(mean[0]) for mean, times in each)

    def deep(self, log_delta: float) -> float:
        """An eps from which on delta is certainly below e^log_delta, though Chernoff's bound is not: a step that is
        rare and large is as rare, whatever it is weighed with. inf where none is known.
        """
        if self._valleys is None:
            return math.inf
        from neyman.engines.contour.bulk_jumps.split import Split

        epsilon = self._valleys.least(log_delta)
        for _ in range(_STEPS):
            most = Split.log_most(self._parts, self._walk, self._valleys, epsilon, self._effort, log_delta)
            if most < log_delta:
                return epsilon
            epsilon *= _STEP
        return math.inf

    @cached_property
    def _valleys(self) -> Valleys | None:
        if not self._parts.parted:
            return None
        from neyman.engines.contour.bulk_jumps.threshold import Valleys

        return Valleys.of(self._parts)
