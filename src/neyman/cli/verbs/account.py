"""``neyman account``: everything a mechanism written in a file promises."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman.cli.verbs.respond import Adjacency, AsJson, Cite, Deltas, Effort, Floor, Tolerance, respond

__all__ = ["account"]


def account(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="File (.json, .yaml, .yml) of the mechanism, - for standard input, or dpsgd:NOISE,RATE,STEPS.",
        ),
    ],
    delta: Deltas = None,
    adjacency: Adjacency = "add_or_remove",
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    cite: Cite = False,
    as_json: AsJson = False,
) -> None:
    """What any mechanism promises, read from a file.

    The file holds a mechanism in the form of mechanism.to_dict(): DP-SGD runs, noisy queries, census tables, black
    boxes, and any composition of them. Answered as by neyman dpsgd: mu-GDP with its floor and regret, epsilon at each
    delta, advantage and attack power, each with its certified bracket; "report" is the end that is safe to state.
    """
    from neyman.cli.reading.mechanism import read_mechanism

    respond(read_mechanism("SPEC", spec), delta, adjacency, floor, tolerance, effort, as_json, cite)
