"""``neyman explore``: a page that is served, written, or answered in JSON."""

from __future__ import annotations

import io
import json
import sys
import webbrowser
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli import exits
from neyman.cli.main import main
from neyman.explorer import Explorer, exploring
from neyman.explorer.tables.stops import Stops
from tests.cli.said import message

RUN = "dpsgd:1,0.01,100"
SCORES = Path(__file__).parents[2] / "examples" / "scores.csv"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["explore", *map(str, arguments)])
        assert isinstance(left.value.code, int)
        return (left.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is asked of pages: they are interrupted at once."""
    seen: list[Any] = []

    def wait(page: Explorer) -> None:
        seen.append(page._data)
        raise KeyboardInterrupt

    monkeypatch.setattr(Explorer, "wait", wait)
    monkeypatch.setattr(webbrowser, "open", lambda url: seen.append(url) is None)
    return seen


def test_it_prints_its_address_and_opens_it(call: Any, served: list[Any]) -> None:
    code, out, err = call(RUN, "laplace:1")
    url, data = served
    assert (code, out) == (exits.OK, f"{url}\n")
    assert err.split() == ["Ctrl-C", "ends", "it."]
    assert [one["label"] for one in data["given"]] == [RUN, "laplace:1"]


def test_it_opens_nothing_where_that_is_said(call: Any, served: list[Any]) -> None:
    assert call("--no-open")[0] == exits.OK
    assert len(served) == 1
    assert served[0]["given"] == []


def test_no_browser_is_said(call: Any, served: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert "No browser was found here" in call()[2]


def test_an_audit_is_laid_over_it(call: Any, served: list[Any]) -> None:
    assert call("mu:1", "--audit", SCORES, "--confidence", "0.99", "--no-open")[0] == exits.OK
    assert served[0]["audit"]["confidence"] == 0.99
    assert len(served[0]["audit"]["fpr"]) > 10


def test_the_first_answer_in_json(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = call(RUN, "--json")
    assert (code, err) == (exits.OK, "")
    found = json.loads(out)
    assert found["numbers"]["mu"]["value"] == pytest.approx(ny.account(RUN).mu(), rel=1e-9)
    spec = json.dumps(ny.Laplace(2.0).to_dict()).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(spec)))
    assert json.loads(call("-", "--json")[1])["settings"] == {"kind": "laplace", "scale": 2.0, "count": 1}


def test_a_file(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = Stops(("1",), ("0.01",), ("100",), ("1e-5",))
    monkeypatch.setattr(exploring.Stops, "around", classmethod(lambda *_: few))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    path = tmp_path / "page.html"
    code, out, err = call(RUN, "-o", path)
    assert (code, out) == (exits.OK, "")
    assert err == f"{path}: open it in any browser: it works alone, asks nobody, and may be handed over.\n"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code, out, err = call(RUN, "-o", "-")
    assert (code, err) == (exits.OK, "")
    assert out == path.read_text(encoding="utf-8")


def test_a_file_has_a_fine_table_and_is_seen_to_be_made(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, asked = Stops(("1", "2"), ("0.01",), ("100", "200"), ("1e-5",)), list[Any]()
    monkeypatch.setattr(exploring.Stops, "around", classmethod(lambda *told: asked.append(told[2:]) or few))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr("neyman._progress.PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    code, out, err = call(RUN, "-o", tmp_path / "page.html")
    assert (code, out, asked) == (exits.OK, "", [(True,)])
    assert "4/4" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["luck"], "SPEC must be a file"),
        (["--port", "70000"], "port must be a whole number from 0 to"),
        (["laplace:1", "-o", "page.html"], "subject must be DP-SGD in Poisson samples, one of them, got 'laplace:1'"),
        ([RUN, RUN, "-o", "page.html"], "subject must be DP-SGD in Poisson samples, one of them"),
        ([RUN, "-o", "page.txt"], "output must be a path that ends in .html"),
        ([RUN, "-o", "nowhere/page.html"], "output must be in a directory that exists"),
        ([RUN, "-o", "page.html", "--json"], "--output must be left out with --json"),
        (["--confidence", "0.9"], "--confidence must be left out without --audit"),
        (["--audit", "nothing.csv"], "SCORES must be"),
    ],
)
def test_refusals(call: Any, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = call(*arguments)
    assert (code, out) == (exits.BAD_INPUT, "")
    assert said in message(err)
    assert message(err).count("\n") == 1
    assert [*tmp_path.iterdir()] == []
