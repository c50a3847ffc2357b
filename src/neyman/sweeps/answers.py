"""What one worker does: a block of settings in, their answers out. No file, no clock, no cluster."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter, NeymanError
from neyman._validate import FloatArray
from neyman.accounting import account
from neyman.mechanisms import Mechanism
from neyman.sweeps.quantities import Quantity
from neyman.sweeps.version import VERSION

__all__ = ["Answers", "Job", "Values", "answers", "digest"]

Values = tuple[tuple[float | int, ...], ...]
"""Of a block: its values along every axis."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked of every setting: the mechanism there, and the questions."""

    make: Callable[..., Mechanism]
    names: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    adjacency: str
    tolerance: float
    floor: float
    effort: float

    def mechanisms(self, values: Values) -> Iterator[Mechanism | NeymanError]:
        """The mechanisms of a block, in the order of its settings; where there is none, why."""
        for setting in product(*values):
            try:
                mechanism = self.make(**dict(zip(self.names, setting, strict=True)))
            except NeymanError as error:
                yield error
                continue
            if not isinstance(mechanism, Mechanism):
                raise InvalidParameter("make(...)", mechanism, "a Mechanism")
            yield mechanism


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a block: one array a quantity, and at each setting the place of its reason in ``reasons``
    (0: none is needed).
    """

    values: tuple[FloatArray, ...]
    status: NDArray[np.int32]
    reasons: tuple[str, ...]
    version: str


def answers(job: Job, values: Values) -> Answers:
    """Answer a block.

    A quantity that cannot be certified is NaN, and its reason is kept; so are all quantities of a setting that is no
    mechanism. The quantities are asked in their order, all of one guarantee.

    Raises
    ------
    InvalidParameter
        If ``job.make`` returns something else than a mechanism.
    """
    shape = tuple(len(some) for some in values)
    found = np.full((len(job.quantities), math.prod(shape)), np.nan)
    status = np.zeros(math.prod(shape), dtype=np.int32)
    reasons = {"": 0}
    for i, mechanism in enumerate(job.mechanisms(values)):
        why = _ask(job, mechanism, found[:, i])
        status[i] = reasons.setdefault(why, len(reasons))
    arrays = tuple(column.reshape(shape) for column in found)
    return Answers(arrays, status.reshape(shape), tuple(reasons), VERSION)


def _ask(job: Job, mechanism: Mechanism | NeymanError, row: FloatArray) -> str:
    """Fill ``row``; return why some of it is NaN."""
    if isinstance(mechanism, NeymanError):
        return str(mechanism)
    try:
        guarantee = account(mechanism, adjacency=job.adjacency, tolerance=job.tolerance, effort=job.effort)
    except NeymanError as error:
        return str(error)
    why: list[str] = []
    for k, quantity in enumerate(job.quantities):
        try:
            row[k] = quantity.ask(guarantee)
        except NeymanError as error:
            why.append(f"{quantity.key}: {error}")
        else:
            if math.isnan(row[k]):
                why.append(f"{quantity.key}: there is no such value.")
    return " ".join(why)


def digest(job: Job, values: Values) -> str:
    """Return what tells the mechanisms of a block from any others: a hash of their dict forms.

    Raises
    ------
    InvalidParameter
        If one of them has no dict form.
    """
    forms: list[Any] = [m.to_dict() if isinstance(m, Mechanism) else str(m) for m in job.mechanisms(values)]
    return hashlib.sha256(json.dumps(forms, sort_keys=True).encode()).hexdigest()
