"""Panels side by side in the look of the plot room, and the few marks that every figure uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from neyman._validate import FloatArray
from neyman.guarantees import Guarantee
from neyman.plot.drawing.columns import Columns
from neyman.plot.drawing.style import COLOURS, DASHES, GUIDE, INK, WIDTH
from neyman_papers.drawn import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "ALPHAS", "bayes_of", "curve_of", "curves_of", "legend", "line", "mark", "panels", "ruler", "shade", "square",
]  # fmt: skip

_PANEL = 2.9  # inches, where several share a row

ALPHAS: FloatArray = np.unique(np.concatenate([np.linspace(0.0, 1.0, 201), np.geomspace(1e-6, 5e-3, 60)]))
"""False positive rates, dense near 0."""


def panels(columns: int = 1, rows: int = 1, height: float = 2.5) -> tuple[Figure, list[Axes]]:
    """A figure with so many axes, row by row."""
    from neyman.plot.drawing.figure import PaperFigure

    width = WIDTH if columns == 1 else _PANEL * columns
    figure = PaperFigure(figsize=(width, height * rows), layout="constrained")
    made: Any = figure.subplots(rows, columns, squeeze=False)
    return figure, list(made.ravel())


def line(axes: Axes, x: Any, y: Any, number: int, label: str = "", **style: Any) -> None:
    """A curve in the look of that number; "" is left out of the legend."""
    look: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[number % len(DASHES)], **style}
    axes.plot(x, y, label=label or "_nolegend_", **look)


def mark(
    axes: Axes, x: float, y: float, text: str = "", offset: tuple[float, float] = (5.0, 5.0), **style: Any
) -> None:
    """A dot with its text beside it, ``offset`` in points."""
    look: dict[str, Any] = {"marker": "o", "color": INK, "zorder": 5, **style}
    axes.plot([x], [y], linestyle="none", **look)
    if text:
        align = "left" if offset[0] > 0.0 else "right" if offset[0] < 0.0 else "center"
        paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        axes.annotate(text, (x, y), offset, textcoords="offset points", fontsize=7, ha=align, color=INK, bbox=paper)


def ruler(
    axes: Axes, start: tuple[float, float], stop: tuple[float, float], text: str, offset: tuple[float, float]
) -> None:
    """A measured distance: a line with ends, and its length."""
    axes.annotate("", start, stop, arrowprops={"arrowstyle": "|-|,widthA=0.25,widthB=0.25", "lw": 0.9, "color": INK,
                                               "shrinkA": 0, "shrinkB": 0}, zorder=4)  # fmt: skip
    middle = (0.5 * (start[0] + stop[0]), 0.5 * (start[1] + stop[1]))
    align = "left" if offset[0] > 0.0 else "right" if offset[0] < 0.0 else "center"
    axes.annotate(
        text,
        middle,
        offset,
        textcoords="offset points",
        fontsize=7,
        ha=align,
        va="center",
        color=INK,
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        zorder=3.5,
    )


def shade(axes: Axes, x: Any, y: Any, number: int, label: str, hatch: str = "", opacity: float = 0.3) -> None:
    """The area below a curve; the hatch tells areas apart without colour."""
    axes.fill_between(x, 0.0, y, facecolor=COLOURS[number], alpha=opacity, hatch=hatch, edgecolor=COLOURS[number],
                      linewidth=0.0, label=label or "_nolegend_")  # fmt: skip


def square(
    axes: Axes, x: str = "false positive rate α", y: str = "false negative rate β", diagonal: bool = True
) -> None:
    """Axes of a trade-off curve, with the line of perfect privacy."""
    if diagonal:
        axes.plot([0.0, 1.0], [1.0, 0.0], color=GUIDE, linewidth=0.6)
    axes.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), xlabel=x, ylabel=y, aspect="equal")


def legend(axes: Axes) -> None:
    """The legend of a trade-off curve: on white, for the line of perfect privacy passes there."""
    axes.legend(loc="upper right", frameon=True, facecolor="white", edgecolor="none", framealpha=1.0, borderpad=0.3)


def curve_of(name: str, g: Guarantee, alpha: FloatArray = ALPHAS) -> Curve:
    """A trade-off curve as numbers: its certified bounds."""
    return Curve(name, {"alpha": alpha, "beta_at_least": g.beta(alpha), "beta_at_most": g.optimistic.beta(alpha)})


def curves_of(data: Columns) -> list[Curve]:
    """The numbers of a picture of the plot room; its single facts as a curve of one point."""
    parts: dict[str, Mapping[str, Any]] = {name: data.of(name).columns for name in data.curves} or {
        "curve": data.columns
    }
    if data.facts:
        parts["facts"] = {name: [value] for name, value in data.facts.items()}
    return [
        Curve(name, {_side(column, columns): values for column, values in columns.items()})
        for name, columns in parts.items()
    ]


def _side(column: str, columns: Mapping[str, Any]) -> str:
    """A column's name as all pictures of the papers have it: which side of the truth it is on."""
    for end, side in (("_lower", "_at_least"), ("_upper", "_at_most")):
        if column.endswith(end):
            return column.removesuffix(end) + side
    return f"{column}_at_most" if f"{column}_lower" in columns else column


def bayes_of(name: str, g: Guarantee, prior: FloatArray) -> Curve:
    """A Bayes error function as numbers: its certified bounds."""
    columns = {"prior": prior, "error_at_least": g.bayes_error(prior), "error_at_most": g.optimistic.bayes_error(prior)}
    return Curve(name, columns)
