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
from neyman.losses.gaussian.paths.exchanged_bounds import Cells, Share, cap, log_moduli, path_cells, wall_cells
from neyman.losses.gaussian.paths.exchanged_path import ExchangedPath, Places, PlaneLaw
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, TINY, UNIT

__all__ = ["ExchangedLaw", "alive"]

_FAR = 28.0  # standard deviations up to which the law is laid out: e^-392, before any tilt
_BEYOND = 2.0  # and so much further, in sensitivities: how far a tilt may move it
_NEAR = 0.5  # |aL| up to which e^{aL} - 1 - aL is summed as a series: beyond, the subtraction costs little
_TERMS = 18  # of that series: what is left out is below 1e-21 of the first
_DEAD = -90.0  # log of an e^{aL} that no longer counts, in units of the law's largest |g L^2|: steers
_BLOCK = 64  # nodes of which the series ends with a multiple
_ROWS = 1 << 15  # entries of a table that stays in the cache
_COARSER = 3  # of the grid, where moduli are summed along the two sides
_ATOM = -394.0  # certifies: log of more than 1.62e-172 = 2 N(-28), what may lie beyond the end
_LEAST = -1e300  # a log of nothing, as a float
_SUM = 33.0  # units of a sum in pairs of a million terms, and of the product before it
_FIRST, _MEAN = 1.2, 2.6  # certify: sum (1/2)^(k-2) 2/k! over k >= 2, and of k times that: 1.19, 2.595
_TERM = 60.0  # units of a term: exp of a complex number (12), and what stands beside it


@dataclass(frozen=True)
class ExchangedLaw:
    """Quadrature of the law of L along the path at angle ``chi`` (0 <= chi < pi/4) with nodes about ``step`` apart.

    ``tilt`` is by how much the path is moved to either side when the error of the quadrature is bounded. Values are
    those of the path at the angle ``common``, to the end of which this one is joined (its own, where it is None).

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
    common: float | None = None
    loss: ComplexArray = field(init=False, repr=False)  # eta >= 0, ascending
    log_weight: ComplexArray = field(init=False, repr=False)  # log(g dL), half of it at eta = 0, shared by both halves
    units: FloatArray = field(init=False, repr=False)  # rounding error of each weight, in units of 2^-53 of itself
    lengths: FloatArray = field(init=False, repr=False)  # the same of each loss

    def __post_init__(self) -> None:
        if not ExchangedPath.fits(self.chi, self.tilt):
            raise ArithmeticError("the path does not fit")
        count = max(math.ceil(self.end / self.step - 0.5), 2 * _COARSER)
        object.__setattr__(self, "step", self.end / (count + 0.5))
        at = self._nodes
        log_weight = at.log_density + math.log(self.step)
        log_weight[0] -= math.log(2.0)
        object.__setattr__(self, "loss", at.seen.loss)
        object.__setattr__(self, "log_weight", log_weight)
        object.__setattr__(self, "units", at.units + np.abs(log_weight) + 8.0 + 4.0 * abs(math.log(self.step)))
        object.__setattr__(self, "lengths", at.lengths)

    @cached_property
    def path(self) -> ExchangedPath:
        return ExchangedPath(PlaneLaw(self.sigma, self.rate), self.chi)

    @cached_property
    def end(self) -> float:
        """E, of all paths of this law."""
        far = (_FAR * self.sigma + _BEYOND) / self.sigma**2
        log_kappa = self.path.law.log_kappa
        return far if far < log_kappa else 0.5 * (far + log_kappa) + 2.0

    @property
    def _grid(self) -> FloatArray:
        return self.step * np.arange(round(self.end / self.step - 0.5) + 1)

    @cached_property
    def _nodes(self) -> Places:
        return self.path.at(self._grid + 1j * self.chi)

    @cached_property
    def cells(self) -> Cells:
        """What bounds the path itself, to its end."""
        return path_cells(self.path, self.path.at(np.append(self._grid, self.end) + 1j * self.chi), self.step)

    @cached_property
    def rim(self) -> tuple[Cells, ...]:
        """What bounds the error of the quadrature: two sides and a wall."""
        eta = np.append(self._grid[::_COARSER], self.end)
        gap, turns = _COARSER * self.step * (1.0 + AMPLE), 2.0 * math.pi * self.tilt / self.step
        log_gain = turns + math.log(-math.expm1(-turns)) - AMPLE * (1.0 + turns)
        sides = [
            path_cells(self.path, self.path.at(eta + 1j * (self.chi + shift)), gap).scaled(-log_gain)
            for shift in (-self.tilt, self.tilt)
        ]
        return *sides, wall_cells(self.path, self.end, self.chi, self.tilt, self.step)

    def ends(self, angle: float) -> tuple[complex, complex]:
        """The last L of this path, and of the one at that angle."""
        paths = (ExchangedPath(self.path.law, chi) for chi in (self.chi, angle))
        one, other = (path.at(np.array([self.end + 1j * path.chi])) for path in paths)
        return complex(one.seen.loss[0]), complex(other.seen.loss[0])

    def join(self, share: Share | None = None) -> Cells | None:
        """What bounds the cap to the common end; None where there is none."""
        if self.common is None or self.common == self.chi:
            return None
        return cap(self.path.law, *self.ends(self.common), share)

    @cached_property
    def _join(self) -> Cells | None:
        return self.join()

    def log_cap(self, a: ComplexArray) -> FloatArray:
        """log of a bound on how far the integral along this path is from that along the common one."""
        return np.full(len(a), -math.inf) if self._join is None else log_moduli(a, self._join)

    @cached_property
    def _apart(self) -> float:
        """How far int g L, over |L| of the end, and int g cosh(L/2) may be from 0 and from what lies before the end."""
        if not self.chi:
            return 0.0
        at: ComplexArray = np.array([0.0, 0.5], complex)
        log_size = log_moduli(at, cap(self.path.law, *self.ends(0.0)))
        return 2.0 * float(np.exp(np.minimum(log_size, LARGEST_EXPONENT)).max())

    @property
    def scale(self) -> float:
        """1 / kappa: the losses of steps in which nobody is seen are about twice that times what noise is in sigma."""
        return self.path.law.scale

    @cached_property
    def angle(self) -> float:
        """No term of ``log_bound`` grows where w moves at an angle of no more than that from vertical."""
        size = np.abs(self._bounding.loss)
        known = np.flatnonzero(size > 0.0)
        lean = np.arcsin(np.minimum(self._bounding.reach[known] / size[known], 1.0))
        return float((np.angle(self._bounding.loss[known]) - lean).min()) - AMPLE

    @cached_property
    def _bounding(self) -> Cells:
        """The path, its cap, and what lies beyond, which counts as a loss of 0."""
        none = np.zeros(1)
        atom = Cells(np.zeros(1, complex), none, np.full(1, _ATOM), none, none)
        return Cells.joined(self.cells, atom, *([] if self._join is None else [self._join]))

    def log_bound(self, w: ComplexArray) -> FloatArray:
        """log B(w) >= log|A(w)|, convex in w."""
        return log_moduli(w - 0.5, self._bounding)

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
        error = error + np.where(whole, self._whole_alias(a), self._alias(a)) + _exp(self.log_cap(a))
        error = error + (1.0 + np.abs(a) * 2.0 * np.abs(self.loss[-1])) * (self._apart + math.exp(_ATOM))
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
        # 2 sinh(L/4)^2 errs by two of sinh, which SINH bounds, and by twice what L does; each e^{+-L/2} by half of |L|
        size = np.where(small, np.abs(terms), 0.5 * np.abs(e[0]) + 0.5 * np.abs(e[1]) + np.abs(e[2]))
        size = size * (self.units + _TERM + (3.0 + 0.5 * np.abs(self.loss)) * (self.lengths + 2.0))
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
            total, size = self._terms(part, near, weight, whole)
            if near and whole:
                head = weight[:near], weight[:near] * self.loss[:near]
                total = total + head[0].sum() + part * head[1].sum()
                units = self.units[:near] + _TERM + _SUM
                size = size + np.abs(head[0]) @ units + np.abs(part) * (np.abs(head[1]) @ (units + self.lengths[:near]))
            if near:
                powers = self._powers[:, :near].sum(axis=1)
                series = np.zeros(len(part), complex)
                for term in powers[::-1]:
                    series = (series + term) * part
                total = total + series * part
                # the k-th term errs by k times what L does
                units = _FIRST * (self.units[:near] + _TERM + _SUM) + _MEAN * (self.lengths[:near] + 8.0)
                size = size + np.abs(part) ** 2 * float(np.abs(self._powers[0, :near]) @ units)
            value[start:stop], error[start:stop] = total, size + TINY * (1.0 + np.abs(part) * modulus[-1])
            start = stop
        return value, error

    def _terms(self, a: ComplexArray, near: int, weight: ComplexArray, whole: bool) -> tuple[ComplexArray, FloatArray]:
        """Beyond the series: where e^{aL} has died -1 - aL alone."""
        loss, size, lengths = self.loss[near:], np.abs(weight[near:]), self.lengths[near:]
        units, log_weight = self.units[near:] + _TERM + _SUM, self.log_weight[near:]
        if not len(loss):
            return np.zeros(len(a), complex), np.zeros(len(a))
        _, far, dropped = alive(a, loss, log_weight.real, _DEAD + float(log_weight.real.max()), 0)
        total = np.zeros(len(a), complex) if whole else -weight[near:].sum() - a * (weight[near:] * loss).sum()
        error = np.full(len(a), dropped / UNIT)
        if not whole:
            error = error + float(size @ units) + np.abs(a) * float((size * np.abs(loss)) @ (units + lengths))
        rows = max(1, _ROWS // max(far, 1))
        s, log_weight, units, lengths = loss[:far], log_weight[:far], units[:far], lengths[:far] + 8.0
        for i in range(0, len(a) if far > 0 else 0, rows):
            b = a[i : i + rows]
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                power = np.multiply.outer(b, s) + log_weight
                grown = np.exp(power)
                moduli = np.abs(grown)
                total[i : i + rows] += grown.sum(axis=1)
                error[i : i + rows] += moduli @ units + np.abs(b) * (moduli @ (lengths * np.abs(s)))
        return total, error

    def _alias(self, a: ComplexArray) -> FloatArray:
        """A bound on the error of the quadrature: |e^y - 1 - y| <= |y|^2 (1 + e^{Re y}) / 2, and the same of cosh."""
        fixed = _exp(log_moduli(np.array([0.0, 0.5], complex), self._squares))
        with np.errstate(over="ignore", invalid="ignore"):
            return 0.5 * np.abs(a) ** 2 * (_exp(log_moduli(a, self._squares)) + fixed[0]) + 0.5 * fixed[1]

    @cached_property
    def _squares(self) -> Cells:
        return Cells.joined(*(one.squared() for one in self.rim))

    @cached_property
    def _rim(self) -> Cells:
        return Cells.joined(*self.rim)

    def _whole_alias(self, a: ComplexArray) -> FloatArray:
        """The same of e^{aL} alone."""
        return _exp(log_moduli(a, self._rim))


def _exp(log_size: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(log_size)


def alive(
    a: ComplexArray, loss: ComplexArray, log_weight: FloatArray, level: float, first: int | None = None
) -> tuple[int, int, float]:
    """From where to where any weight e^{aL} is above e^``level``, and no less than the sum of all others for any a.

    Of all a in the box of these Re(aL) is largest at a corner.
    """
    height = np.maximum(a.real.min() * loss.real, a.real.max() * loss.real)
    height += np.maximum(-a.imag.min() * loss.imag, -a.imag.max() * loss.imag)
    log_weight = np.maximum(log_weight, _LEAST)
    # each exponent errs by units of its parts
    height += log_weight + 8.0 * UNIT * (float(np.abs(a).max()) * np.abs(loss) + np.abs(log_weight))
    found = np.flatnonzero(height > level)
    start = (int(found[0]) if len(found) else 0) if first is None else first
    stop = max(int(found[-1]) + 1, start) if len(found) else start
    with np.errstate(over="ignore", under="ignore"):
        others = float(np.exp(height[:start]).sum() + np.exp(height[stop:]).sum())
    return start, stop, (others + TINY) * (1.0 + AMPLE)
