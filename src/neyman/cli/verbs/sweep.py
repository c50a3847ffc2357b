"""``neyman sweep``: the same questions asked of every setting of a grid, into one NetCDF file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.advice import advise
from neyman.cli.printing.output import STDOUT, check_output, console, print_json, write_output
from neyman.cli.verbs.respond import Adjacency, AsJson, Effort, Floor, Tolerance

__all__ = ["sweep"]


def sweep(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="File (.json, .yaml, .yml) that holds noise_multiplier, sample_rate and steps, each a number, a list, "
            "{geomspace: [first, last, count]} or {linspace: [...]}, or, once, {calibrate: TARGET} as for neyman "
            "calibrate; quantities; and the baseline that divergences are from; - reads standard input.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="NetCDF file to write (.nc); beside it, while it is made, .parts. - for standard output, then the "
            "summary goes to standard error and nothing is kept of an interrupted run.",
        ),
    ],
    adjacency: Adjacency = "add_or_remove",
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    workers: Annotated[int | None, typer.Option(help="Processes on this machine; its cores if left out.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, to compute there.")
    ] = None,
    at_most: Annotated[
        int, typer.Option(help="Refuse a grid of more settings before anything is computed; up to 10^9.")
    ] = 10_000_000,
    as_json: AsJson = False,
) -> None:
    """The same questions asked of a whole grid of DP-SGD runs.

    Writes one NetCDF file with a labelled axis for each of noise_multiplier, sample_rate and steps (what is calibrated
    is a variable); values that cannot be certified are NaN, and the file says why. After an interruption run the same
    command again: what is done is kept.
    """
    from neyman.cli.printing.swept import Swept, run, show
    from neyman.cli.reading.sweep_spec import read_sweep  # NumPy and the engines: not needed for --help

    if workers is not None and scheduler is not None:
        raise InvalidParameter("workers", workers, "left out where a scheduler is given")
    if output == STDOUT and as_json:
        raise InvalidParameter("output", output, "a file where --json is asked for: both would go to standard output")
    check_output(output, suffixes=(".nc",), binary=True)
    asked = read_sweep(spec, (adjacency, tolerance, floor, effort), at_most)
    if output == STDOUT:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "sweep.nc"
            show(Swept.of(path, asked, run(asked, path, workers, scheduler)), console(error=True))
            write_output(output, path.read_bytes())
        return
    path = Path(output)
    try:
        computed = run(asked, path, workers, scheduler)
    except KeyboardInterrupt:
        typer.echo(f"neyman: interrupted; what is done is kept in {path}.parts, run it again to go on", err=True)
        raise
    answer = Swept.of(path, asked, computed)
    if as_json:
        print_json(answer.to_json())
    else:
        show(answer, console())
    advise(output, "sweep")
