"""A sweep from the command line: run into its file, and summarised as plain numbers."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from neyman import __version__
from neyman._errors import InvalidParameter
from neyman.cli.printing.output import print_table, write_output
from neyman.cli.printing.sweep_rows import FORMS, write_rows
from neyman.cli.printing.table import rounded_up, table
from neyman.numerics.exact.decimals import exactly
from neyman.sweeps.dataset import opened
from neyman.sweeps.extras import need
from neyman.sweeps.plan import Plan
from neyman.sweeps.run import PACKAGES, complete, crew_of
from neyman.sweeps.store import Store

__all__ = ["Swept", "deliver", "run", "show"]

SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


@dataclass(frozen=True, slots=True)
class Swept:
    """What ``neyman sweep`` says: where the answers are, and how far they range."""

    path: Path
    plan: Plan
    computed: int
    failed: int
    ranges: tuple[tuple[str, str, float, float], ...]

    @classmethod
    def of(cls, path: Path, plan: Plan, computed: int) -> Swept:
        """Read the least and the largest of every quantity."""
        with opened(path) as found:
            ranges = tuple(
                (q.key, q.labels["side"].partition(":")[0], float(found[q.key].min()), float(found[q.key].max()))
                for q in plan.job.columns
            )
            return cls(path, plan, computed, int(found.attrs["failed"]), ranges)

    def to_json(self) -> dict[str, object]:
        """Return the JSON form; ``schema`` is raised when a field changes its meaning."""
        job = self.plan.job
        axes = {a.name: {"count": len(a.values), "min": min(a.values), "max": max(a.values)} for a in self.plan.axes}
        return {
            "schema": SCHEMA, "version": __version__, "output": str(self.path),
            "adjacency": job.adjacency, "tolerance": job.tolerance, "floor": job.floor,
            "effort": job.effort,
            "axes": axes, "settings": self.plan.size, "computed": self.computed, "failed": self.failed,
            "quantities": {k: {"side": s, "min": _plain(x), "max": _plain(y)} for k, s, x, y in self.ranges},
        }  # fmt: skip


def run(asked: Plan, path: Path, workers: int | None, scheduler: str | None) -> int:
    """Compute what is missing, and write the file; return how many settings were computed.

    Raises
    ------
    InvalidParameter
        If the file is there and holds something else, or its directory does not exist.
    """
    for package in PACKAGES:
        need(package)
    parts = path.with_name(f"{path.name}.parts")
    if path.exists():
        if _fingerprint(path) != asked.fingerprint:
            advice = "It is there and holds something else; nothing is written over it."
            raise InvalidParameter("output", str(path), "a file that does not exist, or this very sweep", advice)
        if parts.exists():  # the last run ended between naming its file and tidying up
            with suppress(InvalidParameter):
                Store(parts, asked).discard()
        return 0
    if not path.parent.is_dir():
        raise InvalidParameter("output", str(path), "in a directory that exists")
    crew = crew_of(workers, None) if scheduler is None else 1
    try:
        store = Store(parts, asked)
        if scheduler is None:
            computed = complete(store, None, crew, None)
        else:
            with _client(scheduler) as client:
                computed = complete(store, client, crew, None)
        os.replace(store.result(), path)
        store.discard()
    except OSError as error:
        raise InvalidParameter("output", str(path), "in a directory that can be written to", f"{error}.") from None
    return computed


def deliver(source: Path, plan: Plan, output: str, suffix: str) -> None:
    """Write what the NetCDF file ``source`` holds to where it was asked for, in the form that was."""
    if suffix in FORMS:
        write_rows(source, plan, output, suffix)
    else:
        write_output(output, source.read_bytes())


def _client(address: str) -> Any:
    try:
        return need("distributed").Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise InvalidParameter("scheduler", address, "the address of a Dask scheduler", f"{error}.") from None


def _fingerprint(path: Path) -> str | None:
    """Of the sweep that the file holds."""
    try:
        with need("h5netcdf").File(path, "r") as file:
            return str(file.attrs["sweep"])
    except (OSError, KeyError):
        return None


def show(answer: Swept, console: Console) -> None:
    """Print ``answer``."""
    head = f"[bold]{escape(str(answer.path))}[/bold]: {answer.plan.size} settings of DPSGD"
    console.print(head, highlight=False, soft_wrap=True)
    job = answer.plan.job
    console.print(f"adjacency {job.adjacency}, floor {job.floor:g}, tolerance {job.tolerance:g}\n", highlight=False)
    if answer.plan.beside:
        told = "\n".join(f"{name}: {what}" for name, what in answer.plan.beside.items())
        console.print(f"{escape(told)}\n", highlight=False, soft_wrap=True)
    axes = table("axis", "values", "least", "largest")
    for axis in answer.plan.axes:
        axes.add_row(axis.name, str(len(axis.values)), f"{min(axis.values):g}", f"{max(axis.values):g}")
    print_table(console, axes)
    rows = table("quantity", "side", "least", "largest")
    for key, side, least, largest in answer.ranges:
        rows.add_row(escape(key), side, *(_bound(x, side) for x in (least, largest)))
    print_table(console, rows)
    kept = answer.plan.size - answer.computed
    failed = f"{answer.failed} settings have a value that cannot be certified: NaN, see reason" if answer.failed else ""
    last = f"computed {answer.computed}, kept from earlier runs {kept}. {failed}".strip()
    console.print(last, highlight=False, soft_wrap=True)


def _bound(value: float, side: str) -> str:
    """A number that is still a bound, on its side, as printed; what was calibrated in all its digits."""
    if side in ("meets", "misses"):
        return exactly(value)
    return rounded_up(value) if side.startswith("upper") else f"{0.0 - float(rounded_up(-value)):.7g}"


def _plain(value: float) -> float | str | None:
    """A number JSON can hold; nothing where no setting has a value."""
    return value if math.isfinite(value) else None if math.isnan(value) else repr(value)
