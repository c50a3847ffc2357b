"""The reference in short pages, and a place for every error."""

from __future__ import annotations

import re
from collections import Counter
from pydoc import locate

import neyman as ny
from tests.docs.examples import ROOT

API = sorted((ROOT / "docs" / "api").glob("*.md"))
MOST = 8  # objects on a page of the reference: of more, a page is a scroll of screens


def _listed(text: str) -> list[str]:
    return re.findall(r"^::: (\S+)$", text, re.MULTILINE)


def test_pages_of_the_reference_are_short_and_nothing_stands_on_two() -> None:
    listed = {page.stem: _listed(page.read_text(encoding="utf-8")) for page in API}
    assert {name: len(found) for name, found in listed.items() if len(found) > MOST} == {}
    every = Counter(name for found in listed.values() for name in found)
    assert [name for name, times in every.items() if times > 1] == []


def test_a_class_that_is_shown_in_part_is_shown_whole_somewhere() -> None:
    """What a page leaves out of a class by naming its members, another page shows by itself."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in API)
    shown = set(_listed(text))
    parts = re.findall(r"^::: (\S+)\n    options:\n      members: \[(.*)\]$", text, re.MULTILINE)
    assert len(parts) > 3
    for path, names in parts:
        owner = locate(path)
        public = {name for name, what in vars(owner).items() if name[0] != "_" and getattr(what, "__doc__", None)}
        beside = {name.rpartition(".")[2] for name in shown if name.rpartition(".")[0] == path}
        assert public <= {*names.split(", "), *beside}, path


def test_every_error_has_a_place_that_says_the_way_out() -> None:
    """docs/errors.md has an anchor for each kind, by its name: NotCertified is at #not-certified."""
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    anchors = set(re.findall(r"^##+ .*\{: #([\w-]+) \}$", text, re.MULTILINE))
    kinds = {
        kind.__name__
        for kind in map(ny.__getattribute__, ny.__all__)
        if isinstance(kind, type) and issubclass(kind, ny.NeymanError) and kind is not ny.NeymanError
    }
    assert len(kinds) >= 5
    for kind in {*kinds, "MissingPackage"}:
        assert re.sub("(?<!^)(?=[A-Z])", "-", kind).lower() in anchors, kind
