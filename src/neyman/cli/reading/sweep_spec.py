"""Sweeps in files: the axes of a DP-SGD grid and the questions, read without trust."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from neyman._errors import InvalidParameter
from neyman._validate import count, positive, reals, whole
from neyman.calibration.target import Target
from neyman.cli.reading.mechanism import read_mechanism
from neyman.cli.reading.target_text import read_targets
from neyman.guarantees import mechanism_from_dict
from neyman.mechanisms import Mechanism
from neyman.sweeps.axes import DPSGD_AXES, LONGEST, check_dpsgd
from neyman.sweeps.plan import EXPECTED, Plan, plan
from neyman.understanding.spec import read_data

__all__ = ["read_sweep"]

_SPACINGS = ("geomspace", "linspace")


def read_sweep(
    source: str, settings: tuple[str, float, float, float], at_most: int = EXPECTED, both: bool = False
) -> Plan:
    """Read a sweep from a file, or from standard input where ``source`` is "-".

    Parameters
    ----------
    source : str
        As for ``read_spec``. It holds a mapping with noise_multiplier, sample_rate (or batch_size and
        dataset_size) and steps (or epochs; each a number, a list of
        numbers, or {geomspace: [first, last, count]} or {linspace: ...}; one of them may be {calibrate: TARGET} in
        place of numbers, or a list of targets that must all hold) and, if others than mu and regret are asked for,
        quantities. What divergences are from is the baseline: a mechanism, as in files or as in ``neyman compare``.
    settings : (str, float, float, float)
        Adjacency, tolerance, floor and effort.
    at_most : int
        How many settings there may be.
    both : bool
        Whether every quantity is asked from both sides.

    Raises
    ------
    InvalidParameter
        If there is no such file, or it does not hold a sweep.
    """
    data = read_data(source)
    if not isinstance(data, dict):
        raise InvalidParameter(f"SPEC {source}", data, f"a mapping with {', '.join(DPSGD_AXES)} and quantities")
    unknown = sorted(map(str, set(data) - {*DPSGD_AXES, "quantities", "baseline"}))
    if unknown:
        _refuse_other_words(source, data)
        advice = f"Unknown: {', '.join(unknown)}. The axes are {', '.join(DPSGD_AXES)}."
        raise InvalidParameter(f"SPEC {source}", sorted(map(str, data)), "named as the axes and quantities", advice)
    try:
        given = [name for name in DPSGD_AXES if name in data]
        check_dpsgd(given)
        axes = {name: _values(name, data[name], settings) for name in given}
        base = _baseline(data["baseline"]) if "baseline" in data else None
        asked = data.get("quantities", ["mu", "regret"])
        return plan(None, axes, _both(asked) if both else asked, settings, at_most=at_most, baseline=base)
    except InvalidParameter as error:
        if error.name in ("adjacency", "tolerance", "floor", "effort", "at_most"):  # said on the command line
            raise
        raise error.called(f"SPEC {source}: {error.name}") from None


def _refuse_other_words(source: str, data: dict[Any, Any]) -> None:
    """Refuse axes that have their name in another library, with that of this one."""
    from neyman._guesses import other_words  # read where something went wrong

    meant = other_words([key for key in data if isinstance(key, str)], tuple(DPSGD_AXES))
    meant = {key: name for key, name in meant.items() if key not in DPSGD_AXES and name not in data}
    if meant:
        first = next(iter(meant))
        line = "; ".join(f"{name}: {json.dumps(data[key], default=str)}" for key, name in meant.items())
        raise InvalidParameter(
            f"SPEC {source}: {first}",
            data[first],
            f"named {meant[first]}",
            f"In its place: {line}",
            topic="sweep-arguments",
        )


def _both(asked: Any) -> Any:
    """Every quantity as a promise and as the bound from the other side; what is no text is refused where it is read."""
    several = [asked] if isinstance(asked, str) else asked
    if not isinstance(several, list) or not all(isinstance(text, str) for text in several):
        return asked
    bare = dict.fromkeys("".join(text.split()).removeprefix("optimistic.") for text in several)
    return [side + text for text in bare for side in ("", "optimistic.")]


def _values(name: str, given: Any, settings: tuple[str, float, float, float]) -> Any:
    """The values of an axis: as they stand, or between two ends; or the target that it is calibrated to."""
    if not isinstance(given, dict):
        return given
    allowed = (
        "a number, a list of numbers, {geomspace: [first, last, count]}, {linspace: [first, last, count]} or "
        "{calibrate: TARGET}"
    )
    kind = next(iter(given), None)
    if kind == "calibrate" and len(given) == 1:
        return _target(name, given[kind], settings)
    if len(given) != 1 or kind not in _SPACINGS or not isinstance(given[kind], list) or len(given[kind]) != 3:
        raise InvalidParameter(name, given, allowed)
    first, last, length = given[kind]
    length = whole(f"count of {name}", length, 2, LONGEST)
    if kind == "geomspace":
        values = np.geomspace(positive(f"first of {name}", first), positive(f"last of {name}", last), length)
    else:
        ends = reals(f"ends of {name}", [first, last])
        values = np.linspace(ends[0], ends[1], length)
    if DPSGD_AXES[name][1] is not count:
        return values
    if not bool(np.all(values == np.round(values))) or not bool(np.all(np.abs(values) < 2.0**53)):
        raise InvalidParameter(name, given, "whole numbers: they do not come out whole", "Write them as a list.")
    return values.astype(np.int64)


def _target(name: str, given: Any, settings: tuple[str, float, float, float]) -> Target:
    """Targets as they are typed for ``neyman calibrate``; a baseline in one is accounted for as the sweep is."""
    texts = given if isinstance(given, list) else [given]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise InvalidParameter(
            f"calibrate of {name}", given, "a target, or a list of them", "Such as epsilon=8,delta=1e-5."
        )
    adjacency, tolerance, _, effort = settings
    return read_targets(texts, adjacency, tolerance, effort)


def _baseline(given: Any) -> Mechanism:
    """A mechanism in the words of a file, or in those of ``neyman compare``."""
    if isinstance(given, str):
        return read_mechanism("baseline", given)
    if not isinstance(given, dict):
        raise InvalidParameter(
            "baseline", given, "a mechanism as in a file, or dpsgd:NOISE_MULTIPLIER,SAMPLE_RATE,STEPS"
        )
    try:
        return mechanism_from_dict({"schema": 1, **given})
    except InvalidParameter as error:
        raise error.called(f"baseline: {error.name}") from None
