"""What a figure or a table leaves behind: a picture, the numbers in it, and the files of both."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from neyman_papers.verdict import Ours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Curve", "Drawing", "Picture", "Rows", "Table", "csv_of", "csv_of_rows"]

Cell = str | float | int


@dataclass(frozen=True, slots=True)
class Curve:
    """Named columns of equal length, of one curve (or one set of points) of a picture."""

    name: str
    columns: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn figure with the numbers that are drawn; ``numbers`` are those of ours that come with it."""

    figure: Figure
    curves: Sequence[Curve]
    numbers: Mapping[str, Ours] = field(default_factory=dict[str, "Ours"])


@dataclass(frozen=True, slots=True)
class Rows:
    """A table: its head, its rows; ``listing`` is text to be set as code above it."""

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    listing: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """An entry of a paper's list of figures: ``draw`` makes it; ``weight`` is about its seconds, for the schedule."""

    key: str
    title: str
    caption: str
    draw: Callable[[], Picture]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Table:
    """An entry of a paper's list of tables: ``fill`` makes it."""

    key: str
    title: str
    caption: str
    fill: Callable[[], Rows]
    weight: float = field(default=1.0)


def csv_of(curves: Sequence[Curve]) -> bytes:
    """All curves below each other: the first column names the curve, absent columns stay empty.

    Numbers are written with all their digits, so that a bound is one in the file, too.

    Examples
    --------
    >>> curves = [Curve("f", {"alpha": [0.0, 1.0], "beta": [1.0, 0.0]}), Curve("point", {"alpha": [0.5]})]
    >>> print(csv_of(curves).decode())
    curve,alpha,beta
    f,0.0,1.0
    f,1.0,0.0
    point,0.5,
    """
    head = list(dict.fromkeys(name for curve in curves for name in curve.columns))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["curve", *head])
    for curve in curves:
        columns = [_cells(curve.columns[name]) if name in curve.columns else None for name in head]
        length = max(len(column) for column in columns if column is not None)
        filled = [column if column is not None else [""] * length for column in columns]
        writer.writerows([curve.name, *cells] for cells in zip(*filled, strict=True))
    return text.getvalue().encode()


def csv_of_rows(rows: Rows) -> bytes:
    """A table as it is shown, under names of columns that programs like.

    Examples
    --------
    >>> print(csv_of_rows(Rows(["epsilon", "mu, first row"], [["8", "1.67"]])).decode())
    epsilon,mu_first_row
    8,1.67
    """
    text = io.StringIO()
    head = [re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") for name in rows.head]
    csv.writer(text, lineterminator="\n").writerows([head, *rows.rows])
    return text.getvalue().encode()


def _cells(values: Any) -> list[str]:
    array = np.atleast_1d(np.asarray(values))
    return [str(value) if isinstance(value, str) else repr(value) for value in array.ravel().tolist()]
