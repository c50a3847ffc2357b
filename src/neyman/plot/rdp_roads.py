"""From psi to epsilon by four roads: three conversions of Renyi DP, and the exact profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray, inside, positives
from neyman.conversions import gaussian_epsilon, rdp_improved_a, rdp_improved_b, rdp_standard
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.marks import curve, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import Span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["rdp_conversions"]

_ROADS = {
    "standard (Mironov)": rdp_standard,
    "improved B (Balle et al.)": rdp_improved_b,
    "improved A (Asoodeh et al.)": rdp_improved_a,
}
_PROFILE = "privacy profile (exact)"
_MUS = np.linspace(0.1, 6.0, 60)  # where no others are asked
_ORDERS = 1.0 + np.geomspace(0.01, 63.0, 400)  # the same
_LARGEST_MU, _LARGEST_ORDER = 100.0, 1e6  # that may be asked
_CAPTION = (
    "ε of the Gaussian mechanism at δ = {delta:g}, by the best order of Rényi DP in ({low:.3g}, {high:.3g}] and by the "
    "exact profile; every road is an upper bound, the lowest is the truth, rounded up."
)

Numbers = Sequence[float] | FloatArray | None


def _data(delta: float = 1e-5, mus: Numbers = None, orders: Numbers = None) -> Columns:
    """Return the points of `rdp_conversions`: ``mu`` (that is psi) and ``epsilon``, from above, of each road."""
    d = inside("delta", delta, 0.0, 1.0)
    psi = _MUS if mus is None else np.sort(np.atleast_1d(positives("mus", mus)).ravel())
    t = _ORDERS if orders is None else np.atleast_1d(positives("orders", orders)).ravel()
    for name, values, low, high in (("mus", psi, 0.0, _LARGEST_MU), ("orders", t, 1.0, _LARGEST_ORDER)):
        inside_ = (values > low) & (values <= high)
        if not bool(np.all(inside_)):
            raise InvalidParameter(name, float(values[~inside_][0]), f"a number in ({low:g}, {high:g}]")
    found = {
        name: np.array([road(t, np.nextafter(0.5 * t * m * m, np.inf), d) for m in psi.tolist()])
        for name, road in _ROADS.items()
    }
    found[_PROFILE] = np.array([gaussian_epsilon(m, d) for m in psi.tolist()])
    caption = _CAPTION.format(delta=d, low=float(np.min(t)), high=float(np.max(t)))
    return stacked({name: {"mu": psi, "epsilon": e} for name, e in found.items()}, {"delta": d}, caption)


@picture(_data)
def rdp_conversions(delta: float = 1e-5, mus: Numbers = None, orders: Numbers = None, ax: Axes | None = None) -> Axes:
    """Draw epsilon of the Gaussian mechanism against psi: three conversions of Renyi DP, and the exact profile.

    Parameters
    ----------
    delta : float
        In (0, 1).
    mus : array, optional
        Values of psi = mu = sensitivity / sigma, in (0, 100]; 0.1 to 6 if left out.
    orders : array, optional
        Orders in (1, 1e6], of which the best is taken; 400 of them up to 64 if left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If an argument lies outside its domain.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Kaissis et al., A unified interpretation of the Gaussian mechanism, Section 6 and Fig. 6.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.rdp_conversions(delta=1e-5)
    >>> found = ny.plot.rdp_conversions.data(delta=1e-5, mus=[1.0])
    >>> found["epsilon"].round(3)
    array([5.299, 4.728, 4.728, 4.377])
    """
    data = _data(delta, mus, orders)
    across = Span(0.0, float(data["mu"].max()) * 1.02)
    epsilon = data["epsilon"]
    up = Span(0.0, float(np.max(epsilon[np.isfinite(epsilon)], initial=1e-3)) * 1.05)
    with on_paper(ax) as axes:
        scales(axes, across, up, ("sensitivity index ψ = μ", f"ε at δ = {data.facts['delta']:g}"))
        entries = [
            (curve(axes, part["mu"], part["epsilon"], number, label), label)
            for number, (label, part) in enumerate((label, data.of(label)) for label in data.curves)
        ]
        legend(axes, entries, ("upper left", "lower right"))
    return axes
