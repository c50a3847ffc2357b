"""The page with its own Python as a folder, for any host of plain files."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from neyman._errors import InvalidParameter
from neyman._version import __version__
from neyman.explorer.document import page
from neyman.explorer.runtime import PYODIDE, File, Release, runtime
from neyman.explorer.sources import sources

__all__ = ["PATIENCE", "write_folder"]

PATIENCE = 30  # seconds after which a question is given up: what it would take is not known before
_ENGINE = "engine"
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


def write_folder(
    directory: str | os.PathLike[str],
    data: Mapping[str, object],
    *,
    pyodide: str | os.PathLike[str],
    wheels: str | os.PathLike[str],
    release: Release = PYODIDE,
    program: bytes | None = None,
    patience: float = PATIENCE,
) -> Path:
    """Write ``index.html`` and all that it carries, or nothing.

    Parameters
    ----------
    directory : path
        A folder that is not there yet, or is empty.
    data : mapping
        What the page begins with, as for the page with a table: the table answers until Python is there.
    pyodide, wheels : path
        As ``runtime`` reads them.
    release : Release
        Of the runtime.
    program : bytes, optional
        The archive that Python imports ``neyman`` from; that of this package unless given.
    patience : float
        Seconds after which a question is given up.

    Returns
    -------
    Path
        The page. It is opened by http or https: a page that is opened as a file may not fetch what lies beside it.

    Raises
    ------
    InvalidParameter
        If the folder holds something, or the runtime is refused. Then nothing was written.
    """
    place = _free(directory)
    made = runtime(pyodide, wheels, release=release)
    own = File(f"neyman-{__version__}.zip", sources() if program is None else program)
    carried = [*made.files, own]
    manifest = {"runtime": made.name, "files": [file.to_dict() for file in carried]}
    worker = {
        "base": f"{_ENGINE}/", "program": _program(), "patience": patience, "packages": list(release.packages),
        "sources": own.name, "first": _first(), **manifest,
    }  # fmt: skip
    text = page({**data, "engine": "worker", "worker": worker}, asks=True, worker=True)
    beside = [
        File("manifest.json", (json.dumps(manifest, indent=1) + "\n").encode()),
        File("NOTICE.txt", _NOTICE.format(version=release.version).encode()),
    ]
    _write_all(place, File("index.html", text.encode()), [*carried, *beside])
    return place / "index.html"


def _free(directory: str | os.PathLike[str]) -> Path:
    """The folder, which is not there yet or empty."""
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


def _write_all(place: Path, first: File, beside: list[File]) -> None:
    """Write beside its place, and put it there once it is whole."""
    place = place.absolute()
    room = place.parent / f".{place.name}.{secrets.token_hex(8)}"
    try:
        (room / _ENGINE).mkdir(parents=True)
        for file in beside:
            (room / _ENGINE / file.name).write_bytes(file.content)
        (room / first.name).write_bytes(first.content)
        if place.exists():
            place.rmdir()  # it is empty; were it not any more, this would refuse
        room.rename(place)
    except OSError as error:
        shutil.rmtree(room, ignore_errors=True)
        raise InvalidParameter("directory", os.fspath(place), "a folder that can be written", str(error)) from error


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
