"""Bins of the loss of a Gaussian-based step: how much mass each holds, split between its two ends.

A step has likelihood ratio r(u) = 1 - rate + rate e^t, t = u / sigma - 1 / (2 sigma^2), u ~ N(0, 1) without the record.
Edges sit at the losses base + i h with base = log(1 - rate), the left end of the support, so that

    t_i = log((1 - rate) / rate) + log(expm1(i h))        (rate = 1: base = 0 and t_i = i h)

is free of cancellation. The mass of a bin is divided between its ends so that both the mass without the record and the
mass with it are kept: a at the lower end and b at the upper end, with

    b = integral of phi(u) expm1((u - u_i) / sigma) / expm1((u_{i+1} - u_i) / sigma) du,    a = Q(bin) - b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr

from neyman._validate import FloatArray
from neyman.losses.readings.bins import BinSplit, GridLaw, Reach, Tilted
from neyman.losses.sampling import above_end, mixed
from neyman.numerics.rounding import LOG_NDTR, ROOM, UNIT
from neyman.numerics.sums.inner import inner

__all__ = ["Shape", "split_bins"]

_CHUNK = 1 << 16  # bins worked on at a time, to spare memory
_NARROW = 1e-3  # below this the third-order series leaves at most its fourth power
_REACH = 100.0  # e-folds from its largest value that the density in a bin is followed
_PIECE = 0.02  # half-width of a quadrature piece, in units of the local scale
_EACH = 250.0  # nominal nanoseconds for one
_HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)  # of the normal density
_SEEN = 13.0  # standard deviations of u looked at on either side
_DEPTH = 44.0  # -log of the tilted mass a step may leave outside its reach
_MANY = 4000  # points of that look at most
_SIGHT = 40.0  # standard deviations: beyond them both laws hold less than the smallest positive float
_NODES = np.sqrt(0.6) * np.array([-1.0, 0.0, 1.0])  # of the Gauss-Legendre rule of three points
_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18.0  # its weights, of a panel of width 1
_STEP, _FEW = 0.1, 200.0  # and their distance at most, and number at least
_CURVED = 0.36  # beside half of |u| + 1 / sigma, that scale: where both are small phi still bends
# certify, relative: the rule errs by f^(6) w^6 / 2016000 on a piece, w <= 0.0534 where phi bends most; f^(6) is 15 phi
# of the mass, 1.7e-13, and of what either end has 6 phi^(5) / w more, 2.5e-12, as if losses were off by that of h
_PIECES, _SPLIT = 2e-13, 5e-12
_SERIES = 4e-14  # certifies: of narrow bins, beside the fourth power of their half-width


@dataclass(frozen=True, slots=True)
class Shape(GridLaw):
    """One step as this module sees it: noise ``sigma`` > 0 per unit of shift, sampling ``rate`` in (0, 1]."""

    sigma: float
    rate: float

    @property
    def base(self) -> float:
        """Left end of the loss (0 for rate 1, where there is none: the lattice then sits on multiples of h)."""
        return 0.0 if self.rate == 1.0 else math.log1p(-self.rate)

    def end(self, remove: bool) -> float:
        """Sampled, the losses of "add" end at -log(1 - rate)."""
        return math.inf if remove or self.rate == 1.0 else -self.base

    def tilted(self, z: float, c: float, times: int, remove: bool) -> Tilted:
        """By a trapezoid in u, in which reaches are measured."""
        u, sign = self._grid(z), 1.0 if remove else -1.0
        loss = self.loss(u)
        log_weight = z * loss - 0.5 * u * u
        peak = float(np.max(log_weight))
        weight = np.exp(log_weight - peak)
        total = float(np.sum(weight))
        average = inner(weight, loss) / total
        spread = inner(weight, (loss - average) ** 2) / total
        step = float(u[1] - u[0])
        value = peak + math.log(total * step / math.sqrt(2.0 * math.pi))
        carried = log_weight >= peak - _DEPTH - math.log(times)  # of steep tilts the peak alone, where floats end
        # what lies below the range is moved up to its end: even there it must not count
        inside = carried | (c * sign * loss + log_ndtr(sign * u) > value - _DEPTH - math.log(times))
        (first, last), (low, high) = _ends(carried), _ends(inside)
        first, last = (low, last) if remove else (first, high)
        return Tilted(value, average, spread, (float(u[first]) - step, float(u[last]) + step))

    def extended(self, reach: Reach, depth: float, remove: bool) -> Reach:
        """Out to where the normal law leaves that little."""
        low, high = reach
        need = math.sqrt(2.0 * max(depth, 1.0))
        if remove:
            return low, max(high, need + 1.0 / self.sigma)
        return (min(low, -need) if self.rate == 1.0 else -math.inf), high

    def cut(self, reach: Reach, h: float) -> tuple[int, int]:
        """Edges around what ``reach`` holds."""
        low, high = self._seen(reach)
        first = self.index_below(low, h)
        return first, max(self.index_below(high, h) + 1, first + 2)

    def labour(self, reach: Reach, h: float) -> float:
        """The pieces of ``_wide``, as if all bins were as far out as the last: of hardly any noise hundreds in each."""
        low, high = self._seen(reach)
        first, last = self.cut(reach, h)
        w, far = self.sigma * h, max(abs(low), abs(high))
        half = 0.5 * w * (far + 0.5 * w + 1.0 / self.sigma + 2.0 * _CURVED)
        near = min(w, 2.0 * math.sqrt(2.0 * _REACH)) * (0.5 * far + 0.5 / self.sigma + _CURVED)
        return _EACH * (last - first) * min(half, near) / _PIECE if half > _NARROW else 0.0

    def span(self, reach: Reach) -> float:
        """In loss."""
        low, high = self._seen(reach)
        return float(self.loss(np.array(high))) - float(self.loss(np.array(low)))

    def _seen(self, reach: Reach) -> Reach:
        """``reach``, as far as either law holds anything: bins beyond would cost the more the emptier they are."""
        return max(reach[0], -_SIGHT), min(reach[1], _SIGHT + 1.0 / self.sigma)

    def strain(self, z: float) -> float:
        """e^{z t} moves the Gaussian by z / sigma."""
        return max(z, 0.0) / self.sigma

    def bins(self, h: float, first: int, last: int, remove: bool) -> BinSplit:
        """As ``split_bins``."""
        return split_bins(self, h, first, last)

    def _grid(self, z: float) -> FloatArray:
        right, left = max(z, 0.0) / self.sigma, max(-z, 0.0) / self.sigma
        if self.rate < 1.0 and left > 0.0:
            odds = self.rate / (1.0 - self.rate)
            left = min(left, self.sigma * math.log1p(left * odds / self.sigma))
        low, high = -_SEEN - left, _SEEN + right
        step = min(_STEP, self.sigma / 8.0)
        return np.linspace(low, high, int(min(_MANY, max(_FEW, (high - low) / step))))

    def index_below(self, u: float, h: float) -> int:
        """The last edge not above ``u``, up to rounding: any edge is a valid place to cut."""
        t = u / self.sigma - 0.5 / self.sigma**2
        if self.rate == 1.0:
            return math.floor(t / h)
        odds = math.log(self.rate) - math.log1p(-self.rate) + t
        return math.floor(float(np.logaddexp(0.0, odds)) / h)

    def loss(self, u: FloatArray) -> FloatArray:
        """log r(u)."""
        return mixed(u / self.sigma - 0.5 / self.sigma**2, self.rate)


def split_bins(shape: Shape, h: float, first: int, last: int) -> BinSplit:
    """Split the bins between the edges ``first`` and ``last`` > ``first`` (``first`` >= 0 when rate < 1).

    Error bound: ``relative`` and ``slack`` of the result; exp, log, erfcx and the arithmetic of float64 are trusted,
    each to a few units in the last place.
    """
    cuts = [*range(first, max(last - _CHUNK // 2, first + 1), _CHUNK), last]
    parts = [_split(shape, h, low, high) for low, high in pairwise(cuts)]
    return BinSplit(
        base=shape.base, first=first, h=h,
        lower=np.concatenate([part.lower for part in parts]),
        upper=np.concatenate([part.upper for part in parts]),
        log_scale=np.concatenate([part.log_scale for part in parts]),
        variation=np.concatenate([part.variation for part in parts]),
        relative=max(part.relative for part in parts), slack=max(part.slack for part in parts),
        below=parts[0].below, above=parts[-1].above,
    )  # fmt: skip


def _split(shape: Shape, h: float, first: int, last: int) -> BinSplit:
    index = np.arange(first, last + 1, dtype=np.float64)
    open_end = shape.rate < 1.0 and first == 0
    u, slack = _edges(shape, h, index)
    inner = u[1:] if open_end else u
    w = np.diff(inner)
    middle = 0.5 * (inner[1:] + inner[:-1])
    scale = np.abs(middle) + 0.5 * w + 1.0 / shape.sigma
    half = 0.5 * w * scale + w * _CURVED
    a, b = _narrow(middle, w, shape.sigma)
    wide = np.flatnonzero(half > _NARROW)
    if wide.size:
        middle[wide] = np.clip(0.0, inner[:-1][wide], inner[1:][wide])  # where phi is largest: nothing overflows
        a[wide], b[wide] = _wide(inner[:-1][wide], w[wide], half[wide], middle[wide], shape.sigma)
    log_scale = -0.5 * middle**2 - _HALF_LOG_TAU
    variation = (scale + 1.0 / shape.sigma) * w
    series = float(np.max(half, initial=0.0, where=half <= _NARROW)) ** 4
    furthest = float(np.max(np.abs(inner))) + 1.0 / shape.sigma
    relative = series + (_PIECES if wide.size else _SERIES) + 8.0 * UNIT * (16.0 + furthest**2)
    slack += _SPLIT * h if wide.size else 0.0
    if open_end:
        a0, b0, log0 = _open_bin(float(u[1]), shape)
        a, b = np.append(a0, a), np.append(b0, b)
        log_scale, variation = np.append(log0, log_scale), np.append(np.inf, variation)
    below = (-math.inf, -math.inf) if open_end else _tails(shape, float(u[0]), -1.0)
    return BinSplit(
        base=shape.base, first=first, h=h, lower=a, upper=b, log_scale=log_scale, variation=variation,
        relative=relative, slack=slack, below=below, above=_tails(shape, float(u[-1]), 1.0),
    )  # fmt: skip


def _edges(shape: Shape, h: float, index: FloatArray) -> tuple[FloatArray, float]:
    """Edges in u, and a bound on |log r(u_i) - (base + i h)|: the steepest loss times the rounding of u."""
    if shape.rate == 1.0:
        t, steep, terms = index * h, 1.0, 0.0
    else:
        t = above_end(index * h, shape.rate)
        steep = min(1.0, float(index[-1]) * h)
        terms = 2.0 * abs(math.log(shape.rate) - math.log1p(-shape.rate)) + float(np.max(np.abs(t[np.isfinite(t)])))
    u = shape.sigma * t + 0.5 / shape.sigma
    largest = float(np.max(np.abs(t[np.isfinite(t)])))
    slack = 8.0 * UNIT * (steep * (largest + terms + 1.0 / shape.sigma**2 + 1.0) + abs(shape.base))
    return u, slack + 4.0 * UNIT * float(np.max(np.abs(index[[0, -1]]))) * h


def _narrow(middle: FloatArray, w: FloatArray, sigma: float) -> tuple[FloatArray, FloatArray]:
    """Third-order series in the width of phi and of the hat function, relative to phi(middle)."""
    beta, tau = 0.5 * middle * w, 0.5 * w / sigma
    e2 = 0.5 * beta**2 - 0.125 * w**2
    e3 = 0.125 * beta * w**2 - beta**3 / 6.0
    whole = 1.0 + e2 / 3.0
    tilt = e3 / 10.0 - beta / 6.0 - tau / 6.0 - tau * e2 / 30.0 + tau**2 * beta / 90.0 + tau**3 / 90.0
    return w * (0.5 * whole - tilt), w * (0.5 * whole + tilt)


def _wide(
    left: FloatArray, w: FloatArray, half: FloatArray, middle: FloatArray, sigma: float
) -> tuple[FloatArray, FloatArray]:
    """Three-point Gauss-Legendre on as many pieces as the local scale asks for, near the largest density of the bin."""
    reach = np.minimum(math.sqrt(2.0 * _REACH), _REACH / np.maximum(np.abs(middle), 1.0))
    first, last = np.maximum(middle - reach - left, 0.0), np.minimum(middle + reach - left, w)
    extent = last - first
    near = extent * (0.5 * np.maximum(np.abs(left + first), np.abs(left + last)) + 0.5 / sigma + _CURVED)
    pieces = np.maximum(np.ceil(np.minimum(half, near) / _PIECE), 1.0).astype(np.int64)
    starts = np.append(0, np.cumsum(pieces)[:-1])
    owner = np.repeat(np.arange(len(w)), pieces)
    place = np.arange(len(owner)) - starts[owner]
    size = extent[owner] / pieces[owner]
    width = w[owner] / sigma
    a, b = np.zeros(len(owner)), np.zeros(len(owner))
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        offset = first[owner] + (place + 0.5 * (1.0 + node)) * size
        away = left[owner] + offset - middle[owner]
        mass = weight * size * np.exp(-away * (middle[owner] + 0.5 * away))
        y = offset / sigma
        b += mass * (np.exp(y - width) * np.expm1(-y) / np.expm1(-width))
        a += mass * (np.expm1(y - width) / np.expm1(-width))
    return np.add.reduceat(a, starts), np.add.reduceat(b, starts)


def _open_bin(u: float, shape: Shape) -> tuple[float, float, float]:
    """The bin from the left end of the support to ``u``: b = Phi(v) e^{-t} exactly, with v = u - 1 / sigma."""
    v = u - 1.0 / shape.sigma
    if u < 0.0:
        whole, b = _mills(u), _mills(v)
        return max(whole - b, 0.0), b, -0.5 * u * u - _HALF_LOG_TAU
    t = u / shape.sigma - 0.5 / shape.sigma**2
    whole, b = math.exp(float(log_ndtr(u))), math.exp(float(log_ndtr(v)) - t)
    return max(whole - b, 0.0), b, 0.0


def _mills(x: float) -> float:
    return math.sqrt(0.5 * math.pi) * float(erfcx(-x / math.sqrt(2.0)))


def _tails(shape: Shape, u: float, side: float) -> tuple[float, float]:
    """Logarithms, rounded up, of the masses beyond ``u``: above it for ``side`` 1, below it for -1.

    The logarithm of a tail at x is at most x^2/2 and falls at most like x: it errs by ``LOG_NDTR`` halves of x^2 units,
    and by x times the two roundings that x = u - 1/sigma suffers; mixed, by some units of itself once more.
    """
    without = float(log_ndtr(-side * u))
    shifted = float(log_ndtr(-side * (u - 1.0 / shape.sigma)))
    mixed = shifted if shape.rate == 1.0 else _mixed(without, shifted, shape.rate)
    up = ROOM + (0.5 * LOG_NDTR + 8.0) * UNIT * (abs(u) + 1.0 / shape.sigma) ** 2
    return without + up, mixed + up


def _mixed(log_without: float, log_shifted: float, rate: float) -> float:
    return float(np.logaddexp(math.log1p(-rate) + log_without, math.log(rate) + log_shifted))


def _ends(chosen: NDArray[np.bool_]) -> tuple[int, int]:
    at = np.flatnonzero(chosen)
    return int(at[0]), int(at[-1])
