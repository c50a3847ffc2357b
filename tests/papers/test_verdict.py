"""When ours agrees with a printed number: on made-up cases, and for every bracket."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman_papers import Above, Below, Holds, Number, Published, Rounds, Statement, Undetermined, judge
from neyman_papers.published import Rule
from neyman_papers.verdict import outward


def entry(rule: Rule, reason: str = "why") -> Published:
    return Published("a paper", "key", "Table 1", "a number", "1.67", rule, reason)


def outcome(rule: Rule, low: float, high: float | None = None) -> str:
    return judge(entry(rule), Number(low, low if high is None else high)).outcome


@pytest.mark.parametrize(
    ("rule", "low", "high", "expected"),
    [
        (Rounds("1.67"), 1.666, 1.6661, "reproduced"), (Rounds("1.67"), 1.6749, 1.6751, "undetermined"),
        (Rounds("1.67"), 1.68, 1.69, "differs"), (Rounds("1.67"), 1.6, 1.7, "undetermined"),
        (Rounds("1.67"), 1.65, 1.66, "differs"), (Rounds("1e-3"), 1.02e-3, 1.03e-3, "reproduced"),
        (Rounds("1e-3"), 1.6e-3, 1.7e-3, "differs"), (Rounds("21"), 20.6, 20.9, "reproduced"),
        (Rounds("0.00"), 0.0, 0.004, "reproduced"), (Rounds("0.00"), -1e-9, 0.006, "undetermined"),
        (Below("1e-3"), 0.0, 9.9e-4, "reproduced"), (Below("1e-3"), 1.01e-3, 1.02e-3, "differs"),
        (Below("1e-3"), 9e-4, 1.1e-3, "undetermined"), (Below("1"), 1.0, 1.0, "differs"),
        (Above("3"), 3.1, 4.0, "reproduced"), (Above("3"), 3.0, 3.0, "differs"), (Above("3"), 2.0, 4.0, "undetermined"),
        (Rounds("1"), math.nan, math.nan, "undetermined"), (Rounds("1"), 1.0, math.nan, "undetermined"),
        (Rounds("1"), math.inf, math.inf, "differs"), (Rounds("1"), -math.inf, math.inf, "undetermined"),
        (Undetermined(), 1.0, 1.0, "undetermined"), (Holds(), 1.0, 1.0, "undetermined"),
    ],
)  # fmt: skip
def test_numbers(rule: Rule, low: float, high: float, expected: str) -> None:
    assert outcome(rule, low, high) == expected


@pytest.mark.parametrize(("holds", "expected"), [(True, "reproduced"), (False, "differs"), (None, "undetermined")])
def test_statements(holds: bool | None, expected: str) -> None:
    verdict = judge(entry(Holds()), Statement(holds, "because"))
    assert (verdict.outcome, verdict.note) == (expected, "because")
    assert verdict.why == ("" if expected == "reproduced" else "why")
    assert judge(entry(Undetermined()), Statement(holds, "because")).outcome == "undetermined"
    assert judge(entry(Rounds("1")), Statement(holds, "because")).outcome == "undetermined"


def test_a_sentence_that_is_left_open_holds_of_ours_alone() -> None:
    assert judge(entry(Undetermined()), Statement(True, "")).shown == "holds of ours"
    assert judge(entry(Undetermined()), Statement(False, "")).shown == "does not hold of ours"
    assert judge(entry(Holds()), Statement(None, "")).shown == "cannot be told"
    assert [judge(entry(Holds()), Statement(holds, "")).shown for holds in (True, False)] == ["holds", "does not hold"]


def test_nothing_of_ours() -> None:
    verdict = judge(entry(Undetermined()), None)
    assert (verdict.outcome, verdict.shown, verdict.note, verdict.why) == ("undetermined", "", "", "why")
    assert judge(entry(Rounds("1"), ""), Number(0.0, 2.0)).why == "Our bracket is too wide to tell."


@given(text=st.decimals("-99", "99", places=3), low=st.floats(-100, 100), width=st.floats(0, 1))
def test_a_whole_bracket_decides(text: Decimal, low: float, width: float) -> None:
    """Reproduced says that every point of the bracket is; differs, that none is."""
    rule = Rounds(str(text))
    found = outcome(rule, low, low + width)
    inside = [abs(Decimal(x) - text) <= Decimal("0.0005") for x in (low, low + width, low + 0.5 * width)]
    if found == "reproduced":
        assert all(inside)
    elif found == "differs":
        assert not any(inside)
    assert (found == "reproduced") == all(inside[:2])


@given(st.floats(1e-300, 1e300), st.integers(1, 15))
def test_printed_bounds_are_bounds(value: float, digits: int) -> None:
    assert float(outward(value, digits, up=False)) <= value <= float(outward(value, digits, up=True))
    assert float(outward(value, digits, up=True)) <= value * (1.0 + 10.0 ** (1 - digits)) * (1 + 1e-12)


@given(st.floats(-1e3, 1e3), st.floats(0.0, 1e-3))
def test_the_bracket_shown_holds_ours(low: float, width: float) -> None:
    verdict = judge(entry(Rounds("1.67")), Number(low, low + width))
    ends = [float(end) for end in verdict.shown.strip("[]").split(",")]
    slack = 1e-6 * abs(low) if len(ends) == 1 else 0.0
    assert ends[0] - slack <= low
    assert low + width <= ends[-1] + slack


def test_json() -> None:
    verdict = judge(entry(Rounds("1")), Number(math.inf, math.inf, certified=False))
    assert json.loads(json.dumps(verdict.to_json(), allow_nan=False))["ours"] == {
        "lower": "inf", "upper": "inf", "certified": False,
    }  # fmt: skip
    assert verdict.uncertified
    assert judge(entry(Holds()), Statement(True, "x")).to_json()["ours"] == {"holds": True}
    assert judge(entry(Undetermined()), None).to_json()["ours"] is None
