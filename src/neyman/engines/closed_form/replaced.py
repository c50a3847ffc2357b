"""Closed forms of one step in which a sampled record is exchanged: P = (1-q) F_0 + q F_1, Q = (1-q) F_0 + q F_-1.

With alpha = (1-q)(e^eps - 1)/q, beta = e^eps and any weight w of [0, 1],

    P - e^eps Q = q [w (F_1 - (alpha/w) F_0) + (1-w) (F_1 - (beta/(1-w)) F_-1)],

so that, d_1 being the profile of F_1 against F_0 and d_2 that of F_1 against F_-1,

    delta(eps) <= q [w d_1(log(alpha/w)) + (1-w) d_2(log(beta/(1-w)))],

with equality where one test is the best of all three pairs. Of Gaussians that is "x > x*" with

    w = 1 - e^{-2h},  sinh h = alpha e^{1/(2 sigma^2)} / (2 e^{eps/2}),  x* = sigma^2 (eps/2 + h);

of Laplace noise the three together are 1 - e^{s - 1/b}, e^{2s} = alpha e^{1/b} + beta, up to s = 1/b.

Any w bounds from above, whatever the rounding. From below, the test that is best for one of the two pairs is short of
the other's best by at most |x - x'| times the density there times |1 - (ratio of the densities)|: the square of the
rounding of x.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import special

from neyman._validate import FloatArray, inside, positive
from neyman.engines.closed_form.pairs import ClosedForm, GaussianProfile
from neyman.numerics.rounding import LARGEST_EXPONENT, SMALLEST, UNIT
from neyman.profiles.profile import Bracket, Profile

__all__ = ["ReplacedGaussianProfile", "ReplacedLaplaceProfile"]

_HALF = 0.35  # -log of 0.7: twice that is about log 2
_LARGEST = 1e300  # eps from which reading it there is enough
_ROOM = 16.0 * UNIT  # relative rounding of a few sums, products, exponentials and logarithms
_STRAIGHT = 300.0  # log of a sinh from which arcsinh is log 2 more, to all digits
_OUTERMOST = 1e9  # deviations from which a density is taken no further: it is 0, and that a float squared
_NEAR = 1e9  # e^{2 s} - 1 up to which s is the half of a log1p


class _Parts(NamedTuple):
    """Where the pairs F_1, F_0 and F_1, F_-1 are read, and the logs of their weights, each from below and from above;
    and what the test that is best for one may lack of the other's best.
    """

    near: tuple[FloatArray, FloatArray]
    far: tuple[FloatArray, FloatArray]
    log_weight: tuple[FloatArray, FloatArray]
    log_rest: tuple[FloatArray, FloatArray]
    short: FloatArray


class _Sides(NamedTuple):
    """delta over q and log(1 - it), on one side."""

    share: FloatArray
    log_gap: FloatArray


class _Exchanged(ClosedForm):
    """delta = q ``share``: what is common to both kinds of noise."""

    def __init__(self, rate: float, tail_mu: float) -> None:
        self.rate = inside("rate", rate, 0.0, 1.0)
        self._tail_mu = tail_mu

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        epsilon = np.minimum(epsilon, _LARGEST)
        below, above = self._sides(epsilon)
        upper, log_gap_lower = self._whole(above, 1.0)
        lower, log_gap_upper = self._whole(below, -1.0)
        return Bracket(np.minimum(lower, upper), upper, log_gap_lower, np.maximum(log_gap_lower, log_gap_upper))

    def _whole(self, side: _Sides, sign: float) -> tuple[FloatArray, FloatArray]:
        """delta rounded up (``sign`` +1) or down (-1), log(1 - delta) the other way."""
        q, some = self.rate, side.share > 0.0  # certainly 0 stays so
        with np.errstate(under="ignore"):
            value = np.where(some, q * side.share * (1.0 + sign * 2.0 * UNIT) + sign * SMALLEST, 0.0)
        value = np.clip(value, 0.0, 1.0)
        large = np.logaddexp(math.log1p(-q), math.log(q) + side.log_gap)
        gap = np.where(value < 0.5, np.log1p(-np.minimum(value, 0.5)), large)
        size = np.where(value < 0.5, np.abs(gap), 2.0 - math.log1p(-q) + np.abs(gap))
        return value, np.where(some, np.minimum(gap - sign * (_ROOM * size + SMALLEST), 0.0), 0.0)

    @abstractmethod
    def _sides(self, epsilon: FloatArray) -> tuple[_Sides, _Sides]:
        """Bounds on delta over q: from below, and from above."""

    def _log_alpha(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """log((1-q)(e^eps - 1)/q), and how far it may be off."""
        log_rest, log_q = math.log1p(-self.rate), math.log(self.rate)
        with np.errstate(divide="ignore"):
            log_growth = np.where(epsilon < 1.0, np.log(np.expm1(np.minimum(epsilon, 1.0))), 0.0)
        log_growth = np.where(epsilon < 1.0, log_growth, epsilon + np.log1p(-np.exp(-np.maximum(epsilon, 1.0))))
        size = np.where(epsilon > 0.0, np.abs(log_growth), 0.0)
        return log_growth + log_rest - log_q, _ROOM * (1.0 + size - log_rest - log_q)


class ReplacedGaussianProfile(_Exchanged):
    """delta of ONE sampled Gaussian step (sensitivity 1) when a record is exchanged; the same in both directions.

    Parameters
    ----------
    sigma : float
        Noise multiplier, finite, > 0.
    rate : float
        Sampling rate, in (0, 1).
    tail_mu : float
        What it is with no floor.

    Examples
    --------
    >>> b = ReplacedGaussianProfile(1.0, 0.25, 2.0).bracket(np.zeros(1))  # 0.6826894921 / 4
    >>> round(float(b.lower[0]), 10), round(float(b.upper[0]), 10)
    (0.170672373, 0.170672373)
    """

    def __init__(self, sigma: float, rate: float, tail_mu: float) -> None:
        super().__init__(rate, tail_mu)
        self.sigma = positive("sigma", sigma)
        self._near, self._far = (_gaussian(Fraction(times) / Fraction(self.sigma)) for times in (1, 2))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        z = 0.5 * self.sigma * (epsilon + 2.0 * self._height(epsilon))
        step = 1.0 / self.sigma
        log_q, log_rest = math.log(self.rate), math.log1p(-self.rate)
        tail = np.logaddexp(log_rest + special.log_ndtr(-z), log_q + special.log_ndtr(-z - step))
        return np.asarray(np.exp(np.minimum(epsilon + tail, 0.0)))

    def _height(self, epsilon: FloatArray) -> FloatArray:
        """h, nearly: nothing rests on it but how sharp the bounds are."""
        with np.errstate(over="ignore", divide="ignore"):
            log_sinh = self._log_alpha(epsilon)[0] + 0.5 / self.sigma / self.sigma - 0.5 * epsilon - math.log(2.0)
        far = log_sinh > _STRAIGHT
        return np.where(far, log_sinh + math.log(2.0), np.arcsinh(np.exp(np.where(far, 0.0, log_sinh))))

    def _sides(self, epsilon: FloatArray) -> tuple[_Sides, _Sides]:
        part, unsampled = self._parted(epsilon), self._far.bracket(epsilon)
        (one_low, one_high), (two_low, two_high) = (_read(self._near, part.near), _read(self._far, part.far))
        (w_low, w_high), (v_low, v_high) = part.log_weight, part.log_rest
        with np.errstate(under="ignore", divide="ignore"):
            upper = np.exp(w_high) * one_low.upper + np.exp(v_high) * two_low.upper
            low = np.logaddexp(w_low + one_low.log_gap_lower, v_low + two_low.log_gap_lower)
            lower = np.exp(w_low) * np.maximum(one_high.lower - part.short, 0.0)
            lower = lower + np.exp(v_low) * np.maximum(two_high.lower - part.short, 0.0)
            high = np.logaddexp(w_high + one_high.log_gap_upper, v_high + two_high.log_gap_upper)
            high = np.logaddexp(high, np.log(part.short))
        # where there is hardly any noise the test "x > 1/2" tells all three apart: each errs by e^{-1/(8 s^2)} / 2
        with np.errstate(over="ignore"):
            all_three = np.logaddexp(0.0, np.logaddexp(self._log_alpha(epsilon)[0], epsilon))
            missed = all_three - 0.125 / self.sigma / self.sigma * (1.0 - _ROOM)
        missed = np.minimum(missed + _ROOM * (1.0 + all_three + self._log_alpha(epsilon)[1]), 0.0)
        with np.errstate(under="ignore"):
            lower = np.maximum(lower * (1.0 - _ROOM), -np.expm1(missed) * (1.0 - _ROOM))
            upper = np.minimum(upper * (1.0 + _ROOM) + 4.0 * SMALLEST, unsampled.upper)
        low = np.maximum(low - _ROOM * (1.0 + np.abs(low)), unsampled.log_gap_lower)
        return _Sides(lower, np.minimum(np.minimum(high + _ROOM * (1.0 + np.abs(high)), missed), 0.0)), _Sides(
            upper, low
        )

    def _parted(self, epsilon: FloatArray) -> _Parts:
        """The two weights and where the pairs are read. The smaller weight follows from a float at which its pair is
        read, w = alpha e^-eps_1 or 1 - w = beta e^-eps_2, whatever the rounding of that float; the other from it.
        """
        log_alpha, room = self._log_alpha(epsilon)
        two = np.minimum(epsilon + 2.0 * self._height(epsilon), _LARGEST)
        one = 0.5 * two - 0.5 / self.sigma / self.sigma
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            log_w, off = log_alpha - one, room + _ROOM * (1.0 + np.abs(one))
            small = (epsilon == 0.0) | ((log_w < -2.0 * _HALF) & (off < _HALF))
            weights = [np.minimum(log_w + sign * off, -_HALF) for sign in (-1.0, 1.0)]
            rests = [np.log1p(-np.exp(each)) for each in weights]
            read = [(epsilon - rests[0]) * (1.0 - _ROOM), (epsilon - rests[1]) * (1.0 + _ROOM)]
            from_one = [one, one, *read, *weights, *rests[::-1]]
            depth = two - epsilon
            weights = [np.log(-np.expm1(-depth * (1.0 + sign * _ROOM))) for sign in (-1.0, 1.0)]
            rests = [-depth * (1.0 - sign * _ROOM) for sign in (-1.0, 1.0)]
            off = room + _ROOM * (1.0 + np.abs(log_alpha) + np.abs(weights[0]))
            read = [log_alpha - weights[1] - off, log_alpha - weights[0] + off]
            from_two = [*read, two, two, *weights, *rests]
            found = [np.where(small, *both) for both in zip(from_one, from_two, strict=True)]
        near, far, log_weight, log_rest = ((found[i], found[i + 1]) for i in (0, 2, 4, 6))
        return _Parts(near, far, log_weight, log_rest, np.where(epsilon > 0.0, self._short(near, far), 0.0))

    def _short(self, near: tuple[FloatArray, ...], far: tuple[FloatArray, ...]) -> FloatArray:
        """What the test that is best for one of two pairs read there may lack of the other's best."""
        step = 1.0 / self.sigma
        size = self.sigma * (np.abs(near[0]) + np.abs(far[1])) + step
        apart = [self.sigma * a + 0.5 * step - 0.5 * self.sigma * b for a in near for b in far]
        off = np.abs(np.array(apart)).max(axis=0) + _ROOM * size
        z = np.maximum(np.abs(0.5 * self.sigma * far[0] - step) - off, 0.0)
        deep, grown = 0.5 * np.minimum(z, _OUTERMOST) ** 2, 2.0 * off * step
        with np.errstate(under="ignore", over="ignore"):
            short = off * np.exp(-deep) * np.expm1(np.minimum(grown, LARGEST_EXPONENT))
            # of hardly any noise rounding alone grows by more than floats hold, unless it lies deep enough
            large = off * np.exp(np.minimum(grown - deep, LARGEST_EXPONENT))
        return np.where(grown < LARGEST_EXPONENT, short, large)


def _read(profile: Profile, at: tuple[FloatArray, FloatArray]) -> tuple[Bracket, Bracket]:
    """A symmetric profile at eps of either sign: d(-e) = 1 - e^-e (1 - d(e))."""
    both = np.concatenate(at)
    seen = profile.bracket(np.minimum(np.abs(both), _LARGEST))
    back = np.minimum(both, 0.0)
    with np.errstate(under="ignore", invalid="ignore"):
        gap_low, gap_high = (
            (back + gap) * (1.0 + sign * _ROOM) for sign, gap in ((1.0, seen.log_gap_lower), (-1.0, seen.log_gap_upper))
        )
        scale = np.exp(back)
        low = np.where(both < 0.0, (-np.expm1(back) + scale * seen.lower) * (1.0 - _ROOM), seen.lower)
        high = np.where(both < 0.0, (-np.expm1(back) + scale * seen.upper) * (1.0 + _ROOM), seen.upper)
    found = Bracket(low, np.minimum(high, 1.0), gap_low, np.minimum(gap_high, 0.0))
    first = np.arange(len(at[0]))
    return found.at(first), found.at(first + len(first))


def _gaussian(mu: Fraction) -> GaussianProfile:
    near = float(mu)
    return GaussianProfile(
        near if near >= mu else math.nextafter(near, math.inf), near if near <= mu else math.nextafter(near, 0.0)
    )


class ReplacedLaplaceProfile(_Exchanged):
    """delta of ONE sampled Laplace step (sensitivity 1) when a record is exchanged; the same in both directions.

    Parameters
    ----------
    scale : float
        b, > 0.
    rate : float
        Sampling rate, in (0, 1).
    tail_mu : float
        What it is with no floor.

    Examples
    --------
    >>> b = ReplacedLaplaceProfile(1.0, 0.25, 2.0).bracket(np.zeros(1))  # (1 - 1/e) / 4
    >>> round(float(b.lower[0]), 10), round(float(b.upper[0]), 10)
    (0.1580301397, 0.1580301397)
    """

    def __init__(self, scale: float, rate: float, tail_mu: float) -> None:
        super().__init__(rate, tail_mu)
        self._loss = 1.0 / positive("scale", scale)

    @property
    def end(self) -> float:
        """log((1 - q + q e^{1/b}) / (1 - q + q e^{-1/b})), each sum of terms that do not cancel, rounded up."""
        q, loss = self.rate, self._loss
        log_rest, log_q = math.log1p(-q), math.log(q)
        if loss < 1.0 or (q < 0.5 and loss < LARGEST_EXPONENT):
            parts = math.log1p(q * math.expm1(loss)), math.log1p(q * math.expm1(-loss))
            return (parts[0] - parts[1]) * (1.0 + 4.0 * _ROOM) + SMALLEST
        ahead, behind = (float(np.logaddexp(log_rest, log_q + side)) for side in (loss, -loss))
        return min(
            ahead - behind + 4.0 * _ROOM * (1.0 + abs(ahead) - log_rest - log_q + loss), 2.0 * loss * (1.0 + _ROOM)
        )

    def slope(self, epsilon: FloatArray) -> FloatArray:
        s = self._place(epsilon)[0]
        there = 0.5 * np.exp(np.minimum(epsilon - s, LARGEST_EXPONENT)) * (1.0 + self.rate * math.expm1(-self._loss))
        return np.where(s < self._loss, there, 0.0)

    def _place(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """s, and how far it and 1/b may be off."""
        log_alpha, room = self._log_alpha(epsilon)
        log_sum = np.logaddexp(log_alpha + self._loss, epsilon)
        off = room + _ROOM * (1.0 + self._loss + np.abs(log_sum))
        with np.errstate(over="ignore"):
            excess = (1.0 - self.rate) * np.expm1(np.minimum(epsilon, 1.0)) / self.rate * np.exp(min(self._loss, 1.0))
        near = (epsilon < 1.0) & (self._loss < 1.0) & (excess < _NEAR)
        exact = np.log1p(np.where(near, excess + np.expm1(np.minimum(epsilon, 1.0)), 0.0))
        return 0.5 * np.where(near, exact, log_sum), np.where(near, _ROOM * (self._loss + exact), off)

    def _sides(self, epsilon: FloatArray) -> tuple[_Sides, _Sides]:
        s, off = self._place(epsilon)
        low, high = np.minimum(s - self._loss - off, 0.0), np.minimum(s - self._loss + off, 0.0)
        shares = -np.expm1(high) * (1.0 - _ROOM), np.minimum(-np.expm1(low) * (1.0 + _ROOM), 1.0)
        return _Sides(shares[0], high), _Sides(shares[1], low)
