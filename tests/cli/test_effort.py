"""``--effort`` on every verb that accounts: it reaches the accounting, and what is no effort is refused in one line."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neyman as ny
from neyman import accounting
from neyman.cli import main
from neyman.cli.verbs import audit, calibrate, convert, report, sweep
from neyman.cli.verbs.respond import Effort
from neyman.profiles.effort import EFFORT
from tests.cli.said import message

CALIBRATED = ("calibrate", "--noise-multiplier", "1", "--sample-rate", "0.01", "--target", "advantage=0.1")
SWEPT = ("sweep", "spec.json", "-o", "out.nc", "--workers", "1", "--json")
AUDITED = ("audit", "scores.npz", "--claim", "dpsgd:9.4,0.32768,2000")
VERBS = {
    "calibrate": CALIBRATED,
    "sweep": SWEPT,
    "convert": ("convert", "--spec", "hard.json", "--to", "mu"),
    "audit": AUDITED,
    "report": ("report", "hard.json", "-o", "-", "--format", "md"),
    "verify": ("verify", "report.json"),
}


_REPORT = ny.report(ny.DPSGD(9.4, 0.32768, 2000)).to_dict()
_REPORT["claims"] = _REPORT["claims"][:1]  # one is enough


@pytest.fixture
def call(capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in a directory with its files; return exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    Path("hard.json").write_text(json.dumps(ny.DPSGD(9.4, 0.32768, 2000).to_dict()))
    Path("spec.json").write_text(json.dumps({"noise_multiplier": 9.4, "sample_rate": 0.32768, "steps": 2000}))
    Path("report.json").write_text(json.dumps(_REPORT))
    rng = np.random.default_rng(1)
    np.savez("scores.npz", scores_in=rng.normal(0.5, 1.0, 200), scores_out=rng.normal(0.0, 1.0, 200))

    def called(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main.main(list(arguments))
        code = left.value.code or 0
        assert isinstance(code, int)
        out, err = capsys.readouterr()
        return code, out, message(err)

    return called


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("sweep", "verify")])
def test_what_it_does_not_reach_is_refused_by_its_name(call: Any, verb: str) -> None:
    code, out, err = call(*VERBS[verb], "--effort", "1e-6")
    assert (code, out) == (3, "")
    assert "a larger --effort" in err
    assert err.count("\n") == 1


def test_what_it_does_not_reach_is_no_value_of_a_sweep(call: Any) -> None:
    code, out, _ = call(*SWEPT, "--effort", "1e-6")
    found = json.loads(out)
    assert (code, found["effort"], found["failed"]) == (0, 1e-6, 1)
    code, _, err = call(*SWEPT)
    assert (code, "or this very sweep" in err) == (2, True)  # that of another effort is not written over


def test_what_it_does_not_reach_cannot_be_verified(call: Any) -> None:
    code, out, err = call(*VERBS["verify"], "--effort", "1e-6", "--json")
    check = json.loads(out)["checks"][0]
    assert (code != 0, err, check["outcome"]) == (True, "", "cannot tell")
    assert check["reason"].endswith("--effort more work")


@pytest.mark.parametrize(("given", "said"), [("nan", "nan"), ("0", "0.0"), ("-1", "-1.0")])
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_effort_is_refused_in_one_line(call: Any, verb: str, given: str, said: str) -> None:
    assert call(*VERBS[verb], "--effort", given) == (
        2,
        "",
        f"neyman: effort must be a finite number > 0, got {said}.\n",
    )


def test_what_is_stated_is_not_computed(call: Any) -> None:
    words = "neyman: effort must be left out unless a mechanism is given with --spec, got 20.0.\n"
    assert call("convert", "--mu", "1", "--to", "auc", "--effort", "20") == (2, "", words)


def test_a_baseline_is_accounted_for_with_as_much(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def account(mechanism: ny.Mechanism, **asked: Any) -> ny.Guarantee:
        given.append(asked["effort"])
        return ny.account(mechanism, **asked)

    monkeypatch.setattr(accounting, "account", account)
    target = ("--target", "divergence=0.05,baseline=dpsgd:1,1,1")
    assert call("calibrate", "--sample-rate", "1", "--steps", "1", *target, "--effort", "3")[0] == 0
    assert given == [3.0]


@pytest.mark.parametrize("module", [audit, calibrate, convert, report, sweep])
def test_the_option_is_one_and_its_default_that_of_account(module: Any) -> None:
    verb = getattr(module, module.__name__.rpartition(".")[2])
    option = inspect.signature(verb, eval_str=True).parameters["effort"]
    assert (option.annotation, option.default) == (Effort, EFFORT)
