"""A Table on the command line: for people, as JSON, or in the forms of files."""

from __future__ import annotations

import math
from pathlib import Path

from rich.markup import escape

from neyman import __version__
from neyman._errors import InvalidParameter
from neyman.cli.printing.helping.advice import advise
from neyman.cli.printing.helping.in_options import in_options
from neyman.cli.printing.output import STDOUT, check_output, console, print_json, print_table, write_output
from neyman.cli.printing.table import table as empty
from neyman.showing.table import COPY
from neyman.tables import Table
from neyman.tables.table import FORMS, Cell

__all__ = ["place_of", "print_as", "write_as"]

_REASON = "refused"  # a column of sentences: they stand below the table for people
SCHEMA = 1  # of the JSON form: raised when a field changes its meaning


def place_of(output: str | None, form: str | None, as_json: bool) -> str | None:
    """Return the end of the name of the file that is asked for, None where none is.

    Raises
    ------
    InvalidParameter
        If it is none of those that can be written, or is asked for twice.
    """
    if form is not None and f".{form}" not in FORMS:
        raise InvalidParameter("format", form, f"one of {', '.join(name[1:] for name in FORMS)}")
    if as_json and (form is not None or output is not None):
        raise InvalidParameter("json", True, "left out where a file or a format is asked for")
    if output is None:
        return None if form is None else f".{form}"
    check_output(output, suffixes=tuple(FORMS))
    if output == STDOUT:
        return f".{form or 'csv'}"
    if form is not None and Path(output).suffix != f".{form}":
        raise InvalidParameter("format", form, f"left out, or {Path(output).suffix[1:]} as the file is named")
    return Path(output).suffix


def write_as(found: Table, suffix: str, output: str | None) -> None:
    """Write it to the file, or to standard output."""
    write_output(output or STDOUT, in_options(getattr(found, FORMS[suffix])()))
    advise(output or STDOUT, f"{FORMS[suffix]} table")


def print_as(found: Table, as_json: bool) -> None:
    """Print it, as JSON or for people."""
    if as_json:
        rows = [{name: _plain(cell) for name, cell in row.items()} for row in found.records()]
        sides = {column.name: column.side for column in found.columns}
        print_json({"schema": SCHEMA, "version": __version__, "sides": sides, "rows": rows, "caption": found.caption})
        return
    to = console()
    places = [i for i, column in enumerate(found.columns) if column.name != _REASON]
    columns = [found.columns[i] for i in places]
    shown = empty(*(column.title for column in columns))
    for column, drawn in zip(columns, shown.columns, strict=True):
        drawn.style = COPY if column.side == "at most" else ""
    for row in found.rows:
        shown.add_row(*(escape(column.text(row[i])) for column, i in zip(columns, places, strict=True)))
    print_table(to, shown)
    if _REASON in found:
        for row, why in zip(found.rows, found[_REASON], strict=True):
            if why:
                to.print(escape(f"{row[0]} is not certified: {in_options(str(why))}"), highlight=False, soft_wrap=True)
    to.print(escape(found.caption), highlight=False, soft_wrap=True)


def _plain(cell: Cell) -> Cell:
    return repr(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell
