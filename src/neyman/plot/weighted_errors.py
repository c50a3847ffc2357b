"""Bayes errors weighed by a law of the attacker's prior: what a belief about attackers makes of two mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.comparison import compare
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Labels, curves
from neyman.plot.drawing.marks import band, curve, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN, Span
from neyman.plot.drawing.style import GUIDE, INK
from neyman.plot.drawing.words import rounded

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["weighted_bayes_error"]

_CAPTION = (
    "Lines: certified lower bounds of the attacker's Bayes error times the density of the prior π = P(record absent); "
    "the truth lies on a line or above it, within its shading (where none is seen, within the width of the line). "
    "Grey: the density alone, on no scale. Δ: the largest gap either way, rounded up."
)
_ENDS = np.geomspace(1e-4, 0.02, 40)  # densities may bend there
_PRIORS = np.concatenate([_ENDS, np.linspace(0.02, 0.98, 321)[1:-1], 1.0 - _ENDS[::-1]])  # from end to end
_DENSITY = 0.3  # of the height of the axes


def _data(a: Guarantee, b: Guarantee, hyperprior: Any, labels: Labels = None) -> Columns:
    """Return the points of `weighted_bayes_error`: ``prior``, ``density``, ``weighted_lower`` (drawn) and
    ``weighted_upper``.

    Among the ``facts``: ``divergence`` and ``reverse``, the largest weighed differences, as ``Comparison.weighted``
    tells them.
    """
    chosen = curves((a, b), labels)
    found = compare(chosen[0].guarantee, chosen[1].guarantee).weighted(hyperprior)
    density = np.asarray(hyperprior.pdf(_PRIORS), dtype=np.float64)
    if not bool(np.all(np.isfinite(density))):
        raise InvalidParameter("hyperprior", hyperprior, "a law whose density is finite between 0 and 1")
    parts: dict[str, dict[str, FloatArray]] = {}
    for one in chosen:
        low, high = one.guarantee.bayes_error(_PRIORS), one.guarantee.optimistic.bayes_error(_PRIORS)
        parts[one.label] = {"prior": _PRIORS, "density": density, "weighted_lower": density * low,
                            "weighted_upper": density * high}  # fmt: skip
    return stacked(parts, {"divergence": found.divergence, "reverse": found.reverse}, _CAPTION)


@picture(_data)
def weighted_bayes_error(
    a: Guarantee, b: Guarantee, hyperprior: Any, labels: Labels = None, ax: Axes | None = None
) -> Axes:
    """Draw the Bayes errors of two guarantees times the density of a law of the attacker's prior.

    Parameters
    ----------
    a, b : Guarantee
        Finished ones, computed or given, for the same neighbours.
    hyperprior : frozen distribution of scipy.stats on [0, 1], or ny.comparison.UQuadratic()
        As of ``Comparison.weighted``. scipy.stats.uniform() weighs all priors alike.
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
        If a guarantee is not finished, the neighbours differ, the labels do not fit, or the law is none.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Kaissis et al. (2024), Beyond the calibration point, Section 5 and Fig. 4.

    Examples
    --------
    >>> import neyman as ny
    >>> a, b = ny.account(ny.Gaussian(1.0)), ny.account(ny.Laplace(1.0))
    >>> ax = ny.plot.weighted_bayes_error(a, b, ny.comparison.UQuadratic())
    >>> found = ny.plot.weighted_bayes_error.data(a, b, ny.comparison.UQuadratic())
    >>> found.facts["divergence"] == ny.compare(a, b).weighted(ny.comparison.UQuadratic()).divergence
    True
    """
    data = _data(a, b, hyperprior, labels=labels)
    top = 1.08 * float(np.max(data["weighted_lower"], initial=1e-12))
    up = Span(0.0, top)
    with on_paper(ax) as axes:
        scales(axes, UNIT_SPAN, up, ("prior π = P(record absent)", "density times Bayes error"))
        entries: list[tuple[Artist, str]] = []
        for number, label in enumerate(data.curves):
            part = data.of(label)
            entries.append((curve(axes, part["prior"], part["weighted_lower"], number, label), label))
            band(axes, part["prior"], part["weighted_lower"], part["weighted_upper"], (UNIT_SPAN, up), number)
        density = data.of(data.curves[0])["density"]
        height = _DENSITY * top / min(float(np.max(density)), 4.0 * float(np.median(density)) + 1e-300)
        shade = np.minimum(density * height, top)
        axes.fill_between(_PRIORS, 0.0, shade, color=GUIDE, alpha=0.15, linewidth=0.0, zorder=1.0)
        for name, word in (("divergence", "Δ(1 ‖ 2)"), ("reverse", "Δ(2 ‖ 1)")):
            (mark,) = axes.plot([], [], linestyle="none", marker="|", markersize=7.0, color=INK)
            entries.append((mark, f"{word} ≤ {rounded(data.facts[name], True)}"))
        legend(axes, entries, ())
    return axes
