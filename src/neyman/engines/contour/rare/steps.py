"""Rare steps along bent contours: the integrand of one parting of their law, and what it is at most.

With X the excess of the law below a length ``high`` and Y that below ``low`` (``losses/gaussian/paths/rare.py``), all
others put to S = 0, e the edge log(1 - q),

    e^{Twe} [(1 + X)^T - (1 + Y)^T].

What was put to 0 takes from delta at most T times its mass with the record; what is taken away with Y is the delta of a
law, which Chernoff bounds. Without ``low`` Y is 0: the delta of a single loss Te < 0, which is none. The
modulus is at most T |X - Y| times the larger of |1 + X| and |1 + Y| to the power T - 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.estimate import faults
from neyman.engines.contour.hyperbola.arc import Arc, Edge, Shape
from neyman.engines.contour.rare.bounds import Bound, PartBounds
from neyman.losses.gaussian.paths.rare import RareLaw, RarePart
from neyman.losses.gaussian.transform import SamplingTransform
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import Effort

__all__ = ["Laws", "RareSteps"]

# angle of the bent path, and by how much it is moved to either side (radians; together below pi/4, where shares
# grow); e-folds that the quadrature gains by that, on long grids and on short ones
_ANGLE, _TILT, _FINE = 0.42, 0.17, (38.0, 43.0)
_SHORT = 0.3  # noise from which grids are so short that more is asked of them
_WIDEST = 0.2  # over the noise: no step of a grid is longer
_SECTOR = _ANGLE - _TILT  # by how much a path may fall short of vertical at the end
_CLEAR = 1e-9  # least distance of a pole: a contour, and its strip, are on the side of it that floats say
_OPENING, _STRIP = 0.6 * _SECTOR, 0.38 * _SECTOR  # of a contour from the vertical, and of the strip around it
_UPRIGHT = 0.25  # by how much the path along real losses is moved
_LEAST = 1e-300  # what is smaller is put to this, and counts as unknown
_COARSE = 0.2  # spacing in u of the pieces that bound the error
_DIGITS = 30.0  # e-folds between the answer and the errors of the rule
_FAR = 75.0  # u at which pieces end: |w| is e^75 of its scale there
_MOST = 20000  # nodes of a contour
_ENTRY, _BOUND = 20.0, 5e3  # nominal nanoseconds for each node, and for the bounds
_MANY, _DIED = 3.0, -150.0  # T|X| from which bounds are looked at closer, and log of what counts no more
_HIGH = 600.0  # e-folds above its start beyond which an integrand is but its own error


class Laws:
    """The law of one step, ``times`` of them, and its parts.

    Raises
    ------
    ArithmeticError
        If the noise is so small that floats do not hold it.
    """

    def __init__(self, sigma: float, rate: float, times: int) -> None:
        law = SamplingTransform(sigma, rate)
        self.times = times
        self.edge = times * math.log1p(-rate)
        self.short = sigma >= _SHORT
        least, fine = _WIDEST / sigma, _FINE[self.short]
        self.bent = RareLaw(law, _ANGLE, 1.0, 0.0, min(2.0 * math.pi * _TILT / fine, least), _TILT)
        self.straight = RareLaw(law, 0.0, 1.0, 0.0, min(2.0 * math.pi * _UPRIGHT / fine, least), _UPRIGHT)
        self._parts: dict[tuple[float, float], PartBounds] = {}

    def part(self, low: float, high: float) -> PartBounds:
        """The part between two lengths."""
        if (low, high) not in self._parts:
            self._parts[low, high] = PartBounds(RarePart(self.bent, low, high), RarePart(self.straight, low, high))
        return self._parts[low, high]


@dataclass(frozen=True)
class RareSteps:
    """One parting, for one ``sign``: 1.0 "remove", -1.0 "add". ``plain``: nothing is taken away at all."""

    laws: Laws
    sign: float
    low: float = 0.0
    high: float = math.inf
    plain: bool = False

    @cached_property
    def _whole(self) -> PartBounds:
        return self.laws.part(0.0, self.high)

    @cached_property
    def _middle(self) -> PartBounds:
        return self.laws.part(self.low, self.high) if self.low > 0.0 else self._whole

    @cached_property
    def _small(self) -> PartBounds | None:
        return self.laws.part(0.0, self.low) if self.low > 0.0 else None

    def log_values(self, w: ComplexArray, bent: bool) -> tuple[ComplexArray, FloatArray]:
        """log of the integrand but for e^{Twe}, with the bound on its error."""
        times = self.laws.times
        if self.plain or self._small is None:
            power, off = self._power(self._whole, w, bent)
            if self.plain:
                return power, off
            base, base_off = np.zeros(len(w), complex), np.zeros(len(w))
        else:
            base, base_off = self._power(self._small, w, bent)
            path = self._small.bent if bent else self._small.straight
            y = path.excess(w)
            path = self._middle.bent if bent else self._middle.straight
            m = path.excess(w)
            with np.errstate(over="ignore", invalid="ignore"):  # what is no float is not sound below
                one = np.maximum(np.abs(1.0 + y[0]), _LEAST)
                ratio = m[0] / np.where(one > _LEAST, 1.0 + y[0], 1.0)
                power = times * log1p(ratio)
                beside = np.where(np.isfinite(m[1]), (m[1] + y[1] * np.abs(ratio)) / one, math.inf)
                off = times * _log_off(beside, ratio) + 16.0 * UNIT * np.abs(power)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            # log(e^p - 1), of large p without e^p
            large = power.real > 1.0
            grown = np.where(large, -np.expm1(np.where(large, -power, 0.0)), np.expm1(np.where(large, 0.0, power)))
            size = np.maximum(np.abs(grown), _LEAST)
            fault = faults(np.where(large, 0.0, power.real), off) / size
            log_found = base + np.where(large, power, 0.0) + np.log(np.where(size > _LEAST, grown, _LEAST))
            error = np.log1p(fault + 8.0 * UNIT) + base_off + 4.0 * UNIT * np.abs(log_found)
        sound = np.isfinite(log_found) & np.isfinite(error)
        return np.where(sound, log_found, 0.0), np.where(sound, error, math.inf)

    def about(self, w: FloatArray) -> FloatArray:
        """log of the integrand but for e^{Twe} at real w, about; not finite where it is no float."""
        times = self.laws.times
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            whole = times * np.log1p(self._whole.straight.about(w))
            if self.plain:
                return whole
            base = np.zeros(len(w)) if self._small is None else times * np.log1p(self._small.straight.about(w))
            more = np.abs(whole - base)
            if self._small is not None:
                more = times * np.log1p(np.abs(self._middle.straight.about(w) * np.exp(-base / times)))
            return (
                np.minimum(whole, base) * (w < 1.0)
                + base * (w >= 1.0)
                + np.where(more > 1.0, more + np.log1p(-np.exp(-more)), np.log(np.expm1(np.minimum(more, 1.0))))
            )

    def _power(self, part: PartBounds, w: ComplexArray, bent: bool) -> tuple[ComplexArray, FloatArray]:
        """T log(1 + X), with the bound on its error."""
        x, off = (part.bent if bent else part.straight).excess(w)
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number is no contour
            power = self.laws.times * log1p(x)
            return power, self.laws.times * _log_off(off, x) + 16.0 * UNIT * np.abs(power)

    def edge(self, shape: Shape, angle: float) -> Edge:
        """What the integrand is at most along one hyperbola, without e^{-z eps}."""
        u = np.arange(0.0, _FAR + _COARSE, _COARSE)
        corner = shape.corners(u, angle)
        times, real = self.laws.times, corner.real
        whole = self._closer(self._whole, corner)
        if self.plain:
            bound = times * whole.log_one
        else:
            middle = whole if self._small is None else self._middle.on(corner)
            other = np.zeros(real.shape) if self._small is None else self._closer(self._small, corner).log_one
            with np.errstate(divide="ignore"):
                bound = np.log(times * middle.size)[:, None] + (times - 1) * np.maximum(whole.log_one, other)
        bound = bound + self.laws.edge * real
        length = np.abs(np.diff(corner, axis=1)).sum(axis=1)
        away = [np.abs(corner - pole).max(axis=1) - length for pole in (0.0, 1.0)]
        with np.errstate(divide="ignore", invalid="ignore"):
            kernel = np.where((away[0] > 0.0) & (away[1] > 0.0), np.log(length / (math.pi * away[0] * away[1])), np.inf)
        # beyond the last no e^{wS} grows, nor does anything else
        last = complex(shape.at(u[-1:], angle)[0])
        most = max(self._whole.most, 0.0 if self._small is None else self._small.most)
        tail = (
            times * math.log1p(most)
            + math.log(times)
            + 1.0
            + self.laws.edge * last.real
            + math.log(8.0 / (math.pi * abs(last)))
        )
        calm = abs(last) > 8.0 * (1.0 + abs(shape.at(u[:1], angle)[0]))
        return Edge(real, bound, kernel, tail if calm else math.inf)

    def _closer(self, part: PartBounds, corner: ComplexArray) -> Bound:
        """What a part is at most along a path; closer where many losses count, none grows, and not all has died."""
        bound = part.on(corner)
        if not self.laws.short:
            return bound
        height = (self.laws.times * bound.log_one + self.laws.edge * corner.real).max(axis=1)
        many = self.laws.times * bound.size > _MANY
        at = np.flatnonzero(part.calm(corner) & many & (height > _DIED))
        if len(at):
            closer = part.closer(corner[at])
            better = closer.log_one.max(axis=1) < bound.log_one[at].max(axis=1)
            bound.log_one[at[better]] = closer.log_one[better]
            bound.size[at] = np.minimum(bound.size[at], closer.size)
        return bound

    def arc(self, c: float, curvature: float, span: tuple[float, float], effort: Effort) -> Arc | None:
        """The contour through c for losses in the closed interval ``span``; None where none can be certified, or with
        so much effort.
        """
        if not effort.take(_BOUND * len(self.laws.bent.loss)):
            return None
        w_c = c + 1.0 if self.sign > 0.0 else -c
        if not min(abs(w_c), abs(w_c - 1.0)) > _CLEAR:
            return None
        phi, strip = _OPENING, _STRIP
        scale = 1.0 / math.sqrt(curvature)
        shape = Shape(w_c - scale * math.sin(phi), scale)
        slope = -self.sign * np.array(span)
        size = float(self.log_values(np.array([w_c + 0j]), False)[0][0].real) + self.laws.edge * w_c
        level = size + slope * w_c - math.log(abs(w_c * (w_c - 1.0)) / scale)
        edges = (self.edge(shape, phi - strip), self.edge(shape, phi + strip))
        rim = np.logaddexp(edges[0].log_integral(slope), edges[1].log_integral(slope))
        spacing = 2.0 * math.pi * strip / max(float(np.max(rim - level)) + _DIGITS, 1.0)
        own = self.edge(shape, phi)
        upto, beyond = _cut(own, slope, level - _DIGITS)
        # in a piece there are so many more nodes than it is long
        beyond = beyond[0] + math.log1p(spacing / _COARSE), beyond[1]
        if not math.isfinite(beyond[0]) or not math.isfinite(spacing) or spacing < _COARSE * upto / _MOST:
            return None
        if not effort.take(_ENTRY * len(self.laws.bent.loss) * _COARSE * upto / spacing):
            return None
        return self._evaluate(shape, phi, strip, spacing, edges, upto, c, span, beyond)

    def _evaluate(
        self, shape: Shape, phi: float, strip: float, spacing: float, edges: tuple[Edge, Edge], upto: int, c: float,
        span: tuple[float, float], beyond: tuple[float, float],
    ) -> Arc | None:  # fmt: skip
        u: FloatArray = np.arange(math.ceil(_COARSE * upto / spacing) + 1, dtype=np.float64) * spacing
        w = shape.at(u, phi)
        turned = w.imag > 0.25 * np.abs(w.real)
        k, error = np.empty(len(w), complex), np.empty(len(w))
        for bent in (False, True):
            at = np.flatnonzero(turned == bent)
            if len(at):
                at = at[np.argsort(np.abs(w[at]), kind="stable")]
                k[at], error[at] = self.log_values(w[at], bent)
        kernel = shape.speed(u, phi) * (spacing / math.pi) / (w * (w - 1.0))
        kernel[0] *= 0.5
        # e^{Tw int S} may be huge where e^{Twe - z eps} is tiny: they are kept together until eps is known
        bulk = self.laws.times * (self._small or self._whole).straight.mean
        k = k - bulk * w
        error = error + 4.0 * UNIT * bulk * np.abs(w)
        drift = self.laws.edge + bulk
        k = k + drift * w[0].real
        scale = float(k[0].real)
        if not float(k.real.max()) - scale <= _HIGH:
            return None
        with np.errstate(under="ignore"):
            grown = np.exp(k - scale)
            weight = grown * kernel
        error = faults(k.real - scale, error + 2.0 * UNIT * np.abs(k)) * np.abs(kernel) + 16.0 * UNIT * np.abs(weight)
        turns = 2.0 * math.pi * strip / spacing
        z = w - 1.0 if self.sign > 0.0 else -w
        log_rule = -turns - math.log(-math.expm1(-turns))
        shift = 4.0 * UNIT * (abs(self.laws.edge) + bulk)
        return Arc(
            c, scale, w, weight, grown * kernel * z, error, self.sign, edges, beyond, log_rule, span, drift, shift,
            self.laws.edge,
        )  # fmt: skip


def _cut(own: Edge, slope: FloatArray, level: FloatArray) -> tuple[int, tuple[float, float]]:
    """The first piece, at least 1, from which on all is below e^level for each slope; and what that is, without
    e^{slope Re w} at its beginning, the least Re w of all.
    """
    with np.errstate(invalid="ignore"):
        height = (own.log_bound + slope[:, None, None] * own.real).max(axis=2) + own.log_kernel
    tail = own.log_tail + slope * own.real[-1, 2]
    rest = np.logaddexp.accumulate(np.concatenate([tail[:, None], height[:, ::-1]], axis=1), axis=1)[:, ::-1]
    enough = np.flatnonzero(np.all(rest[:, 1:] < level[:, None], axis=0))
    upto = 1 + int(enough[0]) if len(enough) else rest.shape[1] - 1
    start = float(own.real[min(upto, len(own.real) - 1), 0 if upto < len(own.real) else 2])
    # what holds for the largest slope does for the others: Re w is no less than at the beginning
    steepest = int(np.argmax(slope))
    away = float(slope[steepest]) * start
    return upto, (float(rest[steepest, upto]) - away + 8.0 * UNIT * abs(away), start)


def _log_off(off: FloatArray, x: ComplexArray) -> FloatArray:
    """A bound on the error of log(1 + x) where x is off by ``off``."""
    one = np.abs(1.0 + x)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = off / one
        return np.where(share < 0.5, -np.log1p(-np.minimum(share, 0.5)), math.inf)
