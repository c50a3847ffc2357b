"""delta(eps) of one of two steps, at any noise: one integral of closed forms, known relatively.

With u = (z_1 + z_2) / root 2 and v = (z_1 - z_2) / root 2, independent and normal under Q, and nu = 1 / (root 2 sigma),

    S / 2 = A(v) e^{nu u - nu^2 / 2},     A(v) = e^{-nu^2 / 2} cosh(nu v):

given v it is the Gaussian mechanism of mu = nu at another eps. With D its profile, at every real x, and E_v A = 1,

    remove:  delta(eps) = E_v [A D(eps - log A)],       1 - delta(eps) = E_v [A (1 - D(eps - log A))],
    add:     delta(eps) = E_v [D(eps + log A)],         1 - delta(eps) = E_v [1 - D(eps + log A)].

**Sum.** By the trapezoid rule. Each integrand is n(v) F(A(v)), F(A) = E_u G(A e^{nu u - nu^2 / 2}) for some G >= 0.
For complex A of argument phi, F(A) = int n(w - log(A) / nu) G(e^{nu w - nu^2 / 2}) dw is in modulus at most
e^{phi^2 / (2 nu^2)} F(|A|). At v + iy with nu y < pi / 2, |phi| <= nu y, as tan phi = tanh(nu v) tan(nu y), and

    A(v) cos(nu y) <= |A(v + iy)| <= A(v),      as |cosh(nu (v + iy))|^2 = sinh(nu v)^2 + cos(nu y)^2.

Where F rises with A (all but delta of "add") the modulus therefore integrates to at most e^{y^2} times the integral
itself, of which the sum errs by 2 e^{a^2} / (e^{2 pi a / h} - 1) (Trefethen and Weideman 2014, Theorem 5.1). Where it
falls F(A cos(nu a)) stands for F(A), at eps + log cos(nu a); both factors fall with v > 0, so that h times the sum over
v = 0, h, 2h, .. is no less than the integral from 0 on.

**Cut.** Beyond V is at most N(nu - V) + N(-nu - V) of E A, 2 N(-V) of 1, and less of terms that are no larger.

**Rounding.** D(x) = n(c) (M(c) - M(c + nu)), c = x / nu - nu / 2, M the Mills ratio, where c >= -1; else it is N(-c) -
n(c) M(c + nu), which loses nothing as nu >= 2; D(x) = 1 - e^x + e^x D(-x) where x < 0. With b = c + nu, d log D / dc is
-nu M(b) / (M(c) - M(b)), where x >= 0 at most M(b) / -M'(b) < b + 3/2 in modulus (Sampford 1953: 1 / M(b) >= (3b + (b^2
+ 8)^{1/2}) / 4), and at most 3 + 2 nu where x < 0: D is at least erf(nu / 8^{1/2}), its slope in x at most 1. 1 - D
changes, relatively, by no more than x does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtr

from neyman._validate import FloatArray
from neyman.losses.allocated.lines.contour import few_bits
from neyman.numerics.functions.normal import MILLS_ERROR, mills, mills_drop
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, ROOM, SCANT, SECOND_ORDER, SLIGHT, SMALLEST, UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.profile import Bracket

__all__ = ["gaussian_delta", "slope_of_two", "two_steps"]

_ROOT_TAU = math.sqrt(2.0 * math.pi)  # of the normal density
_NODE = MILLS_ERROR + 64.0 * UNIT  # certifying, relative: two Mills ratios, and sixteen functions and products of them
_COSH = 24.0  # certifying, units of log cosh: 4 functions, 4 products, and its argument off by 6, which counts twice
_ABSOLUTE = 1e-9  # certifying, of the log of a tail, relatively and at least: log_ndtr at 24 units of 1 + 52^2
_SUMMED = 64.0  # certifying, units: a sum in pairs, exp, log and products
_GOAL, _ROOM = 40.0, 6.0  # -log of what a sum may err by, relatively; the same, more, of what is left beyond its end
_WIDEST, _NARROW = 0.97, 0.6  # of the widest strip, where the integrand rises with A, and where it falls
_FARTHEST = 38.5  # deviations beyond which nothing is a float
_AT_ONCE = 1 << 17  # nodes times eps that are held at a time
_COST = 600.0  # nanoseconds of one of these
_HALF = 0.5  # delta from which 1 - delta is summed by itself
_MOST = 0.1  # a relative error from which nothing is known


class _Terms(NamedTuple):
    """e^log times size, known to a relative ``off``."""

    log: FloatArray
    size: FloatArray
    off: FloatArray


class _Rule(NamedTuple):
    """The spacing, how many nodes from 0 on, and the half-width of the strip."""

    h: float
    nodes: int
    a: float

    @staticmethod
    def of(nu: float, log_least: float, remove: bool, falls: bool) -> _Rule:
        """For an integral of at least e^``log_least``; ``falls``: delta of "add", which grows more off the axis."""
        grown = 1.0 + (0.5 * nu * math.sqrt(2.0 * max(-log_least, 1.0)) if falls else 0.0)
        a = min(math.sqrt(_GOAL / grown), (_NARROW if falls else _WIDEST) * 0.5 * math.pi / nu)
        h = few_bits(2.0 * math.pi * a / (_GOAL + grown * a * a))
        far = min(math.sqrt(2.0 * max(_GOAL + _ROOM - log_least, 0.0)), _FARTHEST) + (nu if remove else 0.0)
        return _Rule(h, math.ceil(far / h) + 1, a)

    @property
    def missed(self) -> float:
        """2 e^{a^2} / (e^{2 pi a / h} - 1)."""
        return 2.0 * math.exp(self.a**2) / math.expm1(2.0 * math.pi * self.a / self.h) * (1.0 + AMPLE)


def two_steps(sigma: float, epsilon: FloatArray, remove: bool) -> Bracket:
    """Bounds at noise ``sigma`` over sensitivity, each ``epsilon`` in [0, 600]."""
    nu = 1.0 / (math.sqrt(2.0) * sigma)
    low, high = _integral(nu, epsilon, remove, False)
    with np.errstate(under="ignore"):
        lower = np.maximum(np.exp(low) * (1.0 - SCANT) - SMALLEST, 0.0)
        found = Bracket.of_delta(lower, np.minimum(np.exp(high) * (1.0 + SCANT) + SMALLEST, 1.0))
    at = np.flatnonzero(found.upper > _HALF)
    if not len(at):
        return found
    low, high = _integral(nu, epsilon[at], remove, True)
    upper, lower = (np.clip(-np.expm1(log) * (1.0 + room), 0.0, 1.0) for log, room in ((low, SCANT), (high, -SCANT)))
    return found.sharpened(at, Bracket(lower, upper, low, high))


def slope_of_two(sigma: float, epsilon: FloatArray, remove: bool) -> FloatArray:
    """-d delta / d eps, about: E_v [e^x N(-b)], x = eps - log A times A, or x = eps + log A."""
    nu = 1.0 / (math.sqrt(2.0) * sigma)
    rule = _Rule.of(nu, _guess(nu, float(np.max(epsilon)), False), remove, False)
    v = np.arange(rule.nodes) * rule.h
    log_a = np.logaddexp(nu * v, -nu * v) - math.log(2.0) - 0.5 * nu * nu
    sign, found = (-1.0 if remove else 1.0), []
    for one in epsilon.tolist():
        x = one + sign * log_a
        log = x + log_ndtr(-x / nu - 0.5 * nu) - 0.5 * v * v + (log_a if remove else 0.0)
        log[0] -= math.log(2.0)
        with np.errstate(under="ignore"):
            found.append(float(np.sum(np.exp(log))) * 2.0 * rule.h / _ROOT_TAU)
    return np.array(found)


def _integral(nu: float, epsilon: FloatArray, remove: bool, gap: bool) -> tuple[FloatArray, FloatArray]:
    """log of delta, or of 1 - delta, from below and from above; ``nu`` is within 4 units of what it stands for."""
    falls = not remove and not gap
    rule = _Rule.of(nu, _guess(nu, float(np.min(epsilon) if gap else np.max(epsilon)), gap), remove, falls)
    many = max(_AT_ONCE // rule.nodes, 1)
    parts = [_piece(rule, nu, epsilon[i : i + many], remove, gap) for i in range(0, len(epsilon), many)]
    low, high = (np.concatenate(side) for side in zip(*parts, strict=True))
    return low, high


def _guess(nu: float, epsilon: float, gap: bool) -> float:
    """About log of the least: adding up leaves the Gaussian mechanism of nu, being told makes it that of 2^.5 nu."""
    whole = math.sqrt(2.0) * nu if gap else nu
    zero = np.zeros((1, 1))
    found = (_gap if gap else gaussian_delta)(np.array([[epsilon]]), zero, whole)
    return max(float(found.log[0, 0]) + math.log(float(found.size[0, 0])), -LARGEST_EXPONENT)


def _piece(rule: _Rule, nu: float, epsilon: FloatArray, remove: bool, gap: bool) -> tuple[FloatArray, FloatArray]:
    low, high = np.full_like(epsilon, -np.inf), np.zeros_like(epsilon)
    falls = not remove and not gap
    if not allowance().take(_COST * (2 if falls else 1) * rule.nodes * len(epsilon)):
        return low, high
    v = np.arange(rule.nodes) * rule.h
    log, off = _summed(rule, nu, epsilon, v, remove, gap)
    missed = np.full_like(epsilon, rule.missed)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if falls:
            more = -math.log(math.cos(nu * rule.a)) * (1.0 + ROOM) + ROOM
            grown, room = _summed(rule, nu, epsilon - more, v, False, False)
            grown = np.logaddexp(grown + math.log(2.0) + room, _log_beyond(nu, v[-1], False)) - log + off
            missed = missed * np.exp(np.minimum(grown * (1.0 + SLIGHT), LARGEST_EXPONENT))
        cut = np.full_like(epsilon, _log_beyond(nu, v[-1], remove))
        cut = np.minimum(cut, epsilon + _log_beyond(nu, v[-1], not remove)) if gap else cut
        good = (missed < _MOST) & (off < _MOST)
        room = SECOND_ORDER * off + SCANT * np.abs(log)
        rest = -np.log1p(-np.where(good, missed, 0.0)) * (1.0 + SLIGHT)
        low = np.where(good, log - room - rest, low)
        high = np.where(good, np.minimum(np.logaddexp(log + room, cut) + rest, 0.0), high)
    return low, high


def _log_beyond(nu: float, far: float, tilted: bool) -> float:
    """log of what is beyond ``far`` on both sides of E A at most, or of 1: of its integral and of its sums."""
    if not tilted:
        log = float(log_ndtr(-far)) + math.log(2.0)
    elif far > nu * (1.0 + ROOM):  # where it falls
        log = float(log_ndtr(nu * (1.0 + SLIGHT) - far)) + math.log(2.0)
    else:
        return math.inf
    return log + _ABSOLUTE * (1.0 + abs(log))


def _summed(
    rule: _Rule, nu: float, epsilon: FloatArray, v: FloatArray, remove: bool, gap: bool
) -> tuple[FloatArray, FloatArray]:
    """log of h times the sum over all nodes, v and -v, and its relative error."""
    y = nu * v
    near = np.log1p(2.0 * np.sinh(0.5 * np.minimum(y, 2.0)) ** 2)
    cosh = np.where(y < 2.0, near, y - math.log(2.0) + np.log1p(np.exp(-2.0 * np.maximum(y, 1.0))))
    log_a = cosh - 0.5 * nu * nu
    off_a = UNIT * (_COSH * cosh + 6.0 * nu * nu + np.abs(log_a))
    x = epsilon[:, None] + (-log_a if remove else log_a)
    found = (_gap if gap else gaussian_delta)(x, off_a + UNIT * np.abs(x), nu)
    weight, off = -0.5 * v * v, UNIT * v * v
    if remove:
        weight, off = weight + log_a, off + off_a + UNIT * np.abs(weight + log_a)
    log = found.log + weight
    log[:, 0] -= math.log(2.0)
    top = np.max(log, axis=1)
    with np.errstate(under="ignore"):
        term = np.exp(log - top[:, None]) * found.size
    whole = np.sum(term, axis=1)
    lost = np.sum(term * (found.off + off + UNIT * 2.0 * np.abs(log)), axis=1) / whole
    head = top + np.log(whole) + math.log(2.0 * rule.h / math.sqrt(2.0 * math.pi))
    return head, lost + UNIT * (_SUMMED + 8.0 * np.abs(head) + 8.0 * np.abs(top))


def gaussian_delta(x: FloatArray, off: FloatArray, nu: float) -> _Terms:
    """D(x), x known to ``off``, ``nu`` to 4 units of 2^-53."""
    y = np.abs(x)
    c, b, moved = _places(y, off, nu)
    with np.errstate(under="ignore"):
        square = 0.5 * c * c
        size = np.where(c >= -1.0, mills_drop(np.maximum(c, -1.0), nu) / _ROOT_TAU, 0.0)
        log = np.where(c >= -1.0, -square, 0.0)
        size = np.where(c >= -1.0, size, ndtr(-c) - np.exp(-square) / _ROOT_TAU * mills(b))
        below = x < 0.0
        size = np.where(below, -np.expm1(-y) + np.exp(log - y) * size, size)
    log = np.where(below, 0.0, log)
    return _Terms(log, size, np.where(below, 3.0 + 2.0 * nu, b + 1.5) * moved + _NODE + UNIT * (2.0 * square + y))


def _gap(x: FloatArray, off: FloatArray, nu: float) -> _Terms:
    """1 - D(x)."""
    y = np.abs(x)
    c, b, moved = _places(y, off, nu)
    with np.errstate(under="ignore"):
        square = 0.5 * c * c
        size = np.where(c <= 0.0, mills(np.abs(c)) + mills(b), 0.0) / _ROOT_TAU
        size = np.where(c <= 0.0, size, ndtr(c) + np.exp(-square) / _ROOT_TAU * mills(b))
    log = np.where(c <= 0.0, -square, 0.0) + np.minimum(x, 0.0)
    return _Terms(log, size, SECOND_ORDER * nu * moved + _NODE + UNIT * (2.0 * square + y))


def _places(y: FloatArray, off: FloatArray, nu: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """c and b of y >= 0, and by how much c is off."""
    c = y / nu - 0.5 * nu
    return c, y / nu + 0.5 * nu, off / nu + UNIT * (8.0 * y / nu + 4.0 * nu + np.abs(c))
