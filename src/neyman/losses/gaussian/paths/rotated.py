"""One sampled Gaussian step seen along a rotated ray of losses, for steps too few or too rare for a vertical contour.

S = log(1 + rho e^t) >= 0, rho = q/(1 - q), is the loss above its edge log(1 - q); A(w) = (1 - q)^w E_Q[e^{wS}]. The
density of S is analytic in the sector |arg S| < pi/4, so the integral may be taken along S = e^{i chi} log(1 + e^v),
v real. For w in the upper half plane that damps e^{wS} wherever |w S| is large, whatever the size of w: the angle of
w may even fall chi short of vertical, which is what lets the contour of the inversion bend.

|A(w)| <= B(w) = (1 - q)^{Re w} int |density| e^{Re(wS)} is the moment generating function of a positive measure, so
log B is CONVEX in w: its maximum over a triangle is at a corner. Where arg w >= pi/2 - chi, B(w) <= (1 - q)^{Re w}
B(0).

**Sums for integrals.** log|f| of the weight bends by at most M on all parallels (``Ray``). Along the ray itself the
modulus |f| e^{kL}, k = Re(w e^{i chi}), goes on as the geometric mean of f above and below it, at v beside by at most
|f| e^{M v^2/2 + max(k, 0) L}, since 0 <= Re L(t + iv) <= L(t). So its sum at spacing h misses at most eps times that of
max(k, 0), eps = 2 e^{M v^2/2} / (e^{2 pi v/h} - 1): where k > 0 that is nothing, else eps B(0). Along the two sides,
where |w| may be anything, cells count, a few steps wide: on one of width d log|f e^{wS}| lies at most (M + |w S''|)
d^2/8 above its chord, |S''| <= |S| <= e^d |S| of either node, and the exponential of a chord integrates to at most the
mean of its ends.

**Beyond the grid.** On the left |e^{wS}| <= e^{max(a, 0) |S|} with |S| of the first node, on the right at most
|e^{wS}| e^{a |S' - S|} with S of the last: a is the largest Re(w e^{i alpha}), alpha from chi to chi + y, the arguments
of S and of all differences. |S' - S| is convex, as S' and S'' are less than pi/2 apart. So both are sums of what was
laid out and left out, of cells too, and beyond that what ``Ray`` says; on the right for the steepest a that is served.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.gaussian.paths.ray import SECTOR, Ray
from neyman.losses.gaussian.paths.side import Side
from neyman.losses.gaussian.paths.sums import (
    SERIES,
    grown_sums,
    last_alive,
    log1p_less,
    log_moments,
    log_products,
    steepness,
    taylor,
)
from neyman.losses.gaussian.transform import ComplexArray, SamplingTransform
from neyman.numerics.exact.double_double import Twofold
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import AMPLE, ELEMENTARY, LARGEST_EXPONENT, TINY, UNIT

__all__ = ["RotatedLaw"]

BoolArray = NDArray[np.bool_]
_Line = tuple[ComplexArray, ComplexArray, FloatArray]  # losses, logs of weights, and how rounding is amplified

_MISSED = -1e-9  # log of the missing mass above which nothing is said: steers
_FLOOR = 60.0  # e-folds below its peak at which the law is cut on the grid
_TERM = 14.0  # units of rounding of a weight, beside those of its exponent
_LOG_TINY = -690.0  # what is smaller is replaced by 1e-300, with an error as large as itself
_ALL = 0.7  # certifies: e^0.7 - 1 > 1
_CELL, _CELL_SIGMA = 0.16, 0.5  # how wide cells of the sides are at most, and in units of 1 / sigma: steer
_LAID, _DEEPER = 14.0, 24.0  # standard deviations that a law is laid out over: with all its mass, and without its bulk
_BEYOND = 1.15  # of the reach: the steepest tilt that is followed
_NODE = 4.0 + 2.0 * ELEMENTARY  # units of rounding of a term of a sum of moduli, beside those of its exponent
_TINY = 1.0  # |wS| up to which e^{wS} - 1 - wS is summed as a series: beyond, the subtraction costs nothing
_TERMS = 20  # of that series: what is left out is below 4e-20 of the first
_SMALL = 1.5  # |S| up to which powers of it are kept for that: below, |w| is hardly ever: steers
_HEAVY = 300.0  # log of a term beyond which a rotated law has no digits left, and sums of it soon are no floats
_SKIP = 16  # nodes of which one is looked at, to see where terms are dead
_BLOCK = _SKIP  # what is summed for one |w| serves all that differ by less than so many nodes


@dataclass(frozen=True)
class RotatedLaw:
    """Quadrature of the law of S along the ray at angle ``chi`` (0 <= chi < pi/4), fit for real w from -``depth`` to
    ``reach``, and for complex w that tilt it no further.

    ``tilt`` is the largest angle by which the grid may be moved to either side when its own error is bounded: one that
    only ``bounds`` has no sides.
    """

    transform: SamplingTransform
    chi: float
    reach: float
    depth: float
    step: float
    tilt: float
    bounds: bool = False
    loss: ComplexArray = field(init=False, repr=False)
    log_weight: ComplexArray = field(init=False, repr=False)
    units: FloatArray = field(init=False, repr=False)  # rounding error of each term, in units of 2^-53
    middle: Side = field(init=False, repr=False)
    sides: tuple[Side, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.chi + self.tilt <= SECTOR:
            raise ArithmeticError("the angle is too wide")
        t, k, shifts = self._grid(), self._stride, () if self.bounds else (-self.tilt, self.tilt)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            lines = [self._along(t), *(() if self.bounds else self._beside(t[::k]))]
        ends = [self._kept(line) for line in lines]
        first = min(ends[0][0], *(k * low for low, _ in ends[1:]), len(t) - 1)
        last = min(max(ends[0][1], *(k * high for _, high in ends[1:]), 0), len(t) - 1)
        loss, log_weight, condition = (each[first : last + 1] for each in lines[0])
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "units", _TERM + condition)
        object.__setattr__(self, "log_weight", log_weight)
        cuts = [(first, last), *((first // k, -(-last // k)) for _ in lines[1:])]
        if not max(float(w.real[i : j + 1].max()) for (_, w, _), (i, j) in zip(lines, cuts, strict=True)) <= _HEAVY:
            raise ArithmeticError("the law is far too heavy at this angle")
        object.__setattr__(self, "middle", self._side(t, lines[0], 0.0, *cuts[0]))
        both = zip(lines[1:], shifts, cuts[1:], strict=True)
        object.__setattr__(self, "sides", tuple(self._side(t[::k], line, shift, *cut) for line, shift, cut in both))

    def _beside(self, t: FloatArray) -> list[_Line]:
        """Both parallels: of a law that is not rotated they are mirrored."""
        below = self._along(t - 1j * self.tilt)
        if self.chi:
            return [below, self._along(t + 1j * self.tilt)]
        loss, log_weight, condition = below
        return [below, (loss.conj(), log_weight.conj(), condition)]

    def _side(self, t: FloatArray, line: _Line, shift: float, first: int, last: int) -> Side:
        loss, log_weight, condition = line
        last = min(last, len(t) - 1)
        raised = log_weight.real + UNIT * (_NODE + _TERM + condition)
        wide = self._stride if shift else 1  # cells are so many steps wide
        cells = raised + (0.125 * self.ray.bend * (wide * self.step) ** 2 + math.log(wide))
        before = np.append(cells[: first + 1], self.ray.log_before(float(t[0]), shift))
        away = np.abs(loss[last:] - loss[last])
        steep = self.pull * float(away[-1]) + float(self.ray.log_beyond(float(t[-1]), shift, np.full(1, self.pull))[0])
        beyond = np.append(cells[last:] + self.pull * away, steep)
        return Side(
            loss[first : last + 1],
            (cells if shift else raised)[first : last + 1],
            condition[first : last + 1],
            float(np.logaddexp.reduce(before)) + AMPLE,
            float(np.logaddexp.reduce(beyond)) + AMPLE,
        )

    @cached_property
    def ray(self) -> Ray:
        """Weights, and what is known of them."""
        return Ray(self.transform.sigma, self._log_rho, self.chi, self.step)

    @property
    def pull(self) -> float:
        """The steepest tilt that is served, on the ray and on both sides."""
        return _BEYOND * self.reach

    @property
    def edge(self) -> float:
        """log(1 - q), the least loss of the direction "remove"."""
        return math.log1p(-self.transform.rate)

    def log_bound(self, w: ComplexArray) -> FloatArray:
        """log B(w) >= log|A(w)|, convex in w; inf where w tilts the law beyond the grid."""
        # a node errs by a rounding of its exponent, whose every part is at most |w| S
        tilt = (w * np.exp(1j * self.chi)).real + 16.0 * UNIT * np.abs(w)
        bound = np.logaddexp(self._log_sums(tilt), self._log_ends(w))
        unseen = np.where(tilt >= 0.0, bound, self._log_size_of_sums)
        bound = np.logaddexp(bound, self._log_missed + unseen) + w.real * self.edge
        bound = bound + 8.0 * UNIT * (np.abs(bound) + np.abs(w.real * self.edge))
        return np.where(self._within(w), bound, math.inf)

    def _log_sums(self, tilt: FloatArray) -> FloatArray:
        """log of the sum of all |f| e^{tilt |S|} along the ray, rounded up."""
        length = np.abs(self.loss)
        found = log_products(np.stack([tilt, np.ones(len(tilt))], axis=1), np.stack([length, self.middle.log_modulus]))
        return found + (len(length) + 16.0) * UNIT

    def _log_ends(self, w: ComplexArray) -> FloatArray:
        return self.middle.log_ends(w, (self.chi, self.chi), self.pull)

    @cached_property
    def _log_missed(self) -> float:
        """log of eps / (1 - eps): what a sum of moduli along the ray misses, relative to that of max(k, 0)."""
        bend, h = self.ray.bend, self.step
        strip = min(SECTOR - self.chi, 2.0 * math.pi / (h * bend))
        turns = 2.0 * math.pi * strip / h
        log_missed = math.log(2.0) + 0.5 * bend * strip**2 - turns - math.log(-math.expm1(-turns))
        return log_missed - math.log(-math.expm1(log_missed)) + AMPLE if log_missed < _MISSED else math.inf

    @cached_property
    def _log_size_of_sums(self) -> float:
        zero: ComplexArray = np.zeros(1, complex)
        return float(np.logaddexp(self._log_sums(np.zeros(1)), self._log_ends(zero))[0])

    def _within(self, w: ComplexArray) -> BoolArray:
        return (w * np.exp(1j * self.chi)).real <= self.reach

    def _covers(self, w: ComplexArray) -> BoolArray:
        return self._within(w) & (steepness(w, self.chi - self.tilt, self.chi + self.tilt) <= self.pull)

    def missing(self, w: ComplexArray) -> FloatArray:
        """Bound on the sum of all |f e^{wS}| and |f| beyond the grid."""
        zero: ComplexArray = np.zeros(1, complex)
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(np.minimum(self._log_ends(w), LARGEST_EXPONENT)) + np.exp(self._log_ends(zero))

    @cached_property
    def log_size(self) -> float:
        """log B(0) >= 0: what the rotation costs."""
        return float(self.log_bound(np.zeros(1, complex))[0])

    @cached_property
    def mean(self) -> float:
        """E_Q[S], about: the sum over the grid, within ``mean_error``."""
        total = Twofold(self._moments[1].real, np.zeros(len(self.loss))).summed()
        return float(total.hi)

    @cached_property
    def mean_error(self) -> float:
        """Bound on the rounding error of ``mean``."""
        return UNIT * float(np.sum(np.abs(self._moments[1]) * (4.0 + self.units)))

    def log_rest(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """log E_Q[e^{wS}] - w ``mean``, for Im w >= 0 and |w| ascending, with a bound on the rounding of each value.

        The linear term stays out: an error in it only moves the loss, by as much as ``mean`` is wrong, while everywhere
        else rounding would hurt in proportion to |w|. Of each row only the losses on the scale of 1/|w| are integrated
        term by term: below them e^{wS} - 1 - wS is its Taylor series, above them e^{wS} has died.
        """
        rest, rounding = self._rest_of(w)
        rounding += self.missing(w) + np.abs(w) * self._turned
        lame = ~self._covers(w) | ~np.isfinite(rest) | ~np.isfinite(rounding)
        rest[lame], rounding[lame] = 0.0, math.inf
        linear = w * self.mean
        value = rest + linear
        small = np.abs(value) < SERIES
        log_rest = np.where(small, rest + log1p_less(np.where(small, value, 0.0)), log1p(value) - linear)
        size = np.where(small, np.abs(value) ** 2, np.abs(value) + np.abs(rest) + np.abs(linear))
        # an error of the mean that is added and subtracted again leaves its product with the value
        moved = np.abs(w) * self.mean_error
        rounding = rounding + 4.0 * UNIT * size + 2.0 * moved * (np.abs(value) + moved)
        beside = np.where(small, 0.0, 4.0 * UNIT * np.abs(linear) + moved)
        # what is nearly nothing is replaced by 1e-300, with an error as large as itself
        known: ComplexArray = np.maximum(np.real(log_rest), _LOG_TINY) + 1j * np.imag(log_rest)
        replaced = np.where(np.real(log_rest) > _LOG_TINY, 0.0, _ALL)
        with np.errstate(over="ignore"):  # of what is no float beside its rounding nothing is known
            return known, rounding / np.maximum(np.abs(1.0 + value), TINY) + beside + np.expm1(replaced)

    def _rest_of(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """Sum of f (e^{wS} - 1 - wS) over the grid for |w| ascending, and what rounding does to it."""
        s, size, start = self.loss, np.abs(w), 0
        grown, sizes = np.empty(len(w), complex), np.empty((2, len(w)))
        known, faulty = np.empty((_TERMS + 2, len(w)), complex), np.empty((3, len(w)))
        with np.errstate(over="ignore", invalid="ignore"):  # beyond the reach of the grid: refused by the caller
            while start < len(w):  # those of about one size share their nodes
                stop = max(start + 1, int(np.searchsorted(size, 2.0 * abs(w[start]))))
                here, some = slice(start, stop), w[start:stop]
                near = int(np.searchsorted(self._modulus, _TINY / float(size[here].max())))
                near = min(near, self._terms.shape[1]) // _BLOCK * _BLOCK
                far = min(near + _SKIP * last_alive(some, *self._looked[:, near // _SKIP :]), len(s))
                found = grown_sums(some, s[near:far], self.log_weight[near:far], self._amplified[:, near:far])
                grown[here], sizes[:, here] = found[0], found[1].T
                known[:, here], faulty[:, here] = self._summed_from(near)
                start = stop
            fault = faulty[0] + size * faulty[1] + (sizes[0] + size * sizes[1]) + size**2 * faulty[2]
        return grown - known[0] - w * known[1] + taylor(w, known[2:]) * w, UNIT * fault

    @cached_property
    def _looked(self) -> FloatArray:
        """Both parts of the losses and logs of the moduli of the weights, of every ``_SKIP``-th node."""
        loss = self.loss[::_SKIP]
        return np.stack([loss.real, loss.imag, self.log_weight.real[::_SKIP]])

    def _summed_from(self, near: int) -> tuple[ComplexArray, FloatArray]:
        """Sums of f and f S from a node on, of the higher ones before it; and what f, f S and f S^2 may be off."""
        if near not in self._sums:
            (one, two, three), (mass, first) = self._sizes, self._moments
            powers = self._terms[:, :near].sum(axis=1)
            head = np.array([mass[near:].sum(), first[near:].sum(), *powers])
            size = np.array([one[near:].sum(), two[near:].sum(), three[:near].sum()])
            self._sums[near] = head[:, None], size[:, None]
        return self._sums[near]

    @cached_property
    def _terms(self) -> ComplexArray:
        """f S^k, one row for each k from 2 on, where |S| < ``_SMALL``: of k products, which round it by 2.3 k units.
        Over k!, where |wS| is no more than 1, they come to 4 units of |f (wS)^2|, of which ``_TERM`` are counted, but
        half is used by f.
        """
        near = int(np.searchsorted(self._modulus, _SMALL))
        terms: ComplexArray = np.empty((_TERMS, near), complex)
        before, loss = self._moments[1][:near], self.loss[:near]
        for row in terms:
            before = np.multiply(before, loss, out=row)
        return terms

    @cached_property
    def _moments(self) -> tuple[ComplexArray, ComplexArray]:
        """f and f S."""
        one = np.exp(self.log_weight)
        return one, one * self.loss

    @cached_property
    def _modulus(self) -> FloatArray:
        """The largest |S| so far."""
        return np.maximum.accumulate(np.abs(self.loss))

    @cached_property
    def _sizes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """|f|, |f S| and |f S^2|, times what each may be off: the last as far as powers are."""
        (mass, first), second = self._moments, self._terms[0]
        return np.abs(mass) * self.units, np.abs(first) * self.units, np.abs(second) * self.units[: len(second)]

    @cached_property
    def _amplified(self) -> FloatArray:
        """What each term may be off, and what it may be off for each unit of |w|."""
        return np.stack([self.units, self.units * (0.5 * np.abs(self.loss))])

    @cached_property
    def _sums(self) -> dict[int, tuple[ComplexArray, FloatArray]]:
        """Sums of terms from a node on, or before it, as far as they were asked for."""
        return {}

    def log_alias(self, w: ComplexArray) -> FloatArray:
        """log of a bound on the error of the quadrature at w (absolute, in A), and at 0; convex in w."""
        both = np.logaddexp(*(self._log_along(side, w, sign) for side, sign in zip(self.sides, (-1, 1), strict=True)))
        both = np.logaddexp(both, self._log_alias_of_all)
        return both + w.real * self.edge - math.log(math.expm1(2.0 * math.pi * self.tilt / self.step))

    @cached_property
    def _log_alias_of_all(self) -> float:
        zero: ComplexArray = np.zeros(1, complex)
        return float(
            np.logaddexp(*(self._log_along(side, zero, sign) for side, sign in zip(self.sides, (-1, 1), strict=True)))[
                0
            ]
        )

    @cached_property
    def _turned(self) -> float:
        """How far int f S, which is real, may be from the real axis on the grid: of ``mean`` that is left out."""
        each: list[float] = []
        for side in (self.middle, *self.sides):
            furthest = abs(side.loss[-1]) + 1.0 / self.pull  # times e^{pull |S' - S|}, no |S'| is more
            ends = side.log_before + math.log(abs(side.loss[0])), side.log_beyond + math.log(furthest)
            nodes = side.log_modulus + np.log(np.abs(side.loss)) + self._stride * self.step
            inside = -math.inf if side is self.middle else float(np.logaddexp.reduce(nodes))
            each.append(float(np.logaddexp.reduce([*ends, inside])))
        gain = math.log(math.expm1(2.0 * math.pi * self.tilt / self.step))
        beside = np.logaddexp.reduce([each[0], each[1] - gain, each[2] - gain])
        return math.exp(min(float(beside), LARGEST_EXPONENT))

    def _log_along(self, side: Side, w: ComplexArray, sign: int) -> FloatArray:
        """log of a bound on the integral of |f e^{wS}| along a side."""
        turn = sorted((self.chi, self.chi + sign * self.tilt))
        inside = log_moments(w, side.loss, side.log_modulus, self._bent)
        return np.logaddexp(inside, side.log_ends(w, (turn[0], turn[1]), self.pull)) + (len(side.loss) + 16.0) * UNIT

    @property
    def _bent(self) -> float:
        """By how much of |w S| a term is raised for what its cells may hide, and for rounding."""
        cell = self._stride * self.step
        return 0.125 * cell**2 * math.exp(cell) + 8.0 * UNIT

    @property
    def _stride(self) -> int:
        """Steps of the grid in a cell of the sides, which only bound what is far below all else."""
        return max(1, int(min(_CELL, _CELL_SIGMA / self.transform.sigma) / self.step))

    def falls(self, direction: ComplexArray) -> BoolArray:
        """Whether ``log_alias`` - ``edge`` Re w grows nowhere when w moves that way.

        log(1 + e^{v + i y}) has an argument between 0 and y: those of all S lie between chi - tilt and chi + tilt, so
        that Re(direction S) is negative for all of them where it is for these two, by as much as a cell may hide.
        """
        ends = (direction * np.exp(1j * (self.chi + shift)) for shift in (-self.tilt, self.tilt))
        return np.all([end.real <= -(self._bent + 4.0 * UNIT) * np.abs(direction) for end in ends], axis=0)

    def _grid(self) -> FloatArray:
        """t further than where the law may have to be laid out."""
        s = self.transform.sigma
        low = (-(_LAID if self.depth == 0.0 else _DEEPER) * s - 0.5) / s**2
        low = min(low, -self._log_rho - 2.0)  # where losses are small, and turning them turns the law by little
        top = (_LAID * s + self.pull) / (s**2 * math.cos(2.0 * self.chi)) + max(-self._log_rho, 0.0) + 3.0
        return low + self.step * np.arange(math.ceil((top - low) / self.step) + 1)

    def _kept(self, line: _Line) -> tuple[int, int]:
        """First and last node of a line where a weight, tilted or not, is within e^-_FLOOR of its peak."""
        loss, log_weight, _ = line
        alive = np.zeros(len(loss), bool)
        for tilt in (-self.depth, 0.0, self.pull):
            bent = log_weight.real + tilt * loss.real
            alive |= bent > bent.max() - _FLOOR
        keep = np.flatnonzero(alive)
        if not len(keep) or keep[0] == 0 or keep[-1] == len(alive) - 1:  # none where hardly any noise left float64
            raise ArithmeticError("the law does not die within its grid at this angle")
        return int(keep[0]), int(keep[-1])

    @property
    def _log_rho(self) -> float:
        return math.log(self.transform.rate) - self.edge

    def _along(self, t: FloatArray | ComplexArray) -> _Line:
        return self.ray.along(t)
