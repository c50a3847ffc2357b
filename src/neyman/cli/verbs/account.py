"""``neyman account``: everything a mechanism written in a file promises."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman.cli.verbs.respond import (
    USUAL_ADJACENCY,
    AsJson,
    Cite,
    Deltas,
    Effort,
    Floor,
    OwnAdjacency,
    Tolerance,
    respond,
)

__all__ = ["account"]


def account(
    spec: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC...",
            help="File (.json, .yaml, .yml) of the mechanism, or of a report; - for standard input; or a short form: "
            "dpsgd:NOISE,RATE,STEPS, gaussian:SIGMA, laplace:SCALE, mu:MU, epsilon:EPSILON,DELTA, rho:RHO. Several are "
            "composed.",
        ),
    ],
    delta: Deltas = None,
    adjacency: OwnAdjacency = None,
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    cite: Cite = False,
    as_json: AsJson = False,
) -> None:
    """What any mechanism promises, read from a file or a few letters.

    The file holds a mechanism in the form of mechanism.to_dict(): DP-SGD runs, noisy queries, census tables, black
    boxes, and any composition of them. Answered as by neyman dpsgd: mu-GDP with its floor and regret, epsilon at each
    delta, advantage and attack power, each with its certified bracket; "report" is the end that is safe to state.
    """
    from neyman.cli.reading.mechanism import read_subject

    subject = read_subject("SPEC", *spec)
    kind = adjacency or subject.adjacency or USUAL_ADJACENCY
    respond(subject.mechanism, delta, kind, floor, tolerance, effort, as_json, cite)
