"""The privacy profile, delta(eps): all pairs (epsilon, delta) that hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray, choice, inside
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import Curve, Labels, curves
from neyman.plot.drawing.marks import band, curve, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import Span, sampled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["profile"]

_CAPTION = (
    "Lines: certified upper bounds of δ(ε); the truth lies on a line or below it, within its shading (where none is "
    "seen, within the width of the line). A line that ends above the bottom falls to zero there."
)
_ROOM = 1.03  # times the largest eps: where the axis ends
_SEEN = 2e-3  # of the height of a linear axis


def _across(chosen: tuple[Curve, ...], up: Span) -> Span:
    """From 0 to the largest epsilon at which a delta that can be seen still falls."""
    floor = up.low if up.log else _SEEN * up.high
    levels = np.append(np.geomspace(floor, 0.5, 24), floor)
    found = np.concatenate([one.guarantee.upper_epsilon(levels) for one in chosen])
    last = float(np.max(found[np.isfinite(found)], initial=0.0))
    return Span(0.0, _ROOM * last if last > 0.0 else 1.0)


def _up(chosen: tuple[Curve, ...], floor: float, scale: str) -> Span:
    """The axis of delta."""
    least = inside("floor", floor, 0.0, 0.5, "It is the smallest delta that is drawn.")
    if choice("scale", scale, ("log", "linear")) == "log":
        return Span(least, 1.0, True)
    top = max(float(one.guarantee.sides.bracket(np.zeros(1)).upper[0]) for one in chosen)
    return Span(0.0, min(1.05 * top, 1.0) if top > 0.0 else 1.0)


def _data(*guarantees: Guarantee, floor: float = 1e-10, labels: Labels = None, scale: str = "log") -> Columns:
    """Return the points of `profile`: ``epsilon``, ``delta_lower`` and ``delta_upper`` (drawn) of each curve."""
    chosen = curves(guarantees, labels)
    up = _up(chosen, floor, scale)
    across = _across(chosen, up)
    return stacked({one.label: _points(one, across, up) for one in chosen}, {}, _CAPTION)


def _points(one: Curve, across: Span, up: Span) -> dict[str, FloatArray]:
    sides = one.guarantee.sides
    epsilon, _ = sampled(lambda e: sides.bracket(e).upper, across, up)
    found = sides.bracket(epsilon)
    return {"epsilon": epsilon, "delta_lower": found.lower, "delta_upper": found.upper}


@picture(_data)
def profile(
    *guarantees: Guarantee,
    floor: float = 1e-10,
    labels: Labels = None,
    scale: str = "log",
    ax: Axes | None = None,
) -> Axes:
    """Draw privacy profiles, delta(eps), with delta on a logarithmic axis, or on a linear one.

    Parameters
    ----------
    *guarantees : Guarantee
        Finished ones, computed or given.
    floor : float
        Smallest delta shown, in (0, 0.5).
    labels : list of str, optional
        One for each; made from the guarantees if left out.
    scale : str
        "log", or "linear", on which profiles that cross at a large delta are told apart.
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
    >>> ax = ny.plot.profile(ny.account(ny.Gaussian(1.0)), ny.PureDP(1.0))
    >>> found = ny.plot.profile.data(ny.GDP(1.0))
    >>> bool(found["delta_upper"][0] == ny.GDP(1.0).advantage)
    True
    """
    data = _data(*guarantees, floor=floor, labels=labels, scale=scale)
    across, up = Span(0.0, float(data["epsilon"].max())), _up(curves(guarantees, labels), floor, scale)
    with on_paper(ax) as axes:
        scales(axes, across, up, ("ε", "δ(ε)"))
        entries = [
            (
                curve(axes, part["epsilon"], part["delta_upper"], number, label),
                label if float(part["delta_upper"].max()) >= up.low else f"{label}: δ(ε) < {floor:g}, not in sight",
            )
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        for number, label in enumerate(data.curves):
            part = data.of(label)
            band(axes, part["epsilon"], part["delta_lower"], part["delta_upper"], (across, up), number)
        legend(axes, entries, ("upper right", "lower left"))
    return axes
