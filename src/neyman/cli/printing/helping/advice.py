"""The last line about a file that was written: what to do with it."""

from __future__ import annotations

import shlex

import typer

__all__ = ["advise"]


def advise(path: str, kind: str) -> None:
    """Say on standard error what a written file is for, unless it went to standard output.

    Parameters
    ----------
    path : str
        Where it was written; "-" for standard output, of which nothing is said.
    kind : str
        ".html", ".json", ".pdf", ".md" or ".tex" of a report; "csv table", "parquet table", "markdown table" or
        "latex table"; "proof", "sweep", "page", "folder" or "picture".
    """
    if path == "-":
        return
    name = shlex.quote(path)
    typer.echo(f"{path}: {_ADVICE[kind].format(name=name)}", err=True)


_ADVICE = {
    ".html": "open it in any browser, hand it over as it is; whoever gets it checks it with: neyman verify {name}",
    ".json": "for programs; whoever gets it checks it with: neyman verify {name}",
    ".pdf": "for paper and mail; it cannot be verified: hand over an .html or .json of it, too.",
    ".md": "paste it where Markdown is shown; it cannot be verified: hand over an .html or .json of it, too.",
    ".tex": "compile it with pdflatex; it cannot be verified: hand over an .html or .json of it, too.",
    "proof": "lay it beside the report; whoever gets it checks it with: neyman-check {name}",
    "csv table": "read it with any spreadsheet, pandas or an editor.",
    "parquet table": "read it with pandas.read_parquet, or any program that reads Parquet.",
    "markdown table": "paste it where Markdown is shown.",
    "latex table": "include it in a text: \\input{{{name}}}, with \\usepackage{{booktabs}}.",
    "sweep": "read it with xarray.open_dataset, or run the same command again to add to it.",
    "page": "open it in any browser: it works alone, asks nobody, and may be handed over.",
    "folder": "any host of plain files serves it, such as: python -m http.server -d {name}",
    "picture": "look at it in any browser or viewer, or include it in a text.",
}
