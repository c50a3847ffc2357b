"""Whose curve an attack faces, and on which side its bounds lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.guarantees import Guarantee, OptimisticGuarantee
from neyman.risk.value import Risk

__all__ = ["Numbers", "checked", "found", "membership", "promised"]

Numbers = float | Sequence[Any] | NDArray[Any]


def checked(guarantee: object) -> Guarantee:
    """Return the guarantee that the argument is."""
    if not isinstance(guarantee, Guarantee):
        raise InvalidParameter("guarantee", guarantee, "a Guarantee", "Of a mechanism it is account(mechanism).")
    return guarantee


def membership(guarantee: object) -> Guarantee:
    """Return the guarantee as a promise to attacks whose null hypothesis is that the record is absent.

    "remove" is that already, "add" has the roles exchanged; "add_or_remove" and "replace" promise f and its inverse, so
    that the larger of the two holds (both directions, symmetrised).
    """
    g = checked(guarantee)
    if g.adjacency == "remove":
        return g
    return g.inverse() if g.adjacency == "add" else g.symmetrized()


def promised(guarantee: Guarantee) -> bool:
    """Whether its bounds lie on the safe side."""
    return not isinstance(guarantee, OptimisticGuarantee)


def found(
    name: str, guarantee: Guarantee, value: float | FloatArray, baseline: float | FloatArray, /, **given: FloatArray
) -> Risk:
    """Return the risk of ``guarantee``, arrays made read-only."""
    asked = tuple((label, _kept(number)) for label, number in given.items())
    return Risk(name, _kept(value), _kept(baseline), asked, guarantee.adjacency, promised(guarantee))


def _kept(number: float | FloatArray) -> float | FloatArray:
    if not isinstance(number, np.ndarray) or number.ndim == 0:
        return float(number)
    copy = number.copy()
    copy.flags.writeable = False
    return copy
