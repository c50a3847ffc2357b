"""A sweep as lines: one quantity against one axis, a line for each value of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neyman._validate import FloatArray
from neyman.plot.drawing.columns import Columns, stacked
from neyman.plot.drawing.marks import curve, legend, on_paper, scales
from neyman.plot.drawing.picture import picture
from neyman.plot.drawing.style import look
from neyman.plot.sweeps.swept import axis_span, beside, name_of, swept

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["sweep_lines"]

_CAPTION = (
    "{quantity} ({side}). Points are the settings that were computed, lines lead the eye. A cross at the bottom marks "
    "a setting that could not be certified or is infinite; nothing is drawn across it."
)


def _data(dataset: Any, quantity: str, x: str, hue: str | None = None) -> Columns:
    """Return the points of `sweep_lines`: the columns ``x`` and ``quantity``, named so, of each line.

    A setting that could not be certified is NaN.
    """
    if x in getattr(dataset, "data_vars", ()):
        return _beside(dataset, quantity, x, hue)
    found = swept(dataset, quantity, {"x": x} | ({} if hue is None else {"hue": hue}))
    caption = _CAPTION.format(quantity=quantity, side=found.side or "as swept")
    lines: dict[str, FloatArray] = {quantity: found.values}
    if hue is not None:
        names = [f"{name_of(hue)} = {word}" for word in _told_apart(found.axes[1].tolist())]
        lines = {name: found.values[:, i] for i, name in enumerate(names)}
    return stacked({label: {x: found.axes[0], quantity: values} for label, values in lines.items()}, {}, caption)


def _beside(dataset: Any, quantity: str, x: str, hue: str | None) -> Columns:
    """The same against another variable: what was calibrated, or a second quantity."""
    points = beside(dataset, quantity, x, hue)
    words = _told_apart([value for value in points if value is not None])
    labels = [quantity] if hue is None else [f"{name_of(hue)} = {word}" for word in words]
    parts = {label: {x: xs, quantity: ys} for label, (xs, ys) in zip(labels, points.values(), strict=True)}
    side = str(dataset[quantity].attrs.get("side", ""))
    return stacked(parts, {}, _CAPTION.format(quantity=quantity, side=side or "as swept"))


def _told_apart(values: list[float]) -> list[str]:
    """Numbers with as few digits as tell them apart."""
    for digits in (4, 8):
        words = [f"{value:.{digits}g}" for value in values]
        if len(set(words)) == len(words):
            return words
    return [repr(value) for value in values]


@picture(_data)
def sweep_lines(dataset: Any, quantity: str, x: str, hue: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw one quantity of a sweep against one axis, with a line for each value of another.

    Parameters
    ----------
    dataset : xarray.Dataset
        What ``ny.sweep`` returned; every other axis has one value (``dataset.sel``).
    quantity : str
        As it was asked for: "mu", "epsilon(1e-5)".
    x : str
        The axis to run along, or another variable of the sweep: what was calibrated, or a second quantity.
    hue : str, optional
        The axis that tells the lines apart.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of one column's width if left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidParameter
        If a name is not in the dataset, or another axis still has several values.
    MissingPackage
        If matplotlib is not installed.

    Notes
    -----
    Settings that failed leave a gap, marked by a cross at the bottom: nothing is interpolated.

    Examples
    --------
    >>> import neyman as ny
    >>> found = ny.sweep(noise_multiplier=[1.0, 2.0, 4.0], sample_rate=0.01, steps=[400, 1000], quantities="mu")
    >>> ax = ny.plot.sweep_lines(found, "mu", x="noise_multiplier", hue="steps")
    >>> ny.plot.sweep_lines.data(found, "mu", x="noise_multiplier", hue="steps").curves
    ('steps T = 400', 'steps T = 1000')
    """
    data = _data(dataset, quantity, x, hue)
    second = x in getattr(dataset, "data_vars", ()) and not str(dataset[x].attrs.get("side", "")).startswith("meets")
    across, up = axis_span(data[x], linear=second), axis_span(data[quantity], 0.06, linear=second)
    with on_paper(ax) as axes:
        scales(axes, across, up, (name_of(x), name_of(quantity)))
        entries: list[tuple[Any, str]] = []
        for number, label in enumerate(data.curves):
            part = data.of(label)
            marks = {"marker": look(number).marker or "o", "markevery": 1, "markersize": 2.6}
            shown = np.where(np.isfinite(part[quantity]), part[quantity], np.nan)
            entries.append((curve(axes, part[x], shown, number, label, **marks), label))
            failed = part[x][~np.isfinite(part[quantity])]
            if failed.size:
                axes.plot(
                    failed, np.full(failed.size, 0.02), linestyle="none", marker="x", markersize=3.5,
                    color=look(number).colour, transform=axes.get_xaxis_transform(), zorder=4.0,
                )  # fmt: skip
        if hue is not None:
            legend(axes, entries, ("upper right", "upper left", "lower left", "lower right"))
    return axes
