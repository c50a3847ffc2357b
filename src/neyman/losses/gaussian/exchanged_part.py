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

from neyman._validate import FloatArray
from neyman.losses.gaussian.exchanged import ExchangedLaw, log_moduli, log_rest
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
_LEAST = 1e-320  # more than nothing, whose log is a float


@dataclass(frozen=True)
class ExchangedPart:
    """The part of ``law`` with losses between about 4 ``low`` (0: all the small ones, too) and 4 ``high``."""

    law: ExchangedLaw
    low: float
    high: float

    def moment(self, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """int of e^{wL}, with a bound on its absolute error, all told."""
        a = w - 0.5
        known = self._grid[3]
        loss = self._grid[0]
        here, off = self._half(a)
        there, beside = self._half(-a.conj())
        value = here + there.conj()
        with np.errstate(over="ignore", under="ignore"):
            rest = sum(np.exp(np.minimum(log_rest(b, loss, known), 709.0)) for b in (a, -a.conj()))
            alias = sum((np.exp(log_moduli(a, *side)) for side in self._sides), np.zeros(len(a))) / self.law.gain
        error = (off + beside) * UNIT + alias + rest
        error = np.where(np.isfinite(value) & np.isfinite(error), error, math.inf)
        return np.where(np.isfinite(error), value, 0.0), error

    def log_bound(self, w: ComplexArray) -> FloatArray:
        """log of a bound on |int of e^{wL}|, convex in w."""
        return log_moduli(w - 0.5, self._grid[0], self._grid[3])

    @cached_property
    def _grid(self) -> tuple[ComplexArray, ComplexArray, ComplexArray, FloatArray, FloatArray]:
        """L, log weight, share, log of the modulus of their product and the rounding of it, as far as there is any."""
        share, off = self._shares(self.law.loss)
        stop = _last(share)
        modulus = self.law.log_weight.real[:stop] + np.log(np.maximum(np.abs(share[:stop]), _LEAST))
        return self.law.loss[:stop], self.law.log_weight[:stop], share[:stop], modulus, (self.law.units + off)[:stop]

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

    @cached_property
    def _sides(self) -> list[tuple[ComplexArray, FloatArray]]:
        found: list[tuple[ComplexArray, FloatArray]] = []
        for loss, log_weight in self.law.sides:
            share = self._shares(loss)[0]
            stop = _last(share)
            found.append((loss[:stop], log_weight[:stop] + np.log(np.maximum(np.abs(share[:stop]), _LEAST))))
        return found

    def _half(self, a: ComplexArray) -> tuple[ComplexArray, FloatArray]:
        """The sum over eta >= 0, and the size of its rounding in units of 2^-53."""
        loss, log_weight, share_, known, units = self._grid
        value, error = np.zeros(len(a), complex), np.zeros(len(a))
        start = 0
        while start < len(a):
            stop = max(start + 1, int(np.searchsorted(np.abs(a), 1.5 * abs(a[start]))))
            part = a[start:stop]
            rough = (part[:, None] * loss[::_STRIDE]).real + known[::_STRIDE]
            top = rough.max(axis=1)
            alive = np.flatnonzero((rough > top[:, None] + _DEAD).any(axis=0))
            if not len(alive):  # no float tells: nothing is known
                error[start:stop], start = math.inf, stop
                continue
            first, last = max(int(alive[0]) - 1, 0) * _STRIDE, min((int(alive[-1]) + 2) * _STRIDE, len(loss))
            rows = max(1, _ROWS // (last - first))
            s, weight, share = (each[first:last] for each in (loss, log_weight, share_))
            for i in range(0, len(part), rows):
                b = part[i : i + rows]
                with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                    grown = np.exp(np.multiply.outer(b, s) + weight) * share
                    moduli = np.abs(grown)
                    value[start + i : start + i + len(b)] = grown.sum(axis=1)
                    size = moduli @ units[first:last] + 4.0 * np.abs(b) * (moduli @ np.abs(s))
                    size += math.exp(_DEAD + 20.0) / UNIT * len(loss) * np.exp(top[i : i + len(b)])
                    error[start + i : start + i + len(b)] = size
            start = stop
        return value, error


def _last(share: ComplexArray) -> int:
    """How many there are up to the last that is not nothing: there it dies faster than any e^{aL} grows."""
    return max(int(np.flatnonzero(share)[-1]) + 1, 2) if share.any() else 2


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
