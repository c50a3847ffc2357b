"""The best profile that follows from bounds on Renyi divergences, in both orders of the pair at once.

Every test keeps all bounds, so delta(eps) is the largest p - e^eps a over the region that they leave. From above: the
tangents of each order (``tangents``), least over the orders, and chords between them: the region is symmetric,
so its corner alpha* on the diagonal, max over eps of (1 - delta) / (1 + e^eps), rules for small eps; a hull of tangents
sees the corners between two orders. From below: points inside. E is convex and nothing on the diagonal, hence a point
with E <= s kappa at every order is inside once it is brought nearer to the diagonal by s.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.closed_form.polygon import PolygonProfile
from neyman.engines.region.all_orders import AllOrders
from neyman.engines.region.base import RegionProfile
from neyman.engines.region.coins import Coins
from neyman.engines.region.meetings import Meetings
from neyman.engines.region.one_order import Elementary
from neyman.engines.region.table import AllOrdersTable, OrdersTable, tangents_near
from neyman.engines.region.tangents import LEAST_RHO, Orders, Tangent
from neyman.numerics.functions.few import some
from neyman.numerics.rounding import TINY, UNIT
from neyman.profiles.pair import delta_score

__all__ = ["RegionProfile", "RenyiProfile", "ZcdpProfile"]

_FINE, _FEW = 400, 16  # tangents of the hull, beside those at corners that are known
_BESIDE, _SETTLED = 1e-2, 1e-12  # how near to the boundary coins are led to it, and how near they have to be
_LAST = 690.0  # -log of the smallest delta that matters
_FARTHEST = 1e12  # an eps beyond it is answered as this one, from above
_ZOOMS = 7  # how often a grid of orders is narrowed
_LEVEL = 1e-13  # the least t - 1 there
_CUT = 1e-8  # by how much E may exceed kappa of another order at a corner that is said to be one
_OUT, _IN_CORNER = 1e-9, 1e-13  # beside the ends of corners; how near to one log alpha has to be to be told by it alone
_LOOKED_UP = 128  # points between which the best of all orders is interpolated
_SOFT = 0.05  # added to t - 1 where it is interpolated: the best order starts from 1
_LEAST_ORDER = -30.0  # log(t - 1) where the divergence is that of Kullback and Leibler
_NEAR = np.geomspace(1e-4, 1.0, 36)  # distances from the best order, in log(t - 1), looked at on either side
_LOW = np.linspace(_LEAST_ORDER - 1.0, -7.0, 40)  # and all the way to either end: t - 1 hardly counts, or does
_FAR = np.linspace(0.0, 1.0, 200)  # shares of the way to the farthest order
_NEARER = 4  # steps of a fixed point that says where orders are worth asking
_LIKE_ORDERS = 24  # orders that take as long as the one that tells of all, which is searched for
_ABOUT = np.array([0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2.0])  # times t - 1 of the order that an exponent says is best
_ALL, _NEXT_TO_ONE = 60.0, 1e-2  # eps that an order of 1 alone is asked for, and the least t - 1 that says where to end
_SHORTEST, _BEYOND = 1e-3, 1.2  # times that end: the first and the last place of a grid
_LEAST_EXCESS, _MOST_EXCESS = 1e-9, 1e9  # t - 1 that are tried
_MOST, _SPARE = 40.0, 0.1  # the same beside what is expected, and in log


class RenyiProfile(RegionProfile):
    """D_t <= rho at finitely many orders t >= 1/2 (rising), in both orders of the pair; rho > 0.

    Error bound: the tangents are certified; where two orders meet, delta is known to 1e-9 if their corner was found,
    else it is at most about 1e-4 above the best.
    """

    def __init__(self, t: FloatArray, rho: FloatArray) -> None:
        self._t, self._rho = t, rho
        self._orders = Orders(t[:, None], rho[:, None], False)

    @property
    def attained_mu(self) -> float:
        return math.sqrt(2.0 * float(np.min(self._rho / self._t))) * (1.0 - 4.0 * UNIT)  # D_t of G_mu is mu^2 t / 2

    @property
    def _looks(self) -> int:
        return 4 * len(self._t)  # two points, of both directions

    @property
    def _reach(self) -> float:
        return self._reached

    @cached_property
    def _reached(self) -> float:
        if self._t[-1] <= 1.0:
            return _ALL
        return float(np.min(self._rho + _LAST / np.maximum(self._t - 1.0, _NEXT_TO_ONE)))

    @cached_property
    def _table(self) -> OrdersTable:
        return OrdersTable(self._t, self._rho, self._reach)

    @property
    def turns(self) -> FloatArray:
        """The ends of corners."""
        return np.concatenate([[self.corner[0]], self._meetings.low, self._meetings.high])

    @property
    def expected(self) -> tuple[FloatArray, FloatArray] | None:
        """By the table, beyond the corner."""
        return self._expected

    @cached_property
    def _expected(self) -> tuple[FloatArray, FloatArray]:
        epsilon, odds = self._table.expected(self.corner[0])
        return epsilon, delta_score(np.exp(-np.logaddexp(0.0, -odds)), -np.logaddexp(0.0, odds))

    @cached_property
    def _meetings(self) -> Meetings:
        """The corners between two orders that no other cuts off."""
        found = self._table.meetings()
        with np.errstate(all="ignore"):
            kept = self._share(found.d1, found.d2) <= 1.0 + _CUT
        return Meetings(*(field[kept] for field in found))

    def direct(self, epsilon: FloatArray) -> tuple[Tangent, FloatArray]:
        first, second = self._table.candidates(epsilon)
        found, t = self._table.tangent(first, epsilon)
        at = np.flatnonzero(first != second)
        if len(at):
            other, t_other = self._table.tangent(second[at], epsilon[at])
            less = other.delta < found.delta[at]
            less |= (other.delta == found.delta[at]) & (other.log_gap > found.log_gap[at])
            at, better = at[less], np.flatnonzero(less)
            found = found.replaced(at, Tangent(*(x[better] for x in other.fields)))
            t[at] = t_other[better]
        return found, t

    def _contacts(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        d1, d2, t = self._table.contacts(epsilon)
        corners = self._meetings
        place = corners.place(epsilon)
        at = np.flatnonzero(place >= 0)
        d1[at], d2[at] = corners.d1[place[at]], corners.d2[place[at]]
        return d1, d2, t

    def _aside(self, rate: FloatArray, epsilon: FloatArray, mirrored: NDArray[np.bool_]) -> FloatArray:
        corners = self._meetings
        place = corners.place(epsilon)
        at = np.flatnonzero(place >= 0)
        if not len(at):
            return epsilon
        d1, d2, found = corners.d1[place[at]], corners.d2[place[at]], epsilon.copy()
        power = np.log(np.expm1(d2) / np.expm1(d2 - d1))
        there = np.where(mirrored[at], power, power - d1)
        ends = corners.high[place[at]] * (1.0 + _OUT), corners.low[place[at]] * (1.0 - _OUT)
        off = np.abs(rate[at] - there) > _IN_CORNER
        found[at] = np.where(off, np.where(rate[at] < there, *ends), epsilon[at])
        return found

    def _drawn(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> Coins:
        return Coins(*(field[0] for field in self._drawn_rows(d1[None], d2[None])))

    def _drawn_each(self, points: list[tuple[FloatArray, FloatArray]], t: FloatArray) -> list[Coins]:
        return [self._drawn_rows(np.array([d1 for d1, _ in points]), np.array([d2 for _, d2 in points]))]

    def _drawn_rows(self, d1: FloatArray, d2: FloatArray) -> Coins:
        """Rows of points, each as if it was alone."""
        share = self._share(d1, d2)
        off = np.abs(share - 1.0)
        near = off < _BESIDE
        led = near & (off > _SETTLED)
        if some(led):  # tangents spend their digits on slopes
            near &= np.any(led, axis=1, keepdims=True)
            with np.errstate(all="ignore"):
                d1, d2 = Coins(d1, d2, share).drawn(np.where(near, share, 1.0))
            share = self._share(d1, d2)
        return Coins(d1, d2, np.maximum(share, 1.0))

    def _share(self, d1: FloatArray, d2: FloatArray) -> FloatArray:
        """The largest E / kappa over all orders."""
        # the other way the two laws are exchanged, and the two outcomes
        held = self._orders.held(np.array([d1, -d2]).ravel(), np.array([d2, -d1]).ravel())
        return np.max(held, axis=0).reshape(2, *d1.shape).max(axis=0)

    def _plain(self, epsilon: FloatArray) -> Elementary:
        return self._elementary

    @cached_property
    def _elementary(self) -> Elementary:
        few = self._t >= 1.0
        if not np.any(few):
            return Elementary(np.ones((1, 1)), np.full((1, 1), np.inf))
        return Elementary(self._t[few, None], self._rho[few, None])

    @cached_property
    def _hull(self) -> PolygonProfile:
        start = self.corner[0]
        every = self._table.changes == len(self._meetings.low)  # else corners nobody knows lie somewhere
        grid = np.append(0.0, np.geomspace(_SHORTEST * self._reach, self._reach, _FEW if every else _FINE))
        ends = np.concatenate([self._meetings.low, self._meetings.high])
        grid = np.union1d(grid[grid > start], [start, *ends[ends > start]])
        delta = self.direct(grid)[0].delta
        useful = delta < 0.5  # near 1 a float no longer tells one from the next
        return PolygonProfile(*((grid[useful], delta[useful]) if np.any(useful) else (np.zeros(1), np.ones(1))))

    def _hulled(self, epsilon: FloatArray, upper: FloatArray, log_gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        if len(self._t) == 1:
            return upper, log_gap
        hull = self._hull.bracket(epsilon)
        return np.minimum(upper, hull.upper), np.maximum(log_gap, hull.log_gap_lower)

    def _corners(self, epsilon: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """Where two orders share the rule, the hull bends about where their curves meet."""
        if len(self._t) == 1:
            return []
        a, p = self._hull.corner(epsilon)
        with np.errstate(divide="ignore", invalid="ignore"):
            d1, d2 = np.log(p) - np.log(a), np.log1p(-p) - np.log1p(-a)
        place = self._meetings.place(epsilon)
        at = np.flatnonzero(place >= 0)
        d1[at], d2[at] = self._meetings.d1[place[at]], self._meetings.d2[place[at]]
        return [(d1, d2)]


class ZcdpProfile(RegionProfile):
    """D_t <= rho t at every order t > 1, in both orders of the pair (rho-zCDP); rho > 0.

    Error bound: the tangents are certified; the order used is off the best by a share of about 1e-4, which costs its
    square. Lower bounds allow for the orders between those looked at, rho (gap)^2 / 4 each.
    """

    def __init__(self, rho: float) -> None:
        self._rho = max(rho, LEAST_RHO)
        self._stated = rho >= LEAST_RHO

    @property
    def attained_mu(self) -> float:
        return math.sqrt(2.0 * self._rho) * (1.0 - 4.0 * UNIT) if self._stated else 0.0

    @property
    def _looks(self) -> int:
        return _LIKE_ORDERS

    @property
    def _reach(self) -> float:
        return self._rho + 2.0 * math.sqrt(self._rho * _LAST)

    @cached_property
    def _all_orders(self) -> AllOrders:
        return AllOrders(self._rho)

    @cached_property
    def _table(self) -> AllOrdersTable:
        return AllOrdersTable(self._rho, self._reach)

    @property
    def turns(self) -> FloatArray:
        """The end of the corner, and where the least order rules no more."""
        return np.array([self.corner[0], *([self._table.first] if self._table.useful else [])])

    def direct(self, epsilon: FloatArray) -> tuple[Tangent, FloatArray]:
        """For eps >= 0 the orders of D(P||Q) rule."""
        table = self._table
        if not table.useful:
            return self._searched(epsilon)
        t, near = table.near(epsilon)
        reached = np.minimum(epsilon, table.last) if table.deep else epsilon  # delta does not rise
        found = tangents_near(Orders(t, self._rho * t * (1.0 + 4.0 * UNIT), False), reached, near)
        far = np.flatnonzero(reached > table.last)
        if len(far):
            beyond, t[far] = self._searched(epsilon[far])
            found = found.replaced(far, beyond)
        return found, t

    def _contacts(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        table = self._table
        if not table.useful or np.any(epsilon > table.last):
            tangent, t = self.direct(np.minimum(epsilon, _FARTHEST))
            return tangent.d1, tangent.d2, t
        reached = np.maximum(epsilon, table.begins)
        t, near = table.near(reached)
        d2, y = Orders(t, self._rho * t, False).contact(reached, near.log_d2, near.log_y)
        return d2 + y, d2, t

    def _plain(self, epsilon: FloatArray) -> Elementary:
        """About the order that is best for e^((t-1) (rho t - eps)), where that is least, and the limit t = 1."""
        best = 0.5 * (np.maximum(epsilon, self._rho) - self._rho) / self._rho
        t = [np.ones((1, len(epsilon))), 1.0 + np.maximum(best * _ABOUT[:, None], _LEAST_EXCESS)]
        c = np.maximum(best, _LEAST_EXCESS)
        for _ in range(_NEARER):  # and of the whole bound, c^c / (1 + c)^(1 + c) e^(c (rho (1 + c) - eps)): large rho
            c = best - 0.5 * (np.log(c) - np.log1p(c)) / self._rho
            c = np.minimum(np.maximum(c, _LEAST_EXCESS), _MOST_EXCESS)
        t = np.vstack([*t, 1.0 + c[None, :]])
        return Elementary(t, self._rho * t * (1.0 + 4.0 * UNIT))

    @cached_property
    def _best_order(self) -> Callable[[FloatArray], FloatArray]:
        """log(t - 1 + soft) of the order whose tangent is least, over the place of eps. It steers."""
        from scipy.interpolate import PchipInterpolator  # a tenth of a second that most answers have no use for

        grid = np.append(0.0, np.geomspace(_SHORTEST, _BEYOND, _LOOKED_UP) * self._reach)
        low = np.full(len(grid), math.log(_SOFT))
        high = np.log(2.0 * (grid + self._rho) / self._rho + _MOST)
        pick = np.arange(len(grid))
        for _ in range(_ZOOMS):
            w = low + (high - low) * np.linspace(0.0, 1.0, 9)[:, None]
            tangent = self._order(w).tangent(grid[None, :])
            at = np.argmin(np.log(np.maximum(tangent.delta, TINY)) - tangent.log_gap, axis=0)
            low, high = w[np.maximum(at - 1, 0), pick], w[np.minimum(at + 1, 8), pick]
        return PchipInterpolator(self._place(grid), 0.5 * (low + high))

    def _place(self, epsilon: FloatArray) -> FloatArray:
        return np.log(np.minimum(epsilon / self._reach, _BEYOND) + _SHORTEST)

    def _order(self, w: FloatArray) -> Orders:
        t = 1.0 + np.maximum(np.exp(w) - _SOFT, _LEVEL)
        return Orders(t, self._rho * t * (1.0 + 4.0 * UNIT), False)

    def _searched(self, epsilon: FloatArray) -> tuple[Tangent, FloatArray]:
        """The same without the table."""
        beyond = np.maximum(np.log(np.maximum(epsilon, TINY) / (_BEYOND * self._reach)), 0.0)
        w = np.asarray(self._best_order(self._place(epsilon))) + beyond
        return _best(epsilon, self._order(w[None, :]))

    def _drawn(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> Coins:
        inside = self._all_orders.drawn(d1, d2, t)
        share = np.where(inside[2], 1.0, np.inf)
        at = np.flatnonzero(~inside[2] & (d1 > 0.0) & (d2 < 0.0))
        if len(at) and self._stated:
            inside[0][at], inside[1][at] = d1[at], d2[at]
            share[at] = self._ladder(d1[at], d2[at], t[at])
        return Coins(inside[0], inside[1], share)

    def _ladder(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> FloatArray:
        """Between neighbours log E is convex, below its chord; t (t - 1) falls short of its own by gap^2 / 4."""
        u = np.maximum(np.log(np.maximum(t - 1.0, TINY)), _LEAST_ORDER)
        top = np.maximum(np.log(np.maximum(d1, -d2) / self._rho), u) + _SPARE  # beyond it nothing is left to hold
        away = np.append(0.0, _NEAR)[:, None]
        least = np.minimum(top, _LOW[-1])
        ladder = [u - away, np.minimum(u + away, top), np.minimum(_LOW[:, None], top)]
        ladder.append(least + (top - least) * _FAR[:, None])
        excess = np.exp(np.maximum(np.sort(np.concatenate(ladder), axis=0), _LOW[0]))
        order, gap = 1.0 + excess, np.diff(excess, axis=0)
        wide = np.maximum(np.concatenate([0.0 * gap[:1], gap]), np.concatenate([gap, 0.0 * gap[:1]]))
        allowed = self._rho * order - 0.25 * self._rho * wide**2 / excess
        allowed[0] = np.minimum(allowed[0], self._rho)  # down to t = 1, where the divergence is least
        allowed = np.where(allowed > 0.0, allowed, TINY)
        held = [Orders(order, allowed, turned).held(d1, d2) for turned in (False, True)]
        return np.maximum(np.max(np.maximum(*held), axis=0), 1.0)


def _best(epsilon: FloatArray, orders: Orders) -> tuple[Tangent, FloatArray]:
    """For each eps the least tangent of its column, and the order it is of."""
    tangent = orders.tangent(epsilon[None, :])
    score = np.where(tangent.delta < 0.5, tangent.delta, 1.0 - np.exp(tangent.log_gap))
    at = np.argmin(score, axis=0)[None, :]
    t = np.broadcast_to(orders.t, score.shape)
    fields = (np.broadcast_to(x, score.shape) for x in tangent.fields)
    return Tangent(*(np.take_along_axis(x, at, 0)[0] for x in fields)), np.take_along_axis(t, at, 0)[0]
