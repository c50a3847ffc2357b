"""Everything is done by the keyboard, and said to those who do not see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from explorer.driving import at_rest, read, settled

_CONTROLS = """() => [...document.querySelectorAll("button, input, select, summary, [tabindex='0']")]
    .filter(one => !one.disabled && one.checkVisibility())
    .map((one, i) => one.dataset.stop = String(i))"""
_HERE = "document.activeElement.dataset.stop ?? ''"


def _reached(page: Any, most: int) -> list[str]:
    found: list[str] = []
    page.evaluate("document.activeElement.blur()")
    for _ in range(most + 5):
        page.keyboard.press("Tab")
        here = page.evaluate(_HERE)
        if here:
            found.append(here)
    return found


def test_every_control_is_reached_by_tab_and_shows_that_it_is(explore: Callable[..., Any], engine: str):
    page = explore(engine, "#a=dpsgd,0.8,0.005,1500,poisson&hold=1").page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    at_rest(page)
    stops = page.evaluate(_CONTROLS)
    assert len(stops) > 30
    assert set(_reached(page, len(stops))) >= set(stops)
    page.locator("#noise_multiplier-slider").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_arrows_move_the_answer(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    for name in ("noise_multiplier", "sample_rate", "steps", "fpr", "delta"):
        before = read(page)
        page.locator(f"#{name}-slider").focus()
        page.keyboard.press("ArrowRight")
        settled(page)
        after = read(page)
        assert after["set"][name] != before["set"][name]
        assert after["numbers"] != before["numbers"]
        said = page.locator(f"#{name}-slider").get_attribute("aria-valuetext")
        assert said is not None
        assert said.startswith(after["set"][name])


def test_controls_have_names_and_units(explore: Callable[..., Any]):
    page = explore("server").page
    unnamed = """[...document.querySelectorAll("input, select, button")].filter(one =>
        !(one.getAttribute("aria-label") || one.textContent.trim() || (one.labels && one.labels.length)))"""
    assert page.evaluate(f"{unnamed}.length") == 0
    assert page.locator("#steps-slider").get_attribute("aria-valuetext") == "1000 steps"
    kinds = page.evaluate("[...document.querySelectorAll('[data-control] input')].map(one => one.type)")
    assert kinds == ["text", "range"] * (len(kinds) // 2)


def test_the_sentence_is_said_after_a_pause(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    said = page.locator("#said")
    assert said.get_attribute("role") == "status"
    page.locator("#noise_multiplier-slider").focus()
    page.wait_for_timeout(900)
    before = said.text_content()
    page.keyboard.press("ArrowLeft")
    settled(page)
    assert said.text_content() == before  # not while somebody is still at it
    page.wait_for_timeout(900)
    shown = read(page)
    assert shown["sentence"] in (said.text_content() or "")
    assert shown["headline"] in (said.text_content() or "")


def test_refusals_are_said_where_they_belong(explore: Callable[..., Any], engine: str):
    page = explore(engine).page
    field = page.locator("#noise_multiplier")
    field.fill("-1")
    settled(page)
    assert page.locator("#refused").is_visible()
    assert not page.locator("#sentence").is_visible()
    assert field.get_attribute("aria-invalid") == "true"
    said = page.locator(f"#{field.get_attribute('aria-describedby')}").text_content()
    assert said is not None
    assert "-1" in said
    assert ("a number from 0.6 to 2.5" if engine == "table" else "finite number > 0") in said
    assert said.count("finite number") <= 1  # what is allowed is said once
    page.wait_for_timeout(900)
    assert page.locator("#said").text_content() == page.locator("#refused-error").text_content()
    field.fill("1.5")
    settled(page)
    assert field.get_attribute("aria-invalid") is None
    assert page.locator("#sentence").is_visible()
