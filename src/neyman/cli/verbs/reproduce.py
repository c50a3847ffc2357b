"""``neyman reproduce``: the papers' tables, figures and printed numbers from this engine."""

from __future__ import annotations

from typing import Annotated

import typer

from neyman.cli.exits import FAILED, NOT_CERTIFIED
from neyman.cli.printing.output import console, print_json
from neyman.cli.verbs.respond import AsJson

__all__ = ["reproduce"]


def reproduce(
    output: Annotated[str, typer.Option("-o", "--output", help="Directory to write to; made if it is not there.")],
    paper: Annotated[
        str, typer.Argument(help="reporting, divergence, sensitivity, introduction (with a blog post), or all.")
    ] = "all",
    workers: Annotated[
        int | None, typer.Option(help="Processes; as many as there are cores, 8 at most, if left out.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar; there is none without a terminal.")] = False,
    as_json: AsJson = False,
) -> None:
    """The papers' figures and numbers, from this engine.

    Every table and figure of the papers, and each printed number beside ours: reproduced, differs with the reason, or
    not determined by the text. Writes index.html (the page to open), summary.json, and for each figure an SVG, a PNG
    and a CSV. A figure that fails is named in the summary; the others are written all the same.
    """
    from neyman_papers import reproduce as run  # NumPy and the engines: not needed for --help

    summary = run(paper, output, progress=False if quiet else None, workers=workers)
    if as_json:
        print_json(summary.to_json())
    else:
        from neyman.cli.printing.reproduced import show

        show(summary, console())
    failures = [piece.failure for piece in summary.failures if piece.failure is not None]
    for piece in summary.failures:
        message = "" if piece.failure is None else " ".join(piece.failure.message.split())
        typer.echo(f"neyman: failed: {piece.task.paper} {piece.task.kind} {piece.task.key}: {message}", err=True)
    if failures:
        raise typer.Exit(FAILED if any(failure.certified for failure in failures) else NOT_CERTIFIED)
