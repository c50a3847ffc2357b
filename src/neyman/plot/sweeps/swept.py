"""Sweeps: what is in their dataset, checked, for lines and for maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.plot.drawing.span import Span

if TYPE_CHECKING:
    import xarray

__all__ = ["Swept", "axis_span", "beside", "name_of", "swept"]

_NAMES = {
    "noise_multiplier": "noise multiplier σ",
    "sample_rate": "sampling rate q",
    "steps": "steps T",
    "sigma": "noise σ",
    "scale": "noise scale b",
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "epsilon": "ε",
    "mu": "μ",
    "divergence": "Δ(baseline ‖ setting)",
    "reverse": "Δ(setting ‖ baseline)",
}


class Swept(NamedTuple):
    """One quantity of a sweep over one or two axes; ``values`` is NaN where nothing is certified."""

    quantity: str
    axes: tuple[FloatArray, ...]
    values: FloatArray
    side: str


def swept(dataset: Any, quantity: object, axes: Mapping[str, object]) -> Swept:
    """Read a quantity as an array over the named axes.

    Raises
    ------
    InvalidParameter
        If it is no dataset of a sweep, or a name is not in it, or another axis still has several values.
    """
    found = _quantity(dataset, quantity)
    dims = [str(name) for name in found.dims]
    wanted = _wanted(dims, axes)
    for name in dims:
        if name not in wanted and found.sizes[name] > 1:
            advice = f"Choose one value: dataset.sel({name}=...), or isel, with a list to keep the axis."
            raise InvalidParameter("dataset", f"{found.sizes[name]} values of {name}", "of one value there", advice)
    chosen = found.isel({name: 0 for name in dims if name not in wanted}).transpose(*wanted)
    at = [np.asarray(chosen[name].values) for name in wanted]
    for name, values in zip(wanted, at, strict=True):
        if values.dtype.kind not in "fiu":
            raise InvalidParameter("dataset", name, "an axis of numbers")
    numbers = np.asarray(chosen.values, dtype=np.float64)
    for i, values in enumerate(at):  # axes are drawn as they rise
        numbers = np.take(numbers, np.argsort(values), axis=i)
    sorted_ = tuple(np.sort(values.astype(np.float64)) for values in at)
    return Swept(str(quantity), sorted_, numbers, str(found.attrs.get("side", "")))


def beside(dataset: Any, quantity: object, x: object, hue: object) -> dict[float | None, tuple[FloatArray, FloatArray]]:
    """Read a quantity against another variable of the sweep, by the values of ``hue``: the points in order of ``x``.

    Raises
    ------
    InvalidParameter
        As ``swept``.
    """
    up, across = _quantity(dataset, quantity), _quantity(dataset, x)
    dims = [str(name) for name in up.dims]
    if hue is not None and hue not in dims:
        raise InvalidParameter("hue", hue, "one of " + ", ".join(map(repr, dims)))
    along = [name for name in dims if name != hue and up.sizes[name] > 1]
    if len(along) > 1:
        advice = f"Choose one value: dataset.sel({along[0]}=...), or tell lines apart by hue={along[0]!r}."
        raise InvalidParameter("dataset", f"several values of {' and '.join(along)}", "of one value there", advice)
    found: dict[float | None, tuple[FloatArray, FloatArray]] = {}
    for value in [None] if hue is None else np.sort(np.asarray(up[str(hue)].values)).tolist():
        part = {} if hue is None else {str(hue): value}
        xs, ys = (np.asarray(one.sel(part).values, dtype=np.float64).ravel() for one in (across, up))
        order = np.argsort(xs, kind="stable")
        found[value] = xs[order], ys[order]
    return found


def _quantity(dataset: Any, quantity: object) -> xarray.DataArray:
    if not all(hasattr(dataset, name) for name in ("data_vars", "dims", "attrs", "coords")):
        raise InvalidParameter("dataset", dataset, "a Dataset of ny.sweep")
    data: xarray.Dataset = dataset
    known = [str(name) for name in data.data_vars if name not in ("status", "reason")]
    if quantity not in known:
        raise InvalidParameter("quantity", quantity, "one of " + ", ".join(map(repr, known)))
    return data[str(quantity)]


def _wanted(dims: list[str], axes: Mapping[str, object]) -> list[str]:
    for name, axis in axes.items():
        if axis not in dims:
            raise InvalidParameter(name, axis, "one of " + ", ".join(map(repr, dims)))
    wanted = [str(axis) for axis in axes.values()]
    if len(set(wanted)) != len(wanted):
        raise InvalidParameter(list(axes)[-1], wanted[-1], "another axis than the first")
    return wanted


def name_of(axis: str) -> str:
    """An axis or a quantity in the words of the field.

    Examples
    --------
    >>> name_of("noise_multiplier"), name_of("epsilon(1e-5)")
    ('noise multiplier σ', 'ε(1e-5)')
    """
    word, bracket, rest = axis.partition("(")
    return _NAMES.get(word, word.replace("_", " ")) + bracket + rest


def axis_span(values: FloatArray, room: float = 0.03, linear: bool = False) -> Span:
    """An axis for values: logarithmic where they span more than a decade and are all positive, unless ``linear``."""
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return Span(0.0, 1.0)
    low, high = float(np.min(finite)), float(np.max(finite))
    if low > 0.0 and high / low > 10.0 and not linear:
        stretch = (high / low) ** room
        return Span(low / stretch, high * stretch, True)
    size = high - low or max(abs(high), 1.0)
    return Span(low - room * size, high + room * size)
