"""Renyi divergences of a composition, which add over its steps, and its rho: the least with D_t <= rho t for all t > 1.

Every step lies below lines rho t + c. As t grows, D_t / t tends to the least slope among them:

- Gaussian noise of shift over noise k, sampled or not: k^2 / 2, with c = 0. Sampled, D_t <= t k^2 / 2 + log q + 1e-9 as
  well once q e^{(t - 1) k^2 / 2} is large (Minkowski, see `asymptotic`), and the other direction ends at -log(1 - q);
- under replacement Q is at least 1 - q times the plain law: the same plus -log(1 - q); or 2 k^2 with c = 0;
- bounded losses: 0, with c the largest; and whatever has a finite `tail_mu`: tail_mu^2 / 2 with c = 0.

Where the lines of least slope have c <= 0 from t = 1 on, the sum of their slopes is rho, exactly: DP-SGD has T / (2
sigma^2), which a finite grid of orders always under-reports. Elsewhere `slope` searches.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.renyi.slope import Above, largest_slope
from neyman.engines.renyi.step import Statement, promised, statement_of, step_divergence
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteGaussianStep, DiscreteStep
from neyman.losses.enclosed.step import BundleStep, EnclosedStep
from neyman.losses.gaussian.exchange.step import ReplacedGaussianStep
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.losses.laplace.step import LaplaceStep
from neyman.mechanisms.additive.rounding import at_least, at_most
from neyman.numerics.rounding import AMPLE, SCANT, SLIGHT, TINY, UNIT

__all__ = ["ComposedStatement", "CompositionDivergence"]

_RARE = 1e-20  # rate of Laplace noise: quadrature is off by some 1e-32 times the rate
_ROOM = 1e-12  # relative: a cap so near is no improvement
_LOOKS = 16  # orders at which rho is looked for where no line is known
_FURTHEST = 1e12  # eps beyond all finite losses
_SETTLED = 2.0**-30  # how far above log q the line of a sampled Gaussian may lie
_ASKED = 1e-2, 1e3  # t - 1 of the first and the last of these

Losses = tuple[tuple[Step, int], ...]


class _Line(NamedTuple):
    """D_t <= ``slope`` t + ``offset`` for t >= ``since``; ``tight``: where D_t / t tends to the slope."""

    slope: Fraction
    offset: float = 0.0
    since: float = 1.0
    tight: bool = True


class CompositionDivergence:
    """D_t and rho of a composition, in one direction or, the larger, in both.

    ``directions`` holds True for P against Q ("remove") and False for Q against P ("add").

    Examples
    --------
    >>> step = SubsampledGaussianStep(sigma=2.0, rate=0.1)
    >>> CompositionDivergence(((step, 100),), (True, False)).concentration(True)
    12.5
    """

    def __init__(self, losses: Losses, directions: tuple[bool, ...]) -> None:
        self._losses = _flat(losses)
        same = all(step.symmetric for step, _ in self._losses)
        self._directions = directions[:1] if same else directions

    @property
    def statement(self) -> Statement | None:
        """What is stated of the whole; None where no step states anything beyond its curve."""
        stated = any(isinstance(step, EnclosedStep) and statement_of(step) is not None for step, _ in self._losses)
        return ComposedStatement(self._losses) if stated else None

    def divergence(self, order: FloatArray, upper: bool) -> FloatArray:
        """Bounds on D_t at each ``order`` (1-d, finite, > 0), from above or from below."""
        return np.maximum.reduce([self._one(order, remove, upper) for remove in self._directions])

    def concentration(self, upper: bool) -> float:
        """A bound on rho, from above or from below."""
        best = 0.0
        for remove in self._directions:
            lines = [(_lines(step, remove, upper), times) for step, times in self._losses]
            if any(not options for options, _ in lines):
                # mass at infinity, or nothing known
                if upper or any(_reveals(step, remove) for step, _ in self._losses):
                    return math.inf
                best = max(best, self._seen(remove))
                continue
            least = _total([(min(options), times) for options, times in lines], upper)
            plain = [
                (min((x for x in options if x.offset <= 0.0 and x.since <= 1.0), default=None), times)
                for options, times in lines
            ]
            at_once = [(line, times) for line, times in plain if line is not None]
            cap = _total(at_once, True).limit if len(at_once) == len(plain) else math.inf
            if cap <= best * (1.0 + _ROOM):
                continue
            if cap <= least.limit or (math.isfinite(cap) and all(_rare(step) for step, _ in self._losses)):
                best = max(best, cap if upper else least.reached)
                continue
            found = largest_slope(lambda order, above, way=remove: self._one(order, way, above), least, upper)
            best = max(best, min(found, cap))
        return best

    def _seen(self, remove: bool) -> float:
        """The largest of D_t / t at a few orders t > 1, from below."""
        order = 1.0 + np.geomspace(*_ASKED, _LOOKS)
        return float(np.max(self._one(order, remove, False) / order)) * (1.0 - 2.0 * UNIT)

    def _one(self, order: FloatArray, remove: bool, upper: bool) -> FloatArray:
        total = np.zeros_like(order)
        with np.errstate(over="ignore"):
            for step, times in self._losses:
                total = total + float(times) * step_divergence(step, order, remove, upper)
            room = (2.0 + len(self._losses)) * UNIT
            return total * (1.0 + room) if upper else np.minimum(total * (1.0 - room), np.finfo(np.float64).max)


class ComposedStatement:
    """Renyi divergences add: those stated of some steps, and those that the other steps have."""

    def __init__(self, losses: Losses) -> None:
        found = [
            (statement_of(step) if isinstance(step, EnclosedStep) else None, step, times) for step, times in losses
        ]
        self._stated = [(known, times) for known, _, times in found if known is not None]
        rest = tuple((step, times) for known, step, times in found if known is None)
        self._rest = CompositionDivergence(rest, (True, False))

    @property
    def orders(self) -> FloatArray:
        """Those of any step."""
        return np.unique(np.concatenate([known.orders for known, _ in self._stated]))

    @property
    def rho(self) -> float:
        """The sum, rounded up; inf where one of them has none."""
        return self._rho

    @cached_property
    def _rho(self) -> float:
        rest = math.inf
        if not any(math.isinf(known.rho) for known, _ in self._stated):
            rest = self._rest.concentration(True)
        if math.isinf(rest):
            return math.inf
        return _rounded(sum((times * Fraction(known.rho) for known, times in self._stated), Fraction(rest)), True)

    def bound(self, order: FloatArray) -> FloatArray:
        """The sum of bounds at each order, rounded up."""
        with np.errstate(over="ignore"):
            total = self._rest.divergence(order, True)
            for known, times in self._stated:
                total = total + float(times) * known.bound(order)
            return total * (1.0 + (2.0 + len(self._stated)) * UNIT)


def _flat(losses: Losses) -> Losses:
    """Bundles opened."""
    found: list[tuple[Step, int]] = []
    for step, times in losses:
        inner = _flat(step.steps) if isinstance(step, BundleStep) else ((step, 1),)
        found += [(one, count * times) for one, count in inner]
    return tuple(found)


def _total(lines: list[tuple[_Line, int]], upper: bool) -> Above:
    slope = sum((times * line.slope for line, times in lines), Fraction(0))
    reached = sum((times * line.slope for line, times in lines if line.tight), Fraction(0))
    offset = math.fsum(times * line.offset for line, times in lines)
    offset += SLIGHT * math.fsum(times * abs(line.offset) for line, times in lines)
    since = max((line.since for line, _ in lines), default=1.0)
    return Above(_rounded(slope, True), offset, since, _rounded(reached, upper))


def _rounded(exact: Fraction, up: bool) -> float:
    if exact == 0:
        return 0.0
    try:
        return at_least(exact) if up else at_most(exact)
    except OverflowError:
        return math.inf if up else float(np.finfo(np.float64).max)


def _reveals(step: Step, remove: bool) -> bool:
    """Whether a step surely has mass at infinity in that direction."""
    if isinstance(step, EnclosedStep):
        side = step.forward if remove else step.backward
        end = min(side.end, _FURTHEST)
        return bool(side.bracket(np.array([_FURTHEST])).lower[0] > 0.0) and end < _FURTHEST
    return isinstance(step, DiscreteStep) and step.table().infinite[0 if remove else 1] > 0.0


def _lines(step: Step, remove: bool, upper: bool) -> list[_Line]:
    """Lines above D_t of one step, in one direction: none where there is mass at infinity."""
    if isinstance(step, GaussianStep):
        mu = step.mu if upper else step.least
        return [_Line(Fraction(mu) ** 2 / 2)]
    if isinstance(step, (SubsampledGaussianStep, ReplacedGaussianStep)):
        sigma = step.sigma if upper else step.widest
        return _gaussian_lines(1 / Fraction(sigma), step.rate, isinstance(step, ReplacedGaussianStep), remove)
    if isinstance(step, DiscreteGaussianStep):
        shift = step.shift / Fraction(step.sigma)
        if step.rate == 1.0:
            return [_Line(shift**2 / 2)]
        return _gaussian_lines(shift, step.rate, step.two_sided, remove)
    found = [_Line(Fraction(step.tail_mu) ** 2 / 2, tight=False)] if math.isfinite(step.tail_mu) else []
    stated = promised(step) if isinstance(step, EnclosedStep) else None
    rho = stated.concentration(True) if stated is not None else math.inf
    if math.isfinite(rho):
        found.append(_Line(Fraction(rho), tight=False))
    end = step.largest_loss(remove)
    if _rare(step):  # K(t) = (t - 1) D_t is 0 at 0 and 1, and bends by at most the square of half the width
        width = Fraction(end) + Fraction(step.largest_loss(not remove))
        found.append(_Line(width**2 / 8, tight=False))
    return [*found, _Line(Fraction(0), end)] if math.isfinite(end) else found


def _rare(step: Step) -> bool:
    """Whether divergences, of the square of the rate, lie below what quadrature tells from 0."""
    return isinstance(step, LaplaceStep) and step.rate < _RARE


def _gaussian_lines(k: Fraction, rate: float, two_sided: bool, remove: bool) -> list[_Line]:
    slope, silent = k * k / 2, -math.log1p(-rate) * (1.0 + SCANT)
    odds = math.log1p(-rate) - math.log(rate)
    since = 1.0 + (max(odds, 0.0) - math.log(_SETTLED)) / max(_rounded(slope, False), TINY) * (1.0 + AMPLE)
    later = math.log(rate) * (1.0 - SCANT) + _SETTLED
    if two_sided:
        return [_Line(4 * slope, tight=False), _Line(slope, silent), _Line(slope, silent + later, since)]
    if not remove:
        return [_Line(Fraction(0), silent), _Line(slope, tight=False)]
    return [_Line(slope), _Line(slope, min(later, 0.0), since)]
