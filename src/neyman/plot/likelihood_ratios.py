"""The teaching picture: two laws, a threshold between them, and the two ways to be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from neyman._validate import FloatArray, between, inside
from neyman.guarantees import GDP
from neyman.plot.drawing.columns import Columns
from neyman.plot.drawing.marks import curve, legend, note, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import Span
from neyman.plot.drawing.style import INK, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["likelihood_ratio"]

_REACH = 4.0  # standard deviations on either side
_POINTS = 321  # of a density
_FARTHEST = 40.0  # mu at most
_CAPTION = (
    'The output without the record (H0) and with it (H1), in units of the noise. The best test says "present" right '
    "of the threshold: it is wrong with probability α under H0 and β under H1."
)


def _data(mu: float = 1.0, alpha: float = 0.1) -> Columns:
    """Return the points of `likelihood_ratio`: ``x``, ``density_absent``, ``density_present``.

    Among the ``facts``: ``mu``, ``alpha``, ``threshold`` and ``beta``, from below.
    """
    shift = between("mu", mu, 0.0, _FARTHEST, "Farther apart, no error is left to be seen.")
    level = inside("alpha", alpha, 0.0, 1.0)
    threshold = float(-special.ndtri(level))
    low, high = min(-_REACH, threshold - 1.0), max(shift + _REACH, threshold + 1.0)
    x = np.union1d(np.linspace(low, high, _POINTS), [threshold, 0.0, shift])
    facts = {"mu": shift, "alpha": level, "threshold": threshold, "beta": GDP(shift).beta(level)}
    return Columns({"x": x, "density_absent": _density(x), "density_present": _density(x - shift)}, facts, _CAPTION)


def _density(x: FloatArray) -> FloatArray:
    return np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)


@picture(_data)
def likelihood_ratio(mu: float = 1.0, alpha: float = 0.1, ax: Axes | None = None) -> Axes:
    """Draw N(0, 1) and N(mu, 1), the threshold of the best test at level ``alpha``, and both errors as areas.

    Parameters
    ----------
    mu : float
        Distance of the two laws, in [0, 40].
    alpha : float
        False positive rate, in (0, 1).
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
    By the lemma of Neyman and Pearson the best test compares the likelihood ratio with a threshold; of two normal laws
    that is a threshold on the output.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.likelihood_ratio(1.0, alpha=0.05)
    >>> ny.plot.likelihood_ratio.data(1.0, alpha=0.05).facts["beta"] == ny.GDP(1.0).beta(0.05)
    True
    """
    data = _data(mu, alpha)
    x, facts = data["x"], data.facts
    across, up = Span(float(x[0]), float(x[-1])), Span(0.0, 0.5)
    with on_paper(ax, 2.3) as axes:
        scales(axes, across, up, ("output, in standard deviations of the noise", "density"))
        absent = curve(axes, x, data["density_absent"], 0)
        present = curve(axes, x, data["density_present"], 1)
        right, left = x >= facts["threshold"], x <= facts["threshold"]
        shaded: list[Any] = []
        for part, density, number, hatch in ((right, "density_absent", 0, "////"), (left, "density_present", 1, "")):
            colour = look(number).colour
            shape = axes.fill_between(x[part], data[density][part], color=colour, alpha=0.3, linewidth=0.0, zorder=2.0)
            shape.set_hatch(hatch)
            shaded.append(shape)
        axes.axvline(facts["threshold"], color=INK, linewidth=0.8, zorder=3.5)
        note(axes, "threshold", (facts["threshold"], 0.5), (3.0, -4.0))
        names = ("H0: record absent", "H1: record present", f"α = {facts['alpha']:.3g}", f"β = {facts['beta']:.3g}")
        legend(axes, list(zip((absent, present, *shaded), names, strict=True)), ())
    return axes
