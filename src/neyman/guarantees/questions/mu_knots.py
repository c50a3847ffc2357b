"""Tangents of a curve, and how large the local mu may be between the places where each of them is followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from neyman._validate import BoolArray, FloatArray
from neyman.numerics.normal import probit_gap
from neyman.numerics.rounding import UNIT
from neyman.profiles.profile import SHARPEST, Bracket, Profile

__all__ = ["BESIDE", "TOLD", "Branch", "Knots", "flat", "local_mu", "log_vertex"]

_ROUNDS = 4  # in which the largest bounds are sharpened; in the last of them all are
_NEAR = 2e-3  # relative, below the largest bound: what is asked as sharply as can be before any interval is cut
TOLD = 1e-7  # relative fall of delta between two knots that tells where their tangents meet
BESIDE = 1e-3  # of log alpha: slopes that are as near are believed


@dataclass(frozen=True, slots=True)
class Knots:
    """Tangents of increasing eps with the (decreasing) alphas between which each pair of them is followed; ``sharp``
    where they were asked for as sharply as can be.
    """

    epsilon: FloatArray
    delta: FloatArray
    log_gap: FloatArray
    log_alpha: FloatArray
    sharp: BoolArray

    def but(self, left_out: BoolArray) -> Knots:
        """All but these."""
        kept = ~left_out
        return Knots(self.epsilon[kept], self.delta[kept], self.log_gap[kept], self.log_alpha[kept], self.sharp[kept])


def flat(zero: tuple[float, float], log_alpha: float) -> Knots:
    """The tangent of slope -1 alone."""
    return Knots(
        np.zeros(1), np.array([zero[0]]), np.array([zero[1]]), np.array([log_alpha]), np.ones(1, dtype=np.bool_)
    )


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch between its tangent of slope -1, left at e^``log_zero``, and the floor, reached about ``near``."""

    branch: Profile
    near: float
    log_floor: float
    log_zero: float

    def steepest(self, ask: Callable[[FloatArray], Bracket]) -> float:
        """The eps ``near`` or a little beyond whose tangent says most at the floor: where losses end, alpha falls off a
        cliff, and the best tangent lies at its foot.
        """
        epsilon = self.near * (1.0 + np.array([0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01]))
        b = ask(epsilon)
        log_alpha = np.full(len(epsilon), self.log_floor)
        tangents = Knots(epsilon, b.upper, b.log_gap_lower, log_alpha, np.ones(len(epsilon), dtype=np.bool_))
        return float(epsilon[np.argmin(local_mu(tangents, np.arange(len(epsilon)), log_alpha))])

    def seen(self, knots: Knots) -> tuple[Knots, FloatArray, FloatArray]:
        """The knots and what they bound, those beside the largest bounds asked for as sharply as can be."""
        bound, attained = _interval_bounds(knots)
        for more_rounds in range(_ROUNDS - 1, -1, -1):
            high = (bound >= (1.0 - _NEAR) * np.max(bound)) | (more_rounds == 0)
            blunt = (np.append(high, False) | np.append(False, high)) & ~knots.sharp
            if not blunt.any():
                break
            more = knots.epsilon[blunt]
            if blunt[-1]:
                more[-1] = max(self.steepest(self.branch.bracket), float(knots.epsilon[-2]))
            knots = self.refined(knots.but(blunt), more, self.branch.bracket)
            bound, attained = _interval_bounds(knots)
        return knots, bound, attained

    def refined(self, knots: Knots, more: FloatArray, ask: Callable[[FloatArray], Bracket]) -> Knots:
        """Insert tangents at ``more`` > 0; alphas are kept between the floor and the start, and decreasing."""
        b = ask(more)
        with np.errstate(divide="ignore"):
            log_alpha = np.log(self.branch.slope(more)) - more
        epsilon = np.concatenate([knots.epsilon, more])
        order = np.argsort(epsilon, kind="stable")
        alphas = np.concatenate([knots.log_alpha, np.clip(log_alpha, self.log_floor, self.log_zero)])[order]
        alphas = np.minimum.accumulate(alphas)
        alphas[-1] = self.log_floor
        # tangents that touch beyond the floor say little about it: the first of them closes the range
        kept = order[: int(np.argmax(alphas <= self.log_floor)) + 1]
        sharp = np.ones(len(more), dtype=np.bool_) if ask == self.branch.bracket else _sharp(b)
        found = Knots(
            epsilon[kept],
            np.concatenate([knots.delta, b.upper])[kept],
            np.concatenate([knots.log_gap, b.log_gap_lower])[kept],
            alphas[: len(kept)],
            np.concatenate([knots.sharp, sharp])[kept],
        )
        return replace(found, log_alpha=_between_vertices(found))


def _sharp(b: Bracket) -> BoolArray:
    """Where nothing is made any sharper."""
    if b.sharp:
        return np.ones(len(b.upper), dtype=np.bool_)
    with np.errstate(invalid="ignore"):
        gap = b.log_gap_upper - b.log_gap_lower
    return (b.upper - b.lower <= SHARPEST * b.upper) & ((b.upper < 0.5) | (gap <= SHARPEST))


def _between_vertices(knots: Knots) -> FloatArray:
    """Each alpha where its tangent meets those beside it, or between: slopes that were steered by what is nearly all of
    a law turn at its corners at once, where the law itself takes a little longer.
    """
    if knots.epsilon.size < 3:
        return knots.log_alpha
    i = np.arange(knots.epsilon.size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        drop = 1.0 - knots.delta[1:] / knots.delta[:-1]
    log_v = np.where(drop > TOLD, log_vertex(knots, i, i + 1), np.nan)
    inner = knots.log_alpha[1:-1]
    with np.errstate(invalid="ignore"):
        moved = np.where(
            log_v[1:] - BESIDE > inner, log_v[1:], np.where(log_v[:-1] + BESIDE < inner, log_v[:-1], inner)
        )
    alphas = knots.log_alpha.copy()
    alphas[1:-1] = np.clip(moved, knots.log_alpha[-1], knots.log_alpha[0])
    return np.minimum.accumulate(alphas)


def _interval_bounds(knots: Knots) -> tuple[FloatArray, FloatArray]:
    """Upper bounds of the local mu between neighbouring knots, and its bound at the knots themselves."""
    n = knots.epsilon.size
    i, j = np.arange(n - 1), np.arange(1, n)
    log_alpha = knots.log_alpha
    log_v = np.clip(log_vertex(knots, i, j), log_alpha[j], log_alpha[i])
    # in one call: every tangent at its own knot, both tangents of a pair at their vertex and at each other's knot
    tangent = np.concatenate([np.arange(n), i, j, i, j])
    found = local_mu(knots, tangent, np.concatenate([log_alpha, log_v, log_v, log_alpha[j], log_alpha[i]]))
    attained, i_at_vertex, j_at_vertex, i_at_j, j_at_i = np.split(found, np.cumsum([n, n - 1, n - 1, n - 1]))
    attained[-1] = min(attained[-1], i_at_j[-1])
    at_vertex = np.maximum(i_at_vertex, j_at_vertex)
    # the vertex below the interval: tangent i is followed throughout (its other end is knot i itself)
    only_i = log_v <= log_alpha[j]
    only_j = (log_v >= log_alpha[i]) & ~only_i
    low_end = np.where(only_i, i_at_j, np.maximum(at_vertex, attained[j]))
    inner = np.where(only_j, np.maximum(j_at_i, attained[j]), low_end)
    # the first tangent, of slope -1, covers what lies between the branches by its ends: it counts there, even where the
    # next says more at its knot
    return np.maximum(inner, np.where(only_j & (i > 0), 0.0, attained[i])), attained


def log_vertex(knots: Knots, i: np.ndarray, j: np.ndarray) -> FloatArray:
    """log of (delta_i - delta_j) / (e^{e_j} - e^{e_i}), the alpha at which the two tangents meet (approximate)."""
    step = knots.epsilon[j] - knots.epsilon[i]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        drop = np.log(np.maximum(knots.delta[i] - knots.delta[j], 0.0))
        gain = knots.log_gap[j] + np.log(-np.expm1(np.minimum(knots.log_gap[i] - knots.log_gap[j], 0.0)))
        rise = np.log(np.expm1(np.minimum(step, 700.0)))
        log_v = np.where(knots.delta[i] < 0.5, drop, gain) - knots.epsilon[i] - rise
    return np.where(np.isnan(log_v), 0.5 * (knots.log_alpha[i] + knots.log_alpha[j]), log_v)


def local_mu(knots: Knots, tangent: np.ndarray, log_alpha: FloatArray) -> FloatArray:
    """m_i(alpha), from the excess power where it is small and from beta = gap - e^eps alpha where that is."""
    e, delta, log_gap = knots.epsilon[tangent], knots.delta[tangent], knots.log_gap[tangent]
    slack = 4.0 * UNIT * (2.0 + np.abs(e) + np.abs(log_alpha) + np.abs(log_gap))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore", under="ignore"):
        load = np.exp(np.minimum(e + log_alpha, 0.0))
        log_load = log_alpha + np.where(
            e > 1.0, e + np.log1p(-np.exp(-np.maximum(e, 1.0))), np.log(np.expm1(np.minimum(e, 1.0)))
        )
        log_excess = np.logaddexp(np.log(delta), log_load) + slack
        share = e + log_alpha - log_gap + slack  # log of e^eps alpha / gap
        log_beta = log_gap + np.log(-np.expm1(np.minimum(share, 0.0))) - slack
        direct = np.log1p(-np.minimum(delta + load * (1.0 + slack), 1.0)) - slack
        log_beta = np.where(np.isnan(log_beta), -np.inf, np.maximum(log_beta, np.where(delta < 0.5, direct, -np.inf)))
    out = log_beta <= -1e300
    value = probit_gap(log_alpha, np.where(out, 0.0, log_excess), np.where(out, -1.0, log_beta))
    return np.where(out, np.inf, value)
