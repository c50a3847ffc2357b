"""Scores in files: CSV, Parquet and NPZ, read without trust."""

from __future__ import annotations

import csv
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter, MissingPackage
from neyman.audit.audit import Audit
from neyman.audit.scores import Method, from_scores

__all__ = ["from_file", "read_csv", "read_scores"]

Both = tuple[NDArray[Any], NDArray[Any]]

_SIDES = ("scores_in", "scores_out")
_ROWS = ("score", "member")
_LAYOUTS = "with the columns score and member, or scores_in and scores_out"
_YES, _NO = ("1", "1.0", "true"), ("0", "0.0", "false")
_LARGEST = 2 * 10**9  # bytes of scores, unpacked: a hundred million a side
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.IGNORECASE)
_WIDEST = 8  # bytes of a score
_LONGEST = 100_000  # characters of a header


def from_file(
    path: str | Path,
    confidence: float = 0.95,
    *,
    method: Method | None = None,
    threshold: float | None = None,
    pilot: float = 0.2,
    seed: int = 0,
    independent: bool = False,
) -> Audit:
    """Return what the scores in a file certify: ``from_scores`` of what it holds.

    Parameters
    ----------
    path : str or Path
        - ``.csv``: a header and either one row a record, with the columns ``score`` and ``member`` (1 or true: in, 0 or
          false: out), or the columns ``scores_in`` and ``scores_out``, of which the shorter ends in blanks. Other
          columns are passed over.
        - ``.parquet``: the same columns; needs ``pip install 'neyman[audit]'``.
        - ``.npz``: the arrays ``scores_in`` and ``scores_out``; pickled objects are refused.

        Numbers are written in ASCII digits, without underscores. Archives of more than 2e9 bytes once unpacked (a
        hundred million scores a side) are refused, however small they are packed.
    confidence, method, threshold, pilot, seed, independent
        As for ``from_scores``.

    Raises
    ------
    InvalidParameter
        If the file cannot be read or holds something else, or an argument is outside its domain.
    MissingPackage
        If a Parquet file is to be read without pyarrow.

    Examples
    --------
    >>> import tempfile, numpy as np, neyman as ny
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/scores.npz", scores_in=np.arange(50, 150), scores_out=np.arange(100))
    ...     audit = ny.audit.from_file(f"{folder}/scores.npz")
    >>> audit.n_in, audit.n_out, audit.mu > 0.5
    (100, 100, True)
    """
    within, outside = read_scores(path)
    return from_scores(
        within,
        outside,
        confidence,
        method=method,
        threshold=threshold,
        pilot=pilot,
        seed=seed,
        independent=independent,
    )


def read_scores(path: str | Path) -> Both:
    """Return the two arrays of scores that a file holds: see ``from_file``."""
    kinds = {".csv": _csv_file, ".parquet": _parquet, ".npz": _npz}
    source = Path(path)
    if source.suffix not in kinds or "\0" in str(source):
        raise InvalidParameter("path", str(path), "a file that ends in .csv, .parquet or .npz", topic="file")
    try:
        if source.exists() and not (source.is_file() or source.is_dir()):  # which says so itself
            raise InvalidParameter("path", str(path), "a file", "A pipe or a device may never end.", topic="file")
        return kinds[source.suffix](source)
    except OSError as error:
        raise InvalidParameter(
            "path", str(path), "a file that can be read", f"{error.strerror or error}.", topic="file"
        ) from None
    except MemoryError:
        raise InvalidParameter("path", str(path), "a file whose scores fit into memory", topic="file") from None


def read_csv(name: str, lines: IO[str]) -> Both:
    """Return the two arrays of scores that CSV text holds, of a file that can be read twice: see ``from_file``.

    Raises
    ------
    InvalidParameter
        If it holds anything else; ``name`` says of what the message speaks.
    """
    try:
        return _read_csv(name, lines)
    except UnicodeDecodeError as error:
        raise InvalidParameter("path", name, "text in UTF-8", f"{error.reason}.", topic="file") from None


def _read_csv(name: str, lines: IO[str]) -> Both:
    first = lines.readline(_LONGEST)
    if len(first) == _LONGEST:
        raise InvalidParameter(
            "path", name, "a table with a header", f"Its first line is over {_LONGEST:,} long.", topic="file"
        )
    header = [cell.strip().lower() for cell in _cells(first.lstrip("\ufeff"))]
    columns = _layout(name, header)
    places = [header.index(column) for column in columns]
    width = len(header)
    try:
        table = _table(lines, places, width, np.float64)
    except UnicodeDecodeError:
        raise
    except ValueError:  # words, or blanks: read once more as text
        lines.seek(0)
        lines.readline()
        return _from_words(name, columns, _words(name, lines, places, width))
    if not table.size:
        raise InvalidParameter("path", name, "a table with at least one row", topic="file")
    if columns == _SIDES:
        return table[:, 0], table[:, 1]
    return _by_member(name, table[:, 0], table[:, 1])


def _table(lines: IO[str], places: list[int], width: int, kind: type) -> NDArray[Any]:
    """The two columns; a row of another width than the header may hold decimal commas, and is refused."""
    rows = _plain_rows(lines, width, width > len(places), kind is str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no rows is said elsewhere
        asked: dict[str, Any] = {"delimiter": ",", "ndmin": 2, "comments": None, "dtype": kind, "quotechar": '"'}
        if width > len(places):
            return np.loadtxt(rows, usecols=places, **asked)
        found = np.loadtxt(rows, **asked)
    if found.size and found.shape[1] != width:
        raise ValueError(f"rows have {found.shape[1]} columns, the header {width}")
    return found[:, places] if found.size else found


def _plain_rows(lines: IO[str], width: int, counted: bool, words: bool) -> Iterator[str]:
    """The rows in which NumPy reads what people read: it takes 1_0 for 10, Arabic digits for ours, and drops NUL."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if "\0" in line:
            raise ValueError(f"row {number} holds the character NUL")
        if not words and ("_" in line or not line.isascii()):
            raise ValueError(f"row {number} is to be read as words")
        if counted:
            found = len(_cells(line)) if '"' in line else line.count(",") + 1
            if found != width:
                raise ValueError(f"row {number} has {found} columns, the header {width}")
        yield line


def _cells(line: str) -> list[str]:
    """The cells of one line; the quotes of a cell are taken off, and commas within them part nothing."""
    try:
        return next(csv.reader([line], skipinitialspace=True), [])
    except csv.Error as error:  # no ValueError
        raise ValueError(str(error)) from None


def _csv_file(source: Path) -> Both:
    with source.open(encoding="utf-8", newline="") as lines:
        return read_csv(str(source), lines)


def _parquet(source: Path) -> Both:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingPackage("Parquet files need pyarrow: pip install 'neyman[audit]'") from error
    try:
        about = parquet.read_metadata(source)
        columns = _layout(str(source), list(about.schema.to_arrow_schema().names))
        _bounded(source, _WIDEST * about.num_rows * len(columns))
        table = parquet.read_table(source, columns=list(columns))
        first, second = (table.column(column) for column in columns)
        if columns == _SIDES:
            first, second = first.drop_null(), second.drop_null()
        arrays = [np.asarray(column.to_numpy()) for column in (first, second)]
    except InvalidParameter:
        raise
    except (ValueError, TypeError) as error:  # pyarrow's own errors are ValueErrors too
        raise InvalidParameter("path", str(source), "a Parquet file of numbers", f"{error}.", topic="file") from None
    if columns == _SIDES:
        return arrays[0], arrays[1]
    return _by_member(str(source), arrays[0], arrays[1])


def _npz(source: Path) -> Both:
    try:
        with source.open("rb") as file:
            if zipfile.is_zipfile(file):
                _bounded(source, sum(one.file_size for one in zipfile.ZipFile(file).infolist()))
            file.seek(0)
            archive: Any = np.load(file, allow_pickle=False)
            if not isinstance(archive, Mapping):  # a lone array
                raise _refused_npz(source, "It holds one array.")
            if not set(_SIDES) <= set(archive):
                found = ", ".join(archive) or "nothing"
                raise InvalidParameter(
                    "path", str(source), "an archive of scores_in and scores_out", f"Found: {found}.", topic="file"
                )
            return archive[_SIDES[0]], archive[_SIDES[1]]
    except InvalidParameter:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise _refused_npz(source, f"{str(error).partition('.')[0]}.") from None


def _bounded(source: Path, size: int) -> None:
    if not size <= _LARGEST:
        allowed = f"a file that unpacks to at most {_LARGEST:.0e} bytes"
        raise InvalidParameter("path", str(source), allowed, f"It holds {size:.3g}.")


def _refused_npz(source: Path, advice: str) -> InvalidParameter:
    return InvalidParameter("path", str(source), "an NPZ archive of plain arrays", advice, topic="file")


def _layout(name: str, header: list[str]) -> tuple[str, str]:
    for columns in (_ROWS, _SIDES):
        if all(header.count(column) == 1 for column in columns):
            return columns
    raise InvalidParameter(
        "path", name, f"a table {_LAYOUTS}", f"Its columns are: {', '.join(header)[:200]}.", topic="file"
    )


def _words(name: str, lines: IO[str], places: list[int], width: int) -> NDArray[Any]:
    try:
        return _table(lines, places, width, str)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        advice = f"{str(error).partition(';')[0].capitalize()}."  # what follows is advice to who calls NumPy
        raise InvalidParameter(
            "path", name, "a table whose rows have the columns of its header", advice, topic="file"
        ) from None


def _from_words(name: str, columns: tuple[str, str], words: NDArray[Any]) -> Both:
    words = np.char.strip(words, " \t\r\n")
    if columns == _SIDES:
        first, second = (words[:, place][words[:, place] != ""] for place in (0, 1))
        return _numbers(name, columns[0], first), _numbers(name, columns[1], second)
    member = np.char.lower(words[:, 1])
    yes, no = np.isin(member, _YES), np.isin(member, _NO)
    _all_known(name, words[:, 1], yes | no)
    return _by_member(name, _numbers(name, columns[0], words[:, 0]), yes)


def _numbers(name: str, column: str, words: NDArray[Any]) -> NDArray[Any]:
    bad = next((str(word) for word in words if not _NUMBER.fullmatch(str(word))), None)
    if bad is not None:
        advice = f"It holds {bad[:40]!r}."
        raise InvalidParameter("path", name, f"a table of numbers in the column {column}", advice, topic="file")
    return words.astype(np.float64)


def _by_member(name: str, scores: NDArray[Any], member: NDArray[Any]) -> Both:
    _all_known(name, member, np.asarray((member == 0) | (member == 1)))
    within = member == 1
    return scores[within], scores[~within]


def _all_known(name: str, member: NDArray[Any], known: NDArray[np.bool_]) -> None:
    if not bool(np.all(known)):
        row = int(np.argmin(known))
        found = f"Row {row + 1} holds {str(member[row])!r}."
        raise InvalidParameter("path", name, "a table whose column member holds 0 and 1 only", found, topic="file")
