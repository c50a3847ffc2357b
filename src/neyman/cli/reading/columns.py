"""Two columns of numbers from a CSV file, read without trust."""

from __future__ import annotations

import csv
import io

from neyman._errors import InvalidParameter
from neyman.understanding.text import read_text

__all__ = ["read_columns"]


def read_columns(option: str, source: str, names: tuple[str, str]) -> tuple[list[float], list[float]]:
    """Read a CSV file whose first line names two columns.

    Parameters
    ----------
    option : str
        The option that names the file: errors begin with it.
    source : str
        Path of the file, at most 1 MB of UTF-8; "-" reads standard input.
    names : (str, str)
        What the two columns must be called; others are left alone.

    Raises
    ------
    InvalidParameter
        If there is no such file, or it does not hold those columns, or a cell is no number: its line is named.
    """
    rows = csv.DictReader(io.StringIO(read_text(option, source).removeprefix("\ufeff")))
    header = [name.strip() for name in rows.fieldnames or []]
    rows.fieldnames = header
    if any(header.count(name) != 1 for name in names):
        allowed = f"a CSV file with the columns {names[0]} and {names[1]} in its first line"
        raise InvalidParameter(f"{option} {source}", ",".join(header), allowed)
    found: tuple[list[float], list[float]] = ([], [])
    for row in rows:
        for name, column in zip(names, found, strict=True):
            cell = row.get(name)
            try:
                column.append(float(cell if cell is not None else ""))
            except ValueError:
                where = f"{option} {source}: line {rows.line_num}, {name}"
                raise InvalidParameter(where, cell, "a number") from None
    return found
