"""Trials: the parameters that were evaluated, each with its guarantee and how far over the target it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from neyman._errors import InvalidParameter, NeymanError, NotCertified
from neyman.accounting import account
from neyman.calibration.aside import certain_excess
from neyman.calibration.limit import FARTHEST
from neyman.calibration.target import Target
from neyman.guarantees import ComposedGuarantee
from neyman.guarantees.questions.epsilon import spread
from neyman.mechanisms import Mechanism
from neyman.profiles.effort import EFFORT
from neyman.profiles.pair import Adjacency

__all__ = ["LOGARITHMIC", "Chart", "Trial", "Trials"]

_ROUGH = 1e-4  # the tolerance of trials that may be far from the target
_NEAR = 0.1  # the excess up to which that is not enough
_ALIKE = 3e-3  # on the chart: how near trials are whose curves are so much alike that what one attains steers another
_WOBBLE = 1e-7  # of an excess, in which the readings of neighbours may differ by rounding


@dataclass(frozen=True, slots=True)
class Chart:
    """A monotone scale of the parameter on which the excess is nearly straight."""

    to: Callable[[float], float]
    back: Callable[[float], float]


LOGARITHMIC = Chart(math.log, math.exp)


@dataclass(frozen=True, slots=True)
class Trial:
    """One parameter that was evaluated; ``x`` is its place on the chart. ``below``: the excess is that of the bounds
    from the other side, read with the help of another trial or of a batch, since they say already that the target is
    missed. ``accounted`` returns its guarantee, which may be made then.
    """

    parameter: float
    x: float
    mechanism: Mechanism
    accounted: Callable[[], ComposedGuarantee]
    excess: float
    rough: bool = False
    below: bool = False

    @property
    def guarantee(self) -> ComposedGuarantee:
        """What it is accounted for."""
        return self.accounted()

    @property
    def meets(self) -> bool:
        """Whether the target is certainly met."""
        return self.excess <= 0.0

    @property
    def sharp(self) -> bool:
        """Whether the excess says more than on which side it is."""
        return abs(self.excess) < FARTHEST


class Trials:
    """Runs ``make`` and remembers: by rising parameter, and by age.

    Parameters
    ----------
    make, target, adjacency, tolerance
        As of ``calibrate``; the tolerance is that of the accounting.
    chart : Chart
        The scale that interpolation works on.
    integer : bool
        Whether ``make`` takes whole numbers.
    effort : float
        As of ``account``: of each question that is asked of a trial.
    """

    def __init__(
        self,
        make: Callable[[float], Mechanism] | Callable[[int], Mechanism],
        target: Target,
        adjacency: Adjacency,
        tolerance: float,
        chart: Chart,
        integer: bool,
        effort: float = EFFORT,
    ) -> None:
        self._make: Callable[..., object] = make
        self.target = target
        self.adjacency: Adjacency = adjacency
        self._tolerance = tolerance
        self._effort = effort
        self._spent = False
        self.chart = chart
        self.integer = integer
        self.by_age: list[Trial] = []
        self.told: Callable[[int], None] = lambda _: None  # of each parameter that was tried
        self._missed: dict[float, bool] = {}
        self._last: tuple[float, object] | None = None

    @property
    def in_order(self) -> list[Trial]:
        """By rising parameter."""
        return sorted(self.by_age, key=lambda trial: trial.parameter)

    @property
    def left_out(self) -> str:
        """What a refusal adds where work was left out of the accounting; else nothing."""
        return "; a larger effort may tell: some of the work was not done" if self._spent else ""

    def known(self, parameter: float) -> Trial | None:
        """The trial of that parameter, if there was one."""
        return next((trial for trial in self.by_age if trial.parameter == parameter), None)

    def at(self, parameter: float, rough: bool = False, hopeless: bool = False) -> Trial:
        """Evaluate one parameter, once; ``rough``: as sharply as it takes to steer by, where it is far from the target;
        ``hopeless``: it is expected to miss it, so that beside another trial bounds from the other side come first.

        Raises
        ------
        InvalidParameter
            If ``make`` returns no mechanism, or the target got certainly worse and better again.
        NotCertified
            If its accounting cannot be certified at all.
        """
        known = self.known(parameter)
        if known is not None:
            return known
        mechanism = self.made(parameter)
        if not isinstance(mechanism, Mechanism):
            advice = "A guarantee becomes a mechanism by ny.Opaque(guarantee)."
            raise InvalidParameter("make", mechanism, "a function that returns a Mechanism", advice)
        trial = self._tried(parameter, mechanism, rough and self._tolerance < _ROUGH, hopeless)
        if trial.rough and abs(trial.excess) <= _NEAR:
            trial = self._tried(parameter, mechanism, False, hopeless)
        self.by_age.append(trial)
        self.told(1)
        self._check_order()
        return trial

    def _tried(self, parameter: float, mechanism: Mechanism, rough: bool, hopeless: bool = False) -> Trial:
        x = self.chart.to(parameter) if parameter > 0.0 else -math.inf
        width = _ROUGH if rough else self._tolerance
        accounted = cache(lambda: self.accounted(mechanism, width))
        near = self._beside(x) if hopeless else None
        certain = certain_excess(self.target, mechanism, self.adjacency) if near is not None and near.meets else 0.0
        if certain > 0.0:
            return Trial(parameter, x, mechanism, accounted, certain, below=True)
        try:
            guarantee = accounted()
            begun = guarantee.effort.spent  # of what was computed at once: a later answer may be read from it
            excess = -math.inf if near is None else self.target.excess_beside(guarantee, near.guarantee)
            below = excess > 0.0
            excess = excess if below else self.target.excess(guarantee)
            self._spent = self._spent or begun or guarantee.effort.spent
        except NotCertified as wide:
            name = f"{wide.quantity} at the parameter {parameter!r}"
            raise NotCertified(name, wide.lower, wide.upper, wide.reason, topic=wide.topic) from wide
        return Trial(parameter, x, mechanism, accounted, excess, rough, below)

    def _beside(self, x: float) -> Trial | None:
        """The nearest trial that was read without help, if that is near."""
        whole = [trial for trial in self.by_age if not trial.below and abs(trial.x - x) <= _ALIKE]
        return min(whole, key=lambda trial: abs(trial.x - x), default=None)

    def spread(self, parameter: float) -> float:
        """About the deviation of the privacy loss at a parameter, which is not evaluated; NaN where there is none."""
        try:
            mechanism = self.made(parameter)
            if not isinstance(mechanism, Mechanism):
                return math.nan
            return spread(self.accounted(mechanism, _ROUGH).sides.forward)
        except NeymanError:
            return math.nan

    def accounted(self, mechanism: Mechanism, tolerance: float) -> ComposedGuarantee:
        """Its guarantee, held to that tolerance."""
        return account(mechanism, adjacency=self.adjacency, tolerance=tolerance, effort=self._effort)

    def sharpened(self, trial: Trial) -> Trial:
        """The same, accounted for as sharply as the tolerance asks; it meets the target all the more."""
        return self._tried(trial.parameter, trial.mechanism, False) if trial.rough else trial

    def refusal(self, parameter: float) -> InvalidParameter | None:
        """What ``make`` says where it refuses it."""
        try:
            self.made(parameter)
        except InvalidParameter as error:
            return error
        return None

    def made(self, parameter: float) -> object:
        """What ``make`` returns."""
        if self._last is None or self._last[0] != parameter:
            self._last = parameter, self._make(int(parameter) if self.integer else parameter)
        return self._last[1]

    def missed(self, trial: Trial) -> bool:
        """Whether the target is certainly missed there."""
        if trial.parameter not in self._missed:
            missed = trial.below or (not trial.meets and self.target.missed_by(trial.guarantee))
            self._missed[trial.parameter] = missed
        return self._missed[trial.parameter]

    def _check_order(self) -> None:
        """Refuse an excess that is proved, by bounds from both sides, to rise and fall; to seem to is not enough.
        Targets that are not ordered may do so.
        """
        if not self.target.ordered:
            return
        rows = self.in_order
        steps = [
            row for before, row in zip([None, *rows], rows, strict=False) if not before or row.excess != before.excess
        ]
        for a, b, c in zip(steps, steps[1:], steps[2:], strict=False):
            if b.excess > max(a.excess, c.excess) and self._above(b, a if a.excess > c.excess else c):
                raise _non_monotone(a, b, c, "farther from the target")
            if b.excess < min(a.excess, c.excess) and self._above(a, b) and self._above(c, b):
                raise _non_monotone(a, b, c, "nearer to the target")

    def _above(self, one: Trial, other: Trial) -> bool:
        """Whether the excess of ``one`` is certainly the larger."""
        level = (self.target.excess(other.guarantee) if other.below else other.excess) + _WOBBLE
        return one.excess > level and self.target.excess(one.guarantee.optimistic) > level


def _non_monotone(a: Trial, b: Trial, c: Trial, where: str) -> InvalidParameter:
    found = ", ".join(f"{trial.excess:+.4g} at {trial.parameter!r}" for trial in (a, b, c))
    advice = f"{b.parameter!r} is {where} than {a.parameter!r} and {c.parameter!r}: {found} (log mu over the target)."
    return InvalidParameter("make", b.parameter, "monotone in its parameter", advice)
