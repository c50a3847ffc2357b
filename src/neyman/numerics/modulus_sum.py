"""Integrals of the modulus of an analytic function, bounded from above by a trapezoid sum and what it may miss.

Let F be analytic without zeros for |Im z - y| <= room, g = log|F|, and |d^2/dz^2 log F| <= M(x) at x + iy' for all
those y'. On the line Im z = y the modulus itself is analytic: x + iv is taken to sqrt(F(x + iy + iv) F*(x - iy + iv)),
F*(z) the conjugate of F at the conjugate of z, and the modulus of that is the geometric mean of |F| at y + v and y - v.
g is harmonic, so that its second derivative in y is at most M, and the mean of its values at y + v and y - v is at most
g + M v^2/2. What the trapezoid rule of spacing h misses is, by residues, an integral along any curve v = +-eta(x):

    |int |F(x + iy)| dx - h sum |F(x_k + iy)|| <= 2 int |F(x + iy)| e^{M eta^2/2} / (e^{2 pi eta/h} - 1) |dx + i d eta|.

We take eta(x) = min(2 pi/(h M(x)), room). Where |M'| <= s M, |eta'| <= s room, and the curve is longer than its shadow
by sqrt(1 + (s room)^2) at most. That integral needs no accuracy: the factor of |F| grows with M; on a cell, g lies at
most M h^2/8 above its chord, and the exponential of a chord integrates to at most the mean of its ends: so it is below
its own trapezoid sum with each term raised by M h^2/8, M being that of the worse of the two cells beside a node.

Where |F| was replaced by a bound G with |G(x + iv)| <= e^{A v^2/2} G(x) and -(log G)'' <= A, all of this holds with A
in the place of M; for a sum of such G, too.
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray

__all__ = ["log_missed", "log_missed_share", "log_sums"]


def log_sums(log_term: FloatArray) -> FloatArray:
    """log of the sum of e^log_term along the last axis."""
    peak = np.max(log_term, axis=-1)
    return peak + np.log(np.sum(np.exp(log_term - peak[..., None]), axis=-1))


def log_missed(
    log_term: FloatArray, curvature: FloatArray, gap: float, room: FloatArray, steepness: float
) -> FloatArray:
    """Log of a bound on what the trapezoid sum with spacing ``gap`` may miss of the integral, one for each line.

    Parameters
    ----------
    log_term : ndarray, lines by places
        log|F| at the nodes.
    curvature : ndarray, the same shape
        M > 0 at the nodes: no less than in the cells on either side, for all y' within ``room`` of the line.
    gap : float
        Spacing of the nodes.
    room : ndarray, one for each line
        How far F is analytic, without zeros, to either side of the line.
    steepness : float
        s, a bound on |(log M)'|.

    Examples
    --------
    A normal density moved to Im x = 1, |F| = e^{(1 - x^2)/2}, with nodes 0.5 apart:

    >>> x = np.arange(-12.0, 12.5, 0.5)[None, :]
    >>> bool(log_missed(0.5 - 0.5 * x**2, np.ones_like(x), 0.5, np.array([13.0]), 0.0)[0] < -70.0)
    True
    """
    eta = np.minimum(2.0 * math.pi / (gap * curvature), room[:, None])
    turns = (2.0 * math.pi / gap) * eta
    raised = log_term + curvature * (0.5 * eta**2 + 0.125 * gap**2) - turns - np.log(-np.expm1(-turns))
    return log_sums(raised) + (math.log(2.0 * gap) + 0.5 * np.log1p((steepness * room) ** 2))


def log_missed_share(curvature: float, gap: float, room: float, steepness: float) -> float:
    """Log of a bound on what ``log_missed`` is to the sum, where M is at most ``curvature`` everywhere.

    Examples
    --------
    >>> log_missed_share(1.0, 0.5, 13.0, 0.0) < -77.0
    True
    """
    eta = min(2.0 * math.pi / (gap * curvature), room)
    turns = 2.0 * math.pi / gap * eta
    raised = curvature * (0.5 * eta**2 + 0.125 * gap**2) - turns - math.log(-math.expm1(-turns))
    return raised + math.log(2.0) + 0.5 * math.log1p((steepness * room) ** 2)
