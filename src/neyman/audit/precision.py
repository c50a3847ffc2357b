"""Scores of several sides in one precision, so that what was equal before it was rounded stays equal.

A score that one side holds in float32 and the other in float64 differs in its last digits, and a threshold between the
two tells the sides apart whatever was trained. So the coarser kind decides: every side is rounded to every kind that
any side has. Rounding treats both sides alike and keeps their order; what can be told from rounded scores can be told
from the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import choice, unmasked

__all__ = ["Precision", "Side", "one_precision", "scores_of", "to_bfloat16"]

Scores = NDArray[Any]


class Side(NamedTuple):
    """Scores as they came: one-dimensional and finite, and the name of their kind."""

    values: Scores
    kind: str


def to_bfloat16(scores: Scores) -> Scores:
    """Return the leading 16 bits of each float32, rounded to nearest, ties to even."""
    bits = scores.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + np.uint64(0x7FFF) + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return bits.astype(np.uint32).view(np.float32)


_ROUND: dict[str, Callable[[Scores], Scores]] = {  # the finest first
    "float32": lambda scores: scores.astype(np.float32),
    "float16": lambda scores: scores.astype(np.float16),
    "bfloat16": to_bfloat16,
}


class Precision:
    """The kinds coarser than float64 that have been seen, by their names; ``rounded`` rounds to all of them."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._seen = {choice("kinds", name, tuple(_ROUND)) for name in names}

    def see(self, side: Side) -> bool:
        """Take note of the kind of scores, if there are any; return whether it is a new one that rounds."""
        if not side.values.size or side.kind not in _ROUND or side.kind in self._seen:
            return False
        self._seen.add(side.kind)
        return True

    @property
    def names(self) -> list[str]:
        """The kinds, the finest first."""
        return [name for name in _ROUND if name in self._seen]

    def rounded(self, scores: Scores) -> Scores:
        """Return a copy, rounded to each of the kinds in turn; what is beyond float32's largest number, to that."""
        found = scores.astype(np.float64)
        most = float(np.finfo(np.float32).max)
        with np.errstate(over="ignore", under="ignore"):
            for name in self.names:
                found = np.clip(_ROUND[name](found).astype(np.float32), -most, most)
        return found


def one_precision(*sides: Side) -> tuple[Scores, ...]:
    """Return copies of the scores of all sides in one precision.

    Examples
    --------
    >>> sides = scores_of("a", np.full(2, 0.1, np.float32)), scores_of("b", np.full(3, 0.1))
    >>> a, b = one_precision(*sides)
    >>> bool(a[0] == b[0])
    True
    """
    precision = Precision()
    for side in sides:
        precision.see(side)
    return tuple(precision.rounded(side.values) for side in sides)


def scores_of(name: str, value: object, *, least: int = 1) -> Side:
    """Return at least so many scores in their own kind; with ``least`` 0 a single number will do.

    Raises
    ------
    InvalidParameter
        If they are no one-dimensional array of finite numbers, or hide some of them behind a mask.
    """
    allowed = f"{'a number or an' if least == 0 else 'a non-empty'} one-dimensional array of numbers"
    torch_kind = "bfloat16" if str(getattr(value, "dtype", "")) == "torch.bfloat16" else ""
    found: Any = value
    array = unmasked(name, found.detach().float().cpu().numpy() if torch_kind else found)
    if array is not None and least == 0:
        array = np.atleast_1d(array)
    if array is None or array.ndim != 1 or array.size < least or not (_numbers(array) or array.size == 0):
        shown = "rows of unequal lengths" if array is None else f"{array.dtype} array of shape {array.shape}"
        raise InvalidParameter(name, shown, allowed, "One score a record.")
    with np.errstate(over="ignore"):
        numbers = array.astype(np.float64)
    if not bool(np.all(np.isfinite(numbers))):
        bad = float(numbers[~np.isfinite(numbers)][0])
        raise InvalidParameter(name, bad, "finite numbers only", "Leave out records without a score.")
    return Side(array, torch_kind or _coarsest(value) or array.dtype.name)


def _coarsest(value: object) -> str:
    """Of a list the coarsest kind of its numbers: NumPy would take the finest for all; else nothing."""
    if not isinstance(value, (list, tuple)) or set(map(type, value)) <= {float, int}:
        return ""
    kinds = {str(getattr(one, "dtype", "")).removeprefix("torch.") for one in value}
    return next((name for name in reversed(_ROUND) if name in kinds), "")


def _numbers(array: Scores) -> bool:
    return array.dtype.kind in "fiu" or array.dtype.name == "bfloat16"
