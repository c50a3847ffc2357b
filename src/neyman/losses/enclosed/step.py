"""Losses known by what is known of their profile, and steps that stand for such."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.numerics.rounding import AMPLE
from neyman.numerics.sums.norm import together

if TYPE_CHECKING:
    from neyman.losses.enclosed.laws import Bounds, HalfLine
    from neyman.losses.readings.outcomes import Outcomes

__all__ = ["Bounds", "BundleStep", "EnclosedStep", "Known", "ListedStep", "Promise"]

_NOTHING = 1e-36  # a delta that is left to infinity
_FURTHEST = 600.0  # the same for eps: beyond, masses underflow
_DEVIATIONS = 12.9  # of a Gaussian, where that is left
_LOOKED = 400  # places at which the end is looked for
_MOST = 1 << 13  # points on either side of 0
_QUICK = 1 << 18  # the same where they cost next to nothing
_NEAREST, _FAINT = 0.01, 1e-9  # times the advantage: the first of them; the advantage from which a probit is taken
_PROBIT = 2.5  # just below sqrt(2 pi): mu is as many advantages, where these are small


class Known(Protocol):
    """A profile, as far as a loss asks for it: ``engines.profile.Profile`` is one."""

    @property
    def end(self) -> float: ...
    def bracket(self, epsilon: FloatArray) -> Bounds: ...


class Promise(Protocol):
    """A hashable value, equal to those that promise the same."""

    @property
    def tail_mu(self) -> float: ...


@dataclass(frozen=True)
class EnclosedStep(Step):
    """Any loss of which bounds on both profiles are known; two finite laws stand for it.

    It is named by a ``promise`` and by the ``rate`` at which it is sampled. ``forward`` is the profile of "remove",
    ``backward`` that of "add": one object where they agree. ``corners`` are the eps > 0 between which both are straight
    in e^eps, where there are any; beyond the last they are constant. ``quick`` where bounds cost next to nothing,
    ``most`` how many points may lie on either side of 0 where they do not.
    """

    promise: Promise
    rate: float
    forward: Known = field(compare=False)
    backward: Known = field(compare=False)
    corners: tuple[float, ...] = field(default=(), compare=False)
    quick: bool = field(default=False, compare=False)
    most: int = field(default=_MOST, compare=False)

    @property
    def tail_mu(self) -> float:
        """That of the promise, sampled or not."""
        return self.promise.tail_mu

    @property
    def symmetric(self) -> bool:
        """Whether there is one profile."""
        return self.forward is self.backward

    @property
    def end(self) -> float:
        """The largest loss in either direction."""
        return max(self.forward.end, self.backward.end)

    def largest_loss(self, remove: bool) -> float:
        side = self.forward if remove else self.backward
        if math.isfinite(self.tail_mu) or math.isinf(side.end):
            return side.end
        return math.inf if side.bracket(np.array([side.end])).upper[0] > 0.0 else side.end

    @cached_property
    def reach(self) -> float:
        """The eps > 0 beyond which nothing is left to be told (0 where nothing is anyhow)."""
        if self.corners:
            return self.corners[-1]
        end = min(self.end, _FURTHEST)
        most = float(max(side.bracket(np.zeros(1)).upper[0] for side in (self.forward, self.backward)))
        if not (most > _NOTHING and end > 0.0):
            return 0.0
        place = np.append(np.geomspace(min(_NEAREST * most, 0.5 * end), end, _LOOKED), end)
        above = np.maximum(self.forward.bracket(place).upper, self.backward.bracket(place).upper)
        enough = above <= max(_NOTHING, float(above[-1]) * (1.0 + AMPLE))
        return float(place[np.argmax(enough)])

    @cached_property
    def spread(self) -> float:
        """The mu of the Gaussian that reaches as far, or has as large an advantage: the lesser of the two."""
        from scipy.special import ndtri

        far = self.reach / (0.5 * _DEVIATIONS + math.sqrt(0.25 * _DEVIATIONS**2 + 0.5 * self.reach))
        most = float(max(side.bracket(np.zeros(1)).upper[0] for side in (self.forward, self.backward)))
        return min(far, 2.0 * float(ndtri(min(0.5 + 0.5 * most, 1.0))) if most > _FAINT else _PROBIT * most)

    @property
    def only_promised(self) -> bool:
        """Whether the profile is a promise, which the mechanism behind it may more than keep."""
        return True

    @property
    def cells(self) -> int:
        """How many cells a Renyi divergence may divide the profiles into."""
        return _MOST

    def divergence(self, order: FloatArray, remove: bool, upper: bool) -> tuple[FloatArray, BoolArray]:
        """Bounds on D_t beside what the profiles tell (inf or 0 where there are none), and where they are all there is
        to know.
        """
        return np.full_like(order, math.inf if upper else 0.0), np.zeros(len(order), dtype=bool)

    @property
    def finest(self) -> float:
        """The least spacing that is worth its time."""
        return self.reach / (_QUICK if self.quick else self.most)

    def law(self, h: float, above: bool) -> ListedStep:
        """A law nowhere below this one, or nowhere ``above`` it, on multiples of ``h`` or at the corners."""
        from neyman.losses.enclosed.laws import law_above, law_below

        if h not in self._halves:
            points = self._points(h)
            forward = self._half(self.forward, points)
            self._halves[h] = points, forward, forward if self.symmetric else self._half(self.backward, points)
        unit, known = None if self.corners else h, self._halves[h]
        law = law_above(*known, unit) if above else law_below(*known, unit, bool(self.corners))
        return ListedStep(law, self.symmetric)

    @cached_property
    def _halves(self) -> dict[float, tuple[FloatArray, HalfLine, HalfLine]]:
        return {}

    def _points(self, h: float) -> FloatArray:
        if self.corners:
            return np.append(0.0, self.corners)
        return h * np.arange(max(math.ceil(self.reach / h), 2) + 1.0)

    def _half(self, side: Known, points: FloatArray) -> HalfLine:
        from neyman.losses.enclosed.laws import HalfLine

        found = side.bracket(points)
        ended = bool(self.corners) or float(points[-1]) >= side.end
        return HalfLine(found, float(side.bracket(points[-1:]).lower[0]) if ended else 0.0)


@dataclass(frozen=True, eq=False)
class ListedStep(DiscreteStep):
    """Outcomes as they are; ``same`` where the list is its own reversal."""

    outcomes: Outcomes
    same: bool

    @property
    def tail_mu(self) -> float:
        """Not asked: it stands for a step that knows it."""
        return math.inf

    @property
    def symmetric(self) -> bool:
        return self.same

    def _outcomes(self) -> Outcomes:
        return self.outcomes

    def table(self) -> Outcomes:
        """The outcomes, which weigh a little more than 1, or less: they enclose a law."""
        return self._outcomes()


@dataclass(frozen=True)
class BundleStep(Step):
    """Several steps, each with its count, that are one to whoever composes them; perhaps none.

    Examples
    --------
    >>> from neyman.losses.gaussian.plain import GaussianStep
    >>> round(BundleStep(((GaussianStep(3.0), 1), (GaussianStep(2.0), 4))).tail_mu, 9)
    5.0
    """

    steps: tuple[tuple[Step, int], ...]

    @property
    def tail_mu(self) -> float:
        """The root of the sum of squares."""
        return together((step.tail_mu, times) for step, times in self.steps)

    @property
    def symmetric(self) -> bool:
        """Whether all are."""
        return all(step.symmetric for step, _ in self.steps)
