"""Many discrete steps as few: what no lattice holds is divided between two points of one as rarely as may be.

A division costs about c (c + 1) h^2 / 8 of delta, each time. Several steps of few outcomes, listed exactly, are one
step of many outcomes, which is divided once.
"""

from __future__ import annotations

import math

from neyman.engines.atoms.enumeration import power
from neyman.losses.base import Step
from neyman.losses.discrete.bins import DiscreteGrid
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import ListedStep
from neyman.losses.readings.bins import GridLaw
from neyman.losses.readings.outcomes import Outcomes

__all__ = ["gathered", "gathered_laws", "gathers"]

_LISTED = 1 << 15  # outcomes of one of the few

Laws = tuple[tuple[GridLaw, int], ...]


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
    sizes = [] if table is None else _sizes(table, times)
    if table is None or not sizes:
        return [(step, times)]
    return [(_listed(table, size, step.symmetric), count) for size, count in sizes]


def gathers(step: Step, times: int) -> bool:
    """Whether these are fewer steps than ``times``."""
    return isinstance(step, DiscreteStep) and bool(_sizes(step.table().whole()[0], times))


def gathered_laws(laws: Laws) -> Laws:
    """The same of laws on a lattice: of those that hold common outcomes alone many more steps are one."""
    found: list[tuple[GridLaw, int]] = []
    for law, times in laws:
        table = law.table if isinstance(law, DiscreteGrid) else None
        few = () if table is None else [(DiscreteGrid(power(table, size)), many) for size, many in _sizes(table, times)]
        found += few or [(law, times)]
    return tuple(found)


def _sizes(table: Outcomes, times: int) -> list[tuple[int, int]]:
    """How many steps are one, and how often; nothing where each is one."""
    together = 1 if table.unit is not None else _together(len(table.loss), times)
    if together == 1:
        return []
    many = -(-times // together)
    least, more = divmod(times, many)
    return [(size, count) for size, count in ((least, many - more), (least + 1, more)) if count]


def _together(outcomes: int, times: int) -> int:
    """How many steps have few enough outcomes together."""
    size = 1
    while size < times and math.comb(size + outcomes, outcomes - 1) <= _LISTED:
        size += 1
    return size


def _listed(table: Outcomes, times: int, same: bool) -> Step:
    return ListedStep(power(table, times), same)
