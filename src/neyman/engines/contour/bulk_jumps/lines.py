"""How a composition is parted into bulk and jumps at one place, and the line of each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.contour.bulk_jumps.threshold import Place, Valleys
from neyman.engines.contour.cumulant import MERGED, WALKED, Walk
from neyman.engines.contour.estimate import faults
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.coverage import alias_distances
from neyman.engines.contour.straight.line import ROUNDED, Line
from neyman.engines.contour.straight.plan import Plan
from neyman.losses.gaussian.parts.bulk import SoftBulk
from neyman.losses.gaussian.parts.jumps import Jumps
from neyman.losses.gaussian.parts.soft_jumps import SoftJumps
from neyman.losses.gaussian.shifted_bound import log_size
from neyman.losses.gaussian.transform import ComplexArray, SamplingTransform, log_ratio
from neyman.losses.readings.transform import LOGGED
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import LARGEST_EXPONENT, ROOM, TINY, UNIT
from neyman.profiles.effort import Effort

__all__ = ["Ceiling", "Parting"]

_WIDTH = 0.15  # of sigma: how softly a law is parted
_NOTHING = 21.0  # e-folds below delta that may be lost
_LADDER = np.array([0.5, 0.8, 1.0, 1.2, 1.5, 1.8, 2.0, 2.3, 2.6, 3.0])  # the bulk's walk, in units of its line
_FURTHER = (1.5, 4.0, 1.0)  # times the least distance of aliases: of those the lowest line is tried for the jumps
_SHARP = 2e-7  # relative error that is sharp
_FLAT = 6.0  # e-folds by which their line may stand higher than the lowest
_WORK = 3e7  # nodes times grid points of one line, for each step
_ENTRY = 25.0  # nominal nanoseconds for each of them
_SHORT = 500  # nodes of a line that need not be fewer
_SHARE, _HALVED = 0.87, 31  # of the nodes that are allowed, these powers are tried
_MARGIN = 36.0  # e-folds that quadrature errors stay below a transform
_DEEP = 60.0  # e-folds down a valley at which a law may end, at the latest at its bottom
_BEHIND = np.array([3.0, 1.0, 0.3])  # units of its line that a walk along the bulk looks left of the pole at -1
_DIGITS = 34.0  # e-folds between the height of a line and its aliases

_Step = tuple[SamplingTransform, SoftBulk, int]


@dataclass(frozen=True)
class Ceiling:
    """The most that the bulk alone adds to delta: Chernoff at each c of its walk, as in ``elementary``, of the law that
    is left there, and what was cut off.
    """

    c: FloatArray
    k: FloatArray
    log_lost: FloatArray

    def log_most(self, epsilon: FloatArray) -> FloatArray:
        """log of it."""
        pull = np.multiply.outer(epsilon, self.c)
        height = self.k + self.c * np.log(self.c) - (1.0 + self.c) * np.log1p(self.c)
        rounded = WALKED + ROUNDED * (np.abs(self.k) + pull + (1.0 + self.c) * (1.0 + np.log1p(self.c)))
        return np.min(np.logaddexp(height - pull + rounded, self.log_lost), axis=1, initial=0.0)


@dataclass(frozen=True)
class Parting:
    """The bulk of every step, for eps in ``span``."""

    parts: Parts
    walk: Walk
    valleys: Valleys
    place: Place
    span: tuple[float, float]
    steps: tuple[_Step, ...]
    effort: Effort

    @classmethod
    def of(
        cls, parts: Parts, walk: Walk, valleys: Valleys, place: Place, span: tuple[float, float], effort: Effort,
        crisp: bool = False,
    ) -> Parting:  # fmt: skip
        """Part each step of ``parts`` where ``place`` says; where noise is small less softly, if it is to be ``crisp``:
        there losses grow fast within the soft share.
        """
        steps = tuple(
            (law, SoftBulk(law.sigma, law.rate, end, _WIDTH * law.sigma * min(1.0, law.sigma if crisp else 1.0)), times)
            for (law, times), end in zip(parts.gaussians, place.ends.tolist(), strict=True)
        )
        return cls(parts, walk, valleys, place, span, steps, effort)

    @property
    def log_masses(self) -> tuple[float, float]:
        """log of the mass of the bulk under P and under Q."""
        return (
            sum(times * math.log1p(-bulk.missing_with) for _, bulk, times in self.steps),
            sum(times * math.log1p(-bulk.missing) for _, bulk, times in self.steps),
        )

    @property
    def log_jumped(self) -> float:
        """log of a bound on the probability, with the record, that any step is a jump."""
        return math.log(math.fsum(times * bulk.missing_with for _, bulk, times in self.steps) * (1.0 + ROOM) + TINY)

    def bulk_line(self, nodes: int) -> Line | None:
        """The line of at most that many ``nodes`` through the saddle of the bulk."""
        laws, walk = self._bulks, self._bulk_walk
        index = np.flatnonzero(walk.c == self.place.c)
        if not len(index):
            return None
        plan = Plan.make(laws, walk, int(index[0]), self.span, most=nodes)
        if not self._affordable(plan, nodes):
            return None
        return Line.run(laws, walk, plan, masses=(math.exp(self.log_masses[0]), math.exp(self.log_masses[1])))

    @cached_property
    def _bulks(self) -> Parts:
        return Parts(tuple((bulk, times) for _, bulk, times in self.steps), self.parts.mu, "remove")

    @cached_property
    def _bulk_walk(self) -> Walk:
        c, unit = self.place.c, 1.0 / self.valleys.bulk(self.place.c)[1]
        left = np.append(-1.0 - unit * _BEHIND, -0.5)
        return Walk.at(self._bulks, np.concatenate([left, c * _LADDER]))

    def ceiling(self, c: FloatArray | None = None) -> Ceiling:
        """What a walk along the real axis says of the bulk: at these ``c`` > 0, or at those that its line needs."""
        walk = self._bulk_walk if c is None else Walk.at(self._bulks, c)
        right = walk.c > 0.0
        return Ceiling(walk.c[right], walk.k[right], walk.log_lost[right])

    def jump_line(self, nodes: int, epsilon: float) -> Line | None:
        """A line of at most that many ``nodes`` for the jumps: of those on which they are nearly as small as can be the
        one of fewest nodes, or where that is not sharp at ``epsilon`` the sharpest of some.
        """
        walk, top = self.walk, self.span[1]
        log_delta = self.valleys.log_delta(top)
        limit = 8.0 * math.floor((log_delta - _NOTHING) / 8.0)
        useful = np.flatnonzero(walk.useful(limit))
        if not len(useful):
            return None
        c = walk.c[useful]
        ends = np.array([walk.cut_at(int(i), limit) for i in useful]).T
        log_share = np.minimum(self.valleys.log_jumps(self.place.ends, c + 1.0, ends), 0.0)
        height = log_share - top * c - np.log(c * (c + 1.0))
        target = log_delta + c * top - _NOTHING
        near = np.flatnonzero(height <= height.min() + _FLAT)
        distance = self._distances(useful[near], target[near], limit)
        best: tuple[float, Line | None] = (math.inf, None)
        lowest = [np.where(distance <= far * distance.min(), height[near], math.inf) for far in _FURTHER]
        for j in dict.fromkeys(int(near[np.argmin(each)]) for each in lowest):
            line = self._jump_line_at(int(useful[j]), limit, float(log_share[j]), float(target[j]), nodes)
            if line is not None:
                found = line.integrate(np.array([epsilon]))
                value, error = float(found.mantissa[0]), float(found.error[0])
                best = min(best, (error / abs(value) if value else math.inf, line), key=lambda one: one[0])
            if best[0] <= _SHARP:
                break
        return best[1]

    def _jump_line_at(self, index: int, limit: float, log_share: float, target: float, nodes: int) -> Line | None:
        """That at one c of the walk."""
        cuts = self._cuts(index, limit)
        if cuts is None:
            return None
        lost = sum(
            times * math.exp(float(law.log_lost(np.array(cut))))
            for (law, _, times), cut in zip(self.steps, cuts, strict=True)
        )
        if not lost <= math.exp(limit + 2.0):
            return None
        extra = max(0.0, float(self.walk.k[index]) - target - _DIGITS)
        plan = Plan.make(self.parts, self.walk, index, self.span, extra, limit, log_share, nodes)
        plan = self._shortened(plan, cuts, target, nodes)
        return self._difference(plan, cuts, lost) if self._affordable(plan, nodes) else None

    def _shortened(self, plan: Plan, cuts: list[float], target: float, nodes: int) -> Plan:
        """The same, cut where the jumps alone have fallen far enough: of few steps the whole never does."""
        if plan.nodes <= _SHORT or not plan.spread < math.inf:
            return plan
        spacing, best = 2.0 * math.pi / plan.spread, plan
        low, high = 0, _HALVED - 1
        while low <= high:  # the bound falls as the line grows
            middle = (low + high) // 2
            shorter = replace(plan, cut=float(nodes * _SHARE ** (_HALVED - 1 - middle)) * spacing)
            if self._log_truncation(shorter, cuts, whole=False) <= target:
                best, high = shorter if shorter.nodes < best.nodes else best, middle - 1
            else:
                low = middle + 1
        return best

    def _affordable(self, plan: Plan, nodes: int) -> bool:
        if not plan.nodes <= nodes:
            return False
        terms = sum(bulk.terms(plan.c + 1.0, plan.cut) for _, bulk, _ in self.steps)
        work = plan.nodes * terms
        return work <= _WORK * len(self.steps) and self.effort.take(_ENTRY * work)

    def _distances(self, lines: IntArray, target: FloatArray, limit: float) -> FloatArray:
        """How far apart the aliases of each line must lie."""
        eps = np.array(self.span)
        goals = np.repeat(target[:, None], len(eps), axis=1)
        return alias_distances(self.walk, lines, eps, goals, limit).max(axis=1)

    def _cuts(self, index: int, limit: float) -> list[float] | None:
        """Where the line at ``index`` cuts each step: in the valley beyond its jumps; None where that comes before the
        end of the bulk, so that the walk would not bound the bulk's aliases.
        """
        w = float(self.walk.c[index]) + 1.0
        cuts: list[float] = []
        for (law, bulk, times), cut in zip(self.steps, self.walk.cut_at(index, limit), strict=True):
            last = min(float(cut), law.limit)
            if not last > bulk.limit:
                return None
            x = np.linspace(bulk.limit, last, 400)
            tilted = law.log_density(x) + w * log_ratio(x, law.sigma, law.rate)
            crest = float(law.log_density(bulk.end)) + w * float(log_ratio(np.array(bulk.end), law.sigma, law.rate))
            deep = np.flatnonzero(tilted < np.maximum(np.maximum.accumulate(tilted), crest) - _DEEP)
            # and no sooner than what is beyond may be lost
            least = 1.0 + law.sigma * math.sqrt(2.0 * (math.log(times * len(self.steps)) - limit))
            cuts.append(min(max(float(x[deep[0] if len(deep) else np.argmin(tilted)]), least), last))
        return cuts

    def _difference(self, plan: Plan, cuts: list[float], lost: float) -> Line | None:
        """The line on which e^K - e^{K_b} is integrated."""
        omega = plan.omega()
        z, w = plan.c + 1j * omega, plan.c + 1.0
        k: ComplexArray = 0.5 * self.parts.mu**2 * z * (z + 1.0)
        jumped: ComplexArray = np.zeros(len(z), complex)  # K - K_b
        error, apart = MERGED * np.abs(k), np.zeros(len(z))
        most: FloatArray = np.real(k) + 0.0  # no less than Re K and Re K_b, whatever the errors
        margin = _MARGIN + math.log(self.parts.count)
        for (law, bulk, times), cut in zip(self.steps, cuts, strict=True):
            log_a, wrong = bulk.on_line(w, omega, math.inf, margin)
            size, off = Jumps(law, bulk.end, bulk.width, cut).on_line(w, omega, _MARGIN)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
                ratio = size * np.exp(-log_a)
                unsure = (off * np.exp(-log_a.real) + np.abs(ratio) * wrong) / np.abs(1.0 + ratio)
                apart = apart + times * np.where(unsure < 0.5, 2.0 * unsure, math.inf)
                jumped = jumped + times * log1p(ratio)
                most = most + times * np.log(np.exp(log_a.real) * (1.0 + wrong) + np.abs(size) + off)
            k = k + times * log_a
            error = error + times * (np.log1p(wrong) + (1.0 + LOGGED + len(self.steps)) * UNIT * np.abs(log_a))
        scale = float(k[0].real)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            values = np.exp(k - scale) * np.expm1(jumped)
            values = np.where(np.isfinite(values), values, 0.0)
            wrong = faults(k.real - scale, error) * np.abs(np.expm1(jumped))
            wrong += faults(k.real - scale + error + jumped.real, apart + 4.0 * UNIT * np.abs(jumped))
            wrong = np.fmin(wrong, 2.0 * np.exp(most - scale) + np.abs(values))
        if not np.isfinite(wrong).all():
            return None
        masses = (-math.expm1(self.log_masses[0]), -math.expm1(self.log_masses[1]))
        log_truncation = self._log_truncation(plan, cuts)
        return Line.of(self.walk, plan, values, wrong, scale, log_truncation, lost, 0.0, masses)

    def _log_truncation(self, plan: Plan, cuts: list[float], whole: bool = True) -> float:
        """log of the bound on what lies beyond W, where |A_b + A_j| <= B and |A_j| <= J there.

        |prod (a + j)^T - prod a^T| <= prod (B + 2 J)^T sum T J/(B + J) for |a| <= B + J. Unless the ``whole`` is looked
        at, B is A on the real axis.
        """
        mu, c = self.parts.mu, plan.c
        sd = math.sqrt(float(self.walk.variance[plan.index]) / self.parts.count)
        total, jumps = -0.5 * mu**2 * (plan.cut**2 - c * (c + 1.0)) - math.log(math.pi * plan.cut), 0.0
        for (law, bulk, times), cut in zip(self.steps, cuts, strict=True):
            share = SoftJumps(law.sigma, law.rate, bulk.end, bulk.width).log_bound_at(c + 1.0, plan.cut, cut)
            bound = log_size(law, c + 1.0, cut)
            if whole:
                found = law.log_bound(np.array([c + 1.0]), np.array([plan.cut]), np.array([law.sigma * sd]), cut)
                bound = min(bound, float(found[0]))
            ratio = math.exp(share - bound) if share - bound < LARGEST_EXPONENT else math.inf
            total += times * (bound + math.log1p(2.0 * ratio) + ROOM)
            jumps += times * ratio / (1.0 + ratio)
        return total + math.log(jumps) if 0.0 < jumps < math.inf else math.inf  # NaN where nothing is known of any
