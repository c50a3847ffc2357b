"""One sampled Gaussian step with an exchanged record, along a bent path of losses, for steps too few for a line.

With m(t) = 1 - q + q e^t, t = (+-2x - 1) / (2 sigma^2), the loss L = log m(t(x)) - log m(t(-x)) is odd in x, and

    A(w) = int phi(x) m(t(x))^w m(t(-x))^{1-w} dx = int g(L) e^{aL} dL,    a = w - 1/2,    g = phi sqrt(m m) dx/dL even;
    x / sigma^2 = L/2 + asinh(kappa sinh(L/2)),    kappa = (1 - q) e^{1/(2 sigma^2)} / q.

The path is L = zeta + i tan(chi) (sqrt(1 + zeta^2) - 1), zeta = 2 asinh(sinh(eta + i chi) / kappa), eta real: among
the losses of steps in which nobody is seen a hyperbola of asymptotic angle chi, on their scale 1/kappa, and a ray of
that angle where the loss is large. On it Im L > 0, which damps e^{aL} for w in the upper half plane, whatever the size
of w: its angle may even fall chi short of vertical. The path is its own mirror image, L(-eta) = -conj L(eta), and so is
all that is summed.

Rare steps hardly tell anything, A(w) - 1 is of the order q^2. Since A(0) = 1 and g is even,

    A(w) - 1 = int g [(e^{aL} - 1 - aL) - (cosh(L/2) - 1)] dL

exactly, and no term cancels another but where w or w - 1 is nearly 0.

|A(w)| <= B(w) = int |g| e^{Re(aL)} |dL| is the moment generating function of a positive measure: log B is CONVEX in w.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.rotated import log_moments
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.log1p import log1p
from neyman.numerics.rounding import HUGE, LARGEST_EXPONENT, UNIT

__all__ = ["ExchangedLaw", "log_moduli", "log_rest"]

_FAR = 28.0  # standard deviations up to which the law is laid out: e^-392, before any tilt
_BEYOND = 2.0  # and so much further, in sensitivities: how far a tilt may move it
_NEAR = 0.5  # |aL| up to which e^{aL} - 1 - aL is summed as a series: beyond, the subtraction costs little
_TERMS = 18  # of that series: what is left out is below 1e-21 of the first
_DEAD = -90.0  # log of an e^{aL} that no longer counts, in units of the law's largest |g L^2|
_BLOCK = 64  # nodes that are looked at by their first alone
_ROWS = 1 << 15  # entries of a table that stays in the cache
_COARSER = 3  # of the grid, where moduli are summed along the two sides
_LEAST = 4.0  # kappa from which the path stays clear of the branch points of both arcs


@dataclass(frozen=True)
class ExchangedLaw:
    """Quadrature of the law of L along the path at angle ``chi`` (0 <= chi < pi/4) with nodes about ``step`` apart.

    ``tilt`` is by how much the path is moved to either side when the error of the quadrature is bounded.

    Raises
    ------
    ArithmeticError
        If the rate is so large that the path does not fit, or the noise so small that floats do not.
    """

    sigma: float
    rate: float
    chi: float
    step: float
    tilt: float
    loss: ComplexArray = field(init=False, repr=False)  # eta >= 0, ascending
    log_weight: ComplexArray = field(init=False, repr=False)
    units: FloatArray = field(init=False, repr=False)  # rounding error of each term, in units of 2^-53
    sides: tuple[tuple[ComplexArray, FloatArray], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not _LEAST <= math.exp(min(self._log_kappa, LARGEST_EXPONENT)) < 1e290:
            raise ArithmeticError("the path does not fit")
        mantissa, exponent = math.frexp(self.step)  # of eight bits, so that its multiples are exact
        object.__setattr__(self, "step", math.ldexp(math.floor(256.0 * mantissa), exponent - 8))
        far = (_FAR * self.sigma + _BEYOND) / self.sigma**2
        top = far if far < self._log_kappa else 0.5 * (far + self._log_kappa) + 2.0
        eta = self.step * np.arange(math.ceil(top / self.step) + 1)
        loss, log_weight, units = self._along(eta)
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "log_weight", log_weight)
        object.__setattr__(self, "units", units)
        sides = [self._along(eta + 1j * shift) for shift in (-self.tilt, self.tilt)]
        # what only bounds is an integral of a smooth positive function: a coarser grid does
        coarse = [(s[::_COARSER], w.real[::_COARSER] + math.log(_COARSER)) for s, w, _ in sides]
        object.__setattr__(self, "sides", tuple(coarse))

    @cached_property
    def _log_kappa(self) -> float:
        return math.log1p(-self.rate) - math.log(self.rate) + 0.5 / self.sigma / self.sigma

    def _along(self, eta: FloatArray | ComplexArray) -> tuple[ComplexArray, ComplexArray, FloatArray]:
        """L, log(g dL) (half of it at eta = 0, which both halves share), and how rounding is amplified."""
        log_kappa, turn = self._log_kappa, math.tan(self.chi)
        v = eta + 1j * self.chi
        zeta = 2.0 * _soft(v, log_kappa)
        root = np.sqrt(1.0 + zeta * zeta)
        loss = zeta + 1j * turn * zeta * zeta / (root + 1.0)
        height = _bent(loss, log_kappa)
        place = 0.5 * loss + height  # x / sigma^2
        log_zeta = v - log_kappa - 0.5 * zeta + log1p(np.exp(-2.0 * v)) - log1p(np.exp(-zeta))
        bend = 1.0 + 1j * turn * zeta / root
        # dx/dL = (1 + kappa cosh(L/2) / cosh(height)) / 2
        ratio = np.exp(log_kappa + 0.5 * loss - height + log1p(np.exp(-loss)) - log1p(np.exp(-2.0 * height)))
        s = self.sigma
        mixed = math.log1p(-self.rate) + 0.5 * loss + log1p(np.exp(-place - log_kappa))
        log_weight = -0.5 * (s * place) ** 2 + mixed + log_zeta + np.log(bend) + np.log(1.0 + ratio)
        log_weight = log_weight + math.log(s * self.step / math.sqrt(2.0 * math.pi))
        log_weight[0] -= math.log(2.0)
        size = np.abs(place) + abs(log_kappa) + np.abs(loss)
        units = 40.0 + 4.0 * np.abs(log_weight) + s * s * np.abs(place) * (8.0 + 2.0 * size) + 4.0 * size
        return loss, log_weight, units

    @property
    def scale(self) -> float:
        """1 / kappa: the losses of steps in which nobody is seen are about twice that times what noise is in sigma."""
        return math.exp(-self._log_kappa)

    @cached_property
    def angle(self) -> float:
        """The least angle of any L of the path with the real axis."""
        return float(np.angle(self.loss).min())

    def log_bound(self, w: ComplexArray) -> FloatArray:
        """log B(w) >= log|A(w)|, convex in w; inf where w tilts the law beyond the grid."""
        return log_moduli(w - 0.5, self.loss, self.log_weight.real)

    def excess(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """A(w) - 1 for |w - 1/2| ascending, with a bound on its absolute error, all told; inf where it is out of
        reach.
        """
        a = w - 0.5
        whole = np.abs(a) * self._spread > 1.0
        value, error = np.empty(len(a), complex), np.empty(len(a))
        for at, flat in ((np.flatnonzero(~whole), self._flat), (np.flatnonzero(whole), (1.0, 0.0))):
            here, off = self._half(a[at], flat[0] == 1.0)
            there, beside = self._half(-a[at].conj(), flat[0] == 1.0)
            value[at] = here + there.conj() - flat[0]
            error[at] = (off + beside) * UNIT + flat[1]
        error = error + np.where(whole, self._whole_alias(a), self._alias(a))
        error = (
            error + self.beyond(a) + (1.0 + np.abs(a) * 2.0 * np.abs(self.loss[-1])) * self.beyond(np.zeros(1, complex))
        )
        error = np.where(np.isfinite(value), error, math.inf)
        return np.where(np.isfinite(error), value, 0.0), error + 4.0 * UNIT * np.abs(value)

    @cached_property
    def _flat(self) -> tuple[float, float]:
        """int g (cosh(L/2) - 1) dL, and the rounding of it."""
        small = np.abs(self.loss) < 1.0
        near = 2.0 * np.sinh(np.where(small, 0.25 * self.loss, 0.0)) ** 2 * np.exp(self.log_weight)
        with np.errstate(under="ignore"):
            e = [np.exp(self.log_weight + c * np.where(small, 0.0, self.loss)) for c in (0.5, -0.5, 0.0)]
        terms = np.where(small, near, 0.5 * e[0] + 0.5 * e[1] - e[2])
        size = np.abs(terms) * (self.units + 16.0 + 2.0 * np.abs(self.loss))
        return 2.0 * math.fsum(np.real(terms)), 2.0 * UNIT * float(size.sum())

    @cached_property
    def _powers(self) -> ComplexArray:
        """Weight times L^k / k!, k = 2, ..."""
        out = np.empty((_TERMS, len(self.loss)), complex)
        with np.errstate(over="ignore", under="ignore"):
            term = np.exp(self.log_weight) * self.loss
            for k in range(2, 2 + _TERMS):
                term = term * self.loss / k
                out[k - 2] = term
        return out

    @cached_property
    def _spread(self) -> float:
        """E|L|, about."""
        return float(np.sum(np.exp(self.log_weight.real) * np.abs(self.loss)))

    def _half(self, a: ComplexArray, whole: bool) -> tuple[ComplexArray, FloatArray]:
        """The sum of weight (e^{aL} - 1 - aL), or ``whole`` that of weight e^{aL}, over eta >= 0, and the size of its
        rounding in units of 2^-53.
        """
        value, error = np.zeros(len(a), complex), np.zeros(len(a))
        weight, modulus = np.exp(self.log_weight), np.maximum.accumulate(np.abs(self.loss))
        start = 0
        while start < len(a):
            stop = max(start + 1, int(np.searchsorted(np.abs(a), 1.5 * abs(a[start]))))
            part = a[start:stop]
            near = int(np.searchsorted(modulus, _NEAR / float(np.abs(part).max()))) // _BLOCK * _BLOCK
            alive = (part[:, None] * self.loss[near::_BLOCK]).real + self.log_weight.real[near::_BLOCK]
            alive = np.flatnonzero((alive > _DEAD + self.log_weight.real[near:].max(initial=-math.inf)).any(axis=0))
            far = min(near + (int(alive[-1]) + 2) * _BLOCK, len(modulus)) if len(alive) else near
            total, size = self._terms(part, near, far, weight, whole)
            if near and whole:
                head = weight[:near], weight[:near] * self.loss[:near]
                total = total + head[0].sum() + part * head[1].sum()
                units = self.units[:near] + 8.0
                size = size + np.abs(head[0]) @ units + np.abs(part) * (np.abs(head[1]) @ units)
            if near:
                powers = self._powers[:, :near].sum(axis=1)
                series = np.zeros(len(part), complex)
                for term in powers[::-1]:
                    series = (series + term) * part
                total = total + series * part
                size = size + np.abs(part) ** 2 * float(np.abs(self._powers[0, :near]) @ (self.units[:near] + 60.0))
            value[start:stop], error[start:stop] = total, size
            start = stop
        return value, error

    def _terms(
        self, a: ComplexArray, near: int, far: int, weight: ComplexArray, whole: bool
    ) -> tuple[ComplexArray, FloatArray]:
        """Between the series and where e^{aL} has died; beyond that -1 - aL alone."""
        loss, units, size = self.loss[near:], self.units[near:] + 8.0, np.abs(weight[near:])
        mass, mean = weight[near:].sum(), (weight[near:] * loss).sum()
        masses = float(size @ units), float((size * np.abs(loss)) @ units)
        total = np.zeros(len(a), complex) if whole else -mass - a * mean
        error = np.zeros(len(a)) if whole else masses[0] + np.abs(a) * masses[1]
        error = error + math.exp(_DEAD) / UNIT * float(size.sum()) * (2.0 + _BLOCK)
        rows = max(1, _ROWS // max(far - near, 1))
        s, log_weight, units = self.loss[near:far], self.log_weight[near:far], units[: far - near]
        for i in range(0, len(a) if far > near else 0, rows):
            b = a[i : i + rows]
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                power = np.multiply.outer(b, s) + log_weight
                grown = np.exp(power)
                moduli = np.abs(grown)
                total[i : i + rows] += grown.sum(axis=1)
                error[i : i + rows] += moduli @ units + 4.0 * np.abs(b) * (moduli @ np.abs(s))
        return total, error

    def beyond(self, a: ComplexArray) -> FloatArray:
        """A bound on the sum of |weight e^{aL}| beyond the grid, inf where it does not die there."""
        total = np.zeros(len(a))
        for b in (a, -a.conj()):
            total = total + np.exp(np.minimum(log_rest(b, self.loss, self.log_weight.real), 709.0))
        return np.where(total < HUGE, total, math.inf)

    def _alias(self, a: ComplexArray) -> FloatArray:
        """A bound on the error of the quadrature: |e^y - 1 - y| <= |y|^2 (1 + e^{Re y}) / 2, and the same of cosh."""
        total = np.zeros(len(a))
        zero: ComplexArray = np.zeros(1, complex)
        half: ComplexArray = np.full(1, 0.5 + 0j)
        for loss, log_weight in self.sides:
            bent = log_weight + 2.0 * np.log(np.abs(loss))
            with np.errstate(over="ignore", under="ignore"):
                grown = np.exp(log_moduli(a, loss, bent)) + np.exp(log_moduli(zero, loss, bent))
                total = total + 0.5 * np.abs(a) ** 2 * grown + 0.5 * np.exp(log_moduli(half, loss, bent))
        return total / self.gain

    def _whole_alias(self, a: ComplexArray) -> FloatArray:
        """The same of e^{aL} alone."""
        with np.errstate(over="ignore", under="ignore"):
            return sum((np.exp(log_moduli(a, *side)) for side in self.sides), np.zeros(len(a))) / self.gain

    @property
    def gain(self) -> float:
        """By how much the sums along the two sides exceed the error of the quadrature, at least."""
        # cut where floats end; less is safe
        return math.expm1(min(2.0 * math.pi * self.tilt / self.step, LARGEST_EXPONENT))


def log_moduli(a: ComplexArray, loss: ComplexArray, log_weight: FloatArray) -> FloatArray:
    """log of the sum of the moduli of weight e^{aL} over both halves, and of all beyond the grid: inf where the sum
    does not die there. There the law dies ever faster: the last two terms bound all that follow.
    """
    halves: list[FloatArray] = []
    for b in (a, -a.conj()):
        known = log_moments(b, loss, log_weight)
        halves.append(np.where(log_rest(b, loss, log_weight) < known - 28.0, known + 2e-12, math.inf))
    return np.logaddexp(*halves)


def log_rest(b: ComplexArray, loss: ComplexArray, log_weight: FloatArray) -> FloatArray:
    """log of a bound on all beyond the grid."""
    before, last = ((b * loss[i]).real + log_weight[i] for i in (-2, -1))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.where(last < before, last - np.log(-np.expm1(last - before)), math.inf)


def _soft(v: ComplexArray, log_kappa: float) -> ComplexArray:
    """asinh(sinh(v) / kappa) for Re v >= 0."""
    far = v.real > 40.0
    with np.errstate(under="ignore"):
        near = np.sinh(np.where(far, 1.0, v)) * math.exp(-log_kappa)
        power = np.where(far, v, 50.0) - log_kappa
        beyond = power.real > 20.0
        late = np.where(beyond, power, np.arcsinh(0.5 * np.exp(np.where(beyond, 0.0, power))))
        return np.where(far, late, np.arcsinh(near))


def _bent(loss: ComplexArray, log_kappa: float) -> ComplexArray:
    """asinh(kappa sinh(loss / 2)), analytic in Re loss > 0, where its principal value is not."""
    with np.errstate(divide="ignore"):
        log_sinh = np.log(np.sinh(0.5 * np.where(loss.real < 1.0, loss, 1.0)))
    late = 0.5 * loss + log1p(-np.exp(-np.where(loss.real < 1.0, 1.0, loss))) - math.log(2.0)
    power = log_kappa + np.where(loss.real < 1.0, log_sinh, late)
    near = power.real < 0.5
    small = np.arcsinh(np.sinh(np.where(near, 0.5 * loss, 0.0)) * math.exp(log_kappa))
    power = np.where(near, 1.0, power)
    return np.where(near, small, power + np.log(1.0 + np.sqrt(1.0 + np.exp(-2.0 * power))))
