"""Pages can be read by everyone: names for pictures, headings in order, tables with heads, letters that stand out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from cases import CASES
from contrast import CONTRAST

_SAID = "ids => ids.split(' ').map(id => document.getElementById(id).textContent).join(' ')"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("case", CASES)
def test_letters_stand_out(open_page: Callable[..., Any], case: str, scheme: str):
    found = open_page(case, color_scheme=scheme).page.evaluate(CONTRAST, ["body", False])
    assert len(found) > 100
    assert [pair for pair in found if pair[1] < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_stand_on_white(open_page: Callable[..., Any], scheme: str):
    page = open_page("paper", color_scheme=scheme).page
    grounds = page.evaluate("[...document.querySelectorAll('.picture')].map(p => getComputedStyle(p).backgroundColor)")
    assert set(grounds) == {"rgb(255, 255, 255)"}


@pytest.mark.parametrize("case", CASES)
def test_pictures_have_names(open_page: Callable[..., Any], case: str):
    page = open_page(case).page
    pictures = page.get_by_role("img")
    assert pictures.count() == page.locator("svg").count() == page.locator("figure").count()
    assert pictures.count() == (4 if case == "no mu" else 6)  # the scale among them
    names = [pictures.nth(i).get_attribute("aria-labelledby") for i in range(pictures.count())]
    words = [page.evaluate(_SAID, name) for name in names]
    assert all(len(text) > 40 for text in words)
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("case", CASES)
def test_headings_are_in_order_and_regions_named(open_page: Callable[..., Any], case: str):
    page = open_page(case).page
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(h => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    dangling = """[...document.querySelectorAll('[aria-labelledby]')].filter(e =>
        e.getAttribute('aria-labelledby').split(' ').some(id => !document.getElementById(id)))"""
    assert page.evaluate(f"{dangling}.length") == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.title()


@pytest.mark.parametrize("case", CASES)
def test_tables_have_captions_and_heads(open_page: Callable[..., Any], case: str):
    page = open_page(case).page
    tables = page.evaluate("""[...document.querySelectorAll('table')].map(t => ({
        caption: t.caption && t.caption.textContent.length, heads: t.querySelectorAll('thead th[scope=col]').length,
        rows: [...t.tBodies[0].rows].map(r => [r.cells.length, r.cells[0].scope])}))""")
    assert len(tables) >= 6
    for table in tables:
        assert table["caption"]
        assert table["rows"]
        assert all(cells == table["heads"] and scope == "row" for cells, scope in table["rows"])


def test_tables_are_reached_by_the_keyboard(open_page: Callable[..., Any]):
    page = open_page("paper", width=400).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "scroll"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
