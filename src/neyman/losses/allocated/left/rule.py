"""Gauss's rule of 16 nodes on a panel, with what it errs by.

An integrand that is analytic on the ellipse with foci at the ends of a panel whose half-axes add up to R halves of it,
and at most M in modulus there, is integrated with an error of 64 / 15 M R^{-2n} / (1 - R^{-2}) times that half
(Trefethen 2008, Theorem 4.5). R = 4: the ellipse reaches 2.125 halves from the middle, and 1.875 across.
"""

from __future__ import annotations

import numpy as np

from neyman._validate import FloatArray

__all__ = ["ACROSS", "ALONG", "GAUSS", "gauss_error"]

_NODES, _RADIUS = 16, 4.0  # certifies: n and R above
ALONG, ACROSS = 0.5 * (_RADIUS + 1.0 / _RADIUS), 0.5 * (_RADIUS - 1.0 / _RADIUS)  # half-axes
GAUSS: tuple[FloatArray, FloatArray] = np.polynomial.legendre.leggauss(_NODES)
# certifies: of half a panel times the modulus
_MISSED = 64.0 / 15.0 * _RADIUS ** (-2.0 * _NODES) / (1.0 - _RADIUS**-2.0) * (1.0 + 1e-12)


def gauss_error(half: float | FloatArray, most: FloatArray) -> FloatArray:
    """What the rule errs by on panels of these halves, the integrand at most ``most`` on their ellipses."""
    return np.asarray(_MISSED * half * most, dtype=np.float64)
