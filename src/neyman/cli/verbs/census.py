"""``neyman census``: what TopDown's noise promises, by geographic level and in total."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.output import print_json
from neyman.cli.verbs.respond import AsJson, Effort, Floor, TableFile, TableForm, Tolerance

__all__ = ["census"]

NAMES = ("dhc-2022-08-25", "dhc-2023", "redistricting-2021")


def census(
    allocation: Annotated[
        str,
        typer.Argument(
            metavar="ALLOCATION",
            help=f"A published one, {', '.join(NAMES)}; or a CSV file of your own, - for standard input: level, rho "
            "(or share, of a total), and query and queries where there are any.",
        ),
    ] = NAMES[0],
    rho: Annotated[
        str | None, typer.Option(help="The total, in place of that of the file: 2.5 or 485/254*485/254.")
    ] = None,
    changed: Annotated[
        int, typer.Option(help="Cells of a tabulation that a neighbour changes by one: 1, or 2 for other answers.")
    ] = 1,
    level: Annotated[str | None, typer.Option(help="With --spec: this level alone.")] = None,
    delta: Annotated[
        list[float] | None,
        typer.Option(metavar="DELTA", help="Report epsilon at this delta; repeatable.  [default: 1e-10]"),
    ] = None,
    output: TableFile = None,
    form: TableForm = None,
    spec: Annotated[
        bool,
        typer.Option(
            "--spec",
            rich_help_panel="Output",
            help="Print the mechanism alone, as every other verb reads it from a file.",
        ),
    ] = False,
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    as_json: AsJson = False,
) -> None:
    """What a census promises, from the rho of each geographic level.

    TopDown adds discrete Gaussian noise to tabulations at every geographic level. Answers mu with its floor and regret,
    and epsilon at each delta, beside what of it is left where rho alone is known; by level and in total.
    """
    from neyman.census import account, published
    from neyman.census.published import parsed
    from neyman.cli.printing.tabled import place_of, print_as, write_as
    from neyman.understanding.text import read_text

    suffix = place_of(output, form, as_json)
    if spec and (suffix is not None or as_json):
        raise InvalidParameter("spec", True, "left out where a file or a format is asked for")
    if level is not None and not spec:
        raise InvalidParameter("level", level, "given with --spec: the table has them all")
    if allocation in NAMES:
        found = published(allocation, rho=rho, changed=changed)
    elif allocation != "-" and not allocation.endswith(".csv"):
        raise InvalidParameter("ALLOCATION", allocation, f"one of {', '.join(NAMES)}, a file that ends in .csv, or -")
    else:
        found = parsed(read_text("ALLOCATION", allocation), allocation, rho, changed)
    if spec:
        print_json(found.mechanism(level).to_dict())
        return
    made = account(found, delta or (1e-10,), floor=floor, tolerance=tolerance, effort=effort)
    if suffix is not None:
        write_as(made, suffix, output)
    else:
        print_as(made, as_json)
