"""One sampled Gaussian step in which the record hardly ever takes part, along a bent path of losses.

S = log(1 + rho e^t) >= 0, rho = q / (1 - q), is the loss above its edge log(1 - q), and A(w) = (1 - q)^w (1 + X(w)),

    X(w) = E_Q[e^{wS} - 1],

which is small wherever the record takes part rarely. With a path on which no e^{wS} grows (``RotatedLaw``) X is bounded
by what it is the sum of, |e^y - 1| <= min(|y|, 2), so that a bent path costs nothing however many steps there are:

    log|1 + X| <= Re X + |X|^2 / 2,   Re X <= Re(w int_{small} S) + int_{small} |wS|^2 / 2 + int_{rest} (1 + |e^{wS}|).

A **part** of the law keeps the share D(S / low) - D(S / high) of its losses, D as in ``exchanged_part``; the others are
put to S = 0, where they add nothing to X. The share is entire and in [0, 1] where losses are real: a part is a law,
too, whose likelihood ratio is nowhere above that of the whole.

Along the two sides of the path |weight| |share| min(|wS|, 2) max(1, e^{Re wS}) is integrated on a coarser grid, of
spacing d. Weights bend by at most M (``Ray``), max(Re wS, 0) by |w S''| <= |w S| e^d, each of which raises a node by
d^2/8 of it (``RotatedLaw``), what bounds a share likewise (``log_share``); |S| grows by at most e^d on a cell. Where no
e^{wS} grows on the line, it is 1 without more.

Beyond the last node |e^{wS'} - 1| <= (1 + |e^{wS}|) e^{K |S' - S|}, K being the steepest growth of e^{wS}
(``steepness``). Either the weights die faster (``Ray.log_beyond``), or the share does: with r = |S| / high, log B falls
by at least 2 r cos psi - 2 (m - 1)/r, and |S' - S| is at most (|S'| - |S|) / cos y, as differences keep to such a
sector.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.gaussian.paths.exchanged_part import ORDER, shares
from neyman.losses.gaussian.paths.ray import Ray
from neyman.losses.gaussian.paths.rotated import RotatedLaw
from neyman.losses.gaussian.paths.share_bounds import log_kept, log_share, log_share_before
from neyman.losses.gaussian.paths.side import Side
from neyman.losses.gaussian.paths.sums import steepness
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, ROOM, UNIT

__all__ = ["RareLaw", "RarePart"]

_LEFT, _RIGHT = 13.0, 25.0  # standard deviations from the mean without the record, and from three times that with it
_NEAR = 0.3  # |wS| up to which e^{wS} - 1 is summed as a series
_TERMS = 16  # of that series: what is left out is below 1e-22 of the first
_DEAD = -80.0  # log of a share of the largest term that no longer counts
_BLOCK = 32  # nodes that are looked at by their first alone
_ROWS = 1 << 15  # entries of a table that stays in the cache
_COARSER = 3  # of the grid, where moduli are summed along the two sides
_ALIKE = 1.1  # ratio of |w| up to which the error of the quadrature is bounded for several at once
_TOGETHER = 1.3  # ratio of |w| up to which the transform is taken for several at once
_SUMMED = 40.0  # units of rounding of a power, and of sums in blocks
_UNKNOWN = 1e30  # units, in place of infinitely many
_THINNED = 4  # every which node is enough for a guess
_LEAST = 1e-300  # more than nothing, whose log is a float
_WHOLE, _GONE = 0.15, 700.0  # |y| below which D(y) < 1e-39, and Re y^2 beyond which 1 - D is no float


class RareLaw(RotatedLaw):
    """The law of S along the ray at angle ``chi``, laid out further than any tilt that is asked for needs."""

    def _grid(self) -> FloatArray:
        s = self.transform.sigma
        low = -(0.5 + _LEFT * s) / s**2
        top = (1.5 + _RIGHT * s) / s**2 + 3.0
        return low + self.step * np.arange(math.ceil((top - low) / self.step) + 1)

    def _kept(self, line: tuple[ComplexArray, ComplexArray, FloatArray]) -> tuple[int, int]:
        return 0, len(line[0]) - 1

    @property
    def _stride(self) -> int:
        """One: parts take the cells of their sides wider themselves."""
        return 1

    @cached_property
    def t(self) -> FloatArray:
        """Where the nodes are."""
        return self._grid()

    @property
    def log_gain(self) -> float:
        """log of how much the sums of moduli along the two sides exceed the error of the quadrature, at least."""
        return math.log(math.expm1(2.0 * math.pi * self.tilt / self.step))


@dataclass(frozen=True)
class _Ends:
    """What there is of a part before and beyond the nodes of one line."""

    first: float  # |S| of the first node
    last: complex  # S of the last
    turn: tuple[float, float]  # the arguments of all S and of their differences
    before: float  # of the moduli before the first
    beyond: float  # log of a bound on the share beyond the last
    kept: float  # log of all moduli times the share at the last, beyond which it falls ...
    steepest: float  # ... faster than any e^{wS} that is less steep grows
    place: float  # t of the last node
    shift: float

    def missing(self, corners: ComplexArray, size: FloatArray, ray: Ray) -> FloatArray:
        """A bound on int |f D (e^{wS} - 1)| beyond both ends, for all w between ``corners`` with |w| <= ``size``."""
        steep = np.maximum(steepness(corners, *self.turn).max(axis=-1), 0.0)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            left = self.before * np.minimum(size * self.first, 2.0) * np.exp(steep * self.first)
            height = np.maximum((corners * self.last).real.max(axis=-1), 0.0) * (1.0 + ROOM) + math.log(2.0)
            dying = self.beyond + ray.log_beyond(self.place, self.shift, steep)
            right = np.exp(height + np.minimum(dying, np.where(steep <= self.steepest, self.kept, math.inf)))
        return left + np.where(np.isfinite(right), right, math.inf)


@dataclass(frozen=True)
class RarePart:
    """The part of ``law`` with losses between about 4 ``low`` (0: all the small ones, too) and 4 ``high``."""

    law: RareLaw
    low: float
    high: float

    @cached_property
    def grid(self) -> tuple[ComplexArray, ComplexArray, FloatArray, FloatArray]:
        """S, weight, its modulus and its rounding in units of 2^-53, as far as there is any."""
        share, off = _share(self.law.loss, self.low, self.high)
        with np.errstate(under="ignore"):
            weight = np.exp(self.law.log_weight) * share
        modulus = np.abs(weight)
        stop = _last(modulus)
        return self.law.loss[:stop], weight[:stop], modulus[:stop], (self.law.units + off)[:stop]

    @cached_property
    def mean(self) -> float:
        """int of S, about."""
        s, weight, _, _ = self.grid
        return float(np.sum((weight * s).real))

    @cached_property
    def cells(self) -> tuple[FloatArray, FloatArray]:
        """|S| and a bound on the modulus of the weight along the path itself, raised for what cells may hide of it."""
        law = self.law
        share = log_share(law.loss, self.low, self.high, law.step)
        with np.errstate(under="ignore"):
            modulus = np.exp(law.middle.log_modulus + share + 0.125 * law.ray.bend * law.step**2 + law.step)
        stop = len(self.grid[0])
        return np.abs(law.loss[:stop]), modulus[:stop]

    @cached_property
    def sides(self) -> tuple[tuple[ComplexArray, FloatArray], ...]:
        """S and a bound on the modulus of the weight along the two sides, on a coarser grid, with the gain of it."""
        return tuple((s, modulus) for s, modulus, _ in self._sides)

    @cached_property
    def _sides(self) -> tuple[tuple[ComplexArray, FloatArray, int], ...]:
        out: list[tuple[ComplexArray, FloatArray, int]] = []
        law, gap = self.law, _COARSER * self.law.step
        wider = 0.125 * law.ray.bend * (gap**2 - law.step**2) + gap + math.log(_COARSER) - law.log_gain
        for side in law.sides:
            s = side.loss[::_COARSER]
            share = log_share(s, self.low, self.high, gap)
            with np.errstate(under="ignore"):
                modulus = np.exp(side.log_modulus[::_COARSER] + share + wider)
            stop = _last(modulus)
            out.append((s[:stop], modulus[:stop], (stop - 1) * _COARSER))
        return tuple(out)

    @cached_property
    def _ends(self) -> tuple[_Ends, ...]:
        law = self.law
        middle = self._end(law.middle, 0.0, len(self.grid[0]) - 1, 0.0)
        sides = zip(law.sides, (-law.tilt, law.tilt), self._sides, strict=True)
        return middle, *(self._end(side, shift, last, law.log_gain) for side, shift, (_, _, last) in sides)

    def _end(self, side: Side, shift: float, last: int, gain: float) -> _Ends:
        law = self.law
        first, end, t = abs(side.loss[0]), complex(side.loss[last]), float(law.t[last])
        turn = min(law.chi, law.chi + shift), max(law.chi, law.chi + shift)
        psi = 2.0 * max(turn[1], -turn[0])
        before = law.ray.log_before(float(law.t[0]), shift) + log_share_before(first, psi, self.low, self.high)
        psi = 2.0 * max(abs(cmath.phase(end)), law.chi)  # from there on, towards which arguments move
        most = math.log(2.0) - ORDER * math.log(math.cos(psi))  # of the share at all
        kept, steepest = math.inf, -1.0
        if self.high < math.inf:
            whole = float(np.logaddexp.reduce(side.log_modulus)) + math.log(2.0)
            whole = float(np.logaddexp(whole, law.ray.log_beyond(float(law.t[-1]), shift, np.zeros(1))[0]))
            kept = log_kept(abs(end), psi, self.low, self.high) + whole - gain
            square = (abs(end) / self.high) ** 2
            steepest = (2.0 * square * math.cos(psi) - 2.0 * (ORDER - 1.0)) * math.cos(shift) / abs(end)
        raised = math.exp(min(before - gain, LARGEST_EXPONENT))
        return _Ends(float(first), end, turn, raised, most - gain, kept, steepest, t, shift)

    def excess(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """X(w) for |w| ascending, with a bound on its absolute error, all told; inf where it is out of reach."""
        value, error = np.zeros(len(w), complex), np.zeros(len(w))
        start = 0
        while start < len(w):
            stop = max(start + 1, int(np.searchsorted(np.abs(w), _TOGETHER * abs(w[start]))))
            value[start:stop], error[start:stop] = self._block(w[start:stop])
            start = stop
        error = UNIT * error + self.alias(w) + self.missing(w)
        sound = np.isfinite(value) & np.isfinite(error)
        return np.where(sound, value, 0.0), np.where(sound, error, math.inf)

    def _block(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """The sum itself for w of about the same modulus, and the size of its rounding in units of 2^-53."""
        s, weight, modulus, units = self.grid
        length, log_modulus, masses, rough = self._sums
        near = int(np.searchsorted(length, _NEAR / float(np.abs(w).max()))) // _BLOCK * _BLOCK
        fall = (w[:, None] * s[near::_BLOCK]).real + log_modulus[near::_BLOCK]
        floor = max(float(np.max(np.minimum(length[::_BLOCK] * abs(w[0]), 1.0) * modulus[::_BLOCK])), _LEAST)
        alive = np.flatnonzero((fall > math.log(floor) + _DEAD).any(axis=0))
        far = min(near + (int(alive[-1]) + 2) * _BLOCK, len(s)) if len(alive) else near
        total, size = self._series(w, near)
        if near < len(s):
            total, size = total - masses[near], size + rough[near]
        rows = max(1, _ROWS // max(far - near, 1))
        for i in range(0, len(w) if far > near else 0, rows):
            b = w[i : i + rows]
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                grown = np.exp(np.multiply.outer(b, s[near:far])) * weight[near:far]
                sizes = np.abs(grown)
                total[i : i + rows] += grown.sum(axis=1)
                size[i : i + rows] += sizes @ (units[near:far] + 8.0)
                size[i : i + rows] += 4.0 * np.abs(b) * (sizes @ length[near:far])
        return total, size + math.exp(_DEAD) * floor * len(s) * _BLOCK / UNIT

    @cached_property
    def _sums(self) -> tuple[FloatArray, FloatArray, ComplexArray, FloatArray]:
        """|S|, log of the modulus, and of all from each node on the mass and its rounding."""
        s, weight, modulus, units = self.grid
        with np.errstate(divide="ignore"):
            log_modulus = np.log(np.maximum(modulus, _LEAST))
        rough = np.cumsum((modulus * (units + 8.0))[::-1])[::-1]
        return np.abs(s), log_modulus, np.cumsum(weight[::-1])[::-1], rough

    def _series(self, w: ComplexArray, near: int) -> tuple[ComplexArray, FloatArray]:
        if not near:
            return np.zeros(len(w), complex), np.zeros(len(w))
        powers, size = self._powers
        total = np.zeros(len(w), complex)
        for row in powers[::-1]:
            total = (total + row[near // _BLOCK]) * w
        return total, np.abs(w) * size[near // _BLOCK]

    @cached_property
    def _powers(self) -> tuple[ComplexArray, FloatArray]:
        """Of weight times S^k / k!, k = 1, ..., the sums up to every so many nodes, and the rounding of the first."""
        s, weight, modulus, units = self.grid
        stop = len(s) // _BLOCK * _BLOCK
        out = np.zeros((_TERMS, stop // _BLOCK + 1), complex)
        with np.errstate(over="ignore", under="ignore"):
            term = weight[:stop].copy()
            for k in range(1, _TERMS + 1):
                term = term * s[:stop] / k
                out[k - 1, 1:] = np.cumsum(term.reshape(-1, _BLOCK).sum(axis=1))
            size = (modulus * np.abs(s) * (units + _SUMMED))[:stop].reshape(-1, _BLOCK).sum(axis=1)
        return out, np.append(0.0, 2.0 * np.cumsum(size))

    def alias(self, w: ComplexArray) -> FloatArray:
        """A bound on the error of the quadrature, Im w >= 0: |e^y - 1| <= min(|y|, 2) max(1, e^{Re y})."""
        size = np.abs(w)
        law, out = self.law, np.zeros(len(w))
        calm = np.angle(w) + law.chi - law.tilt >= 0.5 * math.pi + AMPLE
        for (s, modulus), (length, once, rest) in zip(self.sides, self.side_sums, strict=True):
            at = np.searchsorted(length, 2.0 / np.maximum(size[calm], _LEAST))
            out[calm] += size[calm] * once[at] + 2.0 * rest[at]
            # of others that are about as large, all that lie in one box
            wild = np.flatnonzero(~calm)
            start = 0
            while start < len(wild):
                stop = max(start + 1, int(np.searchsorted(size[wild], _ALIKE * size[wild[start]])))
                some = wild[start:stop]
                right, (least, most) = w[some].real.max(), (w[some].imag.min(), w[some].imag.max())
                height = np.maximum(right * s.real - np.where(s.imag > 0.0, least, most) * s.imag, 0.0)
                height += self.bent * float(size[some].max()) * length
                with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                    each = np.exp(height) * np.minimum(float(size[some].max()) * length, 2.0)
                    out[some] += float(each @ modulus)
                start = stop
        return np.where(np.isfinite(out), out, math.inf)

    @cached_property
    def side_sums(self) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
        """Along each side |S|, and up to each node int |S|; from it on the mass."""
        out: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        for s, modulus in self.sides:
            length = np.abs(s)
            rest = np.append(np.cumsum(modulus[::-1])[::-1], 0.0)
            out.append((length, np.append(0.0, np.cumsum(modulus * length)), rest))
        return out

    def about(self, w: FloatArray) -> FloatArray:
        """X at real w, about: on a coarser grid, of the law along the real axis."""
        s, weight, _, _ = self.grid
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return np.expm1(np.multiply.outer(w, s[::_THINNED].real)) @ weight[::_THINNED].real * _THINNED

    @property
    def bent(self) -> float:
        """By how much of |wS| a term along a side is raised for what its cells may hide of e^{wS}, and for rounding."""
        gap = _COARSER * self.law.step
        return 0.125 * gap**2 * math.exp(gap) + 8.0 * UNIT

    def missing(self, w: ComplexArray) -> FloatArray:
        """A bound on what lies beyond the ends of the grid, and of the two sides."""
        return self.missing_within(w[:, None], np.abs(w))

    def missing_within(self, corners: ComplexArray, size: FloatArray) -> FloatArray:
        """The same for all w between the ``corners`` (a row each) with |w| <= ``size``."""
        return np.sum([ends.missing(corners, size, self.law.ray) for ends in self._ends], axis=0)


def _last(modulus: FloatArray) -> int:
    """How many there are up to the last that is not nothing."""
    return max(int(np.flatnonzero(modulus > _LEAST)[-1]) + 1, 2) if modulus.max() > _LEAST else 2


def moduli(corners: ComplexArray, size: FloatArray, s: ComplexArray, modulus: FloatArray, bent: float) -> FloatArray:
    """The sum of the bounds on |e^{ws} - 1|, for all w between the ``corners`` (a row each) with |w| <= ``size``; where
    e^{ws} grows, raised by ``bent`` of |ws|.
    """
    out = np.empty(len(size))
    rows = max(1, _ROWS // len(s))
    for i in range(0, len(size), rows):
        some = corners[i : i + rows]
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            height = np.zeros((len(some), len(s)))
            for w in some.T:
                np.maximum(height, np.multiply.outer(w.real, s.real) - np.multiply.outer(w.imag, s.imag), out=height)
            length = np.multiply.outer(size[i : i + rows], np.abs(s))
            grown = np.exp(height + bent * length) * np.minimum(length, 2.0)
            out[i : i + rows] = grown @ modulus
    return np.where(np.isfinite(out), out, math.inf)


def _share(s: ComplexArray, low: float, high: float) -> tuple[ComplexArray, FloatArray]:
    """D(s / low) - D(s / high), and by how many units of 2^-53 it may be off, relatively."""
    (beyond, below), lower = _shares(s, low)
    (further, kept), upper = _shares(s, high)
    with np.errstate(invalid="ignore", divide="ignore"):
        first = np.abs(beyond) < 0.5
        value = np.where(first, beyond - further, kept - below)
        off = np.where(first, lower[0] + upper[0], lower[1] + upper[1]) / np.abs(value) + 2.0
    return value, np.where(value == 0.0, 0.0, np.minimum(off, _UNKNOWN))


def _shares(s: ComplexArray, length: float) -> tuple[tuple[ComplexArray, ComplexArray], tuple[FloatArray, FloatArray]]:
    """``shares`` of s / length, only worked out where neither is nothing."""
    one, none = np.ones(len(s), complex), np.zeros(len(s), complex)
    zero, rough = np.zeros(len(s)), np.zeros(len(s))
    if length == 0.0:
        return (one, none), (zero, rough)
    if length == math.inf:
        return (none, one), (zero, rough)
    y = s / length
    with np.errstate(over="ignore"):
        here = np.flatnonzero((np.abs(y) > _WHOLE) & ((y * y).real < _GONE))
        gone = (np.abs(y) > _WHOLE) & ~((y * y).real < _GONE)
    beyond, kept = none + gone, one - gone
    (beyond[here], kept[here]), (zero[here], rough[here]) = shares(y[here])
    return (beyond, kept), (zero, rough)
