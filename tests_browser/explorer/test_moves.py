"""Two hundred moves of random sliders: every number shown is the engine's, rounded to its safe side."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from explorer.driving import positions, read, settled, slide, type_in

from neyman.explorer import Answers

_MOVES = 200
_SETTINGS = ("noise_multiplier", "sample_rate", "steps")
_SLIDERS = (*_SETTINGS, "fpr", "delta")
_FROM_BELOW = ("bayes_error", "fixed_point")
# where every answer takes a moment: half an axis around the middle
_CALM = (0.25, 0.75)


@pytest.fixture(scope="module")
def native() -> Answers:
    return Answers()


def _question(shown: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = shown["set"]
    settings = {"kind": "dpsgd", **{name: told[name] for name in _SETTINGS}, "sampling": "poisson"}
    beside = {name: told[name] for name in ("fpr", "delta", "floor")}
    return {"v": 1, "ask": "promise", "settings": settings, **beside, **more}


def test_every_number_is_that_of_the_native_engine(explore: Callable[..., Any], native: Answers):
    page = explore("server").page
    draw = random.Random(20_261_127)
    ends = positions(page, _SLIDERS)
    seen: list[dict[str, Any]] = []
    for _ in range(_MOVES):
        name = draw.choice(_SLIDERS)
        slide(page, name, round(draw.uniform(*_CALM) * ends[name]))
        settled(page)
        seen.append(read(page))
    for shown in seen:  # after all moves: a page at rest asks for more, which would be answered at the same time
        _agrees(shown, native(_question(shown, brackets=False)))


def _agrees(shown: dict[str, Any], answer: Any) -> None:
    assert answer["ok"], answer
    assert shown["numbers"] == {key: number["text"] for key, number in answer["numbers"].items()}
    assert shown["sentence"] == answer["odds"]["sentence"]
    assert shown["headline"] == answer["headline"]["number"]
    assert shown["run"] == answer["run"]
    assert shown["strip-epsilon"] == f"ε ≤ {answer['numbers']['epsilon']['text']}"
    assert shown["strip-mu"] == f"μ ≤ {answer['numbers']['mu']['text']}"
    for key, number in answer["numbers"].items():
        text, value = Decimal(number["text"]), Decimal(number["value"])
        assert text <= value if key in _FROM_BELOW else text >= value
        assert abs(text - value) <= abs(value) / 1000


def test_what_is_typed_is_what_is_asked(explore: Callable[..., Any], native: Answers):
    page = explore("server").page
    typed = {"sample_rate": "512/60000", "noise_multiplier": "1.0625", "steps": "1e3", "delta": "0.001%"}
    for name, text in typed.items():
        type_in(page, name, text)
        settled(page)
        shown = read(page)
        assert shown["set"][name] == text
        answer: Any = native(_question(shown, brackets=False))
        assert shown["numbers"]["epsilon"] == answer["numbers"]["epsilon"]["text"]
    page.wait_for_timeout(300)
    page.wait_for_selector("body:not(.busy)")
    answer = native(_question(read(page)))
    for name, number in answer["numbers"].items():
        row = page.locator(f"details:has([data-number={name}])")
        row.locator("summary").press("Enter")
        assert number["bracket"]
        assert f"The truth: {number['bracket']}." in row.inner_text()
        assert number["says"] in row.inner_text()
