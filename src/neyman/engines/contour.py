"""Contour inversion: the certified profile of a composition from a handful of vertical lines."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour_arc import Arc
from neyman.engines.contour_choice import choose, curvature
from neyman.engines.contour_found import Found
from neyman.engines.contour_line import ROUNDED, Line, Plan
from neyman.engines.contour_split import Split
from neyman.engines.contour_steps import Steps
from neyman.engines.contour_valley import Valleys
from neyman.engines.contour_walk import LOST, IntArray, Parts, Walk
from neyman.engines.profile import Bracket, Profile

__all__ = ["ContourProfile"]

_CHEAP = 1500  # nodes up to which a straight line is always taken
_DENSE = 2e5  # terms of a line, nodes times grid points, from which rotated rays are cheaper
_AFFORDABLE = 60000  # nodes up to which it is taken where bending fails
_ENOUGH = 3e-7  # relative error above which a line through the saddle itself is worth trying
_STRETCH = 30.0  # how far below its own eps an arc is laid out to serve
_MANY = 3  # steps from which they are parted before any contour is bent
_BRIEF, _LONG = 2500, 9000  # nodes of a parted law's line: at first, and where nothing else is sharp
_TRIES = 2  # failures after which no law is parted again
_FEW = 32  # distinct steps up to which they are parted
_CLEAR = 0.9  # of the steepest uncut line: close to it, rotated sums cancel
_FOLLOWED = 130.0  # depth to which rotated laws are laid out in full
_DEEP = -115.0  # log of a delta (1e-50) below which an answer is welcome but no effort is made
_NOTHING = 19.0  # -log of the share of delta that a fine line may leave to the mass beyond its cut
_EXTRA = 9.0  # e-folds below the usual that a fine line aims for: the rounding of float64 hides any more


class ContourProfile(Profile):
    """Profile of a composition of Poisson-sampled Gaussian steps, one direction, for eps >= 0."""

    @property
    def method(self) -> str:
        return "transform"

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._walk = Walk.along(parts)
        self._chosen = choose(self._walk)
        self._plans: dict[int, Plan] = {}
        self._lines: dict[int, Line] = {}
        self._fine: list[tuple[tuple[int, float, float, float], Line | None]] = []
        self._arcs: list[Arc] = []
        self._hopeless: list[tuple[float, float]] = []
        self._splits: list[Split] = []
        self._whole: dict[int, list[tuple[float, float]]] = {_BRIEF: [], _LONG: []}
        self._last: tuple[FloatArray, Found] | None = None

    @property
    def tail_mu(self) -> float:
        steps = sum(times / transform.sigma**2 for transform, times in self._parts.steps)
        return math.sqrt(steps + self._parts.mu**2) * (1.0 + 1e-14)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._capped(epsilon, self._evaluated(epsilon))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        found = self._evaluated(epsilon)
        with np.errstate(over="ignore", under="ignore"):
            return np.clip(found.slope * np.exp(np.minimum(found.log_scale, 700.0)), 0.0, 1.0)

    def _evaluated(self, epsilon: FloatArray) -> Found:
        """``_evaluate``, once for the bracket and the slope that solvers ask for together."""
        if self._last is None or not np.array_equal(self._last[0], epsilon):
            self._last = epsilon.copy(), self._evaluate(epsilon)
        return self._last[1]

    def _capped(self, epsilon: FloatArray, found: Found) -> Bracket:
        """No bound need be worse than Chernoff's."""
        bracket = found.bracket()
        poor = np.flatnonzero(~(found.error <= _ENOUGH * np.abs(found.value)))
        if len(poor):
            log_tail = np.minimum(self._log_chernoff(epsilon[poor]) + 1e-6, 0.0)
            with np.errstate(under="ignore"):
                bracket.upper[poor] = np.minimum(bracket.upper[poor], np.exp(log_tail) + 1e-322)
            bracket.lower[poor] = np.minimum(bracket.lower[poor], bracket.upper[poor])
        return bracket

    @cached_property
    def _deep(self) -> float:
        """The eps from which delta is certainly below e^_DEEP."""
        right = (self._walk.c > 0.0) & (self._walk.log_lost < _DEEP - 1.0)
        return float(np.min((self._walk.k[right] - _DEEP + 1.0) / self._walk.c[right], initial=math.inf))

    def _log_chernoff(self, epsilon: FloatArray) -> FloatArray:
        """log of the best bound e^{K(c) - c eps} on delta, plus what the law at that c has lost."""
        right = self._walk.c > 0.0
        c, k = self._walk.c[right], self._walk.k[right]
        pull = np.multiply.outer(epsilon, c)
        log_tail = k - pull + ROUNDED * (np.abs(k) + pull)
        return np.min(np.logaddexp(log_tail, self._walk.log_lost[right]), axis=1, initial=0.0)

    def _evaluate(self, epsilon: FloatArray) -> Found:
        found = self._settled(epsilon)
        inside = np.flatnonzero(found.error > 0.0)
        long: list[tuple[IntArray, Plan]] = []
        for index, place in self._served(epsilon[inside]):
            at, plan = inside[place], self._plan(index)
            if plan.nodes <= _CHEAP:
                found.put(at, self._line(index), epsilon)
            else:
                long.append((at, plan))
        many = self._parts.count >= _MANY
        if many:
            self._part(found, np.flatnonzero(found.blunt(slice(None), _ENOUGH)), epsilon, _BRIEF)
        for at, plan in long:
            self._bend(found, at[found.blunt(at, _ENOUGH)], epsilon)
        self._part(found, self._poor(found, epsilon), epsilon, _LONG)
        for at, plan in long:
            self._straighten(found, at, epsilon, plan)
        self._sharpen(found, epsilon)
        return found

    def _poor(self, found: Found, epsilon: FloatArray) -> IntArray:
        """The places that are not sharp, where delta is not too small to care."""
        poor = np.flatnonzero(~(found.error <= _ENOUGH * np.abs(found.value)))
        return poor[epsilon[poor] <= self._deep]

    def _part(self, found: Found, blunt: IntArray, epsilon: FloatArray, nodes: int) -> None:
        """Serve the places ``blunt`` from lines through the bulk and the jumps apart, of that many nodes at most."""
        while True:
            for split in self._splits:
                within = (epsilon[blunt] >= split.range[0]) & (epsilon[blunt] <= split.range[1])
                found.improve(blunt[within], split, epsilon)
                blunt = blunt[~within]
            for low, high in self._whole[nodes]:
                blunt = blunt[(epsilon[blunt] < low) | (epsilon[blunt] > high)]
            if not len(blunt) or self._valleys is None or len(self._whole[nodes]) >= _TRIES:
                return
            target = float(epsilon[blunt[len(blunt) // 2]])
            split = Split.lay(self._parts, self._walk, self._valleys, target, nodes)
            if split is None:
                self._whole[nodes].append((0.6 * target, 1.6 * target))
            else:
                self._splits.append(split)

    @cached_property
    def _valleys(self) -> Valleys | None:
        few = len(self._parts.steps) <= _FEW
        return Valleys.of(self._parts) if few and self._parts.direction == "remove" else None

    def _settled(self, epsilon: FloatArray) -> Found:
        """A blank sheet on which all is settled that needs no contour: delta is exactly 0, or below anything asked
        for.
        """
        found = Found.empty(len(epsilon))
        found.settled[:] = epsilon > self._deep
        beyond = epsilon >= self._parts.largest_loss * (1.0 + 1e-14)
        found.error[beyond], found.settled[beyond] = 0.0, True
        return found

    def _sharpen(self, found: Found, epsilon: FloatArray) -> None:
        """Where an answer lies far below the line that gave it, try the line through its own saddle, with digits to
        spare.
        """
        blunt = self._poor(found, epsilon)
        if not len(blunt):
            return
        walk = self._walk
        with np.errstate(divide="ignore", invalid="ignore"):
            known = np.where(
                found.error < found.value, np.log(np.maximum(found.value, 0.0)) + found.log_scale, -math.inf
            )
        log_delta = np.where(np.isfinite(known), known, self._log_chernoff(epsilon) - 6.0)[blunt]
        # a law may be cut where the mass beyond is nothing beside delta: then steeper lines come within reach
        limit = np.maximum(LOST, 8.0 * np.floor((log_delta - _NOTHING) / 8.0))
        for level in np.unique(limit):
            at = blunt[limit == level]
            own = np.flatnonzero(walk.useful(float(level)))
            if not len(own):
                continue
            height = (
                walk.k[own] - np.log(walk.c[own] * (walk.c[own] + 1.0)) - np.multiply.outer(epsilon[at], walk.c[own])
            )
            best = np.argmin(height, axis=1)
            for place in np.unique(best):
                line = self._fine_line(own[max(place - 4, 0) : place + 1], epsilon[at[best == place]], float(level))
                if line is not None:
                    found.improve(at[best == place], line, epsilon)

    def _fine_line(self, steepest: IntArray, epsilon: FloatArray, limit: float) -> Line | None:
        """The steepest affordable line of a few for these eps, as fine as float64 rewards; None where all are too
        dear.
        """
        low, high = float(epsilon.min()), float(epsilon.max())
        for known, line in self._fine:
            if known[0] == steepest[-1] and known[1] <= low and high <= known[2] and known[3] <= limit:
                return line
        low, high = 0.7 * low, 1.4 * high
        plans = (Plan.make(self._parts, self._walk, int(i), (low, high), _EXTRA, limit) for i in steepest[::-1])
        plan = next((p for p in plans if p.nodes <= 2.0 * _CHEAP), None)
        line = None if plan is None else self._run(plan)
        self._fine.append(((int(steepest[-1]), low, high, limit), line))
        return line

    def _bend(self, found: Found, at: IntArray, epsilon: FloatArray) -> None:
        """Serve the places ``at`` from arcs, laying new ones where those at hand are not sharp enough."""
        for arc in self._arcs:
            within = at[(epsilon[at] >= arc.range[0]) & (epsilon[at] <= arc.range[1])]
            found.improve(within, arc, epsilon)
        for low, high in self._hopeless:
            found.settle(at[(epsilon[at] >= low) & (epsilon[at] <= high)])
        while True:
            blunt = at[found.blunt(at)]
            if not len(blunt):
                return
            target = blunt[len(blunt) // 2]
            arc = self._lay(float(epsilon[target]))
            if arc is not None:
                self._arcs.append(arc)
                found.improve(at, arc, epsilon)
            if found.blunt(np.array([target]))[0]:
                # what one contour through its own saddle cannot do, no neighbour does
                low, high = float(epsilon[target]) * 0.6, float(epsilon[target]) * 3.0
                self._hopeless.append((low, high))
                found.settle(blunt[(epsilon[blunt] >= low) & (epsilon[blunt] <= high)])

    def _straighten(self, found: Found, at: IntArray, epsilon: FloatArray, plan: Plan) -> None:
        """Where nothing else is sharp enough: the straight line if it can be afforded."""
        poor = at[~(found.error[at] <= _ENOUGH * np.abs(found.value[at]))]
        if len(poor) and plan.nodes <= _AFFORDABLE:
            found.improve(poor, self._line(plan.index), epsilon)

    def _lay(self, epsilon: float) -> Arc | None:
        walk = self._walk
        right = self._calm
        if not len(right):
            return None
        c, k = walk.c[right], walk.k[right]
        if self._parts.direction == "remove":
            # where K is small, e^K - 1 is what an arc integrates
            k = np.where(k < 1.0, np.log(np.expm1(np.clip(k, 1e-300, 1.0))), k)
        height = k - c * epsilon - np.log(c * (c + 1.0))
        # where the saddle is flat, its steepest line serves the larger eps best; the others are easier to bound
        flat = np.flatnonzero(height <= height.min() + 1.0)
        for best in dict.fromkeys(int(flat[(len(flat) - 1) * part // 4]) for part in (4, 3, 2, 0)):
            place = float(c[best])
            bend = max(curvature(c, height, best), float(walk.variance[right[best]]) * (k[best] >= 0.0))
            arc = self._arc(place, bend + place**-2 + (place + 1.0) ** -2, epsilon)
            if arc is not None:
                return arc
        return None

    def _arc(self, place: float, curvature: float, epsilon: float) -> Arc | None:
        steps = self._rotations
        try:
            end = epsilon + 0.7 * (self._parts.largest_loss - epsilon)  # an arc of an ended law bends towards its end
            span = (epsilon / _STRETCH, min(max(epsilon * 3.0, 0.05 / place), end))
            return None if steps is None else Arc.lay(steps, place, curvature, span)
        except ArithmeticError:
            return None

    @cached_property
    def _calm(self) -> IntArray:
        """The lines that an arc may start from: of an uncut law, and clear of where its moments explode."""
        walk = self._walk
        whole = walk.useful() & np.isinf(walk.cuts).all(axis=0)
        if self._parts.direction == "remove":
            whole &= walk.c <= _CLEAR * walk.c[whole].max(initial=0.0)
        return np.flatnonzero(whole)

    @cached_property
    def _rotations(self) -> Steps | None:
        walk = self._walk
        followed = self._calm[walk.depth[self._calm] > -_FOLLOWED]
        steepest = 1.05 * float(walk.c[followed].max(initial=0.0))
        reach, depth = (1.55 + steepest, 0.0) if self._parts.direction == "remove" else (1.55, 0.5 + steepest)
        try:
            return Steps.along(self._parts, reach, depth)
        except ArithmeticError:
            return None

    def _served(self, epsilon: FloatArray) -> list[tuple[int, IntArray]]:
        """Each line that is needed, with the places of the eps it serves: the line where e^{K - c eps}/(c (c + 1)) is
        least.
        """
        walk, chosen = self._walk, self._chosen
        c = walk.c[chosen]
        height = walk.k[chosen] - np.log(np.abs(c) * (c + 1.0)) - np.multiply.outer(epsilon, c)
        best = chosen[np.argmin(height, axis=1)]
        return [(int(i), np.flatnonzero(best == i)) for i in np.unique(best)]

    def _plan(self, index: int) -> Plan:
        if index not in self._plans:
            self._plans[index] = Plan.make(self._parts, self._walk, index, self._band(index))
        return self._plans[index]

    def _line(self, index: int) -> Line:
        if index not in self._lines:
            plan = self._plan(index)
            self._lines[index] = self._run(plan)
        return self._lines[index]

    def _run(self, plan: Plan) -> Line:
        """Evaluate a planned line, along rotated rays where the real axis would need too many terms."""
        w = float(self._parts.argument(np.array([plan.c]))[0])
        terms = sum(transform.terms(w, plan.cut) for transform, _ in self._parts.steps)
        rotated = self._rotations if plan.nodes * terms > _DENSE * len(self._parts.steps) else None
        return Line.run(self._parts, self._walk, plan, rotated)

    def _band(self, index: int) -> tuple[float, float]:
        """The eps that line ``index`` serves among the chosen ones."""
        walk, chosen = self._walk, self._chosen
        h = walk.k - np.log(np.abs(walk.c) * (walk.c + 1.0), where=walk.c > -1.0, out=np.zeros(len(walk.c)))
        place = int(np.searchsorted(chosen, index))
        meet = [(h[j] - h[i]) / (walk.c[j] - walk.c[i]) for i, j in pairwise(chosen)]
        low = meet[place - 1] if place > 0 else 0.0
        high = meet[place] if place < len(meet) else walk.mean[index] + 3.0 * math.sqrt(walk.variance[index])
        return max(0.0, float(low)), max(0.0, float(high))
