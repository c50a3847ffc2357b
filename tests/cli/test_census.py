"""The command ``neyman census``: tables, files, specs, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli.main import main
from tests.cli.said import message

OWN = "level,rho,queries\ncountry,0.1,5\nregion,0.02,1\n"

ADVICE = "paste it where Markdown is shown.\n"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(OWN)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def test_tables(call: Any) -> None:
    found = ny.census.account(ny.census.read("own.csv"))
    code, out, err = call("census", "own.csv")
    assert (code, err) == (0, "")
    assert found.caption in out
    said = json.loads(call("census", "own.csv", "--json")[1])
    assert said["rows"] == [dict(row) for row in found.records()]
    own = ny.census.account(ny.census.read("own.csv", rho=1, changed=2), [1e-6, 1e-9], floor=1e-6)
    asked = ("own.csv", "--rho", "1", "--changed", "2", "--delta", "1e-6", "--delta", "1e-9", "--floor", "1e-6")
    assert call("census", *asked, "-o", "t.md") == (0, "", f"t.md: {ADVICE}")
    assert Path("t.md").read_text(encoding="utf-8") == own.markdown()
    assert call("census", *asked, "--format", "csv") == (0, own.csv(), "")


def test_the_mechanism_for_other_verbs(call: Any) -> None:
    out = call("census", "--spec")[1]
    assert ny.mechanism_from_dict(json.loads(out)) == ny.census.published("dhc-2022-08-25").mechanism()
    code, out, _ = call("census", "own.csv", "--spec")
    assert code == 0
    assert ny.mechanism_from_dict(json.loads(out)) == ny.census.read("own.csv").mechanism()
    code, out, _ = call("census", "own.csv", "--spec", "--level", "region")
    Path("region.json").write_text(out)
    code, out, _ = call("account", "region.json", "--json")
    assert code == 0
    mu = ny.account(ny.DiscreteGaussian(5.0)).mu()
    assert json.loads(out)["gdp"]["mu"]["upper"] == pytest.approx(mu, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["luck"], "ALLOCATION must be one of dhc-2022-08-25, dhc-2023, redistricting-2021, a file"),
        (["none.csv"], "ALLOCATION must be a file that can be read"),
        (["own.csv", "--level", "region"], "level must be given with --spec"),
        (["own.csv", "--spec", "--json"], "spec must be left out where a file or a format is asked for"),
        (["own.csv", "--spec", "--level", "US"], "level must be one of country, region, got 'US'."),
        (["own.csv", "--rho", "0"], "rho must be a number > 0"),
        (["own.csv", "--changed", "0"], "changed must be 1 or 2"),
        (["own.csv", "--delta", "0"], "delta must be a number in (0, 1)"),
        (["own.csv", "-o", "x.pdf"], "output must be a path that ends in"),
    ],
)  # fmt: skip
def test_words(call: Any, arguments: list[str], words: str) -> None:
    code, out, err = call("census", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"neyman: {words}")
