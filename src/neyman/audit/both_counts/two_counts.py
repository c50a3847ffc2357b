"""How likely two independent binomial counts both come out small, bounded from above: rounding included.

Counts are gathered in cells [g, g + w), single ones where there are not too many. Binomial probabilities are
log-concave, so that with rho = P(g + 1) / P(g) a cell weighs at most P(g) (1 + rho + ... + rho^(w - 1)), which is exact
for w = 1; and all that lies beyond the cells weighs at most a geometric series too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.audit.rates.binomials import Counts
from neyman.numerics.functions.binomial import log_binomial
from neyman.numerics.rounding import UNIT

__all__ = ["LEAST_RATE", "Cells", "both_small"]

LEAST_RATE = 1e-200  # smaller rates are taken for this one: with at most 10^12 counts that changes 1e-188 at most
_MOST = 2_000  # cells
_PAD = 1e-10  # relative: 5,000 sums and products of positive terms, and exponentials of at most 700
_FLOOR = 1e-187  # and for what rates below the least would add
_ALIKE = 1e-9  # |log rho| below which it is taken for this
_BLUR = 5e-13  # of log rho: its three terms are at most 28 + 28 + 461 in modulus and err by 4 units of each


@dataclass(frozen=True, eq=False)
class Cells:
    """The counts of ``n`` draws that matter, in cells from edges[i] (included) to edges[i + 1] (left out)."""

    n: int
    edges: FloatArray

    @classmethod
    def around(cls, n: int, low: float, high: float, reach: float) -> Cells:
        """Cells for rates from ``low`` to ``high``, up to about ``reach`` standard deviations beyond."""
        first = math.floor(n * low - reach * math.sqrt(n * low * (1.0 - low)) - reach * reach)
        end = math.ceil(n * high + reach * math.sqrt(n * high * (1.0 - high)) + reach * reach)
        first, end = max(first, 0), min(end, n) + 1
        step = -(-(end - first) // _MOST)
        return cls(n, np.append(np.arange(first, end, step, dtype=np.float64), float(end)))

    @property
    def starts(self) -> FloatArray:
        """The least count of each cell."""
        return self.edges[:-1]

    def weights(self, rates: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Upper bounds on the probabilities of the cells (columns), of less and of more, at each rate (row)."""
        rates = np.clip(rates, LEAST_RATE, 1.0 - UNIT)
        at = np.minimum(self.edges, self.n)
        logs = _log_upper(at, self.n, rates)
        odds = (np.log(rates) - np.log1p(-rates))[:, None]
        with np.errstate(divide="ignore"):
            rise = np.log(self.n - at) - np.log(at + 1.0) + odds  # log rho
            fall = np.log(at[:1]) - np.log(self.n - at[:1] + 1.0) - odds  # the same downwards, from the first cell
        inside = np.exp(logs[:, :-1]) * _series(rise[:, :-1], np.diff(self.edges))
        less = _beyond(logs[:, 0] + np.minimum(fall[:, 0], 0.0), fall[:, 0]) if at[0] > 0.0 else np.zeros(rates.size)
        more = _beyond(logs[:, -1], rise[:, -1]) if self.edges[-1] <= self.n else np.zeros(rates.size)
        return inside, less, more


def both_small(first: Cells, second: Cells, steps: Counts, rates: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return upper bounds on P(the counts lie below the staircase), at each pair of rates.

    Parameters
    ----------
    first, second : Cells
        Of the two counts.
    steps : array
        Not increasing, one for each cell of ``first``: in cell i the second count must be less than
        ``second.edges[steps[i]]``, or may be anything where that is the last edge. Counts of ``first`` below its cells
        are all taken to lie below the staircase, those beyond as the last cell does.
    rates : tuple of two arrays
        In [0, 1], of one length.

    Examples
    --------
    >>> cells = Cells.around(2, 0.5, 0.5, 9.0)
    >>> bound = both_small(cells, cells, np.array([2, 1, 0]), (np.array([0.5]), np.array([0.5])))
    >>> truth = 5 / 16  # (0, 0), (0, 1), (1, 0): 1/16 + 2/16 + 2/16
    >>> bool(truth <= bound[0] <= truth * (1.0 + 2e-10))
    True
    """
    inside, less, more = first.weights(rates[0])
    within, below, _ = second.weights(rates[1])
    upto = np.concatenate([below[:, None], below[:, None] + np.cumsum(within, axis=1)], axis=1)
    upto[:, -1] = 1.0
    reached = np.minimum(upto, 1.0)[:, steps]
    total = less + np.sum(inside * reached, axis=1) + more * reached[:, -1]
    bound = total * (1.0 + _PAD) + _FLOOR
    return np.where(bound <= 1.0, bound, 1.0)


def _log_upper(counts: FloatArray, n: int, rates: FloatArray) -> FloatArray:
    """Upper bounds on log P(count): those at the middle rate, tilted from there to the others."""
    middle = float(np.sort(rates)[rates.size // 2])
    value, error = log_binomial(counts, n, middle)
    apart = rates - middle
    up, up_error = _log_ratio(apart / middle, np.log(rates), math.log(middle))
    down, down_error = _log_ratio(-apart / (1.0 - middle), np.log1p(-rates), math.log1p(-middle))
    rest = n - counts
    return value + error + up * counts + down * rest + up_error * counts + down_error * rest


def _log_ratio(change: FloatArray, log: FloatArray, log_middle: float) -> tuple[FloatArray, FloatArray]:
    """log(1 + change), the difference of two logarithms, as columns; and bounds on the errors.

    The change is off by three roundings, which log1p at -1/2 or more at most doubles, and counts are multiplied in.
    """
    near = np.abs(change) < 0.5
    with np.errstate(divide="ignore"):
        found = np.where(near, np.log1p(np.where(near, change, 0.0)), log - log_middle)
    error = 16.0 * UNIT * np.where(near, np.abs(found), np.abs(log) + abs(log_middle))
    return found[:, None], error[:, None]


def _series(log_ratio: FloatArray, width: FloatArray) -> FloatArray:
    """1 + rho + ... + rho^(width - 1), rounded up by what an error of _BLUR in log rho amounts to."""
    if bool(np.all(width == 1.0)):
        return np.ones(1)
    flat = np.abs(log_ratio) < _ALIKE
    ratio = np.where(flat | (width == 1.0), 1.0, log_ratio)
    with np.errstate(over="ignore"):
        found = np.expm1(ratio * width) / np.expm1(ratio)
        alike = width * np.exp(_ALIKE * width)
        return np.where(width == 1.0, 1.0, np.where(flat, alike, found) * (1.0 + _BLUR * width))


def _beyond(log_first: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """What the first of endlessly many counts and the rest weigh, each less than the one before; else 1."""
    falls = log_ratio < -_ALIKE
    with np.errstate(divide="ignore"):
        total = np.exp(log_first) / -np.expm1(np.where(falls, log_ratio, -1.0)) * (1.0 + _BLUR / _ALIKE)
    return np.where(falls, np.minimum(total, 1.0), 1.0)
