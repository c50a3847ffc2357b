"""Allocations in files: those of the Census Bureau, which are shipped with their sources, and one's own.

    # rho: 3.65
    level,share,queries
    US,20/1000,10

A file is CSV. Its columns are level and either rho, what the row spends, or share, its part of the total, which then
stands in a note above (``# rho:``) or is given; and, where there are any, query (a name) and queries (how many share
the row evenly; 1). Numbers may be fractions, and products of such: 104/4099*52/4097. Shares add up to 1, exactly.
A column rho adds up to the note, where both are there; if a total is given, it is spread as the column is.
"""

from __future__ import annotations

import os
import re
from fractions import Fraction
from importlib import resources
from pathlib import Path

from neyman._errors import InvalidParameter
from neyman._validate import whole
from neyman.census.allocation import Allocation, Share, check_denominators
from neyman.tables.runs import read_csv, text_of

__all__ = ["NAMES", "parsed", "published", "read"]

NAMES = ("dhc-2022-08-25", "dhc-2023", "redistricting-2021")
"""What ``published`` takes."""

_LONGEST, _LARGEST_EXPONENT, _MOST_FACTORS = 60, 60, 20  # of a number as it is written
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)$")
_MOST_QUERIES = 10**6  # of one row at most
_FORM = "CSV with the columns level and either rho or share, and query and queries where there are any"
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
        The total, where the file has shares and no total of its own, or another is meant: of a column rho the rows are
        scaled to it.
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
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.removeprefix("\ufeff").splitlines()):
        raise InvalidParameter("allocation", name, _FORM, "It is empty.")
    rows = read_csv(text, "allocation")
    notes = _notes(text)
    if not rows:
        raise InvalidParameter("allocation", name, "made of at least one row", "Nothing stands below its first line.")
    head = list(rows[0])
    unknown = [column for column in head if column not in _COLUMNS]
    if unknown or "level" not in head or ("rho" in head) == ("share" in head):
        raise InvalidParameter("allocation", ", ".join(head), _FORM)
    total = None if rho is None and "rho" not in notes else _fraction("rho", notes["rho"] if rho is None else rho)
    amount = "share" if "share" in head else "rho"
    amounts = [_fraction(f"row {i}: {amount}", row[amount]) for i, row in enumerate(rows, 1)]
    check_denominators(amount, amounts)
    if "share" in head:
        if total is None:
            raise InvalidParameter("rho", None, "given, or in the file as # rho: TOTAL, where there are shares")
        if sum(amounts) != 1:
            raise InvalidParameter("share", f"{float(sum(amounts)):.9g} in all", "made of parts that add up to 1")
        amounts = [total * share for share in amounts]
    elif total is not None:
        whole_of = sum(amounts, Fraction(0))
        if "rho" in notes and _fraction("rho", notes["rho"]) != whole_of:
            advice = f"The column rho adds up to {float(whole_of):.9g}: leave the note out, or give shares."
            raise InvalidParameter("# rho", notes["rho"], "the sum of the column rho, where there is one", advice)
        amounts = [amount * total / whole_of for amount in amounts]
    shares = tuple(_share(i, row, amount) for i, (row, amount) in enumerate(zip(rows, amounts, strict=True), 1))
    return Allocation(name, notes.get("source", ""), shares, changed)


def _share(number: int, row: dict[str, object], amount: Fraction) -> Share:
    level, written = str(row["level"]), str(row.get("queries") or "1")
    if not level:
        raise InvalidParameter(f"row {number}: level", level, "the name of a geographic level")
    if not (written.isascii() and written.isdigit()):
        raise InvalidParameter(f"row {number}: queries", written, "a whole number")
    if not len(written.lstrip("0")) <= len(str(_MOST_QUERIES)):
        shown = f"{written[:12]}... ({len(written)} digits)"
        raise InvalidParameter(f"row {number}: queries", shown, f"a whole number from 1 to {_MOST_QUERIES}")
    queries = whole(f"row {number}: queries", int(written.lstrip("0") or "0"), 1, _MOST_QUERIES)
    return Share(level, amount, str(row.get("query", "")), queries)


def _fraction(name: str, written: object) -> Fraction:
    """A number > 0 exactly as it is written: a decimal, a fraction, or a product of such."""
    allowed = "a number > 0, such as 0.274, 274/1000 or 104/4099*52/4097, from 1e-12 to 1e12"
    made = Fraction(1)
    try:
        pieces = str(written).split("*")
        if not len(pieces) <= _MOST_FACTORS:
            raise ValueError(len(pieces))
        for piece in pieces:
            made *= _factor(piece.strip())
    except (ValueError, ZeroDivisionError):
        raise InvalidParameter(name, written, allowed) from None
    if not 0 < made < 10**12 or made < Fraction(1, 10**12):
        raise InvalidParameter(name, written, allowed)
    return made


def _factor(piece: str) -> Fraction:
    """One of a product, in so few digits and with so small an exponent that it takes no time to expand."""
    exponent = _EXPONENT.search(piece)
    if "_" in piece or not piece.isascii() or len(piece) > _LONGEST:
        raise ValueError(piece)
    if exponent and not abs(int(exponent[1])) <= _LARGEST_EXPONENT:
        raise ValueError(piece)
    return Fraction(piece)


def _notes(text: str) -> dict[str, str]:
    """What stands above the table as ``# key: value``; a key that stands again goes on."""
    found: dict[str, str] = {}
    for line in text.removeprefix("\ufeff").splitlines():
        key, colon, value = line.lstrip("# ").partition(":")
        if line.lstrip().startswith("#") and colon and key.isidentifier():
            found[key] = f"{found[key]} {value.strip()}" if key in found else value.strip()
    return found
