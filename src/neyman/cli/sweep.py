"""``neyman sweep``: the same questions asked of every setting of a grid, into one NetCDF file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.respond import Adjacency, AsJson, Floor, Tolerance

__all__ = ["sweep"]


def sweep(
    spec: Annotated[
        str,
        typer.Argument(
            help="File (.json, .yaml, .yml) that holds noise_multiplier, sample_rate and steps, each a number, a list, "
            "{geomspace: [first, last, count]} or {linspace: [...]}, and quantities; - reads standard input."
        ),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", help="NetCDF file to write; beside it, while it is made, .parts.")
    ],
    adjacency: Adjacency = "add_or_remove",
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    workers: Annotated[int | None, typer.Option(help="Processes on this machine; its cores if left out.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, to compute there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The same questions asked of every setting of a grid of DP-SGD runs; after an interruption, run it again.

    Example: neyman sweep examples/sweep.yaml -o sweep.nc
    """
    from neyman.cli.sweep_spec import read_sweep  # NumPy and the engines: not needed for --help
    from neyman.cli.swept import Swept, run, show

    if workers is not None and scheduler is not None:
        raise InvalidParameter("workers", workers, "left out where a scheduler is given")
    asked = read_sweep(spec, (adjacency, tolerance, floor))
    path = Path(output)
    if path.suffix != ".nc":
        raise InvalidParameter("output", output, "a path that ends in .nc")
    try:
        computed = run(asked, path, workers, scheduler)
    except KeyboardInterrupt:
        typer.echo(f"neyman: interrupted; what is done is kept in {path}.parts, run it again to go on", err=True)
        raise
    answer = Swept.of(path, asked, computed)
    if as_json:
        typer.echo(json.dumps(answer.to_json(), indent=2, allow_nan=False))
        return
    from rich.console import Console

    show(answer, Console())
