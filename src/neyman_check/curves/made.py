"""A cell of whatever a place names, and the work that it takes."""

from __future__ import annotations

import math

from flint import arb

from neyman_check.curves.cell import Cell, of_line, of_outcomes
from neyman_check.curves.sums import of_fork, of_path, of_veil
from neyman_check.deltas.exact import Outcomes
from neyman_check.deltas.fork import Fork
from neyman_check.deltas.line import Line
from neyman_check.deltas.path import Path
from neyman_check.deltas.veil import Veil
from neyman_check.laws.base import EXP

__all__ = ["Made", "cell_of", "work_of"]

Made = Line | Path | Fork | Veil | Outcomes
"""What a place names."""


def work_of(made: Made, terms: int) -> int:
    """Units of work that a cell takes."""
    if isinstance(made, Outcomes):
        return len(made.outcomes) * (20 * terms + 10 * EXP)
    if isinstance(made, Line):
        n = made.plan.nodes
        return 4 * n * (terms + 1) + 4 * EXP * (math.isqrt(n) + 2)
    if isinstance(made, Path):
        return len(made.sum.terms) * (8 * terms + 12 * EXP)
    if isinstance(made, Fork):
        return made.dearer * made.nodes * (8 * terms + 12 * EXP)
    return sum(len(line.terms) for line in made.lines) * (8 * terms + 12 * EXP)


def cell_of(made: Made, centre: arb, radius: arb, terms: int) -> Cell:
    """What it says of delta on a cell."""
    if isinstance(made, Outcomes):
        return of_outcomes(made, centre, radius, terms)
    if isinstance(made, Line):
        return of_line(made, centre, radius, terms)
    if isinstance(made, Path):
        return of_path(made, centre, radius, terms)
    return of_fork(made, centre, radius, terms) if isinstance(made, Fork) else of_veil(made, centre, radius, terms)
