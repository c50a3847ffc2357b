"""Every picture that a page shows is drawn when the site is built, and every picture that is drawn is shown."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import ROOT

HOOKS = ROOT / "docs" / "hooks"


@pytest.fixture
def gallery(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The pictures as MkDocs finds them: their folder on the path."""
    monkeypatch.syspath_prepend(str(HOOKS))
    for name in ("gallery", "ten"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import gallery as found  # pyright: ignore[reportMissingImports]

    return found


def _shown(page: Path) -> set[str]:
    return set(re.findall(r"!\[[^]]*\]\((?:\.\./)*pictures/([\w-]+)\.svg\)", page.read_text(encoding="utf-8")))


def test_pages_show_what_is_drawn(gallery: Any) -> None:
    drawn = {*gallery.PICTURES, *gallery.TEN}
    assert len(drawn) == len(gallery.PICTURES) + len(gallery.TEN)
    shown = set[str]().union(*map(_shown, (ROOT / "docs").rglob("*.md")))
    assert shown == drawn


def test_ten_pictures_are_ten_in_order(gallery: Any) -> None:
    text = (ROOT / "docs" / "ten-pictures.md").read_text(encoding="utf-8")
    assert re.findall(r"pictures/([\w-]+)\.svg", text) == list(gallery.TEN)
    assert re.findall(r"^## (\d+)\. ", text, re.MULTILINE) == [str(n) for n in range(1, 11)]


@pytest.mark.slow
def test_each_of_the_ten_is_drawn(gallery: Any) -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    import neyman as ny

    mpl.use("Agg")
    for title, draw in gallery.TEN.values():
        with ny.plot.style.paper():
            ax = draw()
        assert title
        assert ax.lines
        assert ax.get_xlabel()
        assert ax.get_legend() is not None
        plt.close(ax.figure)
