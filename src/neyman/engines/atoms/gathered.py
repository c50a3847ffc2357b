"""Many discrete steps as few: what no lattice holds is divided between two points of one as rarely as may be.

A division costs about c (c + 1) h^2 / 8 of delta, each time. Several steps of few outcomes, listed exactly, are one
step of many outcomes, which is divided once.
"""

from __future__ import annotations

import math

from neyman.engines.atoms.enumeration import power
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import ListedStep
from neyman.losses.readings.outcomes import Outcomes

__all__ = ["gathered"]

_LISTED = 1 << 15  # outcomes of one of the few


def gathered(step: Step, times: int) -> list[tuple[Step, int]]:
    """Return steps that compose to ``times`` copies of ``step``: one and the same law.

    Examples
    --------
    >>> from neyman.losses.discrete.steps import RandomizedResponseStep
    >>> few = gathered(RandomizedResponseStep(1.0, 3, rate=0.1), 1000)
    >>> [(len(step.table().loss), count) for step, count in few]
    [(31626, 4)]
    """
    table = step.table().whole()[0] if isinstance(step, DiscreteStep) else None
    if table is None or times == 1 or table.unit is not None:
        return [(step, times)]
    together = _together(len(table.loss), times)
    if together == 1:
        return [(step, times)]
    many = -(-times // together)
    least, more = divmod(times, many)
    sizes = [(least, many - more), (least + 1, more)]
    return [(_listed(table, size, step.symmetric), count) for size, count in sizes if count]


def _together(outcomes: int, times: int) -> int:
    """How many steps have few enough outcomes together."""
    size = 1
    while size < times and math.comb(size + outcomes, outcomes - 1) <= _LISTED:
        size += 1
    return size


def _listed(table: Outcomes, times: int, same: bool) -> Step:
    return ListedStep(power(table, times), same)
