"""log Gamma right of the imaginary axis, with bounds on its error.

Stirling's series with n terms errs by at most |B_2n| / (2n (2n - 1) |z|^{2n - 1}) sec(arg z / 2)^{2n} (DLMF 5.11.ii),
and where Re z > 0 the secant is at most the root of 2. With 7 terms from Re z = 16 on the next bounds it: 2^8 7.093 /
(240 16^15) = 6.6e-18. To the left of that log Gamma(z) = log Gamma(z + k) - sum of log(z + j), j < k.

What Gamma is multiplied with is often known: r^{-z}. Then log(z / r) takes the place of log z, which keeps the digits
of an angle of |z| log |z|.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.numerics.rounding import ELEMENTARY, UNIT

__all__ = ["REMAINDER", "log_gamma", "log_gamma_at_most"]

REMAINDER = 7e-18  # of Stirling's series: its docstring
ComplexArray = NDArray[np.complexfloating[Any, Any]]

_FIRST = 16.0  # Re z from which it is taken
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)  # B_2n / (2n (2n - 1))


def log_gamma(x: float, y: FloatArray, r: float = 1.0) -> tuple[ComplexArray, FloatArray]:
    """log(Gamma(z) r^-z), z = x + iy, for x > 0 and r > 0, and bounds on the absolute errors of both parts.

    A logarithm errs by 4 units of itself and 4 of what rounding does to |z| / r, an angle by 4 of itself. A product and
    the sum up to it add 3 units of the product; there are ``_FIRST`` logarithms at most, each of which adds as much.

    Examples
    --------
    >>> value, error = log_gamma(5.0, np.zeros(1))
    >>> round(float(np.exp(value[0].real)), 9), bool(error[0] < 1e-12)
    (24.0, True)
    """
    z: ComplexArray = x + 1j * y
    value = np.zeros(len(y), dtype=np.complex128)
    size = np.zeros(len(y))
    for j in range(max(math.ceil(_FIRST - x), 0)):
        log_z = _log(z, r)
        value, size, z = value - log_z, size + np.abs(log_z.real) + np.abs(log_z.imag) + 2.0, (x + j + 1.0) + 1j * y
    log_z = _log(z, r)
    modulus = np.abs(z)
    value = value + ((z - 0.5) * log_z - z + 0.5 * math.log(2.0 * math.pi) - 0.5 * math.log(r))
    inverse = 1.0 / z
    power = inverse.copy()
    for coefficient in _SERIES:
        value, power = value + coefficient * power, power * inverse * inverse
    size = size + modulus * (np.abs(log_z.real) + np.abs(log_z.imag) + 2.0) + abs(math.log(r)) + 2.0
    return value, (ELEMENTARY + 4.0) * UNIT * size + REMAINDER


def log_gamma_at_most(x: float, y: FloatArray) -> FloatArray:
    """No less than log |Gamma(x + iy)| for x > 0: Stirling's formula, whose remainder is at most 1 / (6 |z|)."""
    angle, modulus = np.arctan2(np.abs(y), x), np.hypot(x, y)
    found = (x - 0.5) * np.log(modulus) - np.abs(y) * angle - x + 0.5 * math.log(2.0 * math.pi) + 1.0 / (6.0 * modulus)
    return found + 1e-13 * (1.0 + modulus * (1.0 + np.abs(np.log(modulus))))


def _log(z: ComplexArray, r: float) -> ComplexArray:
    """log(z / r), part by part."""
    found: ComplexArray = np.log(np.hypot(z.real, z.imag) / r) + 1j * np.arctan2(z.imag, z.real)
    return found
