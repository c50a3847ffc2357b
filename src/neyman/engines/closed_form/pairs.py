"""Profiles with a closed form: Gaussian, Laplace, one Poisson-sampled step of either, perfect and blatant.

With x = eps/mu - mu/2 and M the Mills ratio,

    Gaussian:   delta(eps) = phi(x) (M(x) - M(x + mu)),       1 - delta(eps) = phi(x) (M(-x) + M(x + mu)),

two forms without cancellation between them. One sampled step, P or Q = (1-q) F_0 + q F_1 against F_0, is the profile of
the step itself, F_1 against F_0 and F_0 against F_1 alike, at another eps:

    remove:  delta(eps) = q delta_1(eps'),     e^eps' = 1 + (e^eps - 1)/q
    add:     delta(eps) = w delta_1(eps''),    e^eps'' = e^eps q / w,    w = 1 - e^eps (1-q)    (0 where w <= 0)

the second because P - e^eps Q = w F_0 - e^eps q F_1.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray, choice, inside, not_negative, positive
from neyman.numerics.functions.few import every, some
from neyman.numerics.functions.normal import (
    MILLS_ERROR,
    density,
    log_density,
    mills,
    mills_drop,
    ratio_twofold,
    special_functions,
    sum_twofold,
)
from neyman.numerics.rounding import HUGE, LARGEST_EXPONENT, SMALLEST, UNIT
from neyman.profiles.pair import DIRECTIONS, Direction
from neyman.profiles.profile import Bracket, Profile

__all__ = [
    "BlatantProfile",
    "GaussianProfile",
    "LaplaceProfile",
    "PerfectProfile",
    "SampledProfile",
    "SubsampledGaussianProfile",
    "gaussian_side",
]

_SMALLEST_MU = 1e-290  # below it the twofold quotient underflows
_LARGEST_MU = 1e150  # its square is a float
_COARSE_MU = 1e8  # above it the rounding of eps/mu - mu/2 is no longer far below _REL
_NO_DIGITS = 1e-3  # mu from which down a difference of two tails is not even nearly right
_FAR = 50.0  # phi(50) underflows
_REL = MILLS_ERROR + 16.0 * UNIT  # relative, of a tail by Mills ratio and of the terms beside it
# eps up to which e^eps - 1 is asked for: beyond 1 with Q the mixture alone, whose support ends at -log(1 - q) <= 37
_LARGEST_EPSILON = 600.0


class _Values(NamedTuple):
    """Approximations, each within relative ``_REL`` (log_gap: also absolute ``_REL``) of the truth."""

    delta: FloatArray
    log_gap: FloatArray
    room: FloatArray  # by which log_gap is rounded, either way
    slope: FloatArray


class ClosedForm(Profile):
    """A profile that is one formula."""

    width_is = "rounding"

    @property
    def method(self) -> str:
        """Named after itself."""
        return "closed form"


class GaussianProfile(ClosedForm):
    """delta of the Gaussian mechanism with parameter ``mu`` (symmetric: the same in both directions).

    Parameters
    ----------
    mu : float
        Shift over noise, finite, >= 0.
    least : float, optional
        Where mu was rounded up, what it is at least: delta is bounded from below by that. ``mu`` if none is given.

    Examples
    --------
    >>> import numpy as np
    >>> bool(abs(GaussianProfile(1.0).bracket(np.array([0.0])).upper[0] - 0.38292492254802624) < 1e-13)
    True
    """

    def __init__(self, mu: float, least: float | None = None) -> None:
        self.mu = not_negative("mu", mu)
        self.least = self.mu if least is None else min(not_negative("least", least), self.mu)

    @property
    def tail_mu(self) -> float:
        return self.mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        if self.mu < _SMALLEST_MU:
            return self._negligible(epsilon)
        most, least = min(self.mu, _LARGEST_MU), min(self.least, _LARGEST_MU)
        values = _gaussian(epsilon, most, 1.0)
        upper, log_gap_lower = _outward(values, 1.0)
        if least < most or most > _COARSE_MU:
            values = _gaussian(epsilon, max(least, _SMALLEST_MU), -1.0)
        lower, log_gap_upper = _outward(values, -1.0)
        if least < _SMALLEST_MU:
            lower, log_gap_upper = np.zeros_like(lower), np.zeros_like(lower)
        if self.mu > _LARGEST_MU:  # delta grows with mu: only the lower side carries over
            upper, log_gap_lower = np.ones_like(upper), np.full_like(upper, -np.inf)
        return Bracket(lower, upper, log_gap_lower, log_gap_upper)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        if self.mu < _SMALLEST_MU:
            return np.where(epsilon > 0.0, 0.0, 0.5)
        return _gaussian(epsilon, min(self.mu, _LARGEST_MU), 0.0).slope

    def nearly(self, epsilon: FloatArray) -> FloatArray:
        if not _NO_DIGITS < self.mu < _COARSE_MU:
            return super().nearly(epsilon)
        x, ndtr = epsilon / self.mu - 0.5 * self.mu, special_functions().ndtr
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return ndtr(-x) - np.exp(epsilon) * ndtr(-x - self.mu)

    def _negligible(self, epsilon: FloatArray) -> Bracket:
        zero = np.zeros_like(epsilon)
        bound = np.full_like(epsilon, 0.5 * _SMALLEST_MU if self.mu > 0.0 else 0.0)  # delta <= delta(0) < mu / 2
        return Bracket(zero, bound, -2.0 * bound, zero.copy())


class SampledProfile(ClosedForm):
    """delta of ONE step that takes part with probability ``rate``, from the profile of the step itself.

    ``inner`` holds a profile that is nowhere above that of the step (which is symmetric) and one that is nowhere below;
    ``direction`` is "remove" (P is the mixture) or "add" (Q is).
    """

    def __init__(self, inner: tuple[Profile, Profile], rate: float, direction: Direction) -> None:
        self.rate = inside("rate", rate, 0.0, 1.0)
        self.direction = choice("direction", direction, DIRECTIONS)
        self._inner = inner
        self._end = _log_rest(self.rate)

    @property
    def end(self) -> float:
        if self.direction == "add":
            return -self._end[0] * (1.0 + 4.0 * UNIT)
        inner = self._inner[1].end
        if inner == np.inf:
            return inner
        if inner < 1.0 or (self.rate < 0.5 and inner < LARGEST_EXPONENT):
            return float(np.log1p(self.rate * np.expm1(inner))) * (1.0 + 16.0 * UNIT)
        parts = float(np.log1p(-self.rate)), float(np.log(self.rate))
        room = 8.0 * UNIT * (inner - parts[0] - parts[1])
        return min(float(np.logaddexp(parts[0], parts[1] + inner)) + room, inner)

    @property
    def tail_mu(self) -> float:
        return self._inner[1].tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        lower = self._side(epsilon, self._inner[0], -1.0)
        upper = self._side(epsilon, self._inner[1], 1.0)
        return Bracket(lower[0], upper[0], upper[1], lower[1])

    def slope(self, epsilon: FloatArray) -> FloatArray:
        at, weight = self._moved(epsilon, 0.0)
        inner = self._inner[1]
        if self.direction == "remove":
            return np.asarray(np.exp(np.minimum(epsilon - at, 0.0)) * inner.slope(at))
        inside_support = weight > 0.0
        rest = (1.0 - self.rate) * np.exp(np.minimum(epsilon, LARGEST_EXPONENT))
        value = rest * inner.bracket(at).upper + inner.slope(at)
        return np.where(inside_support, value, 0.0)

    def _side(self, epsilon: FloatArray, profile: Profile, sign: float) -> tuple[FloatArray, FloatArray]:
        """One side of delta and the matching side of log(1 - delta); sign +1 rounds delta up, -1 down."""
        at, weight = self._moved(epsilon, sign)
        inner = profile.bracket(at)
        delta, log_gap = (inner.upper, inner.log_gap_lower) if sign > 0 else (inner.lower, inner.log_gap_upper)
        value = weight * delta * (1.0 + sign * 4.0 * UNIT)
        some = (weight > 0.0) & (delta > 0.0)  # certainly 0 stays so
        value = np.where(some, np.clip(value + sign * SMALLEST, 0.0, 1.0), 0.0)
        with np.errstate(divide="ignore"):
            log_rest = np.log1p(-self.rate) + (epsilon if self.direction == "add" else 0.0)
            large = np.logaddexp(log_rest, np.log(weight) + log_gap)
        gap = np.where(value < 0.5, np.log1p(-np.minimum(value, 0.5)), large)
        gap = np.where(some, gap - sign * (4.0 * UNIT * (2.0 + np.abs(gap) + epsilon)), 0.0)
        return value, np.minimum(gap, 0.0)

    def _moved(self, epsilon: FloatArray, sign: float) -> tuple[FloatArray, FloatArray]:
        """The eps at which to read the step itself, and the weight before it: rounded so that delta moves by
        ``sign``.
        """
        q = self.rate
        growth = np.expm1(np.minimum(epsilon, _LARGEST_EPSILON))
        if self.direction == "remove":
            with np.errstate(over="ignore", divide="ignore"):
                near = np.log1p(growth / q)
                far = epsilon - np.log(q) + np.log1p(-(1.0 - q) * np.exp(-np.maximum(epsilon, 1.0)))
                most = np.log(growth) - np.log(q)  # where the quotient is no float: what q / growth adds is no digit
            room = np.where(np.isinf(near), np.abs(np.log(q)), 0.0)
            at = np.where(epsilon < 1.0, np.where(np.isinf(near), most, near), far)
            return at - sign * 8.0 * UNIT * (at + room), np.full_like(epsilon, q)
        rough, error = sum_twofold(epsilon, self._end[0])  # eps + log(1-q) cancels where the support ends
        shift = (rough + (error + self._end[1])) - sign * (SMALLEST + 8.0 * UNIT * UNIT * (epsilon - self._end[0]))
        shift = shift - sign * 4.0 * UNIT * np.abs(shift)
        weight = -np.expm1(np.minimum(shift, 0.0)) * (1.0 + sign * 4.0 * UNIT)
        positive_weight = np.where(weight > 0.0, weight, 1.0)
        with np.errstate(over="ignore"):
            at = epsilon + np.log1p((1.0 - q) * growth / positive_weight)
        return np.minimum(at, HUGE) * (1.0 - sign * 8.0 * UNIT), np.maximum(weight, 0.0)


class SubsampledGaussianProfile(SampledProfile):
    """delta of ONE step of the Poisson-subsampled Gaussian mechanism (sensitivity 1), in one direction.

    Parameters
    ----------
    sigma : float
        Noise multiplier, finite, > 0.
    rate : float
        Sampling rate, in (0, 1). (Rate 0 is `PerfectProfile`, rate 1 is `GaussianProfile`.)
    direction : str
        "remove": P is the mixture; "add": Q is the mixture.

    Examples
    --------
    >>> import numpy as np
    >>> p = SubsampledGaussianProfile(1.0, 0.001, "add")
    >>> float(p.bracket(np.array([0.01])).upper[0])
    0.0
    """

    def __init__(self, sigma: float, rate: float, direction: Direction) -> None:
        self.sigma = positive("sigma", sigma)
        quotient = 1.0 / self.sigma
        ends = float(np.nextafter(quotient, 0.0)), float(np.nextafter(quotient, np.inf))
        super().__init__((GaussianProfile(ends[0]), GaussianProfile(ends[1])), rate, direction)


class LaplaceProfile(ClosedForm):
    """delta(eps) = 1 - e^{(eps - 1/b)/2} up to eps = 1/b, then 0: one Laplace step (symmetric).

    Parameters
    ----------
    scale : float
        b, scale over sensitivity, > 0.
    tail_mu : float
        What it is with no floor.

    Examples
    --------
    >>> import numpy as np
    >>> LaplaceProfile(1.0, 1.03).bracket(np.array([0.0, 1.0])).upper.round(12)
    array([0.39346934, 0.        ])
    """

    def __init__(self, scale: float, tail_mu: float) -> None:
        exact = 1 / Fraction(scale)
        self._end = float(exact)
        self._rest = float(exact - Fraction(self._end))
        self._tail_mu = tail_mu

    @property
    def end(self) -> float:
        return self._end if self._rest <= 0.0 else float(np.nextafter(self._end, np.inf))

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        room = 4.0 * UNIT
        log_gap = np.minimum(self._log_gap(epsilon), 0.0)
        delta = np.abs(np.expm1(log_gap))
        upper = np.minimum(delta * (1.0 + room), 1.0)
        return Bracket(delta * (1.0 - room), upper, log_gap * (1.0 + room), log_gap * (1.0 - room))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        log_gap = self._log_gap(epsilon)
        return np.where(log_gap < 0.0, 0.5 * np.exp(np.minimum(log_gap, 0.0)), 0.0)

    def _log_gap(self, epsilon: FloatArray) -> FloatArray:
        high, low = sum_twofold(epsilon, -self._end)
        return 0.5 * (high + (low - self._rest))


class _ConstantProfile(ClosedForm):
    """The same delta at every eps: ``delta`` and log(1 - ``delta``), with a ``mu`` to match."""

    delta: float
    log_gap: float
    mu: float

    @property
    def tail_mu(self) -> float:
        return self.mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        delta, log_gap = np.full_like(epsilon, self.delta), np.full_like(epsilon, self.log_gap)
        return Bracket(delta, delta.copy(), log_gap, log_gap.copy())

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return np.zeros_like(epsilon)


class PerfectProfile(_ConstantProfile):
    """delta = 0: the output does not depend on the record."""

    delta, log_gap, mu = 0.0, 0.0, 0.0


class BlatantProfile(_ConstantProfile):
    """delta = 1: the output reveals the record."""

    delta, log_gap, mu = 1.0, -np.inf, np.inf

    @property
    def revealed(self) -> float:
        """All of it."""
        return 1.0


def _log_rest(rate: float) -> tuple[float, float]:
    """log(1 - rate) as an unevaluated sum, to twice working precision however small the rate is."""
    digits = Context(prec=60 - min(Decimal(rate).adjusted(), 0))
    end = digits.ln(digits.subtract(Decimal(1), Decimal(rate)))
    return float(end), float(digits.subtract(end, Decimal(float(end))))


def gaussian_side(epsilon: FloatArray, mu: FloatArray, sign: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """delta, log(1 - delta) and slope of Gaussian mechanisms at eps >= 0, each with a mu of its own in [1e-290, 1e100].

    delta is rounded up (``sign`` +1) or down (-1), log(1 - delta) the other way.
    """
    values = _gaussian(epsilon, mu, sign)
    return *_outward(values, sign), values.slope


def _gaussian(epsilon: FloatArray, mu: FloatArray | float, sign: float) -> _Values:
    """The values, delta moved by ``sign`` as far as eps/mu - mu/2 may be off, which is next to nothing unless mu is
    huge.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        high, low = ratio_twofold(epsilon, mu)
        if (mu > _COARSE_MU) if isinstance(mu, (float, int)) else some(mu > _COARSE_MU):
            off = np.where(mu > _COARSE_MU, sign * 16.0 * UNIT * UNIT * (epsilon / mu + mu), 0.0)
            high, low = sum_twofold(high, low - off)
        near, x, dx = high <= _FAR, high, low
        if not every(near):  # or not a number where eps / mu is none
            x, dx = np.where(near, high, _FAR), np.where(near, low, 0.0)
        phi = density(np.maximum(x, -_FAR), np.where(x < -_FAR, 0.0, dx))
        after = mills(x + mu)
        slope = phi * after
        central = x < -1.0  # then mu > 2 and nothing cancels in either form
        if not some(central):
            delta = phi * mills_drop(x, mu, after)
        else:
            delta = phi * mills_drop(np.maximum(x, -1.0), mu)
            delta = np.where(central, special_functions().ndtr(-x) - slope, delta)
    small = delta < 0.5
    if every(small):
        log_gap = np.log1p(-delta)
        return _Values(delta, log_gap, _REL * np.abs(log_gap) + SMALLEST, slope)
    log_large = log_density(x, dx) + np.log(mills(np.maximum(-x, -_FAR / 2)) + after)
    log_gap = np.where(small, np.log1p(-np.minimum(delta, 0.5)), log_large)
    size = np.abs(log_gap)
    return _Values(delta, log_gap, _REL * np.where(small, size, 1.0 + size) + SMALLEST, slope)


def _outward(values: _Values, sign: float) -> tuple[FloatArray, FloatArray]:
    """Round delta up (sign +1) or down (-1), and log(1 - delta) the other way."""
    delta = np.maximum(values.delta * (1.0 + sign * _REL) + sign * 4.0 * SMALLEST, 0.0)
    return np.minimum(delta, 1.0), np.minimum(values.log_gap - sign * values.room, 0.0)
