"""What every verb that accounts for a mechanism shares: its options, and how the answer is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman._validate import inside
from neyman.cli.printing.output import console, print_json

if TYPE_CHECKING:
    from neyman.mechanisms import Mechanism

__all__ = [
    "ADJACENCIES",
    "USUAL_ADJACENCY",
    "Adjacency",
    "AsJson",
    "Cite",
    "Deltas",
    "Effort",
    "Floor",
    "OwnAdjacency",
    "Tolerance",
    "completing",
    "respond",
]

ADJACENCIES = ("add_or_remove", "add", "remove", "replace")
USUAL_ADJACENCY = "add_or_remove"


def completing(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Return what the shell is offered for an option that takes one of ``words``."""

    def offered(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return offered


Deltas = Annotated[
    list[float] | None,
    typer.Option(
        metavar="DELTA",
        help="Report epsilon at this delta; repeatable.  [default: 1e-5, 1e-6, 1e-9, and 1/dataset-size if known]",
    ),
]
Adjacency = Annotated[
    str,
    typer.Option(
        metavar="WHICH",
        help="Which data sets are neighbours: add_or_remove, add, remove or replace.",
        autocompletion=completing(ADJACENCIES),
    ),
]
OwnAdjacency = Annotated[
    str | None,
    typer.Option(
        metavar="WHICH",
        help="Which data sets are neighbours: add_or_remove, add, remove or replace.  [default: that of a report, "
        "otherwise add_or_remove]",
        autocompletion=completing(ADJACENCIES),
    ),
]
TableFile = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="File to write: .csv, .md or .tex; - for standard output."),
]
TableForm = Annotated[str | None, typer.Option("--format", help="csv, md or tex, where the output is standard output.")]
Floor = Annotated[float, typer.Option(help="Least error rate at which mu is promised to hold.")]
Tolerance = Annotated[float, typer.Option(help="Relative width aimed for of the bracket of delta.")]
Effort = Annotated[
    float, typer.Option(help="Work that each answer may take, in nominal seconds of one core; counted, not timed.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Cite = Annotated[bool, typer.Option("--cite", help="Print the text for a paper, with BibTeX, instead of a table.")]


def respond(
    mechanism: Mechanism,
    delta: list[float] | None,
    adjacency: str,
    floor: float,
    tolerance: float,
    effort: float,
    as_json: bool,
    cite: bool = False,
) -> None:
    """Ask the engines and print the answer; what is not certified is in it, and decides how the command leaves."""
    if cite and as_json:
        raise InvalidParameter("cite", True, "left out with --json")
    from neyman.cli.printing.answer import Answer  # NumPy and the engines: not needed for --help
    from neyman.quantities.places import usual_deltas

    deltas = tuple(inside("delta", d, 0.0, 1.0) for d in (delta or usual_deltas(mechanism.dataset_size)))
    answer = Answer.to(mechanism, deltas, adjacency, floor, (tolerance, effort))
    if as_json:
        print_json(answer.to_json())
    elif cite:
        from neyman.showing.cite import citation

        typer.echo(citation(answer.summary))
    else:
        from neyman.cli.printing.helping.in_options import in_options
        from neyman.showing.table import show

        show(answer.summary, console(), in_options)
    if answer.summary.refused:
        raise answer.summary.refused[0]
