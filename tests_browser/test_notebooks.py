"""The notebooks of examples/, run in a kernel and shown as JupyterLab does: every card and every picture is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from contrast import CONTRAST
from notebooks import CARDS, PICTURES, SCHEMES
from test_cards import STICKING_OUT

_WIDTHS = (1280, 375)
_OURS = ".neyman-card, .jp-OutputArea-output[data-mime-type='text/plain'] pre"
_PICTURES = """
() => [...document.querySelectorAll('.jp-OutputArea img')].map(i => {
  const b = i.getBoundingClientRect();
  return [i.complete && i.naturalWidth > 0, b.width, b.right <= innerWidth + 0.5];
})
"""


@pytest.mark.parametrize("width", _WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", CARDS)
def test_a_notebook_shows_all_it_has(
    open_file: Callable[..., Any], notebooks: dict[tuple[str, str], Path], name: str, scheme: str, width: int
):
    opened = open_file(notebooks[name, scheme], width=width, color_scheme=scheme)
    page = opened.page
    assert page.locator(".neyman-card").count() == CARDS[name]
    said = page.evaluate("[...document.querySelectorAll('.jp-OutputArea-output')].map(e => e.textContent).join()")
    assert "Warning" not in said
    assert "Traceback" not in said
    pictures = page.evaluate(_PICTURES)
    assert len(pictures) == PICTURES[name]
    assert all(loaded and inside and wide > 150 for loaded, wide, inside in pictures)
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate("document.scrollingElement.scrollWidth") <= page.evaluate("innerWidth") == width
    assert opened.complaints == []
    assert opened.requests == [opened.address]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", CARDS)
def test_letters_of_a_notebook_stand_out(
    open_file: Callable[..., Any], notebooks: dict[tuple[str, str], Path], name: str, scheme: str
):
    """In JupyterLab by night in a browser by day, too."""
    for browser in SCHEMES:
        page = open_file(notebooks[name, scheme], color_scheme=browser).page
        found = page.evaluate(CONTRAST, [_OURS, True])
        assert len(found) > 20
        assert [pair for pair in found if pair[1] < 4.5] == []
