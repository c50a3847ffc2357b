"""A user's script that touches every verb: it runs, and strict type checkers have nothing to say of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import neyman as ny

SCRIPT = Path(__file__).with_name("script.py")
UNSEEN = "dask distributed tornado zict IPython prompt_toolkit jedi parso pydantic pyparsing PIL pandas rich"


def test_it_runs(tmp_path: Path) -> None:
    found = subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=True)
    assert found.stderr == ""
    assert "(epsilon <= " in found.stdout
    assert (tmp_path / "report.md").is_file()


def test_it_touches_every_verb() -> None:
    """Every public name is written in it, called or annotated."""
    written = set(re.findall(r"\bny\.(\w+)", SCRIPT.read_text(encoding="utf-8")))
    assert set(ny.__all__) <= written


def test_mypy_agrees(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Strictly, and once for the whole script; what mypy knows of NumPy and the package is kept for the next run."""
    cache = getattr(request.config, "cache", None)
    kept = str(tmp_path if cache is None else cache.mkdir("mypy"))
    root = str(SCRIPT.parents[2] / "src")
    settings = tmp_path / "mypy.ini"  # whose types no public signature names, and which take a third of the time
    unseen = ",".join(f"{name}.*" for name in UNSEEN.split())
    settings.write_text(f"[mypy]\n[mypy-{unseen}]\nfollow_imports = skip\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", kept, str(SCRIPT)]
    command += ["--config-file", str(settings), "--disable-error-code", "import-untyped"]  # dp_accounting has no types
    found = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": root}, cwd=kept
    )
    assert found.stdout.startswith("Success"), found.stdout + found.stderr


@pytest.mark.slow
def test_a_strict_type_checker_agrees(tmp_path: Path) -> None:
    """Its types are those of the package, and none of them is unknown."""
    settings = tmp_path / "pyrightconfig.json"
    root = str(SCRIPT.parents[2] / "src")
    settings.write_text(json.dumps({"include": [str(SCRIPT)], "strict": [str(SCRIPT)], "extraPaths": [root]}))
    command = [sys.executable, "-m", "pyright", "--project", str(settings), "--pythonpath", sys.executable]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "0 errors" in found.stdout, found.stdout
