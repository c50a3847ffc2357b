"""The command ``neyman compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli.main import main
from tests.cli.said import message


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)
    Path("gauss.json").write_text(json.dumps(ny.Gaussian(1.0).to_dict()))
    Path("laplace.json").write_text(json.dumps(ny.Laplace(1.0).to_dict()))

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["compare", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def test_files(call: Any) -> None:
    code, out, err = call("gauss.json", "laplace.json")
    assert (code, err) == (0, "")
    assert "[0.005272208, 0.005272209]" in out
    assert "[0.03413854, 0.03413855]" in out
    assert "The curves cross at prior 0.41854, 0.58146." in out
    assert "Neither is more private than the other" in out


def test_json(call: Any) -> None:
    code, out, err = call("gauss.json", "laplace.json", "--json", "--prior", "0.2", "--prior", "0.5")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    g = ny.account(ny.Gaussian(1.0))
    assert ny.mechanism_from_dict(answer["b"]) == ny.Laplace(1.0)
    assert answer["divergence"]["lower"] <= 0.00527220887 <= answer["divergence"]["upper"] + 1e-11
    assert answer["order"] == "incomparable"
    assert [row["prior"] for row in answer["bayes_error"]] == [0.2, 0.5]
    assert answer["bayes_error"][0]["a"]["lower"] == g.bayes_error(0.2)
    assert len(answer["crossings"]) == 2


def test_inline_settings(call: Any) -> None:
    code, out, err = call("dpsgd:2,0.01,100", "dpsgd:1,0.01,100", "--json", "--adjacency", "remove")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert ny.mechanism_from_dict(answer["a"]) == ny.DPSGD(2.0, 0.01, 100)
    assert answer["adjacency"] == "remove"
    assert answer["divergence"]["lower"] > answer["reverse"]["upper"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gauss.json",), "Missing argument 'B'"),
        (("gauss.json", "none.json"), "SPEC must be a file that can be read"),
        (
            ("dpsgd:1,0.1", "gauss.json"),
            "steps must be given in exactly one way: steps or epochs, got None. Write: neyman compare ",
        ),
        (("gauss.json", "dpsgd:1,0.1,2,3"), "B must be"),
        (("gauss.json", "dpsgd:1,0.1,2.5"), "B must be"),
        (("gauss.json", "dpsgd:nan,0.1,2"), "noise_multiplier must be"),
        (("gauss.json", "dpsgd:1,1.5,2"), "sample_rate must be"),
        (("gauss.json", "laplace.json", "--prior", "1.5"), "prior must be a number in [0, 1]"),
        (("gauss.json", "laplace.json", "--adjacency", "swap"), "adjacency must be one of"),
        (("-", "-"), "Standard input can be read once."),
    ],
)
def test_refusals_are_one_line(call: Any, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("neyman: ")
    assert err.count("\n") == 1
    assert words in err


def test_beliefs_about_the_prior_are_weighed(call: Any) -> None:
    pair = ("dpsgd:0.36,0.0155,30", "dpsgd:0.22,0.0065,30")
    _, out, _ = call(*pair, "--prior", "jeffreys", "--prior", "uquadratic", "--prior", "0.1", "--json")
    answer = json.loads(out)
    jeffreys, uquadratic = answer["weighted"]
    assert (jeffreys["prior"], jeffreys["preferred"]) == ("jeffreys", "b")
    assert (uquadratic["prior"], uquadratic["preferred"]) == ("uquadratic", "a")
    assert jeffreys["divergence"]["upper"] == pytest.approx(0.0073363, rel=1e-4)
    assert [row["prior"] for row in answer["bayes_error"]] == [0.1]


@pytest.mark.slow
def test_the_table_says_what_is_preferred(call: Any) -> None:
    _, shown, _ = call("dpsgd:0.36,0.0155,30", "dpsgd:0.22,0.0065,30", "--prior", "beta:2,5")
    assert "beta:2,5, b instead of a" in shown
    assert "Weighed by beta:2,5, b is preferred." in shown


@pytest.mark.parametrize("text", ["nan", "1.5", "beta:1", "beta:-1,2", "beta:1,2,3", "gamma:1,2", "certain"])
def test_other_beliefs_are_refused(call: Any, text: str) -> None:
    code, out, err = call("dpsgd:1,0.1,3", "dpsgd:2,0.1,3", "--prior", text)
    assert (code, out, err.count("\n")) == (2, "", 1)
