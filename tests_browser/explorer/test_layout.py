"""The page fits its screen and its paper, and does not move for those who asked it not to."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from explorer.driving import at_rest, read, type_in
from pypdf import PdfReader

_STICKING_OUT = """() => [...document.querySelectorAll("body *")]
    .filter(one => !one.closest("svg, script, style, .unseen")
        && one.getBoundingClientRect().right > innerWidth + 0.5)
    .map(one => one.outerHTML.slice(0, 90))"""
_OVERLAPS = """() => {
  const kinds = "h1, h2, h3, p, li, label, button, input, select, summary, pre, svg, figcaption, table";
  const blocks = [...document.querySelectorAll(kinds)]
    .filter(one => one.checkVisibility() && !one.closest(".strip, .unseen, svg svg") && one.getClientRects().length)
    .map(one => [one, one.getBoundingClientRect()]);
  const found = [];
  for (const [i, [a, p]] of blocks.entries()) for (const [b, q] of blocks.slice(i + 1)) {
    if (a.contains(b) || b.contains(a)) continue;
    const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (wide > 1 && high > 1) found.push([a.outerHTML.slice(0, 60), b.outerHTML.slice(0, 60), wide, high]);
  }
  return found;
}"""
_A4 = (595, 842)  # points


@pytest.mark.parametrize("width", [1280, 1024, 768, 375, 320])
def test_nothing_sticks_out_or_lies_on_anything_else(explore: Callable[..., Any], engine: str, width: int):
    page = explore(engine, "#a=dpsgd,0.8,0.005,1500,poisson&hold=1", width).page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    at_rest(page)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert page.evaluate(_STICKING_OUT) == [] if width > 375 else True  # the table scrolls by itself
    assert page.evaluate(_OVERLAPS) == []
    type_in(page, "noise_multiplier", "0")
    at_rest(page)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert page.evaluate(_OVERLAPS) == []


@pytest.mark.parametrize("width", [1280, 375, 320])
def test_no_word_of_a_name_is_torn(explore: Callable[..., Any], engine: str, width: int):
    page = explore(engine, "#a=dpsgd,0.8,0.005,1500,poisson", width).page
    at_rest(page)
    torn = """() => {
      const found = [];
      for (const cell of document.querySelectorAll("th, .numbers summary span, .control label, .pick label")) {
        if (!cell.checkVisibility()) continue;
        const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (text.nextNode()) for (const word of text.currentNode.data.matchAll(/[a-z]+/gi)) {
          const range = new Range();
          range.setStart(text.currentNode, word.index);
          range.setEnd(text.currentNode, word.index + word[0].length);
          if (range.getClientRects().length > 1) found.push(word[0]);
        }
      }
      return found;
    }"""
    assert page.evaluate(torn) == []


def test_on_a_phone_the_answer_stays_in_sight(explore: Callable[..., Any]):
    page = explore("table", width=375).page
    page.locator("#delta-slider").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 200)")
    strip = page.locator(".strip").bounding_box()
    assert strip is not None
    assert strip["y"] == pytest.approx(0.0, abs=1)
    words = page.locator(".strip").inner_text()
    numbers = read(page)["numbers"]
    assert numbers["epsilon"] in words
    assert numbers["mu"] in words


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper(explore: Callable[..., Any], engine: str, scheme: str):
    page = explore(engine, color_scheme=scheme).page
    at_rest(page)
    shown = read(page)
    sheets = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True))).pages
    assert 1 <= len(sheets) <= 3
    for sheet in sheets:
        assert (round(sheet.mediabox.width), round(sheet.mediabox.height)) == pytest.approx(_A4, abs=1)
    words = ["".join(sheet.extract_text().split()) for sheet in sheets]
    for text in (shown["sentence"], shown["headline"], shown["run"]):
        assert "".join(text.split()) in words[0]
    for name, text in shown["numbers"].items():  # each with its bracket
        bracket = page.locator(f"details:has([data-number={name}]) p").nth(1).text_content() or ""
        assert bracket or text == "not certified"
        shown_as = "".join(text.split())
        assert any(shown_as in sheet and "".join(bracket.split()) in sheet for sheet in words)
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("button:visible, input:visible, select:visible").count() == 0


def test_nothing_moves_by_itself_where_motion_is_not_wanted(explore: Callable[..., Any]):
    moving = """[...document.querySelectorAll("*")].filter(one => {
        const style = getComputedStyle(one);
        return style.transitionDuration.split(", ").some(time => parseFloat(time) > 0.02)
            || style.animationDuration.split(", ").some(time => parseFloat(time) > 0.02);
    }).length"""
    assert explore("table", reduced_motion="reduce").page.evaluate(moving) == 0
    assert explore("table").page.evaluate(moving) > 0


def test_without_programs_the_page_says_so(explore: Callable[..., Any], browser: Any, addresses: dict[str, str]):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(addresses["table"])
    assert "programs are switched off" in page.locator("main").inner_text()
    context.close()
