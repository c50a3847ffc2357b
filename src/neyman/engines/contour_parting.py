"""How a composition is parted into bulk and jumps at one place, and the line of each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour_line import Line, Plan, alias_distances, faults
from neyman.engines.contour_valley import Place, Valleys
from neyman.engines.contour_walk import MERGED, IntArray, Parts, Walk
from neyman.engines.effort import Effort
from neyman.losses.jumps import Jumps
from neyman.losses.sampling_transform import ComplexArray, SamplingTransform, log_ratio
from neyman.losses.soft_bulk import SoftBulk
from neyman.numerics.log1p import log1p

__all__ = ["Parting"]

_UNIT = 2.0**-53
_WIDTH = 0.15  # of sigma: how softly a law is parted
_NOTHING = 21.0  # e-folds below delta that may be lost
_LADDER = np.array([0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0])  # the bulk's walk, in units of its line
_LINES = 3  # lines tried for the jumps
_FLAT = 6.0  # e-folds by which their line may stand higher than the lowest
_WORK = 1e7  # nodes times grid points of one line, for each step
_ENTRY = 25.0  # nominal nanoseconds for each of them
_MARGIN = 36.0  # e-folds that quadrature errors stay below a transform
_DEEP = 60.0  # e-folds down a valley at which a law may end, at the latest at its bottom

_Step = tuple[SamplingTransform, SoftBulk, int]


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
        cls, parts: Parts, walk: Walk, valleys: Valleys, place: Place, span: tuple[float, float], effort: Effort
    ) -> Parting:
        """Part each step of ``parts`` where ``place`` says."""
        steps = tuple(
            (law, SoftBulk(law.sigma, law.rate, float(end), _WIDTH * law.sigma), times)
            for (law, times), end in zip(parts.gaussians, valleys.ends[:, place.parting], strict=True)
        )
        return cls(parts, walk, valleys, place, span, steps, effort)

    @property
    def log_masses(self) -> tuple[float, float]:
        """log of the mass of the bulk under P and under Q."""
        return (
            sum(times * math.log1p(-bulk.missing_with) for _, bulk, times in self.steps),
            sum(times * math.log1p(-bulk.missing) for _, bulk, times in self.steps),
        )

    def bulk_line(self, nodes: int) -> Line | None:
        """The line of at most that many ``nodes`` through the saddle of the bulk."""
        laws = Parts(tuple((bulk, times) for _, bulk, times in self.steps), self.parts.mu, "remove")
        c, unit = float(self.valleys.c[self.place.line]), 1.0 / float(self.valleys.deviation[self.place.line])
        left = np.array([-1.0 - 3.0 * unit, -1.0 - unit, -1.0 - 0.3 * unit, -0.5])
        walk = Walk.at(laws, np.concatenate([left, c * _LADDER]))
        index = np.flatnonzero(walk.c == c)
        if not len(index):
            return None
        plan = Plan.make(laws, walk, int(index[0]), self.span, most=nodes)
        if not self._affordable(plan, nodes):
            return None
        return Line.run(laws, walk, plan, masses=(math.exp(self.log_masses[0]), math.exp(self.log_masses[1])))

    def jump_line(self, nodes: int) -> Line | None:
        """The line for the jumps: of those on which they are nearly as small as can be, the one of fewest nodes."""
        walk, top = self.walk, self.span[1]
        log_delta = self.valleys.log_delta(top)
        limit = 8.0 * math.floor((log_delta - _NOTHING) / 8.0)
        useful = np.flatnonzero(walk.useful(limit))
        if not len(useful):
            return None
        c, k = walk.c[useful], walk.k[useful]
        ends = np.array([walk.cut_at(int(i), limit) for i in useful]).T
        log_share = np.minimum(self.valleys.log_jumps(self.place.parting, c + 1.0, ends), 0.0)
        height = log_share - top * c - np.log(c * (c + 1.0))
        target = log_delta + c * top - _NOTHING
        near = np.flatnonzero(height <= height.min() + _FLAT)
        for j in near[np.argsort(self._distances(useful[near], target[near], limit))][:_LINES]:
            index = int(useful[j])
            cuts = self._cuts(index, limit)
            if cuts is None:
                continue
            lost = sum(
                times * math.exp(float(law.log_lost(np.array(cut))))
                for (law, _, times), cut in zip(self.steps, cuts, strict=True)
            )
            if not lost <= math.exp(limit + 2.0):
                continue
            extra = max(0.0, float(k[j] - target[j]) - 34.0)
            plan = Plan.make(self.parts, walk, index, self.span, extra, limit, float(log_share[j]), nodes)
            return self._difference(plan, cuts, lost) if self._affordable(plan, nodes) else None
        return None

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
        for (law, bulk, _), cut in zip(self.steps, self.walk.cut_at(index, limit), strict=True):
            last = min(float(cut), law.limit)
            if not last > bulk.limit:
                return None
            x = np.linspace(bulk.limit, last, 400)
            tilted = law.log_density(x) + w * log_ratio(x, law.sigma, law.rate)
            crest = float(law.log_density(bulk.end)) + w * float(log_ratio(np.array(bulk.end), law.sigma, law.rate))
            deep = np.flatnonzero(tilted < np.maximum(np.maximum.accumulate(tilted), crest) - _DEEP)
            cuts.append(float(x[deep[0] if len(deep) else np.argmin(tilted)]))
        return cuts

    def _difference(self, plan: Plan, cuts: list[float], lost: float) -> Line | None:
        """The line on which e^K - e^{K_b} is integrated."""
        omega = plan.omega()
        z, w = plan.c + 1j * omega, plan.c + 1.0
        k: ComplexArray = 0.5 * self.parts.mu**2 * z * (z + 1.0)
        jumped: ComplexArray = np.zeros(len(z), complex)  # K - K_b
        error, apart = MERGED * np.abs(k), np.zeros(len(z))
        most: FloatArray = np.real(k) + 0.0  # no less than Re K and Re K_b, whatever the errors
        shares: list[float] = []
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
            error = error + times * (np.log1p(wrong) + 4.0 * _UNIT * np.abs(log_a))
            shares.append(float(np.abs(size[0]) + off[0]))
        scale = float(k[0].real)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            values = np.exp(k - scale) * np.expm1(jumped)
            values = np.where(np.isfinite(values), values, 0.0)
            wrong = faults(k.real - scale, error) * np.abs(np.expm1(jumped))
            wrong += faults(k.real - scale + error + jumped.real, apart + 4.0 * _UNIT * np.abs(jumped))
            wrong = np.fmin(wrong, 2.0 * np.exp(most - scale) + np.abs(values))
        if not np.isfinite(wrong).all():
            return None
        masses = (-math.expm1(self.log_masses[0]), -math.expm1(self.log_masses[1]))
        log_truncation = self._log_truncation(plan, cuts, shares)
        return Line.of(self.walk, plan, values, wrong, scale, log_truncation, lost, 0.0, masses)

    def _log_truncation(self, plan: Plan, cuts: list[float], shares: list[float]) -> float:
        """log of the bound on what lies beyond W, where |A_b + A_j| <= B and |A_j| <= J, its ``share``.

        |prod (a + j)^T - prod a^T| <= prod (B + 2 J)^T sum T J/(B + J) for |a| <= B + J.
        """
        mu, c = self.parts.mu, plan.c
        sd = math.sqrt(float(self.walk.variance[plan.index]) / self.parts.count)
        total, jumps = -0.5 * mu**2 * (plan.cut**2 - c * (c + 1.0)) - math.log(math.pi * plan.cut), 0.0
        for (law, _, times), cut, share in zip(self.steps, cuts, shares, strict=True):
            bound = law.log_bound(np.array([c + 1.0]), np.array([plan.cut]), np.array([law.sigma * sd]), cut)
            whole = math.exp(min(float(bound[0]), 700.0))
            total += times * (math.log(whole + 2.0 * share) + 1e-12)
            jumps += times * share / (whole + share)
        return total + math.log(jumps)
