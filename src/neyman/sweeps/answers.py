"""What one worker does: a block of settings in, their answers out. No file, no clock, no cluster."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import NeymanError
from neyman._validate import BoolArray, FloatArray
from neyman.accounting import account
from neyman.comparison import compare
from neyman.mechanisms import Mechanism
from neyman.sweeps.batches import in_batches, in_rates
from neyman.sweeps.job import Job, Setting, Values
from neyman.sweeps.version import VERSION

__all__ = ["Answers", "answers", "digest"]


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a block: one array a quantity, and at each setting the place of its reason in ``reasons``
    (0: none is needed), and whether a batch has answered it.
    """

    values: tuple[FloatArray, ...]
    status: NDArray[np.int32]
    batched: NDArray[np.int8]
    reasons: tuple[str, ...]
    version: str


def answers(job: Job, values: Values) -> Answers:
    """Answer a block: by batches as far as they serve, and whatever they leave open by the regular engine.

    A quantity that cannot be certified is NaN, and its reason is kept; so are all quantities of a setting that is no
    mechanism. The quantities are asked in their order, all of one guarantee.

    Raises
    ------
    InvalidParameter
        If ``job.make`` returns something else than a mechanism.
    """
    shape = tuple(len(some) for some in values)
    found = np.full((len(job.columns), math.prod(shape)), np.nan)
    status = np.zeros(math.prod(shape), dtype=np.int32)
    reasons = {"": 0}
    settings = list(product(*values))
    made = [job.calibrated(setting) for setting in settings] if job.sought else []
    for i, (first, _) in enumerate(made):
        found[: len(first), i] = first
    batched = _in_batches(job, settings, found)
    for i, setting in enumerate(settings):
        if not batched[i]:
            mechanism = made[i][1] if made else job.mechanism(setting)
            why = _ask(job, mechanism, found[-len(job.quantities) :, i])
            status[i] = reasons.setdefault(why, len(reasons))
    arrays = tuple(column.reshape(shape) for column in found)
    marks = batched.astype(np.int8).reshape(shape)
    return Answers(arrays, status.reshape(shape), marks, tuple(reasons), VERSION)


def _in_batches(job: Job, settings: list[Setting], found: FloatArray) -> BoolArray:
    """Let batches answer what they can, where there is a mechanism; return which settings these are."""
    batched = np.zeros(len(settings), dtype=np.bool_)
    if not job.batches:
        return batched
    columns = dict(zip(job.names, np.array(settings, dtype=np.float64).T, strict=True))
    if job.sought is not None:
        columns[job.sought.name] = found[0]
    columns = in_rates(columns)
    there = np.all([np.isfinite(column) for column in columns.values()], axis=0)
    told = np.full((len(job.quantities), int(np.count_nonzero(there))), np.nan)
    batched[there] = in_batches(job, {name: column[there] for name, column in columns.items()}, told)
    found[-len(job.quantities) :, there] = told
    return batched


def _ask(job: Job, mechanism: Mechanism | NeymanError, row: FloatArray) -> str:
    """Fill ``row``, one number a quantity; return why some of it is NaN."""
    if isinstance(mechanism, NeymanError):
        return str(mechanism)
    try:
        guarantee = account(mechanism, adjacency=job.adjacency, tolerance=job.tolerance, effort=job.effort)
        beside = compare(job.baseline.guarantee(*job.limits), guarantee) if job.baseline else None
    except NeymanError as error:
        return str(error)
    why: list[str] = []
    for k, quantity in enumerate(job.quantities):
        try:
            row[k] = quantity.ask(guarantee, beside)
        except NeymanError as error:
            why.append(f"{quantity.key}: {error}")
        else:
            if math.isnan(row[k]):
                why.append(f"{quantity.key}: there is no such value.")
    return " ".join(why)


def digest(job: Job, values: Values) -> str:
    """Return what tells the mechanisms of a block from any others: a hash of their dict forms. What is calibrated is 1
    in them.

    Raises
    ------
    InvalidParameter
        If one of them has no dict form.
    """
    forms: list[Any] = [m.to_dict() if isinstance(m, Mechanism) else str(m) for m in job.mechanisms(values)]
    return hashlib.sha256(json.dumps(forms, sort_keys=True).encode()).hexdigest()
