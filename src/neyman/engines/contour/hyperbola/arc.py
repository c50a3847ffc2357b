"""A bent (Bromwich) contour: one branch of a hyperbola, for few or rare steps, whose losses live on many scales.

In the plane of w (z = w - 1 for "remove", z = -w for "add", and z (z + 1) = w (w - 1) for both)

    w(u) = w_c + lambda (sin(phi + iu) - sin phi)

crosses the real axis at w_c and opens by the angle phi from the vertical, so that e^{K - z eps} dies along it
whatever the bulk of the law does: its nodes are spaced geometrically, and a few hundred span all scales. The strip
|Im u| <= a is mapped onto the hyperbolas of opening phi - a and phi + a, so the trapezoid rule of spacing h errs by
at most

    (M_- + M_+) / (e^{2 pi a/h} - 1),     M_-+ = (1/2 pi) int |e^{K - z eps} / (z (z + 1))| |dw| along those two.

Where K is small at w_c (rare steps: hardly anything happens) and the bend is to the right in z, e^K - 1 is integrated
instead of e^K: the integral of the 1 is exactly zero, and what is left is as small as the answer.

Both are bounded piece by piece: log|e^K| is bounded by a convex function of w (``RotatedLaw.log_bound``) and z eps is
linear, so over the triangle of two nodes and the meeting point of their tangents, which holds the arc, the largest
bound is at a corner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.estimate import Book, Estimate, entered, faults
from neyman.engines.contour.hyperbola.rotated import ArcSteps, on_path
from neyman.engines.contour.straight.line import SUMMED
from neyman.engines.contour.straight.witness import ArcWitness
from neyman.losses.gaussian.transform import ComplexArray
from neyman.numerics.rounding import TURN, TURNED, UNIT
from neyman.numerics.sums.turns import cosine_and_sine
from neyman.profiles.effort import Effort, readable

__all__ = ["Arc", "Edge", "Shape", "WrappedArc"]

_COARSE = 0.3  # spacing in u of the pieces that bound the error
_OPENING = 0.46  # of the sector: the opening of a hyperbola, and of the strip around it: both fit, and some room
_DIGITS = 32.0  # e-folds between the answer and the errors of the rule
_FAR = 75.0  # u from which 1/|w| alone is below any error asked for
_READ = 30.0  # nominal nanoseconds of a node, for each eps
_CHUNK = 1 << 13  # entries of a table of cosines: small enough to stay in the cache
_HIGH = 600.0  # e-folds above its start beyond which the transform on a path is but its own error, soon no float
_MOST = 20000  # nodes beyond which an arc is not worth it
_SUMMED = SUMMED + (TURNED - TURN) * UNIT  # certifies: rounding of terms whose cosines and sines are by tangents
_NEAR = 1e-12  # relative: the largest loss is rounded
_ENTRY = 40.0  # nominal nanoseconds for each node and grid point
_BOUND = 1e4  # the same for each grid point of the laws that bound, all pieces together


@dataclass(frozen=True)
class Shape:
    """A family of hyperbolas around one centre: w(u) = centre + scale sin(angle + iu)."""

    centre: float
    scale: float

    def at(self, u: FloatArray, angle: float) -> ComplexArray:
        return self.centre + self.scale * (math.sin(angle) * np.cosh(u) + 1j * math.cos(angle) * np.sinh(u))

    def speed(self, u: FloatArray, angle: float) -> ComplexArray:
        """dw/du."""
        return self.scale * (math.sin(angle) * np.sinh(u) + 1j * math.cos(angle) * np.cosh(u))

    def corners(self, u: FloatArray, angle: float) -> ComplexArray:
        """Node, meeting point of the tangents, next node, for each piece."""
        node = self.at(u, angle)
        meeting = self.centre + (self.at(0.5 * (u[:-1] + u[1:]), angle) - self.centre) / np.cosh(0.5 * np.diff(u))
        return np.stack([node[:-1], meeting, node[1:]], axis=1)


@dataclass(frozen=True)
class Edge:
    """Bounds along one hyperbola: per piece the corners, log|e^K| there, and the log of length/(pi |w| |w - 1|)."""

    real: FloatArray
    log_bound: FloatArray
    log_kernel: FloatArray
    log_tail: float  # all beyond the last piece, but for e^{-z eps}

    @classmethod
    def along(
        cls, steps: ArcSteps, shape: Shape, angle: float, less_one: bool, slope: FloatArray, level: FloatArray
    ) -> Edge:
        """As far as what lies beyond is, by a bound that costs nothing, below e^level for each slope."""
        u = np.arange(0.0, _FAR + _COARSE, _COARSE)
        stop, log_tail = _reach(steps, shape.at(u, angle), less_one, slope, level)
        corner = shape.corners(u[: stop + 1], angle)
        # each piece shares its ends with its neighbours
        places = np.concatenate([corner[:, 0], corner[-1:, 2], corner[:, 1]])
        each = steps.log_bounds(places, rotated=True)
        bound = np.stack([each[:stop], each[stop + 1 :], each[1 : stop + 1]], axis=1)
        near = places.imag < 4.0 * np.abs(places.real) + 1.0
        each = np.full(len(places), math.inf)
        if near.any():
            each[near] = steps.log_bounds(places[near], rotated=False)
        other = np.stack([each[:stop], each[stop + 1 :], each[1 : stop + 1]], axis=1)
        # the lesser of two convex functions is none: a piece has the one or the other
        better = other.max(axis=1) < bound.max(axis=1)
        bound[better] = other[better]
        real, imag = corner.real, corner.imag
        extreme = np.maximum(real.max(axis=1) ** 2, real.min(axis=1) ** 2) - imag.min(axis=1) ** 2 - real.min(axis=1)
        bound = bound + 0.5 * steps.parts.mu**2 * extreme[:, None]
        length = np.abs(np.diff(corner, axis=1)).sum(axis=1)
        away = [np.abs(corner - pole).max(axis=1) - length for pole in (0.0, 1.0)]
        with np.errstate(divide="ignore", invalid="ignore"):
            kernel = np.where((away[0] > 0.0) & (away[1] > 0.0), np.log(length / (math.pi * away[0] * away[1])), np.inf)
        if less_one:
            bound = np.logaddexp(bound, 0.0)
        return cls(real, bound, kernel, log_tail)

    @cached_property
    def _rows(self) -> tuple[FloatArray, FloatArray]:
        """The corners and the bounds there, one table of a row for each of the three, whose largest is soon found."""
        return np.ascontiguousarray(self.real.T)[:, None], np.ascontiguousarray(self.log_bound.T)[:, None]

    def log_integral(self, slope: FloatArray) -> FloatArray:
        """log of the bound on (1/2 pi) int |...| |dw| for e^{slope Re w}."""
        real, log_bound = self._rows
        corners = slope[:, None] * real
        corners += log_bound
        height = corners.max(axis=0) + self.log_kernel
        top = height.max(axis=1)
        known = top < math.inf
        with np.errstate(invalid="ignore"):
            total = np.where(known, top + np.log(np.exp(height - top[:, None]).sum(axis=1)), math.inf)
        return np.logaddexp(total, self.log_tail + slope * self.real[-1, 2])


def _reach(steps: ArcSteps, w: ComplexArray, less_one: bool, slope: FloatArray, level: FloatArray) -> tuple[int, float]:
    """The first place along ``w``, at least 1, beyond which all is below e^level for each slope, else the last; and the
    log of the bound on what lies beyond it.
    """
    tails = _tails(steps, w, less_one)
    enough = np.flatnonzero(np.all(tails + np.multiply.outer(slope, w.real) < level[:, None], axis=0))
    stop = max(int(enough[0]), 1) if len(enough) else len(w) - 1
    return stop, float(tails[stop])


def _tails(steps: ArcSteps, w: ComplexArray, less_one: bool) -> FloatArray:
    """log of the bound on what lies beyond w, where e^{wS} no longer grows along the rotated ray."""
    calm = np.abs(w) > 8.0 * (1.0 + np.abs(w[0]))
    if steps.parts.mu > 0.0:
        calm &= np.angle(w) >= 0.25 * math.pi
    kernel = np.log(8.0 / (math.pi * np.abs(w)))
    law = steps.log_far(w)
    return np.where(calm, (np.logaddexp(law, 0.0) if less_one else law) + kernel, np.inf)


@dataclass(frozen=True)
class Arc:
    """The nodes of one bent contour, ready to answer for any eps near the one it was laid for."""

    c: float
    scale: float
    w: ComplexArray
    weight: ComplexArray  # e^{K - scale} w'(u) h / (pi w (w - 1))
    sloped: ComplexArray  # e^{K - scale} w'(u) h z / (pi w (w - 1)), for e^eps Q(L > eps)
    error: FloatArray  # bound on the error of each weight
    sign: float
    edges: tuple[Edge, Edge]  # on either side of the path
    beyond: tuple[float, float]  # log of the bound on all beyond the last node, and Re w there
    log_rule: float  # -log(e^{2 pi a/h} - 1)
    range: tuple[float, float]  # the eps it was laid for
    drift: float
    shift: float  # by how much the law may be moved
    edge: float  # e^{edge Re w} is how what lies beyond the last node falls, but for e^{-z eps}
    lost: float = 0.0
    witness: ArcWitness | None = None  # where it is of whole laws

    kind = "hyperbola"

    @property
    def plan_dict(self) -> dict[str, float | str] | None:
        """Its witness; None of a part of the law, or of exchanged records."""
        return None if self.witness is None else self.witness.to_dict()

    @property
    def nodes(self) -> int:
        """Those of the trapezoid rule along it."""
        return len(self.w)

    @classmethod
    def lay(
        cls, steps: ArcSteps, c: float, curvature: float, epsilon: tuple[float, float], effort: Effort
    ) -> Arc | None:
        """The contour through c for losses in the closed interval ``epsilon``; None where none can be certified, or
        with so much effort.

        ``curvature`` is the second derivative of K - log(z (z + 1)) there.
        """
        if not effort.take(_BOUND * steps.bound_terms):
            return None
        sign = 1.0 if steps.parts.direction == "remove" else -1.0
        w_c = float(steps.parts.argument(c))
        sector = steps.sector
        phi = strip = _OPENING * sector
        scale = 1.0 / math.sqrt(curvature)
        shape = Shape(w_c - scale * math.sin(phi), scale)
        if any(shape.centre <= pole <= shape.centre + scale * math.sin(phi + strip) for pole in (0.0, 1.0)):
            return None  # the strip holds a pole
        slope = -sign * np.array(epsilon)
        k_c = float(steps.log_values(np.array([w_c + 0j]), rotated=False)[0][0].real) + steps.drift * w_c
        less_one = sign > 0.0 and 0.0 < k_c < 1.0 and not steps.parted
        size = math.log(math.expm1(k_c)) if less_one else k_c
        level = size + slope * w_c - math.log(abs(w_c * (w_c - 1.0)) / scale)
        u = np.arange(0.0, _FAR + _COARSE, _COARSE)
        path = shape.at(u, phi)
        upto, log_tail = _reach(steps, path, less_one, slope, level - _DIGITS)
        edges = tuple(Edge.along(steps, shape, angle, less_one, slope, level) for angle in (phi - strip, phi + strip))
        rim = np.logaddexp(edges[0].log_integral(slope), edges[1].log_integral(slope))
        spacing = 2.0 * math.pi * strip / max(float(np.max(rim - level)) + _DIGITS, 1.0)
        if not math.isfinite(log_tail) or not math.isfinite(spacing) or spacing < _COARSE * upto / _MOST:
            return None
        if not effort.take(_ENTRY * steps.terms * _COARSE * upto / spacing):
            return None
        beyond = (log_tail, float(path[upto].real))
        found = cls._evaluate(
            steps, shape, phi, strip, spacing, (edges[0], edges[1]), upto, c, sign, less_one, epsilon, beyond
        )
        if found is None or steps.span is None:
            return found
        return replace(found, witness=ArcWitness(c, curvature, *epsilon, *steps.span))

    @classmethod
    def _evaluate(
        cls, steps: ArcSteps, shape: Shape, phi: float, strip: float, spacing: float,
        edges: tuple[Edge, Edge], upto: int, c: float, sign: float, less_one: bool, span: tuple[float, float],
        beyond: tuple[float, float],
    ) -> Arc | None:  # fmt: skip
        count = math.ceil(_COARSE * upto / spacing)
        u: FloatArray = np.arange(count + 1, dtype=np.float64) * spacing
        w = shape.at(u, phi)
        k, error = on_path(steps, w)
        kernel = shape.speed(u, phi) * (spacing / math.pi) / (w * (w - 1.0))
        kernel[0] *= 0.5
        # e^{drift w} in K and e^{-z eps} may be huge and tiny: they are kept together until eps is known
        drift = 0.0 if less_one else steps.drift
        k = k + steps.drift * w if less_one else k + drift * w[0].real
        scale = 0.0 if less_one else float(k[0].real)
        if not float(k.real.max()) - scale <= _HIGH:
            return None
        with np.errstate(under="ignore"):
            grown = np.exp(k - scale)
            weight = (np.expm1(k) if less_one else grown) * kernel
        error = faults(k.real - scale, error + 2.0 * UNIT * np.abs(k)) * np.abs(kernel)
        error += 16.0 * UNIT * np.abs(weight)
        turns = 2.0 * math.pi * strip / spacing
        log_rule = -turns - math.log(-math.expm1(-turns))
        z = w - 1.0 if sign > 0.0 else -w
        return cls(
            c, scale, w, weight, grown * kernel * z, error, sign, edges, beyond, log_rule, span, drift, steps.shift,
            0.0 if less_one else steps.edge,
        )  # fmt: skip

    @cached_property
    def _summands(self) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
        """Both parts of w, from the start of the arc on; of both weights; what sums are off, unturned and by turns."""
        size = np.abs(self.weight)
        off = self.error + _SUMMED * size, np.abs(self.w) * size
        parts = [self.weight.real, self.weight.imag, self.sloped.real, self.sloped.imag]
        return np.stack([self.w.real - self.w[0].real, self.w.imag]), np.stack(parts), off

    def integrate(self, epsilon: FloatArray, book: Book | None = None) -> Estimate:
        """As ``Line.integrate``, of delta."""
        if not readable(_READ * len(self.w) * len(epsilon)):
            return Estimate.unknown(len(epsilon))
        (real, imag), parts, off = self._summands
        log_scale = self.scale - self.c * epsilon
        value, slope, error = (np.empty(len(epsilon)) for _ in range(3))
        rows = max(1, _CHUNK // len(self.w))
        for i in range(0, len(epsilon), rows):
            part = epsilon[i : i + rows]
            pull = self.drift - self.sign * part
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                bend = np.multiply.outer(pull, real)
                np.exp(bend, out=bend)
                turn = np.multiply.outer(pull, imag)
                cosine, sine = cosine_and_sine(turn)
                cosine *= bend
                sine *= bend
                value[i : i + rows] = (cosine * parts[1] + sine * parts[0]).sum(axis=1)
                slope[i : i + rows] = (cosine * parts[3] + sine * parts[2]).sum(axis=1)
                fixed, turning = (np.einsum("ij,j->i", bend, each) for each in off)
                error[i : i + rows] = fixed + 2.0 * UNIT * (part + abs(self.drift)) * turning
        return self._bounded(Estimate(value, slope, error, log_scale), epsilon, book)

    def _bounded(self, found: Estimate, epsilon: FloatArray, book: Book | None) -> Estimate:
        """The sums with all that they may be off, where nothing but rounding is counted yet."""
        value, slope, error, log_scale = found.mantissa, found.slope, found.error, found.log_scale
        along, start, tilt = error, float(self.w[0].real), -self.sign * epsilon
        rim = [edge.log_integral(tilt) + self.log_rule for edge in self.edges]
        beyond = self.beyond[0] + tilt * self.beyond[1]
        offset = tilt * start + self.scale
        rounded = 8.0 * UNIT * (1.0 + np.abs(offset) + epsilon * (1.0 + abs(self.c)))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            for name, extra in (*(("quadrature", one) for one in rim), ("truncation", beyond)):
                off = np.exp(extra - offset + 8.0 * UNIT * (np.abs(extra) + np.abs(offset)))
                error = error + entered(book, name, off)
            # above the largest loss of all that are bent the integrand grows, and nothing bounds what lies beyond
            error = np.where(tilt + (1.0 - _NEAR) * self.edge <= 0.0, error, math.inf)
            shifted = error
            error = error + 2.0 * self.shift * (np.abs(slope) + np.abs(value) + error) + rounded * np.abs(value)
            entered(book, "rounding", along + (error - shifted))
            return Estimate(value, slope, error, log_scale).settled()


@dataclass(frozen=True)
class WrappedArc:
    """An arc whose answers are read otherwise, or have something added."""

    arc: Arc

    lost = 0.0
    kind = "hyperbola of a part of the law"
    plan_dict = None

    @property
    def c(self) -> float:
        return self.arc.c

    @property
    def nodes(self) -> int:
        """Those of the arc."""
        return self.arc.nodes

    @property
    def range(self) -> tuple[float, float]:
        return self.arc.range
