"""Stand-ins for what no registry has: wheels that are called NumPy and SciPy and hold neither, and a neyman that says
what the native one answered when it was made. The runtime around them is the real one; no number is computed in it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from neyman.explorer import Answers
from neyman.explorer.browser.runtime import LOCK, PYODIDE, Release
from neyman.explorer.tables.stops import Stops
from neyman.explorer.tables.table import table_of

__all__ = ["FIRST", "OTHER", "natively", "pretender", "release_of", "small_table", "stand_in_wheels"]

FIRST = {"kind": "dpsgd", "noise_multiplier": 1, "sample_rate": 0.01, "steps": 1000, "sampling": "poisson"}
OTHER = {"kind": "gaussian", "noise_multiplier": 1}
_ANSWERS = '''
import json, time

TOLD = json.loads({told!r})

def refusal(kind, error, parameter=None, allowed=""):
    return dict(v=1, ok=False, kind=kind, error=error, parameter=parameter, allowed=allowed)

class Answers:
    def __call__(self, question):
        """What a few questions are answered by, is told by their noise."""
        settings = question["settings"]
        noise = str(settings.get("noise_multiplier"))
        if noise == "7":
            raise RuntimeError("a fault that nobody foresaw")
        if noise == "8":
            while True:
                pass
        if noise == "9":
            return elsewhere()
        if noise == "10":
            import ctypes
            ctypes.string_at(1 << 31, 1 << 20)
        if noise.startswith("-"):
            return refusal("invalid", "noise_multiplier must be a finite number > 0.", "noise_multiplier", "> 0")
        found = TOLD[0 if settings["kind"] == "dpsgd" else 1]
        return {{**found, "settings": settings}}

def elsewhere():
    import js, numpy
    asked = js.XMLHttpRequest.new()
    asked.open("GET", numpy.ELSEWHERE, False)
    try:
        asked.send()
    except Exception as error:
        return refusal("invalid", "elsewhere: " + type(error).__name__)
    return refusal("invalid", "elsewhere: " + asked.responseText)
'''


def pretender(told: list[dict[str, Any]]) -> bytes:
    """Return a package of the name of neyman that answers what it was told."""
    made = {
        "neyman/__init__.py": "",
        "neyman/explorer/__init__.py": "",
        "neyman/explorer/answers.py": _ANSWERS.format(told=json.dumps(told)),
    }
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w") as archive:
        for name, text in made.items():
            archive.writestr(name, text)
    return room.getvalue()


def natively() -> list[dict[str, Any]]:
    """Return what the native engine answers to two settings."""
    native: Any = Answers()
    return [native({"v": 1, "ask": "promise", "settings": settings}) for settings in (FIRST, OTHER)]


def small_table() -> dict[str, Any]:
    """Return a table of eight settings."""
    return table_of(Stops(("0.8", "1"), ("0.005", "0.01"), ("500", "1000"), ("0.01", "1e-5", "1e-8")), progress=False)


def stand_in_wheels(room: Path, runtime: Path, elsewhere: str = "") -> dict[str, str]:
    """Write pure wheels under the names in the lock file; return their digests, which are others."""
    lock = json.loads((runtime / LOCK).read_text(encoding="utf-8"))["packages"]
    found: dict[str, str] = {}
    for package in PYODIDE.packages:
        entry = lock[package]
        content = _wheel(package, entry["version"], f"ELSEWHERE = {elsewhere!r}\n")
        (room / entry["file_name"]).write_bytes(content)
        found[package] = hashlib.sha256(content).hexdigest()
    return found


def release_of(runtime: Path, copy: Path, digests: dict[str, str]) -> Release:
    """Copy the runtime, and put other digests into its lock file; return the release that this is."""
    shutil.copytree(runtime, copy)
    lock = json.loads((copy / LOCK).read_text(encoding="utf-8"))
    for package, digest in digests.items():
        lock["packages"][package]["sha256"] = digest
    (copy / LOCK).write_text(json.dumps(lock), encoding="utf-8")
    own = hashlib.sha256((copy / LOCK).read_bytes()).hexdigest()
    return replace(PYODIDE, digests={**PYODIDE.digests, LOCK: own})


def _wheel(package: str, version: str, text: str) -> bytes:
    info = f"{package}-{version}.dist-info"
    made = {
        f"{package}/__init__.py": f"# a stand-in of tests: no {package} is in it\n{text}",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{name},sha256={_encoded(body)},{len(body.encode())}" for name, body in made.items()]
    made[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""])
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w") as archive:
        for name, body in made.items():
            archive.writestr(name, body)
    return room.getvalue()


def _encoded(body: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(body.encode()).digest()).decode().rstrip("=")
