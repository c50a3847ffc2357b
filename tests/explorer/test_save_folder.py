"""``Explorer.save_folder`` and ``neyman explore --browser``: what is refused before anything is computed; the rest."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import neyman as ny
from neyman import InvalidParameter
from neyman.cli.main import app
from neyman.explorer import exploring
from neyman.explorer.browser import runtime as room
from neyman.explorer.tables.stops import Stops
from tests.explorer.standins import WHEELS, Standins, made


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Standins:
    """Stand-ins for the runtime, and for the table, which takes long."""

    def table(stops: Stops, workers: int, progress: bool | None) -> dict[str, Any]:
        return {"axes": {"noise_multiplier": stops.noise, "steps": stops.steps}}

    found = made(tmp_path)
    monkeypatch.setattr(room, "runtime", partial(room.runtime, release=found.release))
    monkeypatch.setattr(exploring, "table_of", table)
    return found


def _data(page: Path) -> dict[str, Any]:
    text = page.read_text(encoding="utf-8")
    return json.loads(text.split('id="neyman-explorer">')[1].split("</script>")[0])


def test_the_page_begins_with_what_was_handed_over(there: Standins, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ny.explore("dpsgd:1.3,0.01,700").save_folder(out, pyodide=there.pyodide, wheels=there.wheels)
    data = _data(out / "index.html")
    assert (data["engine"], data["given"]) == ("worker", [])
    assert (data["start"]["noise_multiplier"], data["start"]["steps"]) == (1.3, 700)
    assert "1.3" in data["table"]["axes"]["noise_multiplier"]
    assert "700" in data["table"]["axes"]["steps"]


@pytest.mark.parametrize("subject", ["laplace:2", ny.Gaussian(2.0).allocated(100) ** 3])
def test_any_mechanism_with_controls_may_be_first(there: Standins, tmp_path: Path, subject: Any) -> None:
    out = tmp_path / "out"
    ny.explore(subject).save_folder(out, pyodide=there.pyodide, wheels=there.wheels)
    data = _data(out / "index.html")
    assert data["start"]["kind"] == ("laplace" if subject == "laplace:2" else "dpsgd")
    assert "1000" in data["table"]["axes"]["steps"]  # of the usual settings: there is no table of these


@pytest.mark.parametrize("subjects", [["mu:1"], ["dpsgd:1,0.01,700", "laplace:2"]])
def test_what_no_controls_can_set_is_refused(there: Standins, tmp_path: Path, subjects: list[str]) -> None:
    page = ny.explore(*subjects)
    with pytest.raises(InvalidParameter) as caught:
        page.save_folder(tmp_path / "out", pyodide=there.pyodide, wheels=there.wheels)
    assert str(caught.value) == (
        f"subject must be a mechanism that has controls, one of them, got '{', '.join(subjects)}'. "
        "Served, the page explores anything; in a folder it knows what its controls can set."
    )
    assert not (tmp_path / "out").exists()


def test_refusals_come_before_the_table(there: Standins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "table_of", pytest.fail)
    (there.wheels / WHEELS["scipy"]).unlink()
    with pytest.raises(InvalidParameter, match=f"It lacks {WHEELS['scipy']}"):
        ny.explore().save_folder(tmp_path / "out", pyodide=there.pyodide, wheels=there.wheels)
    with pytest.raises(InvalidParameter, match="Nothing is written over"):
        ny.explore().save_folder(tmp_path, pyodide=there.pyodide, wheels=there.wheels)
    assert not (tmp_path / "out").exists()


def test_the_command_writes_it(there: Standins, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    where = ["--pyodide", str(there.pyodide), "--wheels", str(there.wheels)]
    found = CliRunner().invoke(app, ["explore", "dpsgd:1.3,0.01,700", "--browser", out, *where])
    assert (found.exit_code, found.stdout) == (0, "")
    assert found.stderr == f"{out}: any host of plain files serves it, such as: python -m http.server -d {out}\n"
    assert _data(Path(out) / "index.html")["start"]["noise_multiplier"] == 1.3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--browser", "out"],
            "--wheels must be given with --browser, got None. It holds the wheels of NumPy and SciPy",
        ),
        (
            ["--browser", "out", "--wheels", "w", "-o", "a.html"],
            "--output must be left out with --browser, got 'a.html'",
        ),
        (["--browser", "out", "--wheels", "w", "--json"], "--json must be left out with --browser, got True"),
        (["--wheels", "w"], "--wheels must be left out without --browser, got 'w'"),
        (["--pyodide", "p"], "--pyodide must be left out without --browser, got 'p'"),
        (["--browser", "out", "--wheels", "w", "--pyodide", "p"], "pyodide must be a folder, the npm package pyodide"),
    ],
)
def test_the_command_refuses(options: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, ["explore", *options])
    assert isinstance(found.exception, InvalidParameter)
    assert str(found.exception).startswith(words)
    assert list(tmp_path.iterdir()) == []
