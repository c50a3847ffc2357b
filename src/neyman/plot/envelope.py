"""From f to its Bayes error function and back: the lines whose envelope the other is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neyman._validate import FloatArray, choice
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, curves
from neyman.plot.drawing.marks import curve, guide, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN, Span, sampled
from neyman.plot.drawing.style import COLOURS
from neyman.plot.drawing.words import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["envelope"]

_KINDS = ("bayes_error", "tradeoff")
_CAPTION = {
    "bayes_error": "Grey: the error π α + (1 - π) f(α) of the test at each α. Line: their lower envelope, the minimum "
    "Bayes error R(π), certified from below. Dot: R*, where the prior tells nothing.",
    "tradeoff": "Grey: (R(π) - π α) / (1 - π) at each prior π. Line: their upper envelope, the trade-off curve f(α), "
    "certified from below. Dot: the fixed point, where both errors are equal.",
}
_NAMES = {
    "bayes_error": ("prior π = P(record absent)", "Bayes error"),
    "tradeoff": ("false positive rate α", "false negative rate β"),
}
_AT = np.concatenate([[0.002, 0.01], np.linspace(0.03, 0.97, 24)])  # where the lines are


def _data(guarantee: Guarantee, of: str = "bayes_error", label: Labels = None) -> Columns:
    """Return the points of `envelope`: ``x`` and ``y`` of the ``curve`` "envelope", and of each line that makes it.

    Among the ``facts``: ``star``, R* or the fixed point, from below.
    """
    kind = choice("of", of, _KINDS)
    (one,) = curves((guarantee,), label)
    x, y, star = _of_errors(one) if kind == "bayes_error" else _of_tradeoff(one)
    parts: dict[str, dict[str, FloatArray]] = {"envelope": {"x": x, "y": y}}
    g, ends = one.guarantee, np.array([0.0, 1.0])
    for at in _AT:
        if kind == "bayes_error":
            name, line = f"α = {at:.3g}", ends * at + (1.0 - ends) * float(g.beta(at))
        else:
            name, line = f"π = {at:.3g}", (float(g.bayes_error(at)) - ends * at) / (1.0 - at)
        parts[name] = {"x": ends, "y": line}
    return stacked(parts, {"star": star}, _CAPTION[kind])


def _of_errors(one: Curve) -> tuple[FloatArray, FloatArray, float]:
    x, y = sampled(one.guarantee.bayes_error, UNIT_SPAN, Span(0.0, 0.52))
    return x, y, float(one.guarantee.bayes_error(0.5))


def _of_tradeoff(one: Curve) -> tuple[FloatArray, FloatArray, float]:
    x, y = sampled(one.traced().beta, UNIT_SPAN, UNIT_SPAN)
    return x, y, float(one.guarantee.fixed_point)


@picture(_data)
def envelope(guarantee: Guarantee, of: str = "bayes_error", label: Labels = None, ax: Axes | None = None) -> Axes:
    """Draw a Bayes error function under the lines of all tests, or a trade-off curve above the lines of all priors.

    Parameters
    ----------
    guarantee : Guarantee
        A finished one, computed or given.
    of : str
        "bayes_error": from f to R(pi), the least of pi alpha + (1 - pi) f(alpha); "tradeoff": from R back to f, the
        largest of (R(pi) - pi alpha) / (1 - pi).
    label : str, optional
        Of the curve; made from the guarantee if left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If the guarantee is not finished, or ``of`` is neither.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Nothing is lost either way: Kaissis et al. (2024), Beyond the calibration point, Appendix B.1 and Fig. 8.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.envelope(ny.GDP(1.0))
    >>> found = ny.plot.envelope.data(ny.GDP(1.0), of="tradeoff")
    >>> round(found.facts["star"], 6), found.curves[:2]
    (0.308538, ('envelope', 'π = 0.002'))
    """
    kind = choice("of", of, _KINDS)
    data = _data(guarantee, kind, label)
    (one,) = curves((guarantee,), label)
    up = Span(0.0, 0.6) if kind == "bayes_error" else UNIT_SPAN
    with on_paper(ax) as axes:
        scales(axes, UNIT_SPAN, up, _NAMES[kind])
        for name in data.curves[1:]:
            part = data.of(name)
            guide(axes, part["x"], part["y"], linewidth=0.4, linestyle="solid")
        part: Any = data.of("envelope")
        drawn = curve(axes, part["x"], part["y"], 0, one.label, linewidth=1.8)
        star = data.facts["star"]
        at = 0.5 if kind == "bayes_error" else star
        (dot,) = axes.plot([at], [star], "o", markersize=4.0, color=COLOURS[1], zorder=5.0)
        word = "R*" if kind == "bayes_error" else "α*"
        legend(axes, [(drawn, one.label), (dot, f"{word} ≥ {rounded(star, False, 5)}")], ())
    return axes
