"""What every verb that accounts for a mechanism shares: its options, and how the answer is printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from neyman._validate import inside

if TYPE_CHECKING:
    from neyman.mechanisms import Mechanism

__all__ = ["Adjacency", "AsJson", "Deltas", "Floor", "Tolerance", "respond"]

Deltas = Annotated[list[float] | None, typer.Option(help="Report epsilon at this delta; repeatable.")]
Adjacency = Annotated[str, typer.Option(help="add_or_remove, add, remove or replace.")]
Floor = Annotated[float, typer.Option(help="Least error rate at which mu is promised to hold.")]
Tolerance = Annotated[float, typer.Option(help="Relative width aimed for of the bracket of delta.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def respond(
    mechanism: Mechanism, delta: list[float] | None, adjacency: str, floor: float, tolerance: float, as_json: bool
) -> None:
    """Ask the engines and print the answer."""
    from neyman.cli.answer import Answer  # NumPy and the engines: not needed for --help

    deltas = tuple(inside("delta", d, 0.0, 1.0) for d in (delta or (1e-5, 1e-6, 1e-9)))
    answer = Answer.to(mechanism, deltas, adjacency, floor, tolerance)
    if as_json:
        typer.echo(json.dumps(answer.to_json(), indent=2, allow_nan=False))
        return
    from rich.console import Console

    from neyman.cli.table import show

    show(answer, Console())
