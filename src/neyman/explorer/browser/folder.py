"""The page with its own Python as a folder, for any host of plain files."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from neyman._errors import InvalidParameter
from neyman._version import __version__
from neyman.explorer.browser.runtime import File, Runtime
from neyman.explorer.browser.sources import sources
from neyman.explorer.page.document import page

__all__ = ["PATIENCE", "Carried", "carried", "free_folder", "write_folder"]

PATIENCE = 30  # seconds after which a question is given up: what it would take is not known before
_NOTICE = """These files are of others, and unchanged: the digests of manifest.json are those of their releases.

pyodide.mjs, pyodide.asm.mjs, pyodide.asm.wasm, pyodide-lock.json: Pyodide {version}, MPL-2.0, source and licence at
https://github.com/pyodide/pyodide (tag {version}).
python_stdlib.zip: CPython's standard library, PSF-2.0, https://www.python.org.
*.whl: their licences are in them, below *.dist-info.
neyman-*.zip: neyman, Apache-2.0.
"""
# a small question whose answer passes contours, certificates and rounding
_FIRST: Mapping[str, object] = {
    "v": 1, "ask": "promise",
    "settings": {"kind": "dpsgd", "noise_multiplier": 1, "sample_rate": 0.01, "steps": 1000, "sampling": "poisson"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Carried:
    """The page, and what it fetches from ``base`` beside it."""

    page: str
    base: str
    files: tuple[File, ...]


def carried(
    data: Mapping[str, object],
    made: Runtime,
    *,
    base: str = "engine/",
    program: bytes | None = None,
    patience: float = PATIENCE,
) -> Carried:
    """Return the page with its own Python.

    Parameters
    ----------
    data : mapping
        What the page begins with, as for the page with a table: the table answers until Python is there.
    made : Runtime
        What ``runtime`` read.
    base : str
        Where the files lie, seen from the page.
    program : bytes, optional
        The archive that Python imports ``neyman`` from; that of this package unless given.
    patience : float
        Seconds after which a question is given up.
    """
    own = File(f"neyman-{__version__}.zip", sources() if program is None else program)
    files = (*made.files, own)
    manifest = {"runtime": made.name, "files": [file.to_dict() for file in files]}
    worker = {
        "base": base, "program": _program(), "patience": patience, "packages": list(made.release.packages),
        "sources": own.name, "first": _first(), **manifest,
    }  # fmt: skip
    text = page({**data, "engine": "worker", "worker": worker}, asks=True, worker=True)
    told = File("manifest.json", (json.dumps(manifest, indent=1) + "\n").encode())
    notice = File("NOTICE.txt", _NOTICE.format(version=made.release.version).encode())
    return Carried(text, base, (*files, told, notice))


def write_folder(directory: str | os.PathLike[str], what: Carried) -> Path:
    """Write ``index.html`` and all that it carries, or nothing.

    Parameters
    ----------
    directory : path
        A folder that is not there yet, or is empty.
    what : Carried

    Returns
    -------
    Path
        The page. It is opened by http or https: a page that is opened as a file may not fetch what lies beside it.

    Raises
    ------
    InvalidParameter
        If the folder holds something, or cannot be written. Then nothing was written.
    """
    place = free_folder(directory).absolute()
    room = place.parent / f".{place.name}.{secrets.token_hex(8)}"
    try:
        (room / what.base).mkdir(parents=True)
        for file in what.files:
            (room / what.base / file.name).write_bytes(file.content)
        (room / "index.html").write_bytes(what.page.encode())
        if place.exists():
            place.rmdir()  # it is empty; were it not any more, this would refuse
        room.rename(place)
    except OSError as error:
        shutil.rmtree(room, ignore_errors=True)
        words = f"{error.strerror}: nothing was written."
        raise InvalidParameter("directory", os.fspath(directory), "a folder that can be written", words) from error
    return Path(directory) / "index.html"


def free_folder(directory: str | os.PathLike[str]) -> Path:
    """Return the folder, which is not there yet or empty.

    Raises
    ------
    InvalidParameter
        If it holds something, or there is no place for it.
    """
    allowed = "a folder that is not there yet, or is empty"
    if not isinstance(directory, (str, os.PathLike)) or not str(directory) or "\0" in str(directory):
        raise InvalidParameter("directory", directory, allowed)
    place = Path(directory)
    shown = os.fspath(place)
    if not place.absolute().parent.is_dir():
        raise InvalidParameter("directory", shown, allowed, "The folder that it would lie in is not there.")
    if place.is_symlink() or (place.exists() and not (place.is_dir() and not any(place.iterdir()))):
        raise InvalidParameter("directory", shown, allowed, "Nothing is written over: remove it, or name another.")
    return place


@cache
def _program() -> str:
    return (files("neyman.explorer") / "page" / "worker.js").read_text(encoding="utf-8")


def _first() -> dict[str, Any]:
    """A question, and between which numbers its answers lie: what is certified elsewhere cannot lie beside them."""
    from neyman.explorer.answers import answer

    numbers = cast("dict[str, dict[str, Any]]", answer(dict(_FIRST))["numbers"])
    brackets = {
        name: [number["lower"], number["upper"]]
        for name, number in numbers.items()
        if number["lower"] is not None and number["upper"] is not None
    }
    return {"question": _FIRST, "brackets": brackets}
