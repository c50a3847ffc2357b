"""The profile of several promises that hold at once: the lower convex envelope, in x = e^eps, of their deltas.

Above: it lies below each delta, and being convex below the chord between any two points of them. Where two trade-off
curves cross, at alpha*, the envelope is the common tangent 1 - f(alpha*) - x alpha* (a bridge); a chord between points
near those of contact exceeds it only to second order.

Below: delta(eps) >= 1 - F - e^eps alpha for every alpha and every F >= max f_i(alpha), so the certified excess powers
of all parts at one alpha, best the slope of the envelope there, are enough.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray
from neyman.guarantees.envelope.common_tangents import Bridge, bridges
from neyman.guarantees.questions.curve.excess import attained, excess_at, revealed
from neyman.guarantees.questions.curve.tradeoff import beta_upper, excess_lower, tangent
from neyman.guarantees.questions.epsilon import spread
from neyman.numerics.rounding import UNIT
from neyman.profiles.effort import allowance
from neyman.profiles.pair import HeldTogether, Pair
from neyman.profiles.profile import Bracket
from neyman.profiles.real_line import slope_at

__all__ = ["EnvelopeProfile"]

_FARTHEST = 690.0  # from this eps on e^eps is left alone
_LEAST, _LEAST_LOAD = 1e-280, 1e-20  # an alpha, and e^eps times one, that costs nothing
_TIED = 1e-11  # relative difference of deltas that may be equal
_BESIDE = 1e-12  # how near a corner is in it
_STEP = 1e-9  # to either side of it
_LEAST_WORK = 1e5  # nominal nanoseconds, beside that of the parts
_ROUGH = 1e-5  # to which tangents are steered where a part is only compared: what it attains is told beside them, too
_NEAR_ONE = 0.9  # from this delta on its complement is bounded from its own small terms


class EnvelopeProfile(HeldTogether):
    """delta of a pair for which every one of ``parts`` holds (the ``forward`` of each is this pair's)."""

    width_is = "enclosure"  # between the least of the parts and their chords, and what tests attain of all

    def __init__(self, parts: tuple[Pair, ...], rough: bool = False) -> None:
        self.parts = parts
        self._rough = rough  # whether common tangents are chords of a grid
        self._last: tuple[FloatArray, FloatArray] | None = None

    @cached_property
    def _starts(self) -> list[float]:
        return [spread(sides.forward) for sides in self.parts]

    @property
    def method(self) -> str:
        """How the parts are computed."""
        return ", ".join(dict.fromkeys(", ".join(sides.method for sides in self.parts).split(", ")))

    @property
    def tail_mu(self) -> float:
        """The smallest of theirs."""
        return min(sides.forward.tail_mu for sides in self.parts)

    @property
    def end(self) -> float:
        """Where the first of them is 0 (finite losses, nothing revealed), else where the last one stops falling."""
        zero = [s.forward.end for s in self.parts if math.isfinite(s.forward.end) and math.isfinite(s.forward.tail_mu)]
        first = min(zero, default=math.inf)
        return first if math.isfinite(first) else max(s.forward.end for s in self.parts)

    @property
    def knots(self) -> FloatArray:
        """Those of the parts, the ends of the bridges, and 0."""
        return self._knots

    @cached_property
    def _knots(self) -> FloatArray:
        ends = [0.0] + [end for bridge in self._bridges for end in (bridge.low, bridge.high) if end >= 0.0]
        return np.unique(np.concatenate([np.array(ends), *(sides.forward.knots for sides in self.parts)]))

    def bracket(self, epsilon: FloatArray) -> Bracket:
        """Bounds at each ``epsilon``."""
        found = [sides.forward.bracket(epsilon) for sides in self.parts]
        upper = np.min([b.upper for b in found], axis=0)
        log_gap_lower = np.max([b.log_gap_lower for b in found], axis=0)
        for bridge in self._bridges:
            upper, log_gap_lower = bridge.lowered(epsilon, upper, log_gap_lower)
        kept = epsilon.copy()  # solvers may go on writing into theirs
        return Bracket.late(upper, log_gap_lower, lambda: self._inside(kept, found, upper))

    def _inside(self, epsilon: FloatArray, found: list[Bracket], upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower bounds on delta, upper bounds on log(1 - delta); none where no effort is left for them."""
        if not allowance().take(_LEAST_WORK):
            return np.zeros_like(epsilon), np.zeros_like(epsilon)
        alpha, active = self._touching(epsilon, [b.upper for b in found])
        lower = np.minimum(self._below(epsilon, alpha, active), upper)
        with np.errstate(divide="ignore"):
            log_gap_upper = np.log1p(-lower) + 4.0 * UNIT
        # no sharper than the vaguest part: where that hardly knows the complement, it is not asked
        least = np.max([b.log_gap_lower for b in found], axis=0)
        most = np.max([b.log_gap_upper for b in found], axis=0)
        close = np.flatnonzero((lower > _NEAR_ONE) & (most <= 0.5 * least))
        if len(close):
            log_gap_upper[close] = np.minimum(log_gap_upper[close], self._gap(epsilon[close], alpha[close]))
        return lower, np.minimum(log_gap_upper, 0.0)

    def slope(self, epsilon: FloatArray) -> FloatArray:
        """Approximate e^eps Q(L > eps)."""
        if self._last is None or not np.array_equal(self._last[0], epsilon):
            self._touching(epsilon, [sides.forward.bracket(epsilon).upper for sides in self.parts])
        alpha = self._last[1] if self._last is not None else np.zeros_like(epsilon)
        with np.errstate(divide="ignore"):
            return np.exp(np.minimum(epsilon + np.log(alpha), 700.0))

    @cached_property
    def _bridges(self) -> list[Bridge]:
        return [bridge for bridge in bridges(self.parts, self._rough) if bridge.high > 0.0]

    def _touching(self, epsilon: FloatArray, upper: list[FloatArray]) -> tuple[FloatArray, NDArray[np.int64]]:
        """The alpha whose line touches near each eps, and the part that has the smallest delta (-1: a bridge)."""
        active = np.argmin(upper, axis=0).astype(np.int64)
        alpha = np.empty_like(epsilon)
        for i, sides in enumerate(self.parts):
            mine = active == i
            if np.any(mine):
                alpha[mine] = sides.forward.slope(epsilon[mine]) * np.exp(-epsilon[mine])
        for number, bridge in enumerate(self._bridges):
            on = bridge.touched(epsilon)
            alpha = np.where(on, bridge.alpha, alpha)
            active = np.where(on, -1 - number, active)
        alpha = np.clip(alpha, 0.0, 1.0)
        self._in_corners(epsilon, upper, alpha, active)
        self._last = epsilon.copy(), alpha
        return alpha, active

    def _in_corners(
        self, epsilon: FloatArray, upper: list[FloatArray], alpha: FloatArray, active: NDArray[np.int64]
    ) -> None:
        """At a corner a line touches along an edge, of every part that is lowest: the middle of what they share."""
        least = np.min(upper, axis=0)
        lowest = np.array(upper) <= least * (1.0 + _TIED)
        place = np.searchsorted(self.knots, epsilon)
        beside = np.array([self.knots[np.clip(place + i, 0, self.knots.size - 1)] for i in (-1, 0)])
        near = np.any(np.abs(beside - epsilon) <= _BESIDE * (1.0 + epsilon), axis=0)
        rows = np.flatnonzero((near | (np.sum(lowest, axis=0) > 1)) & (least > 0.0) & (active >= 0))
        if not len(rows):
            return
        e, room = epsilon[rows], _STEP * (1.0 + epsilon[rows])
        low, high = np.zeros_like(e), np.ones_like(e)
        for i, sides in enumerate(self.parts):
            ends = [slope_at(sides.forward, sides.backward, at) * np.exp(-at) for at in (e + room, e - room)]
            mine = lowest[i, rows]
            low, high = np.where(mine, np.maximum(low, ends[0]), low), np.where(mine, np.minimum(high, ends[1]), high)
        alpha[rows] = np.where(low <= high, 0.5 * (low + high), alpha[rows])

    def _below(self, epsilon: FloatArray, alpha: FloatArray, active: NDArray[np.int64]) -> FloatArray:
        """The least excess power of the parts at alpha, minus (e^eps - 1) alpha, rounded down."""
        # far out, the power at alpha = 0 is all
        excess = np.full_like(epsilon, min(revealed(sides) for sides in self.parts))
        alpha = np.where(epsilon < _FARTHEST, alpha, 0.0)
        with np.errstate(under="ignore"):  # any alpha serves: of strong ones that of the line itself is no float
            alpha = np.where(active >= 0, np.maximum(alpha, np.minimum(_LEAST, _LEAST_LOAD * np.exp(-epsilon))), alpha)
        near = epsilon < _FARTHEST
        off, on = np.flatnonzero((active >= 0) & near), np.flatnonzero((active < 0) & near)
        bridges = [self._bridges[-1 - number] for number in active[on]]
        new = [bridge for bridge in dict.fromkeys(bridges) if bridge not in self._known]
        slopes = np.array([bridge.alpha for bridge in new])
        if len(off) or len(new):
            found = self._excess(
                np.concatenate([alpha[off], slopes]),
                np.concatenate([epsilon[off], slopes]),  # of bridges it is not looked at
                np.concatenate([active[off], np.full(len(new), -1)]),
                self.parts,
            )
            excess[off] = found[: len(off)]
            known = dict(zip(new, found[len(off) :].tolist(), strict=True))
            if not allowance().spent:  # else the next question may know more
                self._known.update(known)
            excess[on] = [known[bridge] if bridge in known else self._known[bridge] for bridge in bridges]
        else:
            excess[on] = [self._known[bridge] for bridge in bridges]
        with np.errstate(under="ignore"):
            load = np.expm1(np.minimum(epsilon, _FARTHEST)) * alpha
        value = excess - load - 8.0 * UNIT * (excess + load)
        return np.clip(value, 0.0, 1.0)

    def attained(self, alpha: FloatArray, epsilon: FloatArray, turned: bool) -> FloatArray:
        """What tests attain of every part is attained of them all: f is the largest of theirs."""
        if not allowance().take(_LEAST_WORK):
            return np.zeros_like(alpha)
        parts = tuple(sides.reversed for sides in self.parts) if turned else self.parts
        return np.maximum(self._excess(alpha, epsilon, np.full(len(alpha), -1), parts), 0.0)

    def _excess(
        self, alpha: FloatArray, epsilon: FloatArray, active: NDArray[np.int64], parts: tuple[Pair, ...]
    ) -> FloatArray:
        """The least of the parts' at each alpha: the ``active`` part's first, the others' as far as they matter."""
        least = np.full_like(alpha, np.inf)
        every = list(enumerate(zip(parts, self._starts, strict=True)))
        for i, (sides, start) in every:
            mine = np.flatnonzero(active == i)
            if len(mine):
                least[mine] = excess_at(sides, alpha[mine], epsilon[mine], start)
        for i, (sides, start) in every:
            rest = np.flatnonzero(active != i)
            if not len(rest):
                continue
            known, open_ = least[rest], np.arange(len(rest))
            told = np.flatnonzero(np.isfinite(known))  # where it is enough to be no less than what another attains
            if len(told):
                at = rest[told]
                kept = np.zeros(len(at), dtype=np.bool_)
                if sides.forward.turns.size and sides.symmetric:  # contacts are found from any eps that is not far off
                    kept = attained(sides, alpha[at], np.maximum(epsilon[at], 0.0), start) >= known[told]
                led = np.flatnonzero(~kept)
                if len(led):
                    near = np.clip(tangent(sides, alpha[at[led]], start, _ROUGH), -_FARTHEST, _FARTHEST)
                    kept[led] = attained(sides, alpha[at[led]], near, start) >= known[told[led]]
                open_ = np.setdiff1d(open_, told[kept])
            at = rest[open_]
            if not len(at):
                continue
            near = np.clip(tangent(sides, alpha[at], start), -_FARTHEST, _FARTHEST)
            if np.any(np.isfinite(known[open_])):
                vague = ~(excess_lower(sides, alpha[at], near, start) >= known[open_])
                at, open_, near = at[vague], open_[vague], near[vague]
            least[at] = np.minimum(known[open_], excess_at(sides, alpha[at], near, start))
        return least

    @cached_property
    def _known(self) -> dict[Bridge, float]:
        return {}

    def _gap(self, epsilon: FloatArray, alpha: FloatArray) -> FloatArray:
        """log of max f_i(alpha) + e^eps alpha, rounded up."""
        beta = np.max([beta_upper(s, alpha, start) for s, start in zip(self.parts, self._starts, strict=True)], axis=0)
        with np.errstate(divide="ignore", under="ignore"):
            total = (beta + np.exp(np.minimum(epsilon, 700.0)) * alpha) * (1.0 + 16.0 * UNIT * (1.0 + epsilon))
            return np.minimum(np.log(total + 5e-324) + 4.0 * UNIT * (1.0 + np.abs(np.log(total + 5e-324))), 0.0)
