"""Where lines are cut, and a bound on what lies beyond: |A(w + i omega')| <= B_y(omega) for EVERY omega' >= omega.

With the axis moved to x + iy, 0 < y <= pi s^2,

    B_y(omega) = int phi(x) e^{y^2 / 2s^2} |r(x+iy)|^w e^{-omega arg r(x+iy)} dx,      arg r >= 0.

It is taken by the trapezoid rule on the nodes of the axis. The integrand has an analytic continuation of its own,
(r(x+iy) r(x-iy))^{w/2} e^{-omega (log r(x+iy) - log r(x-iy)) / 2i}, whose modulus at x + iv is at most
phi r^w e^{(y^2 + v^2) / 2s^2} cos((y+v) / 2s^2)^{min(w, 0)} as long as y + v <= pi s^2 / 2: there arg r(x + iu) rises
with |u|. So the rule errs by 2 A(w) e^{...} cos(...) / (e^{2 pi v / h} - 1).
"""

from __future__ import annotations

import math

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.batch.laying.axis import Axis
from neyman.engines.batch.laying.rows import rows_of
from neyman.numerics.rounding import AMPLE, SLIGHT, UNIT

__all__ = ["ANGLES", "cut", "log_beyond"]

ANGLES = np.array([1.03, 1.15, 1.35, 1.7, 2.3, 3.4, 5.0])  # times where a Gaussian is cut: cuts tried
_MOST = 0.5  # of pi s^2 / 2: the shift y, which leaves as much for v
# certify, units of 2^-53 (``_rounded``)
_TERM, _SIZE, _LOSS, _FAR, _TURNED = 100.0, 10.0, 60.0, 7.0, 40.0
_STRIPS = np.linspace(0.25, 1.0, 6)  # of what is left of pi s^2 / 2: v tried


def shifts(axis: Axis, y: FloatArray) -> FloatArray:
    """The y that are allowed, nearest to those wanted."""
    return np.minimum(y, _MOST * 0.5 * math.pi * (axis.settings.sigma**2)[:, None])


def log_beyond(axis: Axis, w: FloatArray, whole: FloatArray, omega: FloatArray, y: FloatArray) -> FloatArray:
    """log B_y(omega), from above. Axes: setting, line; ``y`` has one column a line, ``whole`` is A(w) from above."""
    s2 = axis.settings.sigma[:, None] ** 2
    t = axis.settings.tilt(axis.x)[:, None, :]
    q, angle = axis.settings.rate[:, None, None], (y / s2)[..., None]
    # r e^{-max(t, 0)}, so that nothing overflows
    first, second = (1.0 - q) * np.exp(np.minimum(-t, 0.0)), q * np.exp(np.minimum(t, 0.0))
    real, imaginary = first + second * np.cos(angle), second * np.sin(angle)
    log_size = np.maximum(t, 0.0) + 0.5 * np.log(real * real + imaginary * imaginary)
    turn = np.arctan2(imaginary, real)
    bend = 0.5 * y * y / s2
    exponent = axis.log_weight[:, None, :] + w[..., None] * log_size - omega[..., None] * turn + bend[..., None]
    with np.errstate(under="ignore", over="ignore"):
        total = np.exp(exponent).sum(axis=2)
        # the nodes that are left out: |r(x+iy)| lies between r cos(y / 2s^2) and r
        shrunk = np.minimum(w, 0.0) * np.log(np.cos(0.5 * y / s2))
        missing = axis.ends(w) * np.exp(bend + shrunk)
        # wider than where a Gaussian's error is least none helps
        v = _STRIPS * np.minimum(0.5 * math.pi * s2 - y, 2.0 * math.pi * s2 / axis.step[:, None])[..., None]
        rate = 2.0 * math.pi * v / axis.step[:, None, None]
        grown = (0.5 * (y * y)[..., None] + 0.5 * v * v) / s2[..., None]
        grown = grown + np.minimum(w, 0.0)[..., None] * np.log(np.cos(0.5 * (y[..., None] + v) / s2[..., None]))
        log_aliased = (grown - rate - np.log(-np.expm1(-rate))).min(axis=2)
        aliased = 2.0 * (1.0 + AMPLE) * whole * np.exp(log_aliased)
        return np.log(total * (1.0 + SLIGHT) + missing + aliased) + _rounded(axis, w, omega, bend)


def _rounded(axis: Axis, w: FloatArray, omega: FloatArray, bend: FloatArray) -> FloatArray:
    """How much an exponent above may err, and the log of their sum.

    Of the modulus of r, log and arg err by 30 units (sine and cosine by 2 each, over cos(pi / 8) of the modulus), by 3
    |t| for t and by 4 of themselves, which are at most |t| + |log(1 - q)| and pi / 4; the rest by 6 of itself.
    """
    far = np.abs(axis.settings.tilt(axis.x)).max(axis=1)[:, None]
    size = 0.5 * (np.abs(axis.x).max(axis=1) / axis.settings.sigma)[:, None] ** 2
    loss = _LOSS + _FAR * far
    return UNIT * (_TERM + _SIZE * (size + bend) + np.abs(w) * loss + _TURNED * omega)


def cut(
    axis: Axis, w: FloatArray, whole: FloatArray, first: FloatArray, goal: FloatArray, y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The earliest of a few cuts, multiples of ``first``, beyond which T log B - log(pi W) is at most ``goal``, and
    that number: the best one where none is.
    """
    steps = axis.settings.steps[:, None]
    places, found = np.full(w.shape, np.nan), np.full(w.shape, np.inf)
    for angle in ANGLES:
        rows = np.flatnonzero(np.isnan(places).any(axis=1))
        if not len(rows):
            break
        some = rows_of(axis, rows)
        omega = angle * first[rows]
        log_b = log_beyond(some, w[rows], whole[rows], omega, shifts(some, angle * y[rows]))
        size = steps[rows] * log_b - np.log(math.pi * omega)
        new = np.isnan(places[rows]) & ((size <= goal[rows]) | (angle == ANGLES[-1]))
        places[rows] = np.where(new, omega, places[rows])
        found[rows] = np.where(new, size, found[rows])
    return places, found
