"""``neyman sweep``: the same questions asked of every setting of a grid, into one file."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.helping.advice import advise
from neyman.cli.printing.output import STDOUT, check_output, console, print_json
from neyman.cli.verbs.respond import Adjacency, AsJson, Effort, Floor, Tolerance

__all__ = ["sweep"]

_WHOLE = ".nc"


def sweep(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="File (.json, .yaml, .yml) that holds noise_multiplier, sample_rate (or batch_size and dataset_size) "
            "and steps (or epochs), each a number, a list, "
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
            help="File to write: .nc (NetCDF), or a row for each setting as .csv or .parquet, with both ends of every "
            "bracket; beside it, while it is made, .parts. - for standard output, then the summary goes to standard "
            "error and nothing is kept of an interrupted run.",
        ),
    ],
    form: Annotated[
        str | None, typer.Option("--format", help="nc, csv or parquet, where the output is standard output.")
    ] = None,
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

    NetCDF has a labelled axis for each of noise_multiplier, sample_rate and steps (what is calibrated is a variable);
    CSV and Parquet have a row for each setting. Values that cannot be certified are missing, and the file says why.
    After an interruption run the same command again: what is done is kept.
    """
    from neyman.cli.printing.swept import Swept, deliver, run, show
    from neyman.cli.reading.sweep_spec import read_sweep  # NumPy and the engines: not needed for --help

    if workers is not None and scheduler is not None:
        raise InvalidParameter("workers", workers, "left out where a scheduler is given")
    suffix = _suffix(output, form, as_json)
    asked = read_sweep(spec, (adjacency, tolerance, floor, effort), at_most, both=suffix != _WHOLE)
    _check_place(output, suffix)
    if output == STDOUT:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "sweep.nc"
            show(Swept.of(path, asked, run(asked, path, workers, scheduler)), console(error=True))
            deliver(path, asked, output, suffix)
        return
    path = Path(output if suffix == _WHOLE else f"{output}{_WHOLE}")
    try:
        computed = run(asked, path, workers, scheduler)
    except KeyboardInterrupt:
        typer.echo(f"neyman: interrupted; what is done is kept in {path}.parts, run it again to go on", err=True)
        raise
    answer = Swept.of(path, asked, computed)
    if suffix != _WHOLE:
        answer = replace(answer, path=Path(output))
        deliver(path, asked, output, suffix)
        path.unlink()
    if as_json:
        print_json(answer.to_json())
    else:
        show(answer, console())
    advise(output, "sweep" if suffix == _WHOLE else f"{suffix[1:]} table")


def _suffix(output: str, form: str | None, as_json: bool) -> str:
    """Return the form to write; refuse what cannot be written before anything is computed."""
    from neyman.cli.printing.sweep_rows import FORMS

    known = (_WHOLE, *FORMS)
    if form is not None and f".{form}" not in known:
        raise InvalidParameter("format", form, f"one of {', '.join(name[1:] for name in known)}")
    if output == STDOUT and as_json:
        raise InvalidParameter("output", output, "a file where --json is asked for: both would go to standard output")
    suffix = f".{form or 'nc'}" if output == STDOUT else Path(output).suffix
    if suffix not in known:
        check_output(output, suffixes=known)
    if form is not None and suffix != f".{form}":
        raise InvalidParameter("format", form, f"left out, or {suffix[1:]} as the file is named")
    return suffix


def _check_place(output: str, suffix: str) -> None:
    """Refuse a place where the answer cannot go, once it is known that there is something to answer."""
    from neyman.cli.printing.sweep_rows import FORMS, need_form

    check_output(output, suffixes=(_WHOLE, *FORMS), binary=suffix != ".csv")
    if suffix != _WHOLE and output != STDOUT and Path(output).exists():
        raise InvalidParameter(
            "output", output, "a file that does not exist", "Nothing is written over it.", topic="file"
        )
    need_form(suffix)
