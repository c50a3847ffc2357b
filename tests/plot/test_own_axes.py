"""Pictures on Axes of the user's own, dark ones too; pyplot, where it is used; and what a notebook shows once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from matplotlib import style
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

import neyman as ny
from neyman.plot.drawing.style import INK

G = ny.account(ny.Laplace(1.0))
DRAWN = {
    "tradeoff": lambda ax: ny.plot.tradeoff(*[ny.GDP(x / 4.0) for x in range(1, 8)], ax=ax),
    "regret": lambda ax: ny.plot.regret(G, ax=ax),
    "roc_tangent": lambda ax: ny.plot.roc_tangent(G, ax=ax),
    "bayes_error": lambda ax: ny.plot.bayes_error(G, ny.GDP(1.0), ax=ax),
    "profile": lambda ax: ny.plot.profile(G, ax=ax),
}


@pytest.mark.parametrize("name", DRAWN)
def test_dark_axes_stay_dark_and_nothing_is_lost_on_them(name: str) -> None:
    """No ink on dark paper, no white box on it; and spines, ticks and names as they were."""
    with style.context("dark_background"):
        ax = Figure().add_subplot()
        before = [to_hex(spine.get_edgecolor()) for spine in ax.spines.values()]
        shown = [spine.get_visible() for spine in ax.spines.values()]
        size = ax.xaxis.label.get_fontsize()
        DRAWN[name](ax)
        lines = [*ax.lines, *(ax.get_legend().get_lines() if ax.get_legend() else [])]
        words = [one for one in ax.findobj(Text) if one.get_text()]
    assert {to_hex(line.get_color()) for line in lines}.isdisjoint({INK, "#000000"})
    assert {to_hex(text.get_color()) for text in words}.isdisjoint({INK, "#000000"})
    boxes = [one.get_bbox_patch() for one in words]
    assert all(to_hex(box.get_facecolor()) == "#000000" for box in boxes if box is not None and box.get_alpha() is None)
    assert [to_hex(spine.get_edgecolor()) for spine in ax.spines.values()] == before
    assert [spine.get_visible() for spine in ax.spines.values()] == shown
    assert ax.xaxis.label.get_fontsize() == size


def test_pyplot_manages_what_is_drawn_where_it_is_used() -> None:
    """And not what a report draws for itself, nor anything where nobody has imported it."""
    code = (
        "import matplotlib; matplotlib.use('Agg'); import sys, neyman as ny; g = ny.GDP(1.0); ny.plot.tradeoff(g); "
        "assert 'matplotlib.pyplot' not in sys.modules; import matplotlib.pyplot as plt; assert not plt.get_fignums(); "
        "ax = ny.plot.tradeoff(g); assert plt.gcf() is ax.figure; ny.report(g).to_html(); print(plt.get_fignums()); "
        "plt.close('all'); assert ax._repr_png_()[:4] == b'\\x89PNG'"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[1]\n"


def test_a_notebook_shows_it_once() -> None:
    """The inline backend shows what pyplot manages when the cell is done; the Axes then show nothing themselves."""
    code = (
        "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt, neyman as ny; "
        "ax = ny.plot.tradeoff(ny.GDP(1.0)); plt.get_backend = lambda: 'inline'; print(ax._repr_png_()); "
        "plt.close(ax.figure); print(ax._repr_png_()[:4])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "None\nb'\\x89PNG'\n"


def test_a_title_and_a_label() -> None:
    ax = ny.plot.tradeoff(G, label="the release", title="Mean salary")
    assert ax.figure.get_suptitle() == "Mean salary"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["the release"]
    own = Figure().add_subplot()
    ny.plot.envelope(G, label="f", title="From f to R", ax=own)
    assert own.get_title() == "From f to R"
    for picture in (ny.plot.tradeoff, ny.plot.privacy_loss):
        with pytest.raises(ny.InvalidParameter, match="title must be"):
            picture(G, title="")
    with pytest.raises(ny.InvalidParameter, match="label must be left out"):
        ny.plot.privacy_loss(G, label="a")
    with pytest.raises(ny.InvalidParameter, match="label must be left out"):
        ny.plot.tradeoff(G, label="a", labels=["b"])
