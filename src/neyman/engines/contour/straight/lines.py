"""The straight lines of a composition: which serve which eps, planned and evaluated when first needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.contour.cumulant import LOST, Walk
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.coverage import choose
from neyman.engines.contour.straight.line import Line, rounded
from neyman.engines.contour.straight.plan import Plan
from neyman.losses.gaussian.many.lines import terms_of
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.numerics.functions.score import score
from neyman.numerics.rounding import LARGEST_EXPONENT
from neyman.profiles.effort import Effort

if TYPE_CHECKING:
    from neyman.engines.contour.hyperbola.rotated import Steps

__all__ = ["StraightLines"]

_CHEAP, _BRIEF = 1500, 500  # nodes up to which a line is always taken, and where the law can be parted instead
_AFFORDABLE = 60000  # nodes up to which it is taken where nothing else is sharp
_LIGHT = 1e8  # nominal nanoseconds that a line may cost to be taken before anything else
_DENSE = 2e5  # terms of a line, nodes times grid points, from which rotated rays are cheaper
_DEEP = -70.0  # log of a delta that is asked for
_NOTHING = 19.0  # -log of the share of delta that a fine line may leave to the mass beyond its cut
_EXTRA = 9.0  # e-folds below the usual that a fine line aims for: the rounding of float64 hides any more
_NEAR = 4  # lines less steep than a fine line should be that may stand in for it
_AROUND = 0.7, 1.4  # of the eps a fine line is made for: those it serves beside
_BESIDE = 0.97, 1.03  # of the eps for which no fine line was affordable: where none is looked for again
_LEFT = 36.0  # e-folds by which a line has fallen where it is cut, about
_TURNED_LATE = 1.5e3  # frequency from which a line that is cut there is so long that arcs are read more cheaply
_GRID = 0.3  # standard deviations between grid points of a bound, where noise is not small
_ENTRY, _TURNED = 12.0, 40.0  # nominal nanoseconds for each node and grid point, along the real axis and rotated rays
_PLANNED, _BESIDES = 1.5e4, 6e3  # the same for each grid point of a bound, for a whole plan: of the longest, of others


class StraightLines:
    """Few lines Re z = c that serve every eps >= 0 of one direction of a composition."""

    def __init__(self, parts: Parts, walk: Walk, rotations: Callable[[float], Steps | None], effort: Effort) -> None:
        self._parts = parts
        self._effort = effort
        self._walk = walk
        self._rotations = rotations
        self._cheap = _BRIEF if parts.parted_first else _CHEAP
        self._stretches = choose(walk, _turned(parts))
        self._chosen = self._stretches.lines
        self._c = walk.c[self._chosen]
        self._h = self._stretches.heights
        self._plans: dict[int, Plan] = {}
        self._lines: dict[int, Line] = {}
        self._light_lines: dict[int, tuple[Line, bool]] = {}  # those laid that cost little; whether of many nodes
        self._fine: list[tuple[tuple[int, float, float, float], Line]] = []
        self._fruitless: list[tuple[float, float, float]] = []  # eps between which none was affordable, at what limit

    @property
    def short(self) -> bool:
        """Whether every line that serves a delta above 1e-30 costs little."""
        return self.within(self._cheap)

    def within(self, nodes: float, deepest: float = _DEEP) -> bool:
        """The same for lines of so many nodes, and those that stand no deeper."""
        return all(self._plan(int(i)).nodes <= nodes for i in self._chosen if self._walk.depth[i] > deepest)

    @property
    def labour(self) -> float:
        """What one eps takes at most, in nominal nanoseconds, of those that serve a delta above 1e-30."""
        deep = (int(i) for i in self._chosen if self._walk.depth[i] > _DEEP)
        return max((self._plan(i).labour for i in deep), default=0.0)

    def light(self, nodes: float) -> bool:
        """The same for lines of so many nodes, or that cost no more than they do all the same."""
        deep = (int(i) for i in self._chosen if self._walk.depth[i] > _DEEP)
        return all(self._plan(i).nodes <= nodes or self._light(i) for i in deep)

    def serve(self, found: Estimates, at: IntArray, epsilon: FloatArray) -> IntArray:
        """Serve the places ``at`` from lines that cost little; return those that have none of few nodes."""
        rest: list[IntArray] = []
        put = found.put if found.error.min(initial=math.inf) == math.inf else found.improve
        for index, place in self._served(epsilon[at]):
            here = at[place]
            line, long = self._light_lines.get(index) or self._lay(index)
            if line is not None:
                put(here, line, epsilon)
                if line.blurred:
                    found.final[here] |= rounded(line.wobble, line.mass, found.value[here], found.error[here])
            if long:
                rest.append(here)
        return np.concatenate(rest) if rest else at[:0]

    @property
    def stands(self) -> FloatArray:
        """The c of the chosen lines."""
        return self._c

    def best(self, epsilon: FloatArray) -> IntArray:
        """Which of the chosen serves each ``epsilon``: that at which e^{K - c eps} / (c (c + 1)) is least, about."""
        if self._in_turn:
            return self._meeting.searchsorted(epsilon)
        return (self._h - np.multiply.outer(epsilon, self._c)).argmin(axis=1)

    @cached_property
    def _in_turn(self) -> bool:
        """Whether each of them is best somewhere, one after the other."""
        return bool((self._meeting[1:] > self._meeting[:-1]).all())

    def short_line(self, place: int) -> tuple[Line | None, bool]:
        """That one of the chosen, if it costs little and has few nodes; and whether it is known that there is none."""
        index = int(self._chosen[place])
        line, long = self._light_lines.get(index) or self._lay(index)
        if not long:
            return line, True
        return None, index in self._plans and self._plans[index].nodes > self._cheap

    def _lay(self, index: int) -> tuple[Line | None, bool]:
        """A line that costs little, and whether there is none of few nodes."""
        line = self._line(index) if self._light(index) else None
        if line is None:
            return None, True
        self._light_lines[index] = line, self._plan(index).nodes > self._cheap
        return self._light_lines[index]

    def _light(self, index: int) -> bool:
        """Whether a line has few nodes, or so few grid points for each that it costs no more."""
        plan = self._plan(index)
        if plan.nodes <= self._cheap:
            return True
        return plan.nodes <= _AFFORDABLE and _ENTRY * plan.nodes * self._terms(plan) <= _LIGHT

    def _terms(self, plan: Plan) -> float:
        """About how many grid points a node needs; of short lines no more than that."""
        w = self._parts.argument(plan.c)
        first, *others = self._parts.laws or (None,)
        if others or not isinstance(first, SamplingTransform):
            return terms_of(self._parts.laws, w, plan.cut)
        return first.terms(w, plan.cut, _DENSE / plan.nodes if plan.nodes <= self._cheap else 0.0)

    def force(self, found: Estimates, at: IntArray, epsilon: FloatArray) -> None:
        """Serve the places ``at`` from long lines, too, as far as they can be afforded."""
        for index, place in self._served(epsilon[at]):
            line = self._line(index) if self._plan(index).nodes <= _AFFORDABLE else None
            if line is not None:
                found.improve(at[place], line, epsilon)

    def sharpen(self, found: Estimates, at: IntArray, epsilon: FloatArray, log_delta: FloatArray) -> None:
        """Where an answer lies far below the line that gave it, try the line through its own saddle, with digits to
        spare.
        """
        walk = self._walk
        # a law may be cut where the mass beyond is nothing beside delta: then steeper lines come within reach
        limit = np.maximum(LOST, 8.0 * np.floor((log_delta - _NOTHING) / 8.0))
        for level in np.unique(limit):
            group = at[limit == level]
            own = np.flatnonzero(walk.useful(float(level)))
            if not len(own):
                continue
            c = walk.c[own]
            height = walk.k[own] - np.log(c * (c + 1.0)) - np.multiply.outer(epsilon[group], c)
            best = np.argmin(height, axis=1)
            for place in np.unique(best):
                few = group[best == place]
                line = self._fine_line(own[max(place - _NEAR, 0) : place + 1], epsilon[few], float(level))
                if line is not None:
                    found.improve(few, line, epsilon)

    def _fine_line(self, steepest: IntArray, epsilon: FloatArray, limit: float) -> Line | None:
        """The steepest affordable line of a few for these eps, as fine as float64 rewards; None where all are too
        dear.
        """
        low, high = float(epsilon.min()), float(epsilon.max())
        if any(first <= low and high <= last and level <= limit for first, last, level in self._fruitless):
            return None
        for known, line in self._fine:
            if known[0] == steepest[-1] and known[1] <= low and high <= known[2] and known[3] <= limit:
                return line
        line, afforded = self._affordable(steepest, (_AROUND[0] * low, _AROUND[1] * high), limit)
        if line is not None:
            self._fine.append(((int(steepest[-1]), _AROUND[0] * low, _AROUND[1] * high, limit), line))
        elif afforded:
            self._fruitless.append((_BESIDE[0] * low, _BESIDE[1] * high, limit))
        return line

    def _affordable(self, steepest: IntArray, band: tuple[float, float], limit: float) -> tuple[Line | None, bool]:
        """That line, and whether there was effort enough to look at all of them."""
        most = 2.0 * _CHEAP
        for i in steepest[::-1]:
            if not self._effort.take(self._planning):
                return None, False
            plan = Plan.make(self._parts, self._walk, int(i), band, _EXTRA, limit, most=most, spend=self._effort.spend)
            if plan.nodes <= most:
                line = self._run(plan)
                return line, line is not None
        return None, True

    def _served(self, epsilon: FloatArray) -> list[tuple[int, IntArray]]:
        """Each line that is needed, with the places of the eps it serves: the line where e^{K - c eps}/(c (c + 1)) is
        least.
        """
        best = self.best(epsilon)
        if len(best) == 1:  # as of a single question
            return [(int(self._chosen[best[0]]), np.zeros(1, dtype=np.int64))]
        return [(int(self._chosen[i]), (best == i).nonzero()[0]) for i in np.unique(best)]

    def _plan(self, index: int) -> Plan:
        if index not in self._plans:
            if not self._effort.take(self._planning):
                return Plan(float(self._walk.c[index]), index, math.inf, math.inf, -math.inf, LOST, index, index)
            self._plans[index] = Plan.make(
                self._parts, self._walk, index, self._band(index), most=_AFFORDABLE, spend=self._effort.spend
            )
        return self._plans[index]

    @cached_property
    def _planning(self) -> float:
        """The work of one plan: all of it in the bounds on what lies beyond the cut."""
        laws = [law for law, _ in self._parts.steps if isinstance(law, SamplingTransform)]
        points = [law.limit / min(_GRID * law.sigma, 0.25 * law.sigma**2) for law in laws]
        return (_PLANNED - _BESIDES) * max(points, default=0.0) + _BESIDES * sum(points)

    def _line(self, index: int) -> Line | None:
        if index not in self._lines:
            line = self._run(self._plan(index))
            if line is None:
                return None
            self._lines[index] = line
        return self._lines[index]

    def _run(self, plan: Plan) -> Line | None:
        """Evaluate a planned line, along rotated rays where the real axis would need too many terms; None where the
        effort does not suffice.
        """
        terms = self._terms(plan)
        dense = plan.nodes * terms > _DENSE * len(self._parts.steps)
        whole = dense and np.isinf(self._walk.cut_at(plan.index, plan.limit)).all()  # rays are those of whole laws
        rotated = self._rotations(_ENTRY * terms / _TURNED) if whole else None
        work = _ENTRY * plan.nodes * terms
        if rotated is not None and not _TURNED * plan.nodes * rotated.terms < work:
            rotated = None
        work = work if rotated is None else _TURNED * plan.nodes * rotated.terms
        if not self._effort.take(work):
            return None
        if plan.fold is None:
            return Line.run(self._parts, self._walk, plan, rotated)
        from neyman.engines.contour.straight.periodic_line import FoldedLine

        return FoldedLine.run(self._parts, self._walk, plan, rotated)

    @cached_property
    def _meeting(self) -> FloatArray:
        """The eps from which each of the chosen but the first serves better than the one before."""
        return np.diff(self._h) / np.diff(self._c)

    def _band(self, index: int) -> tuple[float, float]:
        """The eps that line ``index`` serves among the chosen ones: where it is better than its neighbours, but no
        further than those it was chosen for. At what lies between, delta is 1 but for less than any float.
        """
        walk, meet = self._walk, self._meeting.tolist()
        place = int(self._chosen.searchsorted(index))
        low = meet[place - 1] if place > 0 else 0.0
        high = meet[place] if place < len(meet) else walk.mean[index] + 3.0 * math.sqrt(walk.variance[index])
        low, high = max(low, self._stretches.first[place]), min(high, self._stretches.last[place])
        return max(0.0, float(low)), max(0.0, float(high))


def _turned(parts: Parts) -> float:
    """Of few sampled Gaussians about the frequency up to which too much of their laws does not turn, so that their
    lines are long; 0 of others. Losses far below hardly turn: those of one alone in which a share e^(-_LEFT / count)
    lies there leave e^-_LEFT of all.
    """
    if parts.direction != "remove" or not parts.sampled or parts.mu > 0.0 or not parts.gaussians:
        return 0.0  # in the direction "add" losses lie closely, so that lines are short all the same
    if not parts.count * math.log(2.0) < _LEFT:
        return 0.0  # of many the half that lies above turns enough
    far = float(score(np.array([-_LEFT / parts.count]))[0])
    grown = (
        min((far + 0.5 / law.sigma) / law.sigma, LARGEST_EXPONENT) - math.log(law.rate) for law, _ in parts.gaussians
    )
    turned = math.exp(min(min(grown), LARGEST_EXPONENT))
    return turned if turned < _TURNED_LATE else 0.0
