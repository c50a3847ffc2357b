"""e^{it} of many real t by one tangent of half of it, which NumPy takes of several numbers at a time.

With h = tan(t/2), sin t = 2h / (1 + h^2), cos t = (1 - h^2) / (1 + h^2) and 1 - cos t = h sin t, in which nothing
cancels. No float is so near to an odd multiple of pi that h^2 would overflow.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray

__all__ = ["cosine_and_sine", "less_one"]

_FEW = 100  # angles: a sine and a cosine of so few cost less than the calls of the other way


def cosine_and_sine(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return cos t and sin t, each within ``TURNED`` units of 1 (``numerics/rounding``).

    Examples
    --------
    >>> cosine, sine = cosine_and_sine(np.array([0.0, np.pi]))
    >>> (cosine + 0.0).tolist(), bool(abs(sine[1]) < 1e-15)
    ([1.0, -1.0], True)
    """
    if t.size < _FEW:
        return np.cos(t), np.sin(t)
    sine = np.tan(0.5 * t)
    cosine = sine * sine
    whole = 1.0 + cosine
    np.subtract(1.0, cosine, out=cosine)
    cosine /= whole
    sine += sine
    sine /= whole
    return cosine, sine


def less_one(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return cos t - 1 and sin t, each to ``LESS_ONE`` units of the modulus of both together.

    Examples
    --------
    >>> less_one(np.array([1e-20]))
    (array([-5.e-41]), array([1.e-20]))
    """
    if t.size < _FEW:
        half = np.sin(0.5 * t)
        return -2.0 * half * half, np.sin(t)
    tangent = np.tan(0.5 * t)
    sine = tangent * tangent
    sine += 1.0
    np.divide(2.0, sine, out=sine)
    sine *= tangent
    tangent *= sine
    return np.negative(tangent, out=tangent), sine
