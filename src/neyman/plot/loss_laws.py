"""The laws of the privacy loss L = log dP/dQ, under P and under Q."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from neyman._validate import FloatArray, choice, whole
from neyman.guarantees import LossLaw, PrivacyLoss
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.curves import finished
from neyman.plot.drawing.marks import band, curve, guide, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.span import UNIT_SPAN, Span, sampled
from neyman.plot.drawing.style import BAND, look

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from neyman.guarantees import Guarantee

__all__ = ["privacy_loss"]

Kind = Literal["histogram", "cdf"]
Whose = Literal["stated", "remove", "add"]

_LOSS = "privacy loss L = log dP/dQ"
_SHOWN = 1e-3  # of the mass of either law, that either side may lack
_CAPTIONS = {
    "histogram": "The chance that the loss falls into each bin, over the bin's width: middles of certified brackets, "
    "the truth within their shading (where none is seen, within the width of the line).",
    "cdf": "The chance of a loss of at most x: middles of certified brackets, the truth within their shading (where "
    "none is seen, within the width of the line).",
}


def _data(guarantee: Guarantee, kind: Kind = "histogram", direction: Whose = "stated", bins: int = 61) -> Columns:
    """Return the points of `privacy_loss`, of the curves "under P" and "under Q".

    "histogram": ``low`` and ``high`` of each bin, ``density_lower`` and ``density_upper``; "cdf": ``loss``,
    ``cdf_lower``, ``cdf_upper``. Among the ``facts``: ``infinite_p`` and ``infinite_q``, the chance of an infinite
    loss, from above.
    """
    chosen = choice("kind", kind, ("histogram", "cdf"))
    loss = finished("guarantee", guarantee).loss
    whose = choice("direction", direction, ("stated", "remove", "add"))
    loss = loss if whose == "stated" else loss.remove if whose == "remove" else loss.add
    count = whole("bins", bins, 5, 10_000)
    across = _across(loss, count)
    laws = {"under P": loss.under_p, "under Q": loss.under_q}
    facts = {"infinite_p": loss.under_p.infinite.upper, "infinite_q": loss.under_q.infinite.upper}
    if chosen == "cdf":
        room = 0.03 * (across.high - across.low)
        across = Span(across.low - room, across.high + room)
        parts = {name: _cdf(law, across) for name, law in laws.items()}
    else:
        edges = np.linspace(across.low, across.high, count + 1)
        parts = {name: _histogram(law, edges) for name, law in laws.items()}
    return stacked(parts, facts, _CAPTIONS[chosen])


def _across(loss: PrivacyLoss, count: int) -> Span:
    """Where nearly all of both laws is; 0, where much may be, in the middle of a bin."""
    p = np.array([_SHOWN, 1.0 - _SHOWN])
    both = [law.quantile(p) for law in (loss.under_p, loss.under_q)]
    ends = np.concatenate([[0.0], *(np.concatenate(list(one)) for one in both)])
    ends = ends[np.isfinite(ends)]
    low, high = float(ends.min()), float(ends.max())
    step = max(high - low, 1e-12) / (count - 3.0)  # an end at which much happens is within the last bin but one
    before = np.floor(-low / step + 0.5) + 1.5
    return Span(-before * step, (count - before) * step)


def _histogram(law: LossLaw, edges: FloatArray) -> dict[str, FloatArray]:
    below, above = law.cdf(edges), law.survival(edges)
    width = np.diff(edges)
    least = np.maximum(below.lower[1:] - below.upper[:-1], above.lower[:-1] - above.upper[1:])
    most = np.minimum(below.upper[1:] - below.lower[:-1], above.upper[:-1] - above.lower[1:])
    lower, upper = np.maximum(least - 1e-15, 0.0) / width, np.minimum(most + 1e-15, 1.0) / width
    return {"low": edges[:-1], "high": edges[1:], "density_lower": lower, "density_upper": upper}


def _cdf(law: LossLaw, across: Span) -> dict[str, FloatArray]:
    place, _ = sampled(lambda x: law.cdf(x).middle, across, UNIT_SPAN)
    found = law.cdf(place)
    return {"loss": place, "cdf_lower": found.lower, "cdf_upper": found.upper}


@picture(_data)
def privacy_loss(
    guarantee: Guarantee,
    kind: Kind = "histogram",
    direction: Whose = "stated",
    bins: int = 61,
    ax: Axes | None = None,
) -> Axes:
    """Draw the laws of the privacy loss L = log dP/dQ under P and under Q: the privacy loss distribution (PLD).

    Parameters
    ----------
    guarantee : Guarantee
        Finished, computed or given; see ``g.loss`` for what the loss of a given one is.
    kind : str
        "histogram" or "cdf".
    direction : str
        "stated": the pair whose curve is the guarantee's; "remove", "add": that of one direction.
    bins : int
        Of the histogram, from 5 to 10^4; one of them is centred on 0.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If the guarantee is not finished or another argument lies outside its domain.
    MissingPackage
        If matplotlib is not installed.

    Examples
    --------
    >>> import neyman as ny
    >>> ax = ny.plot.privacy_loss(ny.account(ny.Laplace(1.0)), kind="cdf")
    >>> found = ny.plot.privacy_loss.data(ny.account(ny.Laplace(1.0)))
    >>> found.curves, bool((found["density_lower"] <= found["density_upper"]).all())
    (('under P', 'under Q'), True)
    """
    data = _data(guarantee, kind, direction, bins)
    names = {"under P": data.facts["infinite_p"], "under Q": data.facts["infinite_q"]}
    words = {
        label: label if mass == 0.0 else f"{label}, {'∞' if label == 'under P' else '-∞'} with chance {mass:.3g}"
        for label, mass in names.items()
    }
    with on_paper(ax) as axes:
        draw = _draw_cdf if kind == "cdf" else _draw_histogram
        legend(axes, draw(axes, data, words), ("upper left", "upper right", "lower right"))
    return axes


def _draw_cdf(axes: Axes, data: Columns, words: dict[str, str]) -> list[tuple[Artist, str]]:
    across = Span(float(data["loss"].min()), float(data["loss"].max()))
    scales(axes, across, UNIT_SPAN, (_LOSS, "chance of at most that loss"))
    entries: list[tuple[Artist, str]] = []
    for number, label in enumerate(data.curves):
        part = data.of(label)
        middle = 0.5 * (part["cdf_lower"] + part["cdf_upper"])
        entries.append((curve(axes, part["loss"], middle, number, label, clip_on=True), words[label]))
        band(axes, part["loss"], part["cdf_lower"], part["cdf_upper"], (across, UNIT_SPAN), number)
    return entries


def _draw_histogram(axes: Axes, data: Columns, words: dict[str, str]) -> list[tuple[Artist, str]]:
    across = Span(float(data["low"].min()), float(data["high"].max()))
    up = Span(0.0, 1.05 * float(data["density_upper"].max()) or 1.0)
    scales(axes, across, up, (_LOSS, "chance by unit of loss"))
    guide(axes, [0.0, 0.0], [up.low, up.high])
    entries: list[tuple[Artist, str]] = []
    for number, label in enumerate(data.curves):
        part = data.of(label)
        edges = np.append(part["low"], part["high"][-1])
        middle = 0.5 * (part["density_lower"] + part["density_upper"])
        own = look(number)
        axes.stairs(middle, edges, fill=True, color=own.colour, alpha=BAND, linewidth=0.0, zorder=2.0)
        shape = axes.stairs(middle, edges, color=own.colour, linestyle=own.dashes, linewidth=1.0, zorder=3.0)
        if float(np.max(part["density_upper"] - part["density_lower"])) > 0.005 * up.high:
            axes.stairs(
                part["density_upper"], edges, baseline=part["density_lower"], fill=True, color=own.colour, alpha=BAND,
                linewidth=0.0, zorder=2.5,
            )  # fmt: skip
        entries.append((shape, words[label]))
    return entries
