"""Cards fit where they are, by day and by night, on a telephone too, and every letter of them can be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cards import KINDS
from contrast import CONTRAST

_SCHEMES, _WIDTHS = ("light", "dark"), (1280, 375)
# what is wider than its card, but for a table in its scrolling region
STICKING_OUT = """
() => [...document.querySelectorAll('.neyman-card')].flatMap(card => {
  const edge = card.getBoundingClientRect();
  return [...card.querySelectorAll('*')].filter(e => !e.closest('style, .nm-rows > table')
    && (e.getBoundingClientRect().right > edge.right + 0.5 || e.getBoundingClientRect().left < edge.left - 0.5))
    .map(e => e.outerHTML.slice(0, 120));
})
"""
_CUT = """
() => [...document.querySelectorAll('.neyman-card :is(p, td, th)')].filter(e => !e.closest('[tabindex]')
    && e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 120))
"""
# a number that is torn apart at the end of a line
_TORN = """
() => [...document.querySelectorAll('.neyman-card td')].filter(e => {
  const text = document.createRange();
  text.selectNodeContents(e);
  return /^[0-9.e-]+$/.test(e.textContent) && new Set([...text.getClientRects()].map(r => r.top)).size > 1;
}).map(e => e.textContent)
"""
# a region that scrolls and cannot be reached by the keyboard
_UNREACHED = """
() => [...document.querySelectorAll('.neyman-card .nm-rows')].filter(e => e.scrollWidth > e.clientWidth + 1
    && e.tabIndex !== 0).map(e => e.outerHTML.slice(0, 120))
"""


@pytest.mark.parametrize("scheme", _SCHEMES)
@pytest.mark.parametrize("width", _WIDTHS)
def test_every_card_fits(open_file: Callable[..., Any], cards: Path, scheme: str, width: int):
    opened = open_file(cards, width=width, color_scheme=scheme)
    page = opened.page
    shown = page.evaluate(
        "[...document.querySelectorAll('section')].map(s => [s.dataset.kind, s.children[0].className])"
    )
    assert shown == [[kind, "neyman-card"] for kind in KINDS]
    assert page.evaluate("document.scrollingElement.scrollWidth") <= page.evaluate("innerWidth") == width
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate(_CUT) == []
    assert page.evaluate(_TORN) == []
    assert page.evaluate(_UNREACHED) == []
    assert opened.complaints == []
    assert opened.requests == [opened.address]


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_letters_of_cards_stand_out(open_file: Callable[..., Any], cards: Path, scheme: str):
    page = open_file(cards, color_scheme=scheme).page
    found = page.evaluate(CONTRAST, [".neyman-card", True])
    assert len(found) > 300
    assert [pair for pair in found if pair[1] < 4.5] == []
    ground = page.evaluate("getComputedStyle(document.querySelector('.neyman-card')).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 25, 31)")


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_the_theme_around_a_card_counts_more_than_the_browser(open_file: Callable[..., Any], cards: Path, scheme: str):
    """JupyterLab, VS Code and Colab may be dark in a light browser, and the other way round."""
    other = "dark" if scheme == "light" else "light"
    page = open_file(cards, color_scheme=scheme).page
    page.evaluate(f"document.body.dataset.jpThemeLight = '{str(other == 'light').lower()}'")
    ground = page.evaluate("getComputedStyle(document.querySelector('.neyman-card')).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if other == "light" else "rgb(21, 25, 31)")
    assert [pair for pair in page.evaluate(CONTRAST, [".neyman-card", True]) if pair[1] < 4.5] == []


def test_a_curve_is_drawn_where_there_is_one(open_file: Callable[..., Any], cards: Path):
    page = open_file(cards).page
    how = "[...document.querySelectorAll('section:has(svg)')].map(s => s.dataset.kind)"
    drawn = set(page.evaluate(how))
    assert {"guarantee", "given", "comparison", "calibration", "verdict", "summary"} <= drawn
    boxes = page.evaluate(
        "[...document.querySelectorAll('.neyman-card polyline')].map(p => [p.getBBox().width, p.getBBox().height])"
    )
    assert all(max(width, height) > 90 for width, height in boxes)  # BLATANT lies on the axis
