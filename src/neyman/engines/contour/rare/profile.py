"""Steps in which the record hardly ever takes part, by bent contours of parts of their law (``steps.py``).

Their losses live on all scales from the rate to 1 / sigma^2 at once: no line is short enough, and no lattice fine
enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, cached_property

import numpy as np

from neyman._validate import FloatArray
from neyman.engines.contour.estimate import Estimates
from neyman.engines.contour.exchanged.split import PartedArc, log_chernoff
from neyman.engines.contour.hyperbola.arc import Arc
from neyman.engines.contour.on_demand import ByArcs
from neyman.engines.contour.rare.between_poles import GapArc, LiftedArc, SplitArc
from neyman.engines.contour.rare.steps import Laws, RareSteps
from neyman.engines.contour.rare.thresholds import BACK, FAR_BACK, RareCuts
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.numerics.rounding import AMPLE, SCANT, SMALLEST, UNIT
from neyman.profiles.effort import Effort
from neyman.profiles.pair import Direction
from neyman.profiles.profile import Bracket

__all__ = ["RareProfile", "rare_laws", "rare_profiles"]

_BLATANT = 0.3  # delta(0) above which 1 - delta deserves contours of its own
_LOST = 13.0  # e-folds that delta may lie below the mass of all that the steps may tell, and be told beside it
_BETWEEN = -1.0 / (1.0 + np.exp(np.linspace(-10.0, 10.0, 61)))  # the c between the poles
_MIDDLE = -1.0 / (1.0 + np.exp(np.linspace(-1.4, 10.0, 40)))  # those at which a single loss below 0 is taken away
_ADDED = 80  # c looked at in the direction "add"
_GENTLE, _STEEP = 1e-2, 1e6  # the first of these times the largest loss of all, and the last times what is left to it
_CLOSER, _SHORTER = 0.3, 0.2  # of the largest loss, and of what is left to it: how far below its eps a contour serves
_BELOW = 6.0  # e-folds that delta lies below a guess, about
_ASKED = 2e-31  # least delta for which a contour is laid

Contour = Arc | PartedArc | LiftedArc | GapArc | SplitArc


def rare_laws(step: SubsampledGaussianStep, times: int) -> Laws | None:
    """Their law along bent paths; None where floats do not hold it."""
    with suppress(ArithmeticError):
        return Laws(step.sigma, step.rate, times)
    return None


def rare_profiles(
    step: SubsampledGaussianStep, times: int, tail_mu: float, effort: Effort
) -> tuple[RareProfile, RareProfile]:
    """Both directions of so many such steps."""
    laws = cache(lambda: rare_laws(step, times))
    return RareProfile(laws, "remove", tail_mu, effort), RareProfile(laws, "add", tail_mu, effort)


class RareProfile(ByArcs[Contour]):
    """Equal sampled Gaussian steps in one ``direction``, of which ``laws()`` are the laws (None: none can be had).

    Examples
    --------
    >>> laws = rare_laws(SubsampledGaussianStep(0.5, 1e-8), 1000)
    >>> b = RareProfile(lambda: laws, "remove", 1.0).bracket(np.array([0.1]))
    >>> bool(b.upper[0] - b.lower[0] < 1e-6 * b.upper[0])
    True
    """

    sharp, beside = 4e-7, (0.9, 1.1)

    def __init__(
        self, laws: Callable[[], Laws | None], direction: Direction, tail_mu: float, effort: Effort | None = None
    ) -> None:
        super().__init__(tail_mu, effort)
        self._sign = 1.0 if direction == "remove" else -1.0
        self._make = laws
        self._most_beyond = 1.0  # a bound on delta from ``_deep`` on

    @property
    def end(self) -> float:
        return math.inf if self._sign > 0.0 or self._cuts is None else -self._cuts.laws.edge * (1.0 + SCANT)

    @cached_property
    def _cuts(self) -> RareCuts | None:
        laws = self._make()
        return None if laws is None else RareCuts(laws, self._sign, self._effort)

    @cached_property
    def _most(self) -> float:
        """delta(0), about."""
        return 0.0 if self._cuts is None else math.exp(min(self._cuts.outlook(0.0).guess, 0.0))

    def bracket(self, epsilon: FloatArray) -> Bracket:
        found = self._found(epsilon).bracket()
        deep = epsilon >= self._deep
        if not deep.any():
            return found
        upper = np.where(deep, self._most_beyond, 1.0)
        zero = np.zeros(len(epsilon))
        gap = np.log1p(-np.minimum(upper, 0.5)) * (1.0 + 4.0 * UNIT) - SMALLEST
        return found.within(Bracket(zero, upper, np.where(deep, gap, -math.inf), zero.copy()))

    def _found(self, epsilon: FloatArray) -> Estimates:
        found = Estimates.empty(len(epsilon))
        if self._cuts is None:
            return found
        beyond = epsilon >= self.end
        found.error[beyond], found.settled[beyond] = 0.0, True
        return self._served(found, np.flatnonzero(~beyond), epsilon)

    def _first(self, epsilon: FloatArray) -> int:
        """One whose contour reaches back to the least of them: it reaches further ahead."""
        if self._sign < 0.0:
            return super()._first(epsilon)
        return int(np.argmax(np.where(epsilon <= epsilon.min() / (1.0 - BACK), epsilon, -math.inf)))

    def _lay(self, epsilon: float) -> Iterator[Contour | None]:
        """Contours for that eps, the cheaper first."""
        cuts = self._cuts
        if cuts is None:
            return
        laws = cuts.laws
        mass = -math.expm1(laws.edge)
        if self._most > _BLATANT and epsilon < -0.5 * laws.edge:
            arc = cuts.through(RareSteps(laws, self._sign, plain=True), _BETWEEN, epsilon, -_CLOSER * laws.edge)
            if arc is not None:
                yield GapArc(arc)
        if self._sign < 0.0:
            left = -laws.edge - epsilon
            if not left > 0.0:  # at the end itself, but for rounding
                return
            c = np.geomspace(_GENTLE / -laws.edge, _STEEP / left, _ADDED)
            if not self._sinks(epsilon, c, math.inf, 0.0):
                yield cuts.through(RareSteps(laws, -1.0, plain=True), c, epsilon, _SHORTER * left)
            return
        outlook = cuts.outlook(epsilon)
        if outlook.guess - _BELOW > math.log(mass) - _LOST:
            room = FAR_BACK * epsilon if epsilon > 0.0 else math.inf
            arc = cuts.through(RareSteps(laws, 1.0), _MIDDLE, epsilon, room)
            if arc is not None:
                yield LiftedArc(arc, mass)
        length, beyond = cuts.huge(outlook.guess)
        if not self._sinks(epsilon, outlook.c, length, beyond):
            yield cuts.parted(epsilon, outlook, length, beyond)
            yield cuts.split(epsilon, outlook, length, beyond)

    def _sinks(self, epsilon: float, c: FloatArray, length: float, beyond: float) -> bool:
        """Whether delta is, by Chernoff's bounds, below anything asked for from that eps on."""
        cuts = self._cuts
        if cuts is None or cuts.log_about(epsilon, c, length) > math.log(_ASKED):
            return False
        known = cuts.certain(epsilon, c, length)
        most = math.exp(float(log_chernoff(*known, np.array([epsilon]))[0])) * (1.0 + AMPLE) + beyond
        if most < _ASKED and epsilon < self._deep:
            self._deep, self._most_beyond = epsilon, most
        return most < _ASKED
