"""Answers under their labels: an xarray.Dataset in memory, or the same as one NetCDF file, block by block."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neyman.sweeps.answers import Answers
from neyman.sweeps.extras import need
from neyman.sweeps.plan import Plan
from neyman.sweeps.version import VERSION

if TYPE_CHECKING:
    import xarray

__all__ = ["in_memory", "opened", "write"]

SCHEMA = 1  # of the dataset: raised when a variable or an attribute changes its meaning
STATUS: dict[str, Any] = {
    "long_name": "0 where every quantity is certified, else the number of the reason why one is NaN",
    "units": "1",
}
IN_BATCH: dict[str, Any] = {
    "long_name": "1 where a batch of settings was answered together, 0 where the regular engine answered alone",
    "units": "1",
}
REASON = {"long_name": "why a quantity is NaN: reason[status]"}
_LOADED = 1 << 26  # bytes up to which a dataset is read whole


class _Labelled:
    """The answers as they come in: written into arrays, or into variables of a file."""

    def __init__(self, plan: Plan, values: dict[str, Any], status: Any, marks: Any) -> None:
        self.plan = plan
        self.values = values
        self.status = status
        self.marks = marks
        self.reasons: dict[str, int] = {"": 0}
        self.failed = 0

    def take(self, blocks: Iterable[tuple[int, Answers]]) -> None:
        """Write all blocks, in their order: reasons are then numbered alike however the blocks were computed."""
        for number, found in blocks:
            place = self.plan.place(number)
            for array, block in zip(self.values.values(), found.values, strict=True):
                array[place] = block
            numbers = np.array([self.reasons.setdefault(why, len(self.reasons)) for why in found.reasons], np.int32)
            self.status[place] = numbers[found.status]
            self.marks[place] = found.batched
            self.failed += int(np.count_nonzero(found.status))

    @property
    def words(self) -> NDArray[Any]:
        """All reasons, by number."""
        return np.array(list(self.reasons), dtype=object)

    @property
    def attributes(self) -> dict[str, Any]:
        """What is to be known about the sweep as a whole."""
        job = self.plan.job
        return {
            "title": f"certified privacy guarantees of {self.plan.source}",
            "schema": SCHEMA,
            "neyman_version": VERSION,
            "mechanism": self.plan.source,
            "adjacency": job.adjacency,
            "tolerance": job.tolerance,
            "floor": job.floor,
            "effort": job.effort,
            "settings": self.plan.size,
            "failed": self.failed,
            "sweep": self.plan.fingerprint,
            **self.plan.beside,
        }


def in_memory(plan: Plan, blocks: Iterable[tuple[int, Answers]]) -> xarray.Dataset:
    """Label the answers of all blocks."""
    xr = need("xarray")
    values = {q.key: np.full(plan.shape, np.nan) for q in plan.job.columns}
    made = _Labelled(plan, values, np.zeros(plan.shape, np.int32), np.zeros(plan.shape, np.int8))
    made.take(blocks)
    dims = plan.job.names
    variables: dict[str, Any] = {q.key: (dims, values[q.key], dict(q.labels)) for q in plan.job.columns}
    variables["status"] = (dims, made.status, STATUS)
    variables["in_batch"] = (dims, made.marks, IN_BATCH)
    variables["reason"] = (("reason_number",), made.words.astype(str), REASON)
    coordinates = {some.name: (some.name, some.array, some.labels) for some in plan.axes}
    return xr.Dataset(variables, coordinates, made.attributes)


def write(path: Path, plan: Plan, blocks: Iterable[tuple[int, Answers]]) -> None:
    """Write the same to a new NetCDF file, holding one block at a time."""
    with need("h5netcdf").File(path, "w") as file:
        file.dimensions = dict(zip(plan.job.names, plan.shape, strict=True))
        for some in plan.axes:
            made = file.create_variable(some.name, (some.name,), some.array.dtype, some.array)
            made.attrs.update(some.labels)
        values: dict[str, Any] = {}
        for quantity in plan.job.columns:
            values[quantity.key] = file.create_variable(quantity.key, plan.job.names, "f8", fillvalue=np.nan)
            values[quantity.key].attrs.update(quantity.labels)
        status = file.create_variable("status", plan.job.names, "i4")
        status.attrs.update(STATUS)
        marks = file.create_variable("in_batch", plan.job.names, "i1")
        marks.attrs.update(IN_BATCH)
        labelled = _Labelled(plan, values, status, marks)
        labelled.take(blocks)
        file.dimensions["reason_number"] = len(labelled.reasons)
        reason = file.create_variable("reason", ("reason_number",), need("h5py").string_dtype(), labelled.words)
        reason.attrs.update(REASON)
        file.attrs.update(labelled.attributes)


def opened(path: Path) -> xarray.Dataset:
    """The dataset in a NetCDF file: read whole if it is small, else as it is asked for."""
    xr = need("xarray")
    found: xarray.Dataset = xr.open_dataset(path, engine="h5netcdf")
    for labels in (found.attrs, *(found[name].attrs for name in found.variables)):
        # files give back NumPy's numbers
        labels.update({k: v.item() for k, v in labels.items() if isinstance(v, np.generic)})
    if found.nbytes > _LOADED:
        return found
    with found:
        return found.load()
