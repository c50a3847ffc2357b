"""Contour inversion: the certified profile of a composition from a handful of vertical lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.engines.contour_arc import Arc
from neyman.engines.contour_line import Line, Plan, alias_distances
from neyman.engines.contour_steps import Steps
from neyman.engines.contour_walk import DEEPEST, LOST, Parts, Walk
from neyman.engines.profile import Bracket, Profile

__all__ = ["ContourProfile"]

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_AIM = 36.0  # e-folds between a line's height and its aliases, as planned
_BLATANT = 3.0  # -log(1 - delta(0)) above which 1 - delta deserves lines of its own, between the poles
_WORTH = 40.0  # e-folds of delta beyond which covering more with one line is not worth its nodes
_CHEAP = 1500  # nodes up to which a straight line is always taken
_DENSE = 2e5  # terms of a line, nodes times grid points, from which rotated rays are cheaper
_AFFORDABLE = 60000  # nodes up to which it is taken where bending fails
_ENOUGH = 3e-7  # relative error above which a line through the saddle itself is worth trying
_STRETCH = 30.0  # how far below its own eps an arc is laid out to serve
_DEEP = -115.0  # log of a delta (1e-50) below which an answer is welcome but no effort is made
_SHARP = 1e-8  # relative error that needs no further work
_NOTHING = 19.0  # -log of the share of delta that a fine line may leave to the mass beyond its cut
_EXTRA = 9.0  # e-folds below the usual that a fine line aims for: the rounding of float64 hides any more
_LOSS = 4.0  # e-folds of accuracy given away at most by serving an eps from a line that is not its own


class ContourProfile(Profile):
    """Profile of a composition of Poisson-sampled Gaussian steps, one direction, for eps >= 0."""

    method = "transform"

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._walk = Walk.along(parts)
        self._chosen = _choose(self._walk)
        self._plans: dict[int, Plan] = {}
        self._lines: dict[int, Line] = {}
        self._fine: list[tuple[tuple[int, float, float, float], Line | None]] = []
        self._arcs: list[Arc] = []
        self._hopeless: list[tuple[float, float]] = []

    @property
    def tail_mu(self) -> float:
        steps = sum(times / transform.sigma**2 for transform, times in self._parts.steps)
        return math.sqrt(steps + self._parts.mu**2) * (1.0 + 1e-14)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        found = self._evaluate(epsilon)
        bracket = _assemble(found.value, found.error, found.log_scale, found.is_gap, found.lost)
        return self._capped(epsilon, bracket)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        found = self._evaluate(epsilon)
        with np.errstate(over="ignore", under="ignore"):
            return np.clip(found.slope * np.exp(np.minimum(found.log_scale, 700.0)), 0.0, 1.0)

    def _capped(self, epsilon: FloatArray, bracket: Bracket) -> Bracket:
        """No bound is worse than Chernoff's, nor than what any pair of laws obeys."""
        with np.errstate(under="ignore"):
            upper = np.minimum(bracket.upper, np.exp(np.minimum(self._log_chernoff(epsilon) + 1e-6, 0.0)) + 1e-322)
        return Bracket(np.minimum(bracket.lower, upper), upper, bracket.log_gap_lower, bracket.log_gap_upper)

    def _log_chernoff(self, epsilon: FloatArray) -> FloatArray:
        """log of the best bound e^{K(c) - c eps} on delta, plus what the law at that c has lost."""
        right = self._walk.c > 0.0
        log_tail = self._walk.k[right] - np.multiply.outer(epsilon, self._walk.c[right])
        return np.min(np.logaddexp(log_tail, self._walk.log_lost[right]), axis=1, initial=0.0)

    def _evaluate(self, epsilon: FloatArray) -> Found:
        found = self._settled(epsilon)
        inside = np.flatnonzero(found.error > 0.0)
        for index, place in self._served(epsilon[inside]):
            at, plan = inside[place], self._plan(index)
            if plan.nodes <= _CHEAP:
                found.put(at, self._line(index), epsilon)
            else:
                self._bend(found, at, epsilon, plan)
        self._sharpen(found, epsilon)
        return found

    def _settled(self, epsilon: FloatArray) -> Found:
        """A blank sheet on which all is settled that needs no contour: delta is exactly 0, or below anything asked for."""
        found = Found.empty(len(epsilon))
        found.settled[:] = self._log_chernoff(epsilon) < _DEEP
        beyond = epsilon >= self._parts.largest_loss * (1.0 + 1e-14)
        found.error[beyond], found.settled[beyond] = 0.0, True
        return found

    def _sharpen(self, found: Found, epsilon: FloatArray) -> None:
        """Where an answer lies far below the line that gave it, try the line through its own saddle, with digits to spare."""
        blunt = np.flatnonzero(~(found.error <= _ENOUGH * np.abs(found.value)) & (self._log_chernoff(epsilon) > _DEEP))
        if not len(blunt):
            return
        walk = self._walk
        with np.errstate(divide="ignore", invalid="ignore"):
            known = np.where(found.error < found.value, np.log(np.maximum(found.value, 0.0)) + found.log_scale, -math.inf)
        log_delta = np.where(np.isfinite(known), known, self._log_chernoff(epsilon) - 6.0)[blunt]
        # a law may be cut where the mass beyond is nothing beside delta: then steeper lines come within reach
        limit = np.maximum(LOST, 8.0 * np.floor((log_delta - _NOTHING) / 8.0))
        for level in np.unique(limit):
            at = blunt[limit == level]
            own = np.flatnonzero(walk.useful(float(level)))
            if not len(own):
                continue
            height = walk.k[own] - np.log(walk.c[own] * (walk.c[own] + 1.0)) - np.multiply.outer(epsilon[at], walk.c[own])
            best = np.argmin(height, axis=1)
            for place in np.unique(best):
                line = self._fine_line(own[max(place - 4, 0) : place + 1], epsilon[at[best == place]], float(level))
                if line is not None:
                    found.improve(at[best == place], line, epsilon)

    def _fine_line(self, steepest: IntArray, epsilon: FloatArray, limit: float) -> Line | None:
        """The steepest affordable line of a few for these eps, as fine as float64 rewards; None where all are too dear."""
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

    def _bend(self, found: Found, at: IntArray, epsilon: FloatArray, plan: Plan) -> None:
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
                near = blunt[(epsilon[blunt] >= low) & (epsilon[blunt] <= high)]
                poor = near[~(found.error[near] <= _ENOUGH * np.abs(found.value[near]))]
                if len(poor) and plan.nodes <= _AFFORDABLE:
                    found.improve(poor, self._line(plan.index), epsilon)
                found.settle(near)

    def _lay(self, epsilon: float) -> Arc | None:
        walk = self._walk
        right = np.flatnonzero(walk.useful() & np.isinf(walk.cuts).all(axis=0))
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
            bend = max(_curvature(c, height, best), float(walk.variance[right[best]]) * (k[best] >= 0.0))
            arc = self._arc(place, bend + place**-2 + (place + 1.0) ** -2, epsilon)
            if arc is not None:
                return arc
        return None

    def _arc(self, place: float, curvature: float, epsilon: float) -> Arc | None:
        steps = self._rotations
        try:
            span = (epsilon / _STRETCH, max(epsilon * 3.0, 0.05 / place))
            return None if steps is None else Arc.lay(steps, place, curvature, span)
        except ArithmeticError:
            return None

    @cached_property
    def _rotations(self) -> Steps | None:
        walk = self._walk
        right = walk.c[walk.useful() & np.isinf(walk.cuts).all(axis=0)]
        reach = 1.0 + float(right.max(initial=0.0)) if self._parts.direction == "remove" else 1.0
        try:
            return Steps.along(self._parts, 1.05 * reach + 0.5)
        except ArithmeticError:
            return None

    def _served(self, epsilon: FloatArray) -> list[tuple[int, IntArray]]:
        """Each line that is needed, with the places of the eps it serves: the line where e^{K - c eps}/(c (c + 1)) is least."""
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
        meet = [(h[j] - h[i]) / (walk.c[j] - walk.c[i]) for i, j in zip(chosen[:-1], chosen[1:], strict=True)]
        low = meet[place - 1] if place > 0 else 0.0
        high = meet[place] if place < len(meet) else walk.mean[index] + 3.0 * math.sqrt(walk.variance[index])
        return max(0.0, float(low)), max(0.0, float(high))


@dataclass(frozen=True)
class Found:
    """What has been integrated so far, eps by eps: the mantissa of delta (or of 1 - delta), its error, their log scale."""

    value: FloatArray
    slope: FloatArray
    error: FloatArray
    log_scale: FloatArray
    is_gap: BoolArray
    lost: FloatArray
    settled: BoolArray

    @classmethod
    def empty(cls, size: int) -> Found:
        """Nothing known: delta in [0, 1]."""
        zero = np.zeros(size)
        return cls(zero, zero.copy(), np.full(size, math.inf), zero.copy(), zero > 0.0, zero.copy(), zero > 0.0)

    def put(self, at: IntArray, contour: Line | Arc, epsilon: FloatArray) -> None:
        """Integrate the places ``at`` along ``contour``."""
        self.value[at], self.slope[at], self.error[at], self.log_scale[at] = contour.integrate(epsilon[at])
        self.is_gap[at], self.lost[at] = contour.c < 0.0, contour.lost

    def improve(self, at: IntArray, contour: Line | Arc, epsilon: FloatArray) -> None:
        """The same, where it is sharper than what is known."""
        at = at[~(self.error[at] <= _SHARP * np.abs(self.value[at]))]
        if not len(at):
            return
        trial = Found.empty(len(at))
        trial.put(np.arange(len(at)), contour, epsilon[at])
        with np.errstate(over="ignore", invalid="ignore"):
            better = trial.error * np.exp(np.minimum(trial.log_scale - self.log_scale[at], 700.0)) < self.error[at]
        for name in ("value", "slope", "error", "log_scale", "is_gap", "lost"):
            getattr(self, name)[at[better]] = getattr(trial, name)[better]

    def settle(self, at: IntArray) -> None:
        """Nothing sharper is to be had at ``at``."""
        self.settled[at] = True

    def blunt(self, at: IntArray) -> BoolArray:
        """Where more work may still pay."""
        return ~(self.error[at] <= _SHARP * np.abs(self.value[at])) & ~self.settled[at]


def _curvature(x: FloatArray, y: FloatArray, at: int) -> float:
    """Second derivative of y(x) near index ``at``, from three neighbours; 0 where it is not positive."""
    i = min(max(at, 1), len(x) - 2)
    if i < 1:
        return 0.0
    left, right = (y[i] - y[i - 1]) / (x[i] - x[i - 1]), (y[i + 1] - y[i]) / (x[i + 1] - x[i])
    return max(0.0, float(2.0 * (right - left) / (x[i + 1] - x[i - 1])))


def _choose(walk: Walk) -> FloatArray:
    """Few lines that serve every eps >= 0 at a loss of at most ``_LOSS`` e-folds against the best line of the walk."""
    # between the poles depth is no limit: there 1 - delta is found, in its logarithm
    able = np.flatnonzero(walk.useful() | ((walk.c > -1.0) & (walk.c < 0.0)))
    h = walk.k[able] - np.log(np.abs(walk.c[able]) * (walk.c[able] + 1.0))
    if np.min(h, where=walk.c[able] < 0.0, initial=math.inf) > -_BLATANT:
        able, h = able[walk.c[able] > 0.0], h[walk.c[able] > 0.0]
    c = walk.c[able]
    # the eps at which each line of the walk is best: the lower envelope of h - c eps
    visible = (walk.mean[able] > 0.0) & ((h > -DEEPEST) | (c > 0.0))
    reach = np.unique(np.concatenate([[0.0], walk.mean[able][visible]]))
    height = h - np.multiply.outer(reach, c)
    best = height.min(axis=1)
    loss = height - best[:, None]
    chosen: list[int] = []
    first = 0
    while first < len(reach):
        good = np.flatnonzero(loss[first] <= _LOSS)
        pick, last = _longest(walk, able[good], loss[first:, good] <= _LOSS, reach[first:], best[first:])
        chosen.append(int(able[good[pick]]))
        first += last + 1
    return np.unique(np.array(chosen))


def _longest(
    walk: Walk, lines: IntArray, serves: BoolArray, reach: FloatArray, best: FloatArray
) -> tuple[int, int]:
    """Of the lines that serve the first eps, the one (and how far) that covers most decades of delta per node."""
    spans = np.minimum.accumulate(serves, axis=0)
    score = np.full(spans.shape, -math.inf)
    lasts = np.unique(np.linspace(0, int(spans.sum(axis=0).max()) - 1, 8).astype(int))
    ends = np.unique(np.concatenate([[0], lasts]))
    for j, line in enumerate(lines):
        k, c = float(walk.k[line]), float(walk.c[line])
        distance = alias_distances(walk, int(line), reach[ends], k - c * reach[ends] - _AIM)
        covered = np.minimum(best[0] - best[ends], _WORTH) + 6.0
        score[ends, j] = np.where(spans[ends, j], covered / np.maximum(np.maximum(distance, distance[0]), 1e-300), -math.inf)
    last, pick = np.unravel_index(int(np.argmax(score)), score.shape)
    return int(pick), int(last)


def _assemble(
    value: FloatArray, error: FloatArray, log_scale: FloatArray, is_gap: FloatArray, lost: FloatArray
) -> Bracket:
    """Bounds on delta and log(1 - delta) from the mantissa of whichever of delta, 1 - delta was integrated."""
    tiny = 16.0 * 2.0**-53
    # the scale e^{K - c eps} is itself rounded; its exponent may be large
    slack = 4.0 * 2.0**-53 * (2.0 + np.abs(log_scale))
    with np.errstate(over="ignore"):
        low = np.maximum(value - error, 0.0) * (1.0 - slack - tiny)
        high = np.maximum(value + error, 0.0) * (1.0 + slack + tiny)
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        log_low, log_high = np.log(low) + log_scale, np.log(high) + log_scale
        small_low, small_high = np.exp(log_low) * (1.0 - tiny), np.exp(np.minimum(log_high, 1.0)) * (1.0 + tiny)
        # the law was cut: what was cut off may add to delta, never to 1 - delta
        delta_low = np.where(is_gap, 1.0 - small_high - lost - tiny, small_low)
        delta_high = np.where(is_gap, 1.0 - small_low + tiny, small_high + lost)
        delta_low, delta_high = np.clip(delta_low, 0.0, 1.0), np.clip(delta_high, 0.0, 1.0)
        gap_low = np.where(is_gap, _log_less(log_low, lost) - tiny, np.log1p(-delta_high) * (1.0 + tiny) - tiny)
        gap_high = np.where(is_gap, np.minimum(log_high + tiny, 0.0), np.log1p(-delta_low) * (1.0 - tiny) + tiny)
    return Bracket(delta_low, delta_high, gap_low, np.minimum(gap_high, 0.0))



def _log_less(log_value: FloatArray, lost: FloatArray) -> FloatArray:
    """log(e^log_value - 2 lost), -inf where nothing is left."""
    share = 2.0 * lost * np.exp(np.minimum(-log_value, 709.0))
    return np.where(share < 1.0, log_value + np.log1p(-np.minimum(share, 1.0 - 2.0**-53)), -math.inf)
