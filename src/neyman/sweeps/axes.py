"""The axes of a sweep: named values, each once, in the order in which they are given."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, count, positive, probability, unmasked
from neyman.mechanisms.additive.gaussian import gaussian_noise
from neyman.mechanisms.sampled.schedule import RATE_WORDS, STEPS_WORDS

__all__ = ["DPSGD_AXES", "Axis", "axis", "check_dpsgd"]

LONGEST = 10**7  # values of one axis

DPSGD_AXES: dict[str, tuple[str, Callable[[str, object], float | int]]] = {
    "noise_multiplier": ("noise standard deviation over the clipping norm", gaussian_noise),
    "sample_rate": ("Poisson sampling rate", probability),
    "batch_size": ("expected batch size", count),
    "dataset_size": ("records in the data set", count),
    "steps": ("number of steps", count),
    "epochs": ("passes over the data, rounded up to whole steps", positive),
}
_RATES = ({"sample_rate"}, {"sample_rate", "dataset_size"}, {"batch_size", "dataset_size"})
_TIMES = ({"steps"}, {"epochs"})


def check_dpsgd(names: Collection[str]) -> None:
    """Refuse axes that do not say noise, rate and length of DP-SGD in one way each.

    Raises
    ------
    InvalidParameter
        If they do not.
    """
    rate = {name for name in RATE_WORDS if name in names}
    times = {name for name in STEPS_WORDS if name in names}
    if "noise_multiplier" in names and rate in _RATES and times in _TIMES and set(names) <= set(DPSGD_AXES):
        return
    from neyman._guesses import line, write  # read where something went wrong

    allowed = "noise_multiplier; sample_rate, or batch_size and dataset_size; steps or epochs, for DPSGD"
    example = line("ny.sweep", {name: _EXAMPLES[name] for name in sorted(names) if name in _EXAMPLES})
    raise InvalidParameter("axes", sorted(map(str, names)), f"named {allowed}", write(example), topic="sweep-arguments")


_EXAMPLES: dict[str, object] = {
    "noise_multiplier": [1.0, 2.0], "sample_rate": 0.01, "batch_size": 512, "dataset_size": 60000, "steps": 1000,
    "epochs": 10,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its name, what it is, and its values, all whole numbers or all floats."""

    name: str
    long_name: str
    values: tuple[float, ...] | tuple[int, ...]

    @property
    def array(self) -> NDArray[Any]:
        """The coordinate: int64 or float64."""
        return np.array(self.values, dtype=np.int64 if isinstance(self.values[0], int) else np.float64)

    @property
    def labels(self) -> dict[str, str]:
        """Attributes of its coordinate."""
        return {"long_name": self.long_name, "units": "1"}


def axis(name: str, values: object, of_dpsgd: bool = False) -> Axis:
    """Validate one axis.

    Parameters
    ----------
    name : str
        A name that a keyword argument may have.
    values : number or sequence of numbers
        Finite, no two equal, in any order; a scalar is an axis of one value. Whole numbers stay whole if all are.
    of_dpsgd : bool
        Whether the values must be those of the ``DPSGD`` argument of that name.

    Raises
    ------
    InvalidParameter
        If there is no value, or one of them is no such number, or stands twice.

    Examples
    --------
    >>> axis("steps", [2000, 400]).values
    (2000, 400)
    """
    allowed = "a number, or a non-empty list of numbers"
    raw: Any = unmasked(name, values)
    if raw is None or raw.dtype.kind not in "fiu" or raw.ndim > 1 or not 0 < raw.size <= LONGEST:
        raise InvalidParameter(name, values, allowed)
    numbers: list[float | int] = raw.reshape(-1).tolist()
    if of_dpsgd:
        long_name, check = DPSGD_AXES[name]
        numbers = [check(name, number) for number in numbers]
    else:
        long_name = name.replace("_", " ")
        for number in numbers:
            if not math.isfinite(number) or (isinstance(number, int) and not abs(number) <= MAX_COUNT):
                raise InvalidParameter(name, number, f"a finite number, at most {MAX_COUNT:.0e} if it is an int")
    if len(set(numbers)) != len(numbers):
        twice = Counter(numbers).most_common(1)[0][0]
        raise InvalidParameter(name, twice, "made of values that differ: each is a label")
    return Axis(name, long_name, tuple(numbers))
