"""Sampled Gaussian steps with exchanged records along bent paths: what an ``Arc`` asks of a composition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.cumulant import MERGED
from neyman.engines.contour.parts import Parts
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.paths.exchanged import ExchangedLaw
from neyman.losses.readings.transform import ComplexArray
from neyman.numerics.functions.log1p import log1p
from neyman.numerics.rounding import UNIT

__all__ = ["APART", "FURTHER", "SHARE", "STEEPEST", "ExchangedSteps"]

APART = -80.0  # certifies: log of how far paths may end apart, T times, beside K, where a strip crosses the real axis
SHARE = 1e-6  # certifies: of the errors of nodes, that what this leaves is less than (``Where paths end`` of the docs)
STEEPEST = 1e8  # certifies: the largest c^2 / scale^2 of a contour
FURTHER = 0.2  # certifies: of its scale, how far right of its start a strip reaches: sin(2 x) - sin(x), x = 0.46 _MOST
_MOST = 0.4  # of the sector, radians
_SMALL = 1e-300  # more than nothing, whose log is a float
_ANGLE, _SECTOR = 0.34, 0.28  # on no path moved by its tilt an angle above pi/4, where a soft cut grows
# steering: the grids of the laws, tried
_SOFTENED = 24.0  # nats by which the sum has fallen at the angle chi, about, twice
_NARROW = 0.01  # the least angle chi, radians
_TURNED = 1.8  # radians times the largest sigma: the angle of the laws for what is far
_CLEAR = 1.2  # that angle is more than so many chi
_NATS = 50.0  # what the alias of the turned grid is below, about
_FINE, _COARSE = 0.024, 0.1  # steps of the grids, in log odds
_PER_SIGMA = 0.2  # no step is longer than this over sigma
_TILT = 0.2  # radians, of what is not turned

Laws = tuple[tuple[ExchangedLaw, int], ...]


@dataclass(frozen=True)
class ExchangedSteps:
    """The steps as their bent laws: ``bent`` serves far from the real axis, ``straight`` near it; of the laws that only
    bound, ``bounding`` is bent little enough for all steps together, ``upright`` not at all.

    Raises
    ------
    ArithmeticError
        If one of them cannot be laid out.
    """

    parts: Parts
    bent: Laws
    straight: Laws
    bounding: Laws
    upright: Laws

    parted = False
    span = None
    drift = 0.0  # nothing is taken out of K: e^{aL} - 1 - aL is summed, whose linear term is exactly none
    shift = 0.0
    edge = 0.0

    @classmethod
    def along(cls, steps: Sequence[tuple[ReplacedGaussianStep, int]], mu: float) -> ExchangedSteps:
        """Laws for any contour that crosses the real axis right of w = 1."""
        weight = sum(times * step.sigma**2 for step, times in steps)
        chi = min(max(math.sqrt(_SOFTENED / weight), _NARROW), _SECTOR)
        widest = max(step.sigma for step, _ in steps)
        angle = max(min(_ANGLE, _TURNED / widest), _CLEAR * chi)
        tilt = angle - 0.5 * chi

        def laws(chi: float, step: float, tilt: float) -> Laws:
            return tuple(
                (ExchangedLaw(one.sigma, one.rate, chi, min(step, _PER_SIGMA / one.sigma), tilt, angle), times)
                for one, times in steps
            )

        return cls(
            Parts((), mu, "remove"),
            laws(angle, 2.0 * math.pi * tilt / _NATS, tilt),
            laws(0.0, _FINE, _TILT),
            laws(chi, _COARSE, 0.5 * chi),
            laws(0.0, _COARSE, _TILT),
        )

    @property
    def sector(self) -> float:
        """By how much the angle of w may fall short of vertical, or exceed it, while no e^{wL} grows."""
        return min(_MOST, *(law.angle for law, _ in self.bounding))

    def log_far(self, w: ComplexArray) -> FloatArray:
        """log of a bound on |e^K| at w and all that follows on an arc, whose direction keeps within the sector: no
        e^{wL} grows.
        """
        return self.log_bounds(w, rotated=True)

    def log_bounds(self, w: ComplexArray, rotated: bool) -> FloatArray:
        """log of the bound on |e^K| without the unsampled Gaussian; convex in w."""
        return np.sum([times * law.log_bound(w) for law, times in (self.bounding if rotated else self.upright)], axis=0)

    def log_caps(self, c: FloatArray) -> FloatArray:
        """log of a bound on T times how far straight and bent paths end apart, for all w above each c + 1."""
        a = c + 0.5 + 0j
        every = (*self.straight, *self.bounding, *self.upright)
        return np.max([law.log_cap(a) + math.log(times) for law, times in every], axis=0) + math.log(len(self.straight))

    @property
    def terms(self) -> int:
        """Grid points of the bent laws: what a node costs at most."""
        return sum(len(law.loss) for law, _ in self.bent)

    @property
    def bound_terms(self) -> int:
        """The same of the laws that bound."""
        return sum(len(law.loss) for laws in (self.bounding, self.upright) for law, _ in laws)

    def log_values(self, w: ComplexArray, rotated: bool) -> tuple[ComplexArray, FloatArray]:
        """K(w), with the bound on its error."""
        k = 0.5 * self.parts.mu**2 * w * (w - 1.0)
        error = MERGED * np.abs(k)
        for law, times in self.bent if rotated else self.straight:
            excess, off = law.excess(w)
            size = np.maximum(np.abs(1.0 + excess), _SMALL)
            small = size <= _SMALL
            log_a = log1p(np.where(small, 0.0, excess)) + np.where(small, math.log(_SMALL), 0.0)
            # (|A| + eta)^T over |A|^T: where A is below its own error, only the size of eta counts
            error = error + times * (np.log1p(off / size) + 16.0 * UNIT * np.abs(log_a) + np.where(small, 1.0, 0.0))
            k = k + times * log_a
        return k, error * (1.0 + SHARE)  # for the ends of paths, which ``APART`` bounds
