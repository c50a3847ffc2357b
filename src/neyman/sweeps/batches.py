"""Settings of DP-SGD that are answered many at a time: which sweeps they serve, and their answers."""

from __future__ import annotations

from itertools import product

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.batch.answer import RELATIVE_WIDTH, answer
from neyman.mechanisms import DPSGD
from neyman.sweeps.axes import DPSGD_AXES
from neyman.sweeps.job import Job, Values
from neyman.sweeps.quantities import Quantity

__all__ = ["in_batches", "served"]

WORDS = ("mu", "regret")
_LEAST = 0.01  # nominal seconds of effort: a batch takes a tenth of that a setting


def served(make: object, quantities: tuple[Quantity, ...], settings: tuple[str, float, float]) -> bool:
    """Whether batches answer such a sweep: DP-SGD, nothing asked but mu and regret, at any floors, of both directions.

    ``settings`` are the adjacency, the tolerance, which batches keep down to 1e-8, and the effort.
    """
    adjacency, tolerance, effort = settings
    some = make is DPSGD and all(quantity.word in WORDS for quantity in quantities)
    return some and adjacency == "add_or_remove" and tolerance >= RELATIVE_WIDTH and effort >= _LEAST


def in_batches(job: Job, values: Values, found: FloatArray) -> BoolArray:
    """Fill the columns of the settings of a block that batches answer, one row a quantity; return which these are."""
    settings = np.array(list(product(*values)), dtype=np.float64).reshape(-1, len(job.names)).T
    columns = [settings[job.names.index(name)] for name in DPSGD_AXES]
    certain = np.ones(settings.shape[1], dtype=np.bool_)
    floors = {quantity.at or job.floor for quantity in job.quantities}
    by_floor = {floor: answer(columns[0], columns[1], columns[2], floor) for floor in floors}
    for batch in by_floor.values():
        certain &= batch.certain
    for row, quantity in enumerate(job.quantities):
        batch = by_floor[quantity.at or job.floor]
        upper, lower = (batch.mu, batch.mu_lower) if quantity.word == "mu" else (batch.regret, batch.regret_lower)
        found[row, certain] = (lower if quantity.optimistic else upper)[certain]
    return certain
