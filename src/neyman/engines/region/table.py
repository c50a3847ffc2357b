"""Where the tangents of Renyi regions touch them, from one explicit table per region: it steers, and decides nothing.

With s = t - 1, y = d1 - d2, m = -d2 (m = d1 for D_t(Q||P)) and e(z) = log((e^z - 1) / z), the boundary E = kappa reads

    log(1 - e^-m) + e(s y) - e(-y) = log(rho + m) + e(s (rho + m)),

so one Newton in log y over a ladder of m finds the points of every order, and the slope there is explicit (see
``tangents``). What is read off between them is off by about 1e-4; two secants leave little of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.region.meetings import Meetings, meetings
from neyman.engines.region.tangents import LEAST_RHO, Orders, Tangent, steered, steered_rise
from neyman.numerics.functions.few import every, some
from neyman.numerics.rounding import TINY

__all__ = ["AllOrdersTable", "Near", "OrdersTable", "tangents_near"]

_Indices = NDArray[np.intp]
_FOUR = np.arange(4)[:, None]  # points that a cubic goes through
_OTHERS = np.array([[1, 0, 0, 0], [2, 2, 1, 1], [3, 3, 3, 2]])  # the first, second and third beside each of them
_LADDER = np.concatenate([np.linspace(-744.0, -100.0, 200)[:-1], np.linspace(-100.0, 7.0, 320)])  # of log m
_NEWTONS = 14  # steps, at most
_SETTLED = 1e-9  # a step at which it stops
_PLACES = 900  # eps at which the best of many orders is looked up
_SECANTS = 4  # that tell about where one order takes over from another
_ALL_ORDERS = 260  # points of the curve of contacts with all orders
_BISECTIONS = 46  # halvings: down to a float of the first interval, about
_LEAST_EXCESS, _MOST_EXCESS = 1e-4, 60.0  # t - 1 of those points
_NEXT_TO_ONE = 1e-13  # t - 1 where the divergence is that of Kullback and Leibler
_DEEP = -650.0  # log delta at the end of a table that tells of all that matters
_TELLING = 40  # points without which there is no table
_RHO = (1e-12, 200.0)  # outside, floats no longer hold the boundary
_SOFT = 1e-3  # of the reach, added to eps where logarithms of it are taken
_PROMISED = (2e-3, 1e-3)  # by how much the score of a tangent may miss what the table says, absolutely and relatively
_LEAST, _NEAREST, _BEYOND = 1e-12, 1e-4, 1.3  # y to begin with; times the reach: the first and the last eps
_FAINTEST = -744.0  # log of the least m


class Near(NamedTuple):
    """Points of contact, about: log(-d2), log y, and log(delta / (1 - delta)) there (inf where it is not known)."""

    log_d2: FloatArray
    log_y: FloatArray
    score: FloatArray


def tangents_near(orders: Orders, epsilon: FloatArray, near: Near) -> Tangent:
    """The tangents of ``orders``, one at each eps; searched for at length where the table has promised more."""
    found = orders.tangent(epsilon, orders.refined(epsilon, near.log_d2, near.log_y))
    with np.errstate(all="ignore"):
        allowed = near.score + _PROMISED[0] + _PROMISED[1] * np.abs(near.score)
        missed = np.isfinite(near.score) & ~(np.log(found.delta) - found.log_gap <= allowed)
    if not some(missed):
        return found
    at = np.flatnonzero(missed)
    searched = Orders(orders.t[at], orders.rho[at], orders.turned).tangent(epsilon[at])
    return found.replaced(at, searched)


def _boundary(s: FloatArray, rho: FloatArray, m: FloatArray) -> FloatArray:
    """log y on the boundary E = kappa, by Newton."""
    top = np.log(rho + m) - np.log(-np.expm1(-m))
    goal = top + steered(s * (rho + m))
    more = np.maximum(s, 0.0)
    log_y = np.log(np.maximum((goal + np.log1p(goal * more)) / (more + 1.0), _LEAST))
    for _ in range(_NEWTONS):
        y = np.exp(log_y)
        slope = np.maximum((s * steered_rise(s * y) + steered_rise(-y)) * y, TINY)
        move = np.minimum(np.maximum((goal - steered(s * y) + steered(-y)) / slope, -1.0), 1.0)
        log_y = log_y + move
        if not some(np.abs(move) >= _SETTLED):
            break
    return log_y


def _contacts(t: FloatArray, m: FloatArray, log_y: FloatArray, turned: bool) -> tuple[FloatArray, Near]:
    """The eps of whose slope the tangents at these points are, and what is there; NaN where there is no point."""
    y, s = np.exp(log_y), t - 1.0
    lean = steered(t * y) - steered(s * y)
    d1, d2 = (m + 0.0 * y, m - y) if turned else (y - m, -m + 0.0 * y)
    epsilon = d1 - lean if turned else d2 + lean
    p = -np.expm1(d2) / -np.expm1(-y)
    delta = -p * np.expm1(epsilon - d1)
    gap = np.exp(d2) * -np.expm1(-d1) / -np.expm1(-y) + p * np.exp(np.minimum(epsilon - d1, 0.0))
    sane = (d1 > 0.0) & (d2 < 0.0) & (delta > 0.0)
    score = np.log(np.where(sane, delta, 1.0)) - np.log(np.where(sane & (gap > 0.0), gap, TINY))
    log_d2 = np.log(np.where(sane, -d2, 1.0))
    return np.where(sane, epsilon, np.nan), Near(*(np.where(sane, x, np.nan) for x in (log_d2, log_y, score)))


def _rising(epsilon: FloatArray) -> _Indices:
    """The places at which eps exceeds all before."""
    if not len(epsilon):
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(np.append(True, epsilon[1:] > np.maximum.accumulate(epsilon)[:-1]))


def _cubic(x: FloatArray, xs: FloatArray, columns: FloatArray) -> FloatArray:
    """Lagrange's through four points, the first axis of ``xs``, of each of the ``columns``, whose second it is."""
    (x1, x2, x3), (away1, away2, away3) = xs[_OTHERS], (x - xs)[_OTHERS]
    apart = (xs - x1) * (xs - x2) * (xs - x3)
    terms = away1 * away2 * away3 / apart * columns
    return terms[:, 0] + terms[:, 1] + terms[:, 2] + terms[:, 3]


class OrdersTable:
    """The boundaries of finitely many orders: rows of points, those of D_t(P||Q) and then those of D_t(Q||P)."""

    def __init__(self, t: FloatArray, rho: FloatArray, reach: float) -> None:
        self._t, self._rho = t, np.maximum(rho, LEAST_RHO)
        shape = 2 * len(t), len(_LADDER)
        self._length = np.zeros(shape[0], dtype=np.intp)
        self._epsilon = np.full(shape, np.inf)
        self._columns = np.zeros((3, *shape))
        self._near = Near(*self._columns)
        self._near.score[:] = -np.inf
        self._places = np.append(0.0, np.geomspace(_NEAREST * reach, _BEYOND * reach, _PLACES))
        m = np.exp(_LADDER)[None, :]
        scores = np.full((shape[0], len(self._places)), np.inf)
        with np.errstate(all="ignore"):
            log_y = _boundary(t[:, None] - 1.0, self._rho[:, None], m)
            for turned in (False, True):
                epsilon, near = _contacts(t[:, None], m, log_y, turned)
                for i in range(len(t)):
                    self._fill(i + len(t) * turned, epsilon[i], Near(*(x[i] for x in near)), turned)
                    scores[i + len(t) * turned] = self._scores(i, turned)
        self._best, self._least = np.argmin(scores, axis=0), np.min(scores, axis=0)

    def _fill(self, row: int, epsilon: FloatArray, near: Near, turned: bool) -> None:
        known = np.flatnonzero(np.isfinite(near.score))
        known = known if turned else known[::-1]  # so that eps rises
        known = known[_rising(epsilon[known])]
        self._length[row] = n = len(known)
        self._epsilon[row, :n] = epsilon[known]
        for column, value in zip(self._near, near, strict=True):
            column[row, :n] = value[known]

    def _scores(self, i: int, turned: bool) -> FloatArray:
        """What the table promises at each place, and what the axes do."""
        row = i + len(self._t) * turned
        n, places = int(self._length[row]), self._places
        if n < 4:
            return np.full(len(places), np.inf)
        first, last = float(self._epsilon[row, 0]), float(self._epsilon[row, n - 1])
        found = np.interp(places, self._epsilon[row, :n], self._near.score[row, :n], left=np.inf, right=np.inf)
        if not turned:
            gap = np.minimum(places - self._rho[i], -TINY)
            return np.where(places < first, np.log(-np.expm1(gap)) - gap, found)
        if self._t[i] > 1.0:
            return np.where(places > last, np.log(-np.expm1(-self._rho[i])) + self._rho[i], found)
        return found

    def candidates(self, epsilon: FloatArray) -> tuple[_Indices, _Indices]:
        """Two rows for each eps, the better of which is the best."""
        at = np.minimum(np.maximum(self._places.searchsorted(epsilon) - 1, 0), len(self._places) - 2)
        return self._best[at], self._best[at + 1]

    def contacts(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """d1 (NaN at an axis) and d2 where the best tangents touch, as near as steering goes, and their orders."""
        first, second = self.candidates(epsilon)
        row, near = first, self._read(first, epsilon)
        at = np.flatnonzero(first != second)
        if len(at):
            other = self._read(second[at], epsilon[at])
            less = ~(near.score[at] <= other.score)
            at, row = at[less], row.copy()
            row[at] = second[at]
            for mine, theirs in zip(near, other, strict=True):
                mine[at] = theirs[less]
        count, t = len(self._t), self._t[row % len(self._t)]
        back = row >= count
        if every(back) or not some(back):
            d2, y = Orders(t, self._rho[row % count], some(back)).contact(epsilon, near.log_d2, near.log_y)
            d1 = d2 + y
        else:
            d1, d2 = np.empty_like(epsilon), np.empty_like(epsilon)
            for turned in (False, True):
                at = np.flatnonzero(back == turned)
                orders = Orders(t[at], self._rho[row[at] % count], turned)
                d2[at], y = orders.contact(epsilon[at], near.log_d2[at], near.log_y[at])
                d1[at] = d2[at] + y
        gone = ~np.isfinite(near.score)  # beyond the table: at an axis, or nowhere
        return np.where(gone, np.nan, d1), d2, t

    def expected(self, start: float) -> tuple[FloatArray, FloatArray]:
        """Some eps beyond ``start``, and about log(delta / (1 - delta)) there."""
        known = np.flatnonzero((self._places > start) & np.isfinite(self._least))
        return self._places[known], self._least[known]

    @property
    def changes(self) -> int:
        """How often one row takes over from another."""
        return int(np.sum(np.diff(self._best) != 0))

    def meetings(self) -> Meetings:
        """The corners where the best row changes, where both rows are known there."""
        at = np.flatnonzero(np.diff(self._best))
        first, second = self._best[at], self._best[at + 1]
        low, high = self._places[at], self._places[at + 1]
        with np.errstate(all="ignore"):
            before, after = (self._read(first, e).score - self._read(second, e).score for e in (low, high))
            for _ in range(_SECANTS):
                middle = low - before * (high - low) / (after - before)
                middle = np.where((middle >= low) & (middle <= high), middle, 0.5 * (low + high))
                ahead = self._read(first, middle).score - self._read(second, middle).score
                kept = ahead > 0.0
                low, before = np.where(kept, low, middle), np.where(kept, 0.5 * before, ahead)
                high, after = np.where(kept, middle, high), np.where(kept, ahead, 0.5 * after)
            between = 0.5 * (low + high)
            ends = [self._read(row, between) for row in (first, second)]
            turned = [row >= len(self._t) for row in (first, second)]
            d2 = [-np.exp(end.log_d2) for end in ends]
            d1 = [there + np.exp(end.log_y) for there, end in zip(d2, ends, strict=True)]
            near = np.sqrt(d1[0] * d1[1]), -np.sqrt(d2[0] * d2[1])
        sides = [
            (self._t[row % len(self._t)], self._rho[row % len(self._t)], 1.0 * way)
            for row, way in zip((first, second), turned, strict=True)
        ]
        return meetings(sides[0], sides[1], near, between)

    def tangent(self, row: _Indices, epsilon: FloatArray) -> tuple[Tangent, FloatArray]:
        """The tangents of these rows, one at each eps, and their orders."""
        count, t = len(self._t), self._t[row % len(self._t)]
        near, rho = self._read(row, epsilon), self._rho[row % count]
        back = row >= count
        if every(back) or not some(back):
            return tangents_near(Orders(t, rho, some(back)), epsilon, near), t
        found = Tangent(*(np.empty(len(epsilon)) for _ in range(5)))
        for turned in (False, True):
            at = np.flatnonzero(back == turned)
            there = Near(*(x[at] for x in near))
            found = found.replaced(at, tangents_near(Orders(t[at], rho[at], turned), epsilon[at], there))
        return found, t

    def _read(self, row: _Indices, epsilon: FloatArray) -> Near:
        points, n = self._epsilon, self._length[row]
        begins = row * points.shape[1]  # of each row, in all of them one after another
        first, last = points.take(begins), points.take(begins + np.maximum(n - 1, 0))
        low = np.empty(len(epsilon), dtype=np.intp)
        for one in set(row.tolist()):  # few at a time
            at = row == one
            low[at] = points[one, 1 : max(int(self._length[one]) - 1, 1)].searchsorted(epsilon[at], side="right")
        four = begins + np.minimum(np.maximum(low - 1, 0), np.maximum(n - 4, 0)) + _FOUR
        inside = np.minimum(np.maximum(epsilon, first), last)
        columns = self._columns.reshape(3, -1).take(four, axis=1)
        with np.errstate(all="ignore"):
            found = _cubic(inside, points.take(four), columns)
        found[2][~((epsilon >= first) & (epsilon <= last))] = np.inf
        return Near(*found)


class AllOrdersTable:
    """The curve of contacts with the tangents that are least over all orders: D_t <= rho t for every t > 1.

    Along it t is the parameter: for each t the point of its boundary where E - kappa does not change with t. Below its
    first eps the least order rules, that of Kullback and Leibler.
    """

    def __init__(self, rho: float, reach: float) -> None:
        self._rho, self._reach = rho, reach
        most = 3.0 * (_BEYOND * reach + rho) / (2.0 * rho) + _MOST_EXCESS
        s = np.geomspace(_LEAST_EXCESS, most, _ALL_ORDERS)
        with np.errstate(all="ignore"):
            m, log_y = self._stationary(s)
            epsilon, near = _contacts(1.0 + s, m, log_y, False)
        known = np.flatnonzero(np.isfinite(near.score))
        known = known[_rising(epsilon[known])]
        self.useful = len(known) > _TELLING and _RHO[0] < rho < _RHO[1]
        if not self.useful:
            return
        self.first, self.last = float(epsilon[known[0]]), float(epsilon[known[-1]])
        self.deep = float(near.score[known[-1]]) < _DEEP or self.last >= reach  # beyond, delta does not matter
        columns = np.stack([np.log(s)[known], *(x[known] for x in near)], axis=1)
        from scipy.interpolate import CubicSpline  # a tenth of a second that most answers have no use for

        self._curve = CubicSpline(self._place(epsilon[known]), columns)
        m, least = np.exp(_LADDER), np.array([_NEXT_TO_ONE])
        with np.errstate(all="ignore"):
            epsilon, near = _contacts(1.0 + least, m, _boundary(least, np.array([rho]), m), False)
        known = np.flatnonzero(np.isfinite(near.score))[::-1]
        known = known[_rising(epsilon[known])]
        self._low = epsilon[known], Near(*(x[known] for x in near))
        self.useful = len(known) >= 4
        self.begins = float(epsilon[known[0]]) if self.useful else 0.0  # tangents of less slope touch at p = 1, about

    def _stationary(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """m and log y where the order s + 1 touches the envelope of all, by bisection in log m."""
        low, high = np.full(len(s), _FAINTEST), np.full(len(s), 8.0)
        m, log_y = np.exp(low), low
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            m = np.exp(middle)
            log_y = _boundary(s, self._rho * (1.0 + s), m)
            y = np.exp(log_y)
            p, d1 = np.expm1(-m) / np.expm1(-y), y - m
            # the share of p e^{s d1} in the moment, which weighs d1 against d2 = -m
            share = np.exp(-np.logaddexp(0.0, np.log1p(-p) - s * m - np.log(p) - s * d1))
            short = share * d1 - (1.0 - share) * m > self._rho * (2.0 * s + 1.0)
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return m, log_y

    def _place(self, epsilon: FloatArray) -> FloatArray:
        return np.log(epsilon + _SOFT * self._reach)

    def near(self, epsilon: FloatArray) -> tuple[FloatArray, Near]:
        """The best order at each eps up to the last, and about where its tangent touches."""
        excess, *found = self._curve(self._place(np.clip(epsilon, self.first, self.last))).T
        with np.errstate(over="ignore"):  # an order beyond the floats tells nothing
            t = 1.0 + np.exp(excess)
        below = np.flatnonzero(epsilon < self.first)
        if len(below):
            t[below] = 1.0 + _NEXT_TO_ONE
            points, columns = self._low
            inside = np.clip(epsilon[below], points[0], points[-1])
            k = np.clip(np.searchsorted(points, inside) - 2, 0, len(points) - 4)
            read = _cubic(inside, points[k + _FOUR], np.stack([values[k + _FOUR] for values in columns]))
            for column, values in zip(found, read, strict=True):
                column[below] = values
            found[2] = np.where(epsilon < points[0], np.inf, found[2])
        found[2] = np.where(epsilon > self.last, np.inf, found[2])
        return t, Near(*found)
