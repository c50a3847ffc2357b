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
from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.comparison import compare
from neyman.mechanisms import Mechanism
from neyman.sweeps.batches import in_batches
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
    batched = in_batches(job, values, found) if job.batches else np.zeros(len(status), dtype=np.bool_)
    for i, setting in enumerate(product(*values)):
        if not batched[i]:
            why = _ask(job, setting, found[:, i])
            status[i] = reasons.setdefault(why, len(reasons))
    arrays = tuple(column.reshape(shape) for column in found)
    marks = batched.astype(np.int8).reshape(shape)
    return Answers(arrays, status.reshape(shape), marks, tuple(reasons), VERSION)


def _ask(job: Job, setting: Setting, row: FloatArray) -> str:
    """Fill ``row``; return why some of it is NaN."""
    first, mechanism = job.calibrated(setting)
    row[: len(first)] = first
    if isinstance(mechanism, NeymanError):
        return str(mechanism)
    try:
        guarantee = account(mechanism, adjacency=job.adjacency, tolerance=job.tolerance, effort=job.effort)
        beside = compare(job.baseline.guarantee(*job.limits), guarantee) if job.baseline else None
    except NeymanError as error:
        return str(error)
    why: list[str] = []
    for k, quantity in enumerate(job.quantities, len(first)):
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
