"""What is refused is said in the words of the page, with the way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from explorer.driving import at_rest, read, settled, type_in

_OUTSIDE = [
    ("fpr", "2", "False alarm rate must be a number in (0, 1)"),
    ("delta", "0", "Delta must be a number"),
    ("floor", "0.7", "Floor must be a number in (0, 0.5)"),
    ("noise_multiplier", "1,5", "Noise multiplier must be"),
    ("steps", "1.5", "Steps must be a whole number from"),
    ("sample_rate", "2", "Sample rate must be a number"),
]


@pytest.mark.parametrize(("name", "text", "said"), _OUTSIDE)
def test_a_number_is_called_what_its_control_is_called(
    explore: Callable[..., Any], engine: str, name: str, text: str, said: str
):
    if engine == "table" and name == "floor":
        return  # a table has one floor, and any above it is answered
    page = explore(engine).page
    page.evaluate("document.querySelector('details.more').open = true")
    type_in(page, name, text)
    settled(page)
    words = read(page)["refused-error"]
    assert words.startswith(said)
    assert f"got {text}." in words
    assert page.locator(f"#{name}-hint").text_content() == words


@pytest.mark.parametrize(
    ("target", "text"),
    [("tpr", "2"), ("tpr", "0.005"), ("reconstruction", "1e-9"), ("mu", "1e-9"), ("epsilon", "-1"), ("posterior", "x")],
)
def test_so_is_the_risk(explore: Callable[..., Any], target: str, text: str):
    page = explore("server", "#free=steps").page
    page.locator("#free").select_option("steps")
    page.locator("#target").select_option(target)
    type_in(page, "risk", text)
    settled(page)
    words = page.locator("#risk-hint").text_content()
    assert words.startswith("The risk you accept must be ")
    assert f"got {text}." in words


def test_the_prior_of_a_target_is_called_what_its_control_is_called(explore: Callable[..., Any]):
    page = explore("server", "#target=posterior&risk=0.7&hold=1").page
    type_in(page, "prior", "3")
    settled(page)
    assert page.locator("#prior-hint").text_content().startswith("Chance before the attack must be ")


@pytest.mark.parametrize(
    ("text", "way"),
    [("1,5", "Write 1.5, without a comma."), ("1,000", "Write 1000 or 1.000, without a comma."), ("a,b", None)],
)
def test_a_comma_is_told(explore: Callable[..., Any], engine: str, text: str, way: str | None):
    page = explore(engine).page
    type_in(page, "noise_multiplier", text)
    settled(page)
    words = read(page)["refused-error"]
    assert (way in words) if way else ("Write" not in words)
    type_in(page, "noise_multiplier", "1.5")
    settled(page)
    assert not read(page)["refused"]


def test_what_is_too_long_is_not_cut_but_told(explore: Callable[..., Any], engine: str):
    opened = explore(engine)
    page = opened.page
    long = "1." + 58 * "0" + "1"
    type_in(page, "noise_multiplier", long)  # 61 characters: all of them are read
    settled(page)
    shown = read(page)
    assert shown["set"]["noise_multiplier"] == long
    assert not shown["refused"]
    at_rest(page)
    address = page.url
    type_in(page, "noise_multiplier", 200_000 * "1")
    settled(page)
    at_rest(page)
    words = read(page)["refused-error"]
    assert words.startswith("Noise multiplier must be a number of at most 64 characters, got 1111")
    assert "(200000 characters)" in words
    assert page.url == address
    assert opened.complaints == []
