"""What else may be asked: from a risk to settings, two side by side, and what is copied."""

from __future__ import annotations

import json
import math
import re
import shlex
import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.explorer import answer
from neyman.explorer.answering.solving import solved
from neyman.explorer.answering.wanted import TARGETS
from neyman.sweeps.extras import MissingPackage
from tests.docs.examples import run_command
from tests.effort import examples, rest_slow

RUN = {"kind": "dpsgd", "noise_multiplier": 1.0, "sample_rate": "1/100", "steps": 500}
DEALT = {**RUN, "noise_multiplier": 2, "steps": 300, "sampling": "allocation"}
GAUSSIAN = {"kind": "gaussian", "noise_multiplier": 1.0, "count": 2}
LAPLACE = {"kind": "laplace", "scale": 1.0, "count": 2}


def ask(ask: str, settings: object, **more: Any) -> dict[str, Any]:
    found: Any = answer({"v": 1, "ask": ask, "settings": settings, "brackets": False, **more})
    return json.loads(json.dumps(found, allow_nan=False))


WANTED: dict[str, tuple[dict[str, Any], Any]] = {
    "epsilon": ({"value": 2, "delta": "1e-5"}, ny.targets.Epsilon(2.0, delta=1e-5)),
    "mu": ({"value": 1}, ny.targets.Mu(1.0)),
    "tpr": ({"value": "30%", "fpr": "1%"}, ny.targets.TPR(0.3, fpr=0.01)),
    "advantage": ({"value": 0.25}, ny.targets.Advantage(0.25)),
    "posterior": ({"value": 0.9, "prior": 0.5}, ny.targets.Posterior(0.9, membership_prior=0.5, fpr=0.01)),
    "bayes_error": ({"value": 0.35}, ny.targets.BayesError(0.35, prior=0.5)),
    "reconstruction": ({"value": 0.02, "prior": 0.001}, ny.targets.Reconstruction(0.02, baseline=0.001)),
    "divergence": ({"value": 0.05, "other": {**GAUSSIAN, "noise_multiplier": 3}},
                   ny.targets.Divergence(0.05, baseline=ny.account(ny.Gaussian(3.0) ** 2))),
    "regret": ({"value": 0.02}, ny.targets.Regret(0.02)),
}  # fmt: skip


def test_every_target_may_be_asked_for() -> None:
    assert set(WANTED) == set(TARGETS)
    classes = {*ny.targets.__all__} - {"All", "Target"}
    assert {type(target).__name__ for _, target in WANTED.values()} == classes


def made(settings: dict[str, Any]) -> ny.Mechanism:
    if settings["kind"] == "gaussian":
        return ny.Gaussian(settings["noise_multiplier"]) ** settings["count"]
    if settings["kind"] == "laplace":
        return ny.Laplace(settings["scale"]) ** settings["count"]
    if settings["sampling"] == "allocation":
        return ny.Gaussian(settings["noise_multiplier"]).allocated(100) ** (settings["steps"] // 100)
    rate = settings["sample_rate"]
    return ny.DPSGD(settings["noise_multiplier"], 0.01 if rate == "1/100" else rate, settings["steps"])


CASES = [
    *((RUN, "noise_multiplier", name) for name in TARGETS),
    *((RUN, "steps", name) for name in TARGETS if name != "regret"),
    *((RUN, "sample_rate", name) for name in ("epsilon", "tpr", "bayes_error")),
    *((GAUSSIAN, "noise_multiplier", name) for name in ("epsilon", "mu", "divergence")),
    *((LAPLACE, "scale", name) for name in ("epsilon", "posterior")),
    (DEALT, "noise_multiplier", "epsilon"),
    (DEALT, "steps", "tpr"),
]


@pytest.mark.parametrize(("settings", "free", "name"), rest_slow(CASES, *range(25), 26))  # a batch's noise is dear
def test_what_is_solved_for_meets_its_target_as_it_is_written(settings: Any, free: str, name: str) -> None:
    """In four digits, and one unit of the last of them less would not do."""
    said, target = WANTED[name]
    asked = {key: value for key, value in settings.items() if key != free}  # it may be left out
    found = ask("solve", asked, free=free, target={"name": name, **said})
    assert found["ok"], found
    parameter, text = found["settings"][free], found["solved"]["text"]
    assert (found["solved"]["parameter"], found["solved"]["value"], float(text)) == (free, parameter, parameter)
    assert found["solved"]["met"] is True
    assert target.met_by(ny.account(made(found["settings"])))
    assert f"(allowed: {said['value']}" in found["solved"]["sentence"] or "%" in str(said["value"])
    unit = 10.0 ** (math.floor(math.log10(parameter)) - 3)
    beyond = {"steps": parameter + (1 if "sampling" not in settings else 100), "sample_rate": parameter + 2 * unit}
    worse = {**found["settings"], free: beyond.get(free, parameter - 2 * unit)}
    assert not target.met_by(ny.account(made(worse)))
    if free != "steps":
        assert len(Decimal(text).normalize().as_tuple().digits) <= 4


@examples(6, 200)
@given(st.floats(0.05, 0.9), st.sampled_from(["noise_multiplier", "steps", "sample_rate"]))
def test_any_advantage(value: float, free: str) -> None:
    found = ask("solve", RUN, free=free, target={"name": "advantage", "value": value})
    if not found["ok"]:
        assert found["kind"] in ("invalid", "not_certified")
        return
    assert found["numbers"]["advantage"]["value"] <= value
    assert ny.account(made(found["settings"])).advantage <= value


@pytest.mark.parametrize(
    ("settings", "free", "target", "allowed"),
    [
        (DEALT, "sample_rate", {"name": "mu", "value": 1}, "one of noise_multiplier, steps"),
        (DEALT, "noise_multiplier", {"name": "regret", "value": 0.01}, "another, where records are dealt"),
        (GAUSSIAN, "noise_multiplier", {"name": "regret", "value": 0.01}, "missed somewhere"),
        ({"kind": "randomized_response", "epsilon": 1}, "steps", {"name": "mu", "value": 1}, "an object of"),
        (RUN, "noise_multiplier", {"name": "divergence", "value": 0.1, "other": {"kind": "laplace"}}, "given"),
        (RUN, "noise_multiplier", {"name": "epsilon", "value": 0}, "a finite number > 0"),
        (RUN, "steps", {"name": "epsilon", "value": 1e-9, "delta": 1e-12}, "met somewhere"),
    ],
)
def test_what_cannot_be_solved_for(settings: Any, free: str, target: Any, allowed: str) -> None:
    found = ask("solve", settings, free=free, target=target)
    assert (found["ok"], found["kind"]) == (False, "invalid"), found
    assert found["allowed"].startswith(allowed), found


def test_what_does_not_meet_its_target_as_written_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from neyman.explorer.answering.wanted import wanted_of
    from neyman.explorer.asking.questions import At
    from neyman.explorer.asking.settings import settings_of

    def nobody(_: object) -> Any:
        raise AssertionError

    wanted = wanted_of({"name": "mu", "value": 1}, At(), nobody)
    monkeypatch.setattr("neyman.calibration.limit.Limit.holds", lambda *_: False)
    monkeypatch.setattr("neyman.explorer.answering.solving._parameter", lambda *_: 1.0)
    settings = settings_of("settings", GAUSSIAN, {})
    with pytest.raises(ny.NotCertified, match="does not meet it as written"):
        solved(settings, "noise_multiplier", wanted, lambda one: ny.account(one.mechanism()), 1.0)


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        ({**GAUSSIAN, "noise_multiplier": 2}, GAUSSIAN, "a"),
        (GAUSSIAN, {**GAUSSIAN, "noise_multiplier": 2}, "b"),
        (GAUSSIAN, GAUSSIAN, "equal"),
        ({"kind": "gaussian", "noise_multiplier": 1}, {"kind": "laplace", "scale": 1}, "neither"),
        (RUN, {**RUN, "sampling": "allocation"}, "neither"),
    ],
)
def test_two_side_by_side(a: Any, b: Any, order: str) -> None:
    found = ask("compare", a, other=b)
    assert (found["ok"], found["order"]) == (True, order)
    one, other = (ny.account(made({"sampling": "poisson", "count": 1, **said})) for said in (a, b))
    own = ny.compare(one, other)
    assert found["divergence"]["a_over_b"]["value"] == pytest.approx(own.divergence, abs=1e-9)
    assert found["divergence"]["b_over_a"]["value"] == pytest.approx(own.reverse, abs=1e-9)
    for number in found["divergence"].values():
        assert float(number["text"]) >= number["value"] >= number["lower"]
    assert (len(found["crossings"]) > 0) == (order == "neither")
    assert found["a"]["numbers"]["mu"]["text"] == ask("promise", a)["numbers"]["mu"]["text"]
    assert found["b"]["settings"] == ask("promise", b)["settings"]
    for crossing in found["crossings"]:
        gap = one.beta(crossing["alpha"]) - other.beta(crossing["alpha"])
        assert abs(gap) < 1e-4  # a mark stands about where the curves meet
        assert crossing["text"].startswith("The curves change places at epsilon")


@pytest.mark.parametrize("settings", [RUN, DEALT, GAUSSIAN, LAPLACE, {"kind": "randomized_response", "epsilon": 1}])
def test_what_is_copied_runs(settings: Any) -> None:
    """The first command as a process of its own, the others in this one."""
    found, promise = ask("copy", settings, delta="1e-6"), ask("promise", settings, delta="1e-6")
    scope: dict[str, Any] = {}
    exec(found["python"].replace("print(", "shown = ("), scope)
    assert scope["shown"][0] == pytest.approx(promise["numbers"]["epsilon"]["value"], rel=1e-6)
    piped, _, command = found["command"].rpartition(" | ")
    words = shlex.split(command)
    assert words[0] == "neyman"
    said = shlex.split(piped)[1] if piped else ""
    if settings is RUN:
        call = [sys.executable, "-m", *words, "--json"]
        out = subprocess.run(call, input=said, capture_output=True, check=True, text=True).stdout
    else:
        code, out = run_command(f"{command} --json", said)
        assert code == 0
    printed = json.dumps(json.loads(out))
    assert repr(promise["numbers"]["epsilon"]["value"])[:8] in printed
    assert promise["numbers"]["epsilon"]["text"] in found["sentence"]
    assert "\\citep{neyman}" in found["sentence"]
    assert "@misc{neyman," in found["bibtex"]
    assert "@" not in found["sentence"]


def test_the_report_is_a_page_with_its_claims() -> None:
    found = ask("report", GAUSSIAN, delta="1e-7")
    assert (found["ok"], found["name"]) == (True, "neyman-report.html")
    assert found["html"].startswith("<!DOCTYPE html>")
    assert 'data-claim="epsilon@1e-07"' in found["html"]


@pytest.mark.slow
def test_the_report_is_one_that_verifies() -> None:
    assert ny.verify(ask("report", GAUSSIAN)["html"]).outcome == "holds"


def test_a_report_that_cannot_be_written_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> str:
        raise MissingPackage("report needs jinja2: pip install 'neyman[report]'")

    monkeypatch.setattr("neyman.reports.reporting.Report.to_html", missing)
    found = ask("report", GAUSSIAN)
    assert (found["ok"], found["kind"]) == (False, "invalid")
    assert "pip install 'neyman[report]'" in found["error"]


@pytest.mark.parametrize(
    "other",
    [
        {**RUN, "noise_multiplier": 2}, RUN, {"kind": "laplace", "scale": 1},
        {**RUN, "noise_multiplier": 0.8, "sample_rate": 0.005, "steps": 1500},
    ],
)  # fmt: skip
def test_the_two_are_called_what_the_page_calls_them(other: dict[str, Any]) -> None:
    found = ask("compare", RUN, other=other)
    told = [found["sentence"], *(one["says"] for one in found["divergence"].values())]
    for words in told:
        assert re.search(r"\bA\b", words)
        assert re.search(r"\bB\b", words)
        assert not re.search(r"\b[ab]\b(?! billion)", words)


def test_a_refusal_says_the_way_out_by_itself() -> None:
    found = ask("promise", {**RUN, "sample_rate": 2})
    assert found["advice"] == "It is the expected batch size over the data set size."
    assert found["error"].endswith(found["advice"])
