"""What is answered: the guarantee's own numbers, rounded outward; and every refusal, which is an answer, too."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman._errors import NotCertified
from neyman.explorer import Answers, answer
from neyman.explorer.answers import EFFORT
from tests.effort import crossed, examples, rest_slow

PLAIN = {"kind": "dpsgd", "noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 1000}
LAPLACE = {"kind": "laplace", "scale": 1}


def ask(ask: str = "promise", **more: Any) -> dict[str, Any]:
    found: Any = answer({"v": 1, "ask": ask, "settings": PLAIN, **more})
    return json.loads(json.dumps(found, allow_nan=False))  # JSON holds it


NOISE = st.floats(0.6, 8.0)
MECHANISMS = st.one_of(
    st.builds(
        lambda noise, rate, steps: ({**PLAIN, "noise_multiplier": noise, "sample_rate": rate, "steps": steps},
                                    ny.DPSGD(noise, rate, steps)),
        NOISE, st.floats(1e-3, 0.2), st.integers(50, 3000),
    ),
    st.builds(lambda s, n: ({"kind": "gaussian", "noise_multiplier": s, "count": n}, ny.Gaussian(s) ** n), NOISE,
              st.integers(1, 20)),
    st.builds(lambda b, n: ({"kind": "laplace", "scale": b, "count": n}, ny.Laplace(b) ** n), NOISE, st.integers(1, 3)),
    st.builds(lambda e: ({"kind": "randomized_response", "epsilon": e}, ny.RandomizedResponse(e)), st.floats(0.1, 4.0)),
)  # fmt: skip


@examples(8, 300)
@given(MECHANISMS, st.sampled_from(["1e-5", "1/60000", 1e-9]), st.sampled_from(["1%", 0.003, 1e-6]))
def test_numbers_are_those_of_the_guarantee_rounded_outward(
    one: tuple[dict[str, Any], ny.Mechanism], delta: Any, fpr: Any
) -> None:
    said, mechanism = one
    found = ask(settings=said, delta=delta, fpr=fpr)
    assert found["ok"], found
    g = ny.account(mechanism, effort=EFFORT)
    report, rate = g.gdp(found["floor"]), found["fpr"]
    truth = {
        "mu": report.mu, "regret": report.regret, "epsilon": g.epsilon(found["delta"]),
        "tpr": float(ny.risk.tpr(g, rate)), "advantage": g.advantage,
        "posterior": float(ny.risk.posterior(g, 0.5, rate)), "bayes_error": float(ny.risk.bayes_error(g, 0.5)),
        "fixed_point": g.fixed_point,
    }  # fmt: skip
    assert set(found["numbers"]) == set(truth)
    for name, number in found["numbers"].items():
        below = name in ("bayes_error", "fixed_point")
        text, value = Decimal(number["text"]), Decimal(number["value"])
        near = pytest.approx(truth[name], rel=1e-7, abs=1e-12)  # what was asked before leaves its lines behind
        assert number["value"] == near, name
        assert text <= value or float(text) == number["value"] if below else text >= value or float(text) == value, name
        assert abs(text - value) <= Decimal("1.01e-3") * value, name
        assert number["lower"] <= number["value"] <= number["upper"]
        assert number["bracket"]
        assert number["says"]
    odds = found["odds"]
    assert Fraction(odds["out"], odds["of"]) >= Fraction(repr(rate))
    assert odds["out"] - 1 < odds["of"] * Fraction(repr(rate))
    assert odds["in"] >= odds["of"] * g.optimistic.roc(odds["out"] / odds["of"])
    assert odds["in"] - 1 <= odds["of"] * g.roc(odds["out"] / odds["of"])


@examples(8, 300)
@given(MECHANISMS)
def test_no_attack_is_above_the_curve_that_is_drawn(one: tuple[dict[str, Any], ny.Mechanism]) -> None:
    said, mechanism = one
    found = ask(settings=said, brackets=False)
    curve, best = found["curve"], ny.account(mechanism).optimistic
    alpha, power = np.array(curve["alpha"]), np.array(curve["tpr"])
    assert alpha[0] == 0.0
    assert (alpha[-1], power[-1]) == (1.0, 1.0)
    assert np.all(np.diff(alpha) >= 0.0)
    assert np.all(np.diff(power) >= 0.0)
    at = np.concatenate([np.linspace(0.0, 1.0, 301), np.geomspace(1e-12, 1.0, 100)])
    drawn = np.interp(at, alpha, power)
    true = np.asarray(best.roc(at))
    assert np.all(drawn >= true * (1.0 - 1e-14))
    assert np.all(drawn <= true + 5e-3)  # and close to it
    assert np.all(drawn[at >= 1e-11] <= 1.25 * true[at >= 1e-11])  # where axes are decades, three pixels
    mu = found["gaussian"]
    within = np.array(mu["alpha"])
    assert np.all(np.array(mu["tpr"]) >= np.asarray(best.roc(within)) * (1.0 - 1e-14))
    assert float(mu["mu"]) >= ny.account(mechanism).optimistic.mu()


@crossed(
    ("fpr", [1e-15, 1e-12, 3e-10, 1e-7, 1e-4, 0.01, 0.3, 0.9, 1 - 1e-9]),
    ("noise", [0.5, 0.7, 1.0, 3.0]),
)
def test_the_curve_goes_through_the_point_that_is_asked_for(fpr: float, noise: float) -> None:
    found = ask(settings={**PLAIN, "noise_multiplier": noise, "steps": 4000}, fpr=fpr, floor=1e-15, brackets=False)
    drawn = np.interp(fpr, found["curve"]["alpha"], found["curve"]["tpr"])
    assert 1.0 <= drawn / (found["numbers"]["tpr"]["value"] * (1.0 - 1e-14)) < (1.005 if fpr > 1e-11 else 1.1)


@pytest.mark.parametrize(  # many rare steps with little noise are dear
    ("noise", "rate", "steps"),
    rest_slow([*product([0.3, 0.5, 5.0], [1e-5, 0.1, 1], [1, 50_000])], *({*range(18)} - {1, 7})),
)
def test_a_curve_is_drawn_of_the_least_and_the_most_private(noise: float, rate: float, steps: int) -> None:
    settings = {"kind": "dpsgd", "noise_multiplier": noise, "sample_rate": rate, "steps": steps}
    found = ask(settings=settings, fpr=0.01, brackets=False)
    assert "not foreseen" not in found.get("error", "")
    if found["ok"]:
        assert np.interp(0.01, found["curve"]["alpha"], found["curve"]["tpr"]) >= found["numbers"]["tpr"]["value"]


def test_without_brackets_the_safe_numbers_are_the_same() -> None:
    whole, half = ask(), ask(brackets=False)
    for name, number in half["numbers"].items():
        assert number["text"] == whole["numbers"][name]["text"]
        assert number["bracket"] == ""
    assert half["numbers"]["mu"]["lower"] is None
    assert half["numbers"]["bayes_error"]["upper"] is None
    assert half["headline"] == whole["headline"]


def test_rates_as_people_write_them() -> None:
    for written, value in (("512/60000", 512 / 60000), ("1%", 0.01), ("0.01", 0.01), (0.01, 0.01)):
        found = ask(settings={**PLAIN, "sample_rate": written}, brackets=False)
        assert found["settings"]["sample_rate"] == (written if "/" in str(written) or "%" in str(written) else value)
        assert found["code"] == f"ny.DPSGD(noise_multiplier=1.0, sample_rate={float(value)!r}, steps=1000)"


def test_random_allocation_is_of_whole_epochs_and_no_fewer_batches_than_the_rate_allows() -> None:
    found = ask(settings={**PLAIN, "sample_rate": "0.03", "steps": 100, "sampling": "allocation"}, brackets=False)
    assert found["code"] == "ny.Gaussian(1.0).allocated(33) ** 4"  # 1/0.03 = 33.3: fewer batches tell more
    assert found["settings"]["steps"] == 132
    assert found["note"] == (
        "Each record is in one of 33 batches of every epoch, 4 epochs; 100 steps are rounded up to 132."
    )
    third = {**PLAIN, "noise_multiplier": 4, "sample_rate": "1/3", "steps": 3, "sampling": "allocation"}
    assert ".allocated(3) ** 1" in ask(settings=third, brackets=False)["code"]


def test_what_is_not_certified_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> float:
        raise NotCertified("mu at floor 1e-10", 0.5, 2.0, "of some reason")

    monkeypatch.setattr("neyman.guarantees.guarantee.Guarantee.mu", refused)
    monkeypatch.setattr("neyman.guarantees.guarantee.Guarantee.gdp", refused)
    found = Answers()({"v": 1, "ask": "promise", "settings": PLAIN})
    numbers: Any = found["numbers"]
    assert numbers["mu"] == {
        "text": "not certified", "value": None, "lower": 0.5, "upper": 2.0, "bracket": "0.5 to 2", "says": "",
        "refused": "of some reason",
    }  # fmt: skip
    assert numbers["epsilon"]["text"] == "1.829"
    assert found["gaussian"] is None
    assert "mu is not certified" in str(found["headline"])


def test_no_finite_number_is_said_so() -> None:
    given = Answers({})
    found: Any = given({"v": 1, "ask": "promise", "settings": {"kind": "dpsgd", "noise_multiplier": 0.001,
                                                               "sample_rate": 1, "steps": 10**12}})  # fmt: skip
    assert found["ok"]
    assert found["numbers"]["advantage"]["text"] == "1"
    assert found["numbers"]["bayes_error"]["text"] == "0"


def test_an_epsilon_that_nobody_would_state_keeps_no_other_number() -> None:
    found = ask(settings={"kind": "laplace", "scale": 0.1, "count": 1000}, brackets=False)
    assert found["ok"], found
    assert found["numbers"]["advantage"]["text"] == "1"


def test_recent_guarantees_are_kept_and_few() -> None:
    mine = Answers()
    question = {"v": 1, "ask": "promise", "brackets": False, "settings": {"kind": "gaussian", "noise_multiplier": 1}}
    for count in range(1, 30):
        mine({**question, "settings": {**question["settings"], "count": count}})  # type: ignore[dict-item]
    assert len(mine._kept) == 16
    last = [*mine._kept.values()][-1]
    mine({**question, "settings": {**question["settings"], "count": 29}})  # type: ignore[dict-item]
    assert [*mine._kept.values()][-1] is last


# refusals


DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
BAD: list[tuple[Any, str, str]] = [
    (None, "question", "an object"),
    ([], "question", "an object"),
    ("promise", "question", "an object"),
    ({"v": 1, "ask": "other", "settings": PLAIN}, "ask", "one of promise, solve, compare, report, copy"),
    ({"v": 2, "ask": "promise", "settings": PLAIN}, "v", "1"),
    ({"v": True, "ask": "promise", "settings": PLAIN}, "v", "1"),
    ({"ask": "promise", "settings": PLAIN}, "v", "given"),
    ({"v": 1, "ask": "promise"}, "settings", "given"),
    ({"v": 1, "ask": "promise", "settings": PLAIN, "more": 1}, "question", "an object of v"),
    ({"v": 1, "ask": "promise", "settings": PLAIN, "other": LAPLACE}, "question", "an object of v"),
    ({"v": 1, "ask": "promise", "settings": []}, "settings", "an object"),
    ({"v": 1, "ask": "promise", "settings": {}}, "kind", "one of dpsgd"),
    ({"v": 1, "ask": "promise", "settings": {"kind": ["dpsgd"]}}, "kind", "one of dpsgd"),
    ({"v": 1, "ask": "promise", "settings": {"kind": "given", "name": "spec1"}}, "kind", "one of dpsgd"),
    ({"v": 1, "ask": "promise", "settings": PLAIN, "brackets": 1}, "brackets", "true or false"),
    ({"v": 1, "ask": "compare", "settings": PLAIN}, "other", "given"),
    ({"v": 1, "ask": "solve", "settings": PLAIN, "free": "steps"}, "target", "given"),
    ({"v": 1, "ask": "solve", "settings": PLAIN, "free": "all", "target": {}}, "free", "one of noise_multiplier"),
    ({"v": 1, "ask": "solve", "settings": PLAIN, "free": "scale", "target": {"name": "mu", "value": 1}}, "settings",
     "an object of kind"),
    ({"v": 1, "ask": "solve", "settings": PLAIN, "free": "steps", "target": 1}, "target", "an object"),
    ({"v": 1, "ask": "solve", "settings": PLAIN, "free": "steps", "target": {"name": "luck"}}, "target", "one of eps"),
    ({"v": 1, "ask": "solve", "settings": LAPLACE, "free": "scale", "target": {"name": "mu", "value": 1, "x": 1}},
     "target", "an object of name, value, floor"),
    ({"v": 1, "ask": "solve", "settings": LAPLACE, "free": "scale", "target": {"name": "tpr", "value": 0.001}},
     "value", "a number in (0.01, 1.0)"),
    ({"v": 1, "ask": "solve", "settings": PLAIN, "free": "steps", "target": {"name": "regret", "value": 0.01}},
     "target", "another, where steps are free"),
]  # fmt: skip
NUMBERS: list[Any] = [
    None, True, math.nan, math.inf, -1, -1.0, "", "x", "1_0", "\u0661", "1/0", "nan", "1e999", 10**400, -(10**400), [],
    {}, DEEP, {"a": {"b": DEEP}}, "9" * 100_000, "1" * 65,
]  # fmt: skip
FIELDS = ("noise_multiplier", "sample_rate", "steps")


@pytest.mark.parametrize(("question", "parameter", "allowed"), BAD)
def test_refusals(question: Any, parameter: str, allowed: str) -> None:
    found: Any = answer(question)
    json.dumps(found, allow_nan=False)
    assert (found["v"], found["ok"], found["kind"], found["parameter"]) == (1, False, "invalid", parameter)
    assert found["allowed"].startswith(allowed)
    assert parameter in found["error"]


@pytest.mark.parametrize("field", [*FIELDS, "delta", "fpr", "floor"])
@pytest.mark.parametrize("value", NUMBERS, ids=lambda value: repr(value)[:20])
def test_no_number(field: str, value: Any) -> None:
    more: dict[str, Any] = {"settings": {**PLAIN, field: value}} if field in FIELDS else {field: value}
    found: Any = answer({"v": 1, "ask": "promise", "settings": PLAIN, **more})
    json.dumps(found, allow_nan=False)
    assert (found["ok"], found["kind"], found["parameter"]) == (False, "invalid", field)
    assert len(found["error"]) < 400


@pytest.mark.parametrize("field", [*FIELDS, "kind"])
def test_what_is_missing_is_named(field: str) -> None:
    found = answer({"v": 1, "ask": "promise", "settings": {name: v for name, v in PLAIN.items() if name != field}})
    assert (found["ok"], found["parameter"]) == (False, field)


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({**PLAIN, "sample_rate": 1.5}, "sample_rate"),
        ({**PLAIN, "steps": 1000.5}, "steps"),
        ({**PLAIN, "steps": 0}, "steps"),
        ({**PLAIN, "noise_multiplier": 0}, "noise_multiplier"),
        ({**PLAIN, "noise_multiplier": 1e-200}, "noise_multiplier"),
        ({**PLAIN, "noise_multiplier": 0.05, "sample_rate": 0.5, "steps": 10**15}, "noise_multiplier"),
        ({**PLAIN, "sampling": "shuffled"}, "sampling"),
        ({**PLAIN, "sampling": "allocation", "sample_rate": 0}, "sample_rate"),
        ({**PLAIN, "scale": 1}, "settings"),
        ({"kind": "gaussian", "scale": 1}, "settings"),
        ({"kind": "gaussian", "noise_multiplier": 1, "count": "1.5"}, "count"),
        ({"kind": "laplace", "scale": -1}, "scale"),
        ({"kind": "randomized_response", "epsilon": 1, "k": 1}, "k"),
    ],
)
def test_outside_of_its_domain(said: dict[str, Any], field: str) -> None:
    found = answer({"v": 1, "ask": "promise", "settings": said})
    assert (found["ok"], found["kind"], found["parameter"]) == (False, "invalid", field), found


@pytest.mark.parametrize(
    ("error", "kind"),
    [(NotCertified("epsilon", 1.0, 2.0, "work was left out for want of effort"), "too_long"),
     (NotCertified("epsilon", 1.0, 2.0, "it is so"), "not_certified"), (MemoryError(), "too_long"),
     (RuntimeError("secret path /home/x"), "not_certified")],
)  # fmt: skip
def test_whatever_happens_is_an_answer(monkeypatch: pytest.MonkeyPatch, error: Exception, kind: str) -> None:
    def fail(*_: object) -> None:
        raise error

    mine = Answers()
    monkeypatch.setattr(mine, "of", fail)
    found: Any = mine({"v": 1, "ask": "promise", "settings": PLAIN})
    assert (found["ok"], found["kind"]) == (False, kind)
    assert "secret" not in found["error"]


NOT_IN_A_BROWSER = ("typer", "rich", "yaml", "http.server", "multiprocessing.pool", "socketserver")


def test_answers_need_nothing_that_a_browser_has_not() -> None:
    """There neyman runs under Pyodide: no command line, no server, no processes."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({NOT_IN_A_BROWSER})); from neyman.explorer import answer; "
        f"S = {PLAIN}; T = {{'name': 'mu', 'value': 1}}; "
        "asked = [{'ask': 'promise'}, {'ask': 'solve', 'free': 'steps', 'target': T}, "
        "{'ask': 'compare', 'other': {'kind': 'laplace', 'scale': 1}}, {'ask': 'copy'}]; "
        "print(*(answer({'v': 1, 'settings': S, **one})['ok'] for one in asked))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True"] * 4
