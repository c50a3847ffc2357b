"""Sweeps in files: the axes of a DP-SGD grid and the questions, read without trust."""

from __future__ import annotations

from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import positive, reals, whole
from neyman.cli.reading.spec import read_data
from neyman.sweeps.axes import DPSGD_AXES, LONGEST
from neyman.sweeps.plan import EXPECTED, Plan, plan

__all__ = ["read_sweep"]

_SPACINGS = ("geomspace", "linspace")


def read_sweep(source: str, settings: tuple[str, float, float, float], at_most: int = EXPECTED) -> Plan:
    """Read a sweep from a file, or from standard input where ``source`` is "-".

    Parameters
    ----------
    source : str
        As for ``read_spec``. It holds a mapping with noise_multiplier, sample_rate and steps (each a number, a list of
        numbers, or {geomspace: [first, last, count]} or {linspace: ...}) and, if others than mu and regret are asked
        for, quantities.
    settings : (str, float, float, float)
        Adjacency, tolerance, floor and effort.
    at_most : int
        How many settings there may be.

    Raises
    ------
    InvalidParameter
        If there is no such file, or it does not hold a sweep.
    """
    data = read_data(source)
    if not isinstance(data, dict):
        raise InvalidParameter(f"SPEC {source}", data, f"a mapping with {', '.join(DPSGD_AXES)} and quantities")
    unknown = sorted(map(str, set(data) - {*DPSGD_AXES, "quantities"}))
    missing = [name for name in DPSGD_AXES if name not in data]
    if unknown or missing:
        advice = f"Missing: {', '.join(missing) or 'nothing'}. Unknown: {', '.join(unknown) or 'nothing'}."
        raise InvalidParameter(f"SPEC {source}", sorted(map(str, data)), "named as the axes and quantities", advice)
    try:
        axes = {name: _values(name, data[name]) for name in DPSGD_AXES}
        return plan(None, axes, data.get("quantities", ["mu", "regret"]), settings, at_most=at_most)
    except InvalidParameter as error:
        if error.name in ("adjacency", "tolerance", "floor", "effort", "at_most"):  # said on the command line
            raise
        raise InvalidParameter(f"SPEC {source}: {error.name}", error.value, error.allowed, error.advice) from None


def _values(name: str, given: Any) -> Any:
    """The values of an axis: as they stand, or between two ends."""
    if not isinstance(given, dict):
        return given
    allowed = "a number, a list of numbers, or {geomspace: [first, last, count]} or {linspace: [first, last, count]}"
    kind = next(iter(given), None)
    if len(given) != 1 or kind not in _SPACINGS or not isinstance(given[kind], list) or len(given[kind]) != 3:
        raise InvalidParameter(name, given, allowed)
    first, last, count = given[kind]
    count = whole(f"count of {name}", count, 2, LONGEST)
    if kind == "geomspace":
        values = np.geomspace(positive(f"first of {name}", first), positive(f"last of {name}", last), count)
    else:
        ends = reals(f"ends of {name}", [first, last])
        values = np.linspace(ends[0], ends[1], count)
    if name != "steps":
        return values
    if not bool(np.all(values == np.round(values))) or not bool(np.all(np.abs(values) < 2.0**53)):
        raise InvalidParameter(name, given, "whole numbers: they do not come out whole", "Write them as a list.")
    return values.astype(np.int64)
