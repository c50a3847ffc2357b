"""Every picture that a page shows is drawn when the site is built, and every picture that is drawn is shown."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import ROOT, blocks

HOOKS = ROOT / "docs" / "hooks"
_PICTURE = r"!\[[^]]*\]\((?:\.\./)*pictures/([\w-]+)\.svg\)"


@pytest.fixture
def gallery(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The pictures as MkDocs finds them: their folder on the path."""
    monkeypatch.syspath_prepend(str(HOOKS))
    for name in ("gallery", "shown", "ten"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import gallery as found  # pyright: ignore[reportMissingImports]

    return found


def _shown(page: Path) -> set[str]:
    return set(re.findall(_PICTURE, page.read_text(encoding="utf-8")))


def test_pages_show_what_is_drawn(gallery: Any) -> None:
    own = re.findall(_PICTURE, (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))
    drawn = {*gallery.PICTURES, *gallery.TEN, *own}
    assert len(drawn) == len(gallery.PICTURES) + len(gallery.TEN) + len(own)
    shown = set[str]().union(*map(_shown, (ROOT / "docs").rglob("*.md")))
    assert shown == drawn


def test_the_gallery_has_every_kind_and_draws_each_from_the_code_above_it(
    gallery: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is drawn under a name is what the block above that name calls, at the place where readers see it; every
    block of the page is run, and none prints what the page does not show.
    """
    import neyman as ny

    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    pieces = re.split(_PICTURE, text)
    code = {name: before.rpartition("```python")[2] for before, name in zip(pieces[::2], pieces[1::2], strict=False)}
    kinds = {name for name in ny.plot.__all__ if hasattr(getattr(ny.plot, name), "data")}
    assert len(kinds) > 15
    assert {kind for kind in kinds if any(f"ny.plot.{kind}(" in block for block in code.values())} == kinds
    run = [block for block in blocks(text) if block.runs]
    assert {(block.language, block.shown, block.slow) for block in run} == {("python", None, False)}
    drawn = {name: ax for name, _, ax in gallery.drawn()}
    assert capsys.readouterr().out == ""
    assert len(run) == len(re.findall("^```python$", text, re.MULTILINE))  # as the gallery finds them
    assert list(drawn) == list(code)
    for name, ax in drawn.items():
        assert ax.get_xlabel(), name
    assert drawn["tradeoff"].get_xlabel() == "false positive rate α"
    assert len(drawn["four-languages"].figure.axes) == 4
    assert len(drawn["three-noises"].figure.axes) == 3


def test_every_picture_is_there_by_day_and_by_night(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are loaded by the theme that they are for, and differ in their colours alone."""
    import neyman as ny

    monkeypatch.syspath_prepend(str(HOOKS))
    import themes  # pyright: ignore[reportMissingImports]

    day = ny.plot.svg(ny.plot.tradeoff(ny.GDP(1.0)), "a")
    night = themes.by_night(day)
    shape = re.compile("#[0-9a-f]{6}", re.IGNORECASE)
    assert shape.sub("", day) == shape.sub("", night)
    assert "#ffffff" in day
    assert not {"#ffffff", "#222222", "#000000"} & set(shape.findall(night))
    found = themes.pairs("![A](../pictures/a-b.svg){.picture} ![B](pictures/b.svg){.picture .wide} ![C](c.svg)")
    assert found == (
        "![A](../pictures/a-b.svg#only-light){.picture loading=lazy}"
        "![A](../pictures/a-b-dark.svg#only-dark){.picture loading=lazy} "
        "![B](pictures/b.svg#only-light){.picture .wide loading=lazy}"
        "![B](pictures/b-dark.svg#only-dark){.picture .wide loading=lazy} ![C](c.svg)"
    )
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(_PICTURE, text)) == themes.pairs(text).count("#only-dark"), page


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
