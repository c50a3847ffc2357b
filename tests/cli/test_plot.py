"""The command ``neyman plot``: every picture of guarantees, in every form, and what is refused."""

from __future__ import annotations

import csv
import inspect
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import neyman as ny
from neyman.cli.main import main
from neyman.cli.printing.pictures import KINDS
from tests.cli.said import message

BEGINNINGS = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}
ARGUMENTS = {
    "tradeoff": ("mu:1", "epsilon:1,1e-5", "--label", "one", "--label", "other", "--title", "Two curves"),
    "roc": ("mu:1", "--scale", "linear"),
    "profile": ("mu:1", "--floor", "1e-6"),
    "privacy-loss": ("mu:1", "--direction", "remove", "--cumulative"),
    "bayes-error": ("mu:1", "mu:2"),
    "weighted-bayes-error": ("mu:1", "mu:2", "--prior", "beta:2,2"),
    "regret": ("epsilon:1,0",),
    "difference": ("epsilon:1,0",),
    "local-mu": ("epsilon:1,0",),
    "roc-tangent": ("mu:1", "--epsilon", "0.5"),
    "envelope": ("mu:1", "--of", "tradeoff", "--label", "f"),
}


@pytest.fixture
def call(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str | None = None) -> tuple[int, bytes, str]:
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as left:
            main(["plot", *arguments])
        out, err = capsysbinary.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err.decode())

    return run


LOOK = ": look at it in any browser or viewer, or include it in a text.\n"


def test_every_picture_of_guarantees_has_a_kind() -> None:
    """A picture takes guarantees where its first parameter is one, or several."""
    first = {name: next(iter(inspect.signature(getattr(ny.plot, name)).parameters), "") for name in drawn()}
    taking = {name for name, parameter in first.items() if parameter in ("guarantee", "guarantees", "a")}
    assert {name.replace("-", "_") for name in KINDS} == taking


def drawn() -> list[str]:
    return [name for name in ny.plot.__all__ if hasattr(getattr(ny.plot, name), "data")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(call: Any, kind: str) -> None:
    assert call(kind, *ARGUMENTS[kind], "-o", "a.png") == (0, b"", "a.png" + LOOK)
    assert Path("a.png").read_bytes().startswith(BEGINNINGS["png"])
    assert [path.name for path in Path().iterdir()] == ["a.png"]


@pytest.mark.parametrize("form", BEGINNINGS)
def test_forms_by_the_ending_and_the_same_bytes_again(call: Any, form: str) -> None:
    for name in ("a", "b"):
        assert call("roc", "mu:1", "-o", f"{name}.{form}") == (0, b"", f"{name}.{form}{LOOK}")
    written = Path(f"a.{form}").read_bytes()
    assert written.startswith(BEGINNINGS[form])
    assert written == Path(f"b.{form}").read_bytes()
    code, out, err = call("roc", "mu:1", "-o", "-", "--format", form)
    assert (code, out, err) == (0, written, "")


def test_a_title_makes_the_picture_higher_and_a_label_stands_in_it(call: Any) -> None:
    def size(*arguments: str) -> tuple[float, float]:
        call("roc", "mu:1", "-o", "a.svg", *arguments)
        head = Path("a.svg").read_text(encoding="utf-8").partition('viewBox="0 0 ')[2].split('"')[0]
        width, height = map(float, head.split())
        return width, height

    plain, titled = size(), size("--title", "A curve")
    assert titled[0] == plain[0]
    assert titled[1] - plain[1] == pytest.approx(0.2 * 72.0, abs=0.1)
    assert json.loads(call("roc", "mu:1", "--label", "mine", "--json")[1])["columns"]["curve"][0] == "mine"


def test_the_numbers_are_those_of_the_curve(call: Any) -> None:
    """1-GDP in closed form, within its two columns."""
    code, out, err = call("roc", "mu:1", "-o", "-", "--format", "csv")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out.decode())))
    fpr, low, high = (np.array([float(row[name]) for row in rows]) for name in ("fpr", "tpr_lower", "tpr_upper"))
    truth = stats.norm.sf(stats.norm.isf(fpr) - 1.0)
    assert np.all((low <= truth * (1.0 + 1e-9)) & (truth * (1.0 - 1e-9) <= high))
    assert np.all(high - low <= 1e-9 * high)
    call("roc", "mu:1", "-o", "a.csv")
    assert Path("a.csv").read_bytes() == out
    said = json.loads(call("roc_tangent", "mu:1", "--epsilon", "0.5", "--json")[1])
    assert (said["schema"], said["kind"], said["specs"]) == (1, "roc-tangent", ["mu:1"])
    delta = stats.norm.cdf(0.0) - np.exp(0.5) * stats.norm.cdf(-1.0)  # Balle and Wang (2018), Theorem 8
    assert said["facts"]["delta"] == pytest.approx(float(delta), rel=1e-9)
    assert len(said["columns"]["fpr"]) == len(said["columns"]["tpr_upper"])


def test_what_each_option_does(call: Any) -> None:
    def columns(*arguments: str) -> dict[str, list[Any]]:
        return json.loads(call(*arguments, "--json")[1])["columns"]

    assert min(columns("roc", "mu:1", "--floor", "1e-3")["fpr"]) == 1e-3
    assert min(columns("roc", "mu:1", "--scale", "linear")["fpr"]) == 0.0
    assert "cdf_upper" in columns("privacy-loss", "mu:1", "--cumulative")
    assert "density_upper" in columns("privacy-loss", "mu:1")
    one, other = (columns("weighted-bayes-error", "mu:1", "mu:2", *law) for law in ((), ("--prior", "beta:2,2")))
    assert one["density"] == pytest.approx([1.0] * len(one["density"]), abs=1e-12)
    assert max(other["density"]) == pytest.approx(1.5, abs=1e-3)
    assert max(columns("envelope", "mu:1")["y"][:50]) < 0.5 < max(columns("envelope", "mu:1", "--of", "tradeoff")["y"])


def test_a_mechanism_from_a_file_and_from_standard_input(call: Any) -> None:
    spec = json.dumps(ny.Gaussian(2.0).to_dict())
    Path("a.json").write_text(spec)
    one = json.loads(call("tradeoff", "a.json", "--adjacency", "replace", "--json")[1])
    assert (
        one["columns"]
        == json.loads(call("tradeoff", "-", "--adjacency", "replace", "--json", stdin=spec)[1])["columns"]
    )
    alpha, beta = one["columns"]["alpha"][1], one["columns"]["beta_lower"][1]
    assert beta == pytest.approx(float(stats.norm.cdf(stats.norm.isf(alpha) - 1.0)), rel=1e-6)  # twice the sensitivity


def test_without_a_kind_all_are_listed(call: Any) -> None:
    code, out, err = call()
    assert (code, err) == (0, "")
    lines = out.decode().splitlines()
    assert [line.split()[0] for line in lines] == list(KINDS)
    assert all(line.endswith(("(one)", "(two)", "(one or two)", "(one or more)")) for line in lines)
    assert all(line in call("-h")[1].decode() for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pie", "mu:1", "-o", "a.png"), "KIND must be one of tradeoff, roc, profile, privacy-loss, bayes-error, "),
        (("pie", "mu:1", "-o", "a.png"), ", got 'pie'. neyman plot says what each shows."),
        (("roc", "-o", "a.png"), "SPEC must be one or more for roc, got 0."),
        (("envelope", "mu:1", "mu:2", "-o", "a.png"), "SPEC must be one for envelope, got 2."),
        (("weighted-bayes-error", "mu:1", "-o", "a.png"), "SPEC must be two for weighted-bayes-error, got 1."),
        (("regret", "mu:1", "mu:2", "mu:3", "-o", "a.png"), "SPEC must be one or two for regret, got 3."),
        (
            ("roc", "mu:1", "--epsilon", "2", "-o", "a.png"),
            "--epsilon must be left out of roc: it is of roc-tangent, g",
        ),
        (("roc", "mu:1", "--cumulative", "-o", "a.png"), "--cumulative must be left out of roc: it is of privacy-loss"),
        (("roc", "mu:1"), "--output must be given: a file that ends in .png, .svg, .pdf, .csv, got None."),
        (("roc", "mu:1", "-o", "a.gif"), "output must be a path that ends in .png or .svg or .pdf or .csv, or -, got"),
        (("roc", "mu:1", "-o", "none/a.png"), "output must be in a directory that exists, got 'none/a.png'."),
        (
            ("roc", "mu:1", "-o", "a.png", "--format", "svg"),
            "--format must be left out, or png as the file is named, g",
        ),
        (("roc", "mu:1", "-o", "-", "--format", "gif"), "--format must be one of png, svg, pdf, csv, got 'gif'."),
        (("roc", "mu:1", "-o", "a.png", "--json"), "--json must be left out where a file or a format is asked for"),
        (("roc", "mu", "-o", "a.png"), "SPEC must be a report, a file as for neyman account, dpsgd:"),
        (("roc", "none.json", "-o", "a.png"), "SPEC must be a file that can be read, got 'none.json'."),
        (("roc", "-", "-", "-o", "a.png"), "SPEC must be named once, got '-'. Standard input can be read once."),
        (("roc", "mu:1", "--scale", "cubic", "-o", "a.png"), "scale must be one of "),
        (("roc", "mu:1", "--label", "a", "--label", "b", "-o", "a.png"), "labels must be "),
        (
            ("weighted-bayes-error", "mu:1", "mu:2", "--prior", "0.5", "-o", "a.png"),
            "prior must be one of uniform, jef",
        ),
    ],
)
def test_refused(call: Any, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, b"")
    assert words in err
    assert err.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_no_binary_on_a_terminal(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from neyman.cli.verbs import plot

    monkeypatch.setattr("neyman.cli.printing.output.sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(ny.InvalidParameter, match="where standard output is no terminal"):
        plot._suffix(["roc"], "-", "png", as_json=False)
    assert plot._suffix(["roc"], "-", None, as_json=False) == ".svg"
