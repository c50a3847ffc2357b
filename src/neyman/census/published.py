"""Allocations in files: those of the Census Bureau, which are shipped with their sources, and one's own.

    # rho: 3.65
    level,share,queries
    US,20/1000,10

A file is CSV. Its columns are level and either rho, what the row spends, or share, its part of the total, which then
stands in a note above (``# rho:``) or is given; and, where there are any, query (a name) and queries (how many share
the row evenly; 1). Numbers may be fractions, and products of such: 104/4099*52/4097. Shares add up to 1, exactly.
"""

from __future__ import annotations

import os
from fractions import Fraction
from importlib import resources
from pathlib import Path

from neyman._errors import InvalidParameter
from neyman._validate import whole
from neyman.census.allocation import Allocation, Share
from neyman.tables.runs import read_csv, text_of

__all__ = ["NAMES", "parsed", "published", "read"]

NAMES = ("dhc-2022-08-25", "dhc-2023", "redistricting-2021")
"""What ``published`` takes."""

_COLUMNS = ("level", "rho", "share", "query", "queries")


def published(name: str, *, rho: float | str | Fraction | None = None, changed: int = 1) -> Allocation:
    """Return an allocation of the Census Bureau for the persons of the United States, by the name of its release.

    Parameters
    ----------
    name : str
        "dhc-2022-08-25": proposed for the Demographic and Housing Characteristics File, and accounted for by Su et al.
        and Gomez et al.; "dhc-2023": what that file was made with; "redistricting-2021": of the redistricting data.
    rho : number, str or Fraction, optional
        Another total, over which the shares stay as they are.
    changed : int
        As of ``Allocation``.

    Raises
    ------
    InvalidParameter
        If there is none of that name, or a number lies outside its domain.

    Examples
    --------
    >>> from neyman.census import published
    >>> published("redistricting-2021").levels, round(published("redistricting-2021").rho(), 4)
    (('US', 'State', 'County', 'Tract', 'Block_Group', 'Block'), 2.5562)
    """
    if name not in NAMES:
        raise InvalidParameter("name", name, f"one of {', '.join(NAMES)}", "census.read(path) reads one of your own.")
    text = (resources.files("neyman.census") / "allocations" / f"{name}.csv").read_text(encoding="utf-8")
    return parsed(text, name, rho, changed)


def read(path: str | os.PathLike[str], *, rho: float | str | Fraction | None = None, changed: int = 1) -> Allocation:
    """Read an allocation from a CSV file, in the form above.

    Parameters
    ----------
    path : path
        At most 1 MB of UTF-8.
    rho : number, str or Fraction, optional
        The total, where the file has shares and no total of its own, or another is meant.
    changed : int
        As of ``Allocation``.

    Raises
    ------
    InvalidParameter
        If there is no such file, or it does not hold an allocation: its row and column are named.
    """
    return parsed(text_of("allocation", Path(path)), str(path), rho, changed)


def parsed(text: str, name: str, rho: object = None, changed: int = 1) -> Allocation:
    """Read an allocation from text.

    Raises
    ------
    InvalidParameter
        If it holds none: its row and column are named.
    """
    rows = read_csv(text)
    notes = _notes(text)
    head = list(rows[0]) if rows else []
    unknown = [column for column in head if column not in _COLUMNS]
    if unknown or "level" not in head or ("rho" in head) == ("share" in head):
        allowed = "CSV with the columns level and either rho or share, and query and queries where there are any"
        raise InvalidParameter("allocation", ", ".join(head) or None, allowed)
    total = None if rho is None and "rho" not in notes else _fraction("rho", notes["rho"] if rho is None else rho)
    amount = "share" if "share" in head else "rho"
    amounts = [_fraction(f"row {i}: {amount}", row[amount]) for i, row in enumerate(rows, 1)]
    if "share" in head:
        if total is None:
            raise InvalidParameter("rho", None, "given, or in the file as # rho: TOTAL, where there are shares")
        if sum(amounts) != 1:
            raise InvalidParameter("share", f"{float(sum(amounts)):.9g} in all", "made of parts that add up to 1")
        amounts = [total * share for share in amounts]
    elif rho is not None and total is not None:
        amounts = [amount * total / sum(amounts) for amount in amounts]
    shares = tuple(_share(i, row, amount) for i, (row, amount) in enumerate(zip(rows, amounts, strict=True), 1))
    return Allocation(name, notes.get("source", ""), shares, changed)


def _share(number: int, row: dict[str, object], amount: Fraction) -> Share:
    level, written = str(row["level"]), str(row.get("queries") or "1")
    if not level:
        raise InvalidParameter(f"row {number}: level", level, "the name of a geographic level")
    if not (written.isascii() and written.isdigit()):
        raise InvalidParameter(f"row {number}: queries", written, "a whole number")
    queries = whole(f"row {number}: queries", int(written), 1, 10**6)
    return Share(level, amount, str(row.get("query", "")), queries)


def _fraction(name: str, written: object) -> Fraction:
    """A number > 0 exactly as it is written: a decimal, a fraction, or a product of such."""
    allowed = "a number > 0, such as 0.274, 274/1000 or 104/4099*52/4097"
    made = Fraction(1)
    try:
        for piece in str(written).split("*"):
            if "_" in piece or not piece.isascii() or len(piece) > 60:
                raise ValueError(piece)
            made *= Fraction(piece.strip())
    except (ValueError, ZeroDivisionError):
        raise InvalidParameter(name, written, allowed) from None
    if not 0 < made < 10**12 or made < Fraction(1, 10**12):
        raise InvalidParameter(name, written, f"{allowed}, from 1e-12 to 1e12")
    return made


def _notes(text: str) -> dict[str, str]:
    """What stands above the table as ``# key: value``; a key that stands again goes on."""
    found: dict[str, str] = {}
    for line in text.removeprefix("\ufeff").splitlines():
        key, colon, value = line.lstrip("# ").partition(":")
        if line.lstrip().startswith("#") and colon and key.isidentifier():
            found[key] = f"{found[key]} {value.strip()}" if key in found else value.strip()
    return found
