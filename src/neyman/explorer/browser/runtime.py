"""The Python that runs in a browser: one release of Pyodide, and the wheels its lock file names, byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neyman._errors import InvalidParameter

__all__ = ["LOCK", "PYODIDE", "File", "Release", "Runtime", "runtime"]

LOCK = "pyodide-lock.json"
_LARGEST = 200_000_000  # bytes of one file: the largest there is has 20 million
_HOW = "npm install pyodide@{version} --ignore-scripts makes one: node_modules/pyodide."
_WHERE = (
    "No registry has them: they are in the full distribution of Pyodide {version} (pyodide-{version}.tar.bz2 among "
    "its releases)."
)


@dataclass(frozen=True, slots=True)
class Release:
    """One release of the npm package ``pyodide``: the SHA-256 of what is taken of it, and what runs in it."""

    version: str
    digests: Mapping[str, str]
    packages: tuple[str, ...] = ("numpy", "scipy")


# read from the package as npm has it, whose own integrity is
# sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==
PYODIDE = Release(
    "314.0.7",
    {
        "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
        "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
        "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
        "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
        LOCK: "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
    },
)


@dataclass(frozen=True, slots=True)
class File:
    """A file that the page carries with it."""

    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        """Its digest, in hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()

    def to_dict(self) -> dict[str, object]:
        """Return what the page knows of it before it has it."""
        return {"name": self.name, "bytes": len(self.content), "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Runtime:
    """A release with its wheels. Every file is the one that the release, or its lock file, names."""

    release: Release
    files: tuple[File, ...]

    @property
    def name(self) -> str:
        """What it is called on the page."""
        return f"Pyodide {self.release.version}"


def runtime(pyodide: str | os.PathLike[str], wheels: str | os.PathLike[str], *, release: Release = PYODIDE) -> Runtime:
    """Read the runtime, and refuse whatever is not the file that is meant.

    Parameters
    ----------
    pyodide : path
        The folder of npm's package ``pyodide``, unpacked: ``node_modules/pyodide``.
    wheels : path
        A folder with the wheels of NumPy and SciPy that the lock file of that package names; what else is in it is
        not looked at.
    release : Release, default Pyodide 314.0.7

    Raises
    ------
    InvalidParameter
        If one of them is no folder, of another release, or a file in it is missing or another one.

    Examples
    --------
    >>> runtime("node_modules/nothing", "wheels")
    Traceback (most recent call last):
        ...
    neyman._errors.InvalidParameter: pyodide must be a folder, the npm package pyodide 314.0.7, got
    'node_modules/nothing'. npm install pyodide@314.0.7 --ignore-scripts makes one: node_modules/pyodide.
    More: neyman help invalid-parameter
    """
    place = _folder("pyodide", pyodide, f"the npm package pyodide {release.version}", _HOW, release)
    _check_version(place, release)
    own = tuple(_read("pyodide", place, name, digest, _HOW, release) for name, digest in release.digests.items())
    locked = _locked(next(file.content for file in own if file.name == LOCK), release)
    words = f"with {' and '.join(locked)}"
    room = _folder("wheels", wheels, words, _WHERE, release)
    lacking = [name for name in locked if not (room / name).is_file()]
    if lacking:
        raise InvalidParameter(
            "wheels", os.fspath(wheels), f"a folder {words}",
            f"It lacks {' and '.join(lacking)}. {_WHERE.format(version=release.version)}",
        )  # fmt: skip
    return Runtime(release, own + tuple(_read("wheels", room, *wheel, _WHERE, release) for wheel in locked.items()))


def _folder(name: str, path: str | os.PathLike[str], words: str, advice: str, release: Release) -> Path:
    allowed = f"a folder, {words}" if name == "pyodide" else f"a folder {words}"
    if not isinstance(path, (str, os.PathLike)) or not str(path) or "\0" in str(path) or not Path(path).is_dir():
        shown = os.fspath(path) if isinstance(path, os.PathLike) else path
        raise InvalidParameter(name, shown, allowed, advice.format(version=release.version))
    return Path(path)


def _check_version(place: Path, release: Release) -> None:
    """Say which release it is, before its files are found to be others."""
    try:
        told: Any = json.loads((place / "package.json").read_text(encoding="utf-8"))
        found = f"{told['name']} {told['version']}"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        found = "a folder whose package.json says neither"
    if found != f"pyodide {release.version}":
        how = _HOW.format(version=release.version)
        raise InvalidParameter("pyodide", found, f"the npm package pyodide {release.version}", how)


def _read(name: str, place: Path, file: str, digest: str, advice: str, release: Release) -> File:
    path = place / file
    how = advice.format(version=release.version)
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidParameter(name, f"a {file} of {path.stat().st_size:,} bytes", "the folder as it was made", how)
        found = File(file, path.read_bytes())
    except OSError as error:
        words = f"{error.strerror}: {file}. {how}"
        raise InvalidParameter(name, os.fspath(place), f"a folder whose {file} can be read", words) from error
    if found.sha256 != digest:
        raise InvalidParameter(name, found.sha256, f"a folder whose {file} has SHA-256 {digest}", how)
    return found


def _locked(content: bytes, release: Release) -> dict[str, str]:
    """The wheels that the lock file asks for, those that others rest on first: file name to SHA-256."""
    known: Mapping[str, Mapping[str, Any]] = json.loads(content)["packages"]
    wanted: dict[str, str] = {}

    def want(package: str) -> None:
        for other in known[package]["depends"]:
            want(other)
        wanted[known[package]["file_name"]] = known[package]["sha256"]

    for package in release.packages:
        want(package)
    return wanted
