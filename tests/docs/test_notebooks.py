"""The notebooks of examples/ run from top to bottom, come without outputs, and are listed where readers look."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import ROOT

SAID = {  # among what each prints; the page that was forged does not pass
    "ml_engineer": r"epsilon at delta 1\.0e-05: 1\.3794.*noise multiplier 0\.694",
    "privacy_officer": (
        r"\nyes\nno: .*The report holds: \d+ claims checked\n.*What it claims: Report mu = 0\.3,"
        r".*does not hold.*too low by 1\.26.*more private"
    ),
    "researcher": r"incomparable 0\.0053 and 0\.0341.*Violated at 95 %",
}
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def _cells(notebook: Path) -> list[dict[str, Any]]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


def _run(cell: str, where: str, names: dict[str, Any]) -> Any:
    """Run one cell as a kernel does; return the value of its last line, which a notebook shows."""
    tree = ast.parse(cell, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return eval(compile(ast.Expression(last.value), where, "eval"), names) if last else None


@pytest.mark.usefixtures("examined_here", "drawn_once")  # tests_browser runs them in a kernel, with all their processes
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_and_shows_pictures(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [
        _run("".join(cell["source"]), f"{notebook.name}:{cell['id']}", names)
        for cell in _cells(notebook)
        if cell["cell_type"] == "code"
    ]
    pictures = [value._repr_png_() for value in shown if hasattr(value, "_repr_png_")]
    assert len(pictures) >= 2
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert re.search(SAID[notebook.stem], capsys.readouterr().out, re.DOTALL)


def test_there_is_one_for_each_user_and_the_page_lists_it() -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert [p.stem for p in NOTEBOOKS] == sorted(SAID)
    assert all(f"(notebooks/{p.name})" in page for p in NOTEBOOKS)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_small_and_has_no_outputs(notebook: Path) -> None:
    assert notebook.stat().st_size < 20_000
    for cell in _cells(notebook):
        assert cell["id"]
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
