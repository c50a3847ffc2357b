"""Grids between two numbers, as NumPy makes them, without what it does first for arrays of them."""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray

__all__ = ["evenly", "geometric"]


def evenly(first: float, last: float, count: int) -> FloatArray:
    """Return ``count`` > 1 places, both ends included, as ``np.linspace`` does.

    Examples
    --------
    >>> evenly(1.0, 2.0, 5)
    array([1.  , 1.25, 1.5 , 1.75, 2.  ])
    """
    found = np.arange(count, dtype=np.float64)
    found *= (last - first) / (count - 1)
    found += first
    found[-1] = last
    return found


def geometric(first: float, last: float, count: int) -> FloatArray:
    """Return ``count`` > 1 places between two positive ones, as ``np.geomspace`` does.

    Examples
    --------
    >>> geometric(1.0, 100.0, 3)
    array([  1.,  10., 100.])
    """
    found = np.power(10.0, evenly(float(np.log10(first)), float(np.log10(last)), count))
    found[0], found[-1] = first, last
    return found
