"""A composition on a lattice under one (Esscher) tilt: certified bounds on delta near the eps where its mean is."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neyman._errors import InvalidParameter
from neyman._validate import FloatArray
from neyman.engines.lattice.cumulant import Cumulant, Moments
from neyman.engines.lattice.divided import Spread
from neyman.engines.lattice.law import StepLaws, TiltedLaw, tilted_laws
from neyman.engines.lattice.sides import Side, Sides
from neyman.losses.readings.bins import GridLaw
from neyman.numerics.rounding import AMPLE, LARGEST_EXPONENT, ROOM, SECOND_ORDER, TINY, UNIT
from neyman.numerics.sums.inner import inner
from neyman.numerics.sums.tilted_fft import convolve_cyclic, discounted_suffix, good_size
from neyman.profiles.certificate import Certificate
from neyman.profiles.effort import allowance

__all__ = ["Plan", "Tilt", "outside", "plan_tilt"]

_OUTSIDE = 37.0  # -log of the tilted mass allowed outside the window, as planned (certified afterwards)
_MULTIPLES = (0.3, 0.6, 1.2, 2.0, 3.0, 4.5, 6.0, 8.6, 12.0, 18.0, 30.0)  # of 1/deviation: neighbouring tilts tried
_PLANNED = 2.5e6  # the same of a plan, for each kind of step
_POINT, _BIN = 250.0, 600.0  # nominal nanoseconds for each point and law, and for each bin
_LARGEST = 1 << 21  # points of a lattice that is read from a file
_STEEPEST = 1e12  # no further than this: a law that is one atom to the last bit has no deviation
_LOST = 34.0  # -log of the share of delta that is allowed beyond the ends of a law, as planned
_WIDER = 1.001  # times a spacing, so that all points fit
_STEPS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # of c: neighbouring tilts tried
_SHARES = (0.25, 0.5, 0.8)  # the same, as shares of c
# e-folds by which laws may be harder to see under a neighbour; the least strain of c = 1
_STRAIN, _GENTLEST = 40.0, 1e-3
_ANY = 1.001  # certifies: times the sum of masses at infinity, of laws whose mass rounding may have made more than 1
_ROUNDED = 64.0 * UNIT  # certifies: of a log of moments, beside the sum of the sizes of its terms


@dataclass(frozen=True, slots=True)
class Plan:
    """Where to put a lattice: tilt ``c``, spacing ``h``, window in loss, neighbouring tilts that bound its outside."""

    c: float
    h: float
    window: tuple[float, float]
    neighbours: tuple[float, float]
    cuts: tuple[tuple[int, int], ...]
    labour: float = 0.0  # nominal nanoseconds that bins take beside their number

    @property
    def points(self) -> int:
        """Length of the transforms."""
        return good_size(math.ceil((self.window[1] - self.window[0]) / self.h) + 4)

    @property
    def work(self) -> float:
        """What it takes, in nominal nanoseconds: two compositions, and the bins of every step."""
        bins = _BIN * sum(last - first for first, last in self.cuts)
        return _POINT * self.points * (1.0 + len(self.cuts)) + bins + self.labour

    def to_dict(self) -> dict[str, Any]:
        """As it is printed and stored."""
        return {"kind": "lattice", **{k: v for k, v in asdict(self).items() if k != "labour"}}

    @classmethod
    def of_dict(cls, plain: dict[str, Any]) -> Plan:
        """The same again, which ``Tilt`` certifies anew: of a poor choice little follows.

        Raises
        ------
        InvalidParameter
            If it is no lattice, one under a tilt ``c`` < 0, or one of more than ``_LARGEST`` points.
        """
        (low, high), (left, right) = plain["window"], plain["neighbours"]
        cuts = tuple((int(first), int(last)) for first, last in plain["cuts"])
        wide = (high - low) / plain["h"] if plain["h"] > 0.0 else math.nan
        points = [wide, *(last - first for first, last in cuts)]
        finite = all(math.isfinite(x) for x in (plain["c"], left, right, low, *points))
        # weights e^{-c x} (1 - e^{-x}) are bounded for c >= 0 alone
        if not (finite and plain["c"] >= 0.0 and all(0.0 < n <= _LARGEST for n in points)):
            raise InvalidParameter("plan", plain, f"a lattice of at most {_LARGEST} points under a tilt c >= 0")
        return cls(plain["c"], plain["h"], (low, high), (left, right), cuts)


def plan_tilt(
    laws: tuple[tuple[GridLaw, int], ...],
    cumulant: Cumulant,
    remove: bool,
    at: Moments,
    log_least: float,
    h: float,
    max_points: int,
) -> Plan | None:
    """Plan a lattice of spacing about ``h`` (coarser if the budget asks for it) under the tilt of ``at``; None where
    that is so steep that floats know no tilt beside it.

    None, too, where the effort does not suffice for planning.

    ``log_least`` is the logarithm of the least delta to be answered: mass sent to infinity must not count beside it.
    """
    if not allowance().take(_PLANNED * len(laws)):
        return None
    reaches = [
        law.extended(reach, _LOST + math.log(times) - log_least, remove)
        for (law, times), reach in zip(laws, at.reaches, strict=True)
    ]
    kept = tuple((law.within(reach), times) for (law, times), reach in zip(laws, reaches, strict=True))
    if any(one is not law for (one, _), (law, _) in zip(kept, laws, strict=True)):
        # what no bin holds is in no window either: far out it would say of steep tilts more than all the rest
        cumulant = Cumulant(kept, "remove" if remove else "add")
    window, neighbours, value = [0.0, 0.0], [0.0, 0.0], cumulant.at(at.c).value
    for side, sign in ((0, -1.0), (1, 1.0)):
        tried = [cumulant.at(c) for c in _near(kept, remove, at, sign) if c != at.c]
        if not tried:
            return None
        reach = [(t.value - value + _OUTSIDE) / (t.c - at.c) for t in tried]
        best = int(np.argmin(sign * np.array(reach)))
        window[side], neighbours[side] = reach[best], tried[best].c
    if not window[0] < window[1]:  # values so large that their differences are rounding
        return None
    widest = max([window[1] - window[0]] + [law.span(reach) for (law, _), reach in zip(laws, reaches, strict=True)])
    h = max(h, _WIDER * widest / max_points)
    cuts = tuple(law.cut(reach, h) for (law, _), reach in zip(laws, reaches, strict=True))
    labour = math.fsum(law.labour(reach, h) for (law, _), reach in zip(laws, reaches, strict=True))
    return Plan(at.c, h, (window[0], window[1]), (neighbours[0], neighbours[1]), cuts, labour)


def _near(laws: tuple[tuple[GridLaw, int], ...], remove: bool, at: Moments, sign: float) -> list[float]:
    """Tilts beside ``at`` under which every law can still be seen."""
    found = [at.c + sign * m / at.deviation for m in _MULTIPLES if m < _STEEPEST * at.deviation]
    found += [at.c + sign * d for d in _STEPS]  # where rare jumps carry the tail
    if sign < 0.0 and at.c > 0.0:
        found += [share * at.c for share in _SHARES]
    now = _strain(laws, at.c, remove)
    kept = [c for c in found if _strain(laws, c, remove) <= now + _STRAIN]
    return kept if kept else [at.c + sign / max(_strain(laws, 1.0, remove) - _strain(laws, 0.0, remove), _GENTLEST)]


def _strain(laws: tuple[tuple[GridLaw, int], ...], c: float, remove: bool) -> float:
    return max(law.strain(c + 1.0 if remove else -c) for law, _ in laws)


class Tilt:
    """Bounds on delta from one lattice composition."""

    def __init__(self, steps: tuple[tuple[GridLaw, int], ...], remove: bool, plan: Plan) -> None:
        self.plan = plan
        self.final: tuple[float, float] = (math.inf, -math.inf)  # eps for which nothing better is worth trying
        direction = "remove" if remove else "add"
        self._times = [times for _, times in steps]
        laws = [
            tilted_laws(law.bins(plan.h, *cut, remove).weighed(law), direction, plan.c)
            for (law, _), cut in zip(steps, plan.cuts, strict=True)
        ]
        self.gap = sum(t * (law.upper.log_norm - law.lower.log_norm) for t, law in zip(self._times, laws, strict=True))
        self.points = plan.points
        self._exact = all(law.exact for law, _ in steps)
        own = steps[0][0].gathered(plan.h, *plan.cuts[0]) if len(steps) == 1 else None
        if own is None:
            below, lower_plan = laws, plan
        else:  # the lower law has a lattice of its own
            below, lower_plan = [tilted_laws(own.weighed(steps[0][0]), direction, plan.c)], replace(plan, h=own.h)
            self.gap = self._times[0] * (laws[0].upper.log_norm - below[0].lower.log_norm)
        self._slack = max(self._off(plan, laws), self._off(lower_plan, below))
        self._infinite = _ANY * sum(t * law.infinite for t, law in zip(self._times, laws, strict=True))
        divided = sum(t for t, law in zip(self._times, below, strict=True) if law.divided)
        self._spread = Spread.of(0.5 * plan.h * math.sqrt(divided)) if divided else None
        self._blind = divided > 0 and self._spread is None  # too wide to say anything from below
        upper = self._compose(plan, laws, [law.upper for law in laws])
        self.sides = self._compose(lower_plan, below, [law.lower for law in below]), upper

    def _places(self, plan: Plan, laws: list[StepLaws]) -> tuple[float, int]:
        """Where multiples of h are counted from, and the first of them in the window."""
        base = math.fsum(t * law.base for t, law in zip(self._times, laws, strict=True))
        return base, math.floor((plan.window[0] - base) / plan.h)

    def _off(self, plan: Plan, laws: list[StepLaws]) -> float:
        """How far rounding can have moved the points."""
        base, start = self._places(plan, laws)
        far = abs(base) + abs(start * plan.h) + self.points * plan.h
        parts = math.fsum(t * abs(law.base) for t, law in zip(self._times, laws, strict=True))
        return 8.0 * UNIT * (far + parts) + SECOND_ORDER * sum(
            t * law.slack for t, law in zip(self._times, laws, strict=True)
        )

    def delta(self, epsilon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(lower, upper) bounds on delta, certified for every real ``epsilon``, tight near the mean of the tilt."""
        below, above = self._both.sums(np.array([self.asked(epsilon, -1.0), self.asked(epsilon, 1.0)]))
        return self.settled(epsilon, below, above)

    def asked(self, epsilon: FloatArray, sign: float) -> FloatArray:
        """Where a bound from above (``sign`` 1) or below (-1) is read: losses may be read a little off."""
        return epsilon - sign * self._slack - sign * 4.0 * UNIT * np.abs(epsilon)

    def settled(self, epsilon: FloatArray, below: FloatArray, above: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both bounds from the sums there, with all that the lattice does not hold."""
        if self._spread is not None:
            below = below - self._lost(self._spread, epsilon + self._slack, below)
        elif self._blind:
            below = np.zeros_like(epsilon)
        return np.maximum(below, 0.0), np.minimum((above + self._infinite) * (1.0 + 4.0 * UNIT), 1.0)

    def certificate(self, own: Certificate) -> Certificate:
        """``own`` bounds, which are those of this tilt, explained."""
        epsilon = own.epsilon
        at = np.array([epsilon])
        terms = {"aliasing": 0.0, "rounding": 0.0, "lost mass": self._infinite}
        for side, sign in zip(self.sides, (-1.0, 1.0), strict=True):
            parts = [side, replace(side, outside=0.0), replace(side, noise=0.0, relative=0.0)]
            place = np.broadcast_to(self.asked(at, sign), (len(parts), 1))
            whole, *without = Sides(parts, [sign] * len(parts)).sums(place)[:, 0]
            for name, left in zip(("aliasing", "rounding"), without, strict=True):
                terms[name] += abs(float(whole - left))
        # losses read a little off, on either side
        off = self._slack + 4.0 * UNIT * abs(epsilon)
        terms["rounding"] += 4.0 * off * float(self.slope(at)[0])
        terms["division"] = max(own.width * (1.0 + 4.0 * UNIT) - math.fsum(terms.values()), 0.0)
        return replace(own, supply="lattice under a tilt", nodes=self.points, terms=terms, plan=self.plan.to_dict())

    def tighten(self, epsilon: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Intersect the bounds with those of this tilt, whose width is returned."""
        below, above = self.delta(epsilon)
        np.maximum(lower, below, out=lower)
        np.minimum(upper, above, out=upper)
        return above - below

    def blur(self, epsilon: float, end: float, delta: float) -> float:
        """What the rounding of losses, and masses that no bin holds, do to ``delta`` there, relatively and roughly; the
        law ends at ``end``.
        """
        steep = 1.0 + self.plan.c + (1.0 / (end - epsilon) if end > epsilon else math.inf)
        return 2.0 * self._slack * steep + self._infinite / max(delta, TINY)

    @cached_property
    def _both(self) -> Sides:
        return Sides(self.sides, (-1.0, 1.0))

    @cached_property
    def _upper(self) -> Sides:
        return Sides(self.sides[1:], (1.0,))

    def _above(self, epsilon: FloatArray) -> FloatArray:
        upper = self._upper.sums(self.asked(epsilon, 1.0)[None])[0] + self._infinite
        return np.minimum(upper * (1.0 + 4.0 * UNIT), 1.0)

    def _lost(self, spread: Spread, epsilon: FloatArray, middle: FloatArray) -> FloatArray:
        """What division may have added at ``epsilon``, where the divided law has ``middle``."""
        reach, weight = spread.reach[:, None], spread.weight[:, None]
        around = self._above(np.concatenate([epsilon - reach, epsilon + reach]).ravel()).reshape(2, len(reach), -1)
        total = np.sum(weight * (around[0] + np.exp(-reach) * around[1]), axis=0) - spread.share * middle
        return np.maximum(total, 0.0) * ((1.0 + ROOM) / (1.0 - spread.share)) + TINY

    def slope(self, epsilon: FloatArray) -> FloatArray:
        """e^eps Q(L > eps) of the pessimistic law, roughly: where its steps are none of the law's, midway between."""
        j, distance = (found[0] for found in self._upper.located(epsilon[None]))
        if self._exact:
            return self._reached(j, epsilon, distance)
        late = np.clip(0.5 - distance / self.plan.h, -0.5, 0.5)
        ahead = np.where(late < 0.0, -1, 1)
        beside = self._reached(np.maximum(j + ahead, 0), epsilon, distance + ahead * self.plan.h)
        share = np.where(j + ahead < 0, 0.0, np.abs(late))
        return (1.0 - share) * self._reached(j, epsilon, distance) + share * beside

    def _reached(self, j: NDArray[np.int64], epsilon: FloatArray, distance: FloatArray) -> FloatArray:
        """e^eps times the mass under Q from the point ``j`` on, which lies ``distance`` above eps."""
        side = self.sides[1]
        at = np.minimum(j, self.points - 1)
        inside = np.where(j < self.points, side.plain[at] - side.growth[at], 0.0)
        return inside * np.exp(
            np.minimum(side.log_norm - self.plan.c * (epsilon + distance) - distance, LARGEST_EXPONENT)
        )

    def _compose(self, plan: Plan, laws: list[StepLaws], chosen: list[TiltedLaw]) -> Side:
        times, n = self._times, self.points
        base, start = self._places(plan, laws)
        first = base + start * plan.h
        log_norm = math.fsum(t * law.log_norm for t, law in zip(times, chosen, strict=True))
        if log_norm == -math.inf:
            return Side(np.zeros(1), np.zeros(1), log_norm, 0.0, 0.0, 0.0, first, plan.h, plan.c)
        product = convolve_cyclic([law.masses for law in chosen], [law.first for law in laws], times, start, n)
        relative = sum(t * law.relative for t, law in zip(times, chosen, strict=True))
        rate = plan.c * plan.h
        ends = (first, first + (n - 1) * plan.h)
        plain = discounted_suffix(product.values, rate)
        shifted = np.append(plain[1:], 0.0)
        shifted *= -math.expm1(-plan.h) * math.exp(-rate)
        growth = discounted_suffix(shifted, rate + plan.h)
        beyond = outside(plan, ends, times, laws, chosen)
        return Side(plain, growth, log_norm, product.error, beyond, relative, first, plan.h, plan.c)


def outside(
    plan: Plan, ends: tuple[float, float], times: list[int], laws: list[StepLaws], chosen: list[TiltedLaw]
) -> float:
    """Chernoff bound on the tilted mass outside a window that ends at ``ends``, from the lattice laws themselves."""
    total = 0.0
    for sign, end, neighbour in zip((-1.0, 1.0), ends, plan.neighbours, strict=True):
        s, log_mass, size = neighbour - plan.c, 0.0, 0.0
        if not sign * s > 0.0:  # it bounds nothing
            total += 1.0
            continue
        for t, law, one in zip(times, laws, chosen, strict=True):
            place = law.base + (law.first + np.arange(len(one.masses), dtype=np.float64)) * plan.h
            exponent = s * place
            peak = float(np.max(exponent))
            with np.errstate(under="ignore"):
                ratio = inner(one.masses, np.exp(exponent - peak)) + TINY
            log_mass += t * (peak + math.log(ratio))
            size += t * (abs(peak) + 1.0)
        total += math.exp(min(log_mass - s * end + _ROUNDED * (size + abs(s * end)) + AMPLE, 0.0))
    return total
