"""The tangent of the ROC curve of slope e^eps: where it meets the axis is delta(eps)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import between
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Labels, curves
from neyman.plot.drawing.marks import band, curve, guide, legend, note, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN, sampled
from neyman.plot.drawing.style import INK
from neyman.plot.drawing.words import rounded
from neyman.plot.roc_curve import FPR, TPR

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["roc_tangent"]

_MOST = 700.0  # beyond, e^epsilon is no float64
_TANGENT = "tangent of slope $e^ε$"
_CAPTION = (
    "Line: the certified upper bound of the true positive rate. Dashed: the line of slope exp(ε) above it; its "
    "intercept is δ(ε), from above. No attack lies above either."
)


def _data(guarantee: Guarantee, epsilon: float = 1.0, labels: Labels = None) -> Columns:
    """Return the points of `roc_tangent`: ``fpr``, ``tpr_lower``, ``tpr_upper`` (drawn) of the curve and the tangent.

    Among the ``facts``: ``epsilon``, ``delta`` (from above), ``delta_lower``, and the point that touches (``fpr``,
    ``tpr``).
    """
    (one,) = curves((guarantee,), labels)
    slope = between("epsilon", epsilon, 0.0, _MOST)
    if one.label == _TANGENT:
        raise InvalidParameter("labels", labels, f"other than {_TANGENT!r}")
    bracket = one.guarantee.sides.bracket(np.array([slope]))
    delta, least = float(bracket.upper[0]), float(bracket.lower[0])
    f = one.traced()
    fpr, upper = sampled(f.roc, UNIT_SPAN, UNIT_SPAN)
    touching = int(np.argmax(upper * np.exp(-slope) - fpr))
    end = float(np.exp(-slope) * (1.0 - delta))
    line = np.array([0.0, end])
    parts = {
        one.label: {"fpr": fpr, "tpr_lower": f.optimistic.roc(fpr), "tpr_upper": upper},
        _TANGENT: {"fpr": line, "tpr_lower": least + line * np.exp(slope), "tpr_upper": np.array([delta, 1.0])},
    }
    facts = {"epsilon": slope, "delta": delta, "delta_lower": least}
    return stacked(parts, facts | {"fpr": float(fpr[touching]), "tpr": float(upper[touching])}, _CAPTION)


@picture(_data)
def roc_tangent(guarantee: Guarantee, epsilon: float = 1.0, labels: Labels = None, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve with its tangent of slope e^epsilon, whose intercept is delta(epsilon).

    Parameters
    ----------
    guarantee : Guarantee
        A finished one.
    epsilon : float
        In [0, 700].
    labels : list of str, optional
        Of the curve.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If ``guarantee`` is not finished, or another argument lies outside its domain.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Kaissis et al., A unified interpretation of the Gaussian mechanism, Fig. 4: TPR <= delta + e^epsilon FPR touches.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.roc_tangent(ny.GDP(1.0), epsilon=0.5)
    >>> ny.plot.roc_tangent.data(ny.GDP(1.0), epsilon=0.5).facts["delta"] == ny.GDP(1.0).delta(0.5)
    True
    """
    data = _data(guarantee, epsilon, labels)
    name = data.curves[0]
    part, tangent, facts = data.of(name), data.of(_TANGENT), data.facts
    with on_paper(ax) as axes:
        scales(axes, UNIT_SPAN, UNIT_SPAN, (FPR, TPR))
        guide(axes, [0.0, 1.0], [0.0, 1.0])
        entries = [(curve(axes, part["fpr"], part["tpr_upper"], 0, clip_on=False), name)]
        band(axes, part["fpr"], part["tpr_lower"], part["tpr_upper"], (UNIT_SPAN, UNIT_SPAN), 0)
        words = f"tangent of slope $e^ε$, ε = {facts['epsilon']:.4g}"
        entries.append((curve(axes, tangent["fpr"], tangent["tpr_upper"], 1, linewidth=0.9), words))
        axes.plot(
            [0.0, facts["fpr"]], [facts["delta"], facts["tpr"]], linestyle="none", marker="o", markersize=3.5,
            color=INK, zorder=4.0, clip_on=False,
        )  # fmt: skip
        note(axes, f"δ(ε) ≤ {rounded(facts['delta'], True)}", (0.0, facts["delta"]), (9.0, -3.0))
        legend(axes, entries, ("lower right",))
    return axes
