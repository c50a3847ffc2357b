"""A part of the law of one step with an exchanged record: its small losses or its large ones softly cut off.

With y = L / l the share D(y) = 1 - e^{-y^2} (1 + y^2 + ... + y^{2(m-1)} / (m-1)!), m = 16, of the mass at L is beyond
l. On real losses D is in [0, 1], rises, and is about y^{2m} / m! where y is small: the part between two lengths, D(L /
low) - D(L / high), is a positive measure below the law. As D is entire its transform may be taken along any path that
the law itself may (``ExchangedLaw``); what is not beyond l dies on it where |arg L| < pi/4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from neyman._validate import FloatArray
from neyman.losses.gaussian.paths.exchanged import ExchangedLaw, alive
from neyman.losses.gaussian.paths.exchanged_bounds import Cells, log_moduli
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.rounding import UNIT

__all__ = ["ORDER", "ExchangedPart", "shares"]

ORDER = 16  # of D(y) = 1 - e^-y times the series of e^y below this power
_SERIES = 20.0  # |y|^2 up to which D is summed as a series
_GONE, _STEEP = 1e5, 0.02  # |y|^2 and cos(2 arg y) from which 1 - D is no float
_TERMS = 90  # of it: what is left out is below 1e-20 of the first
_DEAD = -100.0  # log of a share of the largest term that no longer counts
_STRIDE = 32  # nodes of which one is looked at, to see where terms are dead
_ROWS = 1 << 15  # entries of a table that stays in the cache
_LEAST = 1e-290  # |share| below which a float has lost digits, and it is left out
_TINY = 1e-10  # x below which P(m, x) is x^m / m!
_ROUNDED = 1e-9  # certifies: more than bounds on shares err by in floats
_TERM = 93.0  # units of a term: exp of a complex number (12), products, a sum in pairs (33)


@dataclass(frozen=True)
class ExchangedPart:
    """The part of ``law`` with losses between about 4 ``low`` (0: all the small ones, too) and 4 ``high``."""

    law: ExchangedLaw
    low: float
    high: float

    def moment(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """int of e^{wL}, with a bound on its absolute error, all told."""
        a = w - 0.5
        here, off = self._half(a)
        there, beside = self._half(-a.conj())
        value = here + there.conj()
        with np.errstate(over="ignore", under="ignore"):
            alias = np.exp(log_moduli(a, self._rim)) + np.exp(self.log_cap(a))
        error = (off + beside) * UNIT + alias
        error = np.where(np.isfinite(value) & np.isfinite(error), error, math.inf)
        return np.where(np.isfinite(error), value, 0.0), error + 4.0 * UNIT * np.abs(value)

    def log_bound(self, w: ComplexArray) -> FloatArray:
        """log of a bound on |int of e^{wL}|, convex in w."""
        return log_moduli(w - 0.5, self._bounding)

    def log_cap(self, a: ComplexArray) -> FloatArray:
        """As that of the law."""
        return np.full(len(a), -math.inf) if self._join is None else log_moduli(a, self._join)

    def _most(self, loss: ComplexArray, radius: FloatArray, lean: FloatArray) -> FloatArray:
        return log_most(loss, radius, lean, self.low, self.high)

    @cached_property
    def _join(self) -> Cells | None:
        return self.law.join(self._most)

    @cached_property
    def _rim(self) -> Cells:
        return Cells.joined(*(one.shared(self._most) for one in self.law.rim))

    @cached_property
    def _bounding(self) -> Cells:
        cells = self.law.cells.shared(self._most)
        return cells if self._join is None else Cells.joined(cells, self._join)

    @cached_property
    def _grid(self) -> tuple[ComplexArray, FloatArray, FloatArray]:
        """Share, log of a bound on its modulus times the weight, and the rounding of that, at each node of the law."""
        loss, none = self.law.loss, np.zeros(len(self.law.loss))
        share, off = self._shares(loss)
        share = np.where(np.abs(share) < _LEAST, 0.0, share)
        # a share moves with L by at most 2 |u|^m e^{-Re u} / (m - 1)! for each of its lengths
        with np.errstate(under="ignore", over="ignore", invalid="ignore", divide="ignore"):
            moves = sum((_slope(loss / each) for each in (self.low, self.high) if 0.0 < each < math.inf), none)
            off = off + np.where(share == 0.0, 0.0, moves / np.abs(share)) * self.law.lengths
        most = self._most(loss, none, none)
        return share, self.law.log_weight.real + np.where(np.isnan(most), math.inf, most), self.law.units + off

    def _shares(self, loss: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """The share of each loss, and by how many units of 2^-53 it may be off, relatively."""
        one, none = np.ones(len(loss), complex), np.zeros(len(loss))
        (beyond, below), lower = shares(loss / self.low) if self.low > 0.0 else ((one, 0.0 * one), (none, none))
        (further, kept), upper = shares(loss / self.high) if self.high < math.inf else ((0.0 * one, one), (none, none))
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            first = np.abs(beyond) < 0.5
            share = np.where(first, beyond - further, kept - below)
            off = np.where(first, lower[0] + upper[0], lower[1] + upper[1]) / np.abs(share) + 2.0
        share = np.where(np.isfinite(share), share, math.inf)
        return share, np.where(share == 0.0, 0.0, off)

    def _half(self, a: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """The sum over eta >= 0, and the size of its rounding in units of 2^-53."""
        share_, known, units_ = self._grid
        loss, log_weight = self.law.loss, self.law.log_weight
        end = int(np.flatnonzero(share_)[-1]) + 1 if share_.any() else 0
        value, error = np.zeros(len(a), complex), np.zeros(len(a))
        start = 0
        while start < len(a):
            stop = max(start + 1, int(np.searchsorted(np.abs(a), 1.5 * abs(a[start]))))
            part = a[start:stop]
            rough = (part[:, None] * loss[:end:_STRIDE]).real + known[:end:_STRIDE]
            level = float(rough.max(axis=1, initial=-math.inf).min()) + _DEAD
            first, last, dropped = alive(part, loss, known, level)
            if last > end:  # no float tells what there is beyond
                beyond = alive(part, loss[end:], known[end:], math.inf)[2]
                last, dropped = end, dropped + beyond
            first = min(first, last)
            gone = first + np.flatnonzero(share_[first:last] == 0.0)
            if len(gone):
                dropped += alive(part, loss[gone], known[gone], math.inf)[2]
            error[start:stop] = dropped / UNIT
            rows = max(1, _ROWS // max(last - first, 1))
            s, weight, share = (each[first:last] for each in (loss, log_weight, share_))
            units, lengths = units_[first:last] + _TERM, (self.law.lengths[first:last] + 8.0) * np.abs(s)
            for i in range(start, stop, rows) if last > first else ():
                b = a[i : min(i + rows, stop)]
                with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                    grown = np.exp(np.multiply.outer(b, s) + weight) * share
                    moduli = np.abs(grown)
                    value[i : i + len(b)] = grown.sum(axis=1)
                    error[i : i + len(b)] += moduli @ units + np.abs(b) * (moduli @ lengths)
            start = stop
        return value, error


def log_most(loss: ComplexArray, radius: FloatArray, lean: FloatArray, low: float, high: float) -> FloatArray:
    """log of a bound on |D(L / low) - D(L / high)| within a radius of each L and an angle of its argument.

    With u = (L / l)^2 no |u| is above U, |arg u| at most psi. As D = int_0^u s^{m-1} e^{-s} ds / (m - 1)! along a ray,
    |D| <= A = P(m, U cos psi) / cos^m psi where psi < pi/2, and <= U^m/m! e^{-min(U cos psi, 0)} everywhere; |1 - D| <=
    B = e^{-Re u} sum_{k < m} U^k/k!; |D| <= 1 + B, |1 - D| <= 1 + A.
    """
    none, whole = np.full(len(loss), -math.inf), np.zeros(len(loss))
    beyond, below = _ends(loss, radius, lean, low) if low > 0.0 else (whole, none)
    further, kept = _ends(loss, radius, lean, high) if high < math.inf else (none, whole)
    return np.minimum(np.logaddexp(beyond, further), np.logaddexp(below, kept)) + _ROUNDED


def _ends(loss: ComplexArray, radius: FloatArray, lean: FloatArray, length: float) -> tuple[FloatArray, FloatArray]:
    """log of bounds on |D| and on |1 - D|."""
    size = np.abs(loss)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore", over="ignore"):
        cosine = np.cos(np.minimum(2.0 * (np.abs(np.angle(loss)) + lean), math.pi))
        most = ((size + radius) / length) ** 2
        real = cosine * np.where(cosine > 0.0, (np.maximum(size - radius, 0.0) / length) ** 2, most)
        log_most = np.log(most)
        x = np.where(cosine > 0.0, most * cosine, 0.0)
        log_p = np.where(x < _TINY, ORDER * np.log(x) - math.lgamma(ORDER + 1.0), np.log(special.gammainc(ORDER, x)))
        early = np.where(cosine > 0.0, log_p - ORDER * np.log(np.where(cosine > 0.0, cosine, 1.0)), math.inf)
        early = np.minimum(early, ORDER * log_most - math.lgamma(ORDER + 1.0) + np.maximum(-most * cosine, 0.0))
        terms = [k * log_most - math.lgamma(k + 1.0) for k in range(1, ORDER)]
        late = np.logaddexp.reduce([np.zeros(len(loss)), *terms]) - real
    early, late = early + _ROUNDED, late + _ROUNDED + 8.0 * UNIT * most
    return np.minimum(early, np.logaddexp(0.0, late)), np.minimum(late, np.logaddexp(0.0, early))


def _slope(y: ComplexArray) -> FloatArray:
    """|d D(y) / d log y|."""
    u = y * y
    return 2.0 * np.exp(ORDER * np.log(np.abs(u)) - u.real - math.lgamma(ORDER))


def shares(y: ComplexArray) -> tuple[tuple[ComplexArray, ComplexArray], tuple[FloatArray, FloatArray]]:
    """D(y) and 1 - D(y), and by how many units of 2^-53 each may be off, absolutely; not finite where the path is bent
    too much.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        square = np.asarray(y * y, complex)
        near = np.abs(square) < _SERIES
        small = np.where(near, square, 0.0)
        series, moduli = np.zeros(len(y), complex), np.zeros(len(y))
        for k in range(ORDER + _TERMS, ORDER, -1):
            series = (series + 1.0) * small / k
            moduli = (moduli + 1.0) * np.abs(small) / k
        series = np.exp(-small) * (1.0 + series) * small**ORDER / math.factorial(ORDER)
        far = ~(np.abs(square) < _GONE)
        large = np.where(far, 1.0, square)
        rest = np.ones(len(y), complex)
        for k in range(ORDER - 1, 0, -1):
            rest = 1.0 + rest * large / k
        kept = np.exp(-large) * rest
        kept = np.where(far, np.where(np.real(square) >= _STEEP * np.abs(square), 0.0, math.nan), kept)
        # the sums of the moduli of all terms, each off by its place in the sum and by its exponent
        size = np.exp(-np.real(large)) * np.abs(_sum_of(np.abs(large)))
        units = 2.0 * ORDER + 12.0 + 3.0 * np.abs(large)
        rough = np.where(far, 0.0, units * size)
        own = np.exp(-np.real(small)) * (1.0 + moduli) * np.abs(small) ** ORDER / math.factorial(ORDER)
        beyond = np.where(near, (2.0 * _TERMS + 12.0 + 3.0 * np.abs(small)) * own, rough + 1.0)
    return (np.where(near, series, 1.0 - kept), kept), (beyond, rough)


def _sum_of(size: FloatArray) -> FloatArray:
    rest = np.ones(len(size))
    for k in range(ORDER - 1, 0, -1):
        rest = 1.0 + rest * size / k
    return rest
