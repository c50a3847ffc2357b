"""``neyman verify``: whether a report holds."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman.cli.exits import FAILED, NOT_CERTIFIED, OK
from neyman.cli.printing.output import print_json
from neyman.cli.verbs.respond import AsJson

__all__ = ["verify"]


def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Report, .json or .html; - reads standard input.")],
    tolerance: Annotated[
        float | None, typer.Option(help="Relative width aimed for of the bracket of delta; that of the report.")
    ] = None,
    effort: Annotated[
        float | None,
        typer.Option(help="Work that each claim may take, in nominal seconds of one core; that of the report."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds after which recomputing is given up.")] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Whether a report holds, claim by claim.

    Recomputes every claim from the mechanism in the report, with the engines installed here: holds, does not hold (and
    by how much), cannot tell. The file is not trusted: it is read within limits, and recomputing has a time limit.
    """
    from pathlib import Path

    from neyman.reports import verify as verified

    found = verified(file if file == "-" else Path(file), tolerance=tolerance, effort=effort, timeout=timeout)
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))
    raise typer.Exit({"holds": OK, "does not hold": FAILED, "cannot tell": NOT_CERTIFIED}[found.outcome])
