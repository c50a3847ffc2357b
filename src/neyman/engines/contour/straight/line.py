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
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.contour.cumulant import MERGED, WALKED, Walk
from neyman.engines.contour.estimate import Book, Estimate, faults
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.plan import Plan
from neyman.engines.contour.straight.reading import NODE, Reading
from neyman.losses.gaussian.many.lines import sum_on_line
from neyman.losses.gaussian.many.moments import lost_of
from neyman.losses.gaussian.transform import ComplexArray
from neyman.numerics.rounding import LARGEST_EXPONENT, UNIT
from neyman.numerics.sums.inner import inner
from neyman.numerics.sums.paired_turns import PairedTurns
from neyman.numerics.sums.turns import by_tangent, grown
from neyman.profiles.effort import readable

if TYPE_CHECKING:
    from neyman.engines.contour.hyperbola.rotated import Steps

__all__ = ["LANES", "MARGIN", "ROUNDED", "SUMMED", "Line", "rounded"]

SUMMED = 32.0 * UNIT  # relative: numpy's sums of products in pairs, and turns (of 512 nodes 22 + (1 + TURNED) sqrt 2)
ROUNDED = 16.0 * UNIT  # relative rounding of K(c) and of c eps beside each other
_BLURRED = 1e-9  # share of a line that its transforms may be off without a look at each value
_MOSTLY, _WHOLE = 0.5, 0.02  # shares of an error and of a sum of sizes
_MASS_ERROR = 1e-12  # relative error of the masses of a line
_BRIEF = 3e5  # nominal nanoseconds of a reading that no table is looked for
LANES = 8  # partial sums of numpy's pairwise sum, of up to 128 terms
_LONG, _CHUNK = 512, 1 << 13  # nodes of lines that are read by few turns; cosines in the cache
MARGIN = 36.0  # e-folds of quadrature errors below a transform
_APART = 1e-6  # times the spread: tilts that are nearer bound no alias


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
        omega, w = plan.omega(), parts.argument(plan.c)
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
            k, error = sum_on_line(parts.laws, parts.times, w, omega, cuts, margin)
            k = k if parts.direction == "remove" else np.conj(k)
            if parts.mu > 0.0:
                z = plan.c + 1j * omega
                merged = 0.5 * parts.mu**2 * z * (z + 1.0)
                k, error = k + merged, error + MERGED * np.abs(merged)
            if not walk.uncut:
                lost = float(np.add.reduce(parts.times * lost_of(parts.laws, cuts[:, None])[:, 0]))
        return cls.of_cumulant(walk, plan, (k, error), plan.log_truncation, lost, shift, masses)

    @classmethod
    def of_cumulant(
        cls, walk: Walk, plan: Plan, cumulant: tuple[ComplexArray, FloatArray], log_truncation: float, lost: float,
        shift: float = 0.0, masses: tuple[float, float] = (1.0, 1.0),
    ) -> Line:  # fmt: skip
        """The line of ``plan`` on which K has these values, each within its error."""
        (k, error), scale = cumulant, float(cumulant[0][0].real)
        # |e^K| is largest on the axis: a height above it is error alone, which its bound then tells
        height = np.minimum(k.real, scale + 1.0) - scale
        with np.errstate(under="ignore"):
            values = grown(height, k.imag)
        fault = faults(height, error + 4.0 * UNIT * (4.0 + np.abs(k.imag)))
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
            plan.c, plan.spread, omega, weight, scale, log_truncation, float(np.add.reduce(size)),
            inner(faults, np.abs(kernel)), inner(size, omega), lost, shift, walk, plan, masses,
        )  # fmt: skip

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """The estimate at each ``epsilon``; the terms of its error go into the ``book``."""
        (start, rise), blur = self.terms, None
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # of what is too large nothing is known
            told = start[:, None] + np.multiply.outer(rise, epsilon)
            near, far, right, left = np.exp(told[:4])
            unsure = self.lost * (near + far)
            near, far = self.masses[0] * near, self.masses[1] * far
            taken = near - far if self.c > 0.0 else -(near + far)
            if (plain := self.briefly(epsilon)) is not None:
                direct, slope = plain
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
        return self.plan.islands is None and len(self.omega) >= _LONG

    @cached_property
    def _read(self) -> Reading:
        few = self._paired if self._long else None
        return Reading(self._sums, self.c, self.plan.spread, self.omega, self.weight, few)

    @cached_property
    def _paired(self) -> PairedTurns:
        weights = np.stack([self.weight, self.weight * (self.c + 1j * self.omega)])
        return PairedTurns(2.0 * math.pi / self.plan.spread, weights)

    def briefly(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Both sums over its nodes at each ``epsilon``; None where it pays to look for another way than one by one."""
        work = NODE * len(self.omega) * len(epsilon)
        return self._sums(epsilon) if work < _BRIEF and not self._long and readable(work) else None

    def _sums(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        direct, slope = np.empty(len(epsilon)), np.empty(len(epsilon))
        omega, a, b, c, d = self.sums
        rows, quick = max(1, _CHUNK // len(omega)), len(omega) < _LONG
        for i in range(0, len(epsilon), rows):
            turn = np.multiply.outer(epsilon[i : i + rows], omega)
            cosine, sine = by_tangent(turn) if quick else (np.cos(turn), np.sin(turn))
            term = np.multiply(sine, b, out=turn)  # memory that is asked for anew costs as much as what is computed
            term += cosine * a
            np.add.reduce(term, axis=1, out=direct[i : i + rows])
            cosine *= c
            sine *= d
            cosine += sine
            np.add.reduce(cosine, axis=1, out=slope[i : i + rows])
        return direct, slope

    @cached_property
    def sums(self) -> FloatArray:
        """The nodes, and real and imaginary parts of the weights for delta, and for e^eps Q(L > eps): zeros up to a
        multiple of ``LANES``, after which more zeros are added without any difference to the last bit.
        """
        count = len(self.omega)
        sloped = self.weight * (self.c + 1j * self.omega)
        found = np.zeros((5, -(-count // LANES) * LANES))
        for row, values in enumerate((self.omega, self.weight.real, self.weight.imag, sloped.real, sloped.imag)):
            found[row, :count] = values
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
