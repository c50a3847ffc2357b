"""Sampled Gaussian steps of hardly any noise beside steps of any other kind.

With B what is beside them, P_B against Q_B, and everything else as in ``participation``: of T steps the law with the
record is the sum over the sets K of steps it took part in of w_K n_K P_B, against n_0 Q_B. Let delta_k be the profile
of B together with the Gaussian of k participations, e_k = eps - log w_K. What is said there of a Gaussian besides holds
of any B, word for word, for nowhere is more used than that B is independent of which steps took part. "Remove":

    1 - delta(eps) <= sum over k of p_k (1 - delta_k(e_k)),
    1 - delta(eps) >= p_0 (1 - delta_0(e_0)),
    1 - delta(eps) >= sum over k of p_k max(0, 1 - delta_k(e_k) - tau_k),         sum of p_k tau_k = T eta,

where p_0 (1 - tau_0) (1 - delta_0(e_0)) will do for k = 0: within its cell n_0 is a factor.
The second line is that of a step which reveals the record whenever it takes part, with no loss but log(1 - q) else: the
sampled step is that one followed by noise (add N(0, 1) to 0 or m), so that no composition with it tells more.

No composition tells less than one of its parts: delta_k is at least the profile g_k of the Gaussian alone, which has a
closed form. So from the first two lines, delta_0 being that of B,

    p_0 delta_0(e_0) + sum over k > 0 of p_k g_k(e_k) <= delta(eps) <= p_0 delta_0(e_0) + 1 - p_0,

and engines are asked for B beside the Gaussian of k participations only where p_k (1 - g_k(e_k)) is not nothing: at eps
about k m^2 / 2, or where the record took part so often that nothing else is left of 1 - delta. Of the k that are too
many for that, 1 - delta_k(e) >= (1 - tau) (1 - g_k(e - c)) with tau = P_B(L > c) (``narrow``).

"Add": the same two laws, the step that reveals and the test "all x <= t", as there; the reading of B is moved by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.engines.combine.enclosed import unbundled
from neyman.engines.counts.combinations import LARGEST_MU, Counts, Steps, counts, log_overlap, told_apart
from neyman.engines.counts.participation import AddedParticipation, read
from neyman.losses.base import Step
from neyman.losses.gaussian.plain import GaussianStep
from neyman.losses.gaussian.sampled import SubsampledGaussianStep
from neyman.numerics.rounding import ROOM, SMALLEST, UNIT
from neyman.profiles.pair import Pair
from neyman.profiles.profile import Bracket, Profile

__all__ = ["Beside", "RemovedBeside", "beside_loud"]

_LISTED = 1 << 13  # combinations of numbers of participations that are worth it
_SHARP = 20.0  # -log of the share of participations that are mistaken, from which no engine knows better
_WORK = 1 << 19  # combinations times eps at a time
_MOST = 48  # numbers of participations for which an engine is asked
_SHARE = 1e-2  # of the tolerance, that one number of participations may be worth and not be asked
_ASKED = 1e-30  # least delta that is held to the tolerance
_FURTHEST = 1e6  # mu of participations beyond which nothing is asked
_MARGINS = np.geomspace(0.1, 1e6, 57)  # losses of the others
_SURE = 1e-9  # -log of a probability, of whose complement hardly a digit is left
# certifies, of the log of that complement: 4 units of what is above _SURE, 5e-7, and more than 1 / 20 of it
_BLURRED = 1e-6
_SELDOM = 1e-6, 1e-12  # probabilities of a loss of the others, at which it is looked at

Losses = tuple[tuple[Step, int], ...]


class Beside(NamedTuple):
    """Both directions, and whether nothing is left for an engine to say."""

    both: Pair
    sharp: bool


def beside_loud(losses: Losses, tolerance: float, tail_mu: float, compose: Callable[[Losses], Pair]) -> Beside | None:
    """Sampled Gaussians of hardly any noise beside others, not all Gaussians, which ``compose`` does; None where there
    are none, or they take part too often.
    """
    loud = [(step, n) for step, n in losses if isinstance(step, SubsampledGaussianStep) and told_apart([(step, n)])]
    rest = tuple((step, times) for step, times in losses if step not in dict(loud))
    if not loud or all(isinstance(step, GaussianStep) for step, _ in rest):
        return None
    listed = counts(loud, 0.0)
    if listed is None or len(listed.log_p) > _LISTED:
        return None

    def made(mu: float) -> Profile:
        return compose(unbundled(((GaussianStep(mu), 1), *rest)))[0]

    remove, add = compose(rest)
    both = Pair(
        RemovedBeside(loud, remove, tail_mu, listed, made, tolerance),
        AddedParticipation(loud, Pair(add, remove), tail_mu),
    )
    return Beside(both, all(log_overlap(step) < math.log(step.rate) - _SHARP for step, _ in loud))


class RemovedBeside(Profile):
    """Direction "remove" of ``steps`` and of others, whose own profile is ``beside``; ``listed`` is what ``counts``
    made of the steps.

    ``made`` is asked for the profile of the others together with a Gaussian of that mu; ``tolerance`` is the relative
    width aimed for.
    """

    def __init__(
        self, steps: Steps, beside: Profile, tail_mu: float, listed: Counts, made: Callable[[float], Profile],
        tolerance: float,
    ) -> None:  # fmt: skip
        self._beside, self._tail_mu, self._listed, self._make = beside, tail_mu, listed, made
        self._tolerance = tolerance
        none = math.fsum(times * math.log1p(-step.rate) for step, times in steps)  # log w_0 = log p_0
        self._none, self._room = none, 4.0 * UNIT * abs(none)
        self._some = -math.expm1(none - self._room) * (1.0 + 8.0 * UNIT)
        self._p = tuple(math.exp(none + sign * self._room) * (1.0 + sign * 8.0 * UNIT) for sign in (-1.0, 1.0))
        each = [math.log(times) + log_overlap(step) for step, times in steps]
        self._error = math.exp(min(float(np.logaddexp.reduce(each)), 0.0)) * (1.0 + ROOM) + SMALLEST
        # log of the probability, without the record, that no output is taken for one with it
        told = float(listed.log_tau[0])
        self._within = math.log1p(-math.exp(told)) * (1.0 + _BLURRED) if told < -_SURE else -math.inf
        self._engines: dict[int, tuple[Profile, Profile]] = {}  # of a mu rounded down, and up

    @property
    def method(self) -> str:
        return f"sum over participations, {self._beside.method}"

    @property
    def tail_mu(self) -> float:
        return self._tail_mu

    @property
    def knots(self) -> FloatArray:
        moved = self._beside.knots + self._none
        return moved[moved >= 0.0]

    def bracket(self, epsilon: FloatArray) -> Bracket:
        parts = np.empty((4, len(epsilon)))
        rows = max(1, _WORK // len(self._listed.log_p))
        for i in range(0, len(epsilon), rows):
            parts[:, i : i + rows] = self._block(epsilon[i : i + rows])
        lower, upper, low, high = parts
        lower = np.clip(lower, 0.0, 1.0)
        upper = np.clip(upper, lower, 1.0)
        with np.errstate(divide="ignore"):
            low = np.maximum(low, np.log1p(-upper) * (1.0 + 4.0 * UNIT) - SMALLEST)
            high = np.minimum(high, np.log1p(-lower) * (1.0 - 4.0 * UNIT))
        return Bracket(lower, upper, np.minimum(low, high), np.minimum(high, 0.0))

    def slope(self, epsilon: FloatArray) -> FloatArray:
        out = self._beside.slope(epsilon - self._none) * math.exp(self._none)
        rows = max(1, _WORK // len(self._listed.log_p))
        for i in range(0, len(epsilon), rows):
            part = slice(i, i + rows)
            at = epsilon[part, None] - self._listed.shift[1:]
            mu = np.minimum(self._listed.mu[1:], LARGEST_MU)
            slopes = read(at, np.broadcast_to(mu, at.shape), 1.0)[2]
            for k, (engine, _) in self._engines.items():
                inner = at[:, k - 1] >= 0.0
                slopes[inner, k - 1] = engine.slope(at[inner, k - 1])
            out[part] += slopes @ np.exp(self._listed.log_p[1:])
        return out

    def _block(self, epsilon: FloatArray) -> FloatArray:
        """Bounds on delta from below and above, and on log(1 - delta), at some ``epsilon``."""
        moved = epsilon - self._none
        room = self._room + 4.0 * UNIT * moved
        early = self._beside.bracket(np.maximum(moved - room, 0.0))
        late = self._beside.bracket(moved + room)
        listed = self._listed
        at = epsilon[:, None] - listed.shift[1:]
        spare = listed.slack[1:] + 4.0 * UNIT * (np.abs(at) + epsilon[:, None])
        mu = np.broadcast_to(np.minimum(listed.mu[1:], LARGEST_MU), at.shape)
        least, gap, _ = read(at + spare, mu * (1.0 - 8.0 * UNIT), -1.0)
        most, gap_least = np.ones(at.shape), np.full(at.shape, -math.inf)
        log_low, log_high = listed.log_p[1:] - listed.error[1:], listed.log_p[1:] + listed.error[1:]
        own = self._none + late.log_gap_upper
        wanted = self._wanted(least, gap + log_high, late.lower * self._p[0], own)
        for k in wanted:
            if k in self._engines or self._room_for(k):
                self._ask(k, (at, spare), (least, most, gap_least, gap))
            else:
                self._early(k, (at, spare), (most, gap_least))
        with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
            sums = 1.0 + (8.0 + len(log_low)) * UNIT
            lower = (self._p[0] * late.lower + least @ np.exp(log_low) / sums) * (1.0 - 4.0 * UNIT)
            first = self._p[1] * early.upper
            upper = (first + self._some) * (1.0 + 4.0 * UNIT)
            told = first + (most @ np.exp(log_high)) * sums + math.exp(listed.log_dropped) + self._error
            upper = np.minimum(upper, told * (1.0 + 4.0 * UNIT))
            rest = gap_least + np.log1p(-np.exp(np.minimum(listed.log_tau[1:] - gap_least, 0.0))) + log_low
            rest = np.where(np.isnan(rest), -math.inf, rest)
            low = self._none + early.log_gap_lower
            low = np.maximum(low, np.logaddexp(low + self._within, _sum(rest)))
            unlisted = np.minimum(listed.log_dropped, listed.log_rest + 0.5 * epsilon)
            high = np.logaddexp(np.logaddexp(own, _sum(gap + log_high)), unlisted)
        error = 4.0 * UNIT * (8.0 + len(log_low))  # of each sum of logarithms
        low, high = low - self._room - error * (1.0 + np.abs(low)), high + self._room + error * (1.0 + np.abs(high))
        return np.array([lower, upper + SMALLEST, low, high])

    def _wanted(self, least: FloatArray, log_left: FloatArray, known: FloatArray, own: FloatArray) -> list[int]:
        """Which numbers of participations leave too much unknown: what may be left of 1 - delta is ``log_left``."""
        with np.errstate(under="ignore"):
            left = np.exp(log_left)
            delta = known + least @ np.exp(self._listed.log_p[1:])
            gap = np.exp(np.logaddexp(own, _sum(log_left)))
        allowed = _SHARE * self._tolerance * np.minimum(np.maximum(delta, _ASKED), np.maximum(gap, _ASKED))
        worth: BoolArray = np.any(left > allowed[:, None], axis=0) & (self._listed.mu[1:] < _FURTHEST)
        found = np.flatnonzero(worth)
        order = found[np.argsort(-left[:, found].max(axis=0))]
        return [int(k) + 1 for k in order]

    def _room_for(self, k: int) -> bool:
        if len(self._engines) >= _MOST:
            return False
        mu = float(self._listed.mu[k])
        self._engines[k] = self._make(mu * (1.0 - 8.0 * UNIT)), self._make(mu * (1.0 + 8.0 * UNIT))
        return True

    def _ask(self, k: int, places: tuple[FloatArray, FloatArray], known: tuple[FloatArray, ...]) -> None:
        """Fill in what is known of delta_k and log(1 - delta_k), from below and above, where e_k >= 0."""
        at, spare = (part[:, k - 1] for part in places)
        inner = np.flatnonzero(at - spare >= 0.0)
        late, early = (
            engine.bracket((at + sign * spare)[inner])
            for engine, sign in zip(self._engines[k], (1.0, -1.0), strict=True)
        )
        least, most, gap_least, gap = known
        least[inner, k - 1] = np.maximum(least[inner, k - 1], late.lower)
        most[inner, k - 1] = early.upper
        gap_least[inner, k - 1] = early.log_gap_lower
        gap[inner, k - 1] = np.minimum(gap[inner, k - 1], late.log_gap_upper)

    def _early(self, k: int, places: tuple[FloatArray, FloatArray], known: tuple[FloatArray, FloatArray]) -> None:
        """The same from above, of delta_k, and below, of log(1 - delta_k), without an engine."""
        at, spare = (part[:, k - 1] for part in places)
        mu = np.full(len(at), float(self._listed.mu[k]) * (1.0 + 8.0 * UNIT))
        most, gap_least = (part[:, k - 1] for part in known)
        for margin, tau in self._margins:
            early = at - spare - margin
            delta, gap, _ = read(early - 4.0 * UNIT * np.abs(early), mu, 1.0)
            np.minimum(most, (delta + tau) * (1.0 + 4.0 * UNIT), out=most)
            np.maximum(gap_least, (gap + math.log1p(-tau)) * (1.0 + 4.0 * UNIT), out=gap_least)

    @cached_property
    def _margins(self) -> list[tuple[float, float]]:
        """A few losses of the others, with bounds on the probability of more: delta(c / 2) / (1 - e^{-c / 2})."""
        half = 0.5 * _MARGINS
        with np.errstate(under="ignore"):
            tau = self._beside.bracket(half).upper / -np.expm1(-half) * (1.0 + 8.0 * UNIT)
        return [
            (float(_MARGINS[i]), float(tau[i]))
            for i in {int(np.argmax(tau <= t)) for t in _SELDOM}
            if tau[i] <= _SELDOM[0]
        ]


def _sum(log_terms: FloatArray) -> FloatArray:
    """log of the sum of each row."""
    return np.logaddexp.reduce(log_terms, axis=1, initial=-math.inf)
