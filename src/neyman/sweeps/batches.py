"""Settings of DP-SGD that are answered many at a time: which sweeps they serve, and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from neyman._errors import NeymanError
from neyman._validate import BoolArray, FloatArray
from neyman.engines.batch.answering.answer import RELATIVE_WIDTH, answer
from neyman.engines.batch.answering.asked import WIDTH, Questions, answers
from neyman.mechanisms import DPSGD
from neyman.mechanisms.sampled.schedule import SCHEDULE_WORDS, Schedule
from neyman.sweeps.job import Job
from neyman.sweeps.quantities import Quantity

__all__ = ["in_batches", "in_rates", "served"]

_AT_FLOOR = ("mu", "regret")
WORDS = ("mu", "regret", "epsilon", "delta", "advantage")
_LEAST = 0.01  # nominal seconds of effort: a batch takes a tenth of that a setting


def served(make: object, quantities: tuple[Quantity, ...], settings: tuple[str, float, float]) -> bool:
    """Whether batches answer such a sweep: DP-SGD, nothing asked but mu and regret, at any floors, epsilon, delta and
    advantage, of both directions.

    ``settings`` are the adjacency, the tolerance, which batches keep down to 1e-11 of mu and to 1e-8 of what else is
    asked, and the effort.
    """
    adjacency, tolerance, effort = settings
    some = make is DPSGD and all(quantity.word in WORDS for quantity in quantities) and _questions(quantities).able
    least = RELATIVE_WIDTH if all(quantity.word in _AT_FLOOR for quantity in quantities) else WIDTH
    return some and adjacency == "add_or_remove" and tolerance >= least and effort >= _LEAST


def in_batches(job: Job, settings: Mapping[str, FloatArray], found: FloatArray) -> BoolArray:
    """Fill the columns of the settings that batches answer, one row a quantity; return which these are."""
    columns = (settings["noise_multiplier"], settings["sample_rate"], settings["steps"])
    if not columns[0].size:
        return np.zeros(0, dtype=np.bool_)
    told = _Told(columns, job)
    certain = np.ones(columns[0].shape, dtype=np.bool_)
    for quantity in job.quantities:
        certain &= told.of(quantity)[0]
    for row, quantity in enumerate(job.quantities):
        _, lower, upper = told.of(quantity)
        found[row, certain] = (lower if quantity.optimistic else upper)[certain]
    return certain


def in_rates(settings: Mapping[str, FloatArray]) -> Mapping[str, FloatArray]:
    """Return the same settings by rate and steps; NaN where the words of one say no schedule."""
    said = [name for name in SCHEDULE_WORDS if name in settings]
    if said in (["sample_rate", "steps"], []):
        return settings
    noise = settings["noise_multiplier"]
    rates, steps = np.full(noise.shape, np.nan), np.full(noise.shape, np.nan)
    for i in range(noise.size):
        schedule = Schedule.of("ny.DPSGD", {}, **{name: float(settings[name][i]) for name in said})
        with suppress(NeymanError):
            rates[i], steps[i] = schedule.rate.value, schedule.steps
    return {"noise_multiplier": noise, "sample_rate": rates, "steps": steps}


class _Told:
    """What batches tell of some settings, each question asked once."""

    def __init__(self, columns: tuple[FloatArray, ...], job: Job) -> None:
        sigma, rate, steps = columns
        self._floor = job.floor
        floors = {quantity.at or job.floor for quantity in job.quantities if quantity.word in _AT_FLOOR}
        self._by_floor = {floor: answer(sigma, rate, steps, floor) for floor in floors}
        asked = _questions(job.quantities)
        self._rows = [*(("delta", at) for at in asked.epsilons), *(("epsilon", at) for at in asked.levels)]
        self._asked = answers(sigma, rate, steps, asked)

    def of(self, quantity: Quantity) -> tuple[BoolArray, FloatArray, FloatArray]:
        """Where it is certain, and its bounds from below and from above."""
        if quantity.word in _AT_FLOOR:
            batch = self._by_floor[quantity.at or self._floor]
            mu = quantity.word == "mu"
            return batch.certain, batch.mu_lower if mu else batch.regret_lower, batch.mu if mu else batch.regret
        row = self._rows.index(_place(quantity))
        return self._asked.certain[row], self._asked.lower[row], self._asked.upper[row]


def _place(quantity: Quantity) -> tuple[str, float]:
    """As which question: the advantage is delta at eps = 0."""
    return ("delta", 0.0) if quantity.word == "advantage" else (quantity.word, quantity.at or 0.0)


def _questions(quantities: tuple[Quantity, ...]) -> Questions:
    """What is asked of delta and epsilon."""
    places = {_place(quantity) for quantity in quantities if quantity.word not in _AT_FLOOR}
    epsilons, levels = (tuple(sorted(at for word, at in places if word == own)) for own in ("delta", "epsilon"))
    return Questions(epsilons, levels)
