"""One vertical line Re z = c of the (Bromwich) contour integral, with everything its certificate needs.

    delta(eps) = (1/2 pi i) int e^{K(z) - z eps} / (z (z + 1)) dz                          c > 0
    1 - delta(eps) = minus the same integral                                              -1 < c < 0

by the trapezoid rule with spacing 2 pi / R. By Poisson summation the rule returns the answer plus its copies at eps +
k R: the copies that come from the two poles are geometric series and subtracted in closed form; what remains is
bounded by Chernoff. The part beyond the cut W is bounded through ``SamplingTransform.log_bound``, which never grows
again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.contour.cumulant import LOST, MERGED, WALKED, Parts, Walk
from neyman.engines.contour.estimate import Book, Estimate, faults
from neyman.engines.contour.straight.aliases import beside
from neyman.engines.contour.straight.reading import NODE, Reading
from neyman.engines.contour.truncation.monotone import cut_by_parts, cut_off
from neyman.losses.gaussian.many.lines import sum_on_line
from neyman.losses.gaussian.many.moments import lost_of
from neyman.losses.gaussian.transform import ComplexArray
from neyman.numerics.rounding import LARGEST_EXPONENT, UNIT
from neyman.numerics.sums.inner import inner
from neyman.numerics.sums.paired_turns import PairedTurns
from neyman.numerics.sums.turns import cosine_and_sine, grown
from neyman.profiles.effort import ignored, readable

if TYPE_CHECKING:
    from neyman.engines.contour.hyperbola.rotated import Steps
    from neyman.engines.contour.truncation.period import Fold

__all__ = ["BESIDE", "LANES", "LONG", "MARGIN", "ROUNDED", "SUMMED", "Line", "Plan", "rounded"]

SUMMED = 32.0 * UNIT  # relative: numpy's sums of products in pairs, and turns (of 512 nodes 22 + (1 + TURNED) sqrt 2)
ROUNDED = 16.0 * UNIT  # relative rounding of K(c) and of c eps beside each other
_DIGITS = 34.0  # e-folds between the height of a line and each analytic error: 2e-15
_ALL_BUT_ONE, _LOG_DIGITS = -60.0, 17.0  # the same where 1 - delta is so small that its logarithm alone counts
_SUBTRACTED = _DIGITS + 7.0  # the same that the height of a line is below what may be subtracted from it: 1e-9 is left
_ROUGH_DIGITS = 21.0  # the same for what lies beyond the cut of transforms that never die
_BLURRED = 1e-9  # share of a line that its transforms may be off without a look at each value
_MOSTLY, _WHOLE = 0.5, 0.02  # shares of an error and of a sum of sizes
_TEDIOUS = 2.0 * math.pi * 400.0  # 2 pi times the nodes of a line that is worth a look whether fewer do
_LOUD = 0.5  # noise multiplier from which none do
_LABOUR = 2e9  # nodes times terms (times 2 pi) of a line that is worth its time
_MASS_ERROR = 1e-12  # relative error of the masses of a line
_BRIEF = 3e5  # nominal nanoseconds of a reading that no table is looked for
LANES = 8  # partial sums of numpy's pairwise sum, of up to 128 terms
BESIDE, LONG = (
    248,
    512,
)  # nodes beyond which a cosine and a sine are taken from one tangent, and from which few turns do
_CHUNK = 1 << 13  # cosines in the cache
_HALF, MARGIN = 0.7, 36.0  # e-folds: log 2, of two errors that share a goal; of quadrature errors below a transform
_APART = 1e-6  # times the spread: tilts that are nearer bound no alias


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Where a line stands and what it costs: decided from the real axis alone."""

    c: float
    index: int
    spread: float  # R, the distance of the aliases
    cut: float  # W, where the integral is cut
    log_truncation: float  # log of the bound on what lies beyond W, before the factor e^{-c eps}
    limit: float  # log of the mass that may be cut off
    right: int  # the c of the walk that bounds the aliases, on either side (the line's own: none does)
    left: int
    islands: FloatArray | None = None  # the stretches before the cut that count, where not all of it does
    fold: Fold | None = None  # of a law on a lattice, whose transform has a period
    level: float | None = None  # log of what the stretches were chosen to leave out at most

    @property
    def nodes(self) -> float:
        """Points of the trapezoid rule (inf: the line cannot be certified)."""
        spacing = 2.0 * math.pi / self.spread
        if not self.spread < math.inf:
            return math.inf
        if self.islands is None:
            return self.cut / spacing + 1.0
        return float(np.sum(self.islands[1] - self.islands[0])) / spacing + 2.0 * self.islands.shape[1]

    @property
    def labour(self) -> float:
        """What one eps takes, in nominal nanoseconds."""
        return NODE * self.nodes

    def omega(self) -> FloatArray:
        """Those points, ascending from 0."""
        spacing = 2.0 * math.pi / self.spread
        if self.islands is None:
            return spacing * np.arange(math.ceil(self.nodes) + 1)
        low, high = np.floor(self.islands[0] / spacing), np.ceil(self.islands[1] / spacing)
        runs = [np.arange(a, b + 1.0) for a, b in zip(low, high, strict=True)]
        return spacing * np.unique(np.concatenate([[0.0], *runs]))

    @classmethod
    def of_period(
        cls, parts: Parts, walk: Walk, places: tuple[int, int, int], spread: float, limit: float, level: float
    ) -> Plan:
        """The line of a law on a lattice, through the second of three ``places`` of the walk, over one period: but for
        stretches that come to e^``level`` together.
        """
        from neyman.engines.contour.truncation.period import FOLDED
        from neyman.engines.contour.truncation.recurrences import islands

        (left, index, right), fold = places, parts.fold
        if fold is None:
            raise TypeError("a line of a law that lies on no lattice")
        c, k, sd = float(walk.c[index]), float(walk.k[index]), math.sqrt(float(walk.variance[index]))
        some, log_rest = islands(parts, sd, k, fold.half, 2.0 * math.pi / spread, level)
        moved = fold.error(parts.discrete_gaussians, float(parts.argument(np.array([c]))[0]))
        log_truncation = float(np.logaddexp(log_rest + FOLDED, k + math.log(moved)))
        return cls(c, index, spread, fold.half, log_truncation, limit, right, left, some, fold, level)

    @classmethod
    def make(
        cls, parts: Parts, walk: Walk, index: int, epsilon: tuple[float, float], extra: float = 0.0,
        limit: float = LOST, log_share: float = 0.0, most: float = math.inf,
        spend: Callable[[float], None] = ignored,
    ) -> Plan:  # fmt: skip
        """Plan the line through ``walk.c[index]`` for all eps in the closed interval ``epsilon``.

        ``extra`` e-folds of accuracy are for answers that lie far below the height of the line; ``log_share`` says how
        little of e^K is integrated. A line of more nodes than ``most`` is not followed to its end.
        ``spend`` is told how much work a look along it was, in nominal nanoseconds.
        """
        c, k = float(walk.c[index]), float(walk.k[index])
        sd = math.sqrt(float(walk.variance[index]))
        digits = _LOG_DIGITS if c < 0.0 and k < _ALL_BUT_ONE else _DIGITS
        target = k - math.log(abs(c) * (c + 1.0) * (sd + 1.0 / abs(c)) * 4.0) - digits - extra
        eps = np.array(epsilon)
        nearest = beside(walk, index, eps, target - c * eps, limit, _SUBTRACTED)
        if not 0.0 < sd < math.inf:
            return cls(c, index, math.inf, math.inf, -math.inf, limit, index, index)
        right, left = (place for _, place in nearest)
        spread = max(8.0 * sd, *(distance for distance, _ in nearest))
        furthest = most * 2.0 * math.pi / spread if spread < math.inf else math.inf
        cuts, goal = walk.cut_at(index, limit), min(target - log_share, k - 4.0)
        if parts.fold is not None:
            from neyman.engines.contour.truncation.period import FOLDED

            spread = parts.fold.whole(spread)
            return cls.of_period(parts, walk, (left, index, right), spread, limit, goal - FOLDED)
        if parts.mu > 0.0 and parts.discrete_gaussians:
            from neyman.engines.contour.truncation.recurrences import islands

            last, log_tail = cut_off(parts, cuts, c, sd, k, goal - _HALF, math.inf)
            some, log_rest = islands(parts, sd, k, last, 2.0 * math.pi / spread, goal - _HALF)
            log_truncation = float(np.logaddexp(log_tail, log_rest))
            return cls(c, index, spread, last, log_truncation, limit, right, left, some, level=goal - _HALF)
        if parts.rough:
            from neyman.engines.contour.truncation.cells import SPARE, shortened

            goal = max(goal, target + _DIGITS - _ROUGH_DIGITS)
            spare = SPARE if parts.mu > 0.0 else 0.0  # hardly further where a Gaussian falls beside them
            end = cut_off(parts, cuts, c, sd, k, goal - _HALF - spare, math.inf, spend)
            cut, log_tail, some = shortened(parts, cuts, c, sd, spread, end, goal, most, spend)
            w = float(parts.argument(np.array([c]))[0])
            if some is not None:
                return cls(c, index, spread, cut, log_tail, limit, right, left, some)
            if cut < math.inf and cut * spread * sum(law.terms(w, cut) for law, _ in parts.steps) > _LABOUR:
                cut = math.inf
        else:
            cut, log_tail = cut_off(parts, cuts, c, sd, k, goal, furthest)
            dear = cut * spread > _TEDIOUS and log_share == 0.0 and parts.least_noise < _LOUD
            if dear and parts.sampled and parts.many and parts.argument(np.array([c]))[0] > 0.0:
                cut, log_tail = cut_by_parts(parts, cuts, c, (cut, log_tail), goal, furthest, sd)
        return cls(c, index, spread, cut, log_tail, limit, right, left)


@dataclass(frozen=True)
class Line:
    """The nodes of one planned line, ready to answer for any eps."""

    c: float
    spread: float
    omega: FloatArray
    weight: ComplexArray  # e^{K - scale} / (z (z + 1)) times the spacing / pi
    scale: float
    log_truncation: float
    mass: float  # sum of |weight|
    wobble: float  # sum of |weight| times the bound on the error of K there
    lean: float  # sum of |weight| omega: what a relative error of the phase costs
    lost: float  # mass of the law beyond its cut
    shift: float  # by how much the law may be moved
    walk: Walk
    plan: Plan
    masses: tuple[float, float] = (1.0, 1.0)  # of the measure that is inverted, under P and under Q

    kind = "straight line"

    @property
    def nodes(self) -> int:
        """Those of the trapezoid rule."""
        return len(self.omega)

    @property
    def plan_dict(self) -> dict[str, float | str] | None:
        """Its witness; None of a line that was cut by a look along it, or of a part of the law."""
        plan, walk = self.plan, self.walk
        if (plan.islands is not None and plan.level is None) or self.masses != (1.0, 1.0):
            return None
        from neyman.engines.contour.straight.witness import LineWitness

        beside = float(walk.c[plan.left]), float(walk.c[plan.right])
        periodic = plan.fold is not None
        return LineWitness(self.c, self.spread, plan.cut, *beside, plan.limit, plan.level, periodic).to_dict()

    @classmethod
    def run(
        cls, parts: Parts, walk: Walk, plan: Plan, steps: Steps | None = None, masses: tuple[float, float] = (1.0, 1.0)
    ) -> Line:
        """Evaluate the transforms on the line; along rotated rays where ``steps`` are given, which pays for many
        nodes.
        """
        omega = plan.omega()
        z = plan.c + 1j * omega
        k: ComplexArray = 0.5 * parts.mu**2 * z * (z + 1.0)
        error = MERGED * np.abs(k)
        w = float(parts.argument(np.array([plan.c]))[0])
        cuts = walk.cut_at(plan.index, plan.limit)
        lost = shift = 0.0
        if steps is not None and np.isinf(cuts).all():
            from neyman.engines.contour.hyperbola.rotated import on_path

            k, error = on_path(steps, w + 1j * omega)
            k = k + steps.drift * (w + 1j * omega)
            error = error + 4.0 * UNIT * abs(steps.drift) * np.abs(w + 1j * omega)
            shift = steps.shift
            k = k if parts.direction == "remove" else np.conj(k)
        else:
            margin = MARGIN + math.log(parts.count)
            laws, off = sum_on_line(parts.laws, parts.times, w, omega, cuts, margin)
            k, error = k + (laws if parts.direction == "remove" else np.conj(laws)), error + off
            lost = float(np.sum(parts.times * lost_of(parts.laws, cuts[:, None])[:, 0]))
        return cls.of_cumulant(walk, plan, (k, error), plan.log_truncation, lost, shift, masses)

    @classmethod
    def of_cumulant(
        cls, walk: Walk, plan: Plan, cumulant: tuple[ComplexArray, FloatArray], log_truncation: float, lost: float,
        shift: float = 0.0, masses: tuple[float, float] = (1.0, 1.0),
    ) -> Line:  # fmt: skip
        """The line of ``plan`` on which K has these values, each within its error."""
        k, error = cumulant
        scale = float(k[0].real)
        # |e^K| is largest on the axis: a height above it is error alone, which its bound then tells
        k = np.minimum(k.real, scale + 1.0) + 1j * k.imag
        with np.errstate(under="ignore"):
            values = grown(k.real - scale, k.imag)
        fault = faults(k.real - scale, error + 4.0 * UNIT * (4.0 + np.abs(k.imag)))
        return cls.of(walk, plan, values, fault, scale, log_truncation, lost, shift, masses)

    @classmethod
    def of(
        cls, walk: Walk, plan: Plan, values: ComplexArray, faults: FloatArray, scale: float, log_truncation: float,
        lost: float, shift: float, masses: tuple[float, float],
    ) -> Line:  # fmt: skip
        """The line of ``plan`` on which the integrand, but for e^{scale - z eps} / (z (z + 1)), has these ``values``,
        each within its fault.
        """
        spacing, omega = 2.0 * math.pi / plan.spread, plan.omega()
        z = plan.c + 1j * omega
        kernel = (spacing / math.pi) / (z * (z + 1.0))
        kernel[0] *= 0.5
        weight = values * kernel
        size = np.abs(weight)
        return cls(
            plan.c, plan.spread, omega, weight, scale, log_truncation, float(size.sum()),
            inner(faults, np.abs(kernel)), inner(size, omega), lost, shift, walk, plan, masses,
        )  # fmt: skip

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """The estimate at each ``epsilon``; the terms of its error go into the ``book``."""
        (start, rise), work, blur = self.terms, NODE * len(self.omega) * len(epsilon), None
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # of what is too large nothing is known
            told = start[:, None] + np.multiply.outer(rise, epsilon)
            near, far, right, left = np.exp(told[:4])
            unsure = self.lost * (near + far)
            near, far = self.masses[0] * near, self.masses[1] * far
            taken = near - far if self.c > 0.0 else -(near + far)
            if work < _BRIEF and not self._long and readable(work):
                direct, slope = self._sums(epsilon)
            elif (read := self._read(epsilon, taken)) is not None:
                direct, slope, blur = read
            else:
                return Estimate.unknown(len(epsilon))
            slope = slope - far
            value = direct - near + far if self.c > 0.0 else -(direct + near + far)
            error = right + left + unsure + told[5]
            error += told[6] * (near + far)
            error += told[7] * np.abs(value) + 2.0 * self.shift * np.abs(slope)
            error = error if blur is None else error + blur
            if book is not None:
                beyond = np.full(len(epsilon), self._truncation)
                for name, amount in (("aliasing", right + left), ("truncation", beyond), ("lost mass", unsure)):
                    book.enter(name, amount)
                book.enter("rounding", error - (right + left + beyond + unsure))
            return Estimate(value, slope, error, told[4]).settled()

    @property
    def blurred(self) -> bool:
        """Whether the transforms are off by so much that each value has to be looked at; none are without rounding."""
        return self.wobble > _BLURRED * self.mass

    @property
    def _truncation(self) -> float:
        """What lies beyond the cut."""
        return math.exp(min(self.log_truncation - self.scale, LARGEST_EXPONENT))

    @cached_property
    def terms(self) -> tuple[FloatArray, FloatArray]:
        """a and b of all that is a + b eps: four exponents, in units of the line's scale (the aliases of the pole at 0
        and of that at -1 which lie between the line and the c that bound what is left; and sum_k>0 e^{kcR}
        delta(eps + kR) and its mirror, by Chernoff at those c), the log of that scale, the error by itself, that for
        each of the first two exponentials, that for each of the value.
        """
        c, size = abs(self.c), UNIT * 8.0
        exponent = 1.0 + abs(self.scale) + (c + 1.0) * self.spread
        fixed = self.wobble + SUMMED * self.mass + self._truncation
        rest = [
            (self.scale, -self.c),
            (fixed, 0.5 * size * self.lean),
            (size * exponent + _MASS_ERROR, size * 2.0 * (c + 1.0)),
            (2.0 * self.shift, 0.5 * size * c),
        ]
        start, rise = np.array([*self._exponents(), *rest]).T
        return start, rise

    def _exponents(self) -> list[tuple[float, float]]:
        c, walk, plan = self.c, self.walk, self.plan
        met = walk.c[plan.left] < 0.0 if c > 0.0 else walk.c[plan.right] > 0.0
        crossed = walk.c[plan.left] < -1.0
        terms = [
            (-self.scale - _series(abs(c) * self.spread) if met else -math.inf, c),
            (-self.scale - _series((c + 1.0) * self.spread) if crossed else -math.inf, c + 1.0),
        ]
        for place in (plan.right, plan.left):
            other, k = float(walk.c[place]), float(walk.k[place])
            gap = abs(other - c) * self.spread
            if not gap > _APART:
                terms.append((math.inf, 0.0))
                continue
            rounded = ROUNDED * (abs(k) + gap + abs(self.scale)) + WALKED
            terms.append((k - self.scale - _series(gap) + rounded, c - other + ROUNDED * (abs(other) + abs(c))))
        return terms

    @property
    def _long(self) -> bool:
        return self.plan.islands is None and len(self.omega) >= LONG

    @cached_property
    def _read(self) -> Reading:
        few = self._paired if self._long else None
        return Reading(self._sums, self.c, self.plan.spread, self.omega, self.weight, few)

    @cached_property
    def _paired(self) -> PairedTurns:
        weights = np.stack([self.weight, self.weight * (self.c + 1j * self.omega)])
        return PairedTurns(2.0 * math.pi / self.plan.spread, weights)

    def _sums(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        direct, slope = np.empty(len(epsilon)), np.empty(len(epsilon))
        omega, a, b, c, d = self.sums
        rows, quick = max(1, _CHUNK // len(omega)), BESIDE < len(omega) < LONG
        for i in range(0, len(epsilon), rows):
            turn = np.multiply.outer(epsilon[i : i + rows], omega)
            cosine, sine = cosine_and_sine(turn) if quick else (np.cos(turn), np.sin(turn))
            direct[i : i + rows] = (cosine * a + sine * b).sum(axis=1)
            slope[i : i + rows] = (cosine * c + sine * d).sum(axis=1)
        return direct, slope

    @cached_property
    def sums(self) -> FloatArray:
        """The nodes, and real and imaginary parts of the weights for delta, and for e^eps Q(L > eps): zeros up to a
        multiple of ``LANES``, after which more zeros are added without any difference to the last bit.
        """
        count = len(self.omega)
        sloped = self.weight * (self.c + 1j * self.omega)
        found = np.zeros((5, -(-count // LANES) * LANES))
        found[:, :count] = self.omega, self.weight.real, self.weight.imag, sloped.real, sloped.imag
        return found


def rounded(wobble: FloatArray | float, mass: FloatArray | float, value: FloatArray, error: FloatArray) -> BoolArray:
    """Where the ``error`` of the ``value`` that a blurred line gives is that of the transforms, about all of which is
    left in the value.
    """
    blurred = wobble > _BLURRED * mass
    return blurred & (wobble > _MOSTLY * error) & (np.abs(value) > _WHOLE * mass)


def _series(decay: float) -> float:
    """-log of sum_k>0 e^{-k decay}, for decay > 0."""
    return decay + math.log(-math.expm1(-decay))
