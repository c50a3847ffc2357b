"""Bent contours of a composition (``Arc``): laid when first needed, kept for their neighbours."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neyman._validate import FloatArray, IntArray
from neyman.engines.contour.cumulant import Walk
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.parts import Parts
from neyman.engines.contour.straight.coverage import curvature
from neyman.numerics.rounding import TINY
from neyman.profiles.effort import Effort

if TYPE_CHECKING:
    from neyman.engines.contour.hyperbola.arc import Arc
    from neyman.engines.contour.hyperbola.rotated import Steps

__all__ = ["Bends"]

_STRETCH, _UPWARD = 30.0, 3.0  # times: how far below and above its own eps an arc is laid out to serve
_APART = 60.0  # times: one eps whose arcs serve all from the next
# of an arc that is to serve others' eps: places looked at, relative error that does, and times that of its own
_PROBES, _SHARPLY, _SHARE = 24, 1e-10, 8.0
# e-folds that alpha usually falls, and times the eps where it has; share of the way to the end of a law
_FLOOR, _FARTHER, _SHORT = 23.0, 1.4, 0.95
_CLEAR = 0.9  # of the steepest uncut line: close to it, rotated sums cancel
_FOLLOWED = 130.0  # depth to which rotated laws are laid out in full
_NEAR = 0.6, 3.0  # shares of an eps, between which no other is served where it is not
_TOWARDS_END, _NEARBY = 0.7, 0.05  # of the way to the end of a law, and c eps, up to which an arc is laid out
_BEYOND, _REACH = 1.05, 1.55  # times the steepest c that is followed; arguments to the other side of it
_OF_NOISE, _LEAST = 240.0, 120.0  # over a noise multiplier: terms that a rotated law has at least, as it has so many
_SURE = 1.3  # times the terms that may be, told by a few steps: all have more


def _narrowed(arc: Arc, place: float) -> Arc:
    """The arc, for those eps about ``place`` alone where it is nearly as sharp as one that is laid for them."""
    low, high = arc.range
    epsilon = np.unique(np.concatenate([np.geomspace(max(low, TINY), high, _PROBES), [place]]))
    found = arc.integrate(epsilon)
    off, own = found.error / np.abs(found.mantissa), int(np.searchsorted(epsilon, place))
    blunt = np.flatnonzero(~(off <= max(_SHARPLY, _SHARE * float(off[own]))))
    before, after = blunt[blunt < own], blunt[blunt > own]
    first = float(epsilon[before[-1] + 1]) if len(before) else low
    return replace(arc, range=(first, float(epsilon[after[0] - 1]) if len(after) else high))


class Bends:
    """The arcs of one direction of a composition."""

    def __init__(self, parts: Parts, walk: Walk, effort: Effort) -> None:
        self._parts = parts
        self._effort = effort
        self._laid_out: tuple[Steps | None] | None = None
        self._few_terms: float | None = None  # those of all steps, told by a few
        self._walk = walk
        self._arcs: list[Arc] = []
        self._hopeless: list[tuple[float, float]] = []
        self._tried: set[float] = set()

    def serve(self, found: Estimates, at: IntArray, epsilon: FloatArray) -> None:
        """Serve the places ``at`` from arcs, laying new ones where those at hand are not sharp enough."""
        for arc in self._arcs:
            within = at[(epsilon[at] >= arc.range[0]) & (epsilon[at] <= arc.range[1])]
            found.improve(within, arc, epsilon)
        for low, high in self._hopeless:
            found.settle(at[(epsilon[at] >= low) & (epsilon[at] <= high)])
        while True:
            blunt = at[found.blunt(at)]
            if not len(blunt):
                return
            target = blunt[len(blunt) // 2]
            own = float(epsilon[target])
            for place in self._places(own):
                arc = self._lay(place)
                if arc is not None:
                    arc = arc if place == own else _narrowed(arc, place)
                    self._arcs.append(arc)
                    served = (place == own) | ((epsilon[at] >= arc.range[0]) & (epsilon[at] <= arc.range[1]))
                    found.improve(at[served], arc, epsilon)
                if not found.blunt(np.array([target]))[0]:
                    break
            else:
                # what one contour through its own saddle cannot do, no neighbour does
                low, high = float(epsilon[target]) * _NEAR[0], float(epsilon[target]) * _NEAR[1]
                if not self._effort.spent:
                    self._hopeless.append((low, high))
                found.settle(blunt[(epsilon[blunt] >= low) & (epsilon[blunt] <= high)])

    def _places(self, epsilon: float) -> list[float]:
        """The eps for which arcs are laid that may serve this one: one of a few whose arcs serve all, then its own."""
        last = self._usual
        if not 0.0 < epsilon <= last:
            return [epsilon]
        place, step = last / _UPWARD, 1.0
        while epsilon * _STRETCH < place * step:
            step /= _APART
        if step in self._tried:
            return [epsilon]
        self._tried.add(step)
        return [place * step, epsilon]

    @cached_property
    def _usual(self) -> float:
        """About the last eps that is usually asked for."""
        walk = self._walk
        right = (walk.c > 0.0) & (walk.depth > -_FLOOR) & (walk.mean > 0.0)
        last = _FARTHER * float(walk.mean[right].max(initial=0.0))
        end = _SHORT * self._parts.largest_loss
        return last if last < end else _UPWARD * end

    def _lay(self, epsilon: float) -> Arc | None:
        walk = self._walk
        right = self._calm
        if not len(right):
            return None
        c, k = walk.c[right], walk.k[right]
        if self._parts.direction == "remove":
            # where K is small, e^K - 1 is what an arc integrates
            k = np.where(k < 1.0, np.log(np.expm1(np.clip(k, TINY, 1.0))), k)
        height = k - c * epsilon - np.log(c * (c + 1.0))
        # where the saddle is flat, its steepest line serves the larger eps best; the others are easier to bound
        flat = np.flatnonzero(height <= height.min() + 1.0)
        for best in dict.fromkeys(int(flat[(len(flat) - 1) * part // 4]) for part in (4, 3, 2, 0)):
            place = float(c[best])
            bend = max(curvature(c, height, best), float(walk.variance[right[best]]) * (k[best] >= 0.0))
            arc = self._arc(place, bend + place**-2 + (place + 1.0) ** -2, epsilon)
            if arc is not None:
                return arc
        return None

    def _arc(self, place: float, curvature: float, epsilon: float) -> Arc | None:
        from neyman.engines.contour.hyperbola.arc import Arc

        steps = self.rotations
        try:
            end = epsilon + _TOWARDS_END * (
                self._parts.largest_loss - epsilon
            )  # an arc of an ended law bends towards its end
            span = (epsilon / _STRETCH, min(max(epsilon * _UPWARD, _NEARBY / place), end))
            return None if steps is None else Arc.lay(steps, place, curvature, span, self._effort)
        except ArithmeticError:
            return None

    @cached_property
    def _calm(self) -> IntArray:
        """The lines that an arc may start from: of an uncut law, and clear of where its moments explode."""
        walk = self._walk
        if not self._parts.sampled:
            return np.zeros(0, dtype=np.int64)
        whole = walk.useful() & np.isinf(walk.cuts).all(axis=0)
        if self._parts.direction == "remove":
            whole &= walk.c <= _CLEAR * walk.c[whole].max(initial=0.0)
        return np.flatnonzero(whole)

    @property
    def rotations(self) -> Steps | None:
        """The steps as rotated laws; None where they cannot be laid out, or the effort does not suffice."""
        if self._laid_out is not None:
            return self._laid_out[0]
        if not self._parts.sampled:
            self._laid_out = (None,)
            return None
        from neyman.engines.contour.hyperbola.rotated import Steps

        if self._effort.take(Steps.work(self._parts, self._reach[0])):
            self._laid_out = (self._rotated(self._parts),)
        return None if self._laid_out is None else self._laid_out[0]

    def rotations_within(self, terms: float) -> Steps | None:
        """The same; None, too, where they have more terms by their breadth alone, or as a few of many steps tell, and
        nothing is laid out.
        """
        few = self._parts.fewest
        if (
            self._laid_out is None
            and sum(max(_OF_NOISE / law.sigma, _LEAST) for law, _ in self._parts.gaussians) > terms
        ):
            return None
        if self._laid_out is None and self._parts.sampled and few is not None:
            if self._few_terms is None:
                from neyman.engines.contour.hyperbola.rotated import Steps

                some = self._parts.sample(few)
                if not self._effort.take(Steps.work(some, self._reach[0])):
                    return None
                steps = self._rotated(some)
                each = math.inf if steps is None else steps.terms / len(some.steps)
                self._few_terms = each * len(self._parts.steps)
            if self._few_terms > _SURE * terms:
                return None
        return self.rotations

    def _rotated(self, parts: Parts) -> Steps | None:
        from neyman.engines.contour.hyperbola.rotated import Steps

        with suppress(ArithmeticError):
            return Steps.along(parts, *self._reach)
        return None

    @cached_property
    def _reach(self) -> tuple[float, float]:
        """How far to the right and to the left of 0 contours may cross the real axis."""
        followed = self._calm[self._walk.depth[self._calm] > -_FOLLOWED]
        steepest = _BEYOND * float(self._walk.c[followed].max(initial=0.0))
        return (_REACH + steepest, 0.0) if self._parts.direction == "remove" else (_REACH, 0.5 + steepest)
