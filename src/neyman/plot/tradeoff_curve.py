"""The trade-off curve, beta = f(alpha): what every attack must miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neyman._validate import FloatArray
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, curves
from neyman.plot.drawing.marks import band, curve, guide, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN, sampled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["ALPHA", "BETA", "points", "tradeoff"]

ALPHA = "false positive rate α"
BETA = "false negative rate β = f(α)"
_CAPTION = (
    "Lines: certified lower bounds of the false negative rate of every attack; the truth lies on a line or above it, "
    "within its shading (where none is seen, within the width of the line). Dashed grey: perfect privacy, β = 1 - α."
)


def _data(*guarantees: Guarantee, labels: Labels = None) -> Columns:
    """Return the points of `tradeoff`: ``alpha``, ``beta_lower`` (drawn) and ``beta_upper`` of each curve."""
    return stacked({one.label: points(one) for one in curves(guarantees, labels)}, {}, _CAPTION)


def points(one: Curve) -> dict[str, FloatArray]:
    """The points of one curve."""
    f = one.traced()
    alpha, lower = sampled(f.beta, UNIT_SPAN, UNIT_SPAN)
    return {"alpha": alpha, "beta_lower": lower, "beta_upper": f.optimistic.beta(alpha)}


@picture(_data)
def tradeoff(*guarantees: Guarantee, labels: Labels = None, ax: Axes | None = None) -> Axes:
    """Draw trade-off curves, beta = f(alpha), with the diagonal of perfect privacy.

    Parameters
    ----------
    *guarantees : Guarantee
        Finished ones, computed or given.
    labels : list of str, optional
        One for each; made from the guarantees if left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes
        ``.figure.savefig("curve.pdf")`` writes it.

    Raises
    ------
    InvalidParameter
        If there is no guarantee, one is not finished, or the labels do not fit.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Lines are certified lower bounds; the band up to the certified upper bounds is drawn where it can be seen. Straight
    lines join the points, which lie so densely that no more than a quarter of a pixel is lost.

    Examples
    --------
    >>> import neyman as ny
    >>> g = ny.account(ny.Laplace(1.0))
    >>> ax = ny.plot.tradeoff(g, ny.GDP(g.mu()), labels=["Laplace", "its mu"])
    >>> found = ny.plot.tradeoff.data(g)
    >>> bool((found["beta_lower"] <= found["beta_upper"]).all())
    True
    """
    data = _data(*guarantees, labels=labels)
    with on_paper(ax) as axes:
        scales(axes, UNIT_SPAN, UNIT_SPAN, (ALPHA, BETA))
        guide(axes, [0.0, 1.0], [1.0, 0.0])
        entries = [
            (curve(axes, part["alpha"], part["beta_lower"], number, label, clip_on=False), label)
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        for number, label in enumerate(data.curves):
            part = data.of(label)
            band(axes, part["alpha"], part["beta_lower"], part["beta_upper"], (UNIT_SPAN, UNIT_SPAN), number)
        legend(axes, entries, ("upper right", "lower left"))
    return axes
