"""Runs of DP-SGD as people keep them: a CSV file, or a list of mappings, one run each, read without trust."""

from __future__ import annotations

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import inside, not_negative, positive, reals
from neyman.mechanisms import DPSGD, Mechanism, training
from neyman.mechanisms.training import batch_rate, epoch_steps

__all__ = ["KNOWN", "MOST_RUNS", "Run", "read_csv", "runs_of", "text_of"]

MOST_RUNS = 10_000
LARGEST = 10**6  # bytes of a file
_RATE = ("sample_rate", "batch_size", "dataset_size")
_STEPS = ("steps", "epochs")
_UTILITY = ("accuracy", "utility")
KNOWN = ("name", "noise_multiplier", *_RATE, *_STEPS, "delta", "epsilon", *_UTILITY)
_WHOLE = ("batch_size", "dataset_size", "steps")


@dataclass(frozen=True, slots=True)
class Run:
    """One row: what was run, at which delta it is told, the epsilon that was stated for it, and how useful it is.

    ``words`` are the columns that say nothing of privacy, such as the data set.
    """

    name: str
    words: Mapping[str, str]
    noise_multiplier: float
    sample_rate: float
    steps: int
    delta: float
    stated: float | None
    utility: float | None

    @property
    def mechanism(self) -> Mechanism:
        """What was run."""
        return DPSGD(self.noise_multiplier, self.sample_rate, self.steps)


def runs_of(source: object, delta: object) -> tuple[Run, ...]:
    """Read runs from a path or from mappings; ``delta`` is of rows that have none.

    Raises
    ------
    InvalidParameter
        If there are none, or too many, or a row is not that of a run: its number and column are named.
    """
    if isinstance(source, (str, os.PathLike)):
        rows = read_csv(text_of("runs", Path(source)))
    elif isinstance(source, Iterable) and not isinstance(source, Mapping):
        rows = list(source)
    else:
        raise InvalidParameter("runs", source, "the path of a CSV file, or a list of mappings, one a run")
    if not 0 < len(rows) <= MOST_RUNS:
        raise InvalidParameter("runs", len(rows), f"from 1 to {MOST_RUNS:,} runs")
    usual = inside("delta", delta, 0.0, 1.0)
    found = tuple(_run(number, row, usual) for number, row in enumerate(rows, 1))
    twice = next((name for name, count in Counter(run.name for run in found).items() if count > 1), None)
    if twice is not None:
        raise InvalidParameter("name", twice, "made of names that differ: each is that of one run")
    return found


def read_csv(text: str, what: str = "runs") -> list[dict[str, object]]:
    """Return the rows of CSV whose first line names the columns; lines that begin with # are notes. Errors are of
    ``what``.

    Raises
    ------
    InvalidParameter
        If a column has no name, or that of another, or a line has too many or too few cells.
    """
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if not line.lstrip().startswith("#")]
    try:
        rows = list(csv.reader(io.StringIO("\n".join(lines)), skipinitialspace=True))
    except csv.Error as error:  # a cell longer than any reader takes
        raise InvalidParameter(what, "a table", "CSV", f"{error}.") from None
    head = [name.strip() for name in rows[0]] if rows else []
    if not head or not all(head) or len(set(head)) != len(head):
        advice = "" if head else "It is empty."
        raise InvalidParameter(what, ",".join(head), "CSV with columns of different names in its first line", advice)
    if len(head) == 1 and _separated(head[0]):
        raise InvalidParameter(what, head[0], "CSV with commas between its columns", _separated(head[0]))
    filled = [row for row in rows[1:] if any(cell.strip() for cell in row)]
    for number, row in enumerate(filled, 1):
        if len(row) != len(head):
            raise InvalidParameter(f"row {number}", ",".join(row), f"{len(head)} cells long, as the first line")
    return [dict(zip(head, (cell.strip() for cell in row), strict=True)) for row in filled]


def _separated(name: str) -> str:
    """What to say of a first line that is one name, since no comma separates its columns; else nothing."""
    for mark, word in ((";", "Semicolons"), ("\t", "Tabs")):
        if mark in name:
            return f"{word} separate its columns."
    return ""


def text_of(name: str, path: Path) -> str:
    """Return at most 1 MB of UTF-8; errors are of ``name``.

    Raises
    ------
    InvalidParameter
        If there is no such file, or it is longer, or no UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if not len(content) <= LARGEST:
            raise InvalidParameter(name, str(path), "at most 1 MB long")
        return content.decode()
    except OSError as error:
        raise InvalidParameter(name, str(path), "a file that can be read", f"{error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InvalidParameter(name, str(path), "text in UTF-8", f"Byte {error.start} is not.") from None


def _run(number: int, row: object, delta: float) -> Run:
    if not isinstance(row, Mapping) or not all(isinstance(name, str) for name in row):
        raise InvalidParameter(f"row {number}", row, "a mapping from names of columns")
    cells: dict[str, Any] = {name: value for name, value in row.items() if not _empty(value)}
    for name in row:
        near = get_close_matches(name, KNOWN, n=1, cutoff=0.8)
        if name not in KNOWN and near:
            raise InvalidParameter(f"row {number}", name, f"without that column, or with {near[0]}")
    try:
        return _read(number, cells, {name: str(cells.get(name, "")) for name in row if name not in KNOWN}, delta)
    except InvalidParameter as error:
        raise InvalidParameter(f"row {number}: {error.name}", error.value, error.allowed, error.advice) from None


def _read(number: int, cells: dict[str, Any], words: dict[str, str], delta: float) -> Run:
    numbers = {name: _number(name, cells[name]) for name in KNOWN[1:] if name in cells}
    rate, steps = _schedule(numbers)
    if all(name in numbers for name in _UTILITY):
        raise InvalidParameter("utility", numbers["utility"], "left out where an accuracy is given")
    useful = next((numbers[name] for name in _UTILITY if name in numbers), None)
    noise = numbers.get("noise_multiplier")
    run = Run(
        name=str(cells.get("name", number)),
        words=words,
        noise_multiplier=positive("noise_multiplier", noise),
        sample_rate=rate,
        steps=steps,
        delta=inside("delta", numbers["delta"], 0.0, 1.0) if "delta" in numbers else delta,
        stated=not_negative("epsilon", numbers["epsilon"]) if "epsilon" in numbers else None,
        utility=None if useful is None else float(reals("accuracy", useful)),
    )
    _ = run.mechanism  # whose own domains are narrower
    return run


def _schedule(numbers: dict[str, Any]) -> tuple[float, int]:
    """The rate and the steps, from the words in which they were given."""
    given, times = [n for n in _RATE if n in numbers], [n for n in _STEPS if n in numbers]
    if given not in (["sample_rate"], ["batch_size", "dataset_size"]):
        raise InvalidParameter("sample_rate", ", ".join(given) or None, "given, or batch_size and dataset_size")
    if len(times) != 1:
        raise InvalidParameter("steps", ", ".join(times) or None, "given, or epochs")
    if given == ["sample_rate"]:
        rate = numbers["sample_rate"]
        return rate, numbers["steps"] if times == ["steps"] else epoch_steps(numbers["epochs"], rate)
    batch, size = numbers["batch_size"], numbers["dataset_size"]
    if times == ["epochs"]:
        return training(batch_size=batch, dataset_size=size, epochs=numbers["epochs"])
    return batch_rate(batch, size)[0], numbers["steps"]


def _empty(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and math.isnan(value))


def _number(name: str, value: object) -> object:
    """A number as it stands, or the one that a person reads in a text; counts as people and spreadsheets write them."""
    if name in _WHOLE and isinstance(value, (float, np.floating)):
        return int(value) if float(value).is_integer() else value
    if not isinstance(value, str):
        return value
    kind = _count if name in _WHOLE else float
    if "_" in value or not value.isascii():
        raise InvalidParameter(name, value, "a number in ASCII digits")
    try:
        return kind(value)
    except ValueError:
        raise InvalidParameter(name, value, "a whole number" if kind is _count else "a number") from None


def _count(text: str) -> int:
    """A whole number, also as 10.0 or 1e6.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not number.is_integer():
            raise
        return int(number)
