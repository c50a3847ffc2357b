"""The transform of the loss of random allocation, A(w) = E_Q (S / t)^w: Mellin integrals along rays.

S is the sum of t likelihood ratios Y under Q, phi(s) = E e^{-sY}. For every n >= 0 and Re w < n, with a = n - Re w,

    A(w) = 1 / Gamma(n - w) int s^{n - w - 1} M(s) ds,      M(s) = E (S / t)^n e^{-s S / t} = (-d/ds)^n phi(s / t)^t,

along the positive axis, or any ray s = e^{u - i theta} with |theta| < pi / 2: |M(s)| <= M(|s| cos theta). The
derivatives are phi's own values further along the ray (``rays``).

**Decay.** All t normal variables moved by i sigma theta turn S by the angle theta: A(c + i omega) is at most e^{-theta
omega + t sigma^2 theta^2 / 2} A(c), for every theta. The best is theta = omega / (t sigma^2):

    |A(c + i omega)| <= e^{-omega^2 / (2 t sigma^2)} A(c).

**Sum.** The trapezoid rule in u, spacing d, repeats the integrand (Poisson's formula): with y_m = omega - 2 pi m / d it
is, over Gamma(a - i omega),

    A(w) + sum over m != 0 of e^{-2 pi m theta / d} Gamma(a - i y_m) / Gamma(a - i omega) A(c + i y_m).

With G = 2 pi / d, G^2 >= 84 t sigma^2, the terms beyond the N-th, N G >= max(omega, a tan theta), fall by more than e
each time: on one side |Gamma| and both exponentials fall; on the other log |Gamma(a + iy)| + theta y no longer rises
where tan theta <= y / a (Stirling; ``log_gamma_at_most``). The Gaussian falls by G^2 / (2 t sigma^2) at least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from neyman._validate import FloatArray
from neyman.losses.allocated.mellin.ends import Ends
from neyman.losses.allocated.mellin.rays import Lattice, Phi, Ray, coefficients
from neyman.losses.allocated.moments import divergences
from neyman.losses.readings.transform import ComplexArray, Moments, Transform
from neyman.numerics.functions.log_gamma import log_gamma, log_gamma_at_most
from neyman.numerics.rounding import AMPLE, GAMMALN, LARGEST_EXPONENT, ROOM, TURN, UNIT

__all__ = ["AllocatedTransform", "allocated_transform"]

_LEFT_OUT = 42.0  # e-folds below A(c) of what may lie beyond the ends of a sum
_FAINT = 44.0  # the same below the largest term of those that are summed in one
_HIGHEST = 64  # the largest n
_LARGE = 600.0  # log of the largest moment
_LEAST, _MOST = 1.0, 6.0  # between which the least a lies: 4 sigma^2, so that e^{a / sigma^2} is no deep tail
_LOSS = 2.5  # e-folds that are lost between neighbouring rays
_VAGUE = 1e-7  # relative error of a moment that is out of reach
_FINE = 64  # turns that are kept
_REPEATED = 1e3  # repetitions beyond which a sum is too coarse
_MARGIN = 64  # places by which a table is longer than asked


_DIGITS = Context(prec=60)  # digits, of which a float keeps 17


_Columns = tuple[ComplexArray, FloatArray, ComplexArray, FloatArray]


class _Weights(NamedTuple):
    """Terms of a sum over e^``top``, at the places u less the log of the ``middle``; what they err by altogether, and
    what lies beyond the ends.
    """

    top: float
    middle: float
    place: FloatArray
    value: ComplexArray
    error: float
    beyond: float


@dataclass(frozen=True)
class AllocatedTransform(Transform):
    """At noise ``sigma`` over sensitivity, one of ``t`` batches."""

    sigma: float
    t: int

    @cached_property
    def lattice(self) -> Lattice:
        """Of all sums."""
        return Lattice(self.sigma, self.t)

    @cached_property
    def highest(self) -> int:
        """The largest n: moments up to there are floats."""
        root = 0.5 + math.sqrt(0.25 + 2.0 * _LARGE * self.sigma**2)
        return max(min(_HIGHEST, math.floor(root)), 2)

    @cached_property
    def _least(self) -> float:
        return min(max(4.0 * self.sigma**2, _LEAST), _MOST)

    def order(self, w: float) -> int:
        """The n of w."""
        return max(math.ceil(w + self._least), 0)

    @cached_property
    def _whole(self) -> FloatArray:
        """At least log E (S / t)^k for k up to the highest."""
        order = np.arange(2.0, self.highest + 1.0)
        found = (order - 1.0) * divergences(self.sigma, self.t, order, True)
        return np.concatenate([[0.0, 0.0], found * (1.0 + 4.0 * UNIT)])

    @property
    def known(self) -> bool:
        """Whether both masses are, and what lies between and beside them."""
        return all(math.isfinite(self.at_most(w)) for w in (-0.5, 0.0, 0.5, 1.0, 1.5))

    def moments(self, w: FloatArray) -> Moments:
        """On the real axis; log A from above."""
        log_a, mean, variance = (np.full(len(w), math.nan) for _ in range(3))
        for i, c in enumerate(w.tolist()):
            n = self.order(c)
            if n > self.highest:
                continue
            terms = self._terms(c, n, 0.0, 0.0)
            weight, a = terms.value.real, n - c
            total = float(weight.sum())
            bound = self.at_most(c)
            if not (len(weight) and total > 0.0 and math.isfinite(bound)):
                continue
            place = float(weight @ terms.place) / total
            log_a[i], mean[i] = bound, float(digamma(a)) - place - math.log(terms.middle)
            square = float(weight @ (terms.place - place) ** 2) / total
            variance[i] = max(square - float(polygamma(1, a)), 1e-3 / (self.t * self.sigma**2))
        return Moments(log_a, mean, variance, np.where(np.isfinite(log_a), math.inf, math.nan))

    def at_most(self, c: float) -> float:
        """No less than log A(c); inf where that is not known to some digits."""
        if c not in self._known:
            value, error = self._along(c, self.order(c), 0.0, np.zeros(1))
            again = math.exp(min(float(self._repeated(self.order(c) - c, 0.0, np.zeros(1))[0]), 0.0))
            error = float(error[0]) + again
            self._known[c] = float(value[0].real) + math.log1p(2.0 * error) if error < _VAGUE else math.inf
        return self._known[c]

    @cached_property
    def _known(self) -> dict[float, float]:
        return {}

    def on_line(self, w: float, omega: FloatArray, cut: float, margin: float) -> tuple[ComplexArray, FloatArray]:
        """Ray by ray: that of each omega is near the saddle point of the integrand, arg s = -atan(omega / a)."""
        n = self.order(w)
        a, top = n - w, self.at_most(w)
        if not math.isfinite(top):
            return np.zeros(len(omega), dtype=np.complex128), np.full(len(omega), math.inf)
        between = 2.0 ** math.floor(math.log2(math.sqrt(8.0 * _LOSS / max(a, 1.0))))
        chosen = np.rint(np.arcsinh(omega / a) / between)
        value, error = np.empty(len(omega), dtype=np.complex128), np.empty(len(omega))
        for k in np.unique(chosen).tolist():
            at = np.flatnonzero(chosen == k)
            theta = math.atan(math.sinh(k * between))
            value[at], error[at] = self._along(w, n, theta, omega[at])
            with np.errstate(over="ignore"):
                repeated = np.exp(self._repeated(a, theta, omega[at])) + self._moved(w, n)
                error[at] += repeated * np.exp(top - value[at].real)
        return value, error

    def _moved(self, w: float, n: int) -> float:
        """By how much of A(c) the rounding of a = n - w moves A: |x| <= 2 (e^{x/4} + e^{-x/4}) of the loss x."""
        if Fraction(n - w) + Fraction(w) == n:
            return 0.0
        near = math.exp(self.at_most(w + 0.25) - self.at_most(w)) + math.exp(self.at_most(w - 0.25) - self.at_most(w))
        return 2.0 * near * UNIT * (1.0 + n + abs(w))

    def log_bound(self, w: FloatArray, omega: FloatArray, slope: FloatArray, cut: float) -> FloatArray:
        """Of the normal variables moved."""
        height = np.array([self.at_most(c) for c in w.tolist()])
        return height - 0.5 * (omega * omega) * ((1.0 - 8.0 * UNIT) / (self.t * self.sigma**2))

    def terms(self, w: float, omega: float) -> float:
        """About how many nodes count."""
        a = max(self.order(w) - w, self._least)
        return (_FAINT / a + 4.0 + self.sigma**-2) / self.lattice.step

    def looked_terms(self, w: float, omega: float) -> float:
        """Not worth a look: the bound is nearly sharp."""
        return math.inf

    def _along(self, w: float, n: int, theta: float, omega: FloatArray) -> tuple[ComplexArray, FloatArray]:
        """log A(w + i omega) by one ray, and what its relative error is but for what the sum repeats."""
        a, d = n - w, self.lattice.step
        terms = self._terms(w, n, theta, float(np.min(log_gamma(a, -omega)[0].real + omega * theta)))
        if not len(terms.place):
            return np.zeros(len(omega), dtype=np.complex128), np.full(len(omega), math.inf)
        gamma, off = log_gamma(a, -omega, terms.middle)
        found, missed = _turned(omega, terms.place, terms.value)
        missed = missed + terms.error + terms.beyond
        modulus = np.maximum(np.abs(found), 1e-290)
        value = terms.top + math.log(d) + np.log(modulus) - omega * theta - gamma.real
        phase = np.angle(found) - a * theta - gamma.imag
        # a middle that is off by a unit of itself turns by as much times |z|
        size = abs(terms.top) + abs(math.log(d)) + np.abs(np.log(modulus)) + 2.0 * omega * theta
        size += np.abs(gamma.real) + np.abs(gamma.imag) + a + 4.0
        rest = UNIT * (8.0 * size + 2.0 * np.hypot(a, omega)) + 2.0 * off
        with np.errstate(over="ignore"):
            error = missed / modulus
            error = error + np.expm1(np.minimum(rest, 1.0)) * (1.0 + error)
        return value + 1j * phase, error * (1.0 + AMPLE)

    def _repeated(self, a: float, theta: float, omega: FloatArray) -> FloatArray:
        """log of what a sum repeats, over A(c), at most."""
        gap, wide = 2.0 * math.pi / self.lattice.step, 2.0 * self.t * self.sigma**2
        own = log_gamma(a, -omega)[0].real[:, None]
        last = math.ceil(max(float(np.max(omega)), a * math.tan(theta)) / gap) + 3.0
        if not last <= _REPEATED:
            return np.full(len(omega), math.inf)
        m = np.arange(1.0, last)
        found = [np.full(len(omega), -math.inf)]
        for sign in (1.0, -1.0):
            y = omega[:, None] - sign * gap * m
            log = log_gamma_at_most(a, y) - own - sign * m * gap * theta - y * y / wide
            # those beyond the last fall by e each time
            found.append(np.logaddexp.reduce(log, axis=1) + 0.5)
        return np.logaddexp.reduce(found, axis=0) + AMPLE * (1.0 + gap)

    def _terms(self, w: float, n: int, theta: float, level: float) -> _Weights:
        """The terms of the sum along a ray that are needed where e^``level`` A(c) is worked out: |Gamma| e^{omega
        theta}.
        """
        lattice, a = self.lattice, n - w
        d, shift = lattice.step, math.log(self.t)
        target = self._about(w) + level - _LEFT_OUT
        ends = self._ends(w, n)
        low, high = ends.reach(theta, target)
        first, last = math.floor((low - shift) / d) - 1, math.ceil((high - shift) / d) + 1
        log_phi, off_phi, p, off_p = self._table(theta, n, first, last)
        j = np.arange(first, first + len(p))
        # where the terms are largest; s is that times e^place
        here = int(np.argmax(np.nan_to_num(a * d * j + self.t * log_phi.real + np.log(np.abs(p)), nan=-math.inf)))
        middle = _middle(self.lattice.each, self.sigma, self.t, int(j[here]))
        place = d * (j - j[here])
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            tall = a * place + self.t * log_phi.real
            height = tall + np.log(np.abs(p))
            share = self.t * off_phi + UNIT * (8.0 * (np.abs(a * place) + self.t * np.abs(log_phi)) + 16.0)
        sound = np.isfinite(height) & (share < 0.5) & np.isfinite(off_p)
        end = len(p) if sound.all() else int(np.argmin(sound))
        if end <= here:
            return _Weights(0.0, 1.0, np.zeros(0), np.zeros(0, dtype=np.complex128), math.inf, math.inf)
        top = float(np.max(height[:end]))
        with np.errstate(under="ignore"):
            size = np.exp(tall[:end] - top)
            value = size * np.exp(1j * self.t * log_phi.imag[:end]) * p[:end]
            error = float(size @ (off_p[:end] + np.abs(p[:end]) * np.expm1(share[:end])))
        kept = height[:end] > top - _FAINT
        dropped = float(np.abs(value[~kept]).sum())
        log, scale = math.log(middle), float(gammaln(n + 1.0))
        beyond = ends.beyond(theta, log + float(place[0]) - d, log + float(place[end - 1]) + d)
        beyond -= a * log + scale + top - ROOM * (1.0 + abs(a * log) + scale)
        # of the factor n! (``GAMMALN``), and of a middle that is off by a unit
        error += float(np.abs(value).sum()) * UNIT * (GAMMALN * (1.0 + scale) + 8.0)
        left = dropped + math.exp(min(beyond, LARGEST_EXPONENT))
        return _Weights(top + scale, middle, place[:end][kept], value[kept], error * (1.0 + AMPLE), left)

    def _about(self, w: float) -> float:
        """log A(w), about."""
        return float(np.interp(w, np.arange(self.highest + 1.0), self._whole)) if w > 0.0 else 0.0

    def _ends(self, w: float, n: int) -> Ends:
        kept = self._bounds.get((w, n))
        if kept is None:
            kept = self._bounds[w, n] = Ends.of(self.sigma, self.t, w, n, self._whole[: n + 1], self.lattice.step)
        return kept

    def _table(self, theta: float, n: int, first: int, last: int) -> _Columns:
        """log phi and its error, p_n and its error, at these places of a ray."""
        key = (theta, n)
        kept = self._tables.get(key)
        if kept is None or kept[0] > first or kept[1] < last:
            if kept is not None:
                first_, last_ = min(first, kept[0]), max(last, kept[1])
            else:
                first_, last_ = first - _MARGIN, last + _MARGIN
            phi = self._phi(theta, first_, last_ + n * self.lattice.each)
            many, start = last_ - first_ + 1, first_ - phi.first
            p, off = coefficients(self.lattice, phi, start, many, n)
            part = slice(start, start + many)
            kept = self._tables[key] = first_, last_, (phi.log[part], phi.log_error[part], p, off)
        part = slice(first - kept[0], last - kept[0] + 1)
        log, off_log, p, off = kept[2]
        return log[part], off_log[part], p[part], off[part]

    def _phi(self, theta: float, first: int, last: int) -> Phi:
        kept = self._rays.get(theta)
        if kept is None or kept.first > first or kept.first + len(kept.value) <= last:
            if kept is not None:
                first, last = min(first, kept.first), max(last, kept.first + len(kept.value) - 1)
            a = (
                self._least + 1.0
            )  # where n tilts most: s e^{n / sigma^2} is about a e^{a / sigma^2} times what is typical
            far = a / self.sigma + self.sigma * math.log1p(a)
            kept = self._rays[theta] = Ray(self.lattice, theta).phi(first, last, far)
        return kept

    @cached_property
    def _rays(self) -> dict[float, Phi]:
        return {}

    @cached_property
    def _bounds(self) -> dict[tuple[float, int], Ends]:
        return {}

    @cached_property
    def _tables(self) -> dict[tuple[float, int], tuple[int, int, _Columns]]:
        return {}


@lru_cache(maxsize=4)
def allocated_transform(sigma: float, t: int) -> AllocatedTransform:
    """The transform, with what it has worked out so far.

    Examples
    --------
    >>> law = allocated_transform(1.0, 100)
    >>> value, error = law.on_line(2.0, np.zeros(1), math.inf, 36.0)
    >>> print(f"{value[0].real:.12f} {np.log1p(np.expm1(1.0) / 100):.12f}")  # E (S / t)^2
    0.017036863236 0.017036863236
    """
    return AllocatedTransform(sigma, t)


def _middle(each: int, sigma: float, t: int, j: int) -> float:
    """t e^{j / (each sigma^2)}, the nearest float."""
    square = _DIGITS.multiply(Decimal(sigma), Decimal(sigma))
    power = _DIGITS.exp(_DIGITS.divide(Decimal(j), _DIGITS.multiply(Decimal(each), square)))
    return float(_DIGITS.multiply(Decimal(t), power))


def _turned(omega: FloatArray, place: FloatArray, value: ComplexArray) -> tuple[ComplexArray, FloatArray]:
    """sum value e^{-i omega place} for each ``omega`` >= 0, and what rounding does to it.

    Evenly spaced omega are a few turned by many. Two turns and two products err by 2 ``TURN`` 1.5 + 6 units, their
    angles by 8 units of themselves together, a sum in pairs by 40 units of its terms (``numerics/rounding``).
    """
    many, found = len(omega), np.empty(len(omega), dtype=np.complex128)
    spacing = float(omega[-1] - omega[0]) / max(many - 1, 1)
    even = many > 1 and bool((np.abs(omega[0] + spacing * np.arange(many) - omega) <= 4.0 * UNIT * omega[-1]).all())
    fine = min(_FINE, many) if even else 1
    near = np.exp(-1j * np.multiply.outer(spacing * np.arange(fine), place))
    for i in range(0, many, fine):
        far = np.exp(-1j * omega[i] * place) * value
        found[i : i + fine] = np.sum(near[: many - i] * far, axis=1)
    size = np.abs(value)
    whole, spread = float(size.sum()), float(size @ np.abs(place))
    last = float(omega[-1])
    return found, UNIT * ((46.0 + 3.0 * TURN) * whole + (8.0 * omega + 4.0 * last) * spread)
