"""The jump of phi across its cut: q(r) = (phi(-r - i0) - phi(-r + i0)) / (2i), r > 0: what rare large Y do to phi.

phi(re^{i psi}), of transform.py, goes on to any angle psi. With s = -p its values from the upper side of the cut and
from the lower one are integrals of n(z) e^{pY(z)} up the real line to any x_0, and on to either side: Y(z + i sigma
omega) = e^{i omega} Y(z). On the real line they are the same, so that

    q(p) = (1 / 2i) int n(z) e^{pY(z)} dz        along any path from +inf - i pi sigma to +inf + i pi sigma.

**Value**, for p = r > 0. Y runs along y_0 eta(v), eta(v) = (1 + sin(iv - d)) / (1 - sin d), a hyperbola round the
negative axis; y_0 = Y(x_0) is where n e^{rY} is least on the real line. The trapezoid rule in v, spacing h, errs by
(M(d - a) + M(d + a)) / (e^{2 pi a / h} - 1), M(d') the integral of the modulus along the hyperbola of angle d'
(Trefethen and Weideman 2014, Theorem 5.1), 0 < d - a, d + a < pi / 2. Along v >= 0 |eta| and arg eta rise and Re eta
falls, so that a cell is bounded by its ends. Beyond v_1, cosh v_1 >= 4, arg eta <= pi / 2 + d' and the rest is at most
sigma e^{sigma^2 (pi/2 + d')^2 / 2} n(sigma (l + log |eta_1|)) 1.4 e^{W (1 - sin d' cosh v_1) / (1 - sin d)} over
W sin d' sinh v_1 / (1 - sin d), l = x_0 / sigma and W = r y_0.

**Bound**, for |p| between r_1 and r_2 and |arg p| <= theta. Turned by arg p the path goes from x_0 straight up and down
by sigma omega, pi / 2 <= omega <= pi, and then to the right:

    |q| <= n(x_0) int_0^{sigma omega} e^{(y + sigma theta)^2 / 2 + W cos(y / sigma)} dy
           + e^{sigma^2 (omega + theta)^2 / 2} N(-x_0) e^{W_1 cos omega},

W = r_2 y_0 where the cosine is positive and W_1 = r_1 y_0 where it is not. The way from x_0 to either side alone adds
at most twice as much to phi: once where arg p is 0, or turns to that side, and then r_1 <= Re p <= r_2 is enough.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import lambertw, log_ndtr

from neyman._validate import FloatArray
from neyman.numerics.rounding import AMPLE, POWER, ROOM, SLIGHT, TINY, UNIT

__all__ = ["foot", "jump", "log_jump_above"]

_D, _A = 0.6, 0.5  # d and a
_NATS = 60.0  # -log of what the rule may leave
_DEEP = 42.0  # the same of what is beyond its last node
_CELL = 1.0 / 16.0  # of v, in which the ends bound a modulus: steers
_LAST = 6.5  # v at which cells end
_TURNS = 48  # cells of omega
_TERM = 96.0  # certifies, units: of a term, beside what moves its exponent
_RISE = 1.4  # certifies: the 1.4 above, of what is left beyond v_1 where cosh v_1 >= 4
_ROOT_TAU = 0.5 * math.log(2.0 * math.pi)  # log of the root of 2 pi


def foot(sigma: float, r: FloatArray) -> FloatArray:
    """x_0, about: the larger root of r Y(x) = sigma x; where there is none, sigma."""
    c = np.clip(r * (math.exp(-0.5 / sigma**2) / sigma**2), TINY, math.exp(-1.0) * (1.0 - ROOM))
    return np.asarray(-sigma * lambertw(-c, -1).real, dtype=np.float64)


def jump(sigma: float, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log q at each r > 0, and a bound on the relative error of q; inf where it is not known."""
    x = foot(sigma, r)
    ell, w = x / sigma, r * np.exp(x / sigma - 0.5 / sigma**2)
    tilt = math.sin(_D)
    h = 2.0 * math.pi * _A / _NATS
    far = max(1.0 + _DEEP * (1.0 - tilt) / (tilt * float(np.min(w))), 4.0)
    v = h * np.arange(math.ceil(min(math.acosh(far), _LAST) / h) + 1.0)
    eta = (1.0 + np.sin(1j * v - _D)) / (1.0 - tilt)
    turn, size = np.log(eta), np.abs(eta)
    power = w[:, None] * (eta - 1.0) - (0.5 * sigma**2) * turn * (2.0 * ell[:, None] + turn)
    weight = np.cos(1j * v - _D) / ((1.0 - tilt) * eta)
    weight[0] *= 0.5
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        term = np.exp(power) * weight
        moved = sigma**2 * np.abs(turn) * (2.0 * ell[:, None] + np.abs(turn)) + (w[:, None] * size) * (
            8.0 + 4.0 * (ell[:, None] + sigma**-2)
        )
        summed, off = h * np.sum(term.real, axis=1), UNIT * h * np.sum(np.abs(term) * (_TERM + 8.0 * moved), axis=1)
        off += _beyond(sigma, ell, w, _D, float(v[-1]))
        off += (_modulus(sigma, ell, w, _D + _A) + _modulus(sigma, ell, w, _D - _A)) / math.expm1(_NATS)
        head = w - 0.5 * x * x  # what was taken out
        error = off / (summed - off) + UNIT * (16.0 + 4.0 * (np.abs(w) + x * x))
        known = summed > 2.0 * off
        log_q = head + math.log(sigma) - _ROOT_TAU + np.log(np.where(known, summed, 1.0))
    return np.where(known, log_q, -math.inf), np.where(known, error * (1.0 + AMPLE), math.inf)


def _modulus(sigma: float, ell: FloatArray, w: FloatArray, d: float) -> FloatArray:
    """At least M of the hyperbola of angle ``d``, in units of sigma n(x_0) e^W."""
    v = np.arange(0.0, _LAST + 0.5 * _CELL, _CELL)
    left, right = v[:-1], v[1:]
    over = 1.0 - math.sin(_D)
    size = (np.cosh(left) - math.sin(d)) / over * (1.0 - SLIGHT)
    real = (1.0 - math.sin(d) * np.cosh(left)) / over
    angle = np.arctan2(math.cos(d) * np.sinh(right), 1.0 - math.sin(d) * np.cosh(right)) * (1.0 + SLIGHT)
    speed = np.sqrt(math.cos(d) ** 2 + np.sinh(right) ** 2) / (np.cosh(left) - math.sin(d))
    height = np.maximum(ell[:, None] + np.log(size), 0.0)
    power = (0.5 * sigma**2) * (angle**2 - height**2 + ell[:, None] ** 2) + w[:, None] * (real - 1.0)
    power += POWER * (sigma**2 * (angle**2 + height**2 + ell[:, None] ** 2) + w[:, None] * (np.abs(real) + 1.0))
    inside = 2.0 * _CELL * np.sum(np.exp(power) * speed, axis=1)
    return np.asarray(inside + 2.0 * _beyond(sigma, ell, w, d, float(v[-1])), dtype=np.float64) * (1.0 + AMPLE)


def _beyond(sigma: float, ell: FloatArray, w: FloatArray, d: float, v: float) -> FloatArray:
    """At least what is left of it beyond ``v``, cosh v >= 4, on one side."""
    over, c = 1.0 - math.sin(_D), math.cosh(v)
    if c < 4.0:
        return np.full_like(ell, math.inf)
    height = np.maximum(ell + math.log((c - math.sin(d)) / over) * (1.0 - SLIGHT), 0.0)
    power = (0.5 * sigma**2) * ((0.5 * math.pi + d) ** 2 - height**2 + ell**2) + w * (
        (1.0 - math.sin(d) * c) / over - 1
    )
    power = power + POWER * (sigma**2 * (8.0 + height**2 + ell**2) + 4.0 * w * c)
    return _RISE * np.exp(power) / (w * math.sin(d) * math.sinh(v) / over)


def log_jump_above(sigma: float, x: FloatArray, least: FloatArray, most: FloatArray, theta: FloatArray) -> FloatArray:
    """At least log |q| for any x_0 = ``x`` > 0 where ``least`` <= |p| <= ``most`` and |arg p| <= ``theta`` < pi / 2."""
    y = np.exp(x / sigma - 0.5 / sigma**2)
    omega = (np.arange(_TURNS + 1.0) * (math.pi / _TURNS))[:, None]
    first = np.cos(omega[:-1])
    risen = (0.5 * sigma**2) * (omega + theta) ** 2
    along = risen[1:] + np.where(first > 0.0, most, least) * y * first + math.log(sigma * math.pi / _TURNS)
    head = -0.5 * x * x - _ROOT_TAU
    straight = head + np.logaddexp.accumulate(along, axis=0)
    level = log_ndtr(-x) + risen[1:] + least * y * np.cos(omega[1:])
    half = _TURNS // 2
    found = np.min(np.logaddexp(straight, level)[half - 1 :], axis=0)
    room = ROOM * (1.0 + x * x + most * y + sigma**2 * (math.pi + theta) ** 2)
    return np.asarray(found + room, dtype=np.float64)
