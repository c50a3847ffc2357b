"""The real axis of each setting: a trapezoid rule in x, what its step and its ends leave out.

    A(w) = E_{x ~ N(0, s^2)} r(x)^w = h sum over ALL j of phi(jh) r(jh)^w + quadrature error.

Nodes are whole multiples of a step of 24 bits, so that they are exact, and every setting has as many as the one that
wants most: those that are too many have no weight. What the nodes left out would add is bounded on either side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import BoolArray, FloatArray, IntArray
from neyman.engines.batch.laying.settings import LOSS_UNITS, Settings
from neyman.numerics.rounding import LARGEST_EXPONENT, ROOM, SECOND_ORDER, UNIT

__all__ = ["Axis"]

_BITS = 24  # of a step
_MOST = 1400  # nodes: of more the step is too coarse, and says so
_FEWEST = 2  # the last of them, at least
_DIGITS = 36.0  # e-folds from A to its quadrature error, and as many as T more
_LINES = np.geomspace(0.05, 8.0, 14)  # standard deviations: where the strip may end
_CLEAR = 0.9  # of pi s^2, where r may vanish
_COARSEST, _BENT = 0.3, 0.25  # steps at most: of s, and of s^2
_DEVIATIONS = 12.0  # where grids begin, and where Gaussian tails take over from cells
_CELL = 0.35  # deviations: a cell of the bound on what lies right of the grid
_GONE, _EARLIEST = 50.0, 1.0  # e-folds down to where a grid ends; and no sooner than there: r >= 1 beyond, certifies
_FAINT = 650.0  # certifies: e-folds of a weight below which it may have lost digits
_LITTLE = 0.005  # certifies: quadrature errors by which A(w) is at most 1.01 times what it is without
_ROOM = 1.001  # certifies: relative, for bounds that are rounded themselves, by thousands of units at most
# certifies, units of 2^-53: a weight errs by two functions and four products, and by 3 z^2 / 2 of its exponent
# -z^2 / 2; r^w - 1 by one function and a product, on top of its loss
_TERM = 40.0


def _heights(settings: Settings) -> FloatArray:
    """Where strips about the real axis may end, short of the zeros of r (rows: settings)."""
    s = settings.sigma[:, None]
    return np.minimum(_LINES * s, _CLEAR * math.pi * s * s)


def _growth(settings: Settings, w: FloatArray, omega: FloatArray, y: FloatArray) -> FloatArray:
    """Log of a bound on int |phi r^(w + i omega)|(x + iy) dx / A(w): |r| lies between r cos(y / 2s^2) and r, |arg r| is
    at most y / s^2. ``y`` has one axis more than ``w``: the last.
    """
    s2 = (settings.sigma**2).reshape(-1, *[1] * (y.ndim - 1))
    shrunk = np.maximum(-w, 0.0)[..., None] * np.log(np.cos(y / (2.0 * s2)))
    return y * y / (2.0 * s2) + omega[..., None] * y / s2 - shrunk


@dataclass(frozen=True)
class Axis:
    """Nodes ``x``, log of their weights h phi(x), their losses log r(x): rows are settings."""

    settings: Settings
    step: FloatArray
    x: FloatArray
    log_weight: FloatArray
    loss: FloatArray
    last: IntArray  # place of the last node that has a weight
    right: FloatArray  # what the nodes beyond it would add, under any tilt 0 < w <= the largest

    @classmethod
    def spanned(cls, settings: Settings, low: FloatArray, high: FloatArray, omega: FloatArray) -> Axis:
        """The axis for all tilts between ``low`` <= 0 and ``high``, 1 at least, and frequencies up to ``omega``."""
        high = np.maximum(high, 1.0)
        s, y = settings.sigma, _heights(settings)
        wanted = _growth(settings, low, omega, y) + _DIGITS + np.log(settings.steps)[:, None]
        step = np.max(2.0 * math.pi * y / wanted, axis=1)
        step = np.minimum(step, np.minimum(_COARSEST * s, _BENT * s * s))
        first = -_DEVIATIONS * s - np.maximum(-low, high) * settings.rate
        places, rest = _tails(settings, high)
        place = np.argmax(rest <= np.exp(-_GONE), axis=1)
        here = np.arange(len(s))
        top = np.maximum(np.where(rest[here, place] <= np.exp(-_GONE), places[here, place], places[:, -2]), _EARLIEST)
        step = _short(np.maximum(step, (top - first) / (_MOST - 3.0)))
        beyond = rest[here, np.maximum(np.searchsorted(places[0] / s[0], top / s * (1.0 - ROOM), side="right") - 1, 0)]
        begin = np.floor(first / step)
        length = np.ceil(top / step) - begin  # no number where the law has no grid: nothing is certain there
        last = np.where(length >= _FEWEST, length, _FEWEST).astype(np.int64)
        count = np.arange(int(last.max()) + 1)
        x = step[:, None] * (begin[:, None] + np.minimum(count, last[:, None]))
        log_weight = -0.5 * (x / s[:, None]) ** 2 + np.log(step / (s * math.sqrt(2.0 * math.pi)))[:, None]
        log_weight = np.where(count <= last[:, None], log_weight, -np.inf)
        right = beyond * (1.0 + step / (_CELL * s)) * _ROOM
        return cls(settings, step, x, log_weight, settings.loss(x), last, right)

    @cached_property
    def units(self) -> FloatArray:
        """How much the term of each node may err, relative, but for the order in which terms are summed."""
        z = self.x / self.settings.sigma[:, None]
        return UNIT * (LOSS_UNITS + _TERM + 5.0 * np.abs(self.settings.tilt(self.x)) + 3.0 * z * z)

    def terms(self, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """p e^{wL} and p (e^{wL} - 1) at every node (the last axis), p the weights: both to a few units of the larger
        of p and p e^{wL}; inf where they are no floats.
        """
        turned = w[..., None] * self.loss[:, None, :]
        return self.grown(turned, np.expm1(np.minimum(turned, LARGEST_EXPONENT)), self.large(turned))

    def large(self, turned: FloatArray) -> BoolArray | None:
        """Where e^{wL} alone, wL being ``turned``, is no float, or p has no digits; None if nowhere."""
        large = turned > LARGEST_EXPONENT
        faint = (self.log_weight < -_FAINT) & (self.log_weight > -np.inf)
        if np.any(faint):
            large = large | faint[:, None, :]
        return large if np.any(large) else None

    def grown(
        self, turned: FloatArray, less_one: FloatArray, large: BoolArray | None
    ) -> tuple[FloatArray, FloatArray]:  # fmt: skip
        """The same of ``turned``, wL, and e^{wL} - 1, which is written into, and not asked where that is ``large``."""
        weight = np.exp(self.log_weight)[:, None, :]
        less = np.multiply(less_one, weight, out=less_one)
        tilted = less + weight
        if large is not None:
            with np.errstate(over="ignore"):
                tilted = np.where(large, np.exp(turned + self.log_weight[:, None, :]), tilted)
            less = np.where(large, tilted - weight, less)
        return tilted, less

    def ends(self, w: FloatArray) -> FloatArray:
        """Bound on what the nodes left out would add to A(w); ``w`` is within the span, one row a setting.

        Left, f = phi r^w is log-concave where w < 0, since log r is convex; where w >= 0, r^w is largest at the first
        node kept. Right, the same of r^w where w <= 0, and ``right`` elsewhere.
        """
        here = np.arange(len(self.last))
        rising = self.log_weight[:, 1] - self.log_weight[:, 0]
        falling = self.log_weight[here, self.last - 1] - self.log_weight[here, self.last]
        steeper = np.minimum(w, 0.0) * (self.loss[:, 1] - self.loss[:, 0])[:, None]
        left = _beyond(self.log_weight[:, :1] + w * self.loss[:, :1], rising[:, None] + steeper)
        edge = self.log_weight[here, self.last][:, None] + w * self.loss[here, self.last][:, None]
        right = np.where(w > 0.0, self.right[:, None], _beyond(edge, falling[:, None]))
        return (left + right) * _ROOM

    def aliased(self, w: FloatArray, omega: FloatArray) -> FloatArray:
        """Bound on the quadrature error of A(w + i omega'), for all omega' up to ``omega``, over A(w): below
        ``_LITTLE``, so that A(w) is hardly more than its sum, or inf.
        """
        y = _heights(self.settings)[:, None, :]
        rate = 2.0 * math.pi * y / self.step[:, None, None]
        log_error = _growth(self.settings, w, omega, y) - rate - np.log(-np.expm1(-rate))
        found = 2.0 * _ROOM * np.exp(np.minimum(log_error.min(axis=-1), 0.0))
        return np.where(found < _LITTLE, found, np.inf)


def _beyond(log_first: FloatArray, fall: FloatArray) -> FloatArray:
    """Sum over k >= 1 of e^{log_first - k fall}; inf where nothing falls."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found = np.exp(log_first) / np.expm1(np.minimum(fall, LARGEST_EXPONENT))
    return np.where(fall > 0.0, found, np.inf)


def _short(step: FloatArray) -> FloatArray:
    """The step, rounded down to so few bits that its multiples are exact."""
    mantissa, exponent = np.frexp(step)
    return np.ldexp(np.floor(np.ldexp(mantissa, _BITS)), exponent - _BITS)


def _tails(settings: Settings, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places from 0 on, and int beyond each of them of phi r^w, from above, cell by cell: phi is largest where a cell
    begins, r^w where it ends. From 12 s + 1 + w on the log of phi r^w falls by at least (x - w) / s^2.

    A sum over nodes, times their step h, has at most 1 + h / cell times as much: so many nodes lie in a cell.
    """
    s = settings.sigma[:, None]
    end = _DEVIATIONS * s + 1.0 + np.maximum(w, 0.0)[:, None]
    x = _CELL * s * np.arange(int(np.ceil(np.max(end / (_CELL * s)))) + 1)
    log_phi = -0.5 * (x / s) ** 2 - np.log(s * math.sqrt(2.0 * math.pi))
    grown = w[:, None] * settings.loss(x)
    cell = np.exp(log_phi[:, :-1] + grown[:, 1:]) * (_CELL * s)
    fall = (x[:, -1:] - w[:, None]) / (s * s)
    # nodes further on: h f(end) (1 + 1 / (e^{h fall} - 1)) <= f(end) (h + 1 / fall), and h is at most a cell
    last = np.exp(log_phi[:, -1:] + grown[:, -1:]) * (_CELL * s + 1.0 / fall)
    rest = np.cumsum(np.concatenate([last, cell[:, ::-1]], axis=1), axis=1)[:, ::-1]
    return x, rest * SECOND_ORDER
