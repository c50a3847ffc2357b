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

**Ends.** x^b e^{-x} <= (b / e)^b: M(x) <= (b / e)^b x^{-b} E (S / t)^{n - b} for every b >= 0. With b < a it bounds what
lies before the first node, with b > a what lies beyond the last; both are geometric series. Whole moments are known
(``moments``); for v > 0, E (S / t)^{-v} <= exp(v / (2 sigma^2) + v^2 / (2 t sigma^2)), a mean being no less than the
geometric one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, polygamma

from neyman._validate import FloatArray
from neyman.losses.allocated.moments import divergences
from neyman.losses.allocated.rays import Lattice, Phi, Ray, coefficients
from neyman.losses.readings.transform import ComplexArray, Moments, Transform
from neyman.numerics.fourier_sum import turned_sum
from neyman.numerics.log_gamma import log_gamma, log_gamma_at_most
from neyman.numerics.rounding import COMPLEX, ELEMENTARY, GAMMALN, UNIT

__all__ = ["AllocatedTransform"]

_LEFT_OUT = 42.0  # e-folds below A(c) of what may lie beyond the ends of a sum
_FAINT = 44.0  # the same below the largest term of those that are summed in one
_HIGHEST = 64  # the largest n
_LARGE = 600.0  # log of the largest moment
_LEAST, _MOST = 1.0, 6.0  # between which the least a lies: 4 sigma^2, so that e^{a / sigma^2} is no deep tail
_LOSS = 2.5  # e-folds that are lost between neighbouring rays
_VAGUE = 1e-7  # relative error of a moment that is out of reach
_REPEATED = 1e3  # repetitions beyond which a sum is too coarse
_NEGATIVE = 2.0 ** np.arange(-2.0, 13.0)  # v, of moments that bound an end
_MARGIN = 64  # places by which a table is longer than asked


class _Weights(NamedTuple):
    """Terms of a sum over e^``top``, at the places u; what they err by altogether, and what lies beyond the ends."""

    top: float
    u: FloatArray
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
            if not (total > 0.0 and math.isfinite(bound)):
                continue
            place = float(weight @ terms.u) / total
            log_a[i], mean[i] = bound, float(digamma(a)) - place
            square = float(weight @ (terms.u - place) ** 2) / total
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
        between = 2.0 ** math.floor(math.log2(math.sqrt(8.0 * _LOSS / max(a, 1.0))))
        chosen = np.rint(np.arcsinh(omega / a) / between)
        value, error = np.empty(len(omega), dtype=np.complex128), np.empty(len(omega))
        for k in np.unique(chosen).tolist():
            at = np.flatnonzero(chosen == k)
            theta = math.atan(math.sinh(k * between))
            value[at], error[at] = self._along(w, n, theta, omega[at])
            with np.errstate(over="ignore"):
                error[at] += np.exp(self._repeated(a, theta, omega[at]) + (top - value[at].real))
        return value, error

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
        gamma, off = log_gamma(a, -omega)
        terms = self._terms(w, n, theta, float(np.min(gamma.real + omega * theta)))
        if not len(terms.u):
            return np.zeros(len(omega), dtype=np.complex128), np.full(len(omega), math.inf)
        middle = float(terms.u[np.argmax(np.abs(terms.value))])
        place = middle - terms.u
        found = turned_sum(omega, place, terms.value, True)
        size = np.abs(terms.value)
        spread, whole = float(size @ np.abs(place)), float(size.sum())
        units = 16.0 + len(place) / 8.0 + COMPLEX
        # each place errs by a few units of u, whose largest is that of the middle or differs from it by ``place``
        missed = terms.error + units * UNIT * (whole + omega * spread)
        missed = missed + 8.0 * UNIT * omega * (abs(middle) * whole + spread) + terms.beyond
        modulus = np.maximum(np.abs(found), 1e-290)
        turn = omega * middle + a * theta
        value = terms.top + math.log(d) + np.log(modulus) - omega * theta - gamma.real
        phase = np.angle(found) - turn - gamma.imag
        rest = UNIT * 8.0 * (abs(terms.top) + abs(math.log(d)) + np.abs(np.log(modulus)) + 2.0 * omega * theta)
        rest += UNIT * 8.0 * (np.abs(gamma.real) + np.abs(gamma.imag) + np.abs(turn) + 4.0) + 2.0 * off
        with np.errstate(over="ignore"):
            error = missed / modulus
            error = error + np.expm1(np.minimum(rest, 1.0)) * (1.0 + error)
        return value + 1j * phase, error * (1.0 + 1e-9)

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
        return np.logaddexp.reduce(found, axis=0) + 1e-9 * (1.0 + gap)

    def _terms(self, w: float, n: int, theta: float, level: float) -> _Weights:
        """The terms of the sum along a ray that are needed where e^``level`` A(c) is worked out: |Gamma| e^{omega
        theta}.
        """
        lattice, a = self.lattice, n - w
        d, shift = lattice.step, math.log(self.t)
        target = self._about(w) + level - _LEFT_OUT
        (low, high), bounds = self._ends(w, n, theta, target)
        first, last = math.floor((low - shift) / d) - 1, math.ceil((high - shift) / d) + 1
        log_phi, off_phi, p, off_p = self._table(theta, n, first, last)
        u = d * np.arange(first, first + len(p)) + shift
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            tall = a * u + float(gammaln(n + 1.0)) + self.t * log_phi.real
            height = tall + np.log(np.abs(p))
            parts = np.abs(a * u) + self.t * np.abs(log_phi)
            share = self.t * off_phi + UNIT * (8.0 * parts + (GAMMALN + 4.0) * (1.0 + float(gammaln(n + 1.0))) + 32.0)
        sound = np.isfinite(height) & (share < 0.5) & np.isfinite(off_p)
        end = len(p) if sound.all() else int(np.argmin(sound))
        if end < 2:
            return _Weights(0.0, np.zeros(0), np.zeros(0, dtype=np.complex128), math.inf, math.inf)
        top = float(np.max(height[:end]))
        with np.errstate(under="ignore"):
            size = np.exp(tall[:end] - top)
            value = size * np.exp(1j * self.t * log_phi.imag[:end]) * p[:end]
            error = float(size @ (off_p[:end] + np.abs(p[:end]) * np.expm1(share[:end])))
        kept = height[:end] > top - _FAINT
        dropped = float(np.abs(value[~kept]).sum())
        beyond = self._beyond(bounds, theta, a, float(u[0]) - d, float(u[end - 1]) + d) - top
        return _Weights(top, u[:end][kept], value[kept], error * (1.0 + 1e-9), dropped + math.exp(min(beyond, 700.0)))

    def _about(self, w: float) -> float:
        """log A(w), about."""
        return float(np.interp(w, np.arange(self.highest + 1.0), self._whole)) if w > 0.0 else 0.0

    def _ends(
        self, w: float, n: int, theta: float, target: float
    ) -> tuple[tuple[float, float], tuple[FloatArray, FloatArray]]:
        """log |s| before and beyond which little is left, and the bounds that say so: b, and log of (b / e)^b E (S /
        t)^{n - b}.
        """
        a = n - w
        order = np.arange(0.0, n + 1.0)
        negative = _NEGATIVE * max(1.0, -w)
        negative = negative[negative > -w]
        power = negative / (2.0 * self.sigma**2) + negative**2 / (2.0 * self.t * self.sigma**2)
        b = np.concatenate([n - order, n + negative])
        log = np.concatenate([self._whole[: n + 1], power])
        log = log + np.where(b > 0.0, b * (np.log(np.maximum(b, 1e-300)) - 1.0), 0.0)
        log = log + 1e-12 * (1.0 + np.abs(log))
        turned = math.log(math.cos(theta))
        place = (log - a * turned - target) / (b - a)  # of log |s| cos theta
        with np.errstate(invalid="ignore"):
            low = float(np.max(place[b < a], initial=-math.inf))
            high = float(np.min(place[b > a], initial=math.inf))
        return (low - turned, high - turned), (b, log)

    def _beyond(self, bounds: tuple[FloatArray, FloatArray], theta: float, a: float, low: float, high: float) -> float:
        """log of the sums of |s^a M(s)| over the places from ``low`` down, and from ``high`` up."""
        b, log = bounds
        turned = math.log(math.cos(theta))
        found: list[float] = []
        for side, u in ((b < a, low), (b > a, high)):
            fall = np.abs(b[side] - a)
            at = log[side] + (a - b[side]) * u - b[side] * turned - np.log(-np.expm1(-fall * self.lattice.step))
            found.append(float(np.min(at + 1e-12 * (1.0 + np.abs(at) + fall * abs(u)), initial=math.inf)))
        return float(np.logaddexp(*found))

    def _table(
        self, theta: float, n: int, first: int, last: int
    ) -> tuple[ComplexArray, FloatArray, ComplexArray, FloatArray]:
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
            far = self._least / self.sigma + self.sigma * math.log1p(self._least)
            kept = self._rays[theta] = Ray(self.lattice, theta).phi(first, last, far)
        return kept

    @cached_property
    def _rays(self) -> dict[float, Phi]:
        return {}

    @cached_property
    def _tables(self) -> dict[tuple[float, int], tuple[int, int, tuple[ComplexArray, FloatArray, ComplexArray, FloatArray]]]:
        return {}
