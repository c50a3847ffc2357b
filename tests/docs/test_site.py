"""What is checked of a built site: it loads nothing from elsewhere, and leads to what is looked for."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import ROOT

DOCS = ROOT / "docs"


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS / "hooks"))
    monkeypatch.delitem(sys.modules, "check_site", raising=False)
    return importlib.import_module("check_site")


def _site(place: Path, check: Any, page: str = "", left_out: str = "") -> Path:
    """A site of one page, whose index has a title for everything that is sought, but for what is left out."""
    (place / "search").mkdir()
    found = [{"location": where, "title": f"On <b>{what.title()}</b>!"} for what, where in check.SOUGHT.items()]
    merged: dict[str, str] = {}
    for entry, what in zip(found, check.SOUGHT, strict=True):
        if what != left_out:
            merged[entry["location"]] = merged.get(entry["location"], "") + entry["title"]
    docs = [{"location": where, "title": title} for where, title in merged.items()]
    (place / "search" / "search_index.json").write_text(json.dumps({"docs": docs}))
    (place / "index.html").write_text(page)
    return place


def test_a_whole_site_has_no_faults(check: Any, tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text("<svg/>")
    page = '<img src="a.svg#only-light"><link rel="canonical" href="https://x.org"><img src="data:,">'
    assert check.faults(_site(tmp_path, check, page)) == []


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ('<img src="a.svg#only-dark">', "index.html loads a.svg#only-dark, which is not there"),
        ('<script src="https://cdn.org/x.js"></script>', "index.html loads https://cdn.org/x.js"),
        ('<link rel="stylesheet" href="//fonts.org/f.css">', "index.html loads //fonts.org/f.css"),
    ],
)
def test_what_is_loaded_from_elsewhere_or_missing_is_said(check: Any, tmp_path: Path, page: str, said: str) -> None:
    assert check.faults(_site(tmp_path, check, page)) == [said]


@pytest.mark.parametrize(
    "sought", ["epochs", "batch size", "sensitivity index", "total variation", "analytic gaussian"]
)
def test_what_the_search_does_not_lead_to_is_said(check: Any, tmp_path: Path, sought: str) -> None:
    said = f"a search for {sought!r} does not find {check.SOUGHT[sought]}"
    assert check.faults(_site(tmp_path, check, left_out=sought)) == [said]


def test_a_folder_without_pages_is_no_site(check: Any, tmp_path: Path) -> None:
    assert check.faults(tmp_path) == [f"{tmp_path} holds no page"]


def test_what_is_sought_stands_in_titles_of_the_sources(check: Any) -> None:
    """The same without a build: a heading of the page has every word."""
    for sought, place in check.SOUGHT.items():
        page, _, anchor = place.partition("#")
        lines = (DOCS / page.replace(".html", ".md")).read_text(encoding="utf-8").splitlines()
        end = f"{{: #{anchor} }}" if anchor else ""
        title = next(line for line in lines if line.startswith("#") and line.endswith(end))
        assert all(word in title.lower() for word in sought.split()), (sought, title)
