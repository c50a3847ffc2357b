"""``neyman prove``: a report's claims as a proof that others can check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neyman.cli.exits import FAILED, NOT_CERTIFIED, OK
from neyman.cli.printing.helping.advice import advise
from neyman.cli.printing.output import check_output, write_output

__all__ = ["prove"]


def prove(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Report, .json or .html; - reads standard input.")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="File for the proof (JSON); - for standard output."),
    ] = None,
) -> None:
    """A proof of what a report claims, in ball arithmetic.

    The engines only look for it: what is said to be proved was accepted by the checker, a small program that shares
    nothing with them. Anyone can check the file again with neyman-check.
    """
    if output is not None:
        check_output(output)
    from neyman.proving import prove as proved

    found = proved(file if file == "-" else Path(file))
    if output is not None:
        write_output(output, found.to_json() + "\n")
        advise(output, "proof")
    if output != "-":
        typer.echo(str(found))
    refuted = any(one.verdict == "refuted" for one in found.answers)
    raise typer.Exit(FAILED if refuted else OK if found else NOT_CERTIFIED)
