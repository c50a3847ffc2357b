"""The numbers behind a picture: named columns of one length, to be read, written down or drawn elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter

__all__ = ["Columns", "stacked"]


@dataclass(frozen=True, eq=False)
class Columns(Mapping[str, NDArray[Any]]):
    """Named arrays of one length, one row for each point; ``columns["alpha"]`` is one of them.

    Where a picture has several curves, the column ``curve`` holds their labels and the rows of one follow each other.
    A quantity that is certified from both sides has two columns, ``..._lower`` and ``..._upper``; the line is drawn on
    the safe one.

    Attributes
    ----------
    columns : mapping of str to ndarray
        They cannot be written to.
    facts : mapping of str to float
        Single numbers that the picture shows: floors, divergences, places.
    caption : str
        What line and band mean, for the text under the picture.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.plot.tradeoff.data(ny.GDP(1.0), ny.GDP(2.0), labels=["one", "two"])
    >>> list(found), found.curves, found.of("two")["alpha"][[0, -1]]
    (['curve', 'alpha', 'beta_lower', 'beta_upper'], ('one', 'two'), array([0., 1.]))
    """

    columns: Mapping[str, NDArray[Any]]
    facts: Mapping[str, float] = field(default_factory=dict[str, float])
    caption: str = ""

    def __post_init__(self) -> None:
        lengths = {len(array) for array in self.columns.values()}
        if len(lengths) > 1:
            raise InvalidParameter("columns", sorted(lengths), "of one length")
        kept = {name: np.array(array) for name, array in self.columns.items()}
        for array in kept.values():
            array.setflags(write=False)
        object.__setattr__(self, "columns", kept)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:  # arrays have no one answer
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def curves(self) -> tuple[str, ...]:
        """The labels of the curves, in their order; empty where there is no column ``curve``."""
        return tuple(dict.fromkeys(str(label) for label in self.columns.get("curve", ())))

    def of(self, curve: str) -> Columns:
        """Return the rows of one curve, without its label.

        Raises
        ------
        InvalidParameter
            If there is no such curve.
        """
        if curve not in self.curves:
            raise InvalidParameter("curve", curve, "one of " + ", ".join(map(repr, self.curves)))
        rows = self.columns["curve"] == curve
        chosen = {name: array[rows] for name, array in self.columns.items() if name != "curve"}
        return Columns(chosen, self.facts, self.caption)

    def to_csv(self, path: str | Path) -> None:
        """Write one line of names, then one line for each row; numbers in full, so that nothing is rounded.

        Parameters
        ----------
        path : str or Path
            Replaced if it exists.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*(array.tolist() for array in self.columns.values()), strict=True))
        Path(path).write_text(text.getvalue(), encoding="utf-8", newline="")


def stacked(parts: Mapping[str, Mapping[str, NDArray[Any]]], facts: Mapping[str, float], caption: str) -> Columns:
    """One table of several curves, by their labels."""
    names = next(iter(parts.values()))
    lengths = [len(next(iter(part.values()))) for part in parts.values()]
    found: dict[str, NDArray[Any]] = {"curve": np.repeat(np.array(list(parts)), lengths)}
    for name in names:
        found[name] = np.concatenate([part[name] for part in parts.values()])
    return Columns(found, facts, caption)
