"""A user's script that touches every verb: it runs, and strict type checkers have nothing to say of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("script.py")


def test_it_runs(tmp_path: Path) -> None:
    found = subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=True)
    assert found.stderr == ""
    assert "(epsilon <= " in found.stdout
    assert (tmp_path / "report.md").is_file()


@pytest.mark.slow
def test_a_strict_type_checker_agrees(tmp_path: Path) -> None:
    """Its types are those of the package, and none of them is unknown."""
    settings = tmp_path / "pyrightconfig.json"
    root = str(SCRIPT.parents[2] / "src")
    settings.write_text(json.dumps({"include": [str(SCRIPT)], "strict": [str(SCRIPT)], "extraPaths": [root]}))
    command = [sys.executable, "-m", "pyright", "--project", str(settings), "--pythonpath", sys.executable]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "0 errors" in found.stdout, found.stdout
