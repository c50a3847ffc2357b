"""The command ``neyman convert``: every source, every target, and what it refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman.cli.main import main
from tests.cli.said import message
from tests.effort import rest_slow


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)
    Path("rdp.csv").write_text("order, epsilon\n2,1\n4,2\n8,4\n")
    Path("one.csv").write_text("order, epsilon\n2,1\n")
    Path("pairs.csv").write_text("epsilon,delta,remark\n0,0.4,a\n1,0.1,b\n4,1e-6,c\n")
    Path("curve.csv").write_text("alpha,beta\n0,1\n0.25,0.25\n1,0\n")
    Path("m.json").write_text(json.dumps({"schema": 1, "kind": "gaussian", "sigma": 2.0, "sensitivity": 1.0}))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["convert", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


TABLE = {
    0.1: (".03", ".03", ".02"), 0.5: (".14", ".12", ".09"), 1.0: (".27", ".24", ".18"), 2.0: (".50", ".45", ".35"),
    4.0: (".92", ".84", ".67"), 6.0: ("1.31", "1.20", ".97"), 8.0: ("1.67", "1.53", "1.26"),
    10.0: ("2.00", "1.85", "1.54"),
}  # fmt: skip


@pytest.mark.parametrize("epsilon", TABLE)
@pytest.mark.parametrize(("delta", "column"), [("1e-5", 0), ("1e-6", 1), ("1e-9", 2)])
def test_the_published_table_of_mu(call: Any, epsilon: float, delta: str, column: int) -> None:
    code, out, err = call("--epsilon", repr(epsilon), "--delta", delta, "--to", "mu", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    (row,) = answer["values"]
    assert f"{row['lower']:.2f}".lstrip("0") == f"{row['upper']:.2f}".lstrip("0") == TABLE[epsilon][column]
    assert "alone implies no finite mu" in answer["note"]


SOURCES: list[tuple[tuple[str, ...], ny.Guarantee]] = [
    (("--epsilon", "1"), ny.PureDP(1.0)),
    (("--epsilon", "1", "--delta", "1e-5"), ny.ApproximateDP(1.0, 1e-5)),
    (("--epsilon", "4", "--delta", "1e-6", "--epsilon", "1", "--delta", "0.1"), ny.Profile([1.0, 4.0], [0.1, 1e-6])),
    (("--mu", "1"), ny.GDP(1.0)),
    (("--rho", "0.5"), ny.ZCDP(0.5)),
    (("--rdp", "one.csv"), ny.RDP([2.0], [1.0])),
    (("--profile", "pairs.csv"), ny.Profile([0.0, 1.0, 4.0], [0.4, 0.1, 1e-6])),
    (("--tradeoff", "curve.csv"), ny.Tradeoff([0.0, 0.25, 1.0], [1.0, 0.25, 0.0])),
    (("--spec", "m.json"), ny.account(ny.Gaussian(2.0))),
]


@pytest.mark.parametrize(
    ("source", "g"), rest_slow(SOURCES, 0, 1, 3, 6, 8), ids=lambda x: "".join(x) if isinstance(x, tuple) else ""
)
def test_every_source_in_every_language(call: Any, source: tuple[str, ...], g: ny.Guarantee) -> None:
    asked = {
        "delta": ("epsilon", 0.7, g.delta), "beta": ("alpha", 0.1, g.beta), "tpr": ("fpr", 0.1, g.roc),
        "bayes-error": ("prior", 0.3, g.bayes_error), "renyi": ("order", 3.0, g.renyi),
    }  # fmt: skip
    for to, (place, at, verb) in asked.items():
        code, out, err = call(*source, "--to", to, "--at", repr(at), "--json")
        assert (code, err) == (0, ""), to
        (row,) = json.loads(out)["values"]
        assert row[place] == at
        safe = float(row["lower" if to in ("beta", "bayes-error") else "upper"])
        assert safe == verb(at)
    numbers = {"advantage": g.advantage, "rho": g.zcdp(), "mu": g.mu(1e-3)}
    if source[0] not in ("--rho", "--rdp"):  # an area takes them seconds
        numbers["auc"] = g.auc
    for to, value in numbers.items():
        at_floor = ("--at", "1e-3") if to == "mu" else ()
        code, out, err = call(*source, "--to", to, *at_floor, "--json")
        assert (code, err) == (0, ""), to
        assert float(json.loads(out)["values"][0]["upper"]) == value


def test_epsilon_is_asked_at_delta_or_at(call: Any) -> None:
    answers = [call("--rho", "0.5", "--to", "epsilon", option, "1e-6")[1] for option in ("--delta", "--at")]
    assert answers[0] == answers[1]
    assert "[5.221534, 5.221535]" in answers[0]
    assert json.loads(call("--mu", "1", "--to", "epsilon", "--json")[1])["values"][0]["delta"] == 1e-5


def test_a_curve_is_csv(call: Any) -> None:
    code, out, err = call("--rdp", "rdp.csv", "--to", "curve", "--points", "8")
    assert (code, err) == (0, "")
    header, *lines = out.splitlines()
    assert header == "alpha,beta"
    points = [tuple(map(float, line.split(","))) for line in lines]
    assert len(points) == 8
    g = ny.RDP([2.0, 4.0, 8.0], [1.0, 2.0, 4.0])
    assert [a for a, _ in points] == sorted(a for a, _ in points)
    assert np.all(np.array([b for _, b in points]) <= g.optimistic.beta([a for a, _ in points]))
    assert len(json.loads(call("--mu", "1", "--to", "curve", "--points", "8", "--json")[1])["points"]) == 8


def test_notes_say_what_is_lost(call: Any) -> None:
    assert "Nothing is lost" in call("--mu", "1", "--to", "tpr")[1]
    assert "The best curve that the promise leaves" in call("--rho", "0.5", "--to", "tpr")[1]
    assert "Stating it alone loses something" in call("--epsilon", "1", "--to", "rho")[1]
    assert "a regret of at most 0.0576" in call("--epsilon", "1", "--to", "mu")[1]


def test_an_infinite_answer_is_said(call: Any) -> None:
    code, out, err = call("--epsilon", "1", "--delta", "1e-5", "--to", "epsilon", "--at", "1e-6", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["values"][0]["upper"] == "inf"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing option"),
        (("--mu", "1", "--to", "nu"), "to must be one of 'mu'"),
        (("--to", "mu"), "source must be exactly one source"),
        (("--mu", "1", "--rho", "1", "--to", "mu"), "got 'mu and rho'"),
        (("--mu", "-1", "--to", "auc"), "mu must be a finite number >= 0"),
        (("--mu", "nan", "--to", "auc"), "mu must be"),
        (("--mu", "1", "--to", "delta"), "at must be given"),
        (("--mu", "1", "--to", "auc", "--at", "1"), "at must be left out"),
        (("--mu", "1", "--to", "curve", "--at", "1"), "at must be left out"),
        (("--mu", "1", "--to", "curve", "--points", "1"), "points must be a whole number from 2"),
        (("--mu", "1", "--to", "mu", "--points", "9"), "points must be left out unless --to curve is asked, got 9."),
        (("--spec", "run", "--to", "mu"), "SPEC must be a file that ends in .json, .yaml, .yml or .html, or dpsgd:"),
        (("--mu", "1", "--to", "beta", "--at", "1.5"), "alpha must be a number in [0, 1]"),
        (("--mu", "1", "--to", "beta", "--at", "nan"), "at must be a finite number"),
        (("--mu", "1", "--delta", "0.1", "--to", "auc"), "delta must be given beside --epsilon"),
        (("--epsilon", "1", "--epsilon", "2", "--to", "auc"), "delta must be given once for each --epsilon"),
        (("--epsilon", "1", "--delta", "0.1", "--delta", "0.2", "--to", "auc"), "once for each --epsilon, 1 times"),
        (("--rdp", "none.csv", "--to", "auc"), "--rdp must be a file that can be read"),
        (("--rdp", "pairs.csv", "--to", "auc"), "the columns order and epsilon in its first line"),
        (("--rdp", "word.csv", "--to", "auc"), "--rdp word.csv: line 3, epsilon must be a number, got 'one'"),
        (("--rdp", "short.csv", "--to", "auc"), "--rdp short.csv: line 2, epsilon must be a number"),
        (("--rdp", "nan.csv", "--to", "auc"), "--rdp nan.csv: epsilons must be a finite number"),
        (("--rdp", "empty.csv", "--to", "auc"), "the columns order and epsilon"),
        (("--rdp", "header.csv", "--to", "auc"), "--rdp header.csv: orders must be"),
        (("--rdp", "large.csv", "--to", "auc"), "at most 1 MB"),
        (("--rdp", "bytes.csv", "--to", "auc"), "text in UTF-8"),
        (("--tradeoff", "concave.csv", "--to", "auc"), "betas must be at most 1 - alpha"),
        (("--spec", "rdp.csv", "--to", "auc"), "SPEC must be a file that ends in"),
    ],
)
def test_refusals_are_one_line(call: Any, arguments: tuple[str, ...], words: str) -> None:
    Path("word.csv").write_text("order,epsilon\n2,1\n3,one\n")
    Path("short.csv").write_text("order,epsilon\n2\n")
    Path("nan.csv").write_text("order,epsilon\n2,nan\n")
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("order,epsilon\n")
    Path("large.csv").write_text("order,epsilon\n" + "2,1\n" * 300_000)
    Path("bytes.csv").write_bytes(b"order,epsilon\n\xff,1\n")
    Path("concave.csv").write_text("alpha,beta\n0,1\n0.5,0.9\n1,0\n")
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("neyman: ")
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize("to", rest_slow(["epsilon", "beta", "tpr"], "epsilon"))
def test_brackets_enclose(call: Any, to: str) -> None:
    for row in json.loads(call("--rho", "0.1", "--to", to, "--json")[1])["values"]:
        assert 0.0 <= row["lower"] <= row["upper"] < math.inf


def test_points_of_a_curve_are_its_corners_unless_the_curve_is_said_to_be_below(call: Any) -> None:
    alphas = np.linspace(0.0, 1.0, 21)
    rows = [f"{a!r},{b!r}\n" for a, b in zip(alphas.tolist(), ((1.0 - alphas) ** 2).tolist(), strict=True)]
    Path("square.csv").write_text("alpha,beta\n" + "".join(rows))
    Path("inner.csv").write_text("alpha,beta\n" + "".join(rows[1:-1]))

    def at(source: str, *arguments: str) -> float:
        code, out, err = call("--tradeoff", source, "--to", "beta", "--at", "0.025", "--json", *arguments)
        assert (code, err) == (0, "")
        return float(json.loads(out)["values"][0]["lower"])

    truth = 0.975**2
    assert at("square.csv") == at("square.csv", "--between", "chords") > truth + 6e-4
    assert truth - 3e-3 < at("square.csv", "--between", "below") < truth
    assert truth - 3e-3 < at("inner.csv", "--between", "below") < truth
    assert at("square.csv", "--between", "below", "--error", "1e-4") < at("square.csv", "--between", "below")
    for arguments, words in (
        (("--tradeoff", "square.csv", "--between", "above"), "between must be one of 'chords', 'below', got 'above'"),
        (("--mu", "1", "--between", "below"), "between must be left out unless a curve is given with --tradeoff"),
        (("--spec", "m.json", "--between", "below"), "between must be left out unless a curve is given"),
        (("--mu", "1", "--error", "0.1"), "error must be left out unless --between below is given"),
        (("--tradeoff", "square.csv", "--error", "0.1"), "error must be left out unless --between below is given"),
        (("--tradeoff", "square.csv", "--between", "below", "--error", "-1"), "--error must be a finite number >= 0"),
        (
            ("--tradeoff", "concave.csv", "--between", "below"),
            "--tradeoff concave.csv: betas must be at most 1 - alpha",
        ),
    ):
        Path("concave.csv").write_text("alpha,beta\n0.5,0.9\n")
        code, out, err = call(*arguments, "--to", "advantage")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert words in err


def test_help_says_that_chords_promise_too_much(call: Any) -> None:
    code, out, _ = call("--help")
    assert code == 0
    words = " ".join(out.replace("│", " ").split())
    assert "their chords promise too much: --between below" in words
    assert "chords (the default), the polygon through the points is the curve" in words
