"""A sweep as a map: one quantity over two axes, by colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.plot.drawing.columns import Columns
from neyman.plot.drawing.marks import on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import Span
from neyman.plot.drawing.style import GUIDE, INK
from neyman.plot.sweeps.swept import Swept, axis_span, name_of, swept

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["sweep_map"]

_CAPTION = (
    "{quantity} ({side}), one cell for each setting that was computed. Hatched cells could not be certified or are "
    "infinite; nothing is interpolated."
)
_VECTOR = 4_000  # cells up to which each is a shape of its own in a vector file


def _data(dataset: Any, quantity: str, x: str, y: str) -> Columns:
    """Return the cells of `sweep_map`: the columns ``x``, ``y`` and ``quantity``, named so.

    A setting that could not be certified is NaN.
    """
    found = swept(dataset, quantity, {"x": x, "y": y})
    across, up = np.meshgrid(*found.axes, indexing="ij")
    cells = {x: across.ravel(), y: up.ravel(), quantity: found.values.ravel()}
    return Columns(cells, {}, _CAPTION.format(quantity=quantity, side=found.side or "as swept"))


@picture(_data)
def sweep_map(dataset: Any, quantity: str, x: str, y: str, ax: Axes | None = None) -> Axes:
    """Draw one quantity of a sweep over two axes, as a map of cells.

    Parameters
    ----------
    dataset : xarray.Dataset
        What ``ny.sweep`` returned; every other axis has one value (``dataset.sel``).
    quantity : str
        As it was asked for: "mu", "epsilon(1e-5)".
    x, y : str
        The axes, of at least two values each.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If a name is not in the dataset, or another axis still has several values.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Settings that failed are hatched: nothing is interpolated. The colours, cividis, rise in lightness as in value, so
    that they are read alike by the colour-blind and in grey; they are logarithmic where values span more than a decade.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.sweep(noise_multiplier=[1.0, 2.0], sample_rate=[0.001, 0.01], steps=1000, quantities="mu")
    >>> ax = ny.plot.sweep_map(found, "mu", x="noise_multiplier", y="sample_rate")
    >>> ny.plot.sweep_map.data(found, "mu", x="noise_multiplier", y="sample_rate")["mu"].shape
    (4,)
    """
    found = swept(dataset, quantity, {"x": x, "y": y})
    for name, values in zip((x, y), found.axes, strict=True):
        if len(values) < 2:
            advice = "Draw lines instead: ny.plot.sweep_lines."
            raise InvalidParameter("dataset", f"one value of {name}", "of several values there", advice)
    edges = [_edges(values) for values in found.axes]
    spans = [Span(float(edge[0]), float(edge[-1]), log) for edge, log in edges]
    with on_paper(ax) as axes:
        scales(axes, spans[0], spans[1], (name_of(x), name_of(y)))
        _draw(axes, found, (edges[0][0], edges[1][0]))
    return axes


def _edges(values: FloatArray) -> tuple[FloatArray, bool]:
    """The bounds of cells around values, halfway to the next, on the axis that suits them."""
    log = axis_span(values).log
    v = np.log(values) if log else values
    middle = 0.5 * (v[1:] + v[:-1])
    edges = np.concatenate([[v[0] - (middle[0] - v[0])], middle, [v[-1] + (v[-1] - middle[-1])]])
    return (np.exp(edges) if log else edges), log


def _draw(axes: Axes, found: Swept, edges: tuple[FloatArray, FloatArray]) -> None:
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.patches import Rectangle

    values = np.ma.masked_invalid(found.values.T)
    span = axis_span(found.values, 0.0)
    norm = LogNorm(span.low, span.high) if span.log else Normalize(span.low, span.high)
    axes.set_facecolor("white")
    hatched = Rectangle((0.0, 0.0), 1.0, 1.0, transform=axes.transAxes, facecolor="white", edgecolor=GUIDE)
    hatched.set(hatch="xxxx", linewidth=0.0, zorder=0.5)
    axes.add_patch(hatched)  # seen wherever no cell is drawn
    mesh = axes.pcolormesh(
        *edges,
        values,
        norm=norm,
        cmap="cividis",
        rasterized=values.size > _VECTOR,
        edgecolors="face",
        linewidth=0.1,
        zorder=1.0,
    )
    figure = axes.get_figure(root=True)
    if figure is not None:
        bar = figure.colorbar(mesh, ax=axes, pad=0.02, aspect=25)
        if bar.solids is not None:  # shapes, not an image, in a vector file
            bar.solids.set(rasterized=False, edgecolor="face")
        bar.set_label(name_of(found.quantity), fontsize=8.0, color=INK)
        bar.ax.tick_params(size=2.5, width=0.5, labelsize=7.0, color=INK, labelcolor=INK)
        bar.outline.set(linewidth=0.5, edgecolor=INK)
