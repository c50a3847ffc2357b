"""delta in one direction from power series about the middles of cells of eps: many eps share one, and they are kept.

With K = t e^eps for "remove", t delta is E (S - K)_+ = E (K - S)_+ - (K - t); with K = t e^-eps for "add", K delta is
E (K - S)_+. Both are summed in pairs of floats, in powers of (K - K_0) / width, so that what cancels costs nothing.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.losses.allocated.lines.contour import TERMS, Contour
from neyman.losses.allocated.lines.ratios import Ratios
from neyman.numerics.exact.double_double import LOST, TWICE, Twofold, from_decimals, growth
from neyman.numerics.rounding import AMPLE

__all__ = ["Cells", "Delta", "ratios"]

_PIECE = 1 << 9  # eps that are worked on at a time
_TINIEST = 1e-9  # half the eps of the shortest cell
_MOST_OF_A_LINE = 1 << 40  # cells: more than there are up to an eps of 600
_MOST_KEPT = 1 << 14  # cells
_UNITS = 32.0 * TERMS  # x errs by 24 units, a power and its product by as many as there are terms, twice, sums by less
_DIGITS = Context(prec=60)  # decimals: pairs of floats hold 32


class Delta(NamedTuple):
    """delta, a bound on its absolute error, and where neither is known."""

    value: Twofold
    error: FloatArray
    missing: NDArray[np.bool_]


class _Rows(NamedTuple):
    """Of each eps, its cell: K_0, 1 / width, the series, a bound on its error, and x = (K - K_0) / width."""

    k: Twofold
    over: Twofold
    series: Twofold
    error: FloatArray
    moved: Twofold
    x: Twofold


class Cells:
    """Those of one direction."""

    def __init__(self, ratios: Ratios, remove: bool) -> None:
        self._ratios, self._remove, self._sign = ratios, remove, 1.0 if remove else -1.0
        self._kept: dict[int, FloatArray] = {}

    def places(self, epsilon: FloatArray) -> list[Decimal]:
        """K at each eps."""
        t, sign = self._ratios.t, int(self._sign)
        return [_DIGITS.multiply(t, _DIGITS.exp(_DIGITS.multiply(sign, Decimal(e)))) for e in epsilon.tolist()]

    def cells(self, epsilon: FloatArray) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """Which cell each eps is in, its middle, and half its length: the cells of a line are all as long."""
        place, share = self._ratios.rooms(self._ratios.t * np.exp(self._sign * epsilon))
        halves = np.maximum(np.log1p(share), _TINIEST)
        index = np.floor(epsilon / (2.0 * halves))
        return place * _MOST_OF_A_LINE + index.astype(np.int64), (2.0 * index + 1.0) * halves, halves

    def delta(self, epsilon: FloatArray) -> Delta:
        """delta at each eps >= 0, a piece after the other."""
        found = [self._delta(self._rows(epsilon[i : i + _PIECE])) for i in range(0, len(epsilon), _PIECE)]
        values, errors, missing = zip(*found, strict=True)
        hi, lo = (np.concatenate(parts) for parts in zip(*values, strict=True))
        return Delta(Twofold(hi, lo), np.concatenate(errors), np.concatenate(missing))

    def explained(self, epsilon: float) -> tuple[Contour, dict[str, float]] | None:
        """The line of one eps, what its cell errs by but for rounding and the end of its series; None if none."""
        _, (middle,), (half,) = self.cells(np.array([epsilon]))
        k = self._ratios.t * math.exp(self._sign * middle)
        line = self._ratios.line(k)
        if line is None or not line.resolved or self.delta(np.array([epsilon])).missing[0]:
            return None
        whole = self._ratios.t if self._remove else self._ratios.t * math.exp(-epsilon)
        ends = line.terms(k + k * math.expm1(half) * np.array([-1.0, 1.0]))
        return line, {name: float(np.max(part)) / whole for name, part in ends.items()}

    def falling(self, epsilon: FloatArray) -> FloatArray:
        """About -K times the derivative of that of which these are the series; nan where there is none."""
        rows = self._rows(epsilon)
        powers = rows.x.hi[:, None] ** np.arange(TERMS - 1)
        summed = np.sum(rows.series.hi[:, 1:] * np.arange(1, TERMS) * powers, axis=1)
        return np.where(np.isfinite(rows.error), -(rows.k.hi + rows.moved.hi) * rows.over.hi * summed, np.nan)

    def _delta(self, rows: _Rows) -> Delta:
        powers = rows.x.powers(TERMS)
        value = (rows.series * powers).summed()
        size = np.sum(np.abs(rows.series.hi * powers.hi), axis=1)
        missing = ~(np.isfinite(rows.error) & (np.abs(rows.x.hi) <= 1.0))
        error = np.where(missing, np.inf, rows.error + _UNITS * TWICE * size + TERMS * LOST)
        whole = Twofold(np.full_like(size, float(self._ratios.t)), np.zeros_like(size))
        over = (whole if self._remove else rows.k + rows.moved).inverse()
        with np.errstate(over="ignore", invalid="ignore"):
            value = value * over
            return Delta(value, (error * over.hi + 32.0 * TWICE * np.abs(value.hi)) * (1.0 + AMPLE), missing)

    def _rows(self, epsilon: FloatArray) -> _Rows:
        """The cell of each eps, made where it is not yet known."""
        sign = self._sign
        cells, middles, halves = self.cells(epsilon)
        cell, first, which = np.unique(cells, return_index=True, return_inverse=True)
        if len(self._kept) > _MOST_KEPT:
            self._kept.clear()
        new = np.array([i for i, one in enumerate(cell.tolist()) if one not in self._kept], dtype=np.int64)
        if len(new):
            made = self._made(middles[first[new]], halves[first[new]])
            self._kept.update(zip(cell[new].tolist(), made, strict=True))
        known = np.array([self._kept[one] for one in cell.tolist()])
        for one in cell[~np.isfinite(known[:, 4])].tolist():  # another question may have it
            del self._kept[one]
        rows = known[which]
        k, over = Twofold(rows[:, 0], rows[:, 1]), Twofold(rows[:, 2], rows[:, 3])
        zero = np.zeros_like(epsilon)
        moved = k * growth(Twofold(sign * epsilon, zero) - Twofold(sign * middles, zero))  # exact in pairs of floats
        series = Twofold(rows[:, 5 : 5 + TERMS], rows[:, 5 + TERMS :])
        return _Rows(k, over, series, rows[:, 4], moved, moved * over)

    def _made(self, centre: FloatArray, half: FloatArray) -> FloatArray:
        """K_0, 1 / width, the error and the coefficients of each, in both parts."""
        exact = self.places(centre)
        k = from_decimals(exact)
        width = k.hi * np.expm1(half) * (1.0 + 1e-6)
        series, error = self._ratios.series(exact, width)
        if self._remove:
            less = from_decimals([_DIGITS.subtract(Decimal(self._ratios.t), one) for one in exact])
            error = error + 4.0 * TWICE * (np.abs(series[0].hi) + np.abs(less.hi) + k.hi)
            series = [series[0] + less, series[1] - Twofold(width, np.zeros_like(width)), *series[2:]]
        over = Twofold(width, np.zeros_like(width)).inverse()
        parts = [*k, *over, error, *(part.hi for part in series), *(part.lo for part in series)]
        return np.stack(parts, axis=1)


@lru_cache(maxsize=8)  # lines of one take up to 15 MB
def ratios(noise: float, t: int) -> Ratios:
    """One sum for both directions, and for all who ask."""
    return Ratios(noise, t)
