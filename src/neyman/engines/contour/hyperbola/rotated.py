"""The steps of a composition as rotated laws, and their sum of cumulants along a path."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import MERGED
from neyman.engines.contour.parts import Parts
from neyman.losses.gaussian.paths.rotated import RotatedLaw
from neyman.losses.gaussian.transform import ComplexArray
from neyman.numerics.rounding import UNIT

__all__ = ["ArcSteps", "Steps", "between_anchors", "on_path"]

_FEW = 16  # nodes between which logs of an alias are interpolated, where there are more
_ROUNDED = 1e-6  # allowed for the rounding of logs that are interpolated
_LAID = 1e5  # nominal nanoseconds for each unit of log odds that the grids of one law are long
# steering: the grids of the laws, tried
_SOFTENED = 24.0  # nats by which the sum has fallen at the angle chi, about, twice
_NARROW = 0.02  # the least angle chi, radians
_TURNED = 1.8  # radians times the largest sigma: the angle of the laws for what is far
_CLEAR = 1.2  # that angle is more than so many chi
_NATS = 50.0  # what the alias of the turned grid is below, about
_COARSE, _UPRIGHT = 0.16, 0.24  # steps of the grids that bound, turned and not, in log odds
_PER_SIGMA = 0.2  # no step is longer than this over sigma
_TILT, _STRAIGHT_NATS = 1.0, 79.0  # radians of what is not turned, and what its alias is below
_WIDE = 20.0  # radians times sigma: the noise would grow beyond
_TILT_SOFT = 0.3  # radians, of what is turned by chi
_ANGLE, _SECTOR = 0.6, 0.4  # the largest angle of the turned laws, and the largest chi
_REACH, _ENDS = 38.0, 30.0  # steer what work is counted: sigmas a grid reaches, and log odds at its ends


class ArcSteps(Protocol):
    """What an ``Arc`` asks of a composition: K(w) = ``drift`` w + ``log_values``, but for ``shift`` w, and bounds."""

    @property
    def parts(self) -> Parts: ...

    @property
    def parted(self) -> bool:
        """Whether e^K is as small as the answer, with nothing to be taken from it."""
        ...

    @property
    def span(self) -> tuple[float, float] | None:
        """The arguments that whole laws were laid out for: how far right, and how far left of 0."""
        ...

    @property
    def sector(self) -> float: ...

    @property
    def drift(self) -> float: ...

    @property
    def shift(self) -> float: ...

    @property
    def edge(self) -> float:
        """|e^K| is at most e^{edge Re w} times something, far out."""
        ...

    @property
    def terms(self) -> int: ...

    @property
    def bound_terms(self) -> int: ...

    def log_far(self, w: ComplexArray) -> FloatArray: ...

    def log_bounds(self, w: ComplexArray, rotated: bool) -> FloatArray: ...

    def log_values(self, w: ComplexArray, rotated: bool) -> tuple[ComplexArray, FloatArray]: ...


def on_path(steps: ArcSteps, w: ComplexArray) -> tuple[ComplexArray, FloatArray]:
    """K(w) - drift w with the bound on its error, along a path that leaves the real axis upwards, |w| ascending."""
    # near the real axis the laws that are not rotated have the smaller terms
    turned = w.imag > 0.25 * w.real
    k, error = np.empty(len(w), complex), np.empty(len(w))
    for rotated in (False, True):
        at = np.flatnonzero(turned == rotated)
        if len(at):
            k[at], error[at] = steps.log_values(w[at], rotated)
    return k, error


@dataclass(frozen=True)
class Steps:
    """The steps of a composition as their rotated laws.

    ``rotated`` evaluates far from the real axis, ``straight`` (not rotated at all) near it; ``bounding`` lies
    between: its angle is paid once per step in every bound, so it shrinks as the steps grow many. Bounds are integrals
    of smooth positive functions: ``bounding`` and ``upright`` (again not rotated) need but a coarse grid.
    """

    parts: Parts
    rotated: tuple[tuple[RotatedLaw, int], ...]
    straight: tuple[tuple[RotatedLaw, int], ...]
    bounding: tuple[tuple[RotatedLaw, int], ...]
    upright: tuple[tuple[RotatedLaw, int], ...]
    span: tuple[float, float] | None = None

    parted = False

    @classmethod
    def along(cls, parts: Parts, reach: float, depth: float) -> Steps:
        """Laws for contours that cross the real axis at -``depth`` <= w <= ``reach``."""
        weight = sum(times * law.sigma**2 for law, times in parts.gaussians)
        chi = min(max(math.sqrt(_SOFTENED / weight), _NARROW), _SECTOR)

        def laws(angle: float, step: float, tilt: float, bounds: bool = False) -> tuple[tuple[RotatedLaw, int], ...]:
            # the law of S is about 1/sigma wide on the grid
            return tuple(
                (RotatedLaw(law, angle, reach, depth, min(step, _PER_SIGMA / law.sigma), tilt, bounds), times)
                for law, times in parts.gaussians
            )

        widest = max(law.sigma for law, _ in parts.gaussians)
        angle = max(min(_ANGLE, _TURNED / widest), _CLEAR * chi)
        tilt, flat = angle - 0.5 * chi, min(_TILT, _WIDE / widest)
        return cls(
            parts,
            laws(angle, 2.0 * math.pi * tilt / _NATS, tilt),
            laws(0.0, 2.0 * math.pi * flat / _STRAIGHT_NATS, flat),
            laws(chi, _COARSE, _TILT_SOFT, bounds=True),
            laws(0.0, _UPRIGHT, flat, bounds=True),
            (reach, depth),
        )

    @staticmethod
    def work(parts: Parts, reach: float) -> float:
        """What it takes to lay them out, in nominal nanoseconds: grids are long where the noise is small."""
        long = sum((_REACH * law.sigma + reach + 1.0) / law.sigma**2 + _ENDS for law, _ in parts.gaussians)
        return _LAID * long * max(1.0, max(law.sigma for law, _ in parts.gaussians))

    @property
    def sector(self) -> float:
        """By how much the angle of w may fall short of vertical while no e^{wS} grows."""
        return self.bounding[0][0].chi

    @property
    def edge(self) -> float:
        """sum T log(1 - q): the least loss of the direction "remove"."""
        return sum(times * law.edge for law, times in self.bounding)

    @property
    def log_size(self) -> float:
        """What the rotation costs: sum T log B(0)."""
        return sum(times * law.log_size for law, times in self.bounding)

    def log_far(self, w: ComplexArray) -> FloatArray:
        """log of a bound on |e^K| at w and all that follows on an arc; inf where it may still grow."""
        return np.where(np.angle(w) >= 0.5 * math.pi - self.sector, self.log_size + w.real * self.edge, math.inf)

    def log_bounds(self, w: ComplexArray, rotated: bool) -> FloatArray:
        """log of the bound on |e^K| without the unsampled Gaussian; convex in w."""
        laws = self.bounding if rotated else self.upright
        return np.sum([times * law.log_bound(w) for law, times in laws], axis=0)

    @property
    def terms(self) -> int:
        """Grid points of the rotated laws: what a node costs."""
        return sum(len(law.loss) for law, _ in self.rotated)

    @property
    def bound_terms(self) -> int:
        """The same of the laws that bound."""
        return sum(len(law.loss) for laws in (self.bounding, self.upright) for law, _ in laws)

    @property
    def drift(self) -> float:
        """The linear part of K in w, but for ``shift``: sum T E_Q[log r]."""
        return math.fsum(times * (law.edge + law.mean) for law, times in self.rotated)

    @property
    def shift(self) -> float:
        """By how much the whole law may be moved because ``drift`` is not exact."""
        return sum(times * (law.mean_error + 4.0 * UNIT * abs(law.edge)) for law, times in self.rotated)

    def log_values(self, w: ComplexArray, rotated: bool) -> tuple[ComplexArray, FloatArray]:
        """K(w) - drift w, with the bound on its error (but for ``shift``)."""
        k = 0.5 * self.parts.mu**2 * w * (w - 1.0)
        error = MERGED * np.abs(k)
        for law, times in self.rotated if rotated else self.straight:
            rest, rounding = law.log_rest(w)
            log_a = rest + w * (law.mean + law.edge)
            with np.errstate(over="ignore", under="ignore"):
                moved = 4.0 * UNIT * np.abs(w) * (abs(law.mean) + abs(law.edge))
                alias = np.exp(between_anchors(law, w) - log_a.real + moved)
            k = k + times * rest
            # (|A| + eta)^T over |A|^T: where A is below its own error, only the size of eta counts
            error = error + times * (np.log1p(rounding + alias) + 2.0 * UNIT * np.abs(rest))
        return k, error


def between_anchors(law: RotatedLaw, w: ComplexArray) -> FloatArray:
    """``law.log_alias`` at few w; of many, a bound on it from few.

    log_alias(w) - edge Re w is convex: on the chord of two anchors it lies below the line through its values there. A
    path that bends leaves the chord, by a displacement n at right angles; along n it does not grow where no e^{wS}
    does (``law.falls``), as on the outer side of a contour that opens to the right. Elsewhere it is evaluated.
    """
    if len(w) <= _FEW:
        return law.log_alias(w)
    anchors = np.linspace(0, len(w) - 1, _FEW).astype(int)  # more than a node apart
    known = law.log_alias(w[anchors]) - law.edge * w.real[anchors]
    nodes = np.diff(anchors)
    nodes[-1] += 1
    left = np.repeat(np.arange(len(nodes)), nodes)  # the anchor before each, and before the last one
    start, chord = w[anchors[left]], np.diff(w[anchors])[left]
    place = (w - start) / chord
    share, away = place.real, 1j * place.imag * chord
    bound = (1.0 - share) * known[left] + share * known[left + 1]
    bound = bound + law.edge * w.real + _ROUNDED + 16.0 * UNIT * (np.abs(bound) + np.abs(law.edge * w.real))
    inside = (share >= 0.0) & (share <= 1.0)
    sound = inside & np.isfinite(bound) & (law.falls(away) | (np.abs(away) <= 8.0 * UNIT * np.abs(w)))
    rest = np.flatnonzero(~sound)
    if len(rest):
        bound[rest] = law.log_alias(w[rest])
    return bound
