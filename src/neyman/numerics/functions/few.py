"""Reductions of arrays of few places, for a fraction of what NumPy's methods take to look at their arguments.

What a solver asks of ten numbers costs it more than the ten numbers do.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import BoolArray, FloatArray

__all__ = ["every", "largest", "smallest", "some"]


def every(true: BoolArray) -> bool:
    """Return ``true.all()``.

    Examples
    --------
    >>> every(np.array([True, False])), every(np.array([], dtype=bool))
    (False, True)
    """
    return bool(np.count_nonzero(true) == true.size)


def some(true: BoolArray) -> bool:
    """Return ``true.any()``.

    Examples
    --------
    >>> some(np.array([True, False])), some(np.array([], dtype=bool))
    (True, False)
    """
    return bool(np.count_nonzero(true))


def largest(x: FloatArray) -> float:
    """Return ``x.max()`` of one row of at least one number; NaN where one is.

    Examples
    --------
    >>> largest(np.array([1.0, 3.0, 2.0])), largest(np.array([1.0, np.nan]))
    (3.0, nan)
    """
    return float(x[x.argmax()])


def smallest(x: FloatArray) -> float:
    """Return ``x.min()`` of one row of at least one number; NaN where one is.

    Examples
    --------
    >>> smallest(np.array([1.0, 3.0, 2.0])), smallest(np.array([1.0, np.nan]))
    (1.0, nan)
    """
    return float(x[x.argmin()])
