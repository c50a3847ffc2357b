"""What regions of finitely many orders and of all of them have in common: their corner, and points inside them.

The region is symmetric, so that its corner alpha* on the diagonal, max over eps of (1 - delta) / (1 + e^eps), rules for
small eps. Whatever point is inside is a test that somebody may attain; and so is a coin that chooses between two.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.closed_form.pairs import ClosedForm
from neyman.engines.region.coins import FAINT, Coins, Tests
from neyman.engines.region.one_order import Elementary
from neyman.engines.region.tangents import Tangent
from neyman.numerics.functions.few import every, some
from neyman.numerics.rounding import TINY, UNIT
from neyman.profiles.effort import allowance, cut_short
from neyman.profiles.profile import Bracket

__all__ = ["RegionProfile"]

_PIECE = 1000  # eps whose points inside are looked at together
_FARTHEST = 1e12  # an eps beyond it is answered as this one, from above
_SEARCH, _ZOOMS = 40, 7  # points of a grid of eps, and how often it is narrowed
_LEVEL = 1e-13  # relative: values that are one to a float; the largest eps of them is taken
# nominal nanoseconds: of a bracket, of one of its eps, of points inside, and of one of those by one order looked at
_BRACKET, _PLACE, _INSIDE, _HELD = 1.5e6, 3e3, 3e6, 200.0
_LARGEST_EPSILON = 709.0  # e^709 = 8.2e307 is a float
_SHORTEST = 1e-3  # an eps up to which the end of the corner is looked for at least
# in units of mu: a step of eps, the longest one; how near two tests are, beside a share of that step
_STEP, _LONGEST, _CLOSE, _UNSURE = 1e-4, 0.3, 3e-7, 1e-3
_BEFORE = np.geomspace(1e-15, 1e-2, 30)  # shares of the way to the corner


class RegionProfile(ClosedForm):
    """What finitely many orders and all orders have in common."""

    width_is = "enclosure"  # between tangents, and points that tests attain
    _last: tuple[bytes, Tangent, FloatArray] | None = None
    _end: tuple[tuple[FloatArray, FloatArray], tuple[bytes, Tangent, FloatArray] | None] | None = None
    _found: tuple[bytes, tuple[FloatArray, FloatArray, FloatArray]] | None = None

    @property
    def tail_mu(self) -> float:
        """Inf: no number that holds with no floor is known here."""
        return math.inf

    @abstractmethod
    def direct(self, epsilon: FloatArray) -> tuple[Tangent, FloatArray]:
        """The best tangent at each eps, and the order it is of."""

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
    def turns(self) -> FloatArray:
        return np.array([self.corner[0]])

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
        tangent, t = self._touched(epsilon)
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
        if some(epsilon > self._reach):  # tangents end there, by and by: delta still does not rise
            (last, last_gap), far = self._ended(), epsilon > self._reach
            upper = np.where(far, np.minimum(upper, last), upper)
            log_gap = np.where(far, np.maximum(log_gap, last_gap), log_gap)
        upper, log_gap = self._hulled(epsilon, upper, log_gap)
        plain = np.minimum(self._plain(epsilon).delta(epsilon), 1.0)
        upper = np.minimum(upper, plain)
        with np.errstate(divide="ignore"):
            log_gap = np.maximum(log_gap, np.log1p(-plain) * (1.0 + 4.0 * UNIT) - 4.0 * UNIT * plain)
        kept = epsilon.copy()  # solvers may go on writing into theirs
        return Bracket.late(upper, log_gap, lambda: self._inside(kept, tangent, t))

    def _ended(self) -> tuple[FloatArray, FloatArray]:
        """Bounds where tangents end, remembered unless they were cut short: nobody can tell, for effort is spent and
        slopes are read from here.
        """
        if self._end is not None:
            allowance().spend(_BRACKET + _PLACE)
            self._last = self._end[1]
            return self._end[0]
        found = self.bracket(np.array([self._reach]))
        bounds = found.upper, found.log_gap_lower
        if not cut_short():
            self._end = bounds, self._last
        return bounds

    def slope(self, epsilon: FloatArray) -> FloatArray:
        if self._last is not None and self._last[0] == epsilon.tobytes():
            start, log_alpha, _ = self.corner
            alpha = np.where(epsilon < start, math.exp(log_alpha), self._last[1].alpha)
        else:
            alpha = np.exp(self.touched(epsilon)[0])
        alpha = np.where(epsilon > self._reach, 0.0, alpha)  # an alpha that is no float says nothing
        return np.clip(np.exp(np.minimum(epsilon, _LARGEST_EPSILON)) * alpha, 0.0, 1.0)

    def touched(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        place = epsilon.tobytes()
        if self._found is None or self._found[0] != place:
            self._found = place, self._touching(epsilon)
        return self._found[1]

    def _touching(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        start, log_alpha, lean = self.corner
        at = epsilon < start
        if len(epsilon) and every(at):
            return (
                np.full_like(epsilon, log_alpha),
                np.full_like(epsilon, log_alpha + lean),
                np.full_like(epsilon, log_alpha),
            )
        d1, d2, _ = self._contacts(np.clip(epsilon, start, max(self._reach, start)))
        with np.errstate(all="ignore"):
            apart = np.log(-np.expm1(d2 - d1))
            power, miss = np.log(-np.expm1(d2)) - apart, d2 + np.log(-np.expm1(-d1)) - apart
            alpha = power - d1
        lost = np.flatnonzero(np.isnan(alpha) | np.isnan(miss))
        if len(lost):  # at an axis, or where no table is
            tangent, _ = self._touched(epsilon[lost])
            with np.errstate(all="ignore"):
                alpha[lost] = np.log(tangent.alpha)
                power[lost] = np.log(np.minimum(tangent.delta + np.exp(epsilon[lost]) * tangent.alpha, 1.0))
                miss[lost] = np.log(np.exp(tangent.log_gap) - np.exp(epsilon[lost]) * tangent.alpha)
            miss[lost] = np.where(np.isfinite(miss[lost]), miss[lost], -np.inf)
        return np.where(at, log_alpha, alpha), np.where(at, log_alpha + lean, power), np.where(at, log_alpha, miss)

    def _touched(self, epsilon: FloatArray) -> tuple[Tangent, FloatArray]:
        """``direct``, remembered: solvers ask for the slope where they just were."""
        place = epsilon.tobytes()
        if self._last is None or self._last[0] != place:
            self._last = place, *self.direct(np.minimum(epsilon, _FARTHEST))
        return self._last[1:]

    @abstractmethod
    def _plain(self, epsilon: FloatArray) -> Elementary:
        """The elementary bounds of orders t >= 1, in rows, that are worth a look there."""

    def _hulled(self, epsilon: FloatArray, upper: FloatArray, log_gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        return upper, log_gap

    def _corners(self, epsilon: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """More points, near the region, that may be on the tangent of that slope."""
        return []

    def _inside(self, epsilon: FloatArray, tangent: Tangent, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower bounds on delta, upper bounds on log(1 - delta), from coins about where ``tangent`` touches."""
        if len(epsilon) > _PIECE:  # tables of eps by orders
            pieces = np.array_split(np.arange(len(epsilon)), -(-len(epsilon) // _PIECE))
            each = [self._inside(epsilon[at], tangent.at(at), t[at]) for at in pieces]
            return np.concatenate([low for low, _ in each]), np.concatenate([high for _, high in each])
        lower, gap = np.zeros_like(epsilon), np.full_like(epsilon, np.inf)
        for coins in self._points(epsilon, tangent, t) if len(epsilon) else ():
            value, left = (np.atleast_2d(bound) for bound in coins.attained(epsilon))
            value, left = np.max(value, axis=0), np.min(left, axis=0)
            lower, gap = np.where(value > FAINT, np.maximum(lower, value), lower), np.minimum(gap, left)
        with np.errstate(divide="ignore"):
            return np.clip(lower, 0.0, 1.0), np.minimum(np.log(gap), 0.0)

    def attained(self, alpha: FloatArray, epsilon: FloatArray, turned: bool) -> FloatArray:
        """By chance one of two tests, of false positive rates just below and just above alpha."""
        del turned  # the pair and its reversal have one curve
        middle, (start, log_alpha, _) = self._on_diagonal.tests(np.zeros(1, dtype=np.bool_)), self.corner
        found = np.max(middle.at(alpha), axis=0)
        if not self._worth(2 * len(alpha)):
            return found
        mirrored = alpha > math.exp(log_alpha)
        with np.errstate(all="ignore"):
            rate = np.where(mirrored, np.log1p(-alpha), np.log(alpha))
        tests = self._drawn(*self._contacts(self._beside(rate, np.maximum(epsilon, start), mirrored)))
        tests = tests.tests(np.tile(mirrored, 2))
        one, two = (Tests(*(field[side] for field in tests)) for side in (slice(len(alpha)), slice(len(alpha), None)))
        return np.maximum(np.maximum(found, np.max(one.mixed(middle, alpha), axis=0)), one.mixed(two, alpha))

    def contacts(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        if not self._worth(len(epsilon)):
            return None
        coins = self._drawn(*self._contacts(np.clip(epsilon, self.corner[0], max(self._reach, self.corner[0]))))
        drawn = Coins(*(np.append(own, middle) for own, middle in zip(coins, self._on_diagonal, strict=True)))
        sides = [drawn.tests(np.full(len(drawn.d1), turned)) for turned in (False, True)]
        alpha, excess = np.concatenate([s.alpha for s in sides]), np.concatenate([s.at(s.alpha) for s in sides])
        told = excess > 0.0
        return alpha[told], (1.0 - alpha - excess + UNIT)[told]

    def _worth(self, many: int) -> bool:
        """Whether there is effort left for so many points inside."""
        return allowance().take(_INSIDE + many * (_PLACE + _HELD * self._looks))

    def _beside(self, rate: FloatArray, epsilon: FloatArray, mirrored: NDArray[np.bool_]) -> FloatArray:
        """eps just below and just above those whose tangents touch where log alpha is that ``rate``, by a secant; of
        the ``mirrored`` it is log power.
        """
        unit, count, start = max(self.attained_mu, TINY), len(rate), self.corner[0]
        epsilon = self._aside(rate, epsilon, mirrored)
        d1, d2, _ = self._contacts(np.concatenate([epsilon, epsilon + _STEP * unit]))
        with np.errstate(all="ignore"):
            power = np.log(np.expm1(d2) / np.expm1(d2 - d1))
            found = np.where(np.tile(mirrored, 2), power, power - d1)
            move = (rate - found[:count]) / (found[count:] - found[:count]) * _STEP * unit
        move = np.where(np.isfinite(move), np.clip(move, -_LONGEST * unit, _LONGEST * unit), 0.0)
        apart = _CLOSE * unit + _UNSURE * np.abs(move)
        return np.maximum(np.concatenate([epsilon + move - apart, epsilon + move + apart]), start)

    def _aside(self, rate: FloatArray, epsilon: FloatArray, mirrored: NDArray[np.bool_]) -> FloatArray:
        """The same eps, but where all tangents touch one corner and that ``rate`` is elsewhere: just out of it."""
        return epsilon

    @abstractmethod
    def _contacts(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """d1 and d2 where the best tangents touch, about, and their orders: smooth in eps, where those of ``direct``
        have spent their last digits on slopes.
        """

    def _points(self, epsilon: FloatArray, tangent: Tangent, t: FloatArray) -> list[Coins]:
        """Coins about where the tangents touch, and on the diagonal; where the effort does not suffice, that is all."""
        found = [self._on_diagonal]
        if self._worth(len(epsilon)):
            found += self._drawn_each([(tangent.d1, tangent.d2), *self._corners(epsilon)], t)
        return found

    def _drawn_each(self, points: list[tuple[FloatArray, FloatArray]], t: FloatArray) -> list[Coins]:
        """All of these, drawn nearer to the diagonal where need be."""
        return [self._drawn(d1, d2, t) for d1, d2 in points]

    @abstractmethod
    def _drawn(self, d1: FloatArray, d2: FloatArray, t: FloatArray) -> Coins:
        """These points, nearer to the diagonal or not, and by which share E exceeds kappa there, at least 1."""

    @cached_property
    def _on_diagonal(self) -> Coins:
        """The corner; and if that is not inside, the best a little before it, on the diagonal."""
        away = self.corner[2] * (1.0 - np.append(0.0, _BEFORE))
        coins = self._drawn(away, -away, np.repeat(self.direct(np.zeros(1))[1], len(away)))
        best = int(np.argmax(coins.tests(np.zeros(1, dtype=np.bool_)).excess))
        return Coins(*(field[np.unique([0, best]), None] for field in coins))
