"""The mu that a curve has at each false positive rate, and the mu that holds at all of them down to the floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.guarantees import Guarantee
from neyman.plot.differences import below
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, curves, least_mu
from neyman.plot.drawing.hull import Hull, UpperHull
from neyman.plot.drawing.marks import band, curve, floor_mark, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import Span, sampled
from neyman.plot.drawing.style import look
from neyman.plot.tradeoff_curve import ALPHA

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["local_mu"]

_CAPTION = (
    "Lines: the local μ, Φ⁻¹(1 - α) - Φ⁻¹(f(α)), from above; the truth lies on a line or below it, within its shading "
    "(where none is seen, within the width of the line). Thin horizontal lines: the μ that holds wherever both error "
    "rates are at least the floor. Left of the floor the local μ may rise above it."
)
_NO_MU = ": no finite μ at the floor"
_NEAR = 1e-13  # relative: rounding of the two quantiles


def _data(*guarantees: Guarantee, floor: float = 1e-10, labels: Labels = None) -> Columns:
    """Return the points of `local_mu`: ``alpha``, ``local_mu_lower``, ``local_mu_upper`` (drawn), and ``mu``.

    inf where f(alpha) is certified no better than 0.
    """
    across = Span(below(floor).low, 0.9, True)
    parts = {one.label: _points(one, across, floor) for one in curves(guarantees, labels)}
    return stacked(parts, {"floor": float(floor)}, _CAPTION)


def _points(one: Curve, across: Span, floor: float) -> dict[str, FloatArray]:
    f, mu = one.traced(0.01 * across.low), least_mu(one.guarantee, floor)

    def upper(alpha: FloatArray) -> FloatArray:
        return _score(f, alpha, 1.0)

    alpha, high = sampled(upper, across, _room)
    low = np.minimum(np.maximum(_score(f.optimistic, alpha, -1.0), 0.0), high)
    return {"alpha": alpha, "local_mu_lower": low, "local_mu_upper": high, "mu": np.full_like(alpha, mu)}


def _score(f: Guarantee | Hull | UpperHull, alpha: FloatArray, side: float) -> FloatArray:
    """Phi^-1(TPR) - Phi^-1(alpha), from whichever of TPR and beta is small, rounded to ``side``."""
    power = f.roc(alpha)
    reached = special.ndtri(power)
    large = power > 0.5
    if bool(np.any(large)):
        reached[large] = -special.ndtri(f.beta(alpha[large]))
    refused = special.ndtri(alpha)
    room = _NEAR * (np.abs(refused) + np.where(np.isfinite(reached), np.abs(reached), 0.0))
    return np.maximum(reached - refused + side * room, 0.0)


def _room(values: FloatArray) -> Span:
    finite = values[np.isfinite(values)]
    return Span(0.0, max(1.15 * float(np.max(finite, initial=0.0)), 1e-3))


@picture(_data)
def local_mu(*guarantees: Guarantee, floor: float = 1e-10, labels: Labels = None, ax: Axes | None = None) -> Axes:
    """Draw the local mu, Phi^-1(1 - alpha) - Phi^-1(f(alpha)), over the logarithm of alpha, and mu at the floor.

    Parameters
    ----------
    *guarantees : Guarantee
        Finished ones, computed or given.
    floor : float
        Where the promise of mu ends, in (0, 0.5); marked.
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

    Notes
    -----
    A curve that is exactly mu-GDP is a horizontal line. mu at the floor is the largest local mu where alpha and
    f(alpha) are at least the floor; of an asymmetric curve that may be at an alpha near 1, where the axis is crowded.

    Examples
    --------
    >>> import neyman as ny
    >>> g = ny.account(ny.DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000))
    >>> ax = ny.plot.local_mu(g, ny.GDP(0.5))
    >>> found = ny.plot.local_mu.data(g)
    >>> above = found["alpha"] >= 1e-10
    >>> bool((found["local_mu_upper"][above] <= g.mu() + 1e-9).all())
    True
    """
    data = _data(*guarantees, floor=floor, labels=labels)
    across = Span(below(floor).low, 1.0, True)
    mus = [float(data.of(label)["mu"][0]) for label in data.curves]
    up = _room(np.concatenate([data["local_mu_upper"], mus]))
    with on_paper(ax) as axes:
        scales(axes, across, up, (ALPHA, "local μ(α)"))
        floor_mark(axes, floor)
        entries = [
            (
                curve(axes, part["alpha"], part["local_mu_upper"], number, label),
                label + _NO_MU * bool(np.isinf(part["mu"][0])),
            )
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        for number, (label, mu) in enumerate(zip(data.curves, mus, strict=True)):
            part = data.of(label)
            band(axes, part["alpha"], part["local_mu_lower"], part["local_mu_upper"], (across, up), number)
            if np.isfinite(mu):
                axes.plot([floor, 1.0], [mu, mu], color=look(number).colour, linewidth=0.5, zorder=1.8)
        legend(axes, entries, ("lower left", "lower center", "upper right"))
    return axes
