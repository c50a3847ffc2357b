"""What is set is in the address, and comes back from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from explorer.driving import at_rest, positions, read, settled, slide, type_in


def _address(page: Any) -> str:
    page.wait_for_timeout(400)
    return page.evaluate("location.hash")


def test_settings_come_back_from_the_address(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    ends = positions(page, ("noise_multiplier", "fpr"))
    for name, last in ends.items():
        slide(page, name, round(0.7 * last))
    type_in(page, "sample_rate", "1/150")
    type_in(page, "delta", "1e-6")
    page.locator("#log").click()
    page.locator("#pin-a").click()
    type_in(page, "steps", "500")
    at_rest(page)
    before, fragment = read(page), _address(page)
    words = page.locator("#compared").text_content()
    again = explore(engine, fragment).page
    at_rest(again)
    assert read(again) == before
    assert again.locator("#log").is_checked()
    assert again.locator("#compared").text_content() == words
    assert _address(again) == fragment


def test_a_held_risk_comes_back(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    page.locator("#target").select_option("epsilon")
    type_in(page, "risk", "2")
    at_rest(page)
    before, fragment = read(page), _address(page)
    assert page.locator("#hold").is_checked()
    again = explore(engine, fragment).page
    at_rest(again)
    assert read(again) == before
    assert again.locator("#solved").text_content() == page.locator("#solved").text_content()


def test_an_address_that_is_pasted_is_followed(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    page.evaluate("location.hash = '#noise_multiplier=1.5&steps=500'")
    page.wait_for_timeout(100)
    settled(page)
    assert read(page)["set"]["noise_multiplier"] == "1.5"
    assert read(page)["set"]["steps"] == "500"


def test_every_kind_comes_back(explore: Callable[..., Any]):
    page = explore("server").page
    for kind, field in (("gaussian", "noise_multiplier"), ("laplace", "scale"), ("randomized_response", "epsilon")):
        page.locator("#kind").select_option(kind)
        type_in(page, field, "1.25")
        type_in(page, "count", "3")
        at_rest(page)
        again = explore("server", _address(page)).page
        settled(again)
        assert read(again) == read(page)
        assert not read(page)["refused"]


def test_an_address_that_says_nonsense_is_said_to(explore: Callable[..., Any], engine: str):
    """Whoever follows a mistyped link must not believe the numbers of another run."""
    page = explore(engine, "#kind=dpsgd&noise_multiplier=NaN&sample_rate=0.01&steps=<b>1</b>").page
    settled(page)
    words = page.locator("#certain").text_content()
    assert "The address was not understood (noise_multiplier, steps): this is another run." in words
    assert page.locator("#certain b").count() == 0
    type_in(page, "steps", "500")
    settled(page)
    assert "not understood" not in page.locator("#certain").text_content()


def test_an_empty_field_leaves_the_answer_there_and_grey(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    settled(page)
    before = page.locator("#sentence").text_content()
    page.locator("#fpr").fill("")
    page.wait_for_timeout(300)
    assert page.locator("#sentence").text_content() == before
    assert page.locator("#refused").is_hidden()
    assert page.locator("body.stale").count() == 1
    type_in(page, "fpr", "0.02")
    settled(page)
    assert page.locator("body.stale").count() == 0


def test_what_is_copied_between_stops_says_whose_numbers_these_are(explore: Callable[..., Any]):
    page = explore("table").page
    stop = page.locator("#noise_multiplier").input_value()
    type_in(page, "noise_multiplier", f"{stop}37" if "." in stop else f"{stop}.0037")
    at_rest(page)
    told = page.locator("#copying").text_content()
    assert told.count("a stop of the table that protects no more than noise multiplier") == 3
