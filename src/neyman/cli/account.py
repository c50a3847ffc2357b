"""``neyman account``: everything a mechanism written in a file promises."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman.cli.respond import Adjacency, AsJson, Deltas, Floor, Tolerance, respond

__all__ = ["account"]


def account(
    spec: Annotated[
        str,
        typer.Argument(help="File (.json, .yaml, .yml) that holds the mechanism; - reads standard input."),
    ],
    delta: Deltas = None,
    adjacency: Adjacency = "add_or_remove",
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    as_json: AsJson = False,
) -> None:
    """Certified guarantee of any mechanism: mu-GDP with floor and regret, epsilon, advantage, attack power.

    Example: neyman account examples/mixed_pipeline.yaml --delta 1e-6
    """
    from neyman.cli.spec import read_spec  # the mechanisms: not needed for --help

    respond(read_spec(spec), delta, adjacency, floor, tolerance, as_json)
