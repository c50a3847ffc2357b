"""``neyman explore``: the page that answers while one drags."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.helping.advice import advise
from neyman.cli.printing.output import STDOUT, check_output, print_json, write_output
from neyman.cli.verbs.respond import AsJson

if TYPE_CHECKING:
    from neyman.explorer import Explorer
    from neyman.guarantees.twins import PessimisticGuarantee
    from neyman.mechanisms import Mechanism

__all__ = ["explore"]

_FORMS = (".html",)
_PYODIDE = "node_modules/pyodide"


def explore(
    spec: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPEC]...", help="What to begin with: a file or a short form as for neyman account."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Serve nothing: write the page into this .html file, with a table of the settings around SPEC.",
        ),
    ] = None,
    audit: Annotated[
        str | None,
        typer.Option(metavar="SCORES", help="Lay an audit over the claim: scores of an attack, as for neyman audit."),
    ] = None,
    confidence: Annotated[float | None, typer.Option(help="Of the audit.  [default: 0.95]")] = None,
    port: Annotated[int, typer.Option(help="To listen on, on 127.0.0.1; 0: any that is free.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, and open no browser.")] = False,
    browser: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Serve nothing: write a folder to be hosted, whose page has its own Python."),
    ] = None,
    pyodide: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="That Python: npm's package pyodide.  [default: node_modules/pyodide]"),
    ] = None,
    wheels: Annotated[
        str | None, typer.Option(metavar="DIR", help="A folder with the wheels of NumPy and SciPy for it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """A page that answers while you drag: what settings promise, and which settings keep a risk.

    Noise, rate and steps, or the risk that is accepted; two settings side by side; the number to report, with Python,
    command line, sentence and report to copy. Every number is certified. It is served on this machine alone, under an
    address that nobody can guess, until Ctrl-C; nothing is written. With --json the first answer is printed, and
    nothing is served; with --browser a folder is written, whose page computes in whatever browser opens it.
    """
    if confidence is not None and audit is None:
        raise InvalidParameter("--confidence", confidence, "left out without --audit")
    _check_browser(browser, output, pyodide, wheels, as_json)
    if output is not None:
        if as_json:
            raise InvalidParameter("--output", output, "left out with --json")
        check_output(output, suffixes=_FORMS)
    from neyman.explorer import explore as explorer  # NumPy and the engines: not needed for --help

    found = None if audit is None else _audited(audit, 0.95 if confidence is None else confidence)
    with explorer(*map(_meant, spec or []), audit=found, port=port) as page:
        if browser is not None and wheels is not None:
            page.save_folder(browser, pyodide=pyodide or _PYODIDE, wheels=wheels, workers=os.cpu_count() or 1)
            advise(browser, "folder")
            return
        if as_json:
            print_json(page.answer())
            return
        if output is None:
            _serve(page, no_open)
            return
        write_output(output, page.html(workers=os.cpu_count() or 1))
        if output != STDOUT:
            advise(output, "page")


def _check_browser(
    browser: str | None, output: str | None, pyodide: str | None, wheels: str | None, as_json: bool
) -> None:
    if browser is None:
        for option, value in (("--pyodide", pyodide), ("--wheels", wheels)):
            if value is not None:
                raise InvalidParameter(option, value, "left out without --browser")
        return
    if output is not None:
        raise InvalidParameter("--output", output, "left out with --browser")
    if as_json:
        raise InvalidParameter("--json", as_json, "left out with --browser")
    if wheels is None:
        advice = "It holds the wheels of NumPy and SciPy that Pyodide's lock file names: see docs/explorer-browser.md."
        raise InvalidParameter("--wheels", wheels, "given with --browser", advice)


def _meant(text: str) -> Mechanism | PessimisticGuarantee | str:
    """What a SPEC says; standard input is read here."""
    from neyman.cli.reading.mechanism import read_subject

    subject = read_subject("SPEC", text)
    return subject.what if text == "-" else text


def _audited(scores: str, confidence: float) -> object:
    from neyman.audit import from_scores
    from neyman.cli.reading.claim import within_and_without

    return from_scores(*within_and_without(scores), confidence)


def _serve(page: Explorer, no_open: bool) -> None:
    try:
        typer.echo(page.url)
        typer.echo("Ctrl-C ends it.", err=True)
        if not no_open and not page.open():
            typer.echo("No browser was found here: open the address by hand.", err=True)
        page.wait()
    except KeyboardInterrupt:  # that is how it ends
        typer.echo("", err=True)
