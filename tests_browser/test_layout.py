"""Pages fit the screen they are on: nothing sticks out, nothing lies on anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cases import CASES

# pairs of blocks, neither inside the other, that share more than a pixel both ways
_OVERLAPS = """
() => {
  const blocks = [...document.querySelectorAll('h1, h2, h3, p, li, dt, dd, pre, .scroll, .picture, figcaption')]
    .filter(e => e.getClientRects().length)
    .map(e => [e, e.getBoundingClientRect()]);
  const found = [];
  for (const [i, [a, p]] of blocks.entries()) for (const [b, q] of blocks.slice(i + 1)) {
    if (a.contains(b) || b.contains(a)) continue;
    const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (wide > 1 && high > 1) found.push([a.textContent.slice(0, 40), b.textContent.slice(0, 40), wide, high]);
  }
  return found;
}
"""
# what is wider than its own box, but for tables in their scrolling regions and what is cut by intent
_STICKING_OUT = """
() => [...document.querySelectorAll('body *')].filter(e => !e.closest('svg, script, style, .scroll > table')
    && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))
"""
_SHEET = """
() => {
  const sheet = document.querySelector('.regulator');
  const bottom = element => element.getBoundingClientRect().bottom;
  const lowest = Math.max(...[...sheet.querySelectorAll('*')].map(bottom));
  return [sheet.scrollHeight, sheet.clientHeight, lowest - bottom(sheet)];
}
"""
_WIDTHS = (1280, 768, 400, 320)


@pytest.mark.parametrize("width", _WIDTHS)
@pytest.mark.parametrize("case", CASES)
def test_the_page_never_scrolls_sideways(open_page: Callable[..., Any], case: str, width: int):
    page = open_page(case, width=width).page
    assert page.evaluate("document.scrollingElement.scrollWidth") <= page.evaluate("innerWidth") == width
    assert page.evaluate(_STICKING_OUT) == []


@pytest.mark.parametrize("width", _WIDTHS)
@pytest.mark.parametrize("case", CASES)
def test_nothing_lies_on_anything_else(open_page: Callable[..., Any], case: str, width: int):
    assert open_page(case, width=width).page.evaluate(_OVERLAPS) == []


@pytest.mark.parametrize("case", CASES)
def test_the_first_page_fits_its_sheet(open_page: Callable[..., Any], case: str):
    page = open_page(case, width=665).page  # what is left of A4 between the margins, 176 mm
    page.emulate_media(media="print")
    whole, seen, beyond = page.evaluate(_SHEET)
    assert whole <= seen
    assert beyond <= 1.0
    assert page.evaluate(_OVERLAPS) == []


def test_tables_scroll_by_themselves(open_page: Callable[..., Any]):
    page = open_page("paper", width=320).page
    how = "s => [s.scrollWidth, s.clientWidth, getComputedStyle(s).overflowX]"
    regions = page.evaluate(f"[...document.querySelectorAll('.scroll')].map({how})")
    assert any(whole > seen for whole, seen, _ in regions)
    assert {how for _, _, how in regions} == {"auto"}
