"""Gauss-Legendre rules, correctly rounded: the weights of ``numpy.polynomial.legendre.leggauss`` are off by a thousand
units in the last place at the ends, where a tilted law may have all its mass.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache

import numpy as np

from neyman._validate import FloatArray

__all__ = ["gauss"]

_DIGITS = 40  # of Newton's steps: more than twice as many as a float needs


@cache
def gauss(count: int) -> tuple[FloatArray, FloatArray]:
    """Return the nodes, ascending, and the weights of the rule of ``count`` nodes on [-1, 1], each to half a unit.

    Newton's method on the Legendre polynomial, in 40 digits, from the nodes that NumPy finds.

    Examples
    --------
    >>> nodes, weights = gauss(2)
    >>> weights
    array([1., 1.])
    """
    found = np.polynomial.legendre.leggauss(count)[0]
    nodes, weights = np.zeros(count), np.zeros(count)
    with localcontext() as context:
        context.prec = _DIGITS
        for i in range((count + 1) // 2):
            x = Decimal(float(found[i]))
            for _ in range(2):  # 16 digits, 32, 64
                value, slope = _legendre(count, x)
                x -= value / slope
            _, slope = _legendre(count, x)
            nodes[i], weights[i] = float(x), float(2 / ((1 - x * x) * slope * slope))
            nodes[-1 - i], weights[-1 - i] = -nodes[i], weights[i]
    for part in (nodes, weights):
        part.flags.writeable = False
    return nodes, weights


def _legendre(count: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """P_n(x) and its derivative."""
    before, value = Decimal(1), x
    for n in range(2, count + 1):
        before, value = value, ((2 * n - 1) * x * value - (n - 1) * before) / n
    return value, count * (before - x * value) / (1 - x * x)
