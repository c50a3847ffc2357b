"""axe finds nothing serious: light and dark, wide and narrow, with all that can be opened open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from explorer.driving import at_rest, settled, type_in

_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_FINDINGS = """async (rules) => (await axe.run(document, { runOnly: rules })).violations
    .filter(one => ["serious", "critical"].includes(one.impact))
    .map(one => [one.id, one.impact, one.nodes.map(node => node.html.slice(0, 100))])"""
_MINOR = """async (rules) => (await axe.run(document, { runOnly: rules })).passes.length"""


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(explore: Callable[..., Any], axe: str, engine: str, scheme: str, width: int):
    page = explore(engine, "#a=dpsgd,0.8,0.005,1500,poisson&hold=1", width, color_scheme=scheme).page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    at_rest(page)
    page.evaluate(axe)
    assert page.evaluate(_FINDINGS, _RULES) == []
    assert page.evaluate(_MINOR, _RULES) > 20  # it did look
    type_in(page, "steps", "0")
    settled(page)
    assert page.evaluate(_FINDINGS, _RULES) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_toggle_turns_the_page_over(explore: Callable[..., Any], axe: str, scheme: str):
    page = explore("table", color_scheme=scheme).page
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    toggle = page.locator("#theme")
    there, back = ("light", "dark") if scheme == "dark" else ("dark", "light")
    assert toggle.inner_text() == f"Switch to {there}"
    toggle.press("Enter")
    assert page.evaluate(ground) != before
    assert toggle.inner_text() == f"Switch to {back}"
    page.evaluate(axe)
    assert page.evaluate(_FINDINGS, _RULES) == []
    toggle.press("Enter")
    assert page.evaluate(ground) == before


def test_axe_would_find_something(explore: Callable[..., Any], axe: str):
    page = explore("table").page
    page.evaluate("document.querySelector('label[for=noise_multiplier]').remove()")
    page.evaluate(axe)
    assert "label" in [found[0] for found in page.evaluate(_FINDINGS, _RULES)]
