"""The ROC curve, TPR = 1 - f(FPR): what every attack can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from neyman._validate import FloatArray, choice, inside
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import NEAREST, Curve, Labels, curves
from neyman.plot.drawing.marks import band, curve, guide, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN, Span, sampled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["FPR", "TPR", "roc"]

FPR = "false positive rate α"
TPR = "true positive rate 1 - f(α)"
_CAPTION = (
    "Lines: certified upper bounds of the true positive rate of every attack; the truth lies on a line or below it, "
    "within its shading (where none is seen, within the width of the line). Dashed grey: guessing, TPR = FPR."
)

Scale = Literal["log", "linear"]


def _span(scale: object, floor: object) -> Span:
    lowest = inside("floor", floor, 0.0, 0.5, "It is the smallest false positive rate that is drawn.")
    return Span(lowest, 1.0, True) if choice("scale", scale, ("log", "linear")) == "log" else UNIT_SPAN


def _data(*guarantees: Guarantee, scale: Scale = "log", floor: float = 1e-6, labels: Labels = None) -> Columns:
    """Return the points of `roc`: ``fpr``, ``tpr_lower`` and ``tpr_upper`` (drawn) of each curve."""
    span = _span(scale, floor)
    return stacked({one.label: _points(one, span) for one in curves(guarantees, labels)}, {}, _CAPTION)


def _points(one: Curve, span: Span) -> dict[str, FloatArray]:
    f = one.traced(0.01 * span.low if span.log else NEAREST)
    fpr, upper = sampled(f.roc, span, span)
    return {"fpr": fpr, "tpr_lower": f.optimistic.roc(fpr), "tpr_upper": upper}


@picture(_data)
def roc(
    *guarantees: Guarantee,
    scale: Scale = "log",
    floor: float = 1e-6,
    labels: Labels = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw ROC curves, the highest true positive rate of any attack at each false positive rate.

    Parameters
    ----------
    *guarantees : Guarantee
        Finished ones, computed or given.
    scale : str
        "log", as the literature on membership inference draws them, for both axes; or "linear".
    floor : float
        Smallest rate shown on logarithmic axes, in (0, 0.5).
    labels : list of str, optional
        One for each; made from the guarantees if left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If there is no guarantee, one is not finished, or another argument lies outside its domain.
    MissingPackage
        If matplotlib is not installed.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.roc(ny.GDP(1.0), ny.ApproximateDP(1.0, 1e-4))
    >>> float(ny.plot.roc.data(ny.GDP(1.0), scale="linear")["tpr_upper"][-1])
    1.0
    """
    data = _data(*guarantees, scale=scale, floor=floor, labels=labels)
    span = _span(scale, floor)
    with on_paper(ax) as axes:
        scales(axes, span, span, (FPR, TPR))
        guide(axes, [span.low, 1.0], [span.low, 1.0])
        entries = [
            (curve(axes, part["fpr"], part["tpr_upper"], number, label, clip_on=span.log), label)
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        for number, label in enumerate(data.curves):
            part = data.of(label)
            band(axes, part["fpr"], part["tpr_lower"], part["tpr_upper"], (span, span), number)
        legend(axes, entries, ("lower right", "upper left"))
    return axes
