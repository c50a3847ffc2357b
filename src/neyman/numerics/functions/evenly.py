"""Places that are evenly apart."""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray

__all__ = ["evenly"]


def evenly(low: float, high: float, count: int) -> FloatArray:
    """Return so many places, two at least, from ``low`` to ``high``: those of np.linspace, in less time.

    Examples
    --------
    >>> evenly(0.0, 1.0, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    places = np.arange(count) * ((high - low) / (count - 1)) + low
    places[-1] = high
    return places
