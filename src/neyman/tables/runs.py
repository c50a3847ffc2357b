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
from neyman.mechanisms.sampled.training import batch_rate, epoch_steps, rate_of
from neyman.understanding.number_text import number as read_number
from neyman.understanding.number_text import rounded, whole_number

__all__ = ["KNOWN", "MOST_RUNS", "Run", "read_csv", "runs_of", "text_of"]

MOST_RUNS = 10_000  # of a table at most
LARGEST = 10**6  # bytes of a file
_RATE = ("sample_rate", "batch_size", "dataset_size")
_STEPS = ("steps", "epochs")
_UTILITY = ("accuracy", "utility")
KNOWN = ("name", "noise_multiplier", *_RATE, *_STEPS, "delta", "epsilon", *_UTILITY)
_PRIVATE = ("noise_multiplier", *_RATE, *_STEPS, "delta", "epsilon")  # what privacy rests on
_WHOLE = ("batch_size", "dataset_size", "steps")
_EXACT = ("sample_rate", "epochs")  # rounded where they are used, each to its safe side


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
        raise InvalidParameter("runs", source, "the path of a CSV file, or a list of mappings, one a run", topic="file")
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
        raise InvalidParameter(what, "a table", "CSV", f"{error}.", topic="file") from None
    head = [name.strip() for name in rows[0]] if rows else []
    if not head or not all(head) or len(set(head)) != len(head):
        advice = "" if head else "It is empty."
        raise InvalidParameter(
            what, ",".join(head), "CSV with columns of different names in its first line", advice, topic="file"
        )
    if len(head) == 1 and _separated(head[0]):
        raise InvalidParameter(what, head[0], "CSV with commas between its columns", _separated(head[0]), topic="file")
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
            raise InvalidParameter(name, str(path), "at most 1 MB long", topic="file")
        return content.decode()
    except OSError as error:
        raise InvalidParameter(name, str(path), "a file that can be read", f"{error.strerror}.", topic="file") from None
    except UnicodeDecodeError as error:
        raise InvalidParameter(name, str(path), "text in UTF-8", f"Byte {error.start} is not.", topic="file") from None


def _run(number: int, row: object, delta: float) -> Run:
    if not isinstance(row, Mapping) or not all(isinstance(name, str) for name in row):
        raise InvalidParameter(f"row {number}", row, "a mapping from names of columns")
    cells: dict[str, Any] = {name: value for name, value in row.items() if not _empty(value)}
    _refuse_other_words(f"row {number}", list(row), cells)
    for name in row:
        near = get_close_matches(name, KNOWN, n=1, cutoff=0.8)
        if name not in KNOWN and near:
            raise InvalidParameter(f"row {number}", name, f"without that column, or with {near[0]}")
    try:
        return _read(number, cells, {name: str(cells.get(name, "")) for name in row if name not in KNOWN}, delta)
    except InvalidParameter as error:
        raise error.called(f"row {number}: {error.name}") from None


def _refuse_other_words(row: str, names: list[str], cells: Mapping[str, Any]) -> None:
    """Refuse columns whose words are those of another library, where what they mean is not told otherwise: taken for
    notes they would say nothing, and taken for numbers perhaps not what was meant.
    """
    from neyman._guesses import other_words  # read where a column has another name

    told = {"noise_multiplier", "delta", "epsilon"} & cells.keys()
    told |= set(_RATE) if {"sample_rate", "batch_size"} & cells.keys() else set()
    told |= set(_STEPS) if set(_STEPS) & cells.keys() else set()
    meant = other_words(
        [name for name in names if name not in KNOWN], tuple(one for one in _PRIVATE if one not in told)
    )
    if not meant:
        return
    line = ",".join(meant.get(name, name) for name in names)
    first = next(iter(meant))
    raise InvalidParameter(
        f"{row}: column {first}", cells.get(first), f"named {meant[first]}", f"The first line then: {line}"
    )


def _read(number: int, cells: dict[str, Any], words: dict[str, str], delta: float) -> Run:
    numbers = {name: _number(name, cells[name]) for name in KNOWN[1:] if name in cells}
    rate, steps = _schedule(numbers)
    if all(name in numbers for name in _UTILITY):
        raise InvalidParameter("utility", numbers["utility"], "left out where an accuracy is given")
    useful = next((numbers[name] for name in _UTILITY if name in numbers), None)
    noise = numbers.get("noise_multiplier")
    if noise is None:
        columns = ", ".join((*cells, *(name for name in words if name not in cells)))
        raise InvalidParameter("noise_multiplier", None, "given in each row", f"The columns filled here: {columns}.")
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
        return rate_of(rate).value, numbers["steps"] if times == ["steps"] else epoch_steps(numbers["epochs"], rate)
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
    whole = name in _WHOLE
    if "_" in value or not value.isascii():
        raise InvalidParameter(name, value, "a number in ASCII digits")
    try:
        if whole:
            return whole_number(value.strip())
        found = read_number(value.strip())
    except ValueError:
        allowed = "a whole number" if whole else "a number, such as 0.01, 1/100 or 1%"
        raise InvalidParameter(name, value, allowed) from None
    return found if name in _EXACT else rounded(found, "down")  # least noise, and least epsilon that was stated
