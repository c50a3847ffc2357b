"""Table: rows of words and certified numbers, each column with the side on which its numbers are."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from neyman._answering import Asked
from neyman._errors import InvalidParameter
from neyman._upward import Carded
from neyman.numerics.exact.decimals import exactly, outward
from neyman.quantities.places import in_place
from neyman.reports.forms.latex import escaped as in_latex
from neyman.reports.forms.markdown import escaped as in_markdown

__all__ = ["FORMS", "Cell", "Column", "Table"]

Cell = str | float | int | bool | None

_RATES = ("sample_rate", "delta")  # columns of what people think of as a share

FORMS = {".csv": "csv", ".md": "markdown", ".tex": "latex"}
"""The method of a table by the end of a file's name."""


@dataclass(frozen=True, slots=True)
class Column:
    """What stands in a column: its name in files, its title in print, and the side of the truth its numbers are on.

    ``side``: "at most" and "at least" are bounds, and stay so as printed, in ``digits`` digits; "as given" is printed
    in all its digits. ``tex`` is the title in LaTeX, where it is another.
    """

    name: str
    title: str
    side: Literal["at most", "at least", "as given"] = "as given"
    digits: int = 5
    tex: str = ""

    def text(self, cell: Cell) -> str:
        """Return a cell as it is printed."""
        if cell is None:
            return ""
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, (str, int)):
            return str(cell)
        if self.side == "as given":
            return in_place(self.name, cell) if self.name in _RATES else exactly(cell)
        return outward(cell, self.digits, up=self.side == "at most")


@dataclass(frozen=True, slots=True)
class Table(Asked, Carded):
    """Rows under columns; ``table["mu"]`` is a column, ``str(table)`` the table in Markdown. As of a DataFrame,
    ``list(table)`` are the names of the columns, ``"mu" in table`` asks for one, and ``len(table)`` counts the rows.

    Attributes
    ----------
    columns : tuple of Column
        Their names differ.
    rows : tuple of tuple
        Each as long as ``columns``: words, numbers, True or False, None where nothing is to be said.
    caption : str
        What the numbers are.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str

    _called: ClassVar[str] = "t"

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter([column.name for column in self.columns])

    def __contains__(self, name: object) -> bool:
        """Return whether there is a column of that name."""
        return any(column.name == name for column in self.columns)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def __getitem__(self, name: str) -> list[Cell]:
        """Return a column.

        Raises
        ------
        InvalidParameter
            If there is none of that name.
        """
        names = list(self)
        if name not in names:
            raise InvalidParameter("column", name, f"one of {', '.join(names)}")
        place = names.index(name)
        return [row[place] for row in self.rows]

    def records(self) -> list[Mapping[str, Cell]]:
        """Return one mapping a row, from the names of the columns, as ``pandas.DataFrame`` takes them."""
        names = list(self)
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def csv(self) -> str:
        """Return CSV: names in the first line, numbers in all their digits, so that a bound is one there, too."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([_whole(cell) for cell in row] for row in self.rows)
        return text.getvalue()

    def markdown(self) -> str:
        """Return a table in Markdown, its columns aligned, the caption below."""
        head = [in_markdown(column.title) for column in self.columns]
        body = self._texts(in_markdown)
        widths = [max(len(row[i]) for row in (head, *body)) for i in range(len(head))]
        right = [self._numeric(i) for i in range(len(head))]
        lines = [_line(row, widths, right) for row in (head, *body)]
        rule = "|".join("-" * (w + 1) + ("-:"[r]) for w, r in zip(widths, right, strict=True))
        return "\n".join([lines[0], f"|{rule}|", *lines[1:], "", in_markdown(self.caption), ""])

    def latex(self) -> str:
        """Return a ``tabular`` of the package booktabs, which its first line names."""
        kinds = "".join("r" if self._numeric(i) else "l" for i in range(len(self.columns)))
        head = " & ".join(column.tex or in_latex(column.title) for column in self.columns)
        body = [" & ".join(row) for row in self._texts(in_latex)]
        needs = r"% \usepackage{booktabs} before \begin{document}"
        caption = f"% {' '.join(self.caption.split())}"
        return "\n".join(
            [needs, caption, rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", rf"{head} \\", r"\midrule",
             *(rf"{row} \\" for row in body), r"\bottomrule", r"\end{tabular}", ""]
        )  # fmt: skip

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file that ends in .csv, .md or .tex.

        Raises
        ------
        InvalidParameter
            If it ends otherwise, or cannot be written.
        """
        name = Path(path)
        if name.suffix not in FORMS:
            raise InvalidParameter("path", str(name), f"a path that ends in {', '.join(FORMS)}", topic="file")
        try:
            name.write_text(getattr(self, FORMS[name.suffix])(), encoding="utf-8")
        except OSError as error:
            raise InvalidParameter(
                "path", str(name), "a file that can be written", f"{error.strerror}.", topic="file"
            ) from None

    def __str__(self) -> str:
        return self.markdown()

    def _texts(self, words: Callable[[str], str]) -> list[list[str]]:
        """All cells as they are printed; what somebody typed goes through ``words``."""
        return [
            [words(cell) if isinstance(cell, str) else column.text(cell) for column, cell in pairs]
            for pairs in (zip(self.columns, row, strict=True) for row in self.rows)
        ]

    def _numeric(self, place: int) -> bool:
        """Whether nothing but numbers stands in a column."""
        cells = [row[place] for row in self.rows if row[place] is not None]
        return bool(cells) and all(isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in cells)


def _whole(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:g}" if math.isinf(cell) else repr(cell)
    return Column("", "").text(cell)


def _line(row: list[str], widths: list[int], right: list[bool]) -> str:
    cells = [t.rjust(w) if r else t.ljust(w) for t, w, r in zip(row, widths, right, strict=True)]
    return f"| {' | '.join(cells)} |"
