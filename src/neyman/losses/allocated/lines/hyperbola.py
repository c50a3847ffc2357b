"""E (K - S)_+ of a sum S of t likelihood ratios, from its Laplace transform phi(s)^t / s^2 on one hyperbola.

    s(v) = m (1 + sin(iv - d)),  v real:    |s| = m (cosh v - sin d),  Re s = m (1 - sin d cosh v),

which crosses the real axis at m (1 - sin d) > 0 and bends to the left by the angle d. The trapezoid rule in v, spacing
h, errs by (M(d - a) + M(d + a)) / (e^{2 pi a / h} - 1), M(d') the integral of the modulus along the hyperbola of angle
d' (Trefethen and Weideman 2014, Theorem 5.1), 0 <= d - a, d + a < pi / 2 (Lopez-Fernandez and Palencia 2004).

**Moduli.** Along v >= 0 Re s falls, |s|, arg s and |s'| = m (cos^2 d' + sinh^2 v)^{1/2} rise, so that each is bounded
on a cell by its ends, and |phi(s)| by ``RealTable.modulus``. Beyond the last cell, and beyond the last node,
cosh v >= 2 and arg s - pi/2 <= d', so that what is left is at most
e^{t sigma^2 d'^2 / 2} q e^{mK (1 - sin d' cosh v)} / (mK sin d' sinh v), q = cosh v / (m (cosh v - 1)^2).
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from functools import cached_property
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.allocated.lines.contour import Contour, Nodes, Points, few_bits, relative
from neyman.losses.allocated.lines.line import NATS
from neyman.losses.allocated.lines.transform import RealTable
from neyman.numerics.exact.double_double import TWICE, Complex, Twofold, exponential, from_decimals
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, POWER, ROOM, SLIGHT

__all__ = ["Hyperbola", "bent"]

_CELLS = 1.0 / 16.0  # their length
_FARTHEST = 36.0  # v at which cells end
_PARTS = 0.9  # a, of the least of d and pi / 2 - d
_ANGLES = (0.6, 0.44, 0.32, 0.22, 0.15, 0.1, 0.065, 0.04, 0.025, 0.015, 0.009, 0.005, 0.003)  # tan(d / 2)
_MOST = 14.0  # root of t sigma^2 times the angle, of those that are tried
_CLOSE = 0.02  # of v: how well the end of a line is sought
_WEIGHT, _GROWN, _PLACE = 128.0, 200.0, 24.0  # certify, units of 2^-104: of a weight, of an exponential, of sK in it
_DIGITS = Context(prec=60)  # decimals: pairs of floats hold 32
_TAU = Decimal("6.28318530717958647692528676655900576839433879875021164194988918461563281257241799726")


class _Moduli:
    """The modulus of the integrand along the hyperbola of one angle, from above."""

    def __init__(self, table: RealTable, t: int, m: float, d: float) -> None:
        self._m, self._d = m, d
        v = np.arange(0.0, _FARTHEST + _CELLS, _CELLS)
        left, right = v[:-1], v[1:]
        size = m * (np.cosh(left) - math.sin(d)) * (1.0 - SLIGHT)
        self.real = m * (1.0 - math.sin(d) * np.cosh(left))
        angles = np.arctan2(math.cos(d) * np.sinh(v), 1.0 - math.sin(d) * np.cosh(v))
        least, most = angles[:-1] * (1.0 - SLIGHT), np.minimum(angles[1:] * (1.0 + SLIGHT), math.pi)
        length = m * np.sqrt(math.cos(d) ** 2 + np.sinh(right) ** 2)
        self.rest = t * table.modulus(size, least, most) - 2.0 * np.log(size) + np.log(length * _CELLS) + ROOM
        self.beyond = 0.5 * t * table.transform.sigma**2 * (d * (1.0 + SLIGHT)) ** 2

    def log_integral(self, k: FloatArray) -> FloatArray:
        """log of the integral of the modulus over all v, at each K."""
        power = k[:, None] * self.real + self.rest
        power = power + POWER * (np.abs(k[:, None] * self.real) + np.abs(self.rest))
        top = np.max(power, axis=1)
        with np.errstate(under="ignore"):
            inside = top + np.log(np.sum(np.exp(np.maximum(power - top[:, None], -LARGEST_EXPONENT)), axis=1))
        return np.logaddexp(inside, self.log_left(k, _FARTHEST)) + math.log(2.0) + AMPLE

    def log_left(self, k: FloatArray, v: float) -> FloatArray:
        """log of what is left of it beyond ``v``, where cosh v >= 2, on one side."""
        m, d, c = self._m, self._d, math.cosh(v)
        found = self.beyond + math.log(c / (m * (c - 1.0) ** 2)) + m * k * (1.0 - math.sin(d) * c) * (1.0 - POWER)
        return found + POWER * m * k - np.log(m * k * math.sin(d) * math.sinh(v)) + AMPLE


class Plan(NamedTuple):
    """Which hyperbola, and how many nodes."""

    slant: float
    """tan(d / 2)"""
    m: float
    h: float
    nodes: int


def bent(table: RealTable, t: int, c: float, nats: float = NATS, enough: int = 0) -> Plan:
    """The hyperbola through ``c``, its saddle point, with the fewest nodes for a certificate, or with ``enough``."""
    wide = math.sqrt(t) * table.transform.sigma
    start = sum(2.0 * math.atan(slant) * wide > _MOST for slant in _ANGLES)
    found: list[Plan] = []
    for slant in _ANGLES[min(start, len(_ANGLES) - 1) :]:
        found.append(_planned(table, t, c, slant, nats))
        if found[-1].nodes <= enough or (len(found) > 1 and found[-1].nodes > found[-2].nodes):
            break
    return min(found, key=lambda plan: plan.nodes)


def _planned(table: RealTable, t: int, c: float, slant: float, nats: float) -> Plan:
    d = 2.0 * math.atan(slant)
    m = few_bits(c / (1.0 - math.sin(d)))
    a = _PARTS * min(d, 0.5 * math.pi - d)
    at = np.array([table.saddle(c, t)])
    outer, inner = (_Moduli(table, t, m, d + side).log_integral(at)[0] for side in (a, -a))
    goal = c * at[0] + t * float(table.above(np.array([c]))[0]) - math.log(c) - nats
    h = few_bits(2.0 * math.pi * a / max(max(outer, inner) - goal + 1.0, 1.0))
    along = _Moduli(table, t, m, d)
    low, v = math.acosh(2.0), _FARTHEST
    while v - low > _CLOSE:
        middle = 0.5 * (low + v)
        low, v = (low, middle) if along.log_left(at, middle)[0] <= goal else (middle, v)
    return Plan(slant, m, h, math.ceil(v / h) + 1)


class Hyperbola(Contour):
    """One hyperbola, for all K that have their saddle point near where it crosses the axis."""

    kind = "hyperbola"

    def __init__(self, table: RealTable, t: int, plan: Plan) -> None:
        self._table, self.t, self._plan = table, t, plan
        self.nodes, self.transform = plan.nodes, table.transform
        self.head = _DIGITS.divide(Decimal(plan.h), _TAU)

    @cached_property
    def _nodes(self) -> Nodes:
        """Places, and -i phi(s)^t / s^2 s'(v): the half below the axis is the conjugate of that above."""
        s, speed = self._places()
        power, error, first = relative(self._table.transform, self.t, s)
        twice = np.full(self.nodes, 2.0)
        twice[0] = 1.0
        weight = (power * (s * s).inverse() * speed).scaled(twice)
        scale = twice * speed.modulus / s.modulus**2
        moved = (error * scale + _WEIGHT * TWICE * weight.modulus) * (1.0 + AMPLE)
        return Nodes(s, Complex(weight.im, -weight.re), moved, first)

    @property
    def places(self) -> tuple[Points, Points]:
        """The half above the axis, twice, times s' / i."""
        d, m, v = 2.0 * math.atan(self._plan.slant), self._plan.m, np.arange(self.nodes) * self._plan.h
        tilt, high, wide = math.sin(d), np.sinh(v), np.cosh(v)
        s = m * (1.0 - tilt * wide) + 1j * (m * math.cos(d) * high)
        weight = 2.0 * m * (math.cos(d) * wide + 1j * (tilt * high)) / (s * s)
        weight[0] *= 0.5
        return s, weight

    def _places(self) -> tuple[Complex, Complex]:
        """s and s' at the nodes."""
        plan = self._plan
        found: list[list[Decimal]] = [[], [], [], []]
        with localcontext(_DIGITS):
            slant, m = Decimal(plan.slant), Decimal(plan.m)
            over = m / (1 + slant * slant)
            sine, cosine = 2 * slant * over, (1 - slant * slant) * over
            step, rise = Decimal(plan.h).exp(), Decimal(1)
            for _ in range(plan.nodes):
                cosh, sinh = (rise + 1 / rise) / 2, (rise - 1 / rise) / 2
                for part, one in zip(found, (m - sine * cosh, cosine * sinh, -sine * sinh, cosine * cosh), strict=True):
                    part.append(one)
                rise = rise * step
        re, im, re_speed, im_speed = (from_decimals(part) for part in found)
        return Complex(re, im), Complex(re_speed, im_speed)

    @property
    def laid(self) -> Nodes:
        """Places and weights, made when first asked."""
        return self._nodes

    def grown(self, k: list[Decimal]) -> tuple[Complex, FloatArray]:
        """``exponential`` of (s - c) K, which errs by 8 units of itself, and by 4 of |sK| before."""
        s = self._nodes.s
        steps, many = s + -s.at(slice(0, 1)), from_decimals(k).at((slice(None), None))
        power = Complex(*(Twofold(p.hi[None], p.lo[None]) for p in steps)).times(many)
        return exponential(power), _GROWN + _PLACE * s.modulus * many.hi

    def terms(self, k: FloatArray) -> dict[str, FloatArray]:
        """What the sum errs by, discretised and cut, over 2 pi."""
        a, (along, outer, inner) = self._moduli
        h = self._plan.h
        with np.errstate(over="ignore", under="ignore"):
            whole = np.exp(outer.log_integral(k)) + np.exp(inner.log_integral(k))
            left = 2.0 * np.exp(along.log_left(k, self.nodes * h - h))
            off = whole / math.expm1(min(2.0 * math.pi * a / h, LARGEST_EXPONENT)), left
        quadrature, cut = (part / (2.0 * math.pi) * (1.0 + AMPLE) for part in off)
        return {"quadrature": quadrature, "truncation": cut}

    @cached_property
    def _moduli(self) -> tuple[float, list[_Moduli]]:
        """a, and the moduli at the angles d, d + a, d - a."""
        d = 2.0 * math.atan(self._plan.slant)
        a = _PARTS * min(d, 0.5 * math.pi - d)
        return a, [_Moduli(self._table, self.t, self._plan.m, one) for one in (d, d + a, d - a)]
