"""q(eps) = (delta_{G_m}(eps) - delta(eps)) / (1 + e^eps), the law beside a Gaussian on the same line, between knots.

With DG the Gaussian's weights less those of the law, the copies of the poles cancel, and the difference of the two
deltas is T(eps) = Re sum DG_k e^{-z_k eps} but for the aliases, cuts and roundings of both. T is a finite sum: with
w = 1 / (1 + e^eps), |w'| <= w and |w''| <= w,

    |(T w)''| <= w(a) e^{-c a} sum |DG_k| (|z_k| + 1)^2 = M        for eps >= a,

so that on [a, b] q lies within M (b - a)^2 / 8 of its chord: as little as the law is far from the Gaussian.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.batch.laying.lines import Aliases, Lines, alias_bounds
from neyman.engines.batch.laying.turned import turned
from neyman.engines.closed_form.pairs import gaussian_side
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, TINY, UNIT

__all__ = ["Contrast", "Knots"]

_EXPONENT = 16.0  # certifies, units: of an exponent m^2 z (z + 1) / 2 - K, relative to its moduli
_APART = 1e-3  # of c and of 1 / R: how near a c' may come to the line
_UNSURE = 1e3  # steers: times what is unknown of q, up to which a tail may tell it better
_QUOTIENT = 16.0  # certifies, units: of T w, relative to the moduli of the terms that were summed


class Knots(NamedTuple):
    """Of eps, one row a setting, ascending on either line (``steep``: on which).

    ``value``, the ends of chords; what is unknown of them, ``falling`` and ``rising`` with eps; M, ``curvature``;
    ``gaussian``, the Gaussian's delta from below; ``tail``, that of the law by Chernoff, which tells a direction far
    below the other: axes are setting, direction, eps. Where the lines change, a knot stands on both: the interval
    between the two is empty.
    """

    epsilon: FloatArray
    steep: BoolArray
    value: FloatArray
    falling: FloatArray
    rising: FloatArray
    curvature: FloatArray
    gaussian: FloatArray
    tail: FloatArray

    @property
    def unknown(self) -> FloatArray:
        """What is unknown at the knots themselves."""
        return self.falling + self.rising

    @property
    def bend(self) -> FloatArray:
        """M (b - a)^2 / 8 of each interval."""
        return self.curvature[..., :-1] * (np.diff(self.epsilon)[:, None, :] ** 2) * (0.125 * (1.0 + _QUOTIENT * UNIT))

    @property
    def open(self) -> FloatArray:
        """What is unknown anywhere in each interval."""
        return self.falling[..., :-1] + self.rising[..., 1:]

    def least(self) -> FloatArray:
        """Lower bounds of q on each interval, in each direction; 0 where delta of the Gaussian, which falls, is no less
        where the interval ends than the tail is where it begins.
        """
        found = -_most(-self.value[..., :-1], -self.value[..., 1:], self.bend) - self.open
        apart = self.gaussian[..., 1:] >= self.tail[..., :-1]
        return np.where(apart, np.maximum(found, 0.0), found)

    @property
    def share(self) -> FloatArray:
        """1 / (1 + e^eps), from below."""
        return (1.0 - _QUOTIENT * UNIT) / (1.0 + np.exp(np.minimum(self.epsilon, LARGEST_EXPONENT)))[:, None, :]

    def at_least(self) -> FloatArray:
        """Lower bounds of q at the knots."""
        apart = self.gaussian - self.tail
        return np.maximum(self.value - self.unknown, np.where(apart > 0.0, apart * self.share, apart))

    def of_both(self) -> FloatArray:
        """Lower bounds of the lesser q of both directions at the knots; at eps = 0 it is the same of either."""
        found = self.at_least()
        return np.where(self.epsilon > 0.0, found.min(axis=1), found.max(axis=1))

    def most(self) -> FloatArray:
        """Upper bounds of q on each interval, in each direction."""
        return _most(self.value[..., :-1], self.value[..., 1:], self.bend) + self.open

    def merged(self, other: Knots) -> Knots:
        """Both, in order: those of the shallow line first, then those of the steep one."""
        epsilon = np.concatenate([self.epsilon, other.epsilon], axis=1)
        steep = np.concatenate([self.steep, other.steep], axis=1)
        order = np.lexsort((epsilon, steep), axis=1)
        columns = (np.concatenate(pair, axis=2) for pair in zip(self._columns, other._columns, strict=True))
        found = (np.take_along_axis(column, order[:, None, :], 2) for column in columns)
        return Knots(np.take_along_axis(epsilon, order, 1), np.take_along_axis(steep, order, 1), *found)

    @property
    def _columns(self) -> tuple[FloatArray, ...]:
        return (self.value, self.falling, self.rising, self.curvature, self.gaussian, self.tail)


def _most(a: FloatArray, b: FloatArray, bend: FloatArray) -> FloatArray:
    """The largest value over 0 <= x <= 1 of a + (b - a) x + 4 bend x (1 - x)."""
    x = np.clip(0.5 + (b - a) / (8.0 * np.maximum(bend, TINY)), 0.0, 1.0)
    inside = a + (b - a) * x + 4.0 * bend * x * (1.0 - x)
    return np.maximum(np.maximum(a, b), inside)


@dataclass(frozen=True)
class Contrast:
    """A line of the law beside the Gaussian of ``mu`` (one a setting)."""

    line: Lines
    last: FloatArray  # no eps is asked for beyond
    half: FloatArray  # mu^2 / 2 of the Gaussian
    weight: ComplexArray  # DG
    fault: FloatArray  # what DG errs by, in all
    size: FloatArray  # sum of the moduli of both weights
    curvature: FloatArray  # sum |DG_k| (|z_k| + 1)^2
    log_beyond: FloatArray  # of the Gaussian's part of what is cut
    aliases: Aliases  # of the Gaussian

    @classmethod
    def of(cls, line: Lines, mu: FloatArray, last: FloatArray) -> Contrast:
        """The Gaussian on the nodes of the line, less the law; aliases are best at half the ``last`` eps."""
        z, kernel, half = line.z, line.kernel, 0.5 * (mu * mu)[:, None]
        exponent = half[..., None] * z * (z + 1.0) - line.scale[..., None]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what is no number tells nothing
            gaussian = np.exp(exponent) * kernel
        modulus = np.abs(gaussian)
        units = _EXPONENT * UNIT * (2.0 + np.abs(line.scale)[..., None] + half[..., None] * np.abs(z) * np.abs(z + 1.0))
        fault = line.fault + (modulus * units).sum(axis=2)
        weight = gaussian - line.weight
        size = modulus.sum(axis=2) + np.abs(line.weight).sum(axis=2)
        curvature = (np.abs(weight) * (np.abs(z) + 1.0) ** 2).sum(axis=2)
        c, cut = line.c, line.spacing * line.count
        log_beyond = half * (c * (c + 1.0) - cut * cut) - np.log(
            math.pi * line.spacing * np.maximum(line.count - 1.0, 0.5)
        )
        aliases = _of_gaussian(line, mu, last)
        return cls(line, last, half, weight, fault, size, curvature, log_beyond, aliases)

    def read(self, epsilon: FloatArray, steep: bool) -> Knots:
        """The knots at eps >= 0, the same for both directions."""
        line, c = self.line, self.line.c[..., None]
        at = np.broadcast_to(epsilon[:, None, :], (*self.line.c.shape, epsilon.shape[1]))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            value, _ = turned(self.weight, line.z, line.spacing, at, sloped=False)
            share = 1.0 / (1.0 + np.exp(np.minimum(at, LARGEST_EXPONENT)))
            lift = np.exp(line.scale[..., None] - c * at) * share
            theirs, ours = alias_bounds(self.aliases, at), alias_bounds(line.aliases, at)
            beyond = np.exp(self.log_beyond[..., None] - c * at) + np.exp(line.log_beyond[..., None] - c * at)
            last = self.last[:, None, None]  # the blur rises with eps, if hardly: as large as it is at the last
            blur = line.blur(last, self.fault[..., None], self.size[..., None])
            blur = blur + (line.exponents(last) + _QUOTIENT * UNIT) * self.size[..., None]
            falling = (theirs[0] + ours[0] + beyond) * share + blur * lift
            rising = (theirs[1] + ours[1]) * share
            curvature = self.curvature[..., None] * lift * (1.0 + AMPLE)
            tail = line.tail(epsilon)
        known = np.isfinite(value * lift) & np.isfinite(falling)
        value, falling = np.where(known, value * lift, 0.0), np.where(known, falling, np.inf)
        rising = np.where(np.isfinite(rising), rising, np.inf)
        # the Gaussian's delta is more than its difference from another, which tells it where that is known
        unknown = falling + rising
        gaussian = np.maximum(((value - unknown) / share).max(axis=1) * (1.0 - AMPLE), 0.0)
        unsure: BoolArray = np.any(value < _UNSURE * unknown, axis=1)
        gaussian = np.maximum(gaussian, self.least(epsilon, unsure))
        gaussian = np.broadcast_to(gaussian[:, None, :], at.shape)
        return Knots(epsilon, np.full(epsilon.shape, steep), value, falling, rising, curvature, gaussian, tail)

    def least(self, epsilon: FloatArray, where: BoolArray) -> FloatArray:
        """delta of the Gaussian, from below; 0 elsewhere."""
        mu = np.sqrt(2.0 * self.half) * (1.0 - 2.0 * _QUOTIENT * UNIT)
        found = np.zeros(epsilon.shape)
        found[where] = gaussian_side(epsilon[where], np.broadcast_to(mu, epsilon.shape)[where], -1.0)[0]
        return found

    def beyond(self, epsilon: FloatArray) -> FloatArray:
        """What q is at most from one eps of each setting on: delta of the Gaussian over 1 + e^eps."""
        mu = np.sqrt(2.0 * self.half) * (1.0 + 2.0 * _QUOTIENT * UNIT)
        delta = gaussian_side(epsilon[:, None], mu, 1.0)[0][:, 0]
        return delta / (1.0 + np.exp(np.minimum(epsilon, LARGEST_EXPONENT))) * (1.0 + AMPLE)


def _of_gaussian(line: Lines, mu: FloatArray, last: FloatArray) -> Aliases:
    """Where Chernoff bounds the aliases of the Gaussian best, at about half the last eps: any c' > c and c'' > 0 do."""
    square, eps = (mu * mu)[:, None], 0.5 * last[:, None]
    c, spread = line.c, line.spread
    inside = c < 0.0  # between the poles c' = c'' = 0 tells all
    right = np.maximum((eps + spread) / square - 0.5, c * (1.0 + _APART) + _APART / spread)
    left = np.maximum((spread - eps) / square - 0.5, _APART)
    right, left = np.where(inside, 0.0, right), np.where(inside, 0.0, left)
    return Aliases(
        (0.5 * square * right * (right + 1.0), right, (right - c) * spread),
        (0.5 * square * left * (left + 1.0), left, (c + 1.0 + left) * spread),
    )
