"""One sampled Gaussian step seen along a rotated ray of losses, for steps too few or too rare for a vertical contour.

S = log(1 + rho e^t) >= 0, rho = q/(1 - q), is the loss above its edge log(1 - q); A(w) = (1 - q)^w E_Q[e^{wS}]. The
density of S is analytic in the sector |arg S| < pi/4, so the integral may be taken along S = e^{i chi} log(1 + e^v),
v real. For w in the upper half plane that damps e^{wS} wherever |w S| is large, whatever the size of w: the angle of
w may even fall chi short of vertical, which is what lets the contour of the inversion bend.

|A(w)| <= B(w) = (1 - q)^{Re w} int |density| e^{Re(wS)} is the moment generating function of a positive measure, so
log B is CONVEX in w: its maximum over a triangle is at a corner. Where arg w >= pi/2 - chi, B(w) <= (1 - q)^{Re w}
B(0).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.gaussian.transform import ComplexArray, SamplingTransform
from neyman.numerics.log1p import log1p
from neyman.numerics.rounding import UNIT

__all__ = ["RotatedLaw", "log_moments"]

BoolArray = NDArray[np.bool_]

_FLOOR = 60.0  # e-folds below its peak at which the law is cut on the grid
_ROWS = 1 << 16  # entries of a table that stays in the cache
_TINY = 1.0  # |wS| up to which e^{wS} - 1 - wS is summed as a series: beyond, the subtraction costs nothing
_TERMS = 20  # of that series: what is left out is below 4e-20 of the first
_SERIES = 0.1  # |z| below which log(1 + z) - z is summed as a series
_HEAVY = 300.0  # log of a term beyond which a rotated law has no digits left, and sums of it soon are no floats
_DEAD = -80.0  # log of a term that no longer counts
_SKIP = 16  # nodes of which one is looked at, to see where terms are dead
_BLOCK = 64  # what is summed for one |w| serves all that differ by less than so many nodes


@dataclass(frozen=True)
class RotatedLaw:
    """Quadrature of the law of S along the ray at angle ``chi`` (0 <= chi < pi/4), fit for real w from -``depth`` to
    ``reach``, and for complex w that tilt it no further.

    ``tilt`` is the largest angle by which the grid may be moved to either side when its own error is bounded.
    """

    transform: SamplingTransform
    chi: float
    reach: float
    depth: float
    step: float
    tilt: float
    loss: ComplexArray = field(init=False, repr=False)
    log_weight: ComplexArray = field(init=False, repr=False)
    units: FloatArray = field(init=False, repr=False)  # rounding error of each term, in units of 2^-53
    sides: tuple[tuple[ComplexArray, FloatArray], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        t = self._grid()
        loss, log_weight, condition = self._along(t)
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "units", 12.0 + condition)
        object.__setattr__(self, "log_weight", log_weight)
        sides = [self._along(t + 1j * shift) for shift in (-self.tilt, self.tilt)]
        object.__setattr__(self, "sides", tuple((s, w.real) for s, w, _ in sides))
        if not max(float(w.real.max()) for w in (log_weight, *(w for _, w, _ in sides))) <= _HEAVY:
            raise ArithmeticError("the law is far too heavy at this angle")

    @property
    def edge(self) -> float:
        """log(1 - q), the least loss of the direction "remove"."""
        return math.log1p(-self.transform.rate)

    def log_bound(self, w: ComplexArray) -> FloatArray:
        """log B(w) >= log|A(w)|, convex in w; inf where w tilts the law beyond the grid."""
        # outside the grid e^{wS} is at most 1, or the grid does not cover w
        inside = log_moments(w, self.loss, self.log_weight.real)
        bound = np.logaddexp(inside, math.log(self.missing)) + w.real * self.edge
        return np.where(self._within(w), bound, math.inf)

    def _within(self, w: ComplexArray) -> BoolArray:
        return (w * np.exp(1j * self.chi)).real <= self.reach

    def _covers(self, w: ComplexArray) -> BoolArray:
        least_turn = np.exp(1j * (self.chi - self.tilt))
        return self._within(w) & ((w * least_turn).real <= 1.15 * self.reach)

    @cached_property
    def missing(self) -> float:
        """Bound on the mass of |density| that lies outside the grid."""
        return 100.0 * math.exp(float(self.log_weight.real.max()) - _FLOOR)

    @property
    def log_size(self) -> float:
        """log B(0) >= 0: what the rotation costs."""
        return float(self.log_bound(np.zeros(1, complex))[0])

    @cached_property
    def mean(self) -> float:
        """E_Q[S], within ``mean_error``."""
        return math.fsum((np.exp(self.log_weight) * self.loss).real)

    @cached_property
    def mean_error(self) -> float:
        """Bound on the rounding error of ``mean``."""
        terms = np.abs(np.exp(self.log_weight) * self.loss) * (4.0 + self.units)
        return UNIT * float(np.sum(terms)) + self.missing * float(np.abs(self.loss[-1]))

    def log_rest(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """log E_Q[e^{wS}] - w ``mean``, for Im w >= 0 and |w| ascending, with a bound on the rounding of each value.

        The linear term stays out: an error in it only moves the loss, by as much as ``mean`` is wrong, while everywhere
        else rounding would hurt in proportion to |w|. Of each row only the losses on the scale of 1/|w| are integrated
        term by term: below them e^{wS} - 1 - wS is its Taylor series, above them e^{wS} has died.
        """
        s = self.loss
        weight = np.exp(self.log_weight)
        terms = weight * s ** np.arange(_TERMS + 2)[:, None]
        modulus = np.maximum.accumulate(np.abs(s))
        rest, rounding = np.zeros(len(w), complex), np.zeros(len(w))
        start, sizes = 0, (np.abs(weight) * self.units, np.abs(terms[1]) * self.units, np.abs(terms[2]) * self.units)
        sums: dict[int, tuple[ComplexArray, FloatArray]] = {}
        while start < len(w):
            stop = max(start + 1, int(np.searchsorted(np.abs(w), 2.0 * abs(w[start]))))
            stop = min(stop, start + max(1, _ROWS // len(s)))
            part = w[start:stop]
            near = int(np.searchsorted(modulus, _TINY / float(np.abs(part).max()))) // _BLOCK * _BLOCK
            if near not in sums:
                head = np.append(terms[:2, near:].sum(axis=1), terms[2:, :near].sum(axis=1))
                sums[near] = head, np.array([sizes[0][near:].sum(), sizes[1][near:].sum(), sizes[2][:near].sum()])
            (mass, first, *powers), faulty = sums[near]
            dead = (part[:, None] * s[near::_SKIP]).real + self.log_weight.real[near::_SKIP] < _DEAD
            alive = np.flatnonzero(~dead.all(axis=0))
            far = min(near + (int(alive[-1]) + 1) * _SKIP, len(s)) if len(alive) else near
            rough = self.units
            with np.errstate(over="ignore", invalid="ignore"):  # beyond the reach of the grid: refused below
                grown, moduli = _grown(part, s[near:far], self.log_weight[near:far])
                by_size = moduli @ rough[near:far] + 0.5 * np.abs(part) * (moduli @ (rough * np.abs(s))[near:far])
            total = grown - mass - part * first
            fault = faulty[0] + np.abs(part) * faulty[1] + by_size
            if near:
                series = np.zeros(len(part), complex)
                for order in range(_TERMS + 1, 1, -1):
                    series = (series + powers[order - 2]) * part / order
                total += series * part
                fault += np.abs(part) ** 2 * faulty[2]
            rest[start:stop], rounding[start:stop] = total, UNIT * fault + self.missing
            start = stop
        lame = ~self._covers(w) | ~np.isfinite(rest) | ~np.isfinite(rounding)
        rest[lame], rounding[lame] = 0.0, math.inf
        linear = w * self.mean
        value = rest + linear
        small = np.abs(value) < _SERIES
        log_rest = np.where(small, rest + _log1p_less(np.where(small, value, 0.0)), log1p(value) - linear)
        size = np.where(small, np.abs(value) ** 2, np.abs(value) + np.abs(rest) + np.abs(linear))
        # an error of the mean that is added and subtracted again leaves its product with the value
        moved = np.abs(w) * self.mean_error
        rounding = rounding + 4.0 * UNIT * size + 2.0 * moved * (np.abs(value) + moved)
        beside = np.where(small, 0.0, 4.0 * UNIT * np.abs(linear) + moved)
        # what is nearly nothing is replaced by 1e-300, with an error as large as itself
        known: ComplexArray = np.maximum(np.real(log_rest), -690.0) + 1j * np.imag(log_rest)
        replaced = np.where(np.real(log_rest) > -690.0, 0.0, 0.7)
        return known, rounding / np.maximum(np.abs(1.0 + value), 1e-300) + beside + np.expm1(replaced)

    def log_alias(self, w: ComplexArray) -> FloatArray:
        """log of a bound on the error of the quadrature at w (absolute, in A); convex in w."""
        both = np.logaddexp(*(log_moments(w, s, lw) for s, lw in self.sides))
        both = np.logaddexp(both, math.log(2.0 * self.missing))
        return both + w.real * self.edge - math.log(math.expm1(2.0 * math.pi * self.tilt / self.step))

    def falls(self, direction: ComplexArray) -> BoolArray:
        """Whether ``log_alias`` - ``edge`` Re w grows nowhere when w moves that way.

        log(1 + e^{v + i y}) has an argument between 0 and y: those of all S lie between chi - tilt and chi + tilt, so
        that Re(direction S) <= 0 for all of them where it is for these two.
        """
        ends = (direction * np.exp(1j * (self.chi + shift)) for shift in (-self.tilt, self.tilt))
        return np.all([end.real <= 0.0 for end in ends], axis=0)

    def _grid(self) -> FloatArray:
        """t where the weight, or the weight tilted by ``reach``, is within e^-_FLOOR of its peak."""
        s = self.transform.sigma
        low = (-(14.0 if self.depth == 0.0 else 24.0) * s - 0.5) / s**2
        top = (14.0 * s + self.reach) / (s**2 * math.cos(2.0 * self.chi)) + max(-self._log_rho, 0.0) + 3.0
        t = low + self.step * np.arange(math.ceil((top - low) / self.step) + 1)
        alive = np.zeros(len(t), bool)
        for shift in (-self.tilt, 0.0, self.tilt):
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                loss, log_weight, _ = self._along(t + 1j * shift)
            for tilt in (-self.depth, 0.0, 1.15 * self.reach):
                bent = log_weight.real + tilt * loss.real
                alive |= bent > bent.max() - _FLOOR
        keep = np.flatnonzero(alive)
        if not len(keep) or keep[0] == 0 or keep[-1] == len(t) - 1:  # none where hardly any noise left float64 behind
            raise ArithmeticError("the law does not die within its grid at this angle")
        return t[keep[0] : keep[-1] + 1]

    @property
    def _log_rho(self) -> float:
        return math.log(self.transform.rate) - self.edge

    def _along(self, t: FloatArray | ComplexArray) -> tuple[ComplexArray, ComplexArray, FloatArray]:
        """S and log(density dS) on S = e^{i chi} log(1 + e^v), v = log rho + t, and how rounding is amplified.

        The density depends on log(expm1(S)/rho) = t + log(expm1(S)/e^v), in which log rho, often large, has no part.
        """
        turn = np.exp(1j * self.chi)
        v = t + self._log_rho
        soft = np.where(v.real > 30.0, v + np.exp(-v), log1p(np.exp(np.where(v.real > 30.0, 0.0, v) + 0j)))
        loss = turn * soft
        small = loss.real < 0.5
        first = np.where(small, loss, 0.1)
        with np.errstate(under="ignore"):
            ratio = np.log(np.expm1(first) / first) + np.log(turn * np.where(small, soft, 1.0) / np.exp(v * small))
        apart = np.where(small, ratio, loss - v + log1p(-np.exp(-np.where(small, 1.0, loss))))
        s = self.transform.sigma
        x = s**2 * (t + apart) + 0.5
        # dS/dv e^S / expm1(S), with dS/dv = e^{i chi} e^v / (1 + e^v) = e^{i chi + v - soft}
        log_slope = 1j * self.chi - soft + loss - apart
        log_weight = -0.5 * (x / s) ** 2 + log_slope + math.log(s * self.step / math.sqrt(2.0 * math.pi))
        # nodes are off their grid by a rounding of t, S is off by one of v
        condition = 2.0 * np.abs(log_weight) + np.abs(x) * (4.0 + np.abs(loss) + np.abs(t)) + np.abs(v)
        return loss, log_weight, condition


def _grown(w: ComplexArray, s: ComplexArray, log_weight: ComplexArray) -> tuple[ComplexArray, FloatArray]:
    """Row sums of e^{w s + log_weight}, and the moduli of all terms."""
    turn = np.multiply.outer(w.real, s.imag) + np.multiply.outer(w.imag, s.real) + log_weight.imag
    size = np.multiply.outer(w.real, s.real) - np.multiply.outer(w.imag, s.imag) + log_weight.real
    np.exp(size, out=size)
    return (size * np.cos(turn)).sum(axis=1) + 1j * (size * np.sin(turn)).sum(axis=1), size


def _log1p_less(z: ComplexArray) -> ComplexArray:
    """log(1 + z) - z for |z| < ``_SERIES``, within 4 units of |z|^2."""
    series = np.zeros(len(z), complex)
    for order in range(18, 1, -1):
        series = (1.0 / order) * (-1.0) ** (order + 1) + z * series
    return z * z * series


def log_moments(w: ComplexArray, loss: ComplexArray, log_weight: FloatArray) -> FloatArray:
    """log of the sum of the moduli |e^{w loss + log_weight}|, for each w; inf where it is no float."""
    out = np.empty(len(w))
    rows = max(1, _ROWS // len(loss))
    for i in range(0, len(w), rows):
        part = w[i : i + rows]
        a = np.multiply.outer(part.real, loss.real) - np.multiply.outer(part.imag, loss.imag) + log_weight
        peak = a.max(axis=1)
        finite = np.isfinite(peak)
        known = np.where(finite, peak, 0.0)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            total = np.log(np.exp(a - known[:, None]).sum(axis=1))
        out[i : i + rows] = np.where(finite, known + total, math.inf)
    return out
