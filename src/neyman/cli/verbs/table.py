"""``neyman table``: many runs, one row each."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman.cli.exits import FAILED, NOT_CERTIFIED
from neyman.cli.reading.mechanism import FORM
from neyman.cli.verbs.respond import Adjacency, AsJson, Effort, Floor, TableFile, TableForm, Tolerance

__all__ = ["table"]


def table(
    runs: Annotated[
        str,
        typer.Argument(
            metavar="RUNS",
            help="CSV file, or - for standard input: noise_multiplier; sample_rate, or batch_size and dataset_size; "
            "steps, or epochs; and as far as there are any name, delta, epsilon (as stated) and accuracy.",
        ),
    ],
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"What to compare with: the name of a run, or {FORM}.")
    ] = None,
    output: TableFile = None,
    form: TableForm = None,
    delta: Annotated[float, typer.Option(help="At which epsilon is told of runs without a delta of their own.")] = 1e-5,
    adjacency: Adjacency = "add_or_remove",
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    as_json: AsJson = False,
) -> None:
    """What many DP-SGD runs promise, one row each, before and after.

    Answers epsilon at delta and what reporting it alone gives away; mu, and the same of mu; whether an epsilon that was
    stated holds; and beside a baseline the divergence both ways, and which runs are Pareto-efficient in accuracy and
    divergence. What cannot be certified is left out, with the reason, and costs no other number.
    """
    from neyman.cli.printing.tabled import place_of, print_as, write_as
    from neyman.tables import table as summary
    from neyman.tables.runs import read_csv
    from neyman.understanding.text import read_text

    suffix = place_of(output, form, as_json)
    rows = read_csv(read_text("RUNS", runs, "Cut the table into parts."))
    names = {str(row.get("name", "")) or str(number) for number, row in enumerate(rows, 1)}
    beside = baseline
    if baseline is not None and baseline not in names and (baseline.startswith("dpsgd:") or "." in baseline):
        from neyman.cli.reading.mechanism import read_mechanism

        beside = read_mechanism("baseline", baseline)
    found = summary(
        rows, delta=delta, baseline=beside, floor=floor, adjacency=adjacency, tolerance=tolerance, effort=effort
    )
    if suffix is not None:
        write_as(found, suffix, output)
    else:
        print_as(found, as_json)
    if "stated_holds" in found and False in found["stated_holds"]:
        raise typer.Exit(FAILED)
    if "refused" in found:
        raise typer.Exit(NOT_CERTIFIED)
