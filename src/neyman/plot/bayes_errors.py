"""The minimum Bayes error R(pi): how often the best guess is wrong, by what the attacker believes beforehand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray
from neyman.comparison import compare
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, curves
from neyman.plot.drawing.marks import band, curve, guide, legend, on_paper, ruler, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN, Span, sampled
from neyman.plot.drawing.style import INK
from neyman.plot.drawing.words import rounded

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["bayes_error"]

_CAPTION = (
    "Lines: certified lower bounds of the attacker's Bayes error when the record is absent with probability π; the "
    "truth lies on a line or above it, within its shading (where none is seen, within the width of the line). Dashed "
    "grey: the error without the output, min(π, 1 - π)."
)
_RULERS = (
    " Rulers: the largest gaps between the first and the second of the legend, Δ(1 ‖ 2) and Δ(2 ‖ 1), where they are; "
    "rounded up."
)
_UP = Span(0.0, 0.52)  # Bayes errors end at 1/2
_READABLE = 0.02  # the shortest ruler with heads, in Bayes error


def _data(*guarantees: Guarantee, labels: Labels = None) -> Columns:
    """Return the points of `bayes_error`: ``prior``, ``bayes_error_lower`` (drawn) and ``bayes_error_upper``.

    Of two guarantees for the same neighbours also, among the ``facts``: ``divergence`` and ``reverse``, from above,
    ``divergence_lower`` and ``reverse_lower``, and the priors at which they are attained.
    """
    chosen = curves(guarantees, labels)
    facts = _rulers(chosen)
    return stacked({one.label: _points(one) for one in chosen}, facts, _CAPTION + (_RULERS if facts else ""))


def _points(one: Curve) -> dict[str, FloatArray]:
    prior, lower = sampled(one.guarantee.bayes_error, UNIT_SPAN, _UP)
    return {
        "prior": prior,
        "bayes_error_lower": lower,
        "bayes_error_upper": one.guarantee.optimistic.bayes_error(prior),
    }


def _rulers(chosen: tuple[Curve, ...]) -> dict[str, float]:
    if len(chosen) != 2 or chosen[0].guarantee.adjacency != chosen[1].guarantee.adjacency:
        return {}
    found: dict[str, float] = {}
    for name, one in zip(
        ("divergence", "reverse"), compare(chosen[0].guarantee, chosen[1].guarantee).bounds, strict=True
    ):
        found |= {name: one.upper, f"{name}_lower": one.lower}
        found[f"{name}_prior"] = 1.0 / (1.0 + math.exp(-min(max(one.epsilon, -700.0), 700.0)))
    return found


@picture(_data)
def bayes_error(*guarantees: Guarantee, labels: Labels = None, ax: Axes | None = None) -> Axes:
    """Draw minimum Bayes errors R(pi) under min(pi, 1 - pi); between two guarantees, the rulers of their divergences.

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

    Raises
    ------
    InvalidParameter
        If there is no guarantee, one is not finished, or the labels do not fit.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    pi is the probability that the record is absent. Delta(a || b) is the largest R_a - R_b (Kaissis et al. 2024, Beyond
    the calibration point): each ruler stands where ``ny.compare`` finds it. Two guarantees for different neighbours
    have none.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.bayes_error(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
    >>> found = ny.plot.bayes_error.data(ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0)))
    >>> round(found.facts["divergence"], 6), round(found.facts["reverse"], 6)
    (0.005272, 0.034139)
    """
    data = _data(*guarantees, labels=labels)
    with on_paper(ax) as axes:
        scales(axes, UNIT_SPAN, _UP, ("prior π = P(record absent)", "Bayes error R(π)"))
        guide(axes, [0.0, 0.5, 1.0], [0.0, 0.5, 0.0])
        entries = [
            (curve(axes, part["prior"], part["bayes_error_lower"], number, label), label)
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        for number, label in enumerate(data.curves):
            part = data.of(label)
            band(axes, part["prior"], part["bayes_error_lower"], part["bayes_error_upper"], (UNIT_SPAN, _UP), number)
        if data.facts:
            entries += _draw_rulers(axes, data)
        legend(axes, entries, ("lower center", "upper right"))
    return axes


def _draw_rulers(axes: Axes, data: Columns) -> list[tuple[Artist, str]]:
    """Draw both, and return what the legend says of them."""
    facts = data.facts
    parts = [data.of(label) for label in data.curves]
    entries: list[tuple[Artist, str]] = []
    for name, word in (("divergence", "Δ(1 ‖ 2)"), ("reverse", "Δ(2 ‖ 1)")):
        prior = facts[f"{name}_prior"]
        heights = sorted(float(np.interp(prior, part["prior"], part["bayes_error_lower"])) for part in parts)
        where = f" at π = {prior:.3g}" if facts[name] > 0.0 else ""
        (mark,) = axes.plot([], [], linestyle="none", marker="|", markersize=7.0, color=INK)
        entries.append((mark, f"{word} ≤ {rounded(facts[name], True)}{where}"))
        if facts[name] > 0.0:
            guide(axes, [prior, prior], [0.0, heights[1]], linestyle=(0, (1.0, 1.5)))
        if heights[1] - heights[0] >= _READABLE:
            ruler(axes, (prior, heights[0]), (prior, heights[1]))
    return entries
