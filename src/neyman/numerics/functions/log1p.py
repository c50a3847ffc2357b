"""log(1 + z) for real and complex z."""

from __future__ import annotations

from typing import Any

import numpy as np

from neyman.numerics.functions.few import largest, smallest

__all__ = ["log1p"]


def log1p(z: Any) -> Any:
    """Return log(1 + z), accurate near 0 for complex z too (NumPy's own complex log1p is not).

    Error bound: 8 units in the last place of its modulus where Re z > -1/2; below, z itself may have lost more.

    Examples
    --------
    >>> bool(abs(log1p(np.array([1e-20j]))[0] - 1e-20j) < 1e-35)
    True
    """
    z = np.asarray(z)
    if z.dtype.kind != "c":
        return np.log1p(z)
    x, y = z.real, z.imag
    with np.errstate(over="ignore", divide="ignore"):
        near = x * (2.0 + x) + y * y
        if near.size and smallest(near.ravel()) > -0.5 and largest(near.ravel()) < 1e300:
            modulus = 0.5 * np.log1p(near)
        else:
            series = 0.5 * np.log1p(np.maximum(near, -0.75))
            modulus = np.where(np.abs(near) < 0.5, series, np.log(np.hypot(1.0 + x, y)))
    value = np.empty(z.shape, z.dtype)  # both parts in their places: 1j times one of them takes as long as it
    value.real = modulus
    np.add(np.arctan2(y, 1.0 + x), 0.0, out=value.imag)  # no -0.0
    return value[()]
