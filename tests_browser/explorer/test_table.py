"""The table's page: every number is that of the stop beyond what is set, and never below the truth of what is set."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from explorer.driving import positions, read, settled, slide, type_in

import neyman as ny
from neyman.explorer import Answers
from neyman.understanding.number_text import exact

_MOVES = 200
_SETTINGS = ("noise_multiplier", "sample_rate", "steps")
_SAFER_ABOVE = {"noise_multiplier": True, "sample_rate": False, "steps": False}
_UNIT = Fraction(1, 1000)  # of four digits, the last


def _between(stops: Sequence[str], draw: random.Random) -> str:
    """A number that people might type, inside the axis."""
    low, high = float(exact(stops[0])), float(exact(stops[-1]))
    return f"{low * (high / low) ** draw.random():.3g}"


def _stop(name: str, stops: Sequence[str], text: str) -> int:
    value = exact(text)
    if _SAFER_ABOVE[name]:
        return max(i for i, stop in enumerate(stops) if exact(stop) <= value)
    return min(i for i, stop in enumerate(stops) if exact(stop) >= value)


class _Expected:
    """What a table says of settings as they are written; the curve in exact numbers, but for 60 digits of exp."""

    def __init__(self, table: dict[str, Any], told: dict[str, str]) -> None:
        axes = table["axes"]
        index = {name: _stop(name, axes[name], told[name]) for name in _SETTINGS}
        flat = 0
        for name in _SETTINGS:
            flat = flat * len(axes[name]) + index[name]
        self.exact = all(exact(axes[name][index[name]]) == exact(told[name]) for name in _SETTINGS)
        self.mu, self.regret, self.advantage = (table[name][flat] for name in ("mu", "regret", "advantage"))
        row = next(i for i, delta in enumerate(table["deltas"]) if exact(delta) <= exact(told["delta"]))
        self.epsilon = table["epsilon"][row][flat]
        pairs = [(column[flat], delta) for column, delta in zip(table["epsilon"], table["deltas"], strict=True)]
        known = [pair for pair in (*pairs, ("0", self.advantage)) if None not in pair]
        self._lines = [(Decimal(e), Decimal(d)) for e, d in known]

    def most(self, alpha: Fraction) -> Fraction:
        """1 - beta of the lines."""
        at, beta = Decimal(alpha.numerator) / Decimal(alpha.denominator), Decimal(0)
        for e, d in self._lines:
            beta = max(beta, 1 - d - e.exp() * at, (-e).exp() * (1 - d - at))
        return Fraction(1 - beta)


@pytest.fixture(scope="module")
def native() -> Answers:
    return Answers()


def _native(native: Answers, told: dict[str, str]) -> dict[str, Any]:
    settings = {"kind": "dpsgd", **{name: told[name] for name in _SETTINGS}}
    beside = {name: told[name] for name in ("fpr", "delta", "floor")}
    answer: Any = native({"v": 1, "ask": "promise", "settings": settings, **beside})
    assert answer["ok"], answer
    return answer


def _rounded_up(text: str, value: Fraction) -> bool:
    """Whether a text of four digits is not below a value, and not above what rounding makes of it."""
    return value <= Fraction(text) <= value * (1 + _UNIT) + Fraction(1, 10**11)


def test_every_number_is_that_of_the_stop_beyond(explore: Callable[..., Any], table: dict[str, Any], native: Answers):
    page = explore("table").page
    draw = random.Random(1127)
    ends = positions(page, (*_SETTINGS, "fpr", "delta"))
    for _ in range(_MOVES):
        name = draw.choice((*_SETTINGS, "fpr", "delta"))
        if name in _SETTINGS and draw.random() < 0.5:
            text = _between(table["axes"][name], draw)
            type_in(page, name, str(round(float(text))) if name == "steps" else text)
        else:
            slide(page, name, draw.randint(0, ends[name]))
        settled(page)
        shown = read(page)
        assert not shown["refused"], shown["refused-error"]
        told, numbers = shown["set"], shown["numbers"]
        expected = _Expected(table, told)
        assert numbers["mu"] == expected.mu
        assert numbers["epsilon"] == expected.epsilon
        assert numbers["advantage"] == expected.advantage
        assert numbers["regret"] == (expected.regret if expected.exact else "not certified")
        assert (shown["certain"] == "") is expected.exact
        assert _rounded_up(numbers["tpr"], expected.most(exact(told["fpr"])))
        _odds_are_true(shown["sentence"], expected, exact(told["fpr"]))
        _not_below_the_truth(numbers, _native(native, told))


def _odds_are_true(sentence: str, expected: _Expected, fpr: Fraction) -> None:
    words = [int(word.strip(".;,").replace(",", "")) for word in sentence.split() if word[0].isdigit()]
    people, out, again, inside = words
    assert people == again
    assert out - 1 < people * fpr <= out
    most = people * expected.most(Fraction(out, people))
    assert most <= inside < most + 1 + Fraction(1, 1000)


def _not_below_the_truth(numbers: dict[str, str], answer: dict[str, Any]) -> None:
    for name, number in answer["numbers"].items():
        if name in numbers and numbers[name] != "not certified":
            if name == "bayes_error":
                assert Fraction(numbers[name]) <= Fraction(number["upper"])
            else:
                assert Fraction(numbers[name]) >= Fraction(number["lower"]), name


def test_no_attack_is_above_the_curve_that_is_drawn(explore: Callable[..., Any]):
    """Read from the picture, to the hundredth of a pixel in which it is drawn."""
    page = explore("table", "#noise_multiplier=1&sample_rate=0.01&steps=1000").page
    drawn = page.locator("#curve .bound").get_attribute("d")
    assert drawn is not None
    guarantee = ny.account(ny.DPSGD(1.0, 0.01, 1000))
    points = [tuple(map(float, pair.split())) for pair in drawn[1:].split("L")]
    assert len(points) > 20  # the corners of its lines
    for x, y in points[1:-1]:
        alpha, reached = (x - 60) / 386, (376 - y) / 362
        assert reached >= guarantee.tpr(min(max(alpha, 1e-12), 1.0)).value * (1 - 1e-12)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("noise_multiplier", "1.0000000000000000000000001"), ("noise_multiplier", "0.9999999999999999999999"),
        ("sample_rate", "0.01000000000000000000000001"), ("sample_rate", "512/60000"), ("sample_rate", ".9%"),
        ("sample_rate", "2/300"), ("sample_rate", "0.0066666666666666"), ("sample_rate", "0.00666666666666666667"),
        ("steps", "1e3"), ("steps", "1001"), ("steps", "999.0"), ("noise_multiplier", "9e99"),
        ("sample_rate", "1e-300"), ("steps", "1"),
    ],
)  # fmt: skip
def test_what_is_typed_snaps_to_the_safe_side(explore: Callable[..., Any], table: dict[str, Any], name: str, text: str):
    """To the last digit that is written: a float would have taken some of these for stops."""
    page = explore("table").page
    type_in(page, name, text)
    settled(page)
    shown = read(page)
    expected = _Expected(table, shown["set"])
    assert shown["set"][name] == text
    assert shown["numbers"]["epsilon"] == expected.epsilon
    assert shown["numbers"]["mu"] == expected.mu
    assert (shown["certain"] == "") is expected.exact


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("noise_multiplier", "0.5999", "a number from 0.6 to 2.5 in this table"),
        ("sample_rate", "0.0201", "a number from 0.001 to 0.02 in this table"),
        ("steps", "4001", "a whole number from 100 to 4000 in this table"),
        ("noise_multiplier", "nan", "a number from"), ("noise_multiplier", "1e9999", "a number from"),
        ("noise_multiplier", "Infinity", "a number from"), ("sample_rate", "0", "a number from"),
        ("sample_rate", "1/0", "a number from"), ("sample_rate", "-1%", "a number from"),
        ("steps", "10.5", "a whole number from"), ("steps", "0x10", "a whole number from"),
        ("delta", "1e-13", "in this table"), ("delta", "1", "in this table"),
        ("fpr", "0", "a number in (0, 1)"), ("fpr", "1", "a number in (0, 1)"),
        ("floor", "1e-11", "a number from 1e-10 to below 1 in this table"),
    ],
)  # fmt: skip
def test_what_the_table_does_not_hold_is_refused(explore: Callable[..., Any], name: str, text: str, said: str):
    page = explore("table").page
    page.locator(".more").evaluate("one => one.open = true")
    type_in(page, name, text)
    settled(page)
    shown = read(page)
    assert shown["refused"]
    label = page.locator(f"label[for={name}]").inner_text()
    words = shown["refused-error"]
    assert words.startswith(f"{label} must be ")
    assert said in words
    assert f"got {text}." in words
    assert page.locator(f"#{name}").get_attribute("aria-invalid") == "true"
    assert page.locator("[data-number]:visible").count() == 0


def test_the_least_noise_that_meets_a_risk_is_found(explore: Callable[..., Any], table: dict[str, Any]):
    page = explore("table").page
    page.locator("#target").select_option("epsilon")
    type_in(page, "risk", "1.5")
    settled(page)
    shown = read(page)
    noise = table["axes"]["noise_multiplier"]
    told = [_Expected(table, {**shown["set"], "noise_multiplier": stop}).epsilon for stop in noise]
    met = [stop for stop, e in zip(noise, told, strict=True) if Decimal(e) <= Decimal("1.5")]
    assert shown["set"]["noise_multiplier"] == met[0]
    type_in(page, "risk", "0.001")
    settled(page)
    assert "No stop" in read(page)["refused-error"]


def test_what_needs_the_engine_is_said(explore: Callable[..., Any]):
    page = explore("table").page
    button = page.locator("#report")
    assert button.get_attribute("aria-disabled") == "true"
    why = page.locator(f"#{button.get_attribute('aria-describedby')}")
    assert "neyman explore" in why.inner_text()
    button.press("Enter")  # it can be reached, and does nothing
    assert why.inner_text().startswith("A report needs the engine")
    assert not page.locator("#batches").is_visible()
