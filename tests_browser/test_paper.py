"""Pages on paper: the first sheet holds the answer, the rest follows, and no table is torn apart."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from cases import CASES
from pypdf import PdfReader

_SHEETS = {"paper": (4, 6), "census": (4, 6), "no mu": (3, 5), "many steps": (5, 9), "hostile": (5, 9)}
_A4 = (595, 842)  # points


def _words(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())  # no ligatures, no lines


def _printed(page: Any) -> list[str]:
    reader = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True)))
    for sheet in reader.pages:
        assert (round(sheet.mediabox.width), round(sheet.mediabox.height)) == pytest.approx(_A4, abs=1)
    return [_words(sheet.extract_text()) for sheet in reader.pages]


@pytest.mark.parametrize("case", CASES)
def test_the_first_sheet_is_the_whole_answer(open_page: Callable[..., Any], case: str):
    page = open_page(case).page
    data = json.loads(page.evaluate("document.getElementById('neyman-report').textContent"))
    sheets = _printed(page)
    least, most = _SHEETS[case]
    assert least <= len(sheets) <= most
    first = sheets[0]
    headline = {claim["quantity"]: claim["text"] for claim in data["claims"] if claim["quantity"] in ("mu", "regret")}
    shown = [text for text in headline.values() if text != "inf"]
    assert bool(shown) is (case != "no mu")
    for text in (data["verdict"]["headline"], data["verdict"]["reason"], data["verify"], *shown):
        assert _words(text) in first
    for heading in ("What was run", "What an attacker can do", "What this does not cover", "How to check it"):
        assert sum(_words(heading) in sheet for sheet in sheets[:1]) == 1
    assert _words(f"Page 1 of {len(sheets)}") in first
    assert _words("For the engineer").upper() in sheets[1].upper()
    assert _words("For the engineer").upper() not in first.upper()


@pytest.mark.parametrize("case", CASES)
def test_no_table_is_torn_apart(open_page: Callable[..., Any], case: str):
    page = open_page(case).page
    tables = page.evaluate("""[...document.querySelectorAll('.scroll:not(.long) table')].map(t => [
        t.caption.textContent, ...[...t.rows].at(-1).cells].map(c => c.textContent ?? c))""")
    sheets = _printed(page)
    assert len(tables) >= 5
    for caption, *last in tables:
        together = [sheet for sheet in sheets if _words(caption) in sheet]
        assert together
        assert all(any(_words(cell) in sheet for sheet in together) for cell in last)
    if case == "many steps":  # sixty rows: on several sheets, under their head
        assert sum("noisesamplingtimes" in sheet for sheet in sheets) >= 2


def test_dark_screens_print_on_white(open_page: Callable[..., Any]):
    page = open_page("paper", color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
