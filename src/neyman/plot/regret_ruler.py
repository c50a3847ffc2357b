"""Regret: by how much a curve must be shifted until it lies under the one that is stated in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, inside
from neyman.guarantees.questions.regret import divergence
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, finished, gaussian, label_of, labelled, least_mu
from neyman.plot.drawing.marks import band, curve, guide, legend, note, on_paper, ruler, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN
from neyman.plot.drawing.words import rounded
from neyman.plot.tradeoff_curve import ALPHA, BETA, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["regret"]

_CAPTION = (
    "Solid: f, a certified lower bound of the false negative rate. Dashed: the curve that is stated in its place. "
    "Dotted: f moved left and down by the regret κ = Δ(f ‖ stated) (rounded up), the least shift that brings it "
    "under the stated curve; the ruler joins the points that touch."
)
_SHIFTED = "f(α + κ) - κ"


def _data(guarantee: Guarantee, other: Guarantee | None = None, floor: float = 1e-10, labels: Labels = None) -> Columns:
    """Return the points of `regret`: ``alpha``, ``beta_lower`` (drawn), ``beta_upper`` of f, the other and f shifted.

    Among the ``facts``: ``regret`` (from above), ``regret_lower``, the ``epsilon`` where it is attained, the point of
    f that touches (``alpha``, ``beta``) and, without an ``other``, ``mu`` and ``floor``.
    """
    g = finished("guarantee", guarantee)
    lowest = inside("floor", floor, 0.0, 0.5, "The promise of mu holds at error rates of floor and above.")
    facts: dict[str, float] = {}
    if other is None:
        facts |= {"mu": least_mu(g, lowest), "floor": lowest}
        stated, own = gaussian(facts["mu"]), f"stated: {rounded(facts['mu'], True, 4)}-GDP"
    else:
        stated = finished("other", other)
        own = f"stated: {label_of(stated)}"
    names = labelled([f"f: {label_of(g)}", own], labels)
    if _SHIFTED in names:
        raise InvalidParameter("labels", labels, f"other than {_SHIFTED!r}")
    found = divergence(g.sides, stated.sides)
    kappa = found.upper

    parts: dict[str, dict[str, FloatArray]] = {}
    for one in map(Curve, names, (g, stated)):
        parts[one.label] = points(one)
    f = Curve(names[0], g).traced()
    alpha = np.unique(np.clip(parts[names[0]]["alpha"] - kappa, 0.0, 1.0 - kappa))
    lower = np.nextafter(f.beta(np.minimum(alpha + kappa, 1.0)) - kappa, -np.inf)
    upper = f.optimistic.beta(np.minimum(alpha + kappa, 1.0)) - found.lower
    parts[_SHIFTED] = {"alpha": alpha, "beta_lower": lower, "beta_upper": upper}
    under = np.interp(alpha, parts[names[1]]["alpha"], parts[names[1]]["beta_lower"]) - lower
    touching = int(np.argmin(under))
    facts |= {"regret": kappa, "regret_lower": found.lower, "epsilon": found.epsilon}
    facts |= {"alpha": float(alpha[touching]) + kappa, "beta": float(lower[touching]) + kappa}
    return stacked(parts, facts, _CAPTION)


@picture(_data)
def regret(
    guarantee: Guarantee,
    other: Guarantee | None = None,
    floor: float = 1e-10,
    labels: Labels = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw f, the curve that is stated in its place, and the ruler of the regret between them.

    Parameters
    ----------
    guarantee : Guarantee
        A finished one: f.
    other : Guarantee, optional
        What is stated; if left out, G_mu with the least mu at ``floor``.
    floor : float
        In (0, 0.5); of no consequence with an ``other``.
    labels : list of str, optional
        Of f and of the other.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If an argument is no finished guarantee or lies outside its domain.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Delta(f || g) is the least kappa with f(alpha + kappa) - kappa <= g(alpha) for all alpha (Kaissis et al. 2024,
    Beyond the calibration point); of it, the regret of a summary (Gomez et al., Gaussian DP for Reporting, Fig. 2).

    Examples
    --------
    >>> import neyman as ny
    >>> laplace = ny.account(ny.Laplace(1.0))
    >>> ax = ny.plot.regret(laplace)
    >>> facts = ny.plot.regret.data(laplace).facts
    >>> round(facts["mu"], 6), round(facts["regret"], 6)
    (1.030064, 0.037016)
    """
    data = _data(guarantee, other, floor, labels)
    with on_paper(ax) as axes:
        scales(axes, UNIT_SPAN, UNIT_SPAN, (ALPHA, BETA))
        guide(axes, [0.0, 1.0], [1.0, 0.0])
        entries = [
            (curve(axes, part["alpha"], part["beta_lower"], number, label), label)
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        for number, label in enumerate(data.curves[:2]):
            part = data.of(label)
            band(axes, part["alpha"], part["beta_lower"], part["beta_upper"], (UNIT_SPAN, UNIT_SPAN), number)
        kappa, alpha, beta = (data.facts[name] for name in ("regret", "alpha", "beta"))
        if kappa > 0.01:
            ruler(axes, (alpha, beta), (alpha - kappa, beta - kappa))
        note(axes, f"κ ≤ {rounded(kappa, True)}", (alpha, beta), (5.0, 3.0))
        legend(axes, entries, ("upper right",))
    return axes
