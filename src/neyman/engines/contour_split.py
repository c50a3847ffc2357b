"""A composition parted in two, for rare steps: many small losses on one scale, and few large jumps on another.

With each step's transform A = A_b + A_j, bulk and jumps,

    delta = I[e^{K_b}] + I[e^K - e^{K_b}],      I[F] = (1/2 pi i) int F(z) e^{-z eps} / (z (z + 1)) dz:

the bulk alone, and all that happens with at least one jump. Both are hockey-stick sums of positive measures. The first
is inverted on the line through its own saddle, which the whole law does not have; the second on a line that suits the
jumps, where e^K - e^{K_b} is as small as the jumps are rare, and so are the errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour_line import Line, Plan, alias_distances, faults, settled
from neyman.engines.contour_valley import Valleys
from neyman.engines.contour_walk import LOST, Parts, Walk
from neyman.losses.jumps import Jumps
from neyman.losses.sampling_transform import ComplexArray, log1p, log_ratio
from neyman.losses.soft_bulk import SoftBulk

__all__ = ["Split"]

_UNIT = 2.0**-53
_WIDTH = 0.15  # of sigma: how softly a law is parted
_NOTHING = 21.0  # e-folds below delta that may be lost
_STRETCH = 1.6  # the eps it serves, relative to the one it is made for
_LADDER = np.array([0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0])
_LINES = 3  # lines tried for the jumps
_FLAT = 6.0  # e-folds by which their line may stand higher than the lowest


@dataclass(frozen=True)
class Split:
    """Two lines, one through the bulk and one through the jumps, for eps in ``range``."""

    bulk: Line
    jumps: Line
    range: tuple[float, float]

    @classmethod
    def lay(cls, parts: Parts, walk: Walk, valleys: Valleys, epsilon: float, nodes: int) -> Split | None:
        """Part the law for ``epsilon`` >= 0; None where it cannot be done with lines of that many ``nodes``."""
        found = valleys.place(epsilon)
        if found is None:
            return None
        place, parting = found
        spread = 2.0 * float(valleys.deviation[place])
        mean = float(valleys.mean[place])
        span = (min(epsilon / _STRETCH, max(mean - spread, 0.0)), max(epsilon * _STRETCH, mean + spread))
        maker = _Maker(parts, walk, valleys, place, parting, span, nodes)
        jumps = maker.jump_line()
        bulk = None if jumps is None else maker.bulk_line()
        return None if bulk is None or jumps is None else cls(bulk, jumps, span)

    @property
    def c(self) -> float:
        return self.jumps.c

    @property
    def lost(self) -> float:
        """Mass of the law beyond all cuts."""
        return self.bulk.lost + self.jumps.lost

    def integrate(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """As ``Line.integrate``: mantissas of delta and of e^eps Q(L > eps), a bound on the error of the first, log
        scale.
        """
        both = [line.integrate(epsilon) for line in (self.bulk, self.jumps)]
        scale = np.maximum(both[0][3], both[1][3])
        value, slope, error = (np.zeros(len(epsilon)) for _ in range(3))
        with np.errstate(under="ignore"):
            for v, s, e, log_scale in both:
                share = np.exp(log_scale - scale)
                rounded = 8.0 * _UNIT * (1.0 + np.abs(log_scale) + np.abs(scale))
                value, slope = value + share * v, slope + share * s
                error = error + share * (e + rounded * np.abs(v))
        return settled(value, slope, error + 4.0 * _UNIT * np.abs(value), scale)


@dataclass(frozen=True)
class _Maker:
    parts: Parts
    walk: Walk
    valleys: Valleys
    place: int
    parting: int
    span: tuple[float, float]
    nodes: int

    @cached_property
    def laws(self) -> Parts:
        """The bulk of every step."""
        ends = self.valleys.ends[:, self.parting]
        steps = tuple(
            (SoftBulk(law.sigma, law.rate, float(end), _WIDTH * law.sigma), times)
            for (law, times), end in zip(self.parts.steps, ends, strict=True)
        )
        return Parts(steps, self.parts.mu, "remove")

    @cached_property
    def masses(self) -> tuple[float, float]:
        """log of the mass of the bulk under P and under Q."""
        steps = [(law, times) for law, times in self.laws.steps if isinstance(law, SoftBulk)]
        return (
            sum(times * math.log1p(-law.missing_with) for law, times in steps),
            sum(times * math.log1p(-law.missing) for law, times in steps),
        )

    def bulk_line(self) -> Line | None:
        c, unit = float(self.valleys.c[self.place]), 1.0 / float(self.valleys.deviation[self.place])
        left = np.array([-1.0 - 3.0 * unit, -1.0 - unit, -1.0 - 0.3 * unit, -0.5])
        walk = Walk.at(self.laws, np.concatenate([left, c * _LADDER]))
        index = np.flatnonzero(walk.c == c)
        if not len(index):
            return None
        plan = Plan.make(self.laws, walk, int(index[0]), self.span)
        if not plan.nodes <= self.nodes:
            return None
        return Line.run(self.laws, walk, plan, masses=(math.exp(self.masses[0]), math.exp(self.masses[1])))

    def jump_line(self) -> Line | None:
        """The line for the jumps: of those on which they are nearly as small as can be, the one of fewest nodes."""
        walk, top = self.walk, self.span[1]
        log_delta = self.valleys.log_delta(top)
        limit = 8.0 * math.floor((log_delta - _NOTHING) / 8.0)
        useful = np.flatnonzero(walk.useful(limit))
        if not len(useful):
            return None
        c, k = walk.c[useful], walk.k[useful]
        ends = np.array([walk.cut_at(int(i), limit) for i in useful]).T
        log_share = np.minimum(self.valleys.log_jumps(self.parting, c + 1.0, ends), 0.0)
        height = log_share - top * c - np.log(c * (c + 1.0))
        near = np.flatnonzero(height <= height.min() + _FLAT)
        target = log_delta + c * top - _NOTHING
        eps = np.array(self.span)
        far = [alias_distances(walk, int(i), eps, target[j] + 0.0 * eps, limit).max() for j, i in zip(near, useful[near], strict=True)]
        for j in near[np.argsort(far)][:_LINES]:
            index = int(useful[j])
            cuts = self._cuts(index, limit)
            lost = sum(
                times * math.exp(float(law.log_lost(np.array(cut))))
                for (law, times), cut in zip(self.parts.steps, cuts, strict=True)
            )
            if not lost <= math.exp(limit + 2.0):
                continue
            extra = max(0.0, float(k[j]) - target[j] - 34.0)
            plan = Plan.make(self.parts, walk, index, self.span, extra, limit, float(log_share[j]))
            return self._between(plan, cuts, lost) if plan.nodes <= self.nodes else None
        return None

    def _cuts(self, index: int, limit: float) -> list[float]:
        """Where the line at ``index`` cuts each step: at the bottom of the valley beyond its jumps."""
        w = float(self.walk.c[index]) + 1.0
        cuts: list[float] = []
        for (law, _), end, cut in zip(self.parts.steps, self.valleys.ends[:, self.parting], self.walk.cut_at(index, limit), strict=True):
            x = np.linspace(float(end), min(float(cut), law.limit), 400)
            tilted = law.log_density(x) + w * log_ratio(x, law.sigma, law.rate)
            crest = np.maximum.accumulate(tilted)
            deep = np.flatnonzero(tilted < crest - 60.0)
            cuts.append(float(x[deep[0]]) if len(deep) else float(x[np.argmin(tilted)]))
        return cuts

    def _between(self, plan: Plan, cuts: list[float], lost: float) -> Line | None:
        """The line on which e^K - e^{K_b} is integrated."""
        spacing = 2.0 * math.pi / plan.spread
        omega = spacing * np.arange(math.ceil(plan.nodes) + 1)
        z, w = plan.c + 1j * omega, plan.c + 1.0
        k: ComplexArray = 0.5 * self.parts.mu**2 * z * (z + 1.0)
        more = np.zeros(len(z), complex)
        error, fault = 2.0 * _UNIT * np.abs(k), np.zeros(len(z))
        log_tail = -0.5 * self.parts.mu**2 * (plan.cut**2 - plan.c * (plan.c + 1.0)) - math.log(math.pi * plan.cut)
        share = 0.0
        sd = math.sqrt(float(self.walk.variance[plan.index]) / self.parts.count)
        margin = 36.0 + math.log(self.parts.count)
        for (law, times), (bulk, _), cut in zip(self.parts.steps, self.laws.steps, cuts, strict=True):
            if not isinstance(bulk, SoftBulk):
                return None
            jumps = Jumps(law, bulk.end, bulk.width, cut)
            log_a, wrong = bulk.on_line(w, omega, math.inf, margin)
            size, off = jumps.on_line(w, omega, 36.0)
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                ratio = size * np.exp(-log_a)
                apart = (off * np.exp(-log_a.real) + np.abs(ratio) * wrong) / np.abs(1.0 + ratio)
                more = more + times * log1p(ratio)
                fault = fault + times * np.where(apart < 0.5, 2.0 * apart, math.inf)
            k = k + times * log_a
            error = error + times * (np.log1p(wrong) + 4.0 * _UNIT * np.abs(log_a))
            most = float(np.abs(size[0]) + off[0])
            bound = law.log_bound(np.array([w]), np.array([plan.cut]), np.array([law.sigma * sd]), cut)
            whole = math.exp(min(float(bound[0]), 700.0))
            log_tail += times * (math.log(whole + 2.0 * most) + 1e-12)
            share += times * most / (whole + most)
        scale = float(k[0].real)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            values = np.exp(k - scale) * np.expm1(more)
            wrong = faults(k.real - scale, error) * np.abs(np.expm1(more))
            wrong += faults(k.real - scale + error + more.real, fault + 4.0 * _UNIT * np.abs(more))
        if not np.isfinite(wrong).all():
            return None
        masses = (-math.expm1(self.masses[0]), -math.expm1(self.masses[1]))
        return Line.of(self.walk, plan, values, wrong, scale, log_tail + math.log(share), lost, 0.0, masses)
