"""E (K - S)_+ of a sum S of t likelihood ratios, from its Laplace transform phi(s)^t / s^2 on one vertical line.

With c > 0, spacing h and R = 2 pi / h, the trapezoid rule on Re s = c has an error that is a sum of the same quantity
at other places (Poisson's formula; Abate and Whitt 1992):

    h / (2 pi) sum over k of e^{sK} phi(s)^t / s^2 at s = c + ikh  =  sum over m of e^{-cmR} f(K + mR),

f(x) = E (x - S)_+, 0 where x <= 0. Since f(x) <= e^{bx} phi(b)^t / (e b) for all b > 0, the terms m > 0 add up to at
most e^{bK} phi(b)^t / (e b (e^{(c - b)R} - 1)) for any b < c, and to (K / x + R / x^2) e^{-cR}, x = 1 - e^{-cR}, since
f(x) <= x; those with m < 0 to the first of these with b > c and e^{(b - c)R}.

**The cut** after N nodes leaves e^{cK} r^t / (pi (N - 1) h) at most, r the supremum of |phi(c + iy)| over y > Nh:
that of ``RealTable.modulus`` on intervals of y, and at the far end of all.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.allocated.lines.contour import Contour, Nodes, Points, few_bits, relative
from neyman.losses.allocated.lines.transform import RealTable
from neyman.numerics.exact.double_double import TWICE, Complex, Twofold, from_decimals, turned
from neyman.numerics.rounding import AMPLE, POWER, SLIGHT

__all__ = ["LONGEST", "NATS", "StraightLine"]

LONGEST = 3000  # nodes of a line
NATS = 76.0  # -log of what a line may leave of its largest term: 1e-33
_GROWTH = 1.05  # ratio of the ends of an interval of y
_NEAREST = 1e-5  # times c, where they begin
_WEIGHT, _TURN = 64.0, 160.0  # certify, units of 2^-104: of a weight, of each turn that is multiplied
_DIGITS = Context(prec=60)  # decimals: pairs of floats hold 32
_LONG = Context(prec=100)  # the same of angles before whole turns go
_TAU = Decimal("6.28318530717958647692528676655900576839433879875021164194988918461563281257241799726")


class StraightLine(Contour):
    """One line, of as many nodes as its certificate wants: for all K that have their saddle point near ``c``."""

    kind = "straight line"

    def __init__(self, table: RealTable, t: int, c: float, nats: float = NATS) -> None:
        self._table, self.t, self.c, self._nats = table, t, c, nats
        self.transform = table.transform
        self._others, self._log_phi = table.every(0.5)
        self.nodes = max(self._planned(), 2)
        self.head = _DIGITS.divide(Decimal(self.h), _TAU)

    def _planned(self) -> int:
        """Chooses h and N: by floats, and what they leave is bounded where it is used."""
        t, c, self.h = self.t, self.c, 1.0
        middle = self._table.saddle(c, t)
        high = c * middle + t * float(self._table.above(np.array([c]))[0]) - math.log(c)
        room = 1.0
        for side in (self._others < c, self._others > c):
            if not side.any():
                return 2 * LONGEST
            b, log_phi = self._others[side], self._log_phi[side]
            bound = b * middle + t * log_phi - 1.0 - np.log(b)
            room = max(room, float(np.min(np.maximum(bound - high + self._nats + 4.0, 1.0) / np.abs(c - b))))
        self.h = few_bits(2.0 * math.pi / room)
        y, log_beyond = self._beyond
        small = np.flatnonzero(c * middle + log_beyond - np.log(math.pi * y) <= high - self._nats)
        return min(math.ceil(float(y[small[0]]) / self.h), 2 * LONGEST) if len(small) else 2 * LONGEST

    @cached_property
    def _beyond(self) -> tuple[FloatArray, FloatArray]:
        """Some y, and at least the logarithm of sup |phi(c + iy)|^t from each on."""
        c, table = self.c, self._table
        many = math.ceil(math.log(table.s[-1] / (_NEAREST * c)) / math.log(_GROWTH))
        y = _NEAREST * c * _GROWTH ** np.arange(many + 1)
        angle = np.arctan2(y, c)
        size = np.hypot(y, c) * (1.0 - SLIGHT)
        inside = table.modulus(size[:-1], angle[:-1] * (1.0 - SLIGHT), angle[1:] * (1.0 + SLIGHT))
        beta = np.linspace(0.0, 0.5 * math.pi, 64)  # turned by one angle, the bound falls with y
        further = (c * np.cos(beta) + y[-1] * np.sin(beta)) * (1.0 - SLIGHT)
        last = float(np.min(0.5 * table.transform.sigma**2 * beta**2 + table.above(further))) + AMPLE
        found = np.maximum.accumulate(np.append(inside, last)[::-1])[::-1]
        return y, self.t * np.minimum(found, 0.0) + AMPLE

    @property
    def places(self) -> tuple[Points, Points]:
        """The half above the axis, twice."""
        s = np.asarray(self.c + 1j * (np.arange(self.nodes) * self.h), dtype=np.complex128)
        weight = 2.0 / (s * s)
        weight[0] *= 0.5
        return s, weight

    @cached_property
    def _nodes(self) -> Nodes:
        """Places, and phi(s)^t / s^2: the half below the axis is the conjugate of that above."""
        zero = np.zeros(self.nodes)
        s = Complex(Twofold(zero + self.c, zero), Twofold(np.arange(self.nodes) * self.h, zero))
        power, error, first = relative(self._table.transform, self.t, s)
        twice = np.full(self.nodes, 2.0)
        twice[0] = 1.0
        weight = (power * (s * s).inverse()).scaled(twice)
        return Nodes(
            s, weight, (twice * error / s.modulus**2 + _WEIGHT * TWICE * weight.modulus) * (1.0 + AMPLE), first
        )

    @property
    def laid(self) -> Nodes:
        """Places and weights, made when first asked."""
        return self._nodes

    def grown(self, k: list[Decimal]) -> tuple[Complex, FloatArray]:
        """e^{i j h K} for every node j: products of those at powers of 2, whose angles are reduced first."""
        depth = max(self.nodes - 1, 1).bit_length()
        steps = [_DIGITS.multiply(Decimal(self.h), Decimal(1 << i)) for i in range(depth)]
        angles = from_decimals([_DIGITS.remainder_near(_LONG.multiply(x, h), _TAU) for x in k for h in steps])
        shape = len(k), depth
        single = turned(Twofold(angles.hi.reshape(shape), angles.lo.reshape(shape)))
        ones, zeros = np.ones((len(k), 1)), np.zeros((len(k), 1))
        found = Complex(Twofold(ones, zeros), Twofold(zeros, zeros))
        for i in range(depth):
            found = found.joined(found * single.at((slice(None), slice(i, i + 1))))
        return found.at((slice(None), slice(0, self.nodes))), np.full((1, self.nodes), _TURN * depth)

    def terms(self, k: FloatArray) -> dict[str, FloatArray]:
        """Aliases, and the cut."""
        c, t, h = self.c, self.t, self.h
        room = 2.0 * math.pi / h
        y, log_beyond = self._beyond
        end = self.nodes * h
        at = int(np.searchsorted(y, end, side="right")) - 1
        with np.errstate(under="ignore", over="ignore"):
            cut = np.exp(c * k * (1.0 + POWER) + (float(log_beyond[at]) if at >= 0 else 0.0)) / (math.pi * (end - h))
        x = -math.expm1(-c * room * (1.0 - SLIGHT))  # sum of (K + mR) e^{-cmR}, m > 0
        least = math.exp(-c * room * (1.0 - SLIGHT)) * (k / x + room / x**2)
        for below in (True, False):
            b, log_phi = (part[(self._others < c) == below] for part in (self._others, self._log_phi))
            b, log_phi = b[b != c], log_phi[b != c]
            power = b * k[:, None] + t * log_phi - 1.0 - np.log(b)
            power = power + POWER * (b * k[:, None] + np.abs(t * log_phi) + 1.0)
            with np.errstate(over="ignore"):
                bound = np.exp(power - np.log(np.expm1(np.abs(c - b) * room * (1.0 - SLIGHT))))
                bound = np.min(bound, axis=1, initial=np.inf)
            least = np.minimum(least, bound) if below else least + bound
        return {"aliasing": least * (1.0 + AMPLE), "truncation": cut * (1.0 + AMPLE)}
