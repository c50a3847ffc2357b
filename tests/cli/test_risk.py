"""The command ``neyman risk``: numbers, sentences, brackets and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from scipy import stats

import neyman as ny
from neyman.cli.main import main
from neyman.cli.printing.risks import KINDS
from neyman.cli.verbs.risk import NAMES
from tests.cli.said import message

N = stats.norm


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["risk", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def test_every_risk_of_the_library_is_here(call: Any) -> None:
    assert set(NAMES) == set(KINDS)
    (spec,) = json.loads(call("mu:1", "--json")[1])["specs"]
    assert {row["risk"] for row in spec["risks"]} == set(NAMES)


def test_a_gaussian_in_closed_form(call: Any) -> None:
    """Every bracket holds the truth of 1-GDP and is narrow; the number to report is the safe end of it."""
    power = {fpr: float(N.sf(N.isf(fpr) - 1.0)) for fpr in (0.001, 0.2)}
    error = min(0.9 * a + 0.1 * float(N.cdf(N.isf(a) - 1.0)) for a in [float(N.sf(0.5 + math.log(9.0)))])
    truth = {
        ("tpr", 0.001): power[0.001],
        ("advantage",): float(2.0 * N.cdf(0.5) - 1.0),
        ("posterior", 0.1, 0.001): 0.1 * power[0.001] / (0.1 * power[0.001] + 0.9 * 0.001),
        ("bayes_error", 0.9): error,
        ("accuracy", 0.9): 1.0 - error,
        ("reconstruction", 0.2): power[0.2],
        ("attribute_inference", 0.2): power[0.2],
        ("singling_out", 0.2): min(2.0 * power[0.2], 1.0),
        ("relative_risk", 0.2): power[0.2] / 0.2,
    }
    asked = ("mu:1", "--fpr", "0.001", "--membership-prior", "0.1", "--baseline", "0.2", "--records", "2")
    code, out, err = call(*asked, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["schema"], said["version"]) == (1, ny.__version__)
    (spec,) = said["specs"]
    assert (spec["spec"], spec["adjacency"]) == ("mu:1", "add_or_remove")
    found = {(row["risk"], *row["at"].values()): row for row in spec["risks"]}
    assert found.keys() == truth.keys()
    for key, value in truth.items():
        low, high = found[key]["lower"], found[key]["upper"]
        assert low <= value * (1.0 + 1e-12), key
        assert high >= value * (1.0 - 1e-12), key
        assert high - low <= 1e-9 * high, key
    lines = call(*asked)[1].splitlines()
    for row in found.values():
        assert f"- {row['sentence']}" in lines
    (tpr,) = [line.split() for line in lines if line.startswith(" tpr at fpr 0.001")]
    assert power[0.001] <= float(tpr[-2]) <= power[0.001] + 1e-6
    (wrong,) = [line.split() for line in lines if line.startswith(" bayes error at prior 0.9")]
    assert error - 1e-5 <= float(wrong[-2]) <= error


def test_sentences_are_those_of_the_library(call: Any) -> None:
    (spec,) = json.loads(call("dpsgd:2,0.1,100", "--only", "posterior", "--fpr", "0.01", "--json")[1])["specs"]
    g = ny.account(ny.DPSGD(2.0, 0.1, 100))
    assert [row["sentence"] for row in spec["risks"]] == [str(ny.risk.posterior(g, 0.5, 0.01))]
    (spec,) = json.loads(call("dpsgd:2,0.1,100", "--only", "tpr", "--adjacency", "replace", "--json")[1])["specs"]
    assert spec["adjacency"] == "replace"
    assert all("replaced" in row["sentence"] for row in spec["risks"])


def test_several_specs_and_the_risks_that_are_named(call: Any) -> None:
    code, out, err = call("mu:1", "epsilon:1,0", "--only", "relative-risk", "--only", "advantage")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line in ("mu:1", "epsilon:1,0")] == ["mu:1", "epsilon:1,0"]
    assert out.count(" relative risk at baseline 0.1 ") == out.count(" advantage ") == 2
    assert "tpr" not in out.lower()


def test_one_number_that_is_refused_costs_no_other(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ny.NotCertified("advantage", 0.1, 0.2, "wider than the tolerance")

    monkeypatch.setattr("neyman.risk.advantage", refuse)
    code, out, err = call("mu:1", "--json")
    assert (code, err) == (3, "")
    rows = {row["risk"]: row for row in json.loads(out)["specs"][0]["risks"]}
    assert rows["advantage"].keys() == {"risk", "at", "refused"}
    assert rows["tpr"]["upper"] > 0.0
    code, out, err = call("mu:1")
    assert (code, err) == (3, "")
    assert "advantage" in out
    assert "not certified" in out
    assert f"- advantage: {rows['advantage']['refused']}" in out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mu:1", "--only", "harm"), "only must be one of tpr, advantage, posterior, bayes_error, accuracy, "),
        (("mu:1", "--fpr", "2"), "fpr must be "),
        (("mu:1", "--membership-prior", "-0.1"), "membership_prior must be "),
        (("mu:1", "--baseline", "nan"), "baseline must be "),
        (("mu:1", "--baseline", "0"), "baseline must be a number in (0, 1], got 0.0."),
        (("mu:1", "--records", "0"), "records must be "),
        (("mu:-1",), "mu must be "),
        (("mu",), "SPEC must be a report, a file as for neyman account, dpsgd:"),
        ((), "Missing argument"),
    ],
)
def test_refused(call: Any, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"neyman: {words}")
    assert err.count("\n") == 1
