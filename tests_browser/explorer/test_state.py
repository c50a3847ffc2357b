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
