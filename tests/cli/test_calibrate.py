"""The command ``neyman calibrate``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.cli.main import main
from tests.cli.said import message
from tests.effort import rest_slow

RUN = ["--sample-rate", "0.01", "--steps", "1000"]
HALF = ["--target", "epsilon=2,delta=1e-5"]
t = ny.targets


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory of its own; returns code, output, error."""
    monkeypatch.chdir(tmp_path)
    Path("one.json").write_text(json.dumps({"schema": 1, "kind": "gaussian", "sigma": "?", "sensitivity": 1.0}))
    Path("rate.json").write_text(json.dumps({"schema": 1, "kind": "poisson", "rate": "?", "of": {"kind": "laplace"}}))
    Path("whole.json").write_text(json.dumps(ny.Gaussian(1.0).to_dict()))
    Path("two.json").write_text(json.dumps({"schema": 1, "kind": "gaussian", "sigma": "?", "sensitivity": "?"}))
    Path("bare.json").write_text('"?"')
    Path("steps.yaml").write_text(
        "schema: 1\nkind: compose\nof:\n- {kind: laplace, scale: 3.0, sensitivity: 1.0}\n"
        '- kind: repeat\n  times: "?"\n  of: {kind: gaussian, sigma: 20.0, sensitivity: 1.0}\n'
    )

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["calibrate", *arguments])
        out, err = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, out, message(err)

    return run


def test_the_table(call: Any) -> None:
    code, out, err = call("--target", "epsilon=8,delta=1e-5", "--sample-rate", "0.01", "--steps", "10000")
    assert (code, err) == (0, "")
    found = ny.noise_for_dpsgd(t.Epsilon(8.0, 1e-5), 0.01, 10_000)
    meets, misses = found.bracket
    assert f"noise_multiplier {meets!r}\n" in out
    assert f"At {misses!r} the target is certainly missed; {found.evaluations} evaluations." in out
    assert "delta at epsilon 8" in out
    assert "1e-05" in out


def test_json(call: Any) -> None:
    code, out, err = call(*RUN, "--target", "epsilon=2,delta=1e-5", "--target", "advantage=0.1", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    found = ny.noise_for_dpsgd(t.Epsilon(2.0, 1e-5) & t.Advantage(0.1), 0.01, 1000)
    assert answer["parameter"] == "noise_multiplier"
    assert answer["value"] == found.parameter == answer["bracket"]["meets"]
    assert answer["bracket"]["misses"] == found.bracket[1]
    assert answer["evaluations"] == found.evaluations
    assert ny.mechanism_from_dict(answer["mechanism"]) == found.mechanism
    assert [row["limit"] for row in answer["targets"]] == [1e-5, 0.1]
    for row in answer["targets"]:
        assert row["certified"]["lower"] <= row["certified"]["upper"] <= row["limit"]


@pytest.mark.parametrize(
    ("text", "target"),
    rest_slow([
        ("epsilon=2,delta=1e-5", t.Epsilon(2.0, 1e-5)),
        ("mu=0.5", t.Mu(0.5)),
        ("mu=0.5, floor=1e-6", t.Mu(0.5, 1e-6)),
        ("advantage=0.1", t.Advantage(0.1)),
        ("tpr=0.5,fpr=0.01", t.TPR(0.5, 0.01)),
        ("fpr=0.01,tpr=0.5", None),
        ("reconstruction=0.3,baseline=0.1", t.Reconstruction(0.3, 0.1)),
        ("bayes-error=0.3,prior=0.5", t.BayesError(0.3, 0.5)),
        ("bayes_error=0.3,prior=0.5", t.BayesError(0.3, 0.5)),
        ("posterior=0.9,membership-prior=0.5,fpr=0.01", t.Posterior(0.9, 0.5, 0.01)),
    ], 0, 2, 3, 5, 6, 7, 8),
)  # fmt: skip
def test_every_kind_of_target(call: Any, text: str, target: Any) -> None:
    code, out, err = call(*RUN, "--target", text, "--json")
    if target is None:  # the first name says which kind it is
        assert (code, out) == (2, "")
        assert err.startswith(
            "neyman: target must be one of: epsilon=...,delta=...; mu=...; regret=...; advantage=...;"
        )
        return
    assert (code, err) == (0, "")
    assert json.loads(out)["value"] == ny.noise_for_dpsgd(target, 0.01, 1000).parameter


def test_divergence_from_a_mechanism(call: Any) -> None:
    base = ny.account(ny.DPSGD(2.0, 0.01, 1000))
    code, out, err = call(*RUN, "--target", "divergence=0.03,baseline=dpsgd:2,0.01,1000", "--json")
    assert (code, err) == (0, "")
    found = ny.noise_for_dpsgd(t.Divergence(0.03, base), 0.01, 1000)
    assert json.loads(out)["value"] == pytest.approx(found.parameter, rel=2e-6)


@pytest.mark.slow
def test_regret(call: Any) -> None:
    code, out, err = call("--target", "regret=0.01", "--sample-rate", "0.1", "--steps", "400", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    (limited,) = found["targets"]
    assert (limited["number"], limited["limit"]) == ("regret at floor 1e-10", 0.01)
    assert limited["certified"]["upper"] <= 0.01
    g = ny.account(ny.DPSGD(found["value"], 0.1, 400))
    assert g.gdp().regret <= 0.01
    assert ny.account(ny.DPSGD(found["bracket"]["misses"], 0.1, 400)).optimistic.gdp().regret > 0.01


def test_divergence_from_a_file(call: Any) -> None:
    code, out, _ = call(*RUN, "--target", "divergence=0.03,baseline=whole.json", "--adjacency", "add")
    assert code == 0
    assert "divergence from the baseline" in out


def test_steps_and_rates(call: Any) -> None:
    target = t.Epsilon(2.0, 1e-5)
    code, out, _ = call(*HALF, "--noise-multiplier", "1", "--sample-rate", "0.01", "--json")
    answer = json.loads(out)
    assert (code, answer["parameter"]) == (0, "steps")
    assert answer["value"] == ny.steps_for_dpsgd(target, 1.0, 0.01).parameter
    assert answer["bracket"]["misses"] == answer["value"] + 1
    code, out, _ = call(*HALF, "--noise-multiplier", "1", "--steps", "1000", "--json")
    answer = json.loads(out)
    assert (code, answer["parameter"]) == (0, "sample_rate")
    assert answer["value"] == ny.rate_for_dpsgd(target, 1.0, 1000).parameter


def test_batches_and_epochs(call: Any) -> None:
    code, out, _ = call(*HALF, "--dataset-size", "60000", "--batch-size", "800", "--epochs", "3", "--json")
    assert code == 0
    assert json.loads(out)["mechanism"]["times"] == 225
    code, out, _ = call(*HALF, "--dataset-size", "60000", "--batch-size", "800", "--noise-multiplier", "1", "--json")
    assert json.loads(out)["parameter"] == "steps"


def test_files_with_one_number_open(call: Any) -> None:
    code, out, err = call("one.json", "--target", "mu=0.5", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["parameter"] == "sigma"
    assert 2.0 <= answer["value"] <= 2.0 * (1.0 + 1e-6)
    code, out, _ = call("steps.yaml", "--target", "mu=1")
    assert code == 0
    assert out.startswith("of.1.times 359\n")
    code, out, _ = call("steps.yaml", "--target", "mu=1", "--bracket", "1,1000", "--json")
    assert json.loads(out)["bracket"] == {"meets": 359, "misses": 360}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (RUN, "target must be given, once or several times, got None. One of: epsilon=...,delta=...;"),
        ([*RUN, "--target", "epsilon=8"], "target must be epsilon=NUMBER,delta=NUMBER, got 'epsilon=8'."),
        ([*RUN, "--target", "mu=x"], "target must be mu=NUMBER (or with ,floor=NUMBER), got 'mu=x'."),
        (["spec.json", "--sample-rate", "0.1"], "sample_rate must be left out where a file is given, got 0.1."),
        ([*RUN, "--target", "epsilon=8,delta"], "target must be epsilon=NUMBER,delta=NUMBER"),
        ([*RUN, "--target", "epsilon=8,delta=x"], "target must be epsilon=NUMBER,delta=NUMBER"),
        ([*RUN, "--target", "epsilon=8,epsilon=9,delta=0.1"], "target must be epsilon=NUMBER,delta=NUMBER"),
        ([*RUN, "--target", "loss=8"], "target must be one of: epsilon"),
        ([*RUN, "--target", "epsilon=0,delta=1e-5"], "target epsilon=0,delta=1e-5: value must be a finite number > 0"),
        ([*RUN, "--target", "mu=nan"], "target mu=nan: value must be a finite number > 0, got nan."),
        ([*RUN, "--target", "divergence=0.1"], "target must be one of: epsilon"),
        ([*RUN, "--target", "divergence=x,baseline=whole.json"], "target must be one of: epsilon"),
        (
            [*RUN, "--target", "divergence=0.1,baseline=none.json"],
            "target divergence=0.1,baseline=none.json: baseline: SPEC must be a file that can be read",
        ),
        (
            [*RUN, "--target", "divergence=0.02,baseline=foo"],
            "target divergence=0.02,baseline=foo: baseline must be a file that ends in .json, .yaml, .yml or .html, or",
        ),
        (
            [*RUN, "--target", "divergence=0.02,baseline=dpsgd:-2,.1,3"],
            "target divergence=0.02,baseline=dpsgd:-2,.1,3: baseline: noise_multiplier must be a finite number > 0",
        ),
        (
            ["--sample-rate", "0.1", "--noise-multiplier", "2", "--target", "regret=0.01"],
            "target must be joined to one that limits steps",
        ),
        ([*HALF, "--steps", "10"], "given must be exactly two of --noise-multiplier, the sample rate and the steps"),
        ([*HALF, *RUN, "--noise-multiplier", "1"], "given must be exactly two of"),
        (
            [*HALF, "--noise-multiplier", "1", "--epochs", "3"],
            "epochs must be given beside a rate: --sample-rate, or both --dataset-size and --batch-size, got 3.0.",
        ),
        ([*HALF, *RUN, "--epochs", "3"], "steps must be given in exactly one way: --steps or --epochs, got 1000."),
        ([*HALF, *RUN, "--batch-size", "3"], "sample_rate must be given in exactly one way: --sample-rate, or both"),
        ([*HALF, *RUN, "--bracket", "1,2"], "bracket must be given with a file"),
        ([*HALF, *RUN, "--adjacency", "both"], "adjacency must be one of"),
        ([*HALF, *RUN, "--tolerance", "2"], "tolerance must be a number in"),
        ([*HALF, "--sample-rate", "0", "--steps", "10"], "sample_rate must be a number in (0, 1], got 0.0."),
        ([*HALF, "one.json", "--steps", "10"], "steps must be left out where a file is given, got 10."),
        ([*HALF, "whole.json"], 'SPEC whole.json must be a mechanism in which one number is written "?", got 0.'),
        ([*HALF, "two.json"], 'SPEC two.json must be a mechanism in which one number is written "?", got 2.'),
        ([*HALF, "bare.json"], 'SPEC bare.json must be a mechanism in which one number is written "?", got 1.'),
        ([*HALF, "none.json"], "SPEC must be a file that can be read, got 'none.json'."),
        ([*HALF, "one.json", "--bracket", "1"], "bracket must be two numbers, low < high"),
        ([*HALF, "one.json", "--bracket", "1,x"], "bracket must be two numbers, LOW,HIGH, got '1,x'."),
        ([*HALF, "one.json", "--bracket", "2,1"], "bracket must be two numbers, low < high"),
        ([*HALF, "one.json", "--bracket", "0.1,0.2"], "target must be met somewhere in reach"),
        (
            ["--target", "advantage=0.5", "--sample-rate", "0.001", "--steps", "10"],
            "target must be missed where no noise",
        ),
    ],
)
def test_refusals(call: Any, arguments: list[str], says: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"neyman: {says}")
    assert err.count("\n") == 1


def test_not_certified(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import neyman.calibration.trial as trial

    def account(*_: Any, **__: Any) -> ny.Guarantee:
        raise ny.NotCertified("delta(2.0)", 0.1, 0.2, "for no reason")

    monkeypatch.setattr(trial, "account", account)
    code, out, err = call(*HALF, *RUN)
    assert (code, out) == (3, "")
    assert "certified only to lie in" in err


def test_the_example_of_a_refused_file_works(call: Any) -> None:
    _, _, err = call(*HALF, "whole.json")
    Path("such.json").write_text(err.partition("Such as ")[2].strip().removesuffix("."))
    code, _, err = call(*HALF, "such.json")
    assert (code, err) == (0, "")
