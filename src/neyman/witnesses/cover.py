"""Cells of eps on which a line is summed as a polynomial, where tangents do not suffice. All of it is steering."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from flint import arb

from neyman.witnesses.plans.line import TooDear
from neyman.witnesses.supply import Supply
from neyman_check.curves.cell import Cell
from neyman_check.curves.made import work_of
from neyman_check.errors import NotProved
from neyman_check.form import Part

__all__ = ["Cover"]

_TERMS = 24  # of a polynomial
_RADII = (1.0, 0.5, 0.25, 0.1)  # of the distance in which delta changes
_GOOD, _USEFUL = 1e-11, 1e-4  # what a cell leaves, beside delta in its middle
_HOLE, _APART = 1e-6, 0.3  # of that distance, about a corner; of one from a corner, how far a cell reaches
_BESIDE = 1e-6  # of a radius, by which neighbours overlap
_MOST = 200  # cells
_DEAREST, _DEAR = 5_000_000, 60_000_000  # units of work of a cell, and of all together


class Cover:
    """Cells of both directions, found where they are asked for."""

    def __init__(self, supply: Supply) -> None:
        self._supply = supply
        self.parts: list[Part] = []
        self.cells: list[Cell] = []
        self._work = 0
        self._tried: set[tuple[bool, float]] = set()

    def extend(self, parts: Sequence[tuple[arb, arb]], unit: float) -> None:
        """More cells, so that they cover intervals of eps of either sign."""
        scale = self._supply.scale() if self._supply.listed else unit
        if scale is None:
            return
        unit = min(unit, scale)
        wanted: list[tuple[bool, float, float]] = []
        for first, last in parts:
            if not (first.is_finite() and last.is_finite()):
                continue
            a, b = float(first.lower()) - _BESIDE * unit, float(last.upper()) + _BESIDE * unit
            if b >= 0.0:
                wanted += [(way, max(a, 0.0), b) for way in self._supply.ahead]
            if a < 0.0:
                wanted += [(way, max(-b, 0.0), -a) for way in self._supply.behind]
        for way, start, end in sorted(wanted):
            self._along(way or self._supply.symmetric, start, end, unit)

    def _along(self, way: bool, first: float, last: float, unit: float) -> None:
        at = first
        while at < last and len(self.parts) < _MOST:
            end = max((float(c.ends[1]) for c in self.cells if c.remove == way and c.ends[0] <= at), default=at)
            if end <= at:
                at = self._past(at, unit)
                added = self._added(way, at, unit) if at < last else at
                if added is None:
                    return
                end = added
            at = end

    @cached_property
    def _corners(self) -> list[float]:
        return [] if self._supply.listed else self._supply.corners()

    def _past(self, at: float, unit: float) -> float:
        """Beside a corner, as near to which no cell is, beyond it."""
        near = next((x for x in self._corners if abs(x - at) <= _HOLE * unit), None)
        return at if near is None else near + 2.0 * _HOLE * unit

    def _room(self, at: float) -> float:
        """The radius of a cell from there on that keeps its distance from corners."""
        i = bisect_right(self._corners, at)
        before = _APART / (1.0 - _APART) * (at - self._corners[i - 1]) if i else math.inf
        after = _APART / (1.0 + _APART) * (self._corners[i] - at) if i < len(self._corners) else math.inf
        return min(before, after)

    def _added(self, way: bool, at: float, unit: float) -> float | None:
        """The end of a new cell that begins a little before ``at``."""
        best: tuple[float, Part, Cell] | None = None
        room = self._room(at)
        for radius in dict.fromkeys(min(share * unit, room) for share in _RADII):
            centre = at + radius * (1.0 - _BESIDE)
            for fresh in (False, True):
                found = self._made(way, centre, radius, fresh)
                if found is not None and (best is None or found[0] < best[0]):
                    best = found
                if best is not None and best[0] <= _GOOD:
                    break
            if best is not None and best[0] <= _GOOD:
                break
        if best is None or not best[0] <= _USEFUL:
            return None
        part = best[1]
        self._work += work_of(self._supply.made(way, part.line), _TERMS)
        self.parts.append(part)
        self.cells.append(best[2])
        return float(best[2].ends[1])

    def _made(self, way: bool, centre: float, radius: float, fresh: bool) -> tuple[float, Part, Cell] | None:
        """By the line that serves its middle, or by one that is laid there."""
        supply = self._supply
        try:
            found = supply.line_at(way, centre)
            if found is None:
                return None
            number, told = found
            if fresh:
                if number is None or (way, centre) in self._tried:
                    return None
                self._tried.add((way, centre))
                number = supply.lay(way, centre)
            part = Part(way, number, centre, radius, _TERMS)
            work = work_of(supply.made(way, number), _TERMS)
            if work > _DEAREST or self._work + work > _DEAR:
                return None
            cell = supply.cell(part)
        except (NotProved, TooDear):
            return None
        off = float(cell.off / told * (cell.tilt * radius).exp())  # where it counts most
        return (off, part, cell) if off == off else None

    def rows(self) -> list[dict[str, Any]]:
        """As a proof has them."""
        return [
            {"direction": "remove" if part.remove else "add", "epsilon": part.epsilon, "line": part.line,
             "radius": part.radius, "terms": part.terms}
            for part in self.parts
        ]  # fmt: skip
