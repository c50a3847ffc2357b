"""The best profile that follows from bounds on Renyi divergences, in both orders of the pair at once.

Every test keeps all bounds, so delta(eps) is the largest p - e^eps a over the region that they leave. From above: the
tangents of each order (``tangents``), least over the orders, and chords between them: the region is symmetric,
so its corner alpha* on the diagonal, max over eps of (1 - delta) / (1 + e^eps), rules for small eps; a hull of tangents
sees the corners between two orders. From below: points inside. E is convex and nothing on the diagonal, hence a point
with E <= s kappa at every order is inside once it is brought nearer to the diagonal by s.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.interpolate import PchipInterpolator

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import ClosedForm
from neyman.engines.closed_form.polygon import PolygonProfile
from neyman.engines.region.one_order import elementary_delta
from neyman.engines.region.table import AllOrdersTable, OrdersTable, tangents_near
from neyman.engines.region.tangents import LEAST_RHO, Orders, Tangent
from neyman.numerics.rounding import LARGEST_EXPONENT, TINY, UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.profile import Bracket

__all__ = ["RegionProfile", "RenyiProfile", "ZcdpProfile"]

_FINE = 400  # tangents of the hull
_KEPT, _PIECE = 20_000, 1000  # points inside, and eps asked at once
_FAR_OUT = 37.0  # mu of a small rho from which delta does not matter
_LAST = 690.0  # -log of the smallest delta that matters
_FARTHEST = 1e12  # an eps beyond it is answered as this one, from above
_FAINT = 1e-290  # a lower bound below it is none: products underflow
_SEARCH, _ZOOMS = 40, 7  # points of a grid of orders, and how often it is narrowed
_LEVEL = 1e-13  # relative: values that are one to a float; the largest order of them is taken
_LOOKED_UP = 128  # points between which the best of all orders is interpolated
_SOFT = 0.05  # added to t - 1 where it is interpolated: the best order starts from 1
_LEAST_ORDER = -30.0  # log(t - 1) where the divergence is that of Kullback and Leibler
_NEAR = np.geomspace(1e-4, 1.0, 36)  # distances from the best order, in log(t - 1), looked at on either side
_LOW = np.linspace(_LEAST_ORDER - 1.0, -7.0, 40)  # and all the way to either end: t - 1 hardly counts, or does
_FAR = np.linspace(0.0, 1.0, 200)  # shares of the way to the farthest order
_NEARER = 4  # steps of a fixed point that says where orders are worth asking
# nominal nanoseconds: of a bracket, of one of its eps, of points inside, and of one of those by one order looked at
_BRACKET, _PLACE, _INSIDE, _HELD = 3e6, 4e3, 8e6, 450.0
_ABOUT = np.array([0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2.0])  # times t - 1 of the order that an exponent says is best
_LARGEST_EPSILON = 709.0  # e^709 = 8.2e307 is a float
_ROUNDED = 32.0 * UNIT  # certifies: of p and 1 - a, for each unit of eps and of d1
_ALL, _NEXT_TO_ONE = 60.0, 1e-2  # eps that an order of 1 alone is asked for, and the least t - 1 that says where to end
_SHORTEST, _BEYOND = 1e-3, 1.2  # times that end: the first and the last place of a grid
_LEAST_EXCESS, _MOST_EXCESS = 1e-9, 1e9  # t - 1 that are tried
_MOST, _SPARE = 40.0, 0.1  # the same beside what is expected, and in log


class RegionProfile(ClosedForm):
    """What finitely many orders and all orders have in common."""

    width_is = "enclosure"  # between tangents, and points that tests attain
    _apart: ClassVar[float]  # how wide the places are whose eps share a point inside

    @property
    def tail_mu(self) -> float:
        """Inf: no number that holds with no floor is known here."""
        return math.inf

    @abstractmethod
    def direct(self, epsilon: FloatArray) -> tuple[Tangent, FloatArray]:
        """The best tangent at each eps, and the order it is of."""

    @abstractmethod
    def _share(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> FloatArray:
        """An upper bound on the largest E / kappa over all orders, at points that the order ``t`` has found."""

    @property
    @abstractmethod
    def _reach(self) -> float:
        """About the eps beyond which delta does not matter."""

    @cached_property
    def corner(self) -> tuple[float, float, float]:
        """From which eps the corner alpha* on the diagonal rules no more; log alpha* from below; log(1 / alpha* - 1).

        It ends where tangents begin to touch at alpha <= beta: there (1 - delta) / (1 + e^eps) is largest.
        """
        low, high = 0.0, max(self._reach, _SHORTEST)
        start, log_alpha = 0.0, -math.inf
        for _ in range(_ZOOMS):
            grid = np.linspace(low, high, _SEARCH)
            value = self.direct(grid)[0].log_gap - np.logaddexp(0.0, grid)
            # large divergences leave it level for long: then up to where tangents touch beyond it
            at = int(np.flatnonzero(value >= np.max(value) - _LEVEL * (1.0 + abs(float(np.max(value)))))[-1])
            start, log_alpha = float(grid[at]), float(value[at])
            low, high = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, _SEARCH - 1)])
        log_alpha = min(log_alpha - 4.0 * UNIT * (2.0 + abs(log_alpha)), -math.log(2.0))
        return start, log_alpha, -log_alpha + math.log1p(-math.exp(log_alpha))

    @property
    @abstractmethod
    def attained_mu(self) -> float:
        """The largest mu of which a Gaussian keeps all bounds, rounded down: its curve is no better than this one."""

    @property
    @abstractmethod
    def _looks(self) -> int:
        """How many orders a point inside is held to."""

    def bracket(self, epsilon: FloatArray) -> Bracket:
        allowance().spend(_BRACKET + _PLACE * len(epsilon))
        tangent, _ = self.direct(np.minimum(epsilon, _FARTHEST))
        start, log_alpha, _ = self.corner
        flat = log_alpha + np.logaddexp(0.0, epsilon)
        flat = np.minimum(flat - 4.0 * UNIT * (2.0 + epsilon + abs(log_alpha)), 0.0)
        ruled = epsilon < start  # a chord ends at its ends
        upper = np.where(ruled, np.minimum(tangent.delta, -np.expm1(flat) * (1.0 + 4.0 * UNIT)), tangent.delta)
        log_gap = np.where(ruled, np.maximum(tangent.log_gap, flat), tangent.log_gap)
        # where a tangent says nothing, delta still does not rise
        first = min(log_alpha + float(np.logaddexp(0.0, start)) - 8.0 * UNIT * (2.0 + start + abs(log_alpha)), 0.0)
        beyond = ~ruled & (log_gap < first)
        upper = np.where(beyond, np.minimum(upper, -math.expm1(first) * (1.0 + 4.0 * UNIT)), upper)
        log_gap = np.where(beyond, first, log_gap)
        if np.any(epsilon > self._reach):  # tangents end there, by and by: delta still does not rise
            last = self.bracket(np.array([self._reach]))
            far = epsilon > self._reach
            upper = np.where(far, np.minimum(upper, last.upper), upper)
            log_gap = np.where(far, np.maximum(log_gap, last.log_gap_lower), log_gap)
        upper, log_gap = self._hulled(epsilon, upper, log_gap)
        plain = np.minimum(elementary_delta(*self._plain_orders(epsilon), epsilon), 1.0)
        upper = np.minimum(upper, plain)
        with np.errstate(divide="ignore"):
            log_gap = np.maximum(log_gap, np.log1p(-plain) * (1.0 + 4.0 * UNIT) - 4.0 * UNIT * plain)
        kept = epsilon.copy()  # solvers may go on writing into theirs
        return Bracket.late(upper, log_gap, lambda: self._inside(kept))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        tangent, _ = self.direct(np.minimum(epsilon, _FARTHEST))
        start, log_alpha, _ = self.corner
        alpha = np.where(epsilon < start, math.exp(log_alpha), tangent.alpha)
        alpha = np.where(epsilon > self._reach, 0.0, alpha)  # an alpha that is no float says nothing
        return np.clip(np.exp(np.minimum(epsilon, _LARGEST_EPSILON)) * alpha, 0.0, 1.0)

    @abstractmethod
    def _plain_orders(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Orders t >= 1 whose elementary bounds are worth a look, in rows, and what is stated there."""

    def _hulled(self, epsilon: FloatArray, upper: FloatArray, log_gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        return upper, log_gap

    def _corners(self, epsilon: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """More points, near the region, that may be on the tangent of that slope."""
        return []

    def _inside(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower bounds on delta, upper bounds on log(1 - delta), from points inside the region."""
        if len(epsilon) > _PIECE:  # tables of eps by orders
            each = [self._inside(piece) for piece in np.array_split(epsilon, -(-len(epsilon) // _PIECE))]
            return np.concatenate([low for low, _ in each]), np.concatenate([high for _, high in each])
        lower, gap = np.zeros_like(epsilon), np.full_like(epsilon, np.inf)
        for d1, d2, share in self._points(epsilon) if len(epsilon) else ():
            with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
                below = -np.expm1(d2 - d1)
                p, rest = -np.expm1(d2) / below, -np.expm1(-d1) / below
                a = p * np.exp(-d1)
                nearer = 1.0 / share * (1.0 - 8.0 * UNIT)
                moved = a + nearer * p * -np.expm1(-d1)  # p, brought nearer to a
                load = p * np.exp(np.minimum(epsilon - d1, LARGEST_EXPONENT))  # a alone may underflow
                value = (moved - load) - _ROUNDED * (1.0 + epsilon + d1) * (moved + load)
                left = rest * (np.exp(d2) - (1.0 - nearer) * np.expm1(d2)) + load
                left = left * (1.0 + 2.0 * _ROUNDED * (1.0 + epsilon + d1))
            sane = np.isfinite(share) & np.isfinite(value) & (d1 > 0.0) & (d2 < 0.0)
            lower = np.where(sane & (value > _FAINT), np.maximum(lower, value), lower)
            gap = np.where(sane & np.isfinite(left), np.minimum(gap, left), gap)
        with np.errstate(divide="ignore"):
            return np.clip(lower, 0.0, 1.0), np.minimum(np.log(gap), 0.0)

    def _points(self, epsilon: FloatArray) -> FloatArray:
        """Points about where the tangents at each eps touch: d1, d2 and the share (second axis) of each (first axis).

        All eps of one place, ``_apart`` times about the mu of the curve wide, have the same points, found once:
        that costs the square of it. Where the effort does not suffice, those on the diagonal are all.
        """
        corner = self.corner[2]
        place = self._apart * min(corner, math.sqrt(corner), self._reach / _FAR_OUT)
        near = np.where(epsilon <= self._reach, np.rint(epsilon / place) * place, np.minimum(epsilon, _FARTHEST))
        asked, which = np.unique(near, return_inverse=True)
        if len(self._found) > _KEPT:
            self._found.clear()
        new = np.array([e for e in asked.tolist() if e not in self._found])
        if len(new) and not allowance().take(_INSIDE + len(new) * (_PLACE + _HELD * self._looks)):
            return np.broadcast_to(self._on_diagonal[None, :, None], (1, 3, len(epsilon)))
        if len(new):
            tangent, t = self.direct(new)
            pairs = [(tangent.d1, tangent.d2), *self._corners(new)]
            columns = np.array([(d1, d2, self._held(d1, d2, t)) for d1, d2 in pairs])
            on_diagonal = np.broadcast_to(self._on_diagonal[:, None], (3, len(new)))
            columns = np.concatenate([columns, on_diagonal[None]])
            self._found.update(zip(new.tolist(), np.moveaxis(columns, 2, 0), strict=True))
        return np.stack([self._found[e] for e in asked.tolist()], axis=-1)[..., which]

    def _held(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            return np.maximum(self._share(d1, d2, t), 1.0)

    @cached_property
    def _on_diagonal(self) -> FloatArray:
        corner = np.array([self.corner[2]])
        return np.array([corner[0], -corner[0], self._held(corner, -corner, self.direct(np.zeros(1))[1])[0]])

    @cached_property
    def _found(self) -> dict[float, FloatArray]:
        return {}


class RenyiProfile(RegionProfile):
    """D_t <= rho at finitely many orders t >= 1/2 (rising), in both orders of the pair; rho > 0.

    Error bound: the tangents are certified; where two orders share the rule delta is at most about 1e-4 above the best.
    """

    _apart = 1e-7

    def __init__(self, t: FloatArray, rho: FloatArray) -> None:
        self._t, self._rho = t, rho

    @property
    def attained_mu(self) -> float:
        return math.sqrt(2.0 * float(np.min(self._rho / self._t))) * (1.0 - 4.0 * UNIT)  # D_t of G_mu is mu^2 t / 2

    @property
    def _looks(self) -> int:
        return 4 * len(self._t)  # two points, of both directions

    @property
    def _reach(self) -> float:
        if self._t[-1] <= 1.0:
            return _ALL
        return float(np.min(self._rho + _LAST / np.maximum(self._t - 1.0, _NEXT_TO_ONE)))

    @cached_property
    def _table(self) -> OrdersTable:
        return OrdersTable(self._t, self._rho, self._reach)

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

    def _share(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> FloatArray:
        held = [Orders(self._t[:, None], self._rho[:, None], turned).held(d1, d2) for turned in (False, True)]
        return np.max(np.maximum(*held), axis=0)

    def _plain_orders(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        few = self._t >= 1.0
        if not np.any(few):
            return np.ones((1, 1)), np.full((1, 1), np.inf)
        return self._t[few, None], self._rho[few, None]

    @cached_property
    def _hull(self) -> PolygonProfile:
        start = self.corner[0]
        grid = np.append(0.0, np.geomspace(_SHORTEST * self._reach, self._reach, _FINE))
        grid = np.union1d(grid[grid > start], [start])
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
            return [(np.log(p) - np.log(a), np.log1p(-p) - np.log1p(-a))]


class ZcdpProfile(RegionProfile):
    """D_t <= rho t at every order t > 1, in both orders of the pair (rho-zCDP); rho > 0.

    Error bound: the tangents are certified; the order used is off the best by a share of about 1e-4, which costs its
    square. Lower bounds allow for the orders between those looked at, rho (gap)^2 / 4 each.
    """

    _apart = 1e-5

    def __init__(self, rho: float) -> None:
        self._rho = max(rho, LEAST_RHO)
        self._stated = rho >= LEAST_RHO

    @property
    def attained_mu(self) -> float:
        return math.sqrt(2.0 * self._rho) * (1.0 - 4.0 * UNIT) if self._stated else 0.0

    @property
    def _looks(self) -> int:
        return 2 * (2 * len(_NEAR) + 2 + len(_LOW) + len(_FAR))

    @property
    def _reach(self) -> float:
        return self._rho + 2.0 * math.sqrt(self._rho * _LAST)

    @cached_property
    def _table(self) -> AllOrdersTable:
        return AllOrdersTable(self._rho, self._reach)

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

    def _plain_orders(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """About the order that is best for e^((t-1) (rho t - eps)), where that is least, and the limit t = 1."""
        best = 0.5 * (np.maximum(epsilon, self._rho) - self._rho) / self._rho
        t = [np.ones((1, len(epsilon))), 1.0 + np.maximum(best * _ABOUT[:, None], _LEAST_EXCESS)]
        c = np.maximum(best, _LEAST_EXCESS)
        for _ in range(_NEARER):  # and of the whole bound, c^c / (1 + c)^(1 + c) e^(c (rho (1 + c) - eps)): large rho
            c = np.clip(best - 0.5 * (np.log(c) - np.log1p(c)) / self._rho, _LEAST_EXCESS, _MOST_EXCESS)
        t = np.vstack([*t, 1.0 + c[None, :]])
        return t, self._rho * t * (1.0 + 4.0 * UNIT)

    @cached_property
    def _best_order(self) -> PchipInterpolator:
        """log(t - 1 + soft) of the order whose tangent is least, over the place of eps. It steers."""
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

    def _share(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> FloatArray:
        """Between neighbours log E is convex, below its chord; t (t - 1) falls short of its own by gap^2 / 4."""
        if not self._stated:
            return np.full_like(d1, np.inf)
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
        return np.max(np.maximum(*held), axis=0)


def _best(epsilon: FloatArray, orders: Orders) -> tuple[Tangent, FloatArray]:
    """For each eps the least tangent of its column, and the order it is of."""
    tangent = orders.tangent(epsilon[None, :])
    score = np.where(tangent.delta < 0.5, tangent.delta, 1.0 - np.exp(tangent.log_gap))
    at = np.argmin(score, axis=0)[None, :]
    t = np.broadcast_to(orders.t, score.shape)
    fields = (np.broadcast_to(x, score.shape) for x in tangent.fields)
    return Tangent(*(np.take_along_axis(x, at, 0)[0] for x in fields)), np.take_along_axis(t, at, 0)[0]
