"""``neyman report``: a report to hand over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.exits import FAILED
from neyman.cli.printing.helping.advice import advise
from neyman.cli.printing.output import STDOUT, check_output, write_output
from neyman.cli.verbs.respond import (
    USUAL_ADJACENCY,
    AsJson,
    Deltas,
    Effort,
    Floor,
    OwnAdjacency,
    Tolerance,
)

if TYPE_CHECKING:
    from neyman.reports import Report

__all__ = ["report"]


def report(
    spec: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC...",
            help="What was run: a file or a short form as for neyman account; - is standard input. Several are "
            "composed.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write: .html, .pdf, .md, .json or .tex; - for standard output.",
        ),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="html, pdf, md, json or tex, where the output is standard output.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title, one line.")] = None,
    unit: Annotated[str, typer.Option(help="Whom one record stands for: person, household, ...")] = "record",
    context: Annotated[str | None, typer.Option(help="What the data are, who is responsible: free text.")] = None,
    delta: Deltas = None,
    adjacency: OwnAdjacency = None,
    floor: Floor = 1e-10,
    tolerance: Tolerance = 1e-6,
    effort: Effort = 10.0,
    date: Annotated[str | None, typer.Option(help="Date to print, as in 2025-01-31; none unless stated.")] = None,
    proving: Annotated[
        bool,
        typer.Option(
            "--prove",
            help="Prove the claims, too (extra prove): run.proof.json beside run.html, and the first sheet says so.",
        ),
    ] = False,
    opening: Annotated[bool, typer.Option("--open", help="Show the file that was written.")] = False,
    as_json: AsJson = False,
) -> None:
    """A report to hand over: what was run, what it promises, what that assumes.

    Anyone can check its .html and .json forms with neyman verify. Without -o, a few lines are printed. Reports are the
    same, byte for byte, whenever they are made, unless a --date is given.
    """
    suffix = _suffix(output, form, as_json)
    check_output(output or STDOUT, binary=suffix == ".pdf")
    if opening and output in (None, STDOUT):
        raise InvalidParameter("--open", output, "beside --output FILE", "It shows the file that was written.")
    if suffix == ".pdf":
        from neyman.reports.forms.pdf import browser

        browser()  # refused before anything is computed
    if proving and output in (None, STDOUT):
        raise InvalidParameter("--prove", output, "beside --output FILE", "The proof is written beside that file.")
    from neyman.cli.reading.mechanism import read_subject

    subject = read_subject("SPEC", *spec)
    mechanism = subject.mechanism
    from neyman.quantities.places import usual_deltas
    from neyman.reports import report as made

    found = made(
        mechanism, title=title, unit=unit, context=context, deltas=tuple(delta or usual_deltas(mechanism.dataset_size)),
        floor=floor, adjacency=adjacency or subject.adjacency or USUAL_ADJACENCY, tolerance=tolerance,
        effort=effort, date=date,
    )  # fmt: skip
    if proving:
        found = _proved(found, str(output))
    content = str(found) + "\n" if suffix is None else found.rendered(suffix)
    write_output(output or STDOUT, content)
    if output is not None and suffix is not None:
        if found.document.proof is not None:
            from neyman.reports.verifying.seal import beside

            advise(str(beside(output)), "proof")
        advise(output, suffix)
    if opening:
        _open(str(output))


def _open(path: str) -> None:
    """Show a file in whatever shows files of its kind here; where nothing does, say where it is."""
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(path).resolve().as_uri()):
        typer.echo(f"{path}: nothing here could show it; open it by hand.", err=True)


def _proved(found: Report, output: str) -> Report:
    """The report that names its proof, which is written beside it; what is not proved goes to the standard error."""
    from neyman.proving import prove
    from neyman.reports.verifying.seal import beside

    proof = prove(found)
    typer.echo(str(proof), err=True)
    if any(one.verdict == "refuted" for one in proof.answers):
        typer.echo("Nothing was written: a claim is refuted, which is a mistake of neyman; please report it.", err=True)
        raise typer.Exit(FAILED)
    if proof.report.document.proof is not None:
        proof.save(beside(output))
    return proof.report


def _suffix(output: str | None, form: str | None, as_json: bool) -> str | None:
    """Return the form to write; None for the short text."""
    from neyman.reports.reporting import FORMS, form_of

    known = {suffix[1:]: suffix for suffix in FORMS}
    asked = "json" if as_json and form is None else form
    if asked is not None and asked not in known:
        raise InvalidParameter("--format", asked, f"one of {', '.join(known)}")
    if output is None or output == "-":
        if asked is None and output == "-":
            raise InvalidParameter(
                "--format", None, f"one of {', '.join(known)}", "Standard output has no name to tell."
            )
        return None if asked is None else known[asked]
    named = form_of(output)
    if asked is not None and known[asked] != named:
        raise InvalidParameter("--output", output, f"a file that ends in {known[asked]}")
    return named
