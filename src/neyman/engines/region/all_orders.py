"""Whether two coins keep rho-zCDP, D_t <= rho t at every order t > 1: told by one order in each direction.

Of two laws on two outcomes, log ratios u > 0 > v, the second gives the outcome of u the chance w. With y = u - v and
l = log(w / (1 - w)) the t-th moment is e^(t v) (1 - w) (1 + e^(t y + l)), so that

    F(t) = rho t (t - 1) - log of it,     r = 1 / (1 + e^(t y + l)),
    F' = rho (2 t - 1) - u + y r,     F'' = 2 rho - y^2 r (1 - r).

F(0) = F(1) = 0, and F is convex, then concave, then convex. Hence F >= 0 at all t >= 1, the promise, if

- y^2 <= 8 rho: F is convex everywhere; or F' >= 0 where the last convex piece begins, and F' is least of all beyond
  the first;
- or some t >= 1 of the last piece, r < 1/2 and F'' > 0, has F' >= 0 and F(t) >= F'(t) (t - 1): its tangent is below
  F on that piece and at least 0 from 1 on, the concave piece is above its ends, the first above 0 from 1 on.

At t = 1 the last says that D_1 <= rho, beyond it that D_t is at most rho t - F'(t), what one order is held to. The t
is the root of F', met from the right by Newton, which steers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.region.coins import Coins
from neyman.engines.region.tangents import Orders
from neyman.numerics.functions.few import some
from neyman.numerics.rounding import LARGEST_EXPONENT, TINY, UNIT

__all__ = ["AllOrders"]

_STEEP = 0.1  # times rho, the F'' from which Newton may begin on either side of the root
_NEWTONS = 24  # steps, at most: from the right they never pass the root
_SETTLED = 1e-8  # a relative step at which they stop: the next is its square
_ROUNDED = 16.0 * UNIT  # certifies: of F', for each unit of its terms and of the exponents in them
_AIMED = 3.0  # times that, the F' that is looked for: above 0 whatever is rounded
_BENT = 1e-6  # certifies: times rho, the least F'' that is taken to be positive; rounding is a share of 1e-13 of y^2
# by how much more coins are drawn together than one order asks, so that the next look finds them inside; times what, if
# it does not
_NEARER, _WIDENS = 8e-15, 8.0
_BESIDE, _APART = 1e-2, 1e-11  # how near to the boundary coins are led to it, and how far inside they may stay
_LOOKS = 4  # at coins that were drawn together: where the order that tells leaps to 1, one is not enough
_FURTHEST_ORDER = 1e15  # t from which nothing is told: inf, on the safe side


class AllOrders:
    """The promise of rho-zCDP, as what it leaves to two coins.

    Examples
    --------
    >>> kept = AllOrders(0.5).share(np.array([0.9, 2.0]), np.array([-0.9, -2.0]))
    >>> bool(kept[0] <= 1.0), bool(kept[1] > 1.0)
    (True, True)
    """

    def __init__(self, rho: float) -> None:
        self._rho = rho

    def drawn(
        self, d1: FloatArray, d2: FloatArray, near: FloatArray
    ) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
        """Coins of log ratios near ``d1`` > 0 > ``d2``, nearer to (0, 0) where need be, and whether they are certainly
        inside; ``near`` are orders that may tell.
        """
        d1, d2, share = np.array(d1), np.array(d2), self.share(d1, d2, near)
        for look in range(_LOOKS):
            beside = np.abs(share - 1.0) < _BESIDE
            at = np.flatnonzero(((share > 1.0) & np.isfinite(share)) | (beside & (share < 1.0 - _APART)))
            if not len(at):
                break
            now = share[at]
            asked = np.where(beside[at], now * (1.0 + _NEARER * _WIDENS**look), np.maximum(now, 1.0))
            with np.errstate(all="ignore"):
                d1[at], d2[at] = Coins(d1[at], d2[at], now).drawn(asked)
            share[at] = self.share(d1[at], d2[at], near[at])
        return d1, d2, share <= 1.0

    def share(self, d1: FloatArray, d2: FloatArray, near: FloatArray | None = None) -> FloatArray:
        """At most 1 where these coins keep the promise; else about the share by which they are too far apart, inf where
        that is not known. ``near`` are orders that may tell, of D_t(P || Q).
        """
        count, unknown = len(d1), np.full(len(d1), np.nan)
        hint = np.concatenate([unknown if near is None else near, unknown])
        with np.errstate(all="ignore"):  # the other way the two laws are exchanged, and the two outcomes
            both = self._one_way(np.concatenate([d1, -d2]), np.concatenate([d2, -d1]), hint)
        return np.maximum(both[:count], both[count:])

    def _one_way(self, u: FloatArray, v: FloatArray, near: FloatArray) -> FloatArray:
        y, rho = u - v, self._rho
        lean = np.log(-np.expm1(v)) - u - np.log(-np.expm1(-u))
        ratio = np.minimum(8.0 * rho / (y * y), 1.0)
        least = 0.5 * ratio / (1.0 + np.sqrt(1.0 - ratio))  # r where the last piece begins
        begins = (np.log1p(-least) - np.log(least) - lean) / y
        rises, room, _ = self._rise(u, y, lean, begins)
        told = (y * y * (1.0 + 8.0 * UNIT) <= 8.0 * rho) | (rises >= room + _BENT * rho)
        found, at = np.zeros_like(y), np.flatnonzero(~told)  # by how far they are inside is not told
        if len(at):
            found[at] = self._told_by_one(u[at], v[at], lean[at], np.maximum(begins[at], 1.0), near[at])
        return found

    def _told_by_one(
        self, u: FloatArray, v: FloatArray, lean: FloatArray, begins: FloatArray, near: FloatArray
    ) -> FloatArray:
        """The third case: by one order of the last piece."""
        y, rho = u - v, self._rho
        t = self._lowest(u, y, lean, begins, near)
        rises, room, bends = self._rise(u, y, lean, t)
        last = (bends >= _BENT * rho) & (t * y + lean > 0.0) & ((rises >= room) | (t == 1.0))
        allowed = rho * t * (1.0 - 2.0 * UNIT) - np.where(t > 1.0, rises + room, 0.0)
        allowed = np.where(allowed > 0.0, allowed, TINY)
        held = Orders(t, allowed, False).held(u, v)
        return np.where(last & (t < _FURTHEST_ORDER), held, np.inf)

    def _rise(
        self, u: FloatArray, y: FloatArray, lean: FloatArray, t: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """F', by how much it may be off, and F''."""
        far = t * y
        z = far + lean
        rest = 1.0 / (1.0 + np.exp(np.minimum(z, LARGEST_EXPONENT)))
        high, low = self._rho * (2.0 * t - 1.0), y * rest
        # lean is a difference of logarithms: off by units of them
        room = _ROUNDED * (high + u + low * (4.0 + far + np.abs(lean) + u))
        return high - u + low, room, 2.0 * self._rho - y * low * (1.0 - rest)

    def _lowest(
        self, u: FloatArray, y: FloatArray, lean: FloatArray, begins: FloatArray, near: FloatArray
    ) -> FloatArray:
        """Where F' is just above 0 on the last convex piece."""
        last = np.maximum(0.5 * (u / self._rho + 1.0), begins)  # F' >= 0 there
        bends = self._rise(u, y, lean, near)[2]
        # from the left of the root one step leads to the right of it, if it is not too long a one
        t = np.where((bends > _STEEP * self._rho) & (near > begins) & (near < last), near, last)
        for _ in range(_NEWTONS):
            rises, room, bends = self._rise(u, y, lean, t)
            move = (rises - _AIMED * room) / np.where(bends > 0.0, bends, np.inf)
            before, t = t, np.maximum(t - move, begins)
            if not some(np.abs(t - before) > _SETTLED * t):
                break
        return t
