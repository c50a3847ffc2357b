"""The axes of a sweep: named values, each once, in the order in which they are given."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, count, probability, unmasked
from neyman.mechanisms.gaussian import gaussian_noise

__all__ = ["DPSGD_AXES", "Axis", "axis"]

LONGEST = 10**7  # values of one axis

DPSGD_AXES: dict[str, tuple[str, Callable[[str, object], float | int]]] = {
    "noise_multiplier": ("noise standard deviation over the clipping norm", gaussian_noise),
    "sample_rate": ("Poisson sampling rate", probability),
    "steps": ("number of steps", count),
}


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
