"""A profile read from a table of itself, for a sum that asks it at thousands of places.

delta is convex in s = e^eps. Between two places of the table it is therefore no more than the chord, and no less than
either neighbouring chord drawn on: with t the distance from s_i in units of s_i - s_{i-1}, delta is at least
(1 + t) delta(s_i) - t delta(s_{i-1}), whose first term is bounded from below and whose second from above.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.lattice.levels import LEVELS
from neyman.engines.lattice.profile import LatticeProfile
from neyman.engines.lattice.tilt import Tilt
from neyman.losses.base import Step
from neyman.numerics.rounding import SMALLEST, UNIT
from neyman.profiles.effort import Effort
from neyman.profiles.pair import Direction
from neyman.profiles.profile import Bracket, Profile

__all__ = ["SweptLattice", "TabledProfile"]

_SERVED, _TILTS = 2.2, 4  # deviations on either side of its mean that a tilt serves, and how many are made
_FEWEST, _MOST = 64, 1 << 16  # places of a table
_CHEAP = 0.4  # of the work of a tilt that is asked again and again: this one is asked once
_LEFT = 1e-60  # of delta, beyond which no table is made
_ROUNDED = 16.0 * UNIT  # of a line through two values, relative to the sum of its terms


class SweptLattice(LatticeProfile):
    """A lattice asked once for a whole table: a few tilts side by side, each as planned, none made finer."""

    def __init__(
        self, steps: Sequence[tuple[Step, int]], direction: Direction, tolerance: float, effort: Effort, tail_mu: float
    ) -> None:
        super().__init__(steps, direction, tolerance, effort=effort, tail_mu=tail_mu, level=LEVELS)
        self._deep = False
        self.whole = True  # the last answer: nothing was left out for want of effort

    def bracket(self, epsilon: FloatArray) -> Bracket:
        self.whole = True
        lower, upper = np.zeros(len(epsilon)), np.ones(len(epsilon))
        upper[epsilon >= self._listed] = min(self._left_out, 1.0)
        upper[epsilon >= self.end] = 0.0
        start, most = float(epsilon[0]), min(float(epsilon[-1]), self.end)
        for _ in range(_TILTS if start < most else 0):
            own = self._saddle(start)
            ahead = self._saddle(min(max(start, own.mean) + _SERVED * own.deviation, most))
            top = self._saddle(min(ahead.mean + _SERVED * ahead.deviation, most))
            plan = self._plan(ahead, top.c, self._tolerance)
            if plan is None:
                self.whole = not self._effort.spent
                break
            if not self._effort.take(_CHEAP * plan.work):
                self.whole = False
                break
            Tilt(self._laws, self._remove, plan).tighten(epsilon, lower, upper)
            start = ahead.mean + _SERVED * ahead.deviation
            if not start < most:
                break
        return Bracket.of_delta(lower, upper)


class TabledProfile(Profile):
    """``known``, tabled between the ``edges``, of which the first is 0, once it is asked there: at places evenly apart
    from each to the next, the last of which is ``fine`` over their distance. Beyond the last edge, and where that says
    enough, what ``far`` bounds it by is told. Solvers do not see a delta below ``unseen``.

    Examples
    --------
    >>> from neyman.losses.gaussian.plain import GaussianStep
    >>> law = SweptLattice([(GaussianStep(10.0), 4)], "remove", 1e-6, Effort(), 0.2)
    >>> one = TabledProfile(law, (0.0, 0.8, 2.0), 1e-3, np.ones_like).bracket(np.array([0.1505]))
    >>> bool(one.upper[0] < 1.0001 * one.lower[0])
    True
    """

    def __init__(
        self,
        known: SweptLattice,
        edges: Sequence[float],
        fine: float,
        far: Callable[[FloatArray], FloatArray],
        unseen: float = 0.0,
    ) -> None:
        self._known, self._edges, self._fine, self._far = known, np.array(edges), fine, far
        self._unseen = unseen
        self._tables: dict[int, _Table] = {}

    def _table(self, i: int) -> _Table:
        """What the effort did not suffice for is tried again by the next question."""
        if i in self._tables:
            return self._tables[i]
        start, stop = self._edges[i : i + 2].tolist()
        # what a chord is above delta goes with the square of the cell times c, which grows with eps
        places = min(max(math.ceil((stop - start) * stop / self._fine), _FEWEST), _MOST)
        made = _Table(self._known, start, stop, places)
        if self._known.whole:
            self._tables[i] = made
        return made

    @property
    def method(self) -> str:
        return self._known.method

    @property
    def tail_mu(self) -> float:
        return self._known.tail_mu

    @property
    def end(self) -> float:
        return self._known.end

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self.above(epsilon, lambda: np.zeros(len(epsilon)))

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        lower, upper, counts = np.zeros(len(epsilon)), self._far(epsilon), np.maximum(least(), _LEFT)
        open_ = upper > counts
        for i in range(len(self._edges) - 1):
            if not open_.any():
                break
            table, here = self._table(i), np.flatnonzero(open_ & (epsilon <= self._edges[i + 1]))
            if len(here):
                lower[here], found = table.at(epsilon[here])
                upper[here] = np.minimum(upper[here], found)
            open_ &= epsilon > self._edges[i + 1]
            upper[open_] = np.minimum(upper[open_], table.upper[-1])
            open_ &= upper > counts
        return Bracket.of_delta(lower, upper)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        out, seen = np.zeros(len(epsilon)), self._far(epsilon) > max(self._unseen, _LEFT)
        for i, (low, high) in enumerate(itertools.pairwise(self._edges)):
            here = (epsilon >= low) & (epsilon < high) & seen
            if here.any():
                out[here] = self._table(i).slope(epsilon[here])
        return out


class _Table:
    """Bounds on delta at ``places`` from one eps to another, and between them."""

    def __init__(self, known: Profile, start: float, stop: float, places: int) -> None:
        self._eps = np.linspace(start, stop, places)
        found = known.bracket(self._eps)
        self._lower = np.maximum.accumulate(found.lower[::-1])[::-1]  # delta never rises
        self.upper = np.minimum.accumulate(found.upper)

    def at(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        at, last = self._eps, len(self._eps) - 1
        i = self._cell(epsilon)
        # distances in e^eps, in units of that at the place they are measured from
        right = np.clip(np.expm1(epsilon - at[i]) / np.expm1(at[i + 1] - at[i]), 0.0, 1.0)
        upper = (1.0 - right) * self.upper[i] + right * self.upper[i + 1] + _ROUNDED * self.upper[i] + SMALLEST
        before, after = np.maximum(i - 1, 0), np.minimum(i + 2, last)
        with np.errstate(divide="ignore", invalid="ignore"):
            from_left = np.expm1(epsilon - at[i]) / -np.expm1(at[before] - at[i])
            from_right = -np.expm1(epsilon - at[i + 1]) / np.expm1(at[after] - at[i + 1])
        lower = np.maximum(self._drawn_on(i, before, from_left), self._drawn_on(i + 1, after, from_right))
        return np.minimum(np.maximum(lower, self._lower[i + 1]), upper), np.minimum(upper, 1.0)

    def _cell(self, epsilon: FloatArray) -> NDArray[np.intp]:
        return np.clip(np.searchsorted(self._eps, epsilon, side="right") - 1, 0, len(self._eps) - 2)

    def _drawn_on(self, near: NDArray[np.intp], far: NDArray[np.intp], t: FloatArray) -> FloatArray:
        """The line from ``far`` to ``near``, drawn on by ``t`` of their distance; 0 where there is none."""
        t = np.where(far != near, t, 0.0)
        high, low = (1.0 + t) * self._lower[near], t * self.upper[far]
        return np.where(far != near, high - low - _ROUNDED * (high + low), 0.0)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        i = self._cell(epsilon)
        middle = 0.5 * (self._lower + self.upper)
        fall = (middle[i] - middle[i + 1]) / np.expm1(self._eps[i + 1] - self._eps[i])
        return np.clip(fall * np.exp(epsilon - self._eps[i]), 0.0, 1.0)
