"""What a curve has above the G_mu that is stated for it: f - G_mu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray, inside
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, curves, gaussian, least_mu
from neyman.plot.drawing.marks import band, curve, floor_mark, guide, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import Span, sampled
from neyman.plot.tradeoff_curve import ALPHA

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["below", "difference"]

_CAPTION = (
    "Lines: certified lower bounds of f - G_μ with the least μ at the floor; the truth lies on a line or above it, "
    "within its shading (where none is seen, within the width of the line). Above the floor no line falls below zero."
)
_BELOW = 1e-2  # how far below the floor an axis reaches


def below(floor: object) -> Span:
    """The axis of alpha, from below the floor to 1."""
    lowest = inside("floor", floor, 1e-280, 0.5, "The promise of mu holds at error rates of floor and above.")
    return Span(lowest * _BELOW, 1.0, True)


def _data(*guarantees: Guarantee, floor: float = 1e-10, labels: Labels = None) -> Columns:
    """Return the points of `difference`: ``alpha``, ``difference_lower`` (drawn), ``difference_upper``, ``mu``."""
    across = below(floor)
    parts = {one.label: _points(one, across, floor) for one in curves(guarantees, labels)}
    return stacked(parts, {"floor": float(floor)}, _CAPTION)


def _points(one: Curve, across: Span, floor: float) -> dict[str, FloatArray]:
    f, mu = one.traced(across.low), least_mu(one.guarantee, floor)
    stated = gaussian(mu)

    def lower(alpha: FloatArray) -> FloatArray:
        # both near 1 where alpha is small: what is lost in the subtraction is far below a pixel, and rounded down
        return np.nextafter(f.beta(alpha) - stated.optimistic.beta(alpha), -np.inf)

    alpha, low = sampled(lower, across, _room)
    high = np.nextafter(f.optimistic.beta(alpha) - stated.beta(alpha), np.inf)
    return {"alpha": alpha, "difference_lower": low, "difference_upper": high, "mu": np.full_like(alpha, mu)}


def _room(values: FloatArray) -> Span:
    low, high = min(float(np.min(values)), 0.0), max(float(np.max(values)), 0.0)
    size = max(high - low, 1e-6)
    return Span(low - 0.06 * size, high + 0.06 * size)


@picture(_data)
def difference(*guarantees: Guarantee, floor: float = 1e-10, labels: Labels = None, ax: Axes | None = None) -> Axes:
    """Draw f - G_mu over the logarithm of alpha, mu the least at ``floor``: what the summary gives away, and where.

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
    Where no finite mu holds, G_mu = 0 and the whole of f is given away. Gomez et al., Gaussian DP for Reporting, Fig. 7
    and 8, right.

    Examples
    --------
    >>> import neyman as ny
    >>> g = ny.account(ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000))
    >>> ax = ny.plot.difference(g)
    >>> found = ny.plot.difference.data(g)
    >>> round(float(found["difference_lower"].max()), 5), float(found["mu"][0]) == g.mu()
    (0.00244, True)
    """
    data = _data(*guarantees, floor=floor, labels=labels)
    across, up = below(floor), _room(np.concatenate([data["difference_lower"], data["difference_upper"]]))
    with on_paper(ax) as axes:
        scales(axes, across, up, (ALPHA, "difference f(α) - $G_μ$(α)"))
        guide(axes, [across.low, across.high], [0.0, 0.0])
        floor_mark(axes, floor)
        entries = [
            (curve(axes, part["alpha"], part["difference_lower"], number, label), label)
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        for number, label in enumerate(data.curves):
            part = data.of(label)
            band(axes, part["alpha"], part["difference_lower"], part["difference_upper"], (across, up), number)
        legend(axes, entries, ("center left", "upper left"))
    return axes
