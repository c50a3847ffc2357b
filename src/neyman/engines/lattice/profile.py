"""The certified lattice: for compositions of few or very uneven steps, where the transform engine is slow or unsure."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import MAX_COUNT, FloatArray, choice, count, inside, whole
from neyman.engines.lattice.complement import LatticeGap, spacing
from neyman.engines.lattice.cumulant import Cumulant, Moments
from neyman.engines.lattice.law import largest_loss
from neyman.engines.lattice.levels import FLOOR, LEVELS, Laws, common
from neyman.engines.lattice.tilt import Plan, Tilt, plan_tilt
from neyman.engines.lattice.tilts import Tilts
from neyman.losses.base import Step
from neyman.numerics.exact.common_unit import common_unit
from neyman.numerics.rounding import SLIGHT, UNIT
from neyman.numerics.sums.norm import together
from neyman.profiles.certificate import Certificate
from neyman.profiles.effort import Effort
from neyman.profiles.pair import DIRECTIONS, Direction
from neyman.profiles.profile import NEARLY_ONE, Bracket, Profile

__all__ = ["LatticeProfile"]

_AIM = 0.8  # share of the tolerance that discretisation is planned to use
_LEAST = 1e-6  # steps that are divided, as planned
_NOTHING = 60.0  # e-folds by which a tilt may be planned to miss, and be tried all the same
_REACH, _SOFT = 3.5, 0.3  # deviations that a tilt is planned to serve, each way; beside c, in the cost of division
_COARSEST = 0.02  # in units of 1 / (c + 1)
_COARSE = 300.0  # spacing from which a mass divided between two points is no float at one of them, and says nothing
_LOOSE = 1e-3  # relative width that will do below the floor
_STEERED = 1e-4  # the same where only solvers are steered: what they lose by it goes with its square
_ROUNDS = 16  # tilts tried for one array of eps
_CROWDED, _GENTLER = 0.6, 0.7  # share of the budget from which a tilt by this share of c is tried, too
_FEWER = 0.5  # share of the points of a tilt that it takes, where that may be so
_REFINEMENTS, _SLOWEST = 4, 0.75  # finer spacings tried under one tilt; the least power of them that widths fall by
_BLURRED = 8.0  # times what rounding does: there refinement stops, where it cannot reach the tolerance
_SEEN = 0.1  # deviations that points may be apart to tell where the law lies
_ROUNDED = 16.0 * UNIT  # relative, of every sum, for each step, at least
_HOPELESS = 8.0  # tolerances that this alone may be, and a lattice still be tried (what is not tried is not bounded)
_KEPT = 3 << 20  # points of all tilts that are remembered: four such lattices may be behind one guarantee
_BETWEEN = -0.999, -0.001  # c of the steepest tilts between the two laws
_DEEP_ROUNDS = 1  # of these, for the eps where delta is below the floor
_TOLERANCE, _AHEAD, _FINER, _BELOW, _LAX = 1e-6, 0.05, 0.1, 30.0, 100.0  # of plans: shares, e-folds, times a tolerance


class LatticeProfile(Profile):
    """Certified profile of one direction of a composition, on lattices under a few exponential tilts.

    Two lattice laws enclose the loss of every step (see ``law``); FFT composes each under a tilt that has its
    mean near the eps asked for, so that delta keeps relative accuracy far below 1e-30. Tilts are made when first needed
    and kept while memory allows.

    Parameters
    ----------
    steps : sequence of (step, count)
        Any steps, with how often each is applied, count >= 1; not empty. Their infinite masses are set aside.
    direction : str
        "remove" or "add".
    tolerance : float
        Relative width aimed for, wherever delta >= 1e-30; in (0, 1). Where the budget does not suffice the bracket is
        simply wider.
    max_points : int
        Budget: length of the longest transform.
    effort : Effort, optional
        What may be spent on tilts; beyond it the bracket is wider. No limit unless given.
    tail_mu : float, optional
        A mu that is valid with no floor at all, if it is known; else that of the steps, each by itself.
    gather : callable, optional
        Makes fewer laws of the same composition, before anything of it is divided.

    Raises
    ------
    InvalidParameter
        For an unknown direction or step, a count below 1, or no steps.

    Notes
    -----
    Error bound: discretisation, truncation, wrap-around and the rounding of every stage are inside the bracket. The
    width from discretisation is about (number of steps) c (c + 1) h^2 / 8, with c the tilt and h the spacing.

    Examples
    --------
    >>> from neyman.losses.gaussian.sampled import SubsampledGaussianStep
    >>> profile = LatticeProfile([(SubsampledGaussianStep(sigma=2.0, rate=0.1), 10)], "remove")
    >>> bracket = profile.bracket(np.array([0.625]))
    >>> bool(bracket.lower[0] <= 1.03e-4 <= bracket.upper[0] * 1.01), f"{bracket.upper[0]:.6e}"
    (True, '...')
    """

    @property
    def method(self) -> str:
        return "lattice"

    def __init__(
        self, steps: Sequence[tuple[Step, int]], direction: Direction, tolerance: float = _TOLERANCE,
        max_points: int = 1 << 20, effort: Effort | None = None, tail_mu: float | None = None, *, level: int = 0,
        gather: Callable[[Laws], Laws] | None = None,
    ) -> None:  # fmt: skip
        self._effort = Effort() if effort is None else effort
        self._remove = choice("direction", direction, DIRECTIONS) == "remove"
        self._laws = tuple((step.bins(), whole("count", times, 1, MAX_COUNT)) for step, times in steps)
        if not self._laws:
            raise InvalidParameter("steps", steps, "a non-empty sequence of (step, count)")
        self._tolerance = inside("tolerance", tolerance, 0.0, 1.0)
        self._max_points = count("max_points", max_points)
        # where not all share one, outcomes with nothing between them come first
        alone = [law.unit for law, _ in self._laws if law.unit is not None and law.exact]
        shared = common_unit([law.unit for law, _ in self._laws if law.unit is not None])
        self._unit = shared or common_unit(alone)
        self._aligned = shared is not None  # what lies on no multiple of it alone is divided
        self._exact = all(law.exact for law, _ in self._laws)
        self._tilts = Tilts([])
        self._gap: LatticeGap | None = None
        self._gapless = any(law.enclosed for law, _ in self._laws)
        self._made = 0
        self._last: tuple[int, FloatArray, Bracket] | None = None  # of how many tilts, where, and what it was
        self._end = largest_loss(self._laws, self._remove)
        known = [(law.listed(self._remove), t) for law, t in self._laws]
        # where all outcomes that are listed lie below, something that is left out has to happen
        self._listed = math.fsum(t * end for (end, _), t in known) * (1.0 + SLIGHT)
        self._left_out = math.fsum(t * mass for (_, mass), t in known) * (1.0 + SLIGHT)
        self._tail_mu = together((step.tail_mu, times) for step, times in steps) if tail_mu is None else tail_mu
        divided = not (self._exact and self._aligned)  # else the lattice holds all of it, to the last outcome
        self._laws, self._floor, found = common(self._laws, level if divided else LEVELS)
        self._laws = self._laws if gather is None else gather(self._laws)
        self._blind = _ROUNDED * sum(times for _, times in self._laws) > _HOPELESS * self._tolerance
        # where deltas are too small for these lattices
        self._far = None if found == LEVELS else LatticeProfile(
            steps, direction, tolerance, max_points, effort, self._tail_mu, level=found + 1, gather=gather
        )  # fmt: skip
        self._deep = found == LEVELS and level > 0  # asked for those alone
        self._cumulant = Cumulant(self._laws, direction)

    @property
    def end(self) -> float:
        return self._end

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def points(self) -> int:
        """Length of the transforms that delta near 1e-30 asks for, before anything is computed (at most the budget)."""
        if self._blind:
            return sys.maxsize
        plan = self._usual
        return self._max_points if plan is None else plan.points

    @property
    def work(self) -> float:
        """Nominal nanoseconds that one of its tilts takes near there; inf where its budget is too small for that."""
        plan = None if self._blind else self._usual
        return math.inf if plan is None or plan.points >= self._max_points else plan.work

    @property
    def _usual(self) -> Plan | None:
        if self._far is not None and self._floor > FLOOR:
            return self._far._usual
        return self._plan(self._deepest, self._deepest.c, self._tolerance)

    def _saddle(self, epsilon: float) -> Moments:
        return self._cumulant.saddle(epsilon, high=self._steepest)

    @cached_property
    def _steepest(self) -> float:
        """The c from which the tilted law is as good as its last atom: more tilt shows nothing new."""
        return self._cumulant.steepest(self._end)

    @cached_property
    def _deepest(self) -> Moments:
        """Where delta is about the least that is served."""
        return self._cumulant.at_height(math.log(self._floor), self._steepest)

    def bracket(self, epsilon: FloatArray) -> Bracket:
        kept = self._last
        if kept is None or kept[0] != self._made or not np.array_equal(kept[1], epsilon):
            lower, upper = self._bounds(epsilon)
            # what the effort did not suffice for is tried again by the next question
            found = self.near_one(epsilon, Bracket.of_delta(lower, upper))
            kept = -1 if self._effort.spent else self._made, epsilon.copy(), found
            self._last = kept
        return kept[2].at(np.arange(len(epsilon)))

    def certificate(self, epsilon: float) -> Certificate:
        tilts = self._tilts if self._far is None else Tilts([*self._tilts, *self._far._tilts])
        return tilts.certificate(super().certificate(epsilon))

    def near_one(self, epsilon: FloatArray, known: Bracket) -> Bracket:
        """``known``, with 1 - delta by itself where it is small and not known as it should be."""
        vague = ~(known.log_gap_upper - known.log_gap_lower <= self._tolerance)
        at = np.flatnonzero((known.upper > NEARLY_ONE) & vague)
        gap = self._between() if len(at) and not self._blind else None
        return known if gap is None else gap.narrowed(known, epsilon, at)

    def _between(self) -> LatticeGap | None:
        """What tells 1 - delta by itself; None where nothing does, or the effort does not suffice."""
        if self._far is not None:
            return self._far._between()
        if self._gap is not None or self._gapless or self._effort.spent:
            return self._gap
        at = self._cumulant.saddle(0.0, *_BETWEEN)
        h = self._aligned_spacing(spacing(self._divided(at), self._tolerance))
        plan = plan_tilt(self._laws, self._cumulant, self._remove, at, 0.0, h, self._max_points)
        if plan is None and self._effort.spent:  # another question may have it
            return None
        self._gapless = plan is None or plan.h > _COARSE
        if plan is not None and not self._gapless and self._effort.take(plan.work):
            try:
                self._gap = LatticeGap(self._laws, self._remove, plan)
            except ArithmeticError:
                self._gapless = True
        return self._gap

    def decide(self, epsilon: FloatArray, goals: tuple[float, float]) -> Bracket:
        return Bracket.of_delta(*self._bounds(epsilon, *goals))

    def above(self, epsilon: FloatArray, least: Callable[[], FloatArray]) -> Bracket:
        return self.near_one(epsilon, Bracket.of_delta(*self._bounds(epsilon, least())))

    def above_roughly(self, epsilon: FloatArray, least: FloatArray) -> Bracket:
        return Bracket.of_delta(*self._bounds(epsilon, least, tolerance=max(self._tolerance, _STEERED)))

    def rough(self, epsilon: FloatArray) -> Bracket:
        if self._last is not None and np.array_equal(self._last[1], epsilon):
            return self._last[2]
        return Bracket.of_delta(*self._bounds(epsilon, tolerance=max(self._tolerance, _STEERED)))

    def _bounds(
        self, epsilon: FloatArray, least: FloatArray | float = 0.0, most: float = 1.0, tolerance: float | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Bounds on delta, as sharp as the ``tolerance`` where it may lie between ``least`` and ``most``."""
        tolerance = self._tolerance if tolerance is None else tolerance
        lower, upper = np.zeros(len(epsilon)), np.ones(len(epsilon))
        upper[epsilon >= self._listed] = min(self._left_out, 1.0)
        upper[epsilon >= self._end] = 0.0
        if self._blind:
            return lower, upper
        self._tilts.tighten(epsilon, lower, upper, tolerance, self._floor)
        done = epsilon >= min(self._listed, self._end)
        deep = 0
        for _ in range(_ROUNDS):
            done |= self._tilts.final(epsilon)  # kept when the tilt is forgotten
            wanted = np.where(upper >= FLOOR, tolerance, max(tolerance, _LOOSE))  # far lattices know what is deep
            asked = (upper > least) & (lower < most)
            open_ = np.flatnonzero(~done & asked & (upper - lower > wanted * upper))
            shallow = open_[epsilon[open_] <= self._deepest.mean]
            deep += not shallow.size
            if not open_.size or deep > _DEEP_ROUNDS:
                break
            if not shallow.size and self._far is not None:
                if not any(tilt.plan.c == self._deepest.c for tilt in self._tilts):
                    self._refine(self._deepest, self._deepest, 0.0, epsilon, lower, upper, _LOOSE)
                low, high = self._far._bounds(epsilon[open_], np.broadcast_to(least, len(epsilon))[open_], most)
                lower[open_], upper[open_] = np.maximum(lower[open_], low), np.minimum(upper[open_], high)
                break
            open_ = shallow if shallow.size else open_
            self._serve(epsilon, open_, lower, upper, done, tolerance)
            if self._effort.spent:
                break
        return lower, upper

    def slope(self, epsilon: FloatArray) -> FloatArray:
        upper = self.rough(epsilon).upper
        out = self._tilts.slope(epsilon)
        if self._far is not None and np.any(deep := (upper > 0.0) & (upper < self._floor)):
            out[deep] = self._far.slope(epsilon[deep])
        return np.where(upper > 0.0, np.clip(out, 0.0, 1.0), 0.0)  # rounding may leave less than nothing

    def _serve(
        self, epsilon: FloatArray, open_: NDArray[np.intp], lower: FloatArray, upper: FloatArray,
        done: NDArray[np.bool_], tolerance: float,
    ) -> None:  # fmt: skip
        """Make the tilt that serves the lowest open eps and those above it; then, if need be, one of its own."""
        least, most = float(np.min(epsilon[open_])), float(np.max(epsilon[open_]))
        own = self._saddle(least)
        ahead = self._saddle(min(max(least, own.mean) + _REACH * own.deviation, most))
        if ahead.c > own.c:
            top = self._saddle(min(ahead.mean + _REACH * ahead.deviation, most))
            self._refine(ahead, top, own.mean, epsilon, lower, upper, tolerance)
        first = open_[np.argmin(epsilon[open_])]
        gentle = False
        if upper[first] - lower[first] > tolerance * upper[first] and self._crowded(own, tolerance):
            # its window holds rare jumps besides: a gentler tilt leaves them out, and may have finer points
            self._refine(self._cumulant.at(_GENTLER * own.c), own, least, epsilon, lower, upper, tolerance)
            gentle = True
        if upper[first] - lower[first] > tolerance * upper[first]:
            tilt = self._refine(own, own, least, epsilon, lower, upper, tolerance)
            if tilt is None:
                done[first] = True
                return
            if (
                upper[first] - lower[first] > tolerance * upper[first]
                and tilt.points > _CROWDED * self._max_points
                and not gentle
            ):
                self._refine(self._cumulant.at(_GENTLER * own.c), own, least, epsilon, lower, upper, tolerance)
            if upper[first] - lower[first] > tolerance * upper[first]:  # then hardly better a little further on
                # nearer the end of the law it may take another
                ahead_of = min(0.5 * own.deviation, _AHEAD * (self._end - least))
                tilt.final = (min(tilt.final[0], least), max(tilt.final[1], least + ahead_of))
        done[first] = True

    def _crowded(self, own: Moments, tolerance: float) -> bool:
        """Whether the points of a tilt are too few for it from the beginning, or a gentler one has far fewer."""
        plan, gentle = (self._plan(self._cumulant.at(share * own.c), own.c, tolerance) for share in (1.0, _GENTLER))
        if plan is None or plan.points > _CROWDED * self._max_points:
            return plan is not None
        return own.c > 0.0 and gentle is not None and gentle.points < _FEWER * plan.points

    def _refine(
        self, at: Moments, top: Moments, least: float, epsilon: FloatArray, lower: FloatArray, upper: FloatArray,
        tolerance: float,
    ) -> Tilt | None:  # fmt: skip
        """Add the tilt ``at``, refining by the gap it shows at the eps it is meant for, ``least`` among them; None
        where the effort does not suffice for any, or floats know none beside it.
        """
        plan = self._plan(at, top.c, tolerance)
        if plan is None or plan.h > _COARSE or self._says_nothing(at, plan) or not self._effort.take(plan.work):
            return None
        tilt = self._keep(Tilt(self._laws, self._remove, plan))
        own = tilt.tighten(epsilon, lower, upper)
        near = (np.abs(epsilon - at.mean) <= 1.5 * at.deviation) & (upper >= self._floor)
        near[np.argmin(np.where((epsilon >= least) & (epsilon < self._end), epsilon, np.inf))] = True
        before, promised, order = math.inf, 0.0, 2.0
        for _ in range(_REFINEMENTS):
            known = float(np.max((upper - lower)[near] / np.maximum(upper[near], self._floor), initial=0.0))
            # what other tilts tell beside it does not get better with its points
            gap = float(np.max(np.minimum(own[near] / np.maximum(upper[near], self._floor), 1.0), initial=0.0))
            # the whole law lies between two points, or is no wider than what dividing it adds
            coarse = gap > 0.5 and max(1.0, 0.5 * math.sqrt(self._divided(at))) * plan.h > _SEEN * at.deviation
            # good enough, or not for want of points: it fell by less than the root of the spacing
            if known <= tolerance or (gap > max(0.5, math.sqrt(promised)) * before and not coarse):
                break
            if promised and 0.0 < gap < before < 0.5:
                order = min(max(math.log(gap / before) / math.log(promised), _SLOWEST), 2.0)
            blur = tilt.blur(least, self._end, float(np.max(upper[near], initial=self._floor)))
            if gap <= _BLURRED * blur and blur > 0.5 * tolerance:  # finer points would show hardly more
                tilt.final = (min(tilt.final[0], least), max(tilt.final[1], self._end))
                break
            before = gap
            if 1.5 * plan.points >= self._max_points:
                tilt.final = min(at.mean - 1.5 * at.deviation, least), max(at.mean + 1.5 * at.deviation, least)
                break
            share = (_AIM * tolerance / gap) ** (1.0 / order)
            finer = plan.h * share if gap < 0.5 else _FINER * min(plan.h, at.deviation)
            coarser, plan = plan.h, self._plan(at, top.c, tolerance, finer)
            if plan is None or plan.h >= coarser or not self._effort.take(plan.work):
                break
            promised = plan.h / coarser
            tilt = self._keep(Tilt(self._laws, self._remove, plan))
            own = tilt.tighten(epsilon, lower, upper)
        return tilt

    def _says_nothing(self, at: Moments, plan: Plan) -> bool:
        """Whether what lies between points, moved to them, weighs many e-folds more under the tilt than it did."""
        far = plan.c * plan.h
        return self._divided(at) * min(0.125 * far * far, far) > _NOTHING

    def _divided(self, at: Moments) -> float:
        """How many steps lie between points."""
        return at.loose if self._aligned else float(sum(times for _, times in self._laws))

    def _plan(self, at: Moments, c_top: float, tolerance: float, h: float = math.inf) -> Plan | None:
        log_least = min(0.0, self._cumulant.log_height(c_top))
        steps = max(self._divided(at), _LEAST)
        shown = log_least > math.log(self._floor) - _BELOW and not self._deep
        aim = _AIM * tolerance * (1.0 if shown else _LAX)
        wanted = math.sqrt(8.0 * aim / (steps * (c_top + _SOFT) * (c_top + (1.0 + _SOFT))))
        budget = self._max_points if shown else max(self._max_points // 8, 1024)
        h = self._aligned_spacing(min(h, wanted, _COARSEST / (c_top + 1.0)))
        plan = plan_tilt(self._laws, self._cumulant, self._remove, at, log_least, h, budget)
        if plan is None or plan.h == h or self._unit is None or self._exact or not plan.h <= self._unit:
            return plan
        h = self._unit / math.floor(self._unit / plan.h)  # a little coarser than the budget asks for, and aligned
        return plan_tilt(self._laws, self._cumulant, self._remove, at, log_least, h, budget)

    def _aligned_spacing(self, h: float) -> float:
        """About ``h``, with points where the atoms are."""
        if self._unit is None:
            return h
        return self._unit if self._exact else self._unit / math.ceil(self._unit / h)

    def _keep(self, tilt: Tilt) -> Tilt:
        """Remember the tilt; forget the oldest when together they hold more than twice the budget, or too much."""
        self._tilts = self._tilts.and_also(tilt, min(2 * self._max_points, _KEPT))
        self._made += 1
        return tilt
