"""The certifier of straight lines in floats: it believes nothing of a witness.

K at its three c, the bound on what lies beyond its end and the transforms along it are worked out anew. Any numbers do:
of a poor choice little follows, and nothing false.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.line import Line
from neyman.engines.contour.straight.periodic_line import FoldedLine
from neyman.engines.contour.straight.plan import Plan
from neyman.engines.contour.straight.witness import LineWitness
from neyman.engines.contour.truncation.monotone import log_beyond
from neyman.engines.contour.truncation.recurrences import islands

__all__ = ["certified"]

_LABOUR = 2e9  # nodes times terms of a line that is worth its time
_LONGEST = 2.0 * math.pi * 2**20  # 2 pi times the nodes that are ever held


def certified(parts: Parts, witness: LineWitness, epsilon: FloatArray) -> Estimates:
    """What follows for delta at each ``epsilon`` >= 0 (1-d) from the line alone: perhaps nothing.

    ``parts`` are the law: transforms that have been weighed, with their counts.
    """
    found = Estimates.empty(len(epsilon))
    line = _laid(parts, witness) if witness.sound else None
    if line is not None:
        found.put(np.arange(len(epsilon)), line, epsilon)
    return found


def _laid(parts: Parts, witness: LineWitness) -> Line | None:
    """The line itself; None where the law has no moment there, or where it would take too long."""
    with np.errstate(over="ignore", invalid="ignore"):
        walk = Walk.at(parts, np.unique([witness.left, witness.c, witness.right]))
    at = np.flatnonzero(walk.c == witness.c)
    w = parts.argument(witness.c)
    cut = parts.fold.half if witness.periodic and parts.fold is not None else witness.cut
    terms = sum(law.terms(w, cut) for law, _ in parts.steps) + 1.0
    if not len(at) or not cut * witness.spread <= min(_LABOUR / terms, _LONGEST):
        return None
    index = int(at[0])
    whole = walk.whole(index, witness.limit)  # a law that is cut earlier bounds nothing
    left = index - 1 if index > 0 and whole[index - 1] else index
    right = index + 1 if index + 1 < len(walk.c) and whole[index + 1] else index
    cuts, sd = walk.cut_at(index, witness.limit), math.sqrt(float(walk.variance[index]))
    if not 0.0 < sd < math.inf:
        return None
    if witness.periodic:
        return _periodic(parts, walk, (left, index, right), witness)
    log_truncation, some = log_beyond(parts, cuts, witness.c, sd, witness.cut), None
    if witness.level is not None:
        if not parts.discrete_gaussians:
            return None
        top = float(walk.k[index])
        some, log_rest = islands(parts, sd, top, witness.cut, 2.0 * math.pi / witness.spread, witness.level)
        log_truncation = float(np.logaddexp(log_truncation, log_rest))
    return Line.run(parts, walk, Plan(
        witness.c, index, witness.spread, witness.cut, log_truncation, witness.limit, right, left, some,
        level=witness.level,
    ))  # fmt: skip


def _periodic(parts: Parts, walk: Walk, places: tuple[int, int, int], witness: LineWitness) -> Line | None:
    """The same over one period; None where the law has none, or the distance of the aliases is no odd multiple of its
    unit.
    """
    if parts.fold is None or witness.level is None:
        return None
    count = round(witness.spread / parts.fold.unit)
    if count % 2 == 0 or witness.spread != count * parts.fold.unit:
        return None
    return FoldedLine.run(
        parts, walk, Plan.of_period(parts, walk, places, witness.spread, witness.limit, witness.level)
    )
