"""Lines of a run that goes on: laid once, they serve it for some hundred more steps of the kind that it repeats.

K = K_0 + n log A on the same places: with log A kept beside K_0, n more steps are one product, and the terms of the
certificate follow.

- The aliases are bounded by the cumulant at n, at the same places of the walk.
- Beyond the cut |A| <= A(c), so that what lies there grows by no more than a factor of A(c)^n, as the line itself does.
- A law that was cut loses n times as much more.

The distance of the aliases is planned for the longest run, the cut for the shortest. Where that does not suffice the
bracket is not sharp, and the lines are laid anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.contour.cumulant import MERGED, WALKED, Walk
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.coverage import choose
from neyman.engines.contour.straight.line import MARGIN, Line
from neyman.engines.contour.straight.plan import Plan
from neyman.losses.gaussian.many.lines import sum_on_line
from neyman.losses.gaussian.many.moments import lost_of
from neyman.losses.readings.transform import LOGGED, ComplexArray, Transform
from neyman.numerics.rounding import SLIGHT, UNIT
from neyman.profiles.profile import Bracket, Profile

__all__ = ["GrowingLines", "GrownProfile"]

_MOST = 30000.0  # nodes of a line, beyond which none is worth being laid: steers
_DEEP = -46.0  # log of a delta (1e-20) that these are laid for: steers


@dataclass(frozen=True, eq=False)
class _Rooted:
    """A line that is laid: K at its nodes and what one more step adds, each with a bound on its error."""

    plan: Plan
    base: ComplexArray
    base_error: FloatArray
    step: ComplexArray
    step_error: FloatArray
    lost: tuple[float, float]  # of the law to begin with, and for each step more

    def line(self, walk: Walk, more: int) -> Line:
        """The line of so many ``more`` steps, of which the ``walk`` is."""
        k = self.base + more * self.step
        error = self.base_error + more * self.step_error + 4.0 * UNIT * np.abs(k)
        # the line itself has grown by exp(walk.k - its own K before), and so has the bound on what lies beyond its cut
        grown = more * float(self.step[0].real + self.step_error[0]) + WALKED
        lost = self.lost[0] + more * self.lost[1]
        return Line.of_cumulant(walk, self.plan, (k, error), self.plan.log_truncation + grown, lost)


class GrowingLines:
    """The lines of one direction of a composition, for up to ``most`` more steps of its ``growing`` kind."""

    def __init__(self, parts: Parts, walk: Walk, growing: int, most: int) -> None:
        law = parts.steps[growing][0]
        self._walk = walk
        one = replace(parts, steps=((law, 1),), mu=0.0)
        self._one = walk.of_one(one)
        self._ends = parts.largest_loss, one.largest_loss
        self._parts, self._law = parts, law
        self._plans = self._planned(parts, law, most)
        self._laid: dict[int, _Rooted] = {}

    @property
    def places(self) -> IntArray:
        """Where on the walk they stand; none where they would be too long, or of another kind."""
        return np.array(sorted(self._plans), dtype=np.int64)

    def at(self, more: int, tail_mu: float) -> GrownProfile:
        """The profile of so many ``more`` steps."""
        walk = self._walk.grown(self._one, more)
        return GrownProfile(self, walk, more, tail_mu, self._ends[0] + more * self._ends[1])

    def line(self, index: int, walk: Walk, more: int) -> Line:
        """The line at that place of the ``walk``, of so many ``more`` steps; laid when it is first asked for."""
        if index not in self._laid:
            self._laid[index] = self._rooted(self._parts, self._law, self._plans[index])
        return self._laid[index].line(walk, more)

    def _planned(self, parts: Parts, law: Transform, most: int) -> dict[int, Plan]:
        longest = self._walk.grown(self._one, most)
        chosen = choose(longest)
        lines = [(int(i), last) for i, last in zip(chosen.lines, chosen.last, strict=True) if longest.depth[i] > _DEEP]
        if any(self._walk.c[i] < 0.0 for i, _ in lines):
            return {}
        more = tuple((one, times + most * (one is law)) for one, times in parts.steps)
        plans: dict[int, Plan] = {}
        for index, last in lines:
            band = 0.0, max(float(last), 0.0)
            first = Plan.make(parts, self._walk, index, band, most=_MOST)
            then = Plan.make(replace(parts, steps=more), longest, index, band, most=_MOST)
            plan = replace(first, spread=max(first.spread, then.spread), right=then.right, left=then.left)
            if not plan.nodes <= _MOST or plan.islands is not None or plan.fold is not None:
                return {}
            plans[index] = plan
        return plans

    def _rooted(self, parts: Parts, law: Transform, plan: Plan) -> _Rooted:
        omega, cuts = plan.omega(), self._walk.cut_at(plan.index, plan.limit)
        w = parts.argument(plan.c)
        z = plan.c + 1j * omega
        k: ComplexArray = 0.5 * parts.mu**2 * z * (z + 1.0)
        error = MERGED * np.abs(k)
        margin, own = MARGIN + math.log(2.0 * parts.count), parts.laws.index(law)
        log_a, bound = law.on_line(w, omega, float(cuts[own]), margin)
        rest = np.arange(len(parts.laws)) != own
        others = [one for one in parts.laws if one is not law]
        laws, off = sum_on_line(others, parts.times[rest], w, omega, cuts[rest], margin)
        laws, off = laws + parts.times[own] * log_a, off + UNIT * np.abs(laws)
        one = np.log1p(bound) + (2.0 + LOGGED) * UNIT * np.abs(log_a)  # of a log, a product and the sum with the others
        step = log_a if parts.direction == "remove" else np.conj(log_a)
        k, error = k + (laws if parts.direction == "remove" else np.conj(laws)), error + off + parts.times[own] * one
        away = lost_of(parts.laws, cuts[:, None])[:, 0]
        lost = float(np.sum(parts.times * away)), float(away[own])
        return _Rooted(plan, k, error, step, one, lost)


class GrownProfile(Profile):
    """delta of one direction after so many ``more`` steps: sharp, or of no use."""

    def __init__(self, of: GrowingLines, walk: Walk, more: int, tail_mu: float, end: float) -> None:
        self._of, self._walk, self._more = of, walk, more
        self._tail_mu, self._end = tail_mu, end
        self._index = of.places
        self._c = walk.c[self._index]
        self._height = walk.k[self._index] - np.log(self._c * (self._c + 1.0))
        self._lines: dict[int, Line] = {}
        self._last: tuple[bytes, Estimates] | None = None

    @property
    def method(self) -> str:
        return "transform"

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def end(self) -> float:
        return self._end * (1.0 + SLIGHT)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        found = self._evaluated(epsilon).bracket()
        found.sharp = bool(found.sharp_places().all())
        return found

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._evaluated(epsilon).slopes()

    def _evaluated(self, epsilon: FloatArray) -> Estimates:
        place = epsilon.tobytes()
        if self._last is None or self._last[0] != place:
            found = Estimates.empty(len(epsilon))
            best = np.argmin(self._height - np.multiply.outer(epsilon, self._c), axis=1)
            for i in np.unique(best):
                found.put((best == i).nonzero()[0], self._line(int(self._index[i])), epsilon)
            self._last = place, found
        return self._last[1]

    def _line(self, index: int) -> Line:
        if index not in self._lines:
            self._lines[index] = self._of.line(index, self._walk, self._more)
        return self._lines[index]
