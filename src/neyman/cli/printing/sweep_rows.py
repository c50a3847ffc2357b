"""A sweep as rows, one for each setting, in CSV or Parquet: both ends of a bracket are columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neyman.cli.printing.output import written
from neyman.sweeps.dataset import opened
from neyman.sweeps.extras import need
from neyman.sweeps.plan import Plan
from neyman.sweeps.quantities import Quantity

if TYPE_CHECKING:
    import xarray

__all__ = ["FORMS", "need_form", "write_rows"]

FORMS = (".csv", ".parquet")
Frame = Any  # a pandas.DataFrame, of which pandas has no types
_AT_ONCE = 1 << 20  # rows that are held in memory; it steers alone


def need_form(suffix: str) -> None:
    """Refuse a form whose package is not installed, before anything is computed.

    Raises
    ------
    MissingPackage
        The message names the extra that brings it.
    """
    if suffix == ".parquet":
        need("pyarrow", "parquet")


def write_rows(source: Path, plan: Plan, target: str, suffix: str) -> None:
    """Write what a sweep's NetCDF file holds, every quantity from both sides, to ``target``, whole or not at all.

    The columns are the axes, what was calibrated, ``..._lower`` and ``..._upper`` of every quantity, then adjacency,
    floor, and the reason why a number is missing. Parquet also holds what the NetCDF file says of the whole sweep.
    """
    with opened(source) as found, written(target, binary=suffix == ".parquet") as path:
        frames = _frames(found, plan)
        if suffix == ".csv":
            for number, frame in enumerate(frames):
                frame.to_csv(path, mode="a", header=not number, index=False, lineterminator="\n")
        else:
            _to_parquet(path, frames, {key: str(value) for key, value in found.attrs.items()})


def _frames(found: xarray.Dataset, plan: Plan) -> Iterator[Frame]:
    """The rows, some at a time, in the order of the grid."""
    first, *others = plan.shape
    many = max(1, _AT_ONCE // max(1, math.prod(others)))
    reasons = np.asarray(found["reason"].values, dtype=object)
    for start in range(0, first, many):
        yield _frame(found.isel({plan.job.names[0]: slice(start, start + many)}), plan, reasons)


def _frame(part: xarray.Dataset, plan: Plan, reasons: Any) -> Frame:
    names = {column.key: _name(column) for column in plan.job.columns}
    frame = part[[*names, "status"]].to_dataframe(dim_order=list(plan.job.names)).reset_index().rename(columns=names)
    frame["adjacency"], frame["floor"] = plan.job.adjacency, plan.job.floor
    frame["reason"] = reasons[frame["status"].to_numpy()]
    calibrated = [str(column.key) for column in plan.job.columns if not isinstance(column, Quantity)]
    asked = dict.fromkeys(_bare(column) for column in plan.job.quantities)
    answers = [f"{word}_{end}" for word in asked for end in ("lower", "upper")]
    return frame[[*plan.job.names, *calibrated, *answers, "adjacency", "floor", "reason"]]


def _name(column: Any) -> str:
    """A quantity by the end of its bracket."""
    if not isinstance(column, Quantity):
        return str(column.key)
    end = "upper" if str(column.labels["side"]).startswith("upper") else "lower"
    return f"{_bare(column)}_{end}"


def _bare(quantity: Quantity) -> str:
    return quantity.key.removeprefix("optimistic.")


def _to_parquet(path: Path, frames: Iterator[Frame], about: dict[str, str]) -> None:
    arrow, parquet = need("pyarrow", "parquet"), need("pyarrow.parquet", "parquet")
    writer: Any = None
    try:
        for frame in frames:
            table = arrow.Table.from_pandas(frame, preserve_index=False)
            table = table.replace_schema_metadata({**(table.schema.metadata or {}), **about})
            writer = writer or parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
