"""Compositions with steps of which only bounds are known: each is replaced by a law above it and by a law below it.

The composition of the laws above gives the upper bounds, that of the laws below the lower ones. All laws lie on one
lattice. Its spacing h follows from what the laws differ by: with mu the spread of the whole and n the number of such
steps, delta falls like e^{-c eps} with c about sqrt(2 log(1 / delta)) / mu at most, and n c^2 h^2 / 2 is the relative
width: h = mu sqrt(tolerance / (n log(1 / delta))).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from neyman._validate import FloatArray
from neyman.losses.base import Step
from neyman.losses.discrete.steps import DiscreteStep
from neyman.losses.enclosed.step import BundleStep, EnclosedStep, ListedStep, Promise
from neyman.losses.gaussian.plain import GaussianStep
from neyman.mechanisms.additive.rounding import root_at_least, root_at_most, total
from neyman.numerics.rounding import UNIT
from neyman.numerics.sums.norm import together
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile

if TYPE_CHECKING:
    from neyman.losses.readings.outcomes import Outcomes

__all__ = ["EnclosedProfile", "OwnProfile", "enclosed_profiles", "unbundled"]

_DECADES = 70.0  # -log of the least delta that is held to the tolerance
_WIDEST = 1 << 20  # points that the composition may take
_REACH = 22.0  # deviations that they cover
_VAGUE = 0.5  # of the bound from above
_STRONG = 0.05  # delta from which engines may read it off 1 - delta, of steps with little overlap
_WITHHELD = 1e-7  # it steers: a chance of telling nothing up to which a pair that tells less is worth asking
_SEEN = 0.75  # at most 6 of 8: what mass at loss 0 may be too much by, over what is stated (laws._joined)
_DIGITS = 256  # a spacing has so few digits that all its multiples are floats
_FINER, _FINEST = 0.7, 1e-290  # times the spacing that is wanted; the finest whose multiples keep all their digits

Losses = tuple[tuple[Step, int], ...]


class OwnProfile(Profile):
    """A profile as it is known, with the mu of what it is that of: a step, or a promise."""

    def __init__(self, known: Profile, of: Promise) -> None:
        self._known = known
        self._of = of

    rule = "as it is known"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield self._known

    @property
    def method(self) -> str:
        return self._known.method

    @property
    def end(self) -> float:
        return self._known.end

    @property
    def knots(self) -> FloatArray:
        return self._known.knots

    def contacts(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        return self._known.contacts(epsilon)

    @property
    def turns(self) -> FloatArray:
        return self._known.turns

    @property
    def tail_mu(self) -> float:
        return self._of.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._known.bracket(epsilon)

    def attained(self, alpha: FloatArray, epsilon: FloatArray, turned: bool) -> FloatArray:
        return self._known.attained(alpha, epsilon, turned)

    def touched(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        return self._known.touched(epsilon)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._known.slope(epsilon)


class _Lattice:
    """That on which all laws lie, laid when it is first asked: a product on its way to a longer one needs none."""

    def __init__(self, boxes: dict[EnclosedStep, int], tolerance: float) -> None:
        self._boxes, self._tolerance = boxes, tolerance

    @cached_property
    def h(self) -> float:
        """Its spacing."""
        return spacing(self._boxes, self._tolerance)


class _Law:
    """A composition with every enclosed step replaced by its law on one side, composed when it is first asked."""

    def __init__(self, losses: Losses, lattice: _Lattice, above: bool, compose: Callable[[Losses], Pair]) -> None:
        self._losses, self._lattice, self._above, self._compose = losses, lattice, above, compose

    @cached_property
    def _known(self) -> Losses:
        h = self._lattice.h
        return tuple((s.law(h, self._above) if isinstance(s, EnclosedStep) else s, n) for s, n in self._losses)

    @cached_property
    def both(self) -> Pair:
        """The profiles of "remove" and "add"."""
        return self._compose(self._known)

    @cached_property
    def room(self) -> float:
        """By how much 1 - delta may be off beyond what the laws state of their masses."""
        laws = zip(self._known, self._losses, strict=True)
        return math.fsum(
            n * _unstated(s.outcomes) for (s, n), (was, _) in laws if was is not s and isinstance(s, ListedStep)
        )


class _Withheld(Profile):
    """With a chance of ``share`` nothing, else all that the pair of ``known`` tells: delta is 1 - share times its own.

    Where delta is only known to be at least min(delta, most) and delta - room, it is at least that for room <= share *
    most; and so are excess powers.
    """

    def __init__(self, known: Profile, share: float) -> None:
        self._known, self._kept = known, (1.0 - share) * (1.0 - 4.0 * UNIT)

    rule = "of which a little is withheld"

    @property
    def method(self) -> str:
        return self._known.method

    @property
    def end(self) -> float:
        return self._known.end

    @property
    def knots(self) -> FloatArray:
        return self._known.knots

    @property
    def tail_mu(self) -> float:
        return self._known.tail_mu

    def bracket(self, epsilon: FloatArray) -> Bracket:
        known = self._known.bracket(epsilon)
        return Bracket.late(known.upper, known.log_gap_lower, lambda: self._told(known.lower * self._kept))

    def _told(self, lower: FloatArray) -> tuple[FloatArray, FloatArray]:
        return lower, np.log1p(-lower) * (1.0 - 4.0 * UNIT)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._known.slope(epsilon)


class EnclosedProfile(Profile):
    """Upper bounds from one law, lower bounds from another, of a composition of ``losses``."""

    def __init__(self, below: _Law, above: _Law, remove: bool, losses: Losses) -> None:
        self._side = 0 if remove else 1
        self._lesser, self._greater = below, above
        self._losses = losses
        self._ends = all(math.isfinite(step.end) for step, _ in losses if isinstance(step, EnclosedStep))

    rule, width_is = "two enclosing laws", "enclosure"

    def behind(self, epsilon: float) -> Iterator[Profile]:
        yield self._above
        yield self._below

    @property
    def method(self) -> str:
        return self._above.method + " of enclosing laws"

    @property
    def _above(self) -> Profile:
        return self._greater.both[self._side]

    @property
    def _below(self) -> Profile:
        return self._lesser.both[self._side]

    @property
    def end(self) -> float:
        """That of the composition itself: what the law above leaves to infinity may be finite."""
        return max(self._above.end, self._last) if self._ends else math.inf

    @cached_property
    def _last(self) -> float:
        ends = [times * _largest(step, self._side == 0) for step, times in self._losses]
        return math.fsum(ends) * (1.0 + 4.0 * UNIT) if ends else 0.0

    @property
    def knots(self) -> FloatArray:
        return self._above.knots

    @property
    def revealed(self) -> float:
        """What one of the enclosed steps reveals alone."""
        steps = [step for step, _ in self._losses if isinstance(step, EnclosedStep)]
        sides = [cast(Profile, step.backward if self._side else step.forward) for step in steps]
        return max(side.revealed for side in sides)

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @cached_property
    def _tail_mu(self) -> float:  # that of a promise may take its time
        return together((step.tail_mu, times) for step, times in self._losses)

    @property
    def lesser(self) -> Profile | None:
        """The law below, or where its masses need room, a pair that hardly tells less and needs none."""
        share = self._lesser.room / _STRONG  # only of what is above that any is asked
        if share == 0.0:
            return self._below
        return _Withheld(self._below, share) if share <= _WITHHELD else None

    def bracket(self, epsilon: FloatArray) -> Bracket:
        return self._bounded(epsilon, self._above.bracket(epsilon).upper)

    def rough(self, epsilon: FloatArray) -> Bracket:
        return self._bounded(epsilon, self._above.rough(epsilon).upper)

    def _bounded(self, epsilon: FloatArray, upper: FloatArray) -> Bracket:
        kept = epsilon.copy()  # solvers may go on writing into theirs
        upper = np.where(upper > _STRONG, np.minimum(upper + self._greater.room, 1.0), upper)
        # the masses of neither law add up to 1 to the last bit: what their complements are is not told
        with np.errstate(divide="ignore"):
            low = np.log1p(-upper)
        return Bracket.late(upper, low * (1.0 + 4.0 * UNIT) - 2.0 * UNIT, lambda: self._from_below(kept, upper))

    def _from_below(self, epsilon: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        lower = self._below.bracket(epsilon).lower
        lower = np.where(lower > _STRONG, np.maximum(lower - self._lesser.room, _STRONG), lower)
        vague = np.flatnonzero(lower < _VAGUE * upper)
        if len(vague):  # a strong promise has hardly a finite law below it: no composition tells less than a step of it
            steps = [step for step, _ in self._losses if isinstance(step, EnclosedStep)]
            known = [(step.backward if self._side else step.forward).bracket(epsilon[vague]).lower for step in steps]
            lower[vague] = np.maximum(lower[vague], np.max(known, axis=0))
        lower = np.minimum(lower, upper)
        with np.errstate(divide="ignore"):
            high = np.log1p(-lower)
        return lower, np.minimum(high * (1.0 - 4.0 * UNIT) + 2.0 * UNIT, 0.0)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        return self._above.slope(epsilon)


def _largest(step: Step, remove: bool) -> float:
    """The largest finite loss of a step in that direction, rounded up, whether or not it has mass at infinity."""
    if isinstance(step, EnclosedStep):
        return (step.forward if remove else step.backward).end
    if not isinstance(step, DiscreteStep):
        return step.largest_loss(remove)
    table = step.table()
    if table.dropped > 0.0:
        return math.inf
    last = float(table.loss[-1] if remove else -table.loss[0]) if len(table.loss) else 0.0
    return max(last + table.slack + table.stretch * abs(last), 0.0) * (1.0 + 4.0 * UNIT)


def _unstated(table: Outcomes) -> float:
    """How much of 1 - delta a law that encloses another may have too much, or too little.

    Its masses are within ``relative`` of a law in the right order, but for that at loss 0, which may have some where
    there is none; and they need not sum to 1. What is read between the poles, as 1 - delta is, errs relatively by that
    over E_Q e^{cL}, -1 < c < 0, which is no less than the square of the overlap: what is stated covers it unless that
    is small.
    """
    with np.errstate(under="ignore"):
        overlap = float(np.sum(np.exp(table.log_q + 0.5 * table.loss)))
        p, q = (
            abs(math.fsum(np.exp(logs)) + shown - 1.0)
            for logs, shown in zip((table.log_p, table.log_q), table.infinite, strict=True)
        )
    wrong = max(p, q)
    return 0.0 if overlap**2 >= _SEEN and wrong <= _SEEN * table.relative else 2.0 * (table.relative + p + q)


def unbundled(losses: Losses) -> Losses:
    """The same without bundles, steps that are equal together, one Gaussian for all and first."""
    gaussians = [times for step, times in losses if isinstance(step, GaussianStep)]
    plain = not any(isinstance(step, BundleStep) for step, _ in losses) and gaussians in ([], [1])
    if plain and len({step for step, _ in losses}) == len(losses):
        return losses
    counts: dict[Step, int] = {}
    squares: list[Fraction] = []
    least: list[Fraction] = []
    open_ = list(losses)
    while open_:
        step, times = open_.pop(0)
        if isinstance(step, BundleStep):
            open_ = [(part, n * times) for part, n in step.steps] + open_
        elif isinstance(step, GaussianStep):
            squares.append(times * Fraction(step.mu) ** 2)
            least.append(times * Fraction(step.least) ** 2)
        else:
            counts[step] = counts.get(step, 0) + times
    merged = ((GaussianStep(root_at_least(total(squares)), root_at_most(total(least))), 1),) if squares else ()
    return merged + tuple(counts.items())


def enclosed_profiles(losses: Losses, tolerance: float, compose: Callable[[Losses], Pair]) -> Pair:
    """Profiles of ``losses``, some of which are enclosed; ``compose`` does it where none is."""
    boxes = {step: times for step, times in losses if isinstance(step, EnclosedStep)}
    (first, times), *_ = boxes.items()
    if len(losses) == 1 and times == 1:  # what is known is the profile
        sides = [OwnProfile(cast(Profile, side), first) for side in (first.forward, first.backward)]
        return Pair.both(sides[:1] if first.symmetric else sides)
    lattice = _Lattice(boxes, tolerance)
    below, above = (_Law(losses, lattice, side, compose) for side in (False, True))
    remove = EnclosedProfile(below, above, True, losses)
    if all(step.symmetric for step, _ in losses):
        return Pair.both([remove])
    return Pair(remove, EnclosedProfile(below, above, False, losses))


def spacing(boxes: dict[EnclosedStep, int], tolerance: float) -> float:
    """The spacing of the lattice, of so few digits that all outcomes are floats."""
    square = math.fsum(times * step.spread**2 for step, times in boxes.items())
    many = math.fsum(boxes.values())
    wanted = math.sqrt(square * tolerance / (many * _DECADES))
    least = max(*(step.finest for step in boxes), _REACH * math.sqrt(square) / _WIDEST)
    mantissa, exponent = math.frexp(max(_FINER * wanted, least, _FINEST))
    return math.ldexp(math.ceil(mantissa * _DIGITS) / _DIGITS, exponent)
