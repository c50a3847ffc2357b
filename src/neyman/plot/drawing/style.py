"""The look of the pictures: a paper column, colours that the colour-blind tell apart, dashes that survive in grey."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from neyman.plot.drawing.extras import need_matplotlib

__all__ = ["BAND", "COLOURS", "DASHES", "GUIDE", "HEIGHT", "INK", "MARKERS", "WIDTH", "Look", "look", "paper"]

WIDTH = 3.35  # inches: one column of a two-column paper
HEIGHT = 2.6  # inches
INK = "#222222"  # text, ticks and spines
GUIDE = "#8a8a8a"  # diagonals, floors, rulers
BAND = 0.25  # opacity of a certified band

# Okabe and Ito (2008), Color universal design, without the yellow, which white paper swallows
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
# ink and paper by turns, in widths of the line; six, coprime to the seven colours: 42 curves before a repeat
DASHES: tuple[Any, ...] = (
    "solid",
    (0, (5.0, 1.6)),
    (0, (1.0, 1.2)),
    (0, (6.0, 1.5, 1.0, 1.5)),
    (0, (2.6, 1.3)),
    (0, (8.0, 1.4, 1.0, 1.4, 1.0, 1.4)),
)
MARKERS = ("", "o", "s", "^", "D", "v", "P")  # by rounds of the dashes

_SETTINGS: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.labelpad": 2.5,
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8.0,
    "figure.constrained_layout.h_pad": 0.02,
    "figure.constrained_layout.w_pad": 0.02,
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib: the same letters on every machine
    "font.size": 8.0,
    "hatch.linewidth": 0.4,
    "legend.borderaxespad": 0.4,
    "legend.fontsize": 7.0,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "legend.handletextpad": 0.6,
    "legend.labelspacing": 0.3,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.2,
    "mathtext.fontset": "dejavusans",
    "savefig.dpi": 300,
    "svg.fonttype": "path",
    "svg.hashsalt": "neyman",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 7.0,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.5,
    "xtick.minor.size": 1.5,
    "xtick.minor.width": 0.4,
    "ytick.color": INK,
    "ytick.labelsize": 7.0,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.5,
    "ytick.minor.size": 1.5,
    "ytick.minor.width": 0.4,
}


class Look(NamedTuple):
    """How one curve is drawn."""

    colour: str
    dashes: Any
    marker: str


def look(number: int) -> Look:
    """Return the look of the curve of that number, counted from 0; the first 42 all differ in colour or in dashes.

    Examples
    --------
    >>> look(0)
    Look(colour='#0072B2', dashes='solid', marker='')
    >>> len({look(number) for number in range(42)}), len({str(look(number).dashes) for number in range(6)})
    (42, 6)
    """
    rounds = number // len(DASHES)
    return Look(COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)], MARKERS[rounds % len(MARKERS)])


def paper() -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws as these pictures are drawn, whatever the user's own settings.

    Nothing outlives the context: the settings before it come back.

    Raises
    ------
    MissingPackage
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> before = matplotlib.rcParams["font.size"]
    >>> with paper():
    ...     matplotlib.rcParams["font.size"]
    8.0
    >>> matplotlib.rcParams["font.size"] == before
    True
    """
    need_matplotlib()
    from matplotlib import style

    return style.context(["default", _SETTINGS])
