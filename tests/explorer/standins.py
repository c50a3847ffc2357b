"""A runtime and its wheels in a few bytes: what the builder reads, and nothing that runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from neyman.explorer.browser.runtime import LOCK, Release

__all__ = ["WHEELS", "Standins", "made"]

VERSION = "9.9.9"
WHEELS = {"numpy": "numpy-9-cp399-pyemscripten_wasm32.whl", "scipy": "scipy-9-cp399-pyemscripten_wasm32.whl"}
_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")


@dataclass
class Standins:
    """Where they are, and the release that they are of."""

    pyodide: Path
    wheels: Path
    release: Release


def made(room: Path) -> Standins:
    """Write them."""
    pyodide, wheels = room / "pyodide", room / "wheels"
    pyodide.mkdir()
    wheels.mkdir()
    for name in _FILES:
        (pyodide / name).write_text(f"a stand-in of {name}")
    for name in WHEELS.values():
        (wheels / name).write_text(f"a stand-in of {name}")
    packages = {
        name: {"file_name": file, "sha256": _digest(wheels / file), "depends": ["numpy"] if name == "scipy" else []}
        for name, file in WHEELS.items()
    }
    (pyodide / LOCK).write_text(json.dumps({"packages": packages}))
    (pyodide / "package.json").write_text(json.dumps({"name": "pyodide", "version": VERSION}))
    digests = {name: _digest(pyodide / name) for name in (*_FILES, LOCK)}
    return Standins(pyodide, wheels, Release(VERSION, digests))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
