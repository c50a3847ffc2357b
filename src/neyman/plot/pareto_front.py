"""Accuracy and excess vulnerability of runs that share a budget, and which of them are Pareto-efficient."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.plot.drawing.columns import Columns
from neyman.plot.drawing.marks import curve, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.style import COLOURS, GUIDE
from neyman.plot.sweeps.swept import axis_span, name_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["pareto"]

_CAPTION = (
    "Left axis: excess vulnerability Δ(baseline ‖ run), certified from above, in the attacker's Bayes error. Right "
    "axis: accuracy. Points are runs, lines lead the eye. Hollow: runs that are not Pareto-efficient, since another "
    "one is as accurate and costs as little, or better; shaded: where all runs between two efficient ones, or beyond "
    "the last, are such. Star: the most accurate run."
)

_X = ("noise_multiplier", "sample_rate", "steps")


class _Rows(Protocol):
    """What ``ny.table`` returns, as far as it is read here: that room stands above this one."""

    def records(self) -> list[Mapping[str, Any]]:
        """One mapping a run."""
        ...


def _data(table: _Rows, x: str = "noise_multiplier") -> Columns:
    """Return the points of `pareto`: the column ``x``, ``divergence``, ``accuracy`` and ``efficient``, by rising x."""
    if not callable(getattr(table, "records", None)):
        raise InvalidParameter("table", table, "a Table of ny.table with a baseline and accuracies")
    given = table.records()
    names = list(given[0])
    if x not in _X:
        raise InvalidParameter("x", x, f"one of {', '.join(_X)}")
    if "divergence" not in names or "efficient" not in names:
        advice = "ny.table(runs, baseline=...), and a column accuracy or utility."
        raise InvalidParameter("table", ", ".join(names), "one with a baseline and accuracies", advice)
    rows = [row for row in given if row["efficient"] is not None]
    if len(rows) < 2:
        raise InvalidParameter("table", len(rows), "one of at least two runs with an accuracy")
    rows.sort(key=lambda row: float(row[x] or 0.0))
    wanted = (x, "divergence", "accuracy")
    found: dict[str, Any] = {name: np.array([float(row[name] or 0.0) for row in rows]) for name in wanted}
    if len(set(found[x].tolist())) < len(rows):
        raise InvalidParameter("x", x, "a column in which runs differ")
    return Columns({**found, "efficient": np.array([bool(row["efficient"]) for row in rows])}, {}, _CAPTION)


@picture(_data)
def pareto(table: _Rows, x: str = "noise_multiplier", ax: Axes | None = None) -> Axes:
    """Draw excess vulnerability and accuracy of runs, and the region that no one should choose from.

    Parameters
    ----------
    table : Table
        What ``ny.table`` returned for runs with accuracies and a baseline; runs without an accuracy are left out.
    x : str
        What runs are laid out by: "noise_multiplier", "sample_rate" or "steps"; all different.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out. Accuracy gets an axis of its own on the right.

    Returns
    -------
    matplotlib Axes
        That of the excess.

    Raises
    ------
    InvalidParameter
        If the table has no baseline or fewer than two accuracies, or runs are alike in ``x``.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point, Section 5 and Fig. 5.

    Examples
    --------
    >>> import neyman as ny
    >>> rows = [{"noise_multiplier": noise, "sample_rate": 0.1, "steps": steps, "accuracy": accuracy}
    ...         for noise, steps, accuracy in ((2.0, 943, 0.72), (3.0, 2328, 0.75), (4.0, 4270, 0.74))]
    >>> found = ny.table(rows, baseline="1")
    >>> ax = ny.plot.pareto(found)
    >>> ny.plot.pareto.data(found)["efficient"]
    array([ True,  True, False])
    """
    data = _data(table, x)
    across = axis_span(data[x], 0.06)
    with on_paper(ax) as axes:
        scales(axes, across, axis_span(np.append(data["divergence"], 0.0), 0.08), (name_of(x), "Δ(baseline ‖ run)"))
        for low, high in _inefficient(data[x], data["efficient"], (across.low, across.high)):
            axes.axvspan(low, high, color=GUIDE, alpha=0.18, linewidth=0.0, zorder=0.5)
        entries: list[tuple[Artist, str]] = [(_line(axes, data, "divergence", x, 0), "excess vulnerability (left)")]
        right = axes.twinx()
        right.spines["right"].set_visible(True)
        right.spines["right"].set_linewidth(0.5)
        right.set_ylim(*axis_span(data["accuracy"], 0.12)[:2])
        right.set_ylabel("accuracy", fontsize=8.0, color=COLOURS[1])
        right.tick_params(axis="y", size=2.5, width=0.5, labelsize=7.0, colors=COLOURS[1])
        entries.append((_line(right, data, "accuracy", x, 1), "accuracy (right)"))
        best = int(np.argmax(data["accuracy"]))
        (star,) = right.plot(data[x][best], data["accuracy"][best], "*", markersize=9.0, color=COLOURS[1], zorder=5.0)
        entries.append((star, "most accurate"))
        legend(axes, entries, ())
    return axes


def _line(axes: Axes, data: Columns, name: str, x: str, number: int) -> Artist:
    """A line with filled points for efficient runs, and hollow ones for the others."""
    drawn = curve(axes, data[x], data[name], number, name)
    colour, good = COLOURS[number], data["efficient"]
    axes.plot(data[x][good], data[name][good], "o", markersize=4.0, color=colour, zorder=4.0)
    (hollow,) = axes.plot(data[x][~good], data[name][~good], "o", markersize=4.0, color=colour, zorder=4.0)
    hollow.set_markerfacecolor("white")
    return drawn


def _inefficient(x: FloatArray, good: Any, ends: tuple[float, float]) -> list[tuple[float, float]]:
    """From one efficient run to the next, where all between are not; to the end of the axis beyond the last."""
    edges = [(ends[0], -1), *((float(x[i]), int(i)) for i in np.flatnonzero(good)), (ends[1], len(x))]
    return [(low, high) for (low, i), (high, j) in pairwise(edges) if j - i > 1]
