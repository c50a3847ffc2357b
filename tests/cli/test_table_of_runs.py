"""The command ``neyman table``: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli.main import main
from tests.cli.said import message

RUNS = "name,noise_multiplier,sample_rate,steps,epsilon,accuracy\na,2.0,0.1,400,8,70\nb,3.0,0.1,400,1,60\n"

ADVICE = {
    "t.csv": "read it with any spreadsheet, pandas or an editor.\n",
    "t.md": "paste it where Markdown is shown.\n",
    "t.tex": "include it in a text: \\input{t.tex}, with \\usepackage{booktabs}.\n",
}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)
    Path("runs.csv").write_text(RUNS)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["table", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def test_for_people_and_for_programs(call: Any) -> None:
    code, out, err = call("runs.csv", "--baseline", "b")
    assert (code, err) == (1, "")  # what was stated of the second does not hold
    found = ny.table("runs.csv", baseline="b")
    assert all(column.title in out for column in found.columns)
    assert found.caption in out
    code, out, _ = call("runs.csv", "--baseline", "b", "--json")
    said = json.loads(out)
    assert said["rows"] == [dict(row) for row in found.records()]
    assert said["sides"]["epsilon"] == "at most"
    assert [row["stated_holds"] for row in said["rows"]] == [True, False]
    same = json.loads(call("runs.csv", "--baseline", "dpsgd:3,0.1,400", "--json")[1])
    assert same["rows"] == said["rows"]


def test_files(call: Any) -> None:
    found = ny.table("runs.csv", delta=1e-6)
    for name, text in (("t.csv", found.csv()), ("t.md", found.markdown()), ("t.tex", found.latex())):
        assert call("runs.csv", "--delta", "1e-6", "-o", name) == (1, "", f"{name}: {ADVICE[name]}")
        assert Path(name).read_text(encoding="utf-8") == text
        code, out, _ = call("runs.csv", "--delta", "1e-6", "--format", name[2:])
        assert (code, out) == (1, text)
    code, out, _ = call("runs.csv", "-o", "-")
    assert len(list(csv.DictReader(io.StringIO(out)))) == 2


def test_a_run_that_is_refused_costs_no_other(call: Any) -> None:
    Path("runs.csv").write_text("name,noise_multiplier,sample_rate,steps\na,2,1,4\nb,1,0.001,1000\n")
    code, out, err = call("runs.csv", "--tolerance", "1e-12")
    assert (code, err) == (3, "")
    lines = out.splitlines()
    assert any(line.startswith("b is not certified: epsilon(1e-05) is certified only to lie in [") for line in lines)
    assert not any(line.startswith("a is not") for line in lines)
    (row,) = [line.split() for line in lines if line.startswith(" a ")]
    assert float(row[7]) == pytest.approx(1.0, abs=1e-9)  # mu of four Gaussians at sigma 2
    code, out, _ = call("runs.csv", "--tolerance", "1e-12", "--format", "csv")
    assert code == 3
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [bool(row["mu"]) for row in rows] == [True, False]
    assert rows[1]["refused"].startswith("epsilon(1e-05) is certified only")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv"], "RUNS must be a file that can be read, got 'none.csv'."),
        (["runs.csv", "--baseline", "c"], "baseline must be the name of a run: a, b, got 'c'."),
        (["runs.csv", "--baseline", "dpsgd:1"], "sample_rate must be given in exactly one way: sample_rate, or"),
        (["runs.csv", "--delta", "1"], "delta must be a number in (0, 1), got 1.0."),
        (["runs.csv", "--format", "pdf"], "format must be one of csv, md, tex, got 'pdf'."),
        (["runs.csv", "-o", "t.pdf"], "output must be a path that ends in .csv or .md or .tex, or -, got 't.pdf'."),
        (["runs.csv", "-o", "t.md", "--format", "tex"], "format must be left out, or md as the file is named"),
        (["runs.csv", "-o", "t.md", "--json"], "json must be left out where a file or a format is asked for"),
    ],
)  # fmt: skip
def test_words(call: Any, arguments: list[str], words: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"neyman: {words}")
    assert not Path("t.md").exists()
