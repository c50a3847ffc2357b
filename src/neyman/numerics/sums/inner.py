"""Sums of products of long arrays, without the threads that BLAS starts: where all cores are busy they wait for each
other, sixteen milliseconds a time.
"""

from __future__ import annotations

from neyman._validate import FloatArray

__all__ = ["inner"]

_ALONE = 1 << 13  # products that BLAS sums in the thread that asks


def inner(a: FloatArray, b: FloatArray) -> float:
    """The sum of ``a`` times ``b``, 1-d; its rounding is that of the sum of n terms in any order.

    Examples
    --------
    >>> import numpy as np
    >>> inner(np.arange(3.0), np.ones(3))
    3.0
    """
    if len(a) <= _ALONE:
        return float(a @ b)
    return float(sum(float(a[i : i + _ALONE] @ b[i : i + _ALONE]) for i in range(0, len(a), _ALONE)))
