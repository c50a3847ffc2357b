"""e^{it} of many real t by one tangent of half of it, which NumPy takes of several numbers at a time.

With h = tan(t/2), sin t = 2h / (1 + h^2), cos t = (1 - h^2) / (1 + h^2) and 1 - cos t = h sin t, in which nothing
cancels. No float is so near to an odd multiple of pi that h^2 would overflow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray

__all__ = ["ComplexArray", "by_half", "by_tangent", "cosine_and_sine", "grown", "grown_less_one", "less_one"]

ComplexArray = NDArray[np.complexfloating[Any, Any]]

_FEW = 100  # angles: a sine and a cosine of so few cost less than the calls of the other way


def cosine_and_sine(
    t: FloatArray, room: tuple[FloatArray, FloatArray, FloatArray] | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return cos t and sin t, each within ``TURNED`` units of 1 (``numerics/rounding``).

    They are written into ``room``, three arrays like ``t``, where there is some: memory that is asked for anew costs as
    much as what is computed in it.

    Examples
    --------
    >>> cosine, sine = cosine_and_sine(np.array([0.0, np.pi]))
    >>> (cosine + 0.0).tolist(), bool(abs(sine[1]) < 1e-15)
    ([1.0, -1.0], True)
    """
    if t.size < _FEW:
        return np.cos(t), np.sin(t)
    return by_tangent(t, room)


def by_tangent(
    t: FloatArray, room: tuple[FloatArray, FloatArray, FloatArray] | None = None
) -> tuple[FloatArray, FloatArray]:
    """The same, of few angles as well: each is the same to the last bit, however many there are.

    Examples
    --------
    >>> cosine, sine = by_tangent(np.array([0.0, np.pi]))
    >>> cosine.tolist(), bool(abs(sine[1]) < 1e-15)
    ([1.0, -1.0], True)
    """
    cosine, sine, whole = room or (np.empty(t.shape), np.empty(t.shape), np.empty(t.shape))
    return by_half(np.multiply(0.5, t, out=sine), (cosine, whole))


def by_half(half: FloatArray, room: tuple[FloatArray, FloatArray] | None = None) -> tuple[FloatArray, FloatArray]:
    """The same of twice ``half``, which is written into: the sines are returned in it.

    Examples
    --------
    >>> cosine, sine = by_half(np.array([0.0, 0.5 * np.pi]))
    >>> cosine.tolist(), bool(abs(sine[1]) < 1e-15)
    ([1.0, -1.0], True)
    """
    cosine, whole = room or (np.empty(half.shape), np.empty(half.shape))
    sine = np.tan(half, out=half)
    np.multiply(sine, sine, out=cosine)
    np.add(1.0, cosine, out=whole)
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


def grown(size: FloatArray, t: FloatArray) -> ComplexArray:
    """Return e^{size + it} to ``COMPLEX`` units: NumPy's own takes the parts of complex numbers one by one.

    Examples
    --------
    >>> grown(np.zeros(1), np.zeros(1))
    array([1.+0.j])
    """
    value: ComplexArray = np.empty(t.shape, complex)
    value.real, value.imag = cosine_and_sine(t)
    value *= np.exp(size)
    return value


def grown_less_one(size: FloatArray, t: FloatArray) -> ComplexArray:
    """Return e^{size + it} - 1 for ``size`` <= 0, to ``COMPLEX`` units: both terms of the real part,
    e^size (cos t - 1) and e^size - 1, are of one sign.

    Examples
    --------
    >>> grown_less_one(np.array([-1e-20]), np.array([1e-20]))
    array([-1.e-20+1.e-20j])
    """
    value: ComplexArray = np.empty(t.shape, complex)
    value.real, value.imag = less_one(t)
    less = np.expm1(size)
    value *= 1.0 + less
    value.real += less
    return value
