"""Parted laws of a composition (``Split``): laid when first needed, kept for their neighbours."""

from __future__ import annotations

from functools import cached_property

from neyman._validate import FloatArray
from neyman.engines.contour_found import Found
from neyman.engines.contour_split import Split
from neyman.engines.contour_valley import Valleys
from neyman.engines.contour_walk import IntArray, Parts, Walk
from neyman.engines.effort import Effort

__all__ = ["Partings"]

_TRIES = 2  # failures after which no law is parted again


class Partings:
    """The partings of one composition in the direction "remove"; the other has no jumps."""

    def __init__(self, parts: Parts, walk: Walk, effort: Effort) -> None:
        self._parts = parts
        self._effort = effort
        self._walk = walk
        self._splits: list[Split] = []
        self._failed: dict[int, list[tuple[float, float]]] = {}

    def recall(self, found: Found, epsilon: FloatArray) -> None:
        """Serve what the lines at hand reach: one parted before is cheaper than a long line through the whole."""
        for split in self._splits:
            within = ((epsilon >= split.range[0]) & (epsilon <= split.range[1])).nonzero()[0]
            found.improve(within, split, epsilon)

    def serve(self, found: Found, at: IntArray, epsilon: FloatArray, nodes: int) -> None:
        """Serve the places ``at`` from lines through the bulk and the jumps apart, of that many nodes at most."""
        blunt, failed = at, self._failed.setdefault(nodes, [])
        while True:
            for split in self._splits:
                within = (epsilon[blunt] >= split.range[0]) & (epsilon[blunt] <= split.range[1])
                found.improve(blunt[within], split, epsilon)
                blunt = blunt[~within]
            for low, high in failed:
                blunt = blunt[(epsilon[blunt] < low) | (epsilon[blunt] > high)]
            if not len(blunt) or self._valleys is None or len(failed) >= _TRIES:
                return
            target = float(epsilon[blunt[len(blunt) // 2]])
            split = Split.lay(self._parts, self._walk, self._valleys, target, nodes, self._effort)
            if split is None and self._effort.spent:
                return
            if split is None:
                failed.append((0.6 * target, 1.6 * target))
            else:
                self._splits.append(split)

    @cached_property
    def _valleys(self) -> Valleys | None:
        return Valleys.of(self._parts) if self._parts.parted else None
