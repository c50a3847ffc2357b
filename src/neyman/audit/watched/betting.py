"""Bets against hypotheses, with bounds on wealth that hold at every moment at once.

Of every pair (x_in, x_out) of scores, one of a model with the record and one of a model without, a hypothesis with the
profile delta(eps) says, whatever went before: for every threshold t and eps >= 0,

    Z = 1(x_in > t) - e^eps 1(x_out > t) - delta(eps)      and      Z' = 1(x_out <= t) - e^eps 1(x_in <= t) - delta(eps)

have a mean of at most 0. Where t, eps and a stake 0 <= b < 1 / (e^eps + delta) are chosen from the past alone,
1 + b Z is never negative and has a mean of at most 1. So the wealth of a player who divides it among several such bets,
and divides it anew now and then by what went before, is a non-negative supermartingale that starts from 1, and

    P(wealth >= 1/p at any time) <= p                                                       (Ville's inequality).

Nothing is asked of how x_in and x_out of a pair depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neyman._validate import FloatArray

__all__ = ["Bets", "Family", "Pairs", "Plan"]

_FIRST = 4  # pairs that are only looked at
_SHARE = 0.15  # of what is known: after how much news thresholds and stakes are chosen anew
_LEVELS = np.array([0.5, 0.35, 0.25, 0.16, 0.1, 0.05, 0.02, 0.008])  # error rates that thresholds aim at
_CAUTION = 0.85  # of the largest stake that cannot be ruined
_SPREAD = 0.1  # the part of the wealth that is divided evenly among all thresholds
_PORTION = 65_536  # pairs at a time
_STEEPEST = 1e100  # e^eps beyond which no bet is worth a choice: steers
_SLACK = 1e-9  # of log wealth: pays for all rounding


class Pairs:
    """The scores so far, as two growing arrays."""

    def __init__(self) -> None:
        self._held = [np.empty(64), np.empty(64)]
        self._length = [0, 0]

    def extend(self, side: int, values: FloatArray) -> None:
        """Append scores of side 0 (with the record) or 1 (without)."""
        start = self._length[side]
        end = start + len(values)
        if end > len(self._held[side]):
            grown = np.empty(max(end, 2 * len(self._held[side])))
            grown[:start] = self._held[side][:start]
            self._held[side] = grown
        self._held[side][start:end] = values
        self._length[side] = end

    def round_waiting(self, rounded: Callable[[FloatArray], FloatArray]) -> None:
        """Round the scores that have no partner yet; bets on those that have one are done."""
        for side in (0, 1):
            waiting = self._held[side][self.count : self._length[side]]
            waiting[:] = rounded(waiting)

    def scores(self, side: int) -> FloatArray:
        """All scores of one side, those without a partner too."""
        return self._held[side][: self._length[side]]

    def between(self, start: int, end: int) -> tuple[FloatArray, FloatArray]:
        """The pairs from ``start`` to ``end``."""
        return self._held[0][start:end], self._held[1][start:end]

    @property
    def count(self) -> int:
        """How many pairs are complete."""
        return min(self._length)


@dataclass(frozen=True)
class Family:
    """Hypotheses, row by row: ``delta`` is an upper bound of delta(``epsilon``), eps >= 0, element by element."""

    epsilon: FloatArray
    delta: FloatArray


@dataclass(frozen=True)
class Plan:
    """What is bet from ``start`` on: thresholds are shared (rows of hypotheses, columns of thresholds).

    A win pays ``stake``, a loss costs ``stake slope``, and each round costs ``stake delta``.
    """

    start: int
    threshold: FloatArray
    slope: FloatArray
    delta: FloatArray
    stake: FloatArray
    share: FloatArray

    def hits(self, pairs: tuple[FloatArray, FloatArray]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each threshold (row) wins, and whether it loses, in each pair (column)."""
        inside, outside = pairs
        half = len(self.threshold) // 2
        above, below = self.threshold[:half, None], self.threshold[half:, None]
        win = np.concatenate([inside > above, outside <= below])
        lose = np.concatenate([outside > above, inside <= below])
        return win, lose

    def logs(self, win: float, lose: float) -> FloatArray:
        """log(1 + stake Z), for one outcome."""
        return np.log1p(self.stake * (win - self.slope * lose - self.delta))


class Bets:
    """The wealth of a player against each hypothesis of a family; the highest it ever was is kept.

    ``every`` follows it pair by pair; otherwise it is looked at when plans change, and now.
    """

    def __init__(self, family: Family, pairs: Pairs, every: bool) -> None:
        self._family = family
        self._pairs = pairs
        self._every = every
        rows = len(family.epsilon)
        self._start = np.zeros(rows)  # log wealth when the plan was made
        self._grown = np.zeros((rows, 0))  # log growth of each part since then
        self._played = 0  # pairs
        self._highest = np.zeros(rows)
        self._shown = np.zeros(rows)  # the highest that an answer went by: it is never taken back
        self._plan: Plan | None = None
        self._next = _FIRST

    @property
    def plan(self) -> Plan | None:
        """What is bet at present; None while too little is known."""
        self._advance()
        return self._plan

    def now(self) -> FloatArray:
        """The log of the present wealth, rounded down."""
        self._advance()
        if self._plan is None:
            return self._start.copy()
        return self._wealth(self._plan, self._after(self._plan, self._pairs.count))[:, -1] - _SLACK

    def highest(self) -> FloatArray:
        """The log of the highest wealth so far, rounded down."""
        self._shown = np.maximum(self._shown, self.now())
        return np.maximum(self._highest - _SLACK, self._shown)

    def _advance(self) -> None:
        """Play what is complete: all plans that have run out, and of the present one what is followed pair by pair."""
        while self._pairs.count >= self._next:
            if self._plan is not None:
                self._play(self._plan, self._next)
                self._start = self._wealth(self._plan, self._grown[:, :, None])[:, -1]
            here = self._next
            self._next = here + max(4, int(_SHARE * here))
            self._plan = _planned(self._family, self._pairs.between(0, here))
            self._grown = np.zeros_like(self._plan.share)
            self._played = here
        if self._every and self._plan is not None:
            self._play(self._plan, self._pairs.count)

    def _play(self, plan: Plan, end: int) -> None:
        while self._played < end:
            until = min(end, self._played + _PORTION)
            grown = self._after(plan, until)
            self._highest = np.maximum(self._highest, np.max(self._wealth(plan, grown), axis=1))
            self._grown, self._played = grown[:, :, -1].copy(), until

    def _after(self, plan: Plan, end: int) -> FloatArray:
        """Log growth of each part (rows of hypotheses, thresholds) after each pair up to ``end``, or the last alone."""
        if end == self._played:
            return self._grown[:, :, None]
        win, lose = plan.hits(self._pairs.between(self._played, end))
        outcomes = ((1.0, 0.0, win & ~lose), (0.0, 1.0, lose & ~win), (1.0, 1.0, win & lose), (0.0, 0.0, ~(win | lose)))
        length = end - self._played if self._every else 1
        grown = np.repeat(self._grown[:, :, None], length, axis=2)
        for won, lost, mask in outcomes:
            number = np.cumsum(mask, axis=1) if self._every else np.sum(mask, axis=1, keepdims=True)
            grown += plan.logs(won, lost)[:, :, None] * number[None]
        return grown

    def _wealth(self, plan: Plan, grown: FloatArray) -> FloatArray:
        """The log wealth of the parts together."""
        top = np.max(grown, axis=1, keepdims=True)
        return self._start[:, None] + top[:, 0] + np.log(np.sum(plan.share[:, :, None] * np.exp(grown - top), axis=1))


def _planned(family: Family, past: tuple[FloatArray, FloatArray]) -> Plan:
    """Thresholds, slopes, stakes and shares that would have earned most, from the past alone."""
    n = len(past[0])
    inside, outside = np.sort(past[0]), np.sort(past[1])
    rank = np.minimum((_LEVELS * n).astype(int), n - 1)
    above, below = outside[n - 1 - rank], inside[rank]
    threshold = np.concatenate([above, below])
    won = np.concatenate([n - np.searchsorted(inside, above, "right"), np.searchsorted(outside, below, "right")])
    lost = np.concatenate([n - np.searchsorted(outside, above, "right"), np.searchsorted(inside, below, "right")])
    p, q = (won + 0.5) / (n + 1.0), (lost + 0.5) / (n + 1.0)
    rows, columns = len(family.epsilon), len(threshold)
    slope, delta, stake, growth = (np.empty((rows, columns)) for _ in range(4))
    for at in _slices(rows, columns * family.epsilon.shape[1]):
        best = _best(family.epsilon[at], family.delta[at], p, q)
        slope[at], delta[at], stake[at], growth[at] = best
    lead = 0.5 * n * (growth - np.max(growth, axis=1, keepdims=True))
    favour = np.exp(np.maximum(lead, -700.0))
    share = _SPREAD / columns + (1.0 - _SPREAD) * favour / np.sum(favour, axis=1, keepdims=True)
    return Plan(n, threshold, slope, delta, stake, share / np.sum(share, axis=1, keepdims=True) * (1.0 - 1e-15))


def _best(
    epsilon: FloatArray, delta: FloatArray, p: FloatArray, q: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Slope, delta, stake and growth of the tangent that promises most, for each hypothesis and threshold."""
    slope = np.exp(np.minimum(epsilon, 700.0))[:, None, :] * (1.0 + 1e-15)
    cost = delta[:, None, :]
    p, q = p[None, :, None], q[None, :, None]
    judged = np.minimum(slope, _STEEPEST)  # for the choice alone: steeper bets are never chosen, their squares overflow
    mean = p - judged * q - cost
    spread = p * (1.0 - p) + judged**2 * (q * (1.0 - q)) + mean**2
    stake = np.clip(mean / spread, 0.0, _CAUTION / (slope + cost))
    pick = np.argmax(stake * (mean - 0.5 * stake * spread), axis=2)[..., None]  # log(1 + x) is about x - x^2 / 2
    chosen = [
        np.take_along_axis(np.broadcast_to(one, mean.shape), pick, axis=2)[..., 0] for one in (slope, cost, stake)
    ]
    slope, cost, stake = chosen
    p, q = p[..., 0], q[..., 0]
    growth = np.zeros(stake.shape)
    for win, lose, chance in ((1, 0, p * (1 - q)), (0, 1, q * (1 - p)), (1, 1, p * q), (0, 0, (1 - p) * (1 - q))):
        growth += chance * np.log1p(stake * (win - slope * lose - cost))
    return slope, cost, stake, growth


def _slices(rows: int, width: int) -> Iterator[slice]:
    """Rows in portions that fit into memory."""
    step = max(1, 2_000_000 // max(width, 1))
    for start in range(0, rows, step):
        yield slice(start, start + step)
