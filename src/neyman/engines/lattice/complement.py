"""1 - delta on a lattice, with relative accuracy however small it is: under a tilt between the two laws.

With -1 < c < 0, a = 1 + c, b = -c, and w the measure of p^a q^b along the loss, composed by convolution as any other,

    1 - delta(eps) = sum of min(p, e^eps q) = e^{b eps} int f(l - eps) w(dl),   f(x) = e^{-ax}, x >= 0; e^{bx}, x < 0.

Each outcome is divided between the lattice points beside it, both masses kept: what lies outside all bins may be told
from everything else. That reveals more, so that the sum over the lattice is a bound from below.

From above. An outcome in a bin of width h is moved by xi, under Q with E e^{z xi} = e^{g(z)}, g(0) = g(1) = 0 and
g'' <= h^2 / 4 (it is a variance): of its w it keeps e^{g(a)} >= e^{-h^2 / 32}, and under the law that is left the mean
is |g'(a)| <= h^2 / 4. Over n divided steps Xi = sum of xi has |E Xi| <= D = n h^2 / 4, the sub-Gaussian scale and no
larger a deviation v = sqrt(n) h / 2 (Hoeffding). Within r = 12 v of eps

    f(l - eps) - E f(l + Xi - eps) <= E|Xi| <= v + D,

and beyond it f is an exponential wherever |Xi| < r, so that by Jensen E f >= f (1 - D - e^-60) for v <= 1/40, when the
mean of e^|Xi| over |Xi| >= r is below e^-60. What w has within r of eps lies within 2 r of it on the lattice, but for a
share below e^-60. Hence

    int f w <= e^{n h^2 / 32} [sum of f over the lattice + (v + D) w_lattice(2 r)] / (1 - D - e^-60),

O(n h^2) in all; and what lies outside the bins adds at most its own share of w, by Hoelder's inequality.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.lattice.law import StepLaws, TiltedLaw
from neyman.engines.lattice.tilt import Plan, outside
from neyman.losses.readings.bins import BinSplit, GridLaw
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, SECOND_ORDER, UNIT
from neyman.numerics.sums.tilted_fft import convolve_cyclic, discounted_suffix, suffix_rounding
from neyman.profiles.profile import Bracket

__all__ = ["LatticeGap", "spacing"]

_WIDEST = 0.025  # v up to which the proof holds
_REACH = 12.0  # r / v
_SHARE = 1e-24  # more than what lies further out than that, and than e^-60
_FINE = 0.06  # times tolerance: the square of v that leaves that, about
_TINY = 1e-290  # more than what masses too small for a float come to, in units of the largest
_LEAST = 1e-6  # steps that are divided, as planned
_EDGES = 1e-3  # certifies: share of h that edges may be off by, and more
_ROUNDED = 32.0 * UNIT  # certifies, of a log: its own rounding, that of a sum of few terms, and of their factors


def spacing(divided: float, tolerance: float) -> float:
    """The spacing at which so many divided steps leave that relative width, about."""
    return 2.0 * min(math.sqrt(_FINE * tolerance / max(divided, _LEAST)), _WIDEST)


class LatticeGap:
    """Bounds on log(1 - delta) from one composition under the tilt of ``plan``, -1 < c < 0.

    Raises
    ------
    ArithmeticError
        If nothing is seen that both laws show.
    """

    def __init__(self, steps: tuple[tuple[GridLaw, int], ...], remove: bool, plan: Plan) -> None:
        h, n = plan.h, plan.points
        times = [count for _, count in steps]
        bins = [law.bins(h, *cut, remove).weighed(law) for (law, _), cut in zip(steps, plan.cuts, strict=True)]
        self._rates = 1.0 + plan.c, -plan.c
        parts = [_between(one, remove, plan.c) for one in bins]
        masses, laws = [part[0] for part in parts], [part[1] for part in parts]
        base = math.fsum(t * law.base for t, law in zip(times, laws, strict=True))
        start = math.floor((plan.window[0] - base) / h)
        self._h, self._points, self._first = h, n, base + start * h
        ends = (self._first, self._first + (n - 1) * h)
        product = convolve_cyclic([one.masses for one in masses], [law.first for law in laws], times, start, n)
        self._noise, self._outside = product.error, outside(plan, ends, times, laws, masses)
        self._log_norm = math.fsum(t * one.log_norm for t, one in zip(times, masses, strict=True))
        far = (
            abs(base)
            + abs(start * h)
            + n * h
            + math.fsum(t * abs(law.base) for t, law in zip(times, laws, strict=True))
        )
        self._off = SECOND_ORDER * math.fsum(
            t * (one.relative + law.slack) for t, one, law in zip(times, masses, laws, strict=True)
        ) + 8.0 * UNIT * (
            far + 1.0 + math.fsum(t * (1.0 + abs(one.log_norm)) for t, one in zip(times, masses, strict=True))
        )
        self._missed = math.expm1(
            min(math.fsum(t * part[2] for t, part in zip(times, parts, strict=True)), LARGEST_EXPONENT)
        )
        divided = sum(t for t, one in zip(times, bins, strict=True) if bool(np.any(one.lower) or np.any(one.upper)))
        self._width = 0.5 * math.sqrt(divided) * h
        self._ahead = discounted_suffix(product.values, self._rates[0] * h)
        self._behind = discounted_suffix(product.values[::-1].copy(), self._rates[1] * h)[::-1]
        self._cumulated = np.append(0.0, np.cumsum(product.values))

    def narrowed(self, known: Bracket, epsilon: FloatArray, at: NDArray[np.intp]) -> Bracket:
        """``known``, intersected with these bounds at the places ``at``."""
        low, high = np.full(len(epsilon), -np.inf), np.zeros(len(epsilon))
        low[at], high[at] = self.log_bounds(epsilon[at])
        with np.errstate(under="ignore"):
            lower, upper = (-np.expm1(side) * (1.0 + sign * 4.0 * UNIT) for side, sign in ((high, -1.0), (low, 1.0)))
        return known.within(Bracket(lower, np.minimum(upper, 1.0), low, high))

    def log_bounds(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(lower, upper) bounds on log(1 - delta) at each ``epsilon``: certified everywhere, sharp near the mean."""
        h, n, (ahead, behind) = self._h, self._points, self._rates
        place = (np.clip(epsilon, self._first - h, self._first + (n + 1) * h) - self._first) / h
        j = np.clip(np.floor(place) + 1.0, 0.0, float(n)).astype(np.int64)
        beyond = np.abs(self._first + j * h - epsilon)  # of the first point above, or of where there would be one
        before = np.abs(epsilon - (self._first + (j - 1) * h))
        total = np.where(j < n, self._ahead[np.minimum(j, n - 1)] * np.exp(-ahead * beyond), 0.0)
        total = total + np.where(j > 0, self._behind[np.maximum(j - 1, 0)] * np.exp(-behind * before), 0.0)
        norm = math.sqrt(min(0.5 / (ahead * h) + 0.5 / (behind * h) + 2.0, float(n)))
        noise = norm * self._noise + self._outside + _TINY * n
        rounding = (
            2.0 * max(suffix_rounding(n, ahead * h), suffix_rounding(n, behind * h))
            + _ROUNDED
            + self._off
            + 8.0 * UNIT * np.abs(epsilon)
        )
        scale = self._log_norm + behind * epsilon
        with np.errstate(divide="ignore"):
            low = np.log(np.maximum(total - noise, 0.0)) + scale - SECOND_ORDER * rounding
            if self._width > _WIDEST:
                return np.minimum(low, 0.0), np.zeros(len(epsilon))
            drift = self._width**2 * (1.0 + _EDGES)  # edges may be off by a little of h
            more = 0.0 if self._width == 0.0 else ((1.0 + _EDGES) * self._width + drift) * self._near(place)
            high = np.log(total + noise + more + self._missed) + 1.125 * drift + drift**2 + _SHARE
        return np.minimum(low, 0.0), np.minimum(high + scale + SECOND_ORDER * rounding, 0.0)

    def _near(self, place: FloatArray) -> FloatArray:
        """Bounds on the share of w within 2 r of each place, on the lattice."""
        reach = 2.0 * _REACH * self._width / self._h + 2.0
        first, last = (np.clip(np.floor(place + side * reach) + (side > 0.0), 0, self._points) for side in (-1.0, 1.0))
        mass = self._cumulated[last.astype(np.int64)] - self._cumulated[first.astype(np.int64)]
        slack = math.sqrt(2.0 * reach + 2.0) * self._noise + self._outside + 2.0 * UNIT * self._points
        return (mass + slack) * (1.0 + 2.0 * _SHARE)


def _between(bins: BinSplit, remove: bool, c: float) -> tuple[TiltedLaw, StepLaws, float]:
    """The masses of w, where they lie, and how much w there is outside, in units of their sum."""
    n, h, z = len(bins.lower), bins.h, 1.0 + c if remove else -c
    edges = bins.base + (bins.first + np.arange(n + 1, dtype=np.float64)) * h
    log_scale = bins.log_scale
    node, log_node = bins.nodes
    log_node = log_node + z * edges[node]
    full = bool(np.any(bins.lower) or np.any(bins.upper))
    log_mass = np.where(bins.lower + bins.upper > 0.0, log_scale + z * edges[:-1], -math.inf)
    peak = max(float(np.max(log_mass)) + z * h if full else -math.inf, float(np.max(log_node, initial=-math.inf)))
    with np.errstate(under="ignore"):
        masses = np.zeros(n + 1)
        np.add.at(masses, node, np.exp(log_node - peak))
        if full:
            scale = np.exp(log_mass - peak)
            masses[:-1] += bins.lower * scale
            masses[1:] += bins.upper * scale * math.exp(z * h)
    total = float(np.sum(masses))
    if not total > 0.0:
        raise ArithmeticError("nothing that may happen under both laws is seen")
    log_norm = math.log(total) + peak
    deep = max(float(np.max(np.abs(log_scale))), float(np.max(np.abs(bins.nodes[1]), initial=0.0)))
    furthest = float(np.max(np.abs(edges[[0, -1]]))) + h
    relative = 2.0 * bins.relative * math.exp(h) + 8.0 * UNIT * (16.0 + deep + furthest + abs(peak))
    lost = [(1.0 - z) * sides[0] + z * sides[1] for sides in (bins.below, bins.above)]
    missed = sum(math.exp(min(one - log_norm, LARGEST_EXPONENT)) for one in lost) * (1.0 + AMPLE)
    if not remove:
        masses = masses[::-1]
    base, first = (bins.base, bins.first) if remove else (-bins.base, -(bins.first + n))
    one = TiltedLaw(masses / total, log_norm, relative)
    return one, StepLaws(base, first, one, one, 0.0, bins.slack, full), missed
